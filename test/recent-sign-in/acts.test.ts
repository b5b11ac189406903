// identity L9: acts with weight in the management API ask a person for a recent sign-in, whichever transport they came
// through; the tables name every route that changes something.

import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { createTenant } from '../../src/directory/tenants/tenants.js'
import { lightActs, weightyActs } from '../../src/management/recent-sign-in/acts.js'
import { actOf, describeWeight, hasWeight } from '../../src/management/recent-sign-in/weight.js'
import { setOperator } from '../../src/users/accounts/user-state.js'
import { createUser } from '../../src/users/accounts/users.js'
import { atPortal, openCallers, withToken } from '../support/models/isolation.js'
import { type ManagementApp, openManagement, refusal } from '../support/rooms/management.js'

const guid = '00000000-0000-4000-8000-000000000000'
const challenge = 'Bearer realm="https://portcullis.test", resource_metadata="'

/**
 * For each act the least that its schema takes and that has weight. An act that is missing here is sent without a body.
 */
const bodies: Readonly<Record<string, unknown>> = {
  'POST /applications': { name: 'x', type: 'web', consent: true },
  'PATCH /applications/:id': { redirectUris: ['https://app.test/back'] },
  'POST /applications/:id/secrets': {},
  'POST /applications/:id/token': {},
  'POST /applications/:id/federatedCredentials': { name: 'x', issuer: 'https://x.test', subject: 'x' },
  'POST /applications/:id/owners': { userId: guid },
  'PUT /applications/:id/owners': { owners: [] },
  'PATCH /applications/:id/brand': { home: null },
  'PATCH /tenants/:id/brand': { accent: null },
  'PATCH /tenants/:id/toolRules': { rules: [{ route: '/x', tool: 'x', rule: 'allowed' }] },
  'POST /tenants/:id/brand/removal': { reason: 'x' },
  'POST /applications/:id/brand/removal': { reason: 'x' },
  'PUT /applications/:id/plan': { plan: null },
  'POST /applications/:id/planRequest': { plan: 'x' },
  'POST /applications/:id/consents': {},
  'POST /registrationTokens': { label: 'x' },
  'POST /imports': { content: '{}', update: true },
  'POST /imports/plan': { content: '{}' },
  'POST /consents': { applicationId: guid },
  'POST /consents/withdraw': { applicationId: guid },
  'PATCH /apis/:id': { permissions: [] },
  'POST /apis': { shortName: 'x', name: 'x', permissions: [] },
  'POST /tenants': { name: 'x' },
  'PATCH /tenants/:id': { userConsent: 'allowed' },
  'POST /tenants/:id/memberships': { userId: guid, role: 'owner' },
  'PATCH /tenants/:id/memberships/:userId': { role: 'owner' },
  'POST /users': { email: 'x@example.test', name: 'x' },
  'PATCH /users/:id': { operator: true },
  'POST /users/:id/providerLink': { email: 'x@example.test' },
  'POST /invitations': { email: 'x@example.test', role: 'owner' },
  'POST /recoveryLinks': { tenantId: guid, email: 'x@example.test' },
  'POST /webhooks': { url: 'https://x.test', events: ['*'] },
  'PATCH /webhooks/:id': { events: ['*'] },
  'POST /webhooks/:id/secret': {},
  'POST /keys/rotate': {},
  'PUT /applications/:id/permissions': { permissions: [] },
  'POST /applications/:id/removeUnused': { permissions: [{ kind: 'application', id: 'x' }] },
  'POST /explain': {},
  'POST /auditEvents/verification': { checkpoints: [] },
  'POST /toolChanges/:id/approve': { digest: 'a'.repeat(43) },
  'POST /auditEvents/pruning': { through: 1, withoutExport: true },
  'POST /revocations': { what: 'application', id: guid },
}

/** An owner of the tenant who is an operator too, so that nothing else refuses. */
async function openWithOperator(t: Test, options: Parameters<typeof openManagement>[1] = {}) {
  const testApp = await openManagement(t, options)
  const { tenantId } = await createTenant(testApp.writes, { name: 'Contoso' })
  await openCallers(testApp, tenantId)
  const person = { email: 'ada@example.test', name: 'Ada', membership: { tenantId, role: 'owner' as const } }
  const { userId } = await createUser(testApp.deps.users, person)
  await setOperator(testApp.deps.users, userId, true)
  const signedInAgo = (seconds: number) => ({ authTime: Math.floor(testApp.clock.nowMs / 1000) - seconds, acr: '1' })
  const all = testApp.catalogue.permissions.map(({ id }) => id)
  const entryPoints = (signIn: { authTime?: number; acr?: string }) => [
    ['session', atPortal(userId, tenantId, { acr: '1', authTime: Number.NaN, ...signIn })] as const,
    ['token', withToken({ testApp }, tenantId, all, userId, signIn)] as const,
  ]
  const act = (name: string) => {
    const [method = '', path = ''] = name.split(' ')
    const query = name.endsWith('/newRedirectOrigins') ? '?until=2026-01-01T00:00:00Z' : ''
    return testApp.manage(method as 'POST', path.replace(/:\w+/g, guid) + query, bodies[name])
  }
  return { testApp, tenantId, userId, signedInAgo, entryPoints, act, all }
}

function acts(testApp: ManagementApp): string[] {
  const changing = testApp.managementRoutes.filter(({ method }) => method !== 'GET')
  return changing.map(({ method, url }) => actOf(method, url))
}

t.test(
  'identity L9: every act of the management API either has weight or is listed with the reason why not',
  async (t) => {
    const testApp = await openManagement(t)
    const named = [...Object.keys(weightyActs), ...Object.keys(lightActs)]
    t.same([...new Set(acts(testApp))].sort(), [...named].sort(), 'each once, and none that is no route')
    for (const [act, reason] of Object.entries(lightActs)) t.ok(reason.length > 8, act)
    t.ok(hasWeight('POST', '/api/v2/somethingNew', undefined), 'what was forgotten asks')
    t.notOk(hasWeight('GET', '/api/v2/somethingNew', undefined))
  },
)

t.test(
  'identity L9: each act with weight refuses a person who signed in long ago, by session and by token',
  async (t) => {
    const { testApp, signedInAgo, entryPoints, act } = await openWithOperator(t)
    const ledger = () => testApp.store.reader.selectFrom('ledger').select('position').execute()
    const before = (await ledger()).length
    for (const [entryPoint, principal] of [...entryPoints(signedInAgo(601)), ...entryPoints({})]) {
      testApp.caller.principal = principal
      for (const name of Object.keys(weightyActs)) {
        const answer = await act(name)
        if (['POST /setUpLinks', 'POST /recoveryLinks'].includes(name)) {
          t.equal(answer.statusCode, 403, `${entryPoint} ${name} is for the local socket alone`)
          continue
        }
        const { status, code } = refusal(answer)
        t.same({ status, code }, { status: 401, code: 'RecentSignInRequired' }, `${entryPoint} ${name}`)
      }
    }
    t.equal((await ledger()).length, before, 'nothing was done')
  },
)

t.test('identity L9: acts without weight do not ask, and a recent sign-in may do everything', async (t) => {
  const { testApp, signedInAgo, entryPoints, act } = await openWithOperator(t)
  for (const [entryPoint, principal] of entryPoints(signedInAgo(86_400))) {
    testApp.caller.principal = principal
    for (const name of Object.keys(lightActs)) t.not((await act(name)).statusCode, 401, `${entryPoint} ${name}`)
  }
  for (const [entryPoint, principal] of entryPoints(signedInAgo(600))) {
    testApp.caller.principal = principal
    for (const name of Object.keys(weightyActs)) t.not((await act(name)).statusCode, 401, `${entryPoint} ${name}`)
  }
})

t.test('identity L9: RFC 9470 §3 the refusal says how old a sign-in may be, as signIn.recent has it', async (t) => {
  const { testApp, tenantId, userId, signedInAgo } = await openWithOperator(t, {
    identity: { signIn: { recentMs: 90_000 } },
  })
  testApp.caller.principal = withToken({ testApp }, tenantId, ['Tenant.ReadWrite.All'], userId, signedInAgo(91))
  const refused = await testApp.manage('PATCH', `/tenants/${tenantId}`, { userConsent: 'allowed' })
  const header = String(refused.headers['www-authenticate'])
  t.ok(header.startsWith(challenge), header)
  t.match(header, /, error="insufficient_user_authentication", error_description="[^"]+", max_age="90"$/)
  t.equal(refused.headers['cache-control'], 'no-store')
  t.match(refused.json().error, { code: 'RecentSignInRequired', max_age: 90, message: /at most 90 seconds old/ })
  testApp.caller.principal = withToken({ testApp }, tenantId, ['Tenant.ReadWrite.All'], userId, signedInAgo(90))
  t.equal((await testApp.manage('PATCH', `/tenants/${tenantId}`, { userConsent: 'allowed' })).statusCode, 200)
})

t.test('identity L9: what is missing or wrong otherwise is reported first', async (t) => {
  const { testApp, tenantId, userId, signedInAgo } = await openWithOperator(t)
  testApp.caller.principal = withToken({ testApp }, tenantId, ['Tenant.Read.All'], userId, signedInAgo(601))
  const change = (body: unknown) => testApp.manage('PATCH', `/tenants/${tenantId}`, body)
  t.equal((await change({ userConsent: 'allowed' })).statusCode, 403, 'the permission')
  testApp.caller.principal = atPortal(userId, tenantId, signedInAgo(601))
  t.equal((await change({ userConsent: 'whatever' })).statusCode, 400, 'the body')
  t.equal((await change({ name: 'Contoso Ltd' })).statusCode, 200, 'a name needs no recent sign-in')
})

t.test('identity L9: applications as themselves and the local socket need no recent sign-in', async (t) => {
  const { testApp, tenantId, act, all } = await openWithOperator(t)
  for (const principal of [withToken({ testApp }, tenantId, all), { kind: 'local' } as const]) {
    testApp.caller.principal = principal
    for (const name of Object.keys(weightyActs)) t.not((await act(name)).statusCode, 401, `${principal.kind} ${name}`)
  }
})

const byBody: readonly (readonly [act: string, body: unknown, weight: boolean])[] = [
  ['PATCH /applications/:id', { name: 'x', publisher: 'x', idTokenAlg: 'ES256' }, false],
  ['PATCH /applications/:id', { state: 'disabled' }, false],
  ['PATCH /applications/:id', { state: 'enabled' }, true],
  ...['redirectUris', 'adminConsentRedirectUris', 'logoutRedirectUris', 'jwks', 'authMethod', 'requirePkce'].map(
    (field) => ['PATCH /applications/:id', { name: 'x', [field]: null }, true] as const,
  ),
  ['PATCH /applications/:id', { verified: true }, true],
  ['PATCH /applications/:id', { somethingNew: 1 }, true],
  ['POST /applications', { name: 'x', type: 'web', redirectUris: [] }, false],
  ['POST /applications', { consent: true }, true],
  ['POST /applications', { verified: true }, true],
  ['POST /invitations', {}, false],
  ['POST /invitations', { role: 'developer' }, false],
  ['POST /invitations', { role: 'administrator' }, true],
  ['POST /invitations', { role: 'owner' }, true],
  ['PATCH /users/:id', { name: 'x' }, false],
  ['PATCH /users/:id', { state: 'disabled' }, false],
  ['PATCH /users/:id', { state: 'disabled', email: 'x' }, true],
  ['PATCH /users/:id', { operator: false }, true],
  ['PATCH /tenants/:id', { name: 'x' }, false],
  ['PATCH /tenants/:id', { deviceCodes: 'allowed' }, true],
  ['PATCH /apis/:id', { name: 'x' }, false],
  ['PATCH /webhooks/:id', { state: 'disabled' }, false],
  ['PATCH /webhooks/:id', { url: 'x' }, true],
  ['DELETE /keys/:kid', undefined, true],
  ['DELETE /sessions/:id', undefined, false],
]

t.test('identity L9: which fields of a body have weight; one that nobody thought of has', async (t) => {
  for (const [act, body, weight] of byBody) {
    const [method = '', path = ''] = act.split(' ')
    t.equal(hasWeight(method, `/api/v2${path}`, body), weight, `${act} ${JSON.stringify(body)}`)
  }
  t.equal(hasWeight('GET', `/api/v2/x${randomUUID()}`, undefined), false)
})

t.test('identity L9: the document of the API says where a recent sign-in is needed', async (t) => {
  t.match(describeWeight('DELETE', '/api/v2/keys/{kid}'), /^People need a recent sign-in .*RecentSignInRequired/)
  t.match(describeWeight('PATCH', '/api/v2/applications/{id}'), /^For some of this people need/)
  t.equal(describeWeight('GET', '/api/v2/applications/{id}'), undefined)
  t.equal(describeWeight('DELETE', '/api/v2/sessions/{id}'), undefined)
})
