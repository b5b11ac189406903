// `portcullis usage …` against a stand-in for the server: what it asks, what it prints, how it ends.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { apiError, runCommand, type SocketRequest, socketServer } from '../support/rooms/cli.js'

const applicationId = '7a1c1c3e-0000-4000-8000-000000000001'
const tenantId = '7a1c1c3e-0000-4000-8000-00000000000a'
const resource = 'https://api/api/v2'
const now = Date.now()
const ago = (days: number) => new Date(now - days * 86_400_000).toISOString()
const use = (id: string, more: object) => ({
  ...{ kind: 'application', resource, id, configured: true, consent: 'administrator', consentedAt: ago(100) },
  ...{ firstUsedAt: null, lastUsedAt: null, usesIn30Days: 0, usesIn90Days: 0, measured: true, unusedSince: ago(40.5) },
  ...{ unused: true, neededElsewhere: false, ...more },
})
const usage = {
  ...{ applicationId, tenantId, countedSince: ago(200), unusedAfterSeconds: 30 * 86_400 },
  value: [
    use('used', { unused: false, firstUsedAt: ago(90), lastUsedAt: ago(1), usesIn30Days: 7, usesIn90Days: 70 }),
    use('idle\u001b[2J', {}),
    use('young', { unused: false }),
    use('abroad', { neededElsewhere: true }),
    use('elsewhere', { measured: false, unused: false }),
    use('wanted', { consent: 'none', unused: false }),
  ],
  removable: [{ kind: 'application', resource, id: 'idle\u001b[2J' }],
}
const refused = { permission: 2, limit: 3, token: 4 }
const line = { key: '2026-11-20', allowed: 1, refused, errors: { client: 5, server: 6 } }
const calls = { applicationId, tenantId: null, from: '2026-10-22', to: '2026-11-20', by: 'day', value: [line] }

async function build(
  t: { teardown(work: () => unknown): void },
  removable: readonly object[] = usage.removable,
  counted: object = calls,
  operations: readonly object[] | undefined = undefined,
) {
  const cwd = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  const server = await socketServer(join(cwd, 'admin.sock'), ({ method, path }: SocketRequest) => {
    if (path === '/api/v2/applications/hello') return { json: { applicationId } }
    if (path === '/api/v2/tenants') return { json: { value: [{ tenantId, name: 'home', state: 'enabled' }] } }
    if (path.startsWith('/api/v2/usage')) return { json: counted }
    if (path.includes('/permissionUse')) return { json: { ...usage, removable, ...(operations && { operations }) } }
    if (method === 'POST' && path.endsWith('/removeUnused')) return { json: {} }
    return apiError(404, 'ApplicationNotFound', `nothing at ${path}`)
  })
  t.teardown(() => server.close())
  const env = { PORTCULLIS_SOCKET: 'admin.sock' }
  return { requests: server.requests, run: (line: string) => runCommand(line.split(' '), { cwd, env }) }
}

t.test('an application: a line for each permission, with what is known of it', async (t) => {
  const { requests, run } = await build(t)
  const { code, out } = await run('usage hello --tenant home')
  t.equal(code, 0)
  t.equal(requests.at(-1)?.path, `/api/v2/applications/${applicationId}/permissionUse?tenantId=${tenantId}`)
  for (const expected of [
    /^PERMISSION +KIND +RESOURCE +CONSENT +LAST USED +30 DAYS +90 DAYS +STATUS$/m,
    /^used +application +https:\S+ +administrator +\S+Z +7 +70 +in use$/m,
    /^young .* never +0 +0 +not used yet$/m,
    /^abroad .* needed in another tenant$/m,
    /^elsewhere .* not measured here$/m,
    /^wanted .* not consented to$/m,
  ])
    t.match(out, expected)
  t.match(out, /^idle\\u\{1b\}\[2J .* unused for 40 days$/m, 'nothing that a terminal would obey (X4)')
  t.same(JSON.parse((await run('usage hello -o json')).out), usage)
})

t.test('an agent: which tools it uses, and which only its permissions open', async (t) => {
  const operation = (name: string, usesIn30Days: number) => ({
    ...{ id: `/desk/mcp tools/call:${name}`, permissions: ['desk.write'], usesIn30Days, refusedIn30Days: 0 },
  })
  const many = Array.from({ length: 60 }, (_, i) => operation(`tool${i}`, 0))
  const { run } = await build(t, [], calls, [operation('list', 7), operation('close\u001b[2J', 0), ...many])
  const { err } = await run('usage hello')
  t.match(err, /^Of 62 operations of MCP servers that its permissions open, 1 were used in 30 days\.$/m)
  t.match(err, /^ {2}\/desk\/mcp tools\/call:close\\u\{1b\}\[2J {2}desk\.write$/m)
  t.match(err, /^ {2}and 11 more; all of them: -o json$/m)
  t.equal((await run('usage hello -o json')).err, '')
})

t.test('calls: of everything, of an application, by day or route, between days', async (t) => {
  const { requests, run } = await build(t)
  const { out } = await run('usage')
  t.match(out, /^DAY +ALLOWED +NO PERMISSION +LIMITED +TOKEN +4XX +5XX\n2026-11-20 +1 +2 +3 +4 +5 +6\n$/)
  t.equal(requests.at(-1)?.path, '/api/v2/usage?by=day')
  t.equal((await run('usage hello --by route --from 2026-11-01 --to 2026-11-02')).code, 0)
  t.equal(requests.at(-1)?.path, `/api/v2/usage?applicationId=${applicationId}&from=2026-11-01&to=2026-11-02&by=route`)
})

t.test('calls lately, of a route, and of routes by application with their names', async (t) => {
  const named = { ...line, key: 'GET /posts', applicationId, name: 'reader' }
  const recent = { ...calls, by: 'route,application', complete: false, slotSeconds: 60, value: [named] }
  const { requests, run } = await build(t, [], recent)
  const { out, err } = await run('usage --last 1h --by route,application')
  t.match(out, /^ROUTE +APPLICATION +ALLOWED .*\nGET \/posts +reader +1 +2 +3 +4 +5 +6\n$/)
  t.match(err, /this instance knows of/, 'it says that this is not all')
  t.equal(requests.at(-1)?.path, '/api/v2/usage?last=1h&by=route%2Capplication')
  await run('usage hello --last 24h')
  t.equal(requests.at(-1)?.path, `/api/v2/usage?applicationId=${applicationId}&last=24h&by=time`)
  await run('usage --by application --route GET')
  t.equal(requests.at(-1)?.path, '/api/v2/usage?route=GET&by=application')
})

t.test('taking away asks first, sends exactly what was shown, and says what was done', async (t) => {
  const { requests, run } = await build(t)
  const unasked = await run('usage hello --remove-unused')
  t.match(unasked, { code: 2, err: /--yes/ }, 'nobody is there to ask')
  t.notOk(requests.some(({ method }) => method === 'POST'))
  const { code, err } = await run('usage hello --remove-unused --yes')
  t.match({ code, err }, { code: 0, err: /^Removed application:idle/ })
  t.same(requests.find(({ method }) => method === 'POST')?.body, { permissions: usage.removable })
  const nothing = await build(t, [])
  t.match(await nothing.run('usage hello --remove-unused --yes'), { code: 0, err: /Nothing is known to be unused/ })
  t.notOk(nothing.requests.some(({ method }) => method === 'POST'))
})

t.test('wrong usage ends with 2, an application that there is not with 3', async (t) => {
  const { run } = await build(t)
  for (const line of [
    'usage --remove-unused',
    'usage hello --by route --remove-unused',
    'usage hello --from 2026-11-01',
    'usage hello --by week',
    'usage --last 2h',
    'usage --last 1h --from 2026-11-01',
    'usage hello --by pkce --last 1h',
    'usage hello -o env',
  ])
    t.equal((await run(line)).code, 2, line)
  t.equal((await run('usage nobody')).code, 3)
  t.equal((await run('usage hello --tenant nowhere')).code, 3)
})
