// Requesting access for an application: in one step permissions are listed and consent is requested; nobody gives
// themselves anything by it, and nobody fills the list of the administrators.

import t, { type Test } from 'tap'
import { addOwner } from '../../../src/directory/applications/owners.js'
import { decideRequest, fileConsentRequest } from '../../../src/directory/consents/consent-requests.js'
import { withdrawRequest } from '../../../src/directory/consents/request-withdrawal.js'
import { write } from '../../../src/directory/writes.js'
import type { ApplicationRequests, RequestedAccessAnswer } from '../../../src/management/consents/access-requests.js'
import { atPortal, openWorld, withToken } from '../../support/models/isolation.js'
import { ownResource } from '../../support/rooms/directory.js'
import { openManagement, refusal } from '../../support/rooms/management.js'

const of = (id: string, kind: 'application' | 'delegated' = 'application') => ({ kind, id })
const full = (id: string, kind: 'application' | 'delegated' = 'application') => ({ kind, resource: ownResource, id })

const grantsOf = ({ consents }: { consents: { permissions: unknown[] }[] }) =>
  consents.flatMap(({ permissions }) => permissions)

async function open(t: Test) {
  const testApp = await openManagement(t)
  const world = await openWorld(testApp)
  const { tenantA: tenantId, a } = world
  const made = await testApp.registerDemo({ name: 'travel', tenantId, permissions: [], consentBy: undefined as never })
  const { applicationId } = made.registration
  await addOwner(testApp.writes, applicationId, { kind: 'user', ownerId: a.developer })
  const path = `/applications/${applicationId}/consentRequests`
  const as = (userId: string, where = tenantId) => {
    testApp.caller.principal = atPortal(userId, where)
  }
  const request = (permissions: unknown, reason = 'For the trips') =>
    testApp.manage('POST', path, { permissions, reason })
  const list = async () => (await testApp.manage('GET', path)).json<ApplicationRequests>().value
  const application = async () => (await testApp.manage('GET', `/applications/${applicationId}`)).json()
  return { ...testApp, world, tenantId, applicationId, path, as, request, list, application }
}

t.test('one step lists what is missing and requests what waits for an administrator', async (t) => {
  const { as, request, list, application, world, manage, store } = await open(t)
  as(world.a.developer)
  const answer = await request([of('User.Read.All'), of('User.Read', 'delegated')])
  t.equal(answer.statusCode, 201)
  const requested = answer.json<RequestedAccessAnswer>()
  t.match(requested, {
    added: [full('User.Read.All'), full('User.Read', 'delegated')],
    withoutAdministrator: [full('User.Read', 'delegated')],
    granted: [],
    request: { state: 'pending', permissions: [full('User.Read.All')], mine: true, reason: 'For the trips' },
  })
  const now = await application()
  t.equal(now.permissions.length, 2)
  t.same(grantsOf(now), [], 'nothing is granted')
  const again = await request([of('User.Read.All')])
  t.equal(again.json<RequestedAccessAnswer>().request?.requestId, requested.request?.requestId, 'the same once more')
  const more = (await request([of('assets_read')], 'And assets')).json<RequestedAccessAnswer>()
  t.same(more.request?.permissions, [full('User.Read.All'), full('assets_read')], 'what waited before still does')
  t.equal((await list()).length, 1)
  as(world.a.administrator)
  const [waiting] = (await manage('GET', '/consentRequests?state=pending')).json().value
  t.match(waiting, { requestedBy: world.a.developer, reason: 'And assets' })
  t.equal((await manage('POST', `/consentRequests/${waiting.requestId}/approve`)).statusCode, 200)
  as(world.a.developer)
  t.match(await list(), [{ state: 'approved', mine: true }])
  const known = await request([of('User.Read.All')])
  t.equal(known.statusCode, 200, 'nothing is left to request')
  t.match(known.json(), { added: [], granted: [full('User.Read.All')], request: null })
  const events = (await store.reader.selectFrom('ledger').select('event').execute()).map(({ event }) => event)
  t.equal(events.filter((event) => event === 'admin-consent.requested').length, 2)
  t.ok(events.includes('application.permissions-configured'))
})

t.test('C7 nobody grants themselves anything: members, developers of others, applications', async (t) => {
  const { as, request, application, world, tenantId, caller, manage, list } = await open(t)
  as(world.a.member)
  t.match(refusal(await request([of('User.Read.All')])), { status: 403, code: 'RoleRequired' })
  caller.principal = withToken(world, tenantId, ['Application.ReadWrite.All'])
  t.match(refusal(await request([of('User.Read.All')])), { status: 403, code: 'PersonRequired' })
  caller.principal = { kind: 'local' }
  t.match(refusal(await request([of('User.Read.All')])), { status: 403, code: 'PersonRequired' })
  const other = await manage('POST', '/users', {
    ...{ name: 'Zoe', email: 'zoe@example.test', tenantId, role: 'developer' },
  })
  as(other.json().userId)
  t.match(refusal(await request([of('User.Read.All')])), { status: 403, code: 'NotTheOwner' })
  as(world.a.developer)
  t.match(refusal(await request([of('Server.Read', 'delegated')])), { status: 403, code: 'OperatorRequired' })
  t.match(refusal(await request([of('nothing')])), { status: 400, code: 'UnknownPermission' })
  as(world.ownerOfB, world.tenantB)
  t.match(refusal(await request([of('User.Read.All')])), { status: 404, code: 'ApplicationNotFound' })
  as(world.a.administrator)
  t.equal((await request([of('User.Read.All')])).statusCode, 201, 'an administrator too only requests by it')
  t.same(grantsOf(await application()), [])
  as(other.json().userId)
  t.match(
    await list(),
    [{ mine: false, requestedBy: null, reason: null }],
    'others see that it waits, not who wrote what',
  )
})

t.test('who requested takes it back while it waits: nobody else, once, and nothing is left to approve', async (t) => {
  const { as, request, list, world, manage, path, caller, tenantId, application, store } = await open(t)
  const file = async () => {
    as(world.a.developer)
    const { request: filed } = (await request([of('User.Read.All')])).json<RequestedAccessAnswer>()
    return filed?.requestId ?? ''
  }
  const id = await file()
  const takeBack = (what = id) => manage('DELETE', `${path}/${what}`)
  as(world.a.administrator)
  t.match(refusal(await takeBack()), { status: 403, code: 'NotTheRequester' })
  as(world.a.member)
  t.match(refusal(await takeBack()), { status: 403, code: 'RoleRequired' })
  caller.principal = withToken(world, tenantId, ['Application.ReadWrite.All'])
  t.match(refusal(await takeBack()), { status: 403, code: 'PersonRequired' })
  caller.principal = { kind: 'local' }
  t.match(refusal(await takeBack()), { status: 403, code: 'PersonRequired' })
  as(world.ownerOfB, world.tenantB)
  t.match(refusal(await takeBack()), { status: 404, code: 'ApplicationNotFound' })
  as(world.a.developer)
  for (const wrong of ['x', '7a1c1c3e-0000-4000-8000-0000000000bb']) {
    t.match(refusal(await takeBack(wrong)), { status: 404, code: 'ConsentRequestNotFound' })
  }
  t.match(await list(), [{ state: 'pending' }], 'none of them ended it')
  t.equal((await takeBack()).statusCode, 204)
  t.match(refusal(await takeBack()), { status: 404, code: 'ConsentRequestNotFound' })
  t.same(await list(), [])
  t.equal((await application()).permissions.length, 1, 'what is listed stays listed')
  as(world.a.administrator)
  t.match(refusal(await manage('POST', `/consentRequests/${id}/approve`)), { status: 404 })
  t.same(grantsOf(await application()), [])
  const [row] = await store.reader
    .selectFrom('ledger')
    .selectAll()
    .where('event', '=', 'admin-consent.request-withdrawn')
    .execute()
  t.match(row, { tenant_id: tenantId, user_id: world.a.developer })
  t.match(row?.details, id)
  for (const verb of ['approve', 'decline']) {
    const next = await file()
    as(world.a.administrator)
    await manage('POST', `/consentRequests/${next}/${verb}`)
    as(world.a.developer)
    t.match(refusal(await takeBack(next)), { status: 409, code: 'ConsentRequestDecided' })
    if (verb === 'approve') {
      as(world.a.administrator)
      t.equal(grantsOf(await application()).length, 1, 'what was approved stays granted')
      await manage('DELETE', `/applications/${path.split('/')[2]}/consents/${tenantId}`)
    }
  }
})

t.test('taken back and approved at the same time, exactly one happens', async (t) => {
  const { as, request, world, manage, application, applicationId, tenantId, caller, writes } = await open(t)
  for (let round = 0; round < 6; round += 1) {
    as(world.a.developer)
    const { request: filed } = (await request([of('User.Read.All')])).json<RequestedAccessAnswer>()
    const id = filed?.requestId ?? ''
    const takeBack = () => withdrawRequest(writes, id, { applicationId, tenantId, by: world.a.developer })
    const approval = {
      state: 'approved',
      by: world.a.administrator,
      byOperator: false,
      byRole: 'administrator',
    } as const
    const approve = () => write(writes, (writing) => decideRequest(writes, writing, id, approval))
    const ends = round % 2 === 0 ? [takeBack(), approve()] : [approve(), takeBack()]
    const outcomes = await Promise.allSettled(ends)
    const [lost, ...more] = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))
    t.ok(lost === 'ConsentRequestNotFound' || lost === 'ConsentRequestDecided', lost)
    t.same(more, [], 'exactly one')
    caller.principal = { kind: 'local' }
    const isApproved = outcomes[round % 2 === 0 ? 1 : 0]?.status === 'fulfilled'
    t.equal(grantsOf(await application()).length, isApproved ? 1 : 0, 'granted only when it was approved')
    if (isApproved) await manage('DELETE', `/applications/${applicationId}/consents/${tenantId}`)
  }
})

t.test('a person has so many requests at most; bad bodies change nothing', async (t) => {
  const { as, world, tenantId, registerDemo, writes, manage, application, path } = await open(t)
  as(world.a.developer)
  for (let i = 0; i < 21; i += 1) {
    const made = await registerDemo({ name: `one ${i}`, tenantId, permissions: [], consentBy: undefined as never })
    const { applicationId } = made.registration
    await addOwner(writes, applicationId, { kind: 'user', ownerId: world.a.developer })
    const body = { permissions: [of('User.Read.All')] }
    const answer = await manage('POST', `/applications/${applicationId}/consentRequests`, body)
    if (i < 20) t.equal(answer.statusCode, 201)
    else {
      t.match(refusal(answer), { status: 409, code: 'TooManyConsentRequests' })
      const left = (await manage('GET', `/applications/${applicationId}`)).json()
      t.same(left.permissions, [], 'what cannot be requested is not added either')
    }
  }
  const bad = [
    {},
    { permissions: [] },
    { permissions: [of('x')], more: 1 },
    { permissions: [of('User.Read.All')], reason: 'x'.repeat(501) },
  ]
  for (const body of bad) t.equal((await manage('POST', path, body)).statusCode, 400, JSON.stringify(body).slice(0, 60))
  t.same((await application()).permissions, [])
})

t.test('a member takes back a request about another tenant’s application', async (t) => {
  const { as, world, manage, caller, tenantId, registerDemo, writes } = await open(t)
  const input = { name: 'theirs', tenantId: world.tenantB, audience: 'any' as const, consentBy: undefined as never }
  const { applicationId } = (await registerDemo(input)).registration
  const filed = { applicationId, tenantId, requestedBy: world.a.member, reason: '', permissions: [full('assets_read')] }
  const { requestId: id } = await fileConsentRequest(writes, filed)
  const takeBack = () => manage('DELETE', `/consentRequests/${id}`)
  const own = async () => (await manage('GET', '/consentRequests/own')).json().value
  as(world.a.administrator)
  t.same(await own(), [])
  t.match(refusal(await takeBack()), { status: 403, code: 'NotTheRequester' })
  as(world.ownerOfB, world.tenantB)
  t.match(refusal(await takeBack()), { status: 404, code: 'ConsentRequestNotFound' })
  caller.principal = withToken(world, tenantId, ['Tenant.Read.All'], world.a.member)
  t.match(refusal(await takeBack()), { status: 403, code: 'PersonRequired' }, 'no application in their name')
  as(world.a.member)
  t.match(refusal(await manage('DELETE', `/applications/${applicationId}/consentRequests/${id}`)), { status: 403 })
  t.match(await own(), [{ requestId: id, applicationId, state: 'pending' }])
  t.equal((await takeBack()).statusCode, 204)
  t.match(refusal(await takeBack()), { status: 404, code: 'ConsentRequestNotFound' })
  t.same(await own(), [])
})
