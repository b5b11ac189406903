// Federated credentials and registration tokens over the management API; what a credential or a token then does is in
// test/identity/client/federation.test.ts and test/conformance/rfc7591.test.ts.

import t from 'tap'
import { createTenant } from '../../src/directory/tenants/tenants.js'
import { createUser } from '../../src/users/accounts/users.js'
import { atPortal } from '../support/models/isolation.js'
import { openManagement, refusal } from '../support/rooms/management.js'
import { redirectUri, registerPath } from '../support/rooms/registering.js'
import { newKeyPair } from '../support/tokens/key-pair.js'

const trust = { name: 'orders', issuer: 'https://issuer.example', subject: 'system:serviceaccount:shop:orders' }
const keyPair = await newKeyPair('ec', { namedCurve: 'P-256' })
const jwks = { keys: [{ ...keyPair.publicKey.export({ format: 'jwk' }), kid: 'one' }] }
const nobody = '00000000-0000-4000-8000-000000000000'

t.test('an application trusts issuers: added, listed, removed, each in the ledger', async (t) => {
  const testApp = await openManagement(t)
  const { registration } = await testApp.registerDemo()
  const path = `/applications/${registration.applicationId}/federatedCredentials`
  const added = await testApp.manage('POST', path, trust)
  t.equal(added.statusCode, 201)
  const body = added.json()
  t.match(body, {
    ...trust,
    id: /^fed_[0-9A-Za-z]{13}$/,
    audience: 'https://portcullis.test',
    jwks: null,
    lastUsedAt: null,
  })
  t.equal(added.headers.location, `/api/v2${path}/${body.id}`)
  testApp.clock.nowMs += 1
  const keyed = (await testApp.manage('POST', path, { ...trust, audience: 'api://x', jwks })).json()
  t.match(keyed.jwks, { keys: [{ kid: 'one', alg: 'ES256' }] })
  t.same((await testApp.manage('GET', path)).json(), { value: [body, keyed] })
  t.equal((await testApp.manage('DELETE', `${path}/${body.id}`)).statusCode, 204)
  t.same((await testApp.manage('GET', path)).json(), { value: [keyed] })
  const { value } = (await testApp.manage('GET', '/auditEvents?$top=2')).json()
  t.match(value, [
    { event: 'federated-credential.removed', details: { id: body.id, keys: 'issuer' } },
    { event: 'federated-credential.added', details: { id: keyed.id, keys: 'configured' } },
  ])
  const revoke = (id: string) => testApp.manage('POST', '/revocations', { what: 'credential', id })
  t.equal((await revoke(keyed.id)).statusCode, 200, 'revoking it is the same')
  t.match(refusal(await revoke(keyed.id)), { status: 404, code: 'FederatedCredentialNotFound' })
  t.same((await testApp.manage('GET', path)).json(), { value: [] })
})

t.test('what cannot be trusted is refused, and nothing is written', async (t) => {
  const testApp = await openManagement(t)
  const { registration } = await testApp.registerDemo()
  const path = `/applications/${registration.applicationId}/federatedCredentials`
  await testApp.manage('POST', path, trust)
  const cases: [string, unknown, number, string][] = [
    [path, { ...trust, issuer: 'http://issuer.example' }, 400, 'InvalidFederation'],
    [path, { ...trust, subject: 'repo:*' }, 400, 'InvalidFederation'],
    [path, { ...trust, name: '' }, 400, 'InvalidName'],
    [path, { ...trust, jwks: { keys: [] } }, 400, 'InvalidKeys'],
    [path, { ...trust, more: true }, 400, 'InvalidRequest'],
    [path, { name: 'x' }, 400, 'InvalidRequest'],
    [path, trust, 409, 'FederatedCredentialExists'],
    [`/applications/${nobody}/federatedCredentials`, trust, 404, 'ApplicationNotFound'],
  ]
  for (const [where, body, status, code] of cases)
    t.match(refusal(await testApp.manage('POST', where, body)), { status, code })
  t.match(refusal(await testApp.manage('DELETE', `${path}/fed_nobody`)), {
    status: 404,
    code: 'FederatedCredentialNotFound',
  })
  const native = await testApp.registerDemo({ type: 'native' })
  const nativePath = `/applications/${native.registration.applicationId}/federatedCredentials`
  t.match(refusal(await testApp.manage('POST', nativePath, trust)), { status: 400, code: 'NativeApplication' })
  t.equal((await testApp.manage('GET', path)).json().value.length, 1)
})

t.test('a registration token is made by an administrator, shown once, used, listed and revoked', async (t) => {
  const testApp = await openManagement(t)
  const { tenantId } = await createTenant(testApp.writes, { name: 'Home' })
  const person = async (role: 'administrator' | 'developer') => {
    const membership = { tenantId, role }
    return (await createUser(testApp.deps.users, { email: `${role}@x.test`, name: role, membership })).userId
  }
  const administrator = await person('administrator')
  testApp.caller.principal = atPortal(administrator, tenantId)
  const permissions = [{ kind: 'delegated', id: 'User.Read' }]
  const created = await testApp.manage('POST', '/registrationTokens', { label: 'pipeline', uses: 2, permissions })
  t.equal(created.statusCode, 201)
  t.equal(created.headers['cache-control'], 'no-store')
  const { token, registrationEndpoint, ...rest } = created.json()
  t.match(token, /^pcl_it_[0-9A-Za-z]{43}$/)
  t.equal(registrationEndpoint, `https://portcullis.test${registerPath}`)
  t.match(rest, { tenantId, label: 'pipeline', createdBy: administrator, usesLeft: 2 })
  t.equal(Date.parse(rest.expiresAt) - testApp.clock.nowMs, 86_400_000)
  const register = () =>
    testApp.ask({
      ...{ method: 'POST', url: registerPath, payload: { redirect_uris: [redirectUri], scope: 'User.Read' } },
      headers: { authorization: `Bearer ${token}` },
    })
  t.equal((await register()).statusCode, 201)
  const listed = (await testApp.manage('GET', '/registrationTokens')).json()
  t.same(listed, { value: [{ ...rest, usesLeft: 1 }] }, 'U9 the token itself is not shown again')
  t.equal((await testApp.manage('DELETE', `/registrationTokens/${rest.id}`)).statusCode, 204)
  t.equal((await register()).statusCode, 401)
  t.same((await testApp.manage('GET', '/registrationTokens')).json(), { value: [] })
  testApp.caller.principal = { kind: 'local' }
  const { value } = (await testApp.manage('GET', '/auditEvents?$top=4')).json()
  t.match(
    value.map(({ event }: { event: string }) => event),
    ['registration-token.revoked', 'secret.created', 'application.registered', 'registration-token.created'],
  )
  t.notMatch(JSON.stringify(value) + testApp.managementLog.join(''), token, 'K8')
  testApp.caller.principal = atPortal(await person('developer'), tenantId)
  t.match(refusal(await testApp.manage('POST', '/registrationTokens', { label: 'x' })), {
    status: 403,
    code: 'RoleRequired',
  })
})

t.test('a token beyond its bounds is refused', async (t) => {
  const testApp = await openManagement(t)
  const { tenantId } = await createTenant(testApp.writes, { name: 'Home' })
  const cases: [unknown, number, string][] = [
    [{}, 400, 'InvalidRequest'],
    [{ label: '' }, 400, 'InvalidName'],
    [{ label: 'x', uses: 0 }, 400, 'InvalidRequest'],
    [{ label: 'x', uses: 1_001 }, 400, 'InvalidRequest'],
    [{ label: 'x', expiresInHours: 2_161 }, 400, 'InvalidRequest'],
    [{ label: 'x', permissions: [{ kind: 'delegated', id: 'Nothing' }] }, 400, 'UnknownPermission'],
    [{ label: 'x', tenantId: nobody }, 404, 'TenantNotFound'],
  ]
  for (const [body, status, code] of cases) {
    t.match(refusal(await testApp.manage('POST', '/registrationTokens', body)), { status, code }, JSON.stringify(body))
  }
  t.match(refusal(await testApp.manage('DELETE', `/registrationTokens/${nobody}`)), { status: 404 })
  t.match(refusal(await testApp.manage('DELETE', '/registrationTokens/x')), { status: 404 })
  for (let n = 0; n < 100; n += 1) await testApp.manage('POST', '/registrationTokens', { label: 'x', tenantId })
  t.match(refusal(await testApp.manage('POST', '/registrationTokens', { label: 'x', tenantId })), {
    ...{ status: 409, code: 'TooManyRegistrationTokens' },
  })
  testApp.clock.nowMs += 86_400_000
  t.equal(
    (await testApp.manage('POST', '/registrationTokens', { label: 'x', tenantId })).statusCode,
    201,
    'those ended',
  )
})
