// The commands of the page about several instances, cut from it and run by sh: an instance that takes PostgreSQL, Redis
// and its master keys from the files that they name.
// full: PostgreSQL, Redis and a program
// run: apart

import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startPostgres } from '../support/databases/postgresql.js'
import { newMigratedDatabase } from '../support/databases/postgresql-store.js'
import { startRedis } from '../support/databases/redis.js'
import { programWords, startProgram } from '../support/programs/program.js'
import { documentedBlock } from '../support/settings/documentation.js'

t.test('the commands of the page start an instance on PostgreSQL and Redis', { timeout: 120_000 }, async (t) => {
  const cwd = t.testdir()
  const [server, redis] = await Promise.all([startPostgres(t), startRedis(t)])
  const files = {
    'store-url': await newMigratedDatabase(server),
    'redis-url': redis.url,
    'master-keys': randomBytes(32).toString('base64url'),
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), `${text}\n`, { mode: 0o600 })
  const block = (documentedBlock('PORTCULLIS_REDIS=file:') ?? '').replaceAll('/run/secrets', cwd)
  const words = programWords().map((word) => `'${word}'`)
  const command = ['sh', '-e', '-c', `portcullis() { exec ${words.join(' ')} "$@"; }\n${block}`]
  const program = await startProgram({ cwd, command })
  t.teardown(() => program.stop())
  t.match(program.output(), /State +PostgreSQL/, 'its state is there')
  t.match(program.output(), /limits in Redis/, 'and limits count together')
})
