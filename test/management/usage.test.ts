// What applications use, over the management API: permissions against their use, calls by day and route, taking away
// what is not used, and secrets that are exchanged and end.

import t, { type Test } from 'tap'
import type { TokenPrincipal } from '../../src/access/principal.js'
import type { RouteSettings } from '../../src/config/settings/route-settings.js'
import { reportEndingSecrets } from '../../src/directory/credentials/ending-secrets.js'
import { grantConsent } from '../../src/directory/permissions/permissions.js'
import { csvLine } from '../../src/management/billing/usage-csv.js'
import type { PermissionUseAnswer } from '../../src/management/permissions/usage-schemas.js'
import { listLedger } from '../../src/storage/sql/ledger/ledger-entries.js'
import { atPortal, openWorld, withToken } from '../support/models/isolation.js'
import { consentTo } from '../support/rooms/delegation.js'
import { ownResource } from '../support/rooms/directory.js'
import { readToken } from '../support/rooms/identity.js'
import { openManagement, refusal } from '../support/rooms/management.js'
import { upstreamSettings } from '../support/settings/upstream-settings.js'

const dayMs = 86_400_000
const tokenPath = '/api/v2/oauth2/v2.0/token'
const position = { file: 'test', line: 1, column: 1 }
const of = (id: string, kind: 'application' | 'delegated' = 'application') => ({ kind, resource: ownResource, id })
const target = { kind: 'url', origin: 'http://127.0.0.1:9', basePath: '' } as const
const upstream = upstreamSettings('things', { target, position })
const route = (path: string, permission: string): RouteSettings => ({
  ...{ id: `GET ${path}`, path, methods: new Map([['GET', { anyOf: [[permission]] }]]), resource: ownResource },
  ...{ upstream: 'things', limits: [], bodyBytes: 1, stream: false, onStale: 'refuse', position },
})
const me = { id: 'GET /api/v2/me' }

async function open(t: Test, more: readonly RouteSettings[] = []) {
  const plain = [route('/api/v2/me', 'User.Read.All'), route('/api/v2/subscriptions', 'Subscription.Read.All')]
  const routes = [...plain, ...more]
  const testApp = await openManagement(t, { routes, upstreams: new Map([['things', upstream]]) })
  const world = await openWorld(testApp)
  const { tenantA: tenantId } = world
  const permissions = ['User.Read.All', 'Subscription.ReadWrite.All', 'assets_read'].map((id) => of(id))
  const made = await testApp.registerDemo({ name: 'measured', tenantId, permissions, audience: 'any' })
  const { applicationId } = made.registration
  const call = (permission: string, times = 1, where = tenantId, to = me) => {
    const ids = { applicationId, tenantId: where, resource: ownResource }
    const principal = { kind: 'application', ...ids } as unknown as TokenPrincipal
    for (let i = 0; i < times; i += 1) testApp.usage.allowed(principal, to, [permission])
    return principal
  }
  const useOf = async (query = '') =>
    (await testApp.manage('GET', `/applications/${applicationId}/permissionUse${query}`)).json<PermissionUseAnswer>()
  const remove = (permissions: unknown, more: object = {}) =>
    testApp.manage('POST', `/applications/${applicationId}/removeUnused`, { permissions, ...more })
  const refusedFor = (token: string) => {
    const { jti, cid, seq } = readToken(token).claims as { jti: string; cid: string; seq: number }
    return testApp.view.refusal({ jti, credentialId: cid, applicationId, tenantId, seq }, testApp.clock.nowMs)
  }
  // What was counted before the tables were there is not known: they are as old as this process.
  testApp.clock.nowMs = Date.now() + dayMs
  return { ...testApp, world, tenantId, made, applicationId, call, useOf, remove, refusedFor }
}

const ids = (permissions: readonly { id: string }[]) => permissions.map(({ id }) => id)
const byId = (answer: PermissionUseAnswer) => Object.fromEntries(answer.value.map((one) => [one.id, one]))

t.test('an agent: which tools its permissions open, and which of them it uses', async (t) => {
  const need = (...all: string[]) => ({ needs: { anyOf: [all] } })
  const mcp: NonNullable<RouteSettings['mcp']> = {
    versions: new Set(['2026-07-28'] as const),
    list: 'acquirable',
    first: { anyOf: [['User.Read.All']] },
    tools: new Map([
      ['find', need('User.Read.All')],
      ['list', need('Subscription.Read.All')],
      ['both', need('User.Read.All', 'assets_read')],
      ['write', need('User.ReadWrite.All')],
    ]),
    prompts: new Map([['greet', need('assets_read')]]),
    resources: new Map(),
  }
  const methods = new Map([['POST', mcp.first]])
  const desk = { ...route('/desk/mcp', 'User.Read.All'), id: '/desk/mcp', mcp, methods }
  const { usage, call, useOf, clock } = await open(t, [desk])
  const principal = call('User.Read.All', 3, undefined, { id: '/desk/mcp tools/call:find' })
  for (let i = 0; i < 2; i += 1) usage.refused(principal, '/desk/mcp tools/call:write', 403)
  usage.refused(principal, '/desk/mcp tools/call:list', 403)
  await usage.flush()
  const answer = await useOf()
  const none = { usesIn30Days: 0, refusedIn30Days: 0 }
  t.same(answer.operations, [
    { id: '/desk/mcp tools/call:find', permissions: ['User.Read.All'], ...none, usesIn30Days: 3 },
    { id: '/desk/mcp tools/call:list', permissions: ['Subscription.ReadWrite.All'], ...none, refusedIn30Days: 1 },
    { id: '/desk/mcp tools/call:both', permissions: ['User.Read.All', 'assets_read'], ...none },
    { id: '/desk/mcp prompts/get:greet', permissions: ['assets_read'], ...none },
  ])
  clock.nowMs += 31 * dayMs
  const later = await useOf()
  t.same(
    later.operations.map(({ usesIn30Days }) => usesIn30Days),
    [0, 0, 0, 0],
  )
  t.match(
    byId(later)['assets_read'],
    { measured: true, unused: true },
    'only tools need it, and it is known to be unused',
  )
})

t.test('each permission: consented, first and last used, uses, and since when it is unused', async (t) => {
  const { clock, usage, call, useOf, applicationId, tenantId } = await open(t)
  call('User.Read.All', 3)
  await usage.flush()
  const firstUse = clock.nowMs
  const fresh = await useOf()
  t.match(fresh, { applicationId, tenantId, unusedAfterSeconds: 30 * 86_400, removable: [] }, 'nothing is unused yet')
  clock.nowMs += 29 * dayMs
  call('User.Read.All', 2)
  await usage.flush()
  clock.nowMs += dayMs
  const answer = await useOf()
  const { 'User.Read.All': read, 'Subscription.ReadWrite.All': write, assets_read: elsewhere } = byId(answer)
  t.match(read, { configured: true, consent: 'administrator', measured: true, unused: false, neededElsewhere: false })
  t.equal(read?.firstUsedAt, new Date(firstUse).toISOString())
  t.equal(read?.lastUsedAt, new Date(firstUse + 29 * dayMs).toISOString())
  t.same([read?.usesIn30Days, read?.usesIn90Days], [2, 5])
  t.match(write, { measured: true, unused: true, firstUsedAt: null, lastUsedAt: null, usesIn90Days: 0 })
  t.match(elsewhere, { measured: false, unused: false, unusedSince: null }, 'no route here asks for it: nobody knows')
  t.same(ids(answer.removable), ['Subscription.ReadWrite.All'])
  clock.nowMs += 100 * dayMs
  const later = await useOf()
  t.match(byId(later)['User.Read.All'], { unused: true, usesIn30Days: 0, usesIn90Days: 0 })
  t.same(ids(later.removable), ['Subscription.ReadWrite.All', 'User.Read.All'])
})

t.test('what a person alone allowed counts as consented; what nobody allowed is not called unused', async (t) => {
  const { clock, deps, useOf, manage, applicationId, tenantId, world } = await open(t)
  const read = of('User.Read.All', 'delegated')
  await manage('PUT', `/applications/${applicationId}/permissions`, {
    permissions: [of('User.Read.All'), read, of('Subscription.Read.All', 'delegated')],
  })
  await consentTo(deps, { userId: world.a.member, applicationId, tenantId, permissions: [read.id, 'openid'] })
  clock.nowMs += 40 * dayMs
  const delegated = (await useOf()).value.filter(({ kind }) => kind === 'delegated')
  t.match(delegated, [
    { id: 'Subscription.Read.All', consent: 'none', unused: false, consentedAt: null },
    { id: 'User.Read.All', consent: 'people', unused: true },
  ])
  t.equal(delegated.length, 2, 'the words of OpenID Connect are no permissions of an API')
})

t.test('U2 each tenant sees its own use; what another one needs stays', async (t) => {
  const { clock, usage, call, useOf, remove, caller, world, writes, manage, applicationId, tenantId } = await open(t)
  const { tenantB, ownerOfB, a } = world
  const inB = { tenantId: tenantB, permissions: [of('Subscription.ReadWrite.All')], by: 'test' }
  clock.nowMs += 40 * dayMs
  caller.principal = atPortal(ownerOfB, tenantB)
  t.equal((await manage('GET', `/applications/${applicationId}/permissionUse`)).statusCode, 404, 'not installed there')
  await grantConsent(writes, applicationId, inB)
  call('Subscription.ReadWrite.All', 4, tenantB)
  await usage.flush()
  const useInB = await useOf()
  t.match(useInB, { tenantId: tenantB, value: [{ id: 'Subscription.ReadWrite.All', usesIn30Days: 4 }], removable: [] })
  t.equal(useInB.value.length, 1, 'only what was consented to there')
  t.equal((await manage('GET', `/applications/${applicationId}/permissionUse?tenantId=${tenantId}`)).statusCode, 404)
  t.match((await manage('GET', '/usage')).json(), { tenantId: tenantB, value: [{ allowed: 4 }] })
  t.match(refusal(await remove([of('Subscription.ReadWrite.All')])), { status: 404, code: 'ApplicationNotFound' })
  caller.principal = atPortal(a.administrator, tenantId)
  const useInA = byId(await useOf())['Subscription.ReadWrite.All']
  t.match(useInA, { unused: true, usesIn30Days: 0, neededElsewhere: true })
  t.same(ids((await useOf()).removable), ['User.Read.All'])
  t.match(refusal(await remove([of('Subscription.ReadWrite.All')])), { status: 409, code: 'PermissionInUse' })
  t.match((await manage('GET', '/usage')).json(), { tenantId, value: [] })
})

t.test('removing the unused: in every consent at once, with its rows in the ledger, or not at all', async (t) => {
  const { clock, store, usage, call, useOf, remove, made, post, refusedFor, applicationId, tenantId } = await open(t)
  clock.nowMs += 40 * dayMs
  const credential = { client_id: applicationId, client_secret: made.secret }
  const tokenFor = async (scope: string) =>
    (await post(tokenPath, { ...credential, grant_type: 'client_credentials', scope })).json()
  const token = (await tokenFor('default')).access_token
  t.same(ids((await useOf()).removable), ['Subscription.ReadWrite.All', 'User.Read.All'])
  call('User.Read.All')
  const both = [of('Subscription.ReadWrite.All'), { kind: 'application', id: 'User.Read.All' }]
  t.match(refusal(await remove(both)), { status: 409, code: 'PermissionInUse', message: /User\.Read\.All/ })
  t.equal((await useOf()).value.length, 3, 'a use that was not even written keeps all')
  for (const body of [[], 'all', [{ kind: 'both', id: 'x' }], [{ id: 'x' }], undefined])
    t.match(refusal(await remove(body)), { status: 400, code: 'InvalidRequest' })
  t.match(refusal(await remove(both, { force: true })), { status: 400, code: 'InvalidRequest' })
  t.match(refusal(await remove([of('assets_read')])), { status: 409 }, 'nobody knows whether it is used')
  t.equal(refusedFor(token), undefined)

  const answer = await remove([of('Subscription.ReadWrite.All')])
  t.equal(answer.statusCode, 200)
  t.same(ids(answer.json().permissions), ['User.Read.All', 'assets_read'])
  t.same(ids(answer.json().consents[0].permissions), ['User.Read.All', 'assets_read'])
  t.equal(refusedFor(token), 'application_revoked')
  t.match(await tokenFor('default'), { scope: 'default User.Read.All assets_read' })
  t.match(await tokenFor('Subscription.ReadWrite.All'), { error: 'invalid_scope' })
  const rows = await listLedger(store.reader, { order: 'newest', filter: { applicationId, tenantId }, limit: 2 })
  t.match(rows, [{ event: 'admin-consent.withdrawn' }, { event: 'application.permissions-configured' }])
  const again = await remove([of('Subscription.ReadWrite.All')])
  t.equal(again.statusCode, 200, 'who comes second finds it done')
  t.equal(
    (await listLedger(store.reader, { order: 'newest', filter: { applicationId }, limit: 1 }))[0]?.position,
    rows[0]?.position,
  )
  await usage.flush()
})

t.test('calls by day and by route; mistakes in the question are reported', async (t) => {
  const { clock, usage, call, manage, applicationId, tenantId } = await open(t)
  const principal = call('User.Read.All', 2)
  usage.refused(principal, 'GET /api/v2/subscriptions', 403)
  await usage.flush()
  const first = new Date(clock.nowMs).toISOString().slice(0, 10)
  clock.nowMs += dayMs
  call('User.Read.All').uses?.latest.failed(503)
  usage.refused(principal, me.id, 429)
  await usage.flush()
  const second = new Date(clock.nowMs).toISOString().slice(0, 10)
  const ask = async (query: string) => (await manage('GET', `/usage?${query}`)).json()
  const none = { permission: 0, limit: 0, token: 0 }
  const days = await ask('applicationId=measured')
  t.match(days, { applicationId, tenantId: null, by: 'day', to: second })
  t.same(days.value, [
    { key: first, allowed: 2, refused: { ...none, permission: 1 }, errors: { client: 0, server: 0 } },
    { key: second, allowed: 1, refused: { ...none, limit: 1 }, errors: { client: 0, server: 1 } },
  ])
  const routes = await ask(`by=route&tenantId=${tenantId}`)
  t.match(routes.value, [
    { key: me.id, allowed: 3 },
    { key: 'GET /api/v2/subscriptions', allowed: 0 },
  ])
  t.match(await ask(`from=${second}&to=${second}`), { from: second, to: second, value: [{ key: second }] })
  const refused = async (query: string) => refusal(await manage('GET', `/usage?${query}`))
  for (const query of ['by=week', 'from=yesterday', `from=2026-02-30`, 'from=2026-02-02&to=2026-02-01', 'top=1'])
    t.match(await refused(query), { status: 400, code: 'InvalidRequest' }, query)
  t.match(await refused('applicationId=nobody'), { status: 404, code: 'ApplicationNotFound' })
  t.match(await refused('tenantId=nowhere'), { status: 404, code: 'TenantNotFound' })
})

t.test(
  'an application without Usage.Read.All reads its own usage and nothing else; a person needs the role',
  async (t) => {
    const { world, usage, call, caller, manage, applicationId, tenantId } = await open(t)
    call('User.Read.All', 5)
    await usage.flush()
    const own = { ...withToken(world, tenantId, []), applicationId } as TokenPrincipal
    caller.principal = own
    t.match((await manage('GET', '/usage')).json(), { applicationId, tenantId, value: [{ allowed: 5 }] })
    t.equal((await manage('GET', `/usage?applicationId=${applicationId.toUpperCase()}`)).statusCode, 200)
    for (const query of ['applicationId=measured', `applicationId=${tenantId}`, `tenantId=${world.tenantB}`])
      t.equal((await manage('GET', `/usage?${query}`)).statusCode, 404, query)
    t.equal((await manage('GET', `/applications/${applicationId}/permissionUse`)).statusCode, 403)
    caller.principal = { ...own, resource: 'https://things.test' } as TokenPrincipal
    t.equal((await manage('GET', '/usage')).statusCode, 403, 'a token for another API')
    caller.principal = withToken(world, tenantId, ['User.Read.All'], world.a.owner)
    t.equal((await manage('GET', '/usage')).statusCode, 403, 'a person through an application that may not')
    caller.principal = withToken(world, tenantId, ['Usage.Read.All'])
    t.match((await manage('GET', '/usage')).json(), { applicationId: null, tenantId, value: [{ allowed: 5 }] })
    caller.principal = atPortal(world.a.member, tenantId)
    t.equal((await manage('GET', '/usage')).statusCode, 403)
    caller.principal = atPortal(world.a.developer, tenantId)
    t.equal((await manage('GET', '/usage')).statusCode, 200)
  },
)

t.test('what is called here counts too: a management permission that is used is not unused', async (t) => {
  const { world, usage, clock, caller, manage, tenantId, registerDemo } = await open(t)
  const permissions = ['Application.Read.All', 'Tenant.Read.All'].map((id) => of(id))
  const { registration } = await registerDemo({ name: 'manager', tenantId, permissions })
  const { applicationId } = registration
  clock.nowMs += 40 * dayMs
  const token = withToken(world, tenantId, ['Application.Read.All', 'Tenant.Read.All'])
  caller.principal = { ...token, applicationId } as TokenPrincipal
  t.equal((await manage('GET', '/applications')).statusCode, 200)
  t.equal((await manage('GET', '/users')).statusCode, 403)
  await usage.flush()
  caller.principal = { kind: 'local' }
  const answer: PermissionUseAnswer = (await manage('GET', `/applications/${applicationId}/permissionUse`)).json()
  t.same(ids(answer.removable), ['Tenant.Read.All'])
  t.match((await manage('GET', `/usage?applicationId=${applicationId}&by=route`)).json().value, [
    { key: 'management /api/v2/applications', allowed: 1 },
    { key: 'management /api/v2/users', allowed: 0, refused: { permission: 1 } },
  ])
})

t.test('K3 rotation with an overlap: which secret was used last, when it is safe to delete, and its end', async (t) => {
  const { clock, directory, manage, post, made, applicationId } = await open(t)
  const tokenWith = async (client_secret: string) =>
    (
      await post(tokenPath, {
        client_id: applicationId,
        client_secret,
        grant_type: 'client_credentials',
        scope: 'default',
      })
    ).statusCode
  const secretsNow = async () => {
    await directory.flush()
    const { secrets } = (await manage('GET', `/applications/${applicationId}`)).json()
    return Object.fromEntries(secrets.map((one: { keyId: string }) => [one.keyId, one]))
  }
  const old = made.keyId
  t.equal(await tokenWith(made.secret), 200)
  t.match((await secretsNow())[old], { safeToDelete: false }, 'the only one')
  const body = { rotate: true, overlapSeconds: 3 * 86_400, label: 'second' }
  const next = (await manage('POST', `/applications/${applicationId}/secrets`, body)).json()
  const endsAt = clock.nowMs + 3 * dayMs
  t.match(await secretsNow(), {
    [next.keyId]: { lastUsedAt: null, safeToDelete: false },
    [old]: { safeToDelete: false },
  })
  clock.nowMs += dayMs / 2
  t.same([await tokenWith(made.secret), await tokenWith(next.clientSecret)], [200, 200], 'both work')
  const half = new Date(Math.floor(clock.nowMs / 60_000) * 60_000).toISOString()
  t.match(await secretsNow(), { [old]: { lastUsedAt: half }, [next.keyId]: { lastUsedAt: half } })
  clock.nowMs += dayMs / 2
  t.equal(await tokenWith(next.clientSecret), 200)
  t.match((await secretsNow())[old], { safeToDelete: false }, 'a client that comes once a day may still have it')
  clock.nowMs += dayMs
  t.equal(await tokenWith(next.clientSecret), 200)
  const settled = await secretsNow()
  t.ok(settled[next.keyId].lastUsedAt > settled[old].lastUsedAt)
  t.match(settled, { [old]: { safeToDelete: true }, [next.keyId]: { safeToDelete: false } })
  clock.nowMs = endsAt - 10_000
  t.equal(await tokenWith(made.secret), 200, 'to the end')
  t.match((await secretsNow())[old], { safeToDelete: false }, 'and somebody did have it')
  clock.nowMs = endsAt
  t.same([await tokenWith(made.secret), await tokenWith(next.clientSecret)], [401, 200], 'the old one ends on time')
  t.match(await secretsNow(), { [old]: { safeToDelete: true }, [next.keyId]: { safeToDelete: false } })
})

t.test('K3 secret.expiring is said once at 30, 7 and 1 days, and counted for the metric', async (t) => {
  const { clock, store, writes, manage, registerDemo, tenantId } = await open(t)
  const start = clock.nowMs
  await manage('PATCH', '/applications/measured', { state: 'disabled' })
  const { registration, keyId } = await registerDemo({ name: 'ending', tenantId, secret: { lifetimeMs: 100 * dayMs } })
  const { applicationId } = registration
  const short = { label: 'short', expiresInDays: 5 }
  const shortKey = (await manage('POST', `/applications/${applicationId}/secrets`, short)).json().keyId
  const report = async () => {
    const deps = { store, ledger: writes.ledger, actor: { kind: 'system' } as const, nowMs: clock.nowMs }
    const [windows] = await Promise.all([reportEndingSecrets(deps), reportEndingSecrets(deps)])
    return [windows.get(7), windows.get(30)]
  }
  const said = async () => {
    const filter = { event: 'secret.expiring', applicationId }
    const rows = await listLedger(store.reader, { order: 'oldest', filter, limit: 100 })
    return rows.map(({ details }) => JSON.parse(details)).map((one) => [one.keyId, one.days])
  }
  t.same(await report(), [1, 1], 'a secret that was made for five days is counted')
  t.same(await said(), [], 'but nobody hears of what they have just made')
  clock.nowMs = start + 4 * dayMs + 1
  await report()
  t.same(await said(), [[shortKey, 1]])
  const reports = [[shortKey, 1]]
  for (const [days, expected] of [
    [69, [0, 0]],
    [70, [0, 1]],
    [90, [0, 1]],
    [93, [1, 1]],
    [99, [1, 1]],
    [99.9, [1, 1]],
    [100, [0, 0]],
  ] as const) {
    clock.nowMs = start + days * dayMs
    t.same(await report(), expected, `day ${days}`)
    if ([70, 93, 99].includes(days)) reports.push([keyId, 100 - days])
    t.same(await said(), reports, `day ${days}`)
  }
  const [row] = await listLedger(store.reader, { order: 'newest', filter: { event: 'secret.expiring' }, limit: 1 })
  t.match(row, { tenant_id: tenantId, application_id: applicationId, actor: '{"kind":"system"}' })
  t.match(JSON.parse(row?.details ?? ''), { keyId, days: 1, endsAt: start + 100 * dayMs })
})

t.test('the export of a month adds up to the usage, and no cell of its CSV is a formula', async (t) => {
  const { manage, call, applicationId, clock, caller, world, tenantId, registerDemo, usage } = await open(t)
  const evil = await registerDemo({ name: '=SUM(A1,"B2")', tenantId, permissions: [of('User.Read.All')] })
  const ids = { applicationId: evil.registration.applicationId, tenantId, resource: ownResource }
  const principal = { kind: 'application', ...ids } as unknown as TokenPrincipal
  for (const [day, times] of [
    ['2026-11-01', 3],
    ['2026-11-30', 4],
    ['2026-12-01', 100],
  ] as const) {
    clock.nowMs = Date.parse(`${day}T12:00:00Z`)
    call('User.Read.All', times)
    call('User.Read.All', 1, world.tenantB)
    usage.allowed(principal, { id: 'GET /api/v2/subscriptions' }, ['Subscription.Read.All'])
    usage.allowed(principal, me, ['User.Read.All'])?.failed(500)
    await usage.flush()
  }
  type Line = { applicationId: string; allowed: number; errors: { server: number }; route?: string; day: string }
  const exported = async (query: string): Promise<Line[]> =>
    (await manage('GET', `/usage/export?${query}`)).json().value
  const sum = (lines: readonly Line[]) => lines.reduce((total, { allowed }) => total + allowed, 0)
  const all = await exported('month=2026-11')
  const counted = (await manage('GET', '/usage?from=2026-11-01&to=2026-11-30&by=application')).json().value
  t.equal(sum(all), 13, 'calls of November')
  t.equal(sum(all), sum(counted))
  t.equal(sum(all.filter((line) => line.applicationId === applicationId)), 9)
  t.equal(all.length, 6, 'a line for each day, application and tenant')
  t.equal(
    all.reduce((total, { errors }) => total + errors.server, 0),
    2,
  )
  const byRoute = await exported('month=2026-11&by=route')
  t.equal(sum(byRoute), 13)
  t.equal(byRoute.length, 8)
  t.equal(sum(await exported(`month=2026-11&applicationId=${applicationId}&tenantId=${world.tenantB}`)), 2)
  const csv = (await manage('GET', '/usage/export.csv?month=2026-11')).body
  const [heading, ...rows] = csv.trimEnd().split('\r\n')
  t.match(heading, /^day,tenantId,tenant,applicationId,application,plan,route,allowed,/)
  t.equal(rows.length, 6)
  t.equal(rows.filter((row) => row.includes(`,"'=SUM(A1,""B2"")",`)).length, 2)
  t.same(
    rows.map((row) => Number(/,(\d+),\d+,\d+,\d+,\d+,\d+$/.exec(row)?.[1])),
    all.map(({ allowed }) => allowed),
  )
  caller.principal = atPortal(world.ownerOfB, world.tenantB)
  t.equal(sum(await exported('month=2026-11')), 2, 'an owner has what was called in their tenant')
  t.equal((await manage('GET', `/usage/export?tenantId=${tenantId}`)).statusCode, 404)
  for (const month of ['2026-13', '2026-1', 'x']) {
    t.equal((await manage('GET', `/usage/export?month=${month}`)).statusCode, 400, month)
  }
  t.same(await exported('month=2026-10'), [])
})

t.test('what a spreadsheet would take for a formula begins with an apostrophe', async (t) => {
  const of = (application: string) =>
    csvLine({
      ...{ day: '2026-11-01', tenantId: 't', tenant: null, applicationId: 'a', application, plan: null, allowed: 1 },
      ...{ refused: { permission: 0, limit: 0, token: 0 }, errors: { client: 0, server: 0 } },
    }).split(',')[4]
  for (const bad of ['=1', '+1', '-1', '@SUM', '\t=1', ' =1', '\uff1d1', '\uff0b1', '\uff0d1', '\uff201']) {
    t.match(of(bad), /^"?'/, JSON.stringify(bad))
  }
  t.equal(of('Travel desk'), 'Travel desk')
  t.equal(of('a"b'), '"a""b"')
  t.equal(of('a\r\n=1'), '"a\r\n=1"')
})
