// Revocation and introspection: a client and its own tokens.

import t from 'tap'
import { changeApplication } from '../../../src/directory/applications/application-changes.js'
import { addSecret, endSecret } from '../../../src/directory/credentials/secrets.js'
import { changeTenant } from '../../../src/directory/tenants/tenants.js'
import { revoke } from '../../../src/revocation/revoke.js'
import { StoreUnavailable } from '../../../src/storage/sql/store.js'
import { baseUrl, ownResource } from '../../support/rooms/directory.js'
import {
  type IdentityApp,
  introspectPath,
  openIdentity,
  readToken,
  revokePath,
  tokenPath,
  withAnotherSignature,
} from '../../support/rooms/identity.js'

async function clientWithToken(testApp: IdentityApp) {
  const made = await testApp.registerDemo()
  const fields = { client_id: made.registration.applicationId, client_secret: made.secret }
  const answer = await testApp.post(tokenPath, { ...fields, grant_type: 'client_credentials', scope: 'assets_read' })
  const token = answer.json().access_token as string
  return { ...made, fields, token, jti: String(readToken(token).claims['jti']) }
}

const isActive = async (testApp: IdentityApp, fields: Record<string, string>, token: string) =>
  (await testApp.post(introspectPath, { ...fields, token })).json().active

t.test('V1 a client revokes its own token: 200 without a body, refused from then on', async (t) => {
  const testApp = await openIdentity(t)
  const { fields, token, jti } = await clientWithToken(testApp)
  const second = await testApp.post(tokenPath, { ...fields, grant_type: 'client_credentials', scope: 'assets_read' })
  t.equal(await isActive(testApp, fields, token), true)
  const answer = await testApp.post(revokePath, { ...fields, token })
  t.equal(answer.statusCode, 200)
  t.equal(answer.body, '')
  t.ok(testApp.view.holds('token', jti), 'effective before the answer')
  t.equal(await isActive(testApp, fields, token), false)
  t.equal(await isActive(testApp, fields, second.json().access_token), true, 'the other token lives')
  t.equal((await testApp.post(revokePath, { ...fields, token })).statusCode, 200, 'again is fine (RFC 7009 §2.2)')
})

t.test("V1 what is unknown, expired, forged or another client's is 200, and nothing happens", async (t) => {
  const testApp = await openIdentity(t)
  const mine = await clientWithToken(testApp)
  const other = await clientWithToken(testApp)
  const { seq } = testApp.feed
  const forged = withAnotherSignature(mine.token)
  for (const token of ['x', 'a.b.c', forged, other.token, `${mine.token}\n`, 'pcl_sk_1', mine.jti]) {
    const answer = await testApp.post(revokePath, { ...mine.fields, token })
    t.equal(answer.statusCode, 200, token.slice(0, 20))
    t.equal(answer.body, '')
  }
  t.equal(testApp.feed.seq, seq, 'nothing was written')
  t.equal(await isActive(testApp, other.fields, other.token), true)
  testApp.clock.nowMs += 3_661_000
  t.equal((await testApp.post(revokePath, { ...mine.fields, token: mine.token })).statusCode, 200)
  t.equal(testApp.feed.seq, seq)
})

t.test('V7 a wrong or unknown token_type_hint still works (RFC 7009 §2.1)', async (t) => {
  const testApp = await openIdentity(t)
  for (const hint of ['refresh_token', 'access_token', 'nonsense', '']) {
    const { fields, token } = await clientWithToken(testApp)
    const shown = await testApp.post(introspectPath, { ...fields, token, token_type_hint: hint })
    t.equal(shown.json().active, true, `introspection with ${hint}`)
    t.equal((await testApp.post(revokePath, { ...fields, token, token_type_hint: hint })).statusCode, 200)
    t.equal(await isActive(testApp, fields, token), false, `revocation with ${hint}`)
  }
})

t.test('V7 introspection is never stored, and only a POST is answered (RFC 7662 §2.1, §4)', async (t) => {
  const testApp = await openIdentity(t)
  const { fields, token } = await clientWithToken(testApp)
  for (const shown of [token, 'x']) {
    const { headers } = await testApp.post(introspectPath, { ...fields, token: shown })
    t.match(headers, { 'cache-control': 'no-store', pragma: 'no-cache' })
  }
  const authorization = `Basic ${Buffer.from(`${fields.client_id}:${fields.client_secret}`).toString('base64')}`
  for (const url of [introspectPath, `${introspectPath}?token=x`]) {
    const get = await testApp.ask({ method: 'GET', url, headers: { authorization } })
    t.equal(get.statusCode, 405)
    t.equal(get.headers['allow'], 'POST')
    t.notMatch(get.body, /active/)
  }
})

t.test('V2 V6 both endpoints need an authenticated client and a token', async (t) => {
  const testApp = await openIdentity(t)
  const { fields, token, jti } = await clientWithToken(testApp)
  for (const path of [revokePath, introspectPath]) {
    for (const bad of [{}, { client_id: fields.client_id }, { ...fields, client_secret: 'x' }]) {
      const answer = await testApp.post(path, { ...bad, token })
      t.equal(answer.statusCode, 401, path)
      t.match(answer.json(), { error: 'invalid_client', error_codes: [70002] })
    }
    const missing = await testApp.post(path, fields)
    t.equal(missing.statusCode, 400)
    t.match(missing.json(), { error: 'invalid_request', error_codes: [900144], error_description: /token/ })
  }
  t.notOk(testApp.view.holds('token', jti), 'nobody revoked it')
})

t.test('V2 a native client names itself to revoke, and may not introspect', async (t) => {
  const testApp = await openIdentity(t)
  const { token, jti } = await clientWithToken(testApp)
  const native = (await testApp.registerDemo({ type: 'native' })).registration.applicationId
  t.equal((await testApp.post(revokePath, { client_id: native, token })).statusCode, 200)
  t.notOk(testApp.view.holds('token', jti), "another's token")
  const answer = await testApp.post(introspectPath, { client_id: native, token })
  t.equal(answer.statusCode, 400)
  t.match(answer.json(), { error: 'unauthorized_client', error_codes: [7000218] })
})

t.test('V4 a revocation that is not durable is 503 with Retry-After, never 200', async (t) => {
  let broken = false
  const testApp = await openIdentity(t, {
    replace: ({ feed }) => ({
      feed: new Proxy(feed, {
        get: (target, key) => {
          if (key === 'commit' && broken) return () => Promise.reject(new StoreUnavailable('disk full'))
          return Reflect.get(target, key)
        },
      }),
    }),
  })
  const { fields, token } = await clientWithToken(testApp)
  broken = true
  const answer = await testApp.post(revokePath, { ...fields, token })
  t.equal(answer.statusCode, 503)
  t.match(answer.json(), { error: 'temporarily_unavailable', error_codes: [90033] })
  t.match(answer.headers['retry-after'], /^[1-9]\d*$/)
  broken = false
  t.equal(await isActive(testApp, fields, token), true, 'nothing was promised')
  t.equal((await testApp.post(revokePath, { ...fields, token })).statusCode, 200)
  t.equal(await isActive(testApp, fields, token), false)
})

t.test('V4 V5 a repeated revocation is 200 only when it too is known everywhere', async (t) => {
  let isConfirmed = false
  const testApp = await openIdentity(t, {
    replace: ({ feed }) => ({
      feed: new Proxy(feed, {
        get: (target, key) => {
          if (key !== 'commit' || isConfirmed) return Reflect.get(target, key)
          return async (work: Parameters<typeof target.commit>[0]) => {
            await target.commit(work)
            throw new StoreUnavailable('committed, but not confirmed by every instance')
          }
        },
      }),
    }),
  })
  isConfirmed = true
  const { fields, token, jti } = await clientWithToken(testApp)
  isConfirmed = false
  const revokeIt = async () => (await testApp.post(revokePath, { ...fields, token })).statusCode
  t.equal(await revokeIt(), 503)
  t.ok(testApp.view.holds('token', jti), 'this instance refuses it already')
  t.equal(await revokeIt(), 503, 'of the others nobody knows more than before')
  isConfirmed = true
  t.equal(await revokeIt(), 200)
})

t.test('V6 an active token is described with its claims', async (t) => {
  const testApp = await openIdentity(t)
  const { fields, token, tenantId } = await clientWithToken(testApp)
  const { claims } = readToken(token)
  const answer = await testApp.post(introspectPath, { ...fields, token })
  t.same(answer.json(), {
    active: true,
    scope: 'assets_read',
    client_id: fields.client_id,
    token_type: 'Bearer',
    exp: claims['exp'],
    iat: claims['iat'],
    nbf: claims['nbf'],
    sub: fields.client_id,
    aud: ownResource,
    iss: baseUrl,
    jti: claims['jti'],
    tid: tenantId,
    idtyp: 'app',
    roles: ['assets_read'],
  })
})

t.test('V6 anything else is exactly {"active":false}', async (t) => {
  const testApp = await openIdentity(t)
  const mine = await clientWithToken(testApp)
  const other = await clientWithToken(testApp)
  const inactive = async (title: string, token: string) =>
    t.equal((await testApp.post(introspectPath, { ...mine.fields, token })).body, '{"active":false}', title)
  await inactive('nonsense', 'x')
  await inactive('forged', withAnotherSignature(mine.token))
  await inactive("another client's", other.token)
  await revoke(testApp.writes, { what: 'token', id: mine.jti })
  await inactive('revoked', mine.token)
  testApp.clock.nowMs += 3_600_000
  const fresh = await clientWithToken(testApp)
  const expired = await testApp.post(introspectPath, { ...other.fields, token: other.token })
  t.equal(expired.body, '{"active":false}', 'expired, without leeway')
  t.equal(await isActive(testApp, fresh.fields, fresh.token), true)
})

t.test('V6 a token of an ended secret, a disabled application or a disabled tenant is not active', async (t) => {
  const testApp = await openIdentity(t)
  const { fields, token, registration, keyId, tenantId } = await clientWithToken(testApp)
  const { applicationId } = registration
  const { claims } = readToken(token)
  const refusal = () =>
    testApp.view.refusal(
      { jti: String(claims['jti']), credentialId: keyId, applicationId, tenantId, seq: Number(claims['seq']) },
      testApp.now(),
    )
  await changeTenant(testApp.writes, tenantId, { state: 'disabled' })
  t.equal(await isActive(testApp, fields, token), false, 'tenant')
  await changeTenant(testApp.writes, tenantId, { state: 'enabled' })
  t.equal(await isActive(testApp, fields, token), true)
  await changeApplication(testApp.writes, applicationId, { state: 'disabled' })
  t.equal(
    (await testApp.post(introspectPath, { ...fields, token })).statusCode,
    401,
    'a disabled application may not ask',
  )
  t.equal(refusal(), 'application_disabled')
  await changeApplication(testApp.writes, applicationId, { state: 'enabled' })
  await endSecret(testApp.writes, { applicationId, keyId })
  t.equal((await testApp.post(introspectPath, { ...fields, token })).statusCode, 401, 'an ended secret may not ask')
  t.ok(refusal())
  const next = await addSecret(testApp.writes, applicationId, { label: 'next', lifetimeMs: 3_600_000 })
  const renewed = await testApp.post(introspectPath, { ...fields, client_secret: next.secret, token })
  t.equal(renewed.body, '{"active":false}', 'and with another secret one learns that the token ended with the first')
})

t.test('V6 a stale view vouches for nothing: 503', async (t) => {
  let stale = false
  const testApp = await openIdentity(t, {
    replace: ({ view }) => ({
      view: new Proxy(view, { get: (v, key) => (key === 'isStale' ? () => stale : Reflect.get(v, key)) }),
    }),
  })
  const { fields, token } = await clientWithToken(testApp)
  stale = true
  const answer = await testApp.post(introspectPath, { ...fields, token })
  t.equal(answer.statusCode, 503)
  t.match(answer.json(), { error: 'temporarily_unavailable' })
})

t.test('gateway H6: who revokes without end must wait, and keeps nobody else from it', async (t) => {
  const algorithm = { kind: 'rate', limit: 1, periodMs: 3_600_000, burst: 20 } as const
  const by = ['application', 'tenant', 'user'] as const
  const testApp = await openIdentity(t, { limits: { 'token-revocation': { name: 'token-revocation', by, algorithm } } })
  const mine = await clientWithToken(testApp)
  const other = await clientWithToken(testApp)
  const statuses = new Set<number>()
  for (let at = 0; at < 100 && !statuses.has(429); at += 1) {
    const answer = await testApp.post(revokePath, { ...mine.fields, token: mine.token })
    statuses.add(answer.statusCode)
    if (answer.statusCode === 429) t.ok(Number(answer.headers['retry-after']) > 0)
  }
  t.same([...statuses], [200, 429])
  t.equal((await testApp.post(revokePath, { ...other.fields, token: other.token })).statusCode, 200)
})
