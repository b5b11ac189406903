// Consents and requests for them over the management API.

import t from 'tap'
import { fileConsentRequest } from '../../src/directory/consents/consent-requests.js'
import { sweepDead } from '../../src/instance/sweep.js'
import { consentTo, makePerson } from '../support/rooms/delegation.js'
import { ownResource } from '../support/rooms/directory.js'
import { unknownGuid } from '../support/rooms/identity.js'
import { openManagement, refusal } from '../support/rooms/management.js'

type Test = Parameters<typeof openManagement>[0]

async function open(t: Test) {
  const testApp = await openManagement(t)
  const delegated = (id: string) => ({ kind: 'delegated' as const, resource: ownResource, id })
  const made = await testApp.registerDemo({
    permissions: [delegated('User.Read'), { kind: 'application', resource: ownResource, id: 'assets_read' }],
    consentBy: undefined,
  })
  const { applicationId } = made.registration
  const { userId } = await makePerson(testApp.deps, made.tenantId)
  const whose = { userId, applicationId, tenantId: made.tenantId }
  await consentTo(testApp.deps, { ...whose, permissions: ['User.Read', 'openid'] })
  const file = () =>
    fileConsentRequest(testApp.writes, {
      ...{ applicationId, tenantId: made.tenantId, requestedBy: userId, reason: 'please' },
      permissions: [{ kind: 'application', resource: ownResource, id: 'assets_read' }],
    })
  return { ...testApp, ...whose, ...made, file }
}

t.test('consents of people and of administrators are listed, granted and withdrawn', async (t) => {
  const { manage, applicationId, tenantId, userId, store } = await open(t)
  const granted = await manage('POST', '/consents', { applicationId })
  t.equal(granted.statusCode, 200)
  t.match(granted.json(), { applicationId, tenantId, userId: null, permissions: [{ grantedBy: 'local' }, {}] })
  for (const query of [`applicationId=${applicationId}`, `tenantId=${tenantId}`]) {
    const { value } = (await manage('GET', `/consents?${query}`)).json()
    t.match(value, [{ userId: null }, { userId, permissions: [{ id: 'User.Read' }, { id: 'openid' }] }], query)
  }
  t.match((await manage('GET', `/consents?userId=${userId}`)).json().value, [{ userId }])
  t.equal((await manage('GET', '/consents')).statusCode, 400, 'of whom?')
  t.equal((await manage('GET', '/consents?tenantId=x')).statusCode, 400)

  const mine = await manage('POST', '/consents/withdraw', { applicationId, userId })
  t.match(mine.json(), { permissions: 2, grants: 0 })
  const one = await manage('POST', '/consents/withdraw', {
    applicationId,
    permissions: [{ kind: 'application', id: 'assets_read' }],
  })
  t.match(one.json(), { permissions: 1, grants: 0 })
  t.match((await manage('POST', '/consents/withdraw', { applicationId, tenantId })).json(), { permissions: 1 })
  t.same((await manage('GET', `/consents?applicationId=${applicationId}`)).json().value, [
    { applicationId, tenantId, userId: null, permissions: [] },
  ])
  const events = await store.reader.selectFrom('ledger').select(['event', 'actor']).execute()
  for (const event of ['admin-consent.granted', 'admin-consent.withdrawn', 'consent.withdrawn']) {
    t.match(events.find((row) => row.event === event)?.actor, /operator/, event)
  }
})

t.test('single permissions of a person are withdrawn, and the last one with everything', async (t) => {
  const { manage, applicationId, userId } = await open(t)
  const withdraw = async (...permissions: object[]) => {
    const answer = await manage('POST', '/consents/withdraw', { applicationId, userId, permissions })
    return [answer.statusCode, answer.json()]
  }
  const left = async () => {
    const [mine] = (await manage('GET', `/consents?userId=${userId}`)).json().value
    return (mine?.permissions ?? []).map(({ id }: { id: string }) => id)
  }
  const [own, openid] = [
    { kind: 'delegated', id: 'User.Read' },
    { kind: 'delegated', resource: 'openid', id: 'openid' },
  ]
  t.same(await left(), ['User.Read', 'openid'])
  t.same(await withdraw({ kind: 'delegated', id: 'assets_read' }), [200, { permissions: 0, grants: 0 }])
  t.same(await withdraw(own), [200, { permissions: 1, grants: 0 }])
  t.same(await left(), ['openid'])
  t.same(await withdraw(own, openid), [200, { permissions: 1, grants: 0 }])
  t.same(await left(), [])
  await manage('POST', '/consents', { applicationId, permissions: [own] })
  t.match(await withdraw(own), [409, { error: { code: 'ConsentOfTenant' } }])
})

t.test('what cannot be granted or withdrawn is refused', async (t) => {
  const { manage, applicationId, userId } = await open(t)
  const cases: [string, object, number][] = [
    ['/consents', { applicationId: unknownGuid() }, 404],
    ['/consents', { applicationId, tenantId: unknownGuid() }, 404],
    ['/consents', { applicationId, permissions: [{ kind: 'application', id: 'assets_delete' }] }, 400],
    ['/consents', { applicationId, more: 1 }, 400],
    ['/consents/withdraw', { applicationId: unknownGuid() }, 404],
    ['/consents/withdraw', { applicationId, userId: 'x' }, 400],
    ['/consents/withdraw', { applicationId, userId, permissions: [{ kind: 'application', id: 'User.Read' }] }, 400],
  ]
  for (const [path, body, status] of cases) {
    t.equal((await manage('POST', path, body)).statusCode, status, `${path} ${JSON.stringify(body)}`)
  }
})

t.test('requests are listed, approved and declined, each once', async (t) => {
  const { manage, applicationId, tenantId, file } = await open(t)
  const { requestId } = await file()
  const list = (query = '') => manage('GET', `/consentRequests${query}`).then((answer) => answer.json().value)
  t.match(await list(), [{ requestId, state: 'pending', reason: 'please', permissions: [{ id: 'assets_read' }] }])
  t.same(await list('?state=approved'), [])
  t.same(await list(`?tenantId=${unknownGuid()}`), [])
  const approved = await manage('POST', `/consentRequests/${requestId}/approve`)
  t.match(approved.json(), { state: 'approved', decidedBy: 'local' })
  t.match((await manage('GET', `/applications/${applicationId}`)).json().consents, [
    { tenantId, permissions: [{ id: 'assets_read' }] },
  ])
  const again = refusal(await manage('POST', `/consentRequests/${requestId}/decline`))
  t.match(again, { status: 409, code: 'ConsentRequestDecided' })
  t.match(refusal(await manage('POST', `/consentRequests/${unknownGuid()}/approve`)), { status: 404 })
  const second = await file()
  t.match((await manage('POST', `/consentRequests/${second.requestId}/decline`)).json(), { state: 'declined' })
  t.equal((await list(`?tenantId=${tenantId}&state=declined`)).length, 1)
})

t.test('C7 consent by another way answers the requests that it covers, and only those', async (t) => {
  const { manage, applicationId, tenantId, file, store, now } = await open(t)
  const { requestId } = await file()
  const state = async () => (await manage('GET', '/consentRequests')).json().value
  const grant = (id: string, kind: string) =>
    manage('POST', '/consents', { applicationId, permissions: [{ kind, id }] })
  t.equal((await grant('User.Read', 'delegated')).statusCode, 200)
  t.match(await state(), [{ requestId, state: 'pending' }], 'something else was granted')
  t.equal((await grant('assets_read', 'application')).statusCode, 200)
  t.match(await state(), [{ requestId, state: 'approved', decidedBy: 'local' }])
  const details = (await store.reader.selectFrom('ledger').select('details').orderBy('position', 'desc').execute())[0]
  t.same(JSON.parse(details?.details ?? '').alsoAnswered, [requestId])
  const late = refusal(await manage('POST', `/consentRequests/${requestId}/approve`))
  t.match(late, { status: 409, code: 'ConsentRequestDecided' })

  t.match(await file(), { tenantId, state: 'pending' }, 'one that waits')
  const sweepAfter = (days: number) =>
    sweepDead({ store, now: () => now() + days * 24 * 3_600_000, sessionIdleMs: 3_600_000 })
  await sweepAfter(89)
  t.equal((await state()).length, 2)
  await sweepAfter(91)
  t.match(await state(), [{ state: 'pending' }], 'what was decided is forgotten after 90 days, what waits is not')
})
