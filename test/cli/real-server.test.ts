// The commands against the program itself: one server, one story, from registration to cut-off.
// run: apart

import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { defaultConfigFile } from '../../src/config/read/package-root.js'
import { freePort, startProgram } from '../support/programs/program.js'
import { runCommand } from '../support/rooms/cli.js'

t.test('an operator registers, calls, rotates, revokes and disables from the command line', async (t) => {
  // A socket's path has room for 103 bytes: tap's own folders are named after the whole test.
  const cwd = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  const program = await startProgram({ cwd })
  t.teardown(() => program.stop())
  const run = async (line: string, more: NodeJS.ProcessEnv = {}) =>
    await runCommand(line.split(' '), { cwd: program.cwd, env: { ...program.env, ...more } })
  const well = async (line: string, more: NodeJS.ProcessEnv = {}) => {
    const result = await run(line, more)
    t.equal(result.code, 0, `${line}\n${result.err}`)
    return result.out
  }

  const created = await well(
    'app create tester --permission User.Read.All --permission Subscription.Read.All --consent -o env',
  )
  const client = Object.fromEntries(
    created
      .trim()
      .split('\n')
      .map((line) => line.split('=') as [string, string]),
  )
  t.match(client['PORTCULLIS_CLIENT_SECRET'], /^pcl_sk_/)
  t.match(await well('app list'), /^tester +/m)
  const shown = await well('app show tester -o json')
  t.notMatch(shown, String(client['PORTCULLIS_CLIENT_SECRET']))

  const token = (await well('token', client)).trim()
  const holder = { PORTCULLIS_ACCESS_TOKEN: token }
  t.match(await well('call GET /api/v2/me -i', holder), /^HTTP\/1\.1 200 OK\n[\s\S]*\nrequest-id: [0-9a-f-]{36}\n/i)
  t.ok(Array.isArray(JSON.parse(await well('call GET /api/v2/subscriptions --app tester'))))
  const missing = await run('call GET /api/v2/resourceGroups', holder)
  t.match(missing, { code: 4, out: /ResourceGroup\.Read\.All/, err: /HTTP 403/ })
  t.equal((await run('call GET /api/v2/me --anonymous')).code, 4)
  t.equal((await run('token --app tester --scope assets_delete')).code, 4)

  await well(`revoke token ${token}`)
  t.equal((await run('call GET /api/v2/me', holder)).code, 4, 'a revoked token is refused at the next call')

  const second = { PORTCULLIS_ACCESS_TOKEN: (await well('token', client)).trim() }
  await well('call GET /api/v2/me', second)
  const rotated = await well('app rotate tester -o env --yes')
  t.equal((await run('call GET /api/v2/me', second)).code, 4, "a rotated secret's token is refused")
  t.equal((await run('token', client)).code, 4, 'and so is the secret')
  const renewed = { ...client, PORTCULLIS_CLIENT_SECRET: /CLIENT_SECRET=(.*)/.exec(rotated)?.[1] ?? '' }

  const third = { PORTCULLIS_ACCESS_TOKEN: (await well('token', renewed)).trim() }
  await well('app disable tester --yes')
  t.equal((await run('call GET /api/v2/me', third)).code, 4, 'disabled')
  t.equal((await run('token', renewed)).code, 4)
  await well('app enable tester')
  const fourth = { PORTCULLIS_ACCESS_TOKEN: (await well('token', renewed)).trim() }
  await well('call GET /api/v2/me', fourth)
  await well('revoke application tester --yes')
  t.equal((await run('call GET /api/v2/me', fourth)).code, 4, 'revoked with its application')
  const [key] = JSON.parse(await well('app show tester -o json')).secrets.slice(-1)
  await well(`revoke secret ${key.keyId} --yes`)

  const keys = JSON.parse(await well('keys list -o json')).value.length
  await well('keys rotate')
  const after = JSON.parse(await well('keys list -o json')).value
  t.ok(after.length > keys)
  await well(`keys remove ${after.find(({ state }: { state: string }) => state === 'pending').kid} --yes`)
  await well('tenant create Second')
  await well('tenant disable Second --yes')
  t.equal((await run('app create dup --tenant Second')).code, 2)
  t.match(await well('permission list'), /^User\.Read\.All /m)
  // Node.js and the disk are those of the machine that the test runs on.
  t.notMatch(await well('doctor'), /^(warn|fail) {2}(?!node |disk )/m)

  await program.stop()
  const gone = await run('app list')
  t.match(gone, { code: 5, err: /portcullis serve/ })
  t.equal((await run('doctor')).code, 1)
  t.notMatch(program.output(), String(client['PORTCULLIS_CLIENT_SECRET']), 'X5 the secret is in no log')
  t.notMatch(program.output(), token, 'X5 nor is a token')
})

t.test('a call that no service answers says which command tells why', async (t) => {
  const cwd = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  const config = join(cwd, 'portcullis.yaml')
  copyFileSync(defaultConfigFile(), config)
  mkdirSync(join(cwd, 'conf.d'))
  const away = [
    'permissions: { Away.Read: { describe: Read what is away } }',
    `upstreams: { away: { target: 'http://127.0.0.1:${await freePort()}' } }`,
    'routes: { /away: { to: away, require: { GET: Away.Read } } }',
  ]
  writeFileSync(join(cwd, 'conf.d/away.yaml'), `${away.join('\n')}\n`)
  const program = await startProgram({ cwd, config })
  t.teardown(() => program.stop())
  const run = (line: string) => runCommand(line.split(' '), { cwd: program.cwd, env: program.env })
  t.equal((await run('app create caller --permission Away.Read --consent')).code, 0)
  const unanswered = await run('call GET /away --app caller')
  t.match(unanswered.err, /HTTP 502[^\n]*\nWhy: portcullis explain GET \/away --app caller/)
  t.match((await run('explain GET /away --app caller')).out, /refused/, 'which does')
})
