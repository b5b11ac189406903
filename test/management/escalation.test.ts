// Nobody becomes more by way of an application that somebody more powerful uses: not by what they allowed it, not by its
// credentials, and not by its consent in their tenant.

import t, { type Test } from 'tap'
import { fileConsentRequest } from '../../src/directory/consent-requests.js'
import { rememberWithin } from '../../src/directory/consents.js'
import { checkMayConsent } from '../../src/directory/permission-rules.js'
import { grantConsent } from '../../src/directory/permissions.js'
import { write } from '../../src/directory/writes.js'
import { commandLineClient } from '../../src/oauth/command-line-client.js'
import { atPortal, openWorld, withToken } from '../support/isolation.js'
import { openManagement, refusal } from '../support/management.js'

const open = async (t: Test) => openWorld(await openManagement(t))

t.test('U2 a person’s token gives credentials no further than it reaches itself, whatever their role', async (t) => {
  const world = await open(t)
  const { house, tenantA, a, make } = world
  const { id } = await make.application()
  const strong = { kind: 'application' as const, resource: house.catalogue.own.id, id: 'User.ReadWrite.All' }
  house.caller.principal = { kind: 'local' }
  await house.manage('PUT', `/applications/${id}/permissions`, { permissions: [strong] })
  await grantConsent(house.writes, id, { tenantId: tenantA, permissions: [strong], by: 'test' })
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
    house.caller.principal = narrow
    const answer = refusal(await house.manage(method, `/applications/${id}${path}`, body))
    t.match(answer, { status: 403, code: 'HoldsMore' }, `${method} ${path}`)
  }
  house.caller.principal = withToken(world, tenantA, holding, a.owner)
  t.equal((await house.manage('POST', `/applications/${id}/secrets`, {})).statusCode, 201, 'a token that has it all')
  const { applicationId } = commandLineClient
  house.caller.principal = { ...narrow, applicationId } as typeof narrow
  t.equal((await house.manage('POST', `/applications/${id}/secrets`, {})).statusCode, 201, 'the command line, by role')
  const managing = { kind: 'application' as const, resource: house.catalogue.own.id, id: 'Member.ReadWrite.All' }
  house.caller.principal = { kind: 'local' }
  await house.manage('PUT', `/applications/${id}/permissions`, { permissions: [managing] })
  await grantConsent(house.writes, id, { tenantId: tenantA, permissions: [managing], by: 'test' })
  house.caller.principal = { ...narrow, applicationId } as typeof narrow
  t.match(refusal(await house.manage('POST', `/applications/${id}/secrets`, {})), { status: 403, code: 'HoldsMore' })
})

t.test('U2 what an administrator allowed for themselves alone keeps others from the application too', async (t) => {
  const world = await open(t)
  const { house, tenantA, a } = world
  const { id } = await world.make.application()
  const own = (name: string) => ({ kind: 'delegated' as const, resource: house.catalogue.own.id, id: name })
  const permissions = [own('Member.ReadWrite.All'), own('User.Read')]
  house.caller.principal = { kind: 'local' }
  await house.manage('PUT', `/applications/${id}/permissions`, { permissions })
  const allow = (userId: string, allowed: typeof permissions, byAdministrator: boolean) =>
    write(house.writes, (writing) =>
      rememberWithin(house.writes, writing, {
        ...{ userId, applicationId: id, tenantId: tenantA, permissions: allowed, byAdministrator },
      }),
    )
  await allow(a.member, permissions.slice(1), false)
  const tries = async () => {
    house.caller.principal = atPortal(a.developer, tenantA)
    const redirected = await house.manage('PATCH', `/applications/${id}`, { redirectUris: ['https://mine.test/back'] })
    return [redirected.statusCode, (await house.manage('POST', `/applications/${id}/secrets`, {})).statusCode]
  }
  t.same(await tries(), [200, 201], 'what anybody may allow is no hindrance')
  await allow(a.administrator, permissions, true)
  t.same(await tries(), [403, 403])
  house.caller.principal = atPortal(a.administrator, tenantA)
  t.equal((await house.manage('POST', `/applications/${id}/secrets`, {})).statusCode, 201)
})

t.test(
  'C7 what is about the whole installation is consented to by its operators, in no tenant by its owner',
  async (t) => {
    const world = await open(t)
    const { house, tenantB, ownerOfB, operatorOfB, a } = world
    const permissions = [{ kind: 'delegated', id: 'Server.ReadWrite' }]
    house.caller.principal = { kind: 'local' }
    const body = { name: 'ours', type: 'web', tenantId: tenantB, permissions }
    const id = (await house.manage('POST', '/applications', body)).json().applicationId
    const refs = [{ kind: 'delegated' as const, resource: house.catalogue.own.id, id: 'Server.ReadWrite' }]
    const asked = { applicationId: id, tenantId: tenantB, requestedBy: ownerOfB, permissions: refs, reason: '' }
    const { requestId } = await fileConsentRequest(house.writes, asked)
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
        house.caller.principal = principal
        const answer = refusal(await house.manage('POST', path, sent))
        t.match(answer, { status: 403, code: 'OperatorRequired' }, `${name}: ${path}`)
      }
    }
    const { applicationId } = commandLineClient
    const installed = await grantConsent(house.writes, id, { tenantId: tenantB, permissions: refs, by: a.owner }).catch(
      ({ code }) => code,
    )
    t.equal(installed, 'OperatorRequired', 'whoever asks for it')
    t.doesNotThrow(() => checkMayConsent(house.catalogue, applicationId, refs, false), 'but for the command line')
    house.caller.principal = atPortal(operatorOfB, tenantB)
    t.equal((await house.manage('POST', `/applications/${id}/consents`, {})).statusCode, 200)
  },
)

t.test('U2 an operator’s token that was not given the server’s permissions is of its tenant alone', async (t) => {
  const world = await open(t)
  const { house, tenantA, tenantB, operatorOfB, make } = world
  const all = ['Tenant.ReadWrite.All', 'Member.ReadWrite.All', 'Application.ReadWrite.All']
  house.caller.principal = withToken(world, tenantB, [...all, 'Server.Read'], operatorOfB)
  t.equal((await house.manage('GET', '/tenants')).json().value.length > 1, true, 'reading is what it was given')
  t.equal((await house.manage('PATCH', `/tenants/${tenantA}`, { name: 'x' })).statusCode, 404, 'and nothing else')
  house.caller.principal = withToken(world, tenantB, all, operatorOfB)
  t.same(
    (await house.manage('GET', '/tenants')).json().value.map((one: { tenantId: string }) => one.tenantId),
    [tenantB],
  )
  t.equal((await house.manage('GET', `/tenants/${tenantA}`)).statusCode, 404)
  t.equal((await house.manage('PATCH', `/tenants/${tenantA}`, { state: 'disabled' })).statusCode, 404)
  for (const [path, body] of [
    [`/tenants/${tenantB}`, { state: 'disabled' }],
    [`/users/${operatorOfB}`, { operator: false }],
  ] as const) {
    t.match(refusal(await house.manage('PATCH', path, body)), { status: 403, code: 'OperatorRequired' }, path)
  }
  t.equal((await house.manage('GET', `/users/${await make.user()}`)).statusCode, 404)
})
