// Requesting access for an application: in one step permissions are listed and consent is requested; nobody gives
// themselves anything by it, and nobody fills the list of the administrators.

import t, { type Test } from 'tap'
import { addOwner } from '../../../src/directory/applications/owners.js'
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
