// The commands about people, against a stand-in for the server: what they send, what they print, how they end.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { apiError, runCommand, type SocketAnswer, socketServer } from '../support/rooms/cli.js'

const tenantId = '7a1c1c3e-0000-4000-8000-00000000000a'
const userId = '7a1c1c3e-0000-4000-8000-0000000000aa'
const summary = {
  ...{ userId, email: 'ada@example.test', emailVerified: true, name: 'Ada', state: 'enabled', idProvider: 'local' },
  ...{ hasPassword: true, hasSecondFactor: false, createdAt: '', updatedAt: '', lastSignInAt: null },
}
const user = { ...summary, memberships: [{ userId, tenantId, role: 'owner', createdAt: '' }] }
const link = { url: 'https://p.test/invitation/pcl_ol_x', mailed: false, expiresAt: '2026-12-01T00:00:00.000Z' }
const found = {
  'GET /api/v2/tenants': { json: { value: [{ tenantId, name: 'home', state: 'enabled', createdAt: '' }] } },
  'GET /api/v2/users?email=ada%40example.test': { json: { value: [summary] } },
  'GET /api/v2/users?email=nobody%40example.test': { json: { value: [] } },
  [`GET /api/v2/users/${userId}`]: { json: user },
}

async function build(t: Test, answers: Record<string, SocketAnswer>) {
  // A socket's path has room for 103 bytes, and tap's own folders are named after the whole test.
  const cwd = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  const all: Record<string, SocketAnswer> = { ...found, ...answers }
  const server = await socketServer(join(cwd, 'admin.sock'), ({ method, path }) => {
    return all[`${method} ${path}`] ?? apiError(404, 'NotFound', `nothing at ${path}`)
  })
  t.teardown(() => server.close())
  const env = { PORTCULLIS_SOCKET: 'admin.sock' }
  const run = (line: string, input?: string) =>
    runCommand(line.split(' '), { cwd, env, ...(input === undefined ? {} : { input }) })
  const sent = () => server.requests.map(({ method, path, body }) => [method, path, body])
  return { run, sent }
}

t.test('user create sends what was said; a password comes from standard input only', async (t) => {
  const { run, sent } = await build(t, { 'POST /api/v2/users': { status: 201, json: user } })
  const made = await run(
    'user create ada@example.test --name Ada --tenant home --role owner --password-stdin',
    'a secret phrase\n',
  )
  t.equal(made.code, 0, made.err)
  t.match(JSON.stringify(sent().at(-1)), /"password":"a secret phrase"|\\"password\\":\\"a secret phrase\\"/)
  t.match(JSON.stringify(sent().at(-1)), /owner/)
  t.match(made.out, new RegExp(`user id +${userId}`))
  t.notMatch(made.out + made.err, /secret phrase/)
  t.equal((await run('user create ada@example.test')).code, 2, 'a name is needed')
  t.equal((await run('user create a@b.test --name A --role god')).code, 2)
  const nowhere = await run('user create a@b.test --name A --role owner')
  t.match(nowhere, { code: 2, err: /say which with --tenant/ })
  t.equal((await run('user create a@b.test --name A -o env')).out, `PORTCULLIS_USER_ID=${userId}\n`)
})

t.test('people are found by id or address, and whom nobody knows ends with 3', async (t) => {
  const { run } = await build(t, { 'GET /api/v2/users': { json: { value: [summary] } } })
  t.match((await run('user list')).out, /NAME +E-MAIL +USER ID +STATE +LAST SIGN-IN\nAda +ada@example\.test .* never/)
  t.match(
    (await run('user show ada@example.test')).out,
    /signs in by +password\nlanguage +as their browser says\nlast sign-in +never\nmember +.* owner/,
  )
  t.same(JSON.parse((await run(`user show ${userId.toUpperCase()} -o json`)).out), user)
  const nobody = await run('user show nobody@example.test')
  t.same([nobody.code, nobody.out], [3, ''])
  t.match(nobody.err, /There is no user "nobody@example\.test"/)
})

t.test('roles, states and sessions', async (t) => {
  const other = '7a1c1c3e-0000-4000-8000-0000000000bb'
  const path = `/api/v2/tenants/${tenantId}/memberships`
  const { run, sent } = await build(t, {
    [`GET /api/v2/users/${other}`]: { json: { ...user, userId: other, memberships: [] } },
    [`PATCH ${path}/${userId}`]: { json: user.memberships[0] },
    [`POST ${path}`]: { status: 201, json: user.memberships[0] },
    [`DELETE ${path}/${userId}`]: { status: 204 },
    [`PATCH /api/v2/users/${userId}`]: { json: user },
    [`POST /api/v2/users/${userId}/signOut`]: { status: 204 },
    [`DELETE /api/v2/users/${userId}`]: apiError(409, 'LastOwner', 'This person is the only owner of a tenant.'),
    [`GET /api/v2/sessions?userId=${userId}`]: {
      json: { value: [{ id: 'x', lastSeenAt: 'now', createdAt: 'then', address: '::1', userAgent: 'A browser' }] },
    },
  })
  const last = () => sent().at(-1)?.slice(0, 2).join(' ')
  t.equal((await run(`user set-role ${userId} --tenant home --role member --yes`)).code, 0)
  t.equal(last(), `PATCH ${path}/${userId}`)
  t.equal((await run(`user set-role ${other} --tenant home --role member --yes`)).code, 0)
  t.equal(last(), `POST ${path}`, 'a person who is no member becomes one')
  t.equal((await run(`user set-role ${userId} --tenant home --yes`)).code, 2)
  t.equal((await run(`user remove ${userId} --tenant home --yes`)).code, 0)
  t.match(await run('user disable ada@example.test --yes'), { code: 0, out: '', err: 'The user is disabled.\n' })
  t.match(await run('user enable ada@example.test'), { code: 0, err: 'The user is enabled.\n' })
  t.match(await run('user sign-out ada@example.test --yes'), { code: 0 })
  t.match(
    (await run('user sessions ada@example.test')).out,
    /LAST SEEN +SINCE +ADDRESS +BROWSER +SESSION\nnow +then +::1 +A browser +x/,
  )
  t.equal((await run('user make-operator ada@example.test')).code, 0)
  t.same(sent().at(-1)?.[2], { operator: true })
  t.equal((await run('user drop-operator ada@example.test --yes')).code, 0)
  t.match((await run('user set ada@example.test --email new@example.test')).out, /e-mail/)
  t.same(sent().at(-1)?.[2], { email: 'new@example.test' })
  t.equal((await run('user set ada@example.test')).code, 2)
  const refused = await run('user delete ada@example.test --yes')
  t.equal(refused.code, 1)
  t.match(refused.err, /only owner/)
})

t.test('a tenant, and who belongs to it', async (t) => {
  const ways = { ownSignIn: 'allowed', signInProviders: null, missingProviders: [] }
  const tenant = { tenantId, name: 'home', state: 'enabled', userConsent: 'administrators', createdAt: '', ...ways }
  const { run } = await build(t, {
    [`GET /api/v2/tenants/${tenantId}`]: { json: tenant },
    [`GET /api/v2/tenants/${tenantId}/memberships`]: { json: { value: user.memberships } },
    [`GET /api/v2/users?tenantId=${tenantId}`]: { json: { value: [summary] } },
  })
  t.match((await run('tenant show home')).out, /^tenant id +7a1c[\s\S]*^consent +by administrators only$/m)
  t.match((await run('tenant members home')).out, new RegExp(`^ada@example\\.test +owner +${userId}`, 'm'))
  t.equal((await run('tenant show elsewhere')).code, 3)
  t.equal((await run('tenant members')).code, 2)
})

t.test('a tenant takes clients that nobody registered of some hosts, of none, or as the server does', async (t) => {
  const ways = { ownSignIn: 'allowed', signInProviders: null, missingProviders: [], clientHosts: null }
  const tenant = { tenantId, name: 'home', state: 'enabled', userConsent: 'administrators', createdAt: '', ...ways }
  const { run, sent } = await build(t, { [`PATCH /api/v2/tenants/${tenantId}`]: { json: tenant } })
  const cases = [
    ['agent.example,other.example', ['agent.example', 'other.example'], 'agent.example, other.example'],
    [',', [], 'no host'],
    ['all', null, 'all hosts that the server takes'],
  ] as const
  for (const [hosts, clientHosts, words] of cases) {
    const { code, err } = await run(`tenant set home --client-hosts ${hosts} --yes`)
    t.equal(code, 0, err)
    t.match(err, `Clients that nobody registered are taken of ${words}.`)
    t.match(JSON.stringify(sent().at(-1)), JSON.stringify({ clientHosts }).slice(1, -1))
  }
})

t.test('a link goes to standard output, once, and not where it went by mail', async (t) => {
  const { run, sent } = await build(t, {
    'POST /api/v2/invitations': { status: 201, json: link },
    [`POST /api/v2/users/${userId}/passwordReset`]: { status: 201, json: { mailed: true, expiresAt: link.expiresAt } },
    'POST /api/v2/recoveryLinks': { status: 201, json: link },
    'POST /api/v2/setUpLinks': { status: 201, json: link },
  })
  const invited = await run('user invite cem@example.test --tenant home --role developer')
  t.match(invited.out, /^link +https:\/\/p\.test\/invitation\/pcl_ol_x$/m)
  t.notMatch(invited.err, /pcl_ol_/)
  t.match(JSON.stringify(sent().at(-1)), /developer/)
  const mailed = await run('user reset-password ada@example.test')
  t.match(mailed, { code: 0, err: 'The link went by mail.\n' })
  t.notMatch(mailed.out, /link/)
  t.match(
    (await run('user recover --tenant home --email ada@example.test -o env --yes')).out,
    /^PORTCULLIS_LINK=https:/,
  )
  t.equal((await run('user recover --tenant home --yes')).code, 2)
  const id = 'an-invitation'
  const pending = { id, tenantId, email: 'cem@example.test', role: 'developer', createdAt: '', expiresAt: 'then' }
  const kept = await build(t, {
    [`GET /api/v2/invitations?tenantId=${tenantId}`]: { json: { value: [pending] } },
    [`DELETE /api/v2/invitations/${id}`]: { status: 204 },
  })
  t.match((await kept.run('user invitations --tenant home')).out, /an-invitation +cem@example\.test +developer .* then/)
  t.match(await kept.run(`user uninvite ${id}`), { code: 0, out: '', err: /taken back/ })
  t.equal((await kept.run('user uninvite another')).code, 3)
  t.match((await run('set-up-link')).out, /pcl_ol_x/)
})
