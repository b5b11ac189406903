// What nobody gets by way of an application or an account: consent from anyone who is no administrator, credentials of
// an application that holds more than they do, accounts of people above them or of other tenants; and 412 for what
// changed.

import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { addOwner } from '../../src/directory/applications/owners.js'
import { grantConsent } from '../../src/directory/permissions/permissions.js'
import type { Presented } from '../../src/management/dependencies.js'
import { addMembership } from '../../src/users/memberships/memberships.js'
import { atPortal, openWorld, withToken } from '../support/models/isolation.js'
import { openManagement, refusal } from '../support/rooms/management.js'

const open = async (t: Test) => {
  const world = await openWorld(await openManagement(t))
  const { testApp } = world
  // In the catalogue of the tests everybody may use everything; this one is an administrator's.
  const strong = testApp.catalogue.find('application', testApp.catalogue.own.id, 'User.ReadWrite.All')
  Object.assign(strong ?? {}, { role: 'administrator' })
  const withStrong = async () => {
    const { id } = await world.make.application()
    const permissions = [{ kind: 'application' as const, resource: testApp.catalogue.own.id, id: 'User.ReadWrite.All' }]
    testApp.caller.principal = { kind: 'local' }
    await testApp.manage('PUT', `/applications/${id}/permissions`, { permissions })
    await grantConsent(testApp.writes, id, { tenantId: world.tenantA, permissions, by: 'test' })
    return id
  }
  return { ...world, withStrong }
}

t.test('nobody gives credentials to an application that was granted more than they may use themselves', async (t) => {
  const world = await open(t)
  const { testApp, tenantA, a, withStrong } = world
  const id = await withStrong()
  const ways: ['POST' | 'PATCH', string, unknown][] = [
    ['POST', '/secrets', {}],
    ['POST', '/secrets', { rotate: true }],
    ['POST', '/token', {}],
    ['PATCH', '', { redirectUris: ['https://mine.test/back'] }],
    ['PATCH', '', { authMethod: 'private_key_jwt', jwks: { keys: [] } }],
    ['PATCH', '', { requirePkce: false }],
    ['PATCH', '', { state: 'enabled' }],
  ]
  const { id: applicationId } = await world.make.application()
  await addOwner(testApp.writes, id, { kind: 'application', ownerId: applicationId })
  const itself = (permissions: string[]) => ({ ...withToken(world, tenantA, permissions), applicationId }) as Presented
  const application = itself(['Application.ReadWrite.All', 'assets_read'])
  for (const [name, principal] of [
    ['a developer', atPortal(a.developer, tenantA)],
    ['an application', application],
  ] as const) {
    for (const [method, path, body] of ways) {
      testApp.caller.principal = principal
      const before = testApp.feed.seq
      const answer = refusal(await testApp.manage(method, `/applications/${id}${path}`, body))
      const code = name === 'an application' && path === '/token' ? 'PeopleOnly' : 'HoldsMore'
      t.match(answer, { status: 403, code }, `${name}: ${method} ${path}`)
      t.equal(testApp.feed.seq, before)
    }
  }
  testApp.caller.principal = atPortal(a.administrator, tenantA)
  t.equal((await testApp.manage('POST', `/applications/${id}/secrets`, {})).statusCode, 201, 'an administrator may')
  testApp.caller.principal = atPortal(a.developer, tenantA)
  t.equal(
    (await testApp.manage('PATCH', `/applications/${id}`, { name: 'new' })).statusCode,
    200,
    'a name gives nothing',
  )
  t.equal(
    (await testApp.manage('PATCH', `/applications/${id}`, { state: 'disabled' })).statusCode,
    200,
    'off is allowed',
  )
  const holding = ['Application.ReadWrite.All', 'User.ReadWrite.All', 'assets_read']
  testApp.caller.principal = itself(holding)
  t.equal((await testApp.manage('POST', `/applications/${id}/secrets`, {})).statusCode, 201, 'who holds it all may')
})

t.test(
  'C7 an application never consents, and a person only as administrator and with the permission for it',
  async (t) => {
    const world = await open(t)
    const { testApp, tenantA, a } = world
    const permissions = [{ kind: 'application', id: 'assets_read' }]
    testApp.caller.principal = { kind: 'local' }
    const body = { name: 'x', type: 'web', tenantId: tenantA, permissions }
    const id = (await testApp.manage('POST', '/applications', body)).json().applicationId
    const own = ['Application.ReadWrite.All', 'Consent.ReadWrite.All']
    for (const [name, principal] of [
      ['an application with every word for it', withToken(world, tenantA, own)],
      ['a developer', atPortal(a.developer, tenantA)],
      [
        'an administrator through an application without the permission',
        withToken(world, tenantA, [own[0] ?? ''], a.owner),
      ],
    ] as const) {
      testApp.caller.principal = principal
      const body = { name: `made ${randomUUID()}`, type: 'web', permissions: [], consent: true }
      t.match(
        refusal(await testApp.manage('POST', '/applications', body)),
        { status: 403, code: 'ConsentNotAllowed' },
        name,
      )
      t.equal((await testApp.manage('POST', `/applications/${id}/consents`, {})).statusCode, 403, name)
      t.equal((await testApp.manage('POST', '/consents', { applicationId: id })).statusCode, 403, name)
    }
    testApp.caller.principal = withToken(world, tenantA, own, a.administrator)
    const granted = await testApp.manage('POST', `/applications/${id}/consents`, {})
    t.equal(granted.statusCode, 200)
    t.equal(granted.json().consents[0].permissions[0].grantedBy, a.administrator, 'and it is written down who')
  },
)

t.test('only an operator vouches for a publisher, switches a tenant, or makes an operator', async (t) => {
  const { testApp, tenantA, tenantB, a, operatorOfB, make } = await open(t)
  const { id } = await make.application()
  testApp.caller.principal = atPortal(a.owner, tenantA)
  const vouching = { publisher: 'Contoso', verified: true }
  const tries: ['PATCH', string, unknown][] = [
    ['PATCH', `/applications/${id}`, vouching],
    ['PATCH', `/tenants/${tenantA}`, { state: 'disabled' }],
    ['PATCH', `/users/${a.member}`, { operator: true }],
  ]
  for (const [method, path, body] of tries) {
    t.match(refusal(await testApp.manage(method, path, body)), { status: 403, code: 'OperatorRequired' }, path)
  }
  testApp.caller.principal = atPortal(operatorOfB, tenantB)
  t.equal((await testApp.manage('PATCH', `/tenants/${tenantA}`, { state: 'disabled' })).statusCode, 200)
})

t.test('accounts: nobody changes one above themselves, one of other tenants too, or an operator’s', async (t) => {
  const { testApp, tenantA, tenantB, a, make } = await open(t)
  const shared = await make.user()
  await addMembership(testApp.deps.users, { userId: shared, tenantId: tenantB, role: 'member' })
  testApp.caller.principal = { kind: 'local' }
  const operator = await make.user()
  await testApp.manage('PATCH', `/users/${operator}`, { operator: true })
  testApp.caller.principal = atPortal(a.administrator, tenantA)
  for (const [userId, code] of [
    [a.owner, 'RoleRequired'],
    [operator, 'RoleRequired'],
    [shared, 'SharedAccount'],
  ] as const) {
    for (const [method, path, body] of [
      ['PATCH', '', { name: 'x' }],
      ['DELETE', '', undefined],
      ['POST', '/passwordReset', undefined],
      ['POST', '/signOut', undefined],
    ] as const) {
      const answer = await testApp.manage(method, `/users/${userId}${path}`, body)
      t.match(refusal(answer), { status: 403, code }, `${method} ${path} ${code}`)
    }
  }
  for (const [method, path, body] of [
    ['PATCH', `/tenants/${tenantA}/memberships/${a.owner}`, { role: 'member' }],
    ['DELETE', `/tenants/${tenantA}/memberships/${a.owner}`, undefined],
    ['PATCH', `/tenants/${tenantA}/memberships/${a.member}`, { role: 'owner' }],
    ['POST', '/invitations', { email: 'boss@x.test', role: 'owner' }],
  ] as const) {
    t.match(
      refusal(await testApp.manage(method, path, body)),
      { status: 403, code: 'RoleRequired' },
      `${method} ${path}`,
    )
  }
  t.equal(
    (await testApp.manage('DELETE', `/tenants/${tenantA}/memberships/${shared}`)).statusCode,
    204,
    'leaving is ours',
  )
})

t.test(
  'a caller whose account, membership or tenant is gone meanwhile is refused, whatever the session says',
  async (t) => {
    const { testApp, tenantA, a, make } = await open(t)
    const userId = await make.user()
    testApp.caller.principal = atPortal(userId, tenantA)
    t.equal((await testApp.manage('GET', '/tenants')).statusCode, 200)
    testApp.caller.principal = { kind: 'local' }
    await testApp.manage('PATCH', `/users/${userId}`, { state: 'disabled' })
    testApp.caller.principal = atPortal(userId, tenantA)
    t.match(refusal(await testApp.manage('GET', '/tenants')), { status: 403, code: 'NotAMember' })
    testApp.caller.principal = { kind: 'local' }
    await testApp.manage('DELETE', `/tenants/${tenantA}/memberships/${a.developer}`)
    testApp.caller.principal = atPortal(a.developer, tenantA)
    t.match(refusal(await testApp.manage('GET', '/applications')), { status: 403, code: 'NotAMember' })
  },
)

t.test('an entity tag: unchanged is 304, changed meanwhile is 412 and nothing is written', async (t) => {
  const { testApp, make, tenantA } = await open(t)
  const { id, secret } = await make.application()
  testApp.caller.principal = { kind: 'local' }
  const path = `/applications/${id}`
  const first = await testApp.manage('GET', path)
  const tag = String(first.headers.etag)
  t.match(tag, /^"[\w-]{22}"$/)
  t.equal((await testApp.manage('GET', path, undefined, { 'if-none-match': tag })).statusCode, 304)
  t.equal((await testApp.manage('GET', path, undefined, { 'if-none-match': `"x", W/${tag}` })).statusCode, 304)
  await testApp.post('/api/v2/oauth2/v2.0/token', {
    ...{ client_id: id, client_secret: secret, grant_type: 'client_credentials', scope: 'default' },
  })
  await testApp.directory.flush()
  t.equal((await testApp.manage('GET', path)).headers.etag, tag, 'use is no change')
  const changed = await testApp.manage('PATCH', path, { name: 'second' }, { 'if-match': tag })
  t.equal(changed.statusCode, 200)
  t.not(changed.headers.etag, tag)
  const before = testApp.feed.seq
  for (const [method, more, body] of [
    ['PATCH', '', { name: 'third' }],
    ['PUT', '/permissions', { permissions: [] }],
    ['POST', '/consents', {}],
    ['DELETE', '', undefined],
  ] as const) {
    const answer = refusal(await testApp.manage(method, path + more, body, { 'if-match': tag }))
    t.match(answer, { status: 412, code: 'PreconditionFailed' }, `${method} ${more}`)
    t.equal(
      refusal(await testApp.manage(method, path + more, body, { 'if-match': `W/${changed.headers.etag}` })).status,
      412,
      'weak',
    )
  }
  t.equal(testApp.feed.seq, before)
  t.equal((await testApp.manage('PATCH', path, { name: 'third' }, { 'if-match': '*' })).statusCode, 200)
  const tenant = await testApp.manage('GET', `/tenants/${tenantA}`)
  const tenantTag = String(tenant.headers.etag)
  t.equal(
    (await testApp.manage('PATCH', `/tenants/${tenantA}`, { name: 'New' }, { 'if-match': tenantTag })).statusCode,
    200,
  )
  t.equal(
    (await testApp.manage('PATCH', `/tenants/${tenantA}`, { name: 'No' }, { 'if-match': tenantTag })).statusCode,
    412,
  )
})

t.test('of twenty that change one application by the same tag, one does', async (t) => {
  const { testApp, make } = await open(t)
  const { id } = await make.application()
  testApp.caller.principal = { kind: 'local' }
  const tag = String((await testApp.manage('GET', `/applications/${id}`)).headers.etag)
  const all = Array.from({ length: 20 }, (_, i) =>
    testApp.manage('PATCH', `/applications/${id}`, { name: `name ${i}` }, { 'if-match': tag }),
  )
  const statuses = (await Promise.all(all)).map(({ statusCode }) => statusCode)
  t.equal(statuses.filter((status) => status === 200).length, 1)
  t.equal(statuses.filter((status) => status === 412).length, 19)
})
