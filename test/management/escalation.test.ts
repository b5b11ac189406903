// Nobody becomes more by way of an application that somebody more powerful uses: not by what they allowed it, not by
// its credentials, and not by its consent in their tenant.

import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { ensureCommandLineApplication } from '../../src/directory/applications/command-line-application.js'
import { fileConsentRequest } from '../../src/directory/consents/consent-requests.js'
import { rememberInTransaction } from '../../src/directory/consents/consents.js'
import { checkMayConsent } from '../../src/directory/permissions/permission-rules.js'
import { grantConsent } from '../../src/directory/permissions/permissions.js'
import { write } from '../../src/directory/writes.js'
import { commandLineClient } from '../../src/oauth/command-line-client.js'
import { listTenants } from '../../src/storage/sql/registrations/tenants.js'
import { findLink } from '../../src/users/accounts/one-time-links.js'
import { setOperator } from '../../src/users/accounts/user-state.js'
import { createUser } from '../../src/users/accounts/users.js'
import { addMembership, setRole } from '../../src/users/memberships/memberships.js'
import { atPortal, openWorld, withToken } from '../support/models/isolation.js'
import { openManagement, refusal } from '../support/rooms/management.js'

const open = async (t: Test) => openWorld(await openManagement(t))

t.test('U2 a person’s token gives credentials no further than it reaches itself, whatever their role', async (t) => {
  const world = await open(t)
  const { testApp, tenantA, a, make } = world
  const { id } = await make.application()
  const strong = { kind: 'application' as const, resource: testApp.catalogue.own.id, id: 'User.ReadWrite.All' }
  testApp.caller.principal = { kind: 'local' }
  await testApp.manage('PUT', `/applications/${id}/permissions`, { permissions: [strong] })
  await grantConsent(testApp.writes, id, { tenantId: tenantA, permissions: [strong], by: 'test' })
  const holding = ['Application.ReadWrite.All', 'User.ReadWrite.All', 'assets_read']
  const narrow = withToken(world, tenantA, holding.slice(0, 1), a.owner)
  for (const [method, path, body] of [
    ['POST', '/secrets', {}],
    ['POST', '/token', {}],
    [
      'POST',
      '/federatedCredentials',
      { name: 'w', issuer: 'https://issuer.example', subject: 'w', jwks: { keys: [] } },
    ],
    ['PATCH', '', { redirectUris: ['https://mine.test/back'] }],
  ] as const) {
    testApp.caller.principal = narrow
    const answer = refusal(await testApp.manage(method, `/applications/${id}${path}`, body))
    t.match(answer, { status: 403, code: 'HoldsMore' }, `${method} ${path}`)
  }
  testApp.caller.principal = withToken(world, tenantA, holding, a.owner)
  t.equal((await testApp.manage('POST', `/applications/${id}/secrets`, {})).statusCode, 201, 'a token that has it all')
  const { applicationId } = commandLineClient
  testApp.caller.principal = { ...narrow, applicationId } as typeof narrow
  t.equal(
    (await testApp.manage('POST', `/applications/${id}/secrets`, {})).statusCode,
    201,
    'the command line, by role',
  )
  const managing = { kind: 'application' as const, resource: testApp.catalogue.own.id, id: 'Member.ReadWrite.All' }
  testApp.caller.principal = { kind: 'local' }
  await testApp.manage('PUT', `/applications/${id}/permissions`, { permissions: [managing] })
  await grantConsent(testApp.writes, id, { tenantId: tenantA, permissions: [managing], by: 'test' })
  testApp.caller.principal = { ...narrow, applicationId } as typeof narrow
  t.match(refusal(await testApp.manage('POST', `/applications/${id}/secrets`, {})), { status: 403, code: 'HoldsMore' })
})

t.test('U2 what an administrator allowed for themselves alone keeps others from the application too', async (t) => {
  const world = await open(t)
  const { testApp, tenantA, a } = world
  const { id } = await world.make.application()
  const own = (name: string) => ({ kind: 'delegated' as const, resource: testApp.catalogue.own.id, id: name })
  const permissions = [own('Member.ReadWrite.All'), own('User.Read')]
  testApp.caller.principal = { kind: 'local' }
  await testApp.manage('PUT', `/applications/${id}/permissions`, { permissions })
  const allow = (userId: string, allowed: typeof permissions, byAdministrator: boolean) =>
    write(testApp.writes, (writing) =>
      rememberInTransaction(testApp.writes, writing, {
        ...{ userId, applicationId: id, tenantId: tenantA, permissions: allowed, byAdministrator },
      }),
    )
  await allow(a.member, permissions.slice(1), false)
  const tries = async () => {
    testApp.caller.principal = atPortal(a.developer, tenantA)
    const redirected = await testApp.manage('PATCH', `/applications/${id}`, {
      redirectUris: ['https://mine.test/back'],
    })
    return [redirected.statusCode, (await testApp.manage('POST', `/applications/${id}/secrets`, {})).statusCode]
  }
  t.same(await tries(), [200, 201], 'what anybody may allow is no hindrance')
  await allow(a.administrator, permissions, true)
  t.same(await tries(), [403, 403])
  testApp.caller.principal = atPortal(a.administrator, tenantA)
  t.equal((await testApp.manage('POST', `/applications/${id}/secrets`, {})).statusCode, 201)
})

t.test(
  'C7 what is about the whole installation is consented to by its operators, in no tenant by its owner',
  async (t) => {
    const world = await open(t)
    const { testApp, tenantB, ownerOfB, operatorOfB, a } = world
    const permissions = [{ kind: 'delegated', id: 'Server.ReadWrite' }]
    testApp.caller.principal = { kind: 'local' }
    const body = { name: 'ours', type: 'web', tenantId: tenantB, permissions }
    const id = (await testApp.manage('POST', '/applications', body)).json().applicationId
    const refs = [{ kind: 'delegated' as const, resource: testApp.catalogue.own.id, id: 'Server.ReadWrite' }]
    const request = { applicationId: id, tenantId: tenantB, requestedBy: ownerOfB, permissions: refs, reason: '' }
    const { requestId } = await fileConsentRequest(testApp.writes, request)
    const ways: [string, unknown][] = [
      [`/applications/${id}/consents`, {}],
      ['/consents', { applicationId: id }],
      ['/consents', { applicationId: id, permissions }],
      ['/applications', { ...body, name: 'made', consent: true }],
      [`/consentRequests/${requestId}/approve`, undefined],
    ]
    const narrow = ['Application.ReadWrite.All', 'Consent.ReadWrite.All']
    for (const [name, principal] of [
      ['an owner', atPortal(ownerOfB, tenantB)],
      ['an operator, through what was given no such thing', withToken(world, tenantB, narrow, operatorOfB)],
    ] as const) {
      for (const [path, sent] of ways) {
        testApp.caller.principal = principal
        const answer = refusal(await testApp.manage('POST', path, sent))
        t.match(answer, { status: 403, code: 'OperatorRequired' }, `${name}: ${path}`)
      }
    }
    const { applicationId } = commandLineClient
    const installed = await grantConsent(testApp.writes, id, {
      tenantId: tenantB,
      permissions: refs,
      by: a.owner,
    }).catch(({ code }) => code)
    t.equal(installed, 'OperatorRequired', 'no matter who asks for it')
    t.doesNotThrow(() => checkMayConsent(testApp.catalogue, applicationId, refs, false), 'but for the command line')
    testApp.caller.principal = atPortal(operatorOfB, tenantB)
    t.equal((await testApp.manage('POST', `/applications/${id}/consents`, {})).statusCode, 200)
  },
)

t.test('U2 an operator’s token that was not given the server’s permissions is of its tenant alone', async (t) => {
  const world = await open(t)
  const { testApp, tenantA, tenantB, operatorOfB, make } = world
  const all = ['Tenant.ReadWrite.All', 'Member.ReadWrite.All', 'Application.ReadWrite.All']
  testApp.caller.principal = withToken(world, tenantB, [...all, 'Server.Read'], operatorOfB)
  t.equal((await testApp.manage('GET', '/tenants')).json().value.length > 1, true, 'reading is what it was given')
  t.equal((await testApp.manage('PATCH', `/tenants/${tenantA}`, { name: 'x' })).statusCode, 404, 'and nothing else')
  testApp.caller.principal = withToken(world, tenantB, all, operatorOfB)
  t.same(
    (await testApp.manage('GET', '/tenants')).json().value.map((one: { tenantId: string }) => one.tenantId),
    [tenantB],
  )
  t.equal((await testApp.manage('GET', `/tenants/${tenantA}`)).statusCode, 404)
  t.equal((await testApp.manage('PATCH', `/tenants/${tenantA}`, { state: 'disabled' })).statusCode, 404)
  for (const [path, body] of [
    [`/tenants/${tenantB}`, { state: 'disabled' }],
    [`/users/${operatorOfB}`, { operator: false }],
  ] as const) {
    t.match(refusal(await testApp.manage('PATCH', path, body)), { status: 403, code: 'OperatorRequired' }, path)
  }
  t.equal((await testApp.manage('GET', `/users/${await make.user()}`)).statusCode, 404)
})

t.test('C14 a way to a new password ends when its person becomes more, or belongs to another tenant too', async (t) => {
  const { testApp, tenantA, tenantB, a, make } = await open(t)
  const steps: ((userId: string) => Promise<unknown>)[] = [
    (userId) => addMembership(testApp.deps.users, { userId, tenantId: tenantB, role: 'member' }),
    (userId) => setRole(testApp.deps.users, { userId, tenantId: tenantA, role: 'owner' }),
    (userId) => setOperator(testApp.deps.users, userId, true),
  ]
  const linkOf = async (userId: string) => {
    testApp.caller.principal = atPortal(a.administrator, tenantA)
    const { url } = (await testApp.manage('POST', `/users/${userId}/passwordReset`)).json()
    const secret = url.slice(url.lastIndexOf('/') + 1)
    return () => findLink(testApp.store.reader, secret, 'password-reset', testApp.writes.now())
  }
  const unchanged = await linkOf(await make.user())
  for (const step of steps) {
    const userId = await make.user()
    const link = await linkOf(userId)
    t.ok(await link())
    await step(userId)
    t.equal(await link(), undefined, 'the administrator who made it cannot use it now')
  }
  t.ok(await unchanged(), 'nobody else’s ends')
})

t.test('U2 what of an API asks for more than a developer is, a developer does not make everybody’s', async (t) => {
  const { testApp, tenantA, a } = await open(t)
  const pay = { id: 'pay', describe: 'Pay', kinds: ['delegated'] }
  const permissions = [
    { ...pay, adminConsent: true },
    { ...pay, id: 'lead', role: 'administrator' },
    { ...pay, id: 'own', role: 'owner' },
    { ...pay, id: 'look' },
  ]
  testApp.caller.principal = atPortal(a.owner, tenantA)
  const { apiId } = (await testApp.manage('POST', '/apis', { shortName: 'pay', name: 'Pay', permissions })).json()
  const without = (id: string) => permissions.filter((one) => one.id !== id)
  const tries: [string, 'PATCH' | 'DELETE', object | undefined][] = [
    ['no administrator', 'PATCH', { permissions: [...without('pay'), pay] }],
    ['a lower role', 'PATCH', { permissions: [...without('lead'), { ...pay, id: 'lead', role: 'developer' }] }],
    ['gone, to come again', 'PATCH', { permissions: without('pay') }],
    ['all of it gone', 'DELETE', undefined],
  ]
  const developers = [atPortal(a.developer, tenantA), withToken({ testApp }, tenantA, ['Application.ReadWrite.All'])]
  for (const principal of developers) {
    for (const [name, method, body] of tries) {
      testApp.caller.principal = principal
      const answer = refusal(await testApp.manage(method, `/apis/${apiId}`, body))
      t.match(answer, { status: 403, code: 'RoleRequired' }, `${principal?.kind}: ${name}`)
    }
    const same = await testApp.manage('PATCH', `/apis/${apiId}`, {
      permissions: permissions.map((one) => ({ ...one })),
    })
    t.equal(same.statusCode, 200, 'as it is')
  }
  testApp.caller.principal = atPortal(a.developer, tenantA)
  t.equal((await testApp.manage('PATCH', `/apis/${apiId}`, { permissions: without('look') })).statusCode, 200)
  testApp.caller.principal = atPortal(a.administrator, tenantA)
  t.equal((await testApp.manage('PATCH', `/apis/${apiId}`, { permissions: without('own') })).statusCode, 403)
  t.equal((await testApp.manage('PATCH', `/apis/${apiId}`, { permissions: without('lead') })).statusCode, 200)
})

t.test('U2 how somebody stands in another tenant shows neither by request-id nor for the command line', async (t) => {
  const { testApp, tenantA, tenantB, ownerOfB, a, make } = await open(t)
  const { id } = await make.application()
  const note = async (applicationId: string) => {
    const requestId = randomUUID()
    testApp.decisions.note({
      ...{ what: 'token', outcome: 'refused', reason: 'consent_required', status: 400, isProved: true },
      ...{ applicationId, requestId, tenantId: tenantB, userId: ownerOfB },
    })
    return requestId
  }
  const elsewhere = await note(id)
  testApp.caller.principal = atPortal(a.developer, tenantA)
  const answer = await testApp.manage('GET', `/explain/${elsewhere}`)
  t.match(answer.json(), { recorded: { applicationId: id, userId: null }, now: null })
  const listed = await testApp.manage('GET', `/applications/${id}/activity`)
  t.match(listed.json().value, [{ requestId: elsewhere, tenantId: tenantB, userId: null }], 'nor who it was')
  t.notMatch(answer.body, 'membership')
  const first = await testApp.store.snapshot((tx) => listTenants(tx, 1))
  const owner = await createUser(testApp.deps.users, {
    ...{ email: `${randomUUID()}@first.test`, name: 'First' },
    membership: { tenantId: first[0]?.id ?? '', role: 'owner' },
  })
  await ensureCommandLineApplication(testApp.writes, testApp.store)
  const ofCommandLine = await note(commandLineClient.applicationId)
  testApp.caller.principal = atPortal(owner.userId, first[0]?.id ?? '')
  t.equal((await testApp.manage('GET', `/explain/${ofCommandLine}`)).statusCode, 404)
})
