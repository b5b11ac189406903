// The commands of the page on moving to PostgreSQL, cut from it and run by sh.
// full: PostgreSQL and two programs
// run: apart

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { startPostgres } from '../support/databases/postgresql.js'
import { call, demoToken } from '../support/programs/demo.js'
import { programWords, startProgram } from '../support/programs/program.js'
import { documentedBlock } from '../support/settings/documentation.js'

t.test('the commands of the page move a store, and its tokens go on', { timeout: 180_000 }, async (t) => {
  const cwd = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  const [server, first] = await Promise.all([startPostgres(t), startProgram({ cwd })])
  const token = await demoToken(first)
  await first.stop()
  writeFileSync(join(cwd, 'store-url'), `${server.url}\n`, { mode: 0o600 })
  const block = (documentedBlock('portcullis migrate-store') ?? '').replaceAll('/run/secrets', cwd)
  t.match(block, /portcullis serve\n$/)
  const words = programWords().map((word) => `'${word}'`)
  const script = `portcullis() { ${words.join(' ')} "$@"; }\n${block.replace('portcullis serve', `exec ${words.join(' ')} serve`)}`
  const ports = { public: Number(new URL(first.baseUrl).port), operator: Number(new URL(first.operatorUrl).port) }
  const program = await startProgram({ cwd, command: ['sh', '-e', '-c', script], ports })
  t.teardown(() => program.stop())
  t.match(program.output(), /each compared/)
  t.match(program.output(), /State +PostgreSQL/)
  const me = await call(program, '/api/v2/me', { headers: { authorization: `Bearer ${token}` } })
  t.equal(me.status, 200)
})
