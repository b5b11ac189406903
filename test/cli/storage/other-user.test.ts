// What a user who may not read the data folder hears: not that nothing is there.
// full: the program eight times

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { noOtherUser, runAsOther } from '../../support/programs/other-user.js'

t.setTimeout(180_000)

t.test('a data folder of another user is not taken for none', { skip: noOtherUser() }, async (t) => {
  const cwd = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  chmodSync(cwd, 0o755)
  for (const name of ['data', 'data/tls', 'saved']) mkdirSync(join(cwd, name), { mode: 0o700 })
  for (const name of ['data/portcullis.db', 'data/tls/ca.pem', 'saved/manifest.json'])
    writeFileSync(join(cwd, name), '{}', { mode: 0o600 })
  const env = { PORTCULLIS_DATA: join(cwd, 'data'), PORTCULLIS_BASE_URL: 'https://localhost:1' }
  const run = (line: string, more: NodeJS.ProcessEnv = {}) => runAsOther(line, { cwd, env: { ...env, ...more } })
  const advice = 'run this as the user that runs Portcullis'
  const may = (name: string) => `this user may not read ${join(cwd, name)}`

  for (const [line, name, more] of [
    ['backup b2', 'data/portcullis.db', {}],
    [`restore ${cwd}/saved --yes`, 'saved/manifest.json', {}],
    ['migrate-store --yes', 'data/portcullis.db', { PORTCULLIS_STORE: 'postgresql://u@127.0.0.1:1/d?sslmode=disable' }],
  ] as const) {
    const { code, err } = await run(line, more)
    t.equal(code, 4, line)
    t.ok(err.includes(`${may(name)}: ${advice}`), err)
  }

  const home = { HOME: join(cwd, 'saved'), PORTCULLIS_DATA: './open' }
  const away = await run('status', home)
  t.equal(away.code, 4)
  t.match(away.err, /may not read \S+current: sign-ins are kept below HOME \(XDG_CONFIG_HOME\): set it to a folder of/)
  mkdirSync(join(cwd, 'open'))
  writeFileSync(join(cwd, 'open', 'admin.sock'), '')
  t.match(
    await run('status', home),
    { code: 4, err: /this user may not open \S+open\/admin\.sock/ },
    'the local folder first',
  )

  const started = await run('serve')
  t.equal(started.code, 1)
  t.match(
    started.err,
    /data: permission is denied to this user \(EACCES, access\)\. It is data\.folder \(PORTCULLIS_DATA\)/,
  )

  const { out } = await run('doctor')
  t.ok(out.includes(may('data')), out)
  t.ok(out.includes(`${may('data/tls/ca.pem')}: ${advice}`), out)
  t.ok(out.includes(`this user may not open ${join(cwd, 'data/admin.sock')}`), out)
  t.notMatch(out, /not there/)
})
