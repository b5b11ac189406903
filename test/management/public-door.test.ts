// The management API for whoever has an access token: the same refusals as at the gate, limits before and after the token
// is known, nothing decided on an old view.

import t, { type Test } from 'tap'
import { revoke } from '../../src/revocation/revoke.js'
import { openManagement } from '../support/management.js'

const baseUrl = 'https://portcullis.test'
const metadata = `resource_metadata="${baseUrl}/.well-known/oauth-protected-resource/api/v2"`

async function open(t: Test, options: Parameters<typeof openManagement>[1] = {}) {
  const house = await openManagement(t, options)
  const resource = house.catalogue.own.id
  const permissions = ['Application.Read.All', 'assets_read'].map((id) => ({
    ...{ kind: 'application' as const, resource, id },
  }))
  const { registration, secret, tenantId } = await house.registerDemo({ permissions })
  const client = { client_id: registration.applicationId, client_secret: secret, grant_type: 'client_credentials' }
  const token = async (scope: string) => {
    const answer = await house.post('/api/v2/oauth2/v2.0/token', { ...client, scope })
    if (answer.statusCode !== 200) throw new Error(answer.body)
    return answer.json().access_token as string
  }
  house.caller.principal = 'token'
  const call = (method: 'GET' | 'POST', path: string, token?: string, body?: unknown) =>
    house.manage(method, path, body, token === undefined ? {} : { authorization: `Bearer ${token}` })
  return { house, token, call, registration, tenantId }
}

t.test('J14 J15 no token, a wrong one, two, and one in the query are refused as at the gate', async (t) => {
  const { call, house, token } = await open(t)
  const none = await call('GET', '/applications')
  t.equal(none.statusCode, 401)
  t.equal(none.json().error.code, 'AuthenticationRequired')
  t.equal(none.headers['www-authenticate'], `Bearer realm="${baseUrl}", ${metadata}`)
  const wrong = await call('GET', '/applications', 'abc.def.ghi')
  t.equal(wrong.statusCode, 401)
  t.match(wrong.headers['www-authenticate'], /error="invalid_token"/)
  const good = await token('Application.Read.All')
  t.equal((await call('GET', `/applications?access_token=${good}`)).statusCode, 400)
  t.equal((await house.manage('POST', '/applications', {}, {})).statusCode, 401, 'a body is not read before')
})

t.test('J13 a token opens what its permission is for; what is missing is said with how to mend it', async (t) => {
  const { call, token, registration, tenantId, house } = await open(t)
  const good = await token('Application.Read.All')
  const list = await call('GET', '/applications', good)
  t.equal(list.statusCode, 200)
  t.same(
    list.json().value.map(({ applicationId }: { applicationId: string }) => applicationId),
    [registration.applicationId],
  )
  t.equal(list.headers['cache-control'], 'no-store')
  const missing = await call('POST', '/applications', good, { name: 'x', type: 'web' })
  t.equal(missing.statusCode, 403)
  t.match(missing.headers['www-authenticate'], /error="insufficient_scope", scope="Application.ReadWrite.All"/)
  const { permission, consent_uri: consentUri } = missing.json().error
  t.match(permission, { id: 'Application.ReadWrite.All', kind: 'application', status: 'not_configured' })
  t.match(consentUri, new RegExp(tenantId))
  house.caller.principal = { kind: 'local' }
  const recorded = await house.manage('GET', `/explain/${missing.json().error.innerError['request-id']}`)
  t.equal(recorded.statusCode, 200, 'the owners can look it up')
  t.match(recorded.body, /insufficient_scope.*management/s)
  house.caller.principal = 'token'
  const other = await call('GET', '/applications', await token('assets_read'))
  t.match(other.json().error.permission, { id: 'Application.Read.All', status: 'not_requested' })
})

t.test('V5 a revoked token is refused at once, and on an old view nobody is let in', async (t) => {
  const { call, house, token, registration } = await open(t)
  const good = await token('Application.Read.All')
  t.equal((await call('GET', '/applications', good)).statusCode, 200)
  await revoke(house.writes, { what: 'application', id: registration.applicationId })
  t.equal((await call('GET', '/applications', good)).statusCode, 401)
  const fresh = await token('Application.Read.All')
  t.equal((await call('GET', '/applications', fresh)).statusCode, 200)
  Object.assign(house.view, { isStale: () => true })
  const stale = await call('GET', '/applications', fresh)
  t.equal(stale.statusCode, 503)
  t.ok(Number(stale.headers['retry-after']) > 0)
})

t.test('K7 limits: by address before the token is looked at, by application after', async (t) => {
  const rate = (by: 'address' | 'application', limit: number) => ({
    ...{ name: by, by: [by] },
    algorithm: { kind: 'rate' as const, limit, periodMs: 60_000, burst: limit },
  })
  const byAddress = await open(t, { identity: { limits: { address: rate('address', 3) } } })
  for (let i = 0; i < 3; i += 1) await byAddress.call('GET', '/applications')
  const refused = await byAddress.call('GET', '/applications')
  t.equal(refused.statusCode, 429)
  t.equal(refused.json().error.code, 'TooManyRequests')
  t.ok(refused.headers['retry-after'])
  const byApplication = await open(t, { identity: { limits: { application: rate('application', 3) } } })
  const good = await byApplication.token('Application.Read.All')
  const statuses = []
  for (let i = 0; i < 4; i += 1) statuses.push((await byApplication.call('GET', '/permissions', good)).statusCode)
  t.match(statuses, [403, 403, 429], 'the token request counted too')
  t.equal((await byApplication.call('GET', '/applications')).statusCode, 401, 'strangers use nobody’s budget')
})
