// What waits in a tenant, and how the server did lately: the numbers of the first page, for those whose business they
// are.

import t, { type Test } from 'tap'
import type { Overview } from '../../../src/management/overview/overview-schemas.js'
import { createUser } from '../../../src/users/accounts/users.js'
import { atPortal, openWorld } from '../../support/models/isolation.js'
import { ownResource } from '../../support/rooms/directory.js'
import { openManagement, refusal } from '../../support/rooms/management.js'

const dayMs = 86_400_000
const permissions = ['Application.Read.All', 'Usage.Read.All'].map((id) => ({
  kind: 'application' as const,
  resource: ownResource,
  id,
}))

async function open(t: Test) {
  const testApp = await openManagement(t)
  const world = await openWorld(testApp)
  const ask = async <Name extends 'applications' | 'people' | 'signIns' | 'unusedPermissions' | 'server'>(
    name: Name,
    query = '',
  ) => {
    const answer = await testApp.manage('GET', `/overview/${name}${query}`)
    return { answer, status: answer.statusCode, is: answer.json<Overview<Name>>() }
  }
  return { ...testApp, world, tenantId: world.tenantA, ask }
}

t.test('secrets that end, permissions that wait, permissions that nobody uses', async (t) => {
  const { registerDemo, manage, ask, tenantId, world, clock, caller, usage } = await open(t)
  const before = (await ask('applications', `?tenantId=${tenantId}`)).is
  const waits = (
    await manage('POST', '/applications', {
      name: 'Waits',
      type: 'web',
      tenantId,
      permissions,
      secretExpiresInDays: 20,
    })
  ).json<{ applicationId: string; secrets: { keyId: string }[] }>()
  const delegated = [{ kind: 'delegated', id: 'User.Read' }]
  await manage('POST', '/applications', { name: 'People decide', type: 'native', tenantId, permissions: delegated })
  const { registration } = await registerDemo({ name: 'Off', tenantId })
  await manage('PATCH', `/applications/${registration.applicationId}`, { state: 'disabled' })
  const { is } = await ask('applications', `?tenantId=${tenantId}`)
  t.match([is.enabled - before.enabled, is.disabled - before.disabled], [2, 1])
  t.same(is.endingSecrets.value, [
    {
      ...{
        applicationId: waits.applicationId,
        name: 'Waits',
        keyId: waits.secrets[0]?.keyId,
        label: is.endingSecrets.value[0]?.label,
      },
      ...{ endsAt: new Date(clock.nowMs + 20 * dayMs).toISOString(), replaced: false },
    },
  ])
  t.same(is.waitingForConsent.value, [{ applicationId: waits.applicationId, name: 'Waits', permissions: 2 }])
  await manage('POST', `/applications/${waits.applicationId}/secrets`, {})
  t.equal((await ask('applications')).is.endingSecrets.value[0]?.replaced, true, 'another one ends later')

  t.equal((await ask('unusedPermissions')).is.count, 0, 'nothing is unused that could not be used for so long')
  clock.nowMs += 31 * dayMs
  const used = await registerDemo({ name: 'Uses', tenantId, permissions })
  await manage('POST', `/applications/${waits.applicationId}/consents`, {})
  const principal = { kind: 'application', tenantId, resource: ownResource }
  const client = { ...principal, applicationId: used.registration.applicationId } as never
  clock.nowMs += 31 * dayMs
  usage.allowed(client, { id: 'GET /users' }, ['Usage.Read.All'])
  await usage.flush()
  const { is: unused } = await ask('unusedPermissions', `?tenantId=${tenantId}`)
  const of = (name: string) => unused.value.find((one) => one.name === name)?.permissions
  t.same([of('Uses'), of('Waits')], [1, 2])
  t.equal(
    (await ask('applications')).is.endingSecrets.value.some(({ name }) => name === 'Waits'),
    false,
    'it has ended',
  )

  caller.principal = atPortal(world.a.developer, tenantId)
  const mine = (await manage('POST', '/applications', { name: 'Mine', type: 'web' })).json<{ applicationId: string }>()
  const { is: own } = await ask('applications')
  t.same(own.owned, [{ applicationId: mine.applicationId, name: 'Mine', state: 'enabled' }])
})

t.test('people without a second factor, owners first, and sign-ins that failed', async (t) => {
  const { ask, tenantId, world, clock, deps, store } = await open(t)
  const { is } = await ask('people', `?tenantId=${tenantId}`)
  t.equal(is.withoutSecondFactor.count, is.people)
  t.equal(is.withoutSecondFactor.value[0]?.role, 'owner')
  await store.transaction(async (tx) => {
    await tx.updateTable('users').set({ totp_secret: 'sealed' }).where('id', '=', world.a.owner).execute()
  })
  const later = (await ask('people', `?tenantId=${tenantId}`)).is
  t.same([later.people, later.withoutSecondFactor.count], [is.people, is.people - 1])
  t.notOk(later.withoutSecondFactor.value.some(({ role }) => role === 'owner'))

  const elsewhere = await createUser(deps.users, {
    ...{ email: 'bob@b.test', name: 'Bob', membership: { tenantId: world.tenantB, role: 'member' as const } },
  })
  const fail = async (userId: string | null, at: number, where?: string) => {
    const id = `${userId}-${at}-${Math.random()}`
    const row = { id, at, event: 'user.sign-in-failed', tenant_id: null, application_id: null, user_id: userId }
    await store.transaction(async (tx) => {
      const more = { request_id: null, address: '127.0.0.1', details: '{}' }
      await tx
        .insertInto('activity')
        .values({ ...row, ...more })
        .execute()
      if (where === undefined) return
      await tx.insertInto('activity_members').values({ tenant_id: where, at, id, limited: 0 }).execute()
    })
  }
  for (const ago of [1_000, 2_000, 2 * 3_600_000]) await fail(world.a.member, clock.nowMs - ago, tenantId)
  await fail(world.a.owner, clock.nowMs - 3_000, tenantId)
  await fail(elsewhere.userId, clock.nowMs - 4_000, world.tenantB)
  await fail(null, clock.nowMs - 5_000)
  const hour = (await ask('signIns', `?last=1h&tenantId=${tenantId}`)).is
  t.match(hour, { slotSeconds: 60, count: 3, people: [{ userId: world.a.member, failed: 2 }, { failed: 1 }] })
  t.same([hour.value.length, hour.value.reduce((sum, { failed }) => sum + failed, 0)], [60, 3])
  t.match((await ask('signIns', `?tenantId=${tenantId}`)).is, { slotSeconds: 900, count: 4 })
  t.equal((await ask('signIns')).is.count, 6, 'the local socket sees those of everybody, and of nobody')
})

t.test('the server: requests with errors and latencies, limits, certificate and dead letters', async (t) => {
  const { ask, metrics, clock } = await open(t)
  const empty = (await ask('server', '?last=1h')).is
  t.match(empty, {
    complete: true,
    slotSeconds: 60,
    events: { waiting: 0, oldestAt: null, deadLetters: 0, webhooks: [] },
  })
  t.equal(empty.certificateEndsAt, new Date(clock.nowMs + 40 * dayMs).toISOString())
  t.same([empty.value.length, empty.p95Ms === null || empty.p95Ms > 0], [60, true])
  const answered = (route: string, code: string, source: string, times: number, seconds: number) => {
    metrics.httpRequests.labels(route, 'GET', code, source).inc(times)
    for (let i = 0; i < times; i += 1) metrics.httpDuration.labels(route, 'GET').observe(seconds)
  }
  answered('GET /posts', '200', 'upstream', 90, 0.02)
  answered('GET /posts', '502', 'upstream', 6, 0.2)
  answered('GET /posts', '503', 'portcullis', 1, 0.2)
  answered('POST /posts', '403', 'portcullis', 30, 0.001)
  metrics.limitDecisions.labels('few', 'refused').inc(2)
  metrics.authDecisions.labels('POST /posts', 'denied', 'missing_permission').inc(30)
  const { is } = await ask('server')
  const route = is.routes.find((one) => one.route === 'GET /posts')
  t.match(route, { requests: 97, clientErrors: 0, serviceErrors: 6, ownErrors: 1 })
  t.ok((route?.p50Ms ?? 0) > 5 && (route?.p50Ms ?? 0) <= 25, `${route?.p50Ms} ms`)
  t.ok((route?.p95Ms ?? 0) > 50, `${route?.p95Ms} ms`)
  t.match(is, { limited: [{ name: 'few', count: 2 }], refused: [{ name: 'missing_permission', count: 30 }] })
  t.ok(is.requests >= 127 && is.value.length === 96)
  t.match(is.value.at(-1), { serviceErrors: 6, ownErrors: 1 })
})

t.test('U2 each is for those whose business it is, and of their own tenant', async (t) => {
  const { ask, manage, world, tenantId, caller } = await open(t)
  const statuses = async () => {
    const found: Record<string, number> = {}
    for (const name of ['applications', 'unusedPermissions', 'people', 'signIns', 'server'] as const) {
      found[name] = (await ask(name)).status
    }
    return Object.values(found)
  }
  t.same(await statuses(), [200, 200, 200, 200, 200], 'the local socket')
  caller.principal = atPortal(world.a.member, tenantId)
  t.same(await statuses(), [403, 403, 403, 403, 403], 'a member')
  caller.principal = atPortal(world.a.developer, tenantId)
  t.same(await statuses(), [200, 200, 403, 403, 403], 'a developer')
  caller.principal = atPortal(world.a.owner, tenantId)
  t.same(await statuses(), [200, 200, 200, 200, 403], 'an owner')
  for (const name of ['applications', 'unusedPermissions', 'people', 'signIns']) {
    const elsewhere = await manage('GET', `/overview/${name}?tenantId=${world.tenantB}`)
    t.match(refusal(elsewhere), { status: 404, code: 'TenantNotFound' }, name)
  }
  caller.principal = atPortal(world.operatorOfB, world.tenantB)
  t.same(await statuses(), [200, 200, 200, 200, 200], 'an operator, in a tenant of theirs')
  const { is } = await ask('people')
  t.equal(
    is.withoutSecondFactor.value.some(({ userId }) => userId === world.a.owner),
    false,
  )
  t.match(refusal(await manage('GET', '/overview/server?last=2h')), { status: 400 })
  t.match(refusal(await manage('GET', '/overview/applications?$top=1')), { status: 400 })
})
