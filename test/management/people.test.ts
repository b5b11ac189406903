// People through the management API: every operation, every refusal's status, and that no answer holds what lets
// somebody in but the one link that was requested.

import t from 'tap'
import { createSession } from '../../src/users/sessions/sessions.js'
import { openManagement, refusal } from '../support/rooms/management.js'

const password = 'seven unrelated green words'
const guid = '7a1c1c3e-0000-4000-8000-000000000001'

t.test('a person is created, found, listed, changed, disabled, signed out and deleted', async (t) => {
  const testApp = await openManagement(t)
  const { manage, deps } = testApp
  const { tenantId } = (await manage('POST', '/tenants', { name: 'Contoso' })).json()
  await manage('POST', '/users', { email: 'owner@example.test', name: 'Owner', tenantId, role: 'owner' })
  const created = await manage('POST', '/users', { email: 'Ada@example.test', name: 'Ada', password, tenantId })
  t.equal(created.statusCode, 201)
  const ada = created.json()
  t.match(ada, {
    email: 'Ada@example.test',
    state: 'enabled',
    hasPassword: true,
    memberships: [{ tenantId, role: 'member' }],
  })
  t.notMatch(created.body, /argon2|seven/)
  t.same((await manage('GET', `/users/${ada.userId}`)).json(), ada)
  t.match((await manage('GET', '/users?email=ADA%40example.test')).json(), { value: [{ userId: ada.userId }] })
  t.same((await manage('GET', '/users?email=nobody%40example.test')).json(), { value: [] })
  t.match((await manage('GET', '/users?search=DA%40exa')).json(), { value: [{ userId: ada.userId }] }, 'a part of it')
  t.same((await manage('GET', '/users?search=%25')).json(), { value: [] }, 'text, not a pattern')
  const first = (await manage('GET', `/users?$top=1&tenantId=${tenantId}`)).json()
  t.match(first.value, [{ name: 'Ada' }])
  const second = (await manage('GET', first.nextLink.replace('/api/v2', ''))).json()
  t.match(second.value, [{ name: 'Owner' }])
  t.equal(second.nextLink, undefined)
  const elsewhere = first.nextLink.replace('/api/v2', '').replace(/&tenantId=.*/, '')
  t.equal((await manage('GET', elsewhere)).statusCode, 400, 'U3 a page token is for its own list')

  await createSession(deps.users, {
    userId: ada.userId,
    acr: '1',
    amr: ['pwd'],
    userAgent: 'A browser',
    address: '::1',
  })
  // Through a provider that is not configured: it opens nothing.
  await createSession(deps.users, {
    ...{ userId: ada.userId, acr: '1', amr: ['fed'], way: 'provider:gone', userAgent: 'Another', address: '::1' },
  })
  const sessions = (await manage('GET', `/sessions?userId=${ada.userId}`)).json().value
  t.equal(sessions.length, 1)
  t.match(sessions, [{ userId: ada.userId, userAgent: 'A browser', amr: ['pwd'] }])
  t.equal((await manage('DELETE', `/sessions/${sessions[0].id}`)).statusCode, 204)
  t.equal((await manage('DELETE', `/sessions/${sessions[0].id}`)).statusCode, 404)
  t.equal((await manage('POST', `/users/${ada.userId}/signOut`)).statusCode, 204)
  const disabled = await manage('PATCH', `/users/${ada.userId}`, { state: 'disabled', name: 'Ada L.' })
  t.match(disabled.json(), { state: 'disabled', name: 'Ada L.' })
  t.equal(disabled.json().language, null, 'nobody said one')
  t.equal((await manage('PATCH', `/users/${ada.userId}`, { language: 'ja' })).json().language, 'ja')
  t.equal((await manage('PATCH', `/users/${ada.userId}`, { language: null })).json().language, null)
  t.equal((await manage('PATCH', `/users/${ada.userId}`, { language: 'tlh' })).statusCode, 400, 'there is no such one')
  t.equal((await manage('DELETE', `/users/${ada.userId}`)).statusCode, 204)
  t.equal((await manage('GET', `/users/${ada.userId}`)).statusCode, 404)
  const audit = (await manage('GET', `/auditEvents?userId=${ada.userId}`)).json().value
  t.ok(audit.every(({ actor }: { actor: { kind: string } }) => actor.kind === 'operator' || actor.kind === 'user'))
  t.same(audit.map(({ event }: { event: string }) => event).reverse(), [
    'user.created',
    'membership.added',
    'user.signed-in',
    'user.signed-in',
    'session.ended',
    'user.signed-out',
    'user.changed',
    'user.disabled',
    'user.changed',
    'user.changed',
    'user.deleted',
  ])
})

t.test('memberships and invitations of a tenant', async (t) => {
  const { manage } = await openManagement(t)
  const { tenantId } = (await manage('POST', '/tenants', { name: 'Contoso' })).json()
  const ada = (await manage('POST', '/users', { email: 'ada@example.test', name: 'Ada' })).json()
  const path = `/tenants/${tenantId}/memberships`
  t.equal((await manage('POST', path, { userId: ada.userId, role: 'owner' })).statusCode, 201)
  t.match((await manage('GET', path)).json(), { value: [{ userId: ada.userId, role: 'owner' }] })
  t.match(refusal(await manage('PATCH', `${path}/${ada.userId}`, { role: 'member' })), {
    status: 409,
    code: 'LastOwner',
  })
  t.match(refusal(await manage('DELETE', `${path}/${ada.userId}`)), { status: 409, code: 'LastOwner' })
  t.match(refusal(await manage('DELETE', `/users/${ada.userId}`)), { status: 409, code: 'LastOwner' })
  const ben = (
    await manage('POST', '/users', { email: 'ben@example.test', name: 'Ben', tenantId, role: 'owner' })
  ).json()
  t.match((await manage('PATCH', `${path}/${ada.userId}`, { role: 'member' })).json(), { role: 'member' })
  t.equal((await manage('DELETE', `${path}/${ada.userId}`)).statusCode, 204)
  t.match(refusal(await manage('DELETE', `${path}/${ada.userId}`)), { status: 404, code: 'MembershipNotFound' })
  t.ok(ben.userId)
  const invited = await manage('POST', '/invitations', { tenantId, email: 'cem@example.test', role: 'developer' })
  t.match(invited.json(), { url: /\/invitation\/pcl_ol_\w{43}$/, mailed: false })
  const { value } = (await manage('GET', `/invitations?tenantId=${tenantId}`)).json()
  t.match(value, [{ email: 'cem@example.test', role: 'developer', tenantId }])
  t.notMatch(JSON.stringify(value), /pcl_ol_/, 'a list shows no link')
  t.equal((await manage('DELETE', `/invitations/${value[0].id}`)).statusCode, 204)
  t.equal((await manage('DELETE', `/invitations/${value[0].id}`)).statusCode, 404)
})

t.test('links that make owners: set-up only while there is none, recovery always', async (t) => {
  const { manage, managementLog } = await openManagement(t)
  const { tenantId } = (await manage('POST', '/tenants', { name: 'Contoso' })).json()
  const setUp = (await manage('POST', '/setUpLinks')).json()
  t.match(setUp, { url: /\/set-up\/pcl_ol_/, mailed: false })
  const ada = (
    await manage('POST', '/users', { email: 'ada@example.test', name: 'Ada', tenantId, role: 'owner' })
  ).json()
  t.match(refusal(await manage('POST', '/setUpLinks')), { status: 409, code: 'HasOwner' })
  t.match((await manage('POST', '/recoveryLinks', { tenantId, email: 'ada@example.test' })).json(), {
    url: /\/reset-password\//,
  })
  t.match((await manage('POST', '/recoveryLinks', { tenantId, email: 'new@example.test' })).json(), {
    url: /\/invitation\//,
  })
  t.match((await manage('POST', `/users/${ada.userId}/passwordReset`)).json(), { url: /\/reset-password\// })
  t.match(refusal(await manage('POST', '/recoveryLinks', { tenantId: guid, email: 'a@b.test' })), { status: 404 })
  t.notMatch(managementLog.join(), /pcl_ol_/, 'no log has a link')
})

t.test('what cannot be done says why, with its own status', async (t) => {
  const { manage, caller } = await openManagement(t)
  const cases: [ReturnType<typeof manage>, number, string][] = [
    [manage('POST', '/users', { email: 'nobody', name: 'X' }), 400, 'InvalidEmail'],
    [manage('POST', '/users', { email: 'a@b.test', name: '' }), 400, 'InvalidName'],
    [manage('POST', '/users', { email: 'a@b.test', name: 'X', password: 'short' }), 400, 'PasswordRefused'],
    [manage('POST', '/users', { email: 'a@b.test', name: 'X', tenantId: guid }), 404, 'TenantNotFound'],
    [manage('POST', '/users', { email: 'a@b.test', name: 'X', admin: true }), 400, 'InvalidRequest'],
    [manage('POST', '/users', { email: 'a@b.test', name: 'X', role: 'god' }), 400, 'InvalidRequest'],
    [manage('PATCH', `/users/${guid}`, { name: 'X' }), 404, 'UserNotFound'],
    [manage('PATCH', `/users/${guid}`, {}), 400, 'InvalidRequest'],
    [manage('GET', '/users/not-a-guid'), 404, 'UserNotFound'],
    [manage('GET', '/users?role=owner'), 400, 'InvalidRequest'],
    [manage('GET', '/sessions'), 400, 'InvalidRequest'],
    [manage('POST', '/invitations', { tenantId: guid, email: 'a@b.test' }), 404, 'TenantNotFound'],
  ]
  for (const [response, status, code] of cases) t.match(refusal(await response), { status, code })
  caller.principal = undefined
  for (const path of ['/users', `/tenants/${guid}/memberships`, '/invitations', '/sessions']) {
    t.equal((await manage('GET', path)).statusCode, 403, path)
  }
  t.equal((await manage('POST', '/setUpLinks')).statusCode, 403)
})
