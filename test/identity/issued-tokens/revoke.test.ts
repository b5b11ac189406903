// Revocation and introspection: a client and its own tokens.

import t from 'tap'
import { changeApplication } from '../../../src/directory/applications/registration.js'
import { addSecret, endSecret } from '../../../src/directory/credentials/secrets.js'
import { changeTenant } from '../../../src/directory/tenants/tenants.js'
import { revoke } from '../../../src/revocation/revoke.js'
import { StoreUnavailable } from '../../../src/storage/sql/store.js'
import { baseUrl, ownResource } from '../../support/rooms/directory.js'
import {
  type IdentityHouse,
  introspectPath,
  openIdentity,
  readToken,
  revokePath,
  tokenPath,
  withAnotherSignature,
} from '../../support/rooms/identity.js'

async function clientWithToken(house: IdentityHouse) {
  const made = await house.registerDemo()
  const fields = { client_id: made.registration.applicationId, client_secret: made.secret }
  const answer = await house.post(tokenPath, { ...fields, grant_type: 'client_credentials', scope: 'assets_read' })
  const token = answer.json().access_token as string
  return { ...made, fields, token, jti: String(readToken(token).claims['jti']) }
}

const isActive = async (house: IdentityHouse, fields: Record<string, string>, token: string) =>
  (await house.post(introspectPath, { ...fields, token })).json().active

t.test('V1 a client revokes its own token: 200 without a body, refused from then on', async (t) => {
  const house = await openIdentity(t)
  const { fields, token, jti } = await clientWithToken(house)
  const second = await house.post(tokenPath, { ...fields, grant_type: 'client_credentials', scope: 'assets_read' })
  t.equal(await isActive(house, fields, token), true)
  const answer = await house.post(revokePath, { ...fields, token })
  t.equal(answer.statusCode, 200)
  t.equal(answer.body, '')
  t.ok(house.view.holds('token', jti), 'effective before the answer')
  t.equal(await isActive(house, fields, token), false)
  t.equal(await isActive(house, fields, second.json().access_token), true, 'the other token lives')
  t.equal((await house.post(revokePath, { ...fields, token })).statusCode, 200, 'again is fine (RFC 7009 §2.2)')
})

t.test("V1 what is unknown, expired, forged or another client's is 200, and nothing happens", async (t) => {
  const house = await openIdentity(t)
  const mine = await clientWithToken(house)
  const other = await clientWithToken(house)
  const { seq } = house.feed
  const forged = withAnotherSignature(mine.token)
  for (const token of ['x', 'a.b.c', forged, other.token, `${mine.token}\n`, 'pcl_sk_1', mine.jti]) {
    const answer = await house.post(revokePath, { ...mine.fields, token })
    t.equal(answer.statusCode, 200, token.slice(0, 20))
    t.equal(answer.body, '')
  }
  t.equal(house.feed.seq, seq, 'nothing was written')
  t.equal(await isActive(house, other.fields, other.token), true)
  house.clock.nowMs += 3_661_000
  t.equal((await house.post(revokePath, { ...mine.fields, token: mine.token })).statusCode, 200)
  t.equal(house.feed.seq, seq)
})

t.test('V7 a wrong or unknown token_type_hint still works (RFC 7009 §2.1)', async (t) => {
  const house = await openIdentity(t)
  for (const hint of ['refresh_token', 'access_token', 'nonsense', '']) {
    const { fields, token } = await clientWithToken(house)
    const shown = await house.post(introspectPath, { ...fields, token, token_type_hint: hint })
    t.equal(shown.json().active, true, `introspection with ${hint}`)
    t.equal((await house.post(revokePath, { ...fields, token, token_type_hint: hint })).statusCode, 200)
    t.equal(await isActive(house, fields, token), false, `revocation with ${hint}`)
  }
})

t.test('V7 introspection is never stored, and only a POST is answered (RFC 7662 §2.1, §4)', async (t) => {
  const house = await openIdentity(t)
  const { fields, token } = await clientWithToken(house)
  for (const shown of [token, 'x']) {
    const { headers } = await house.post(introspectPath, { ...fields, token: shown })
    t.match(headers, { 'cache-control': 'no-store', pragma: 'no-cache' })
  }
  const authorization = `Basic ${Buffer.from(`${fields.client_id}:${fields.client_secret}`).toString('base64')}`
  for (const url of [introspectPath, `${introspectPath}?token=x`]) {
    const get = await house.ask({ method: 'GET', url, headers: { authorization } })
    t.equal(get.statusCode, 405)
    t.equal(get.headers['allow'], 'POST')
    t.notMatch(get.body, /active/)
  }
})

t.test('V2 V6 both endpoints need an authenticated client and a token', async (t) => {
  const house = await openIdentity(t)
  const { fields, token, jti } = await clientWithToken(house)
  for (const path of [revokePath, introspectPath]) {
    for (const bad of [{}, { client_id: fields.client_id }, { ...fields, client_secret: 'x' }]) {
      const answer = await house.post(path, { ...bad, token })
      t.equal(answer.statusCode, 401, path)
      t.match(answer.json(), { error: 'invalid_client', error_codes: [70002] })
    }
    const missing = await house.post(path, fields)
    t.equal(missing.statusCode, 400)
    t.match(missing.json(), { error: 'invalid_request', error_codes: [900144], error_description: /token/ })
  }
  t.notOk(house.view.holds('token', jti), 'nobody revoked it')
})

t.test('V2 a native client names itself to revoke, and may not introspect', async (t) => {
  const house = await openIdentity(t)
  const { token, jti } = await clientWithToken(house)
  const native = (await house.registerDemo({ type: 'native' })).registration.applicationId
  t.equal((await house.post(revokePath, { client_id: native, token })).statusCode, 200)
  t.notOk(house.view.holds('token', jti), "another's token")
  const answer = await house.post(introspectPath, { client_id: native, token })
  t.equal(answer.statusCode, 400)
  t.match(answer.json(), { error: 'unauthorized_client', error_codes: [7000218] })
})

t.test('V4 a revocation that is not durable is 503 with Retry-After, never 200', async (t) => {
  let broken = false
  const house = await openIdentity(t, {
    replace: ({ feed }) => ({
      feed: new Proxy(feed, {
        get: (target, key) => {
          if (key === 'commit' && broken) return () => Promise.reject(new StoreUnavailable('disk full'))
          return Reflect.get(target, key)
        },
      }),
    }),
  })
  const { fields, token } = await clientWithToken(house)
  broken = true
  const answer = await house.post(revokePath, { ...fields, token })
  t.equal(answer.statusCode, 503)
  t.match(answer.json(), { error: 'temporarily_unavailable', error_codes: [90033] })
  t.match(answer.headers['retry-after'], /^[1-9]\d*$/)
  broken = false
  t.equal(await isActive(house, fields, token), true, 'nothing was promised')
  t.equal((await house.post(revokePath, { ...fields, token })).statusCode, 200)
  t.equal(await isActive(house, fields, token), false)
})

t.test('V4 V5 a repeated revocation is 200 only when it too is known everywhere', async (t) => {
  let isConfirmed = false
  const house = await openIdentity(t, {
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
  const { fields, token, jti } = await clientWithToken(house)
  isConfirmed = false
  const revokeIt = async () => (await house.post(revokePath, { ...fields, token })).statusCode
  t.equal(await revokeIt(), 503)
  t.ok(house.view.holds('token', jti), 'this instance refuses it already')
  t.equal(await revokeIt(), 503, 'of the others nobody knows more than before')
  isConfirmed = true
  t.equal(await revokeIt(), 200)
})

t.test('V6 an active token is described with its claims', async (t) => {
  const house = await openIdentity(t)
  const { fields, token, tenantId } = await clientWithToken(house)
  const { claims } = readToken(token)
  const answer = await house.post(introspectPath, { ...fields, token })
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
  const house = await openIdentity(t)
  const mine = await clientWithToken(house)
  const other = await clientWithToken(house)
  const inactive = async (title: string, token: string) =>
    t.equal((await house.post(introspectPath, { ...mine.fields, token })).body, '{"active":false}', title)
  await inactive('nonsense', 'x')
  await inactive('forged', withAnotherSignature(mine.token))
  await inactive("another client's", other.token)
  await revoke(house.writes, { what: 'token', id: mine.jti })
  await inactive('revoked', mine.token)
  house.clock.nowMs += 3_600_000
  const fresh = await clientWithToken(house)
  const expired = await house.post(introspectPath, { ...other.fields, token: other.token })
  t.equal(expired.body, '{"active":false}', 'expired, without leeway')
  t.equal(await isActive(house, fresh.fields, fresh.token), true)
})

t.test('V6 a token of an ended secret, a disabled application or a disabled tenant is not active', async (t) => {
  const house = await openIdentity(t)
  const { fields, token, registration, keyId, tenantId } = await clientWithToken(house)
  const { applicationId } = registration
  const { claims } = readToken(token)
  const refusal = () =>
    house.view.refusal(
      { jti: String(claims['jti']), credentialId: keyId, applicationId, tenantId, seq: Number(claims['seq']) },
      house.now(),
    )
  await changeTenant(house.writes, tenantId, { state: 'disabled' })
  t.equal(await isActive(house, fields, token), false, 'tenant')
  await changeTenant(house.writes, tenantId, { state: 'enabled' })
  t.equal(await isActive(house, fields, token), true)
  await changeApplication(house.writes, applicationId, { state: 'disabled' })
  t.equal(
    (await house.post(introspectPath, { ...fields, token })).statusCode,
    401,
    'a disabled application may not ask',
  )
  t.equal(refusal(), 'application_disabled')
  await changeApplication(house.writes, applicationId, { state: 'enabled' })
  await endSecret(house.writes, { applicationId, keyId })
  t.equal((await house.post(introspectPath, { ...fields, token })).statusCode, 401, 'an ended secret may not ask')
  t.ok(refusal())
  const next = await addSecret(house.writes, applicationId, { label: 'next', lifetimeMs: 3_600_000 })
  const renewed = await house.post(introspectPath, { ...fields, client_secret: next.secret, token })
  t.equal(renewed.body, '{"active":false}', 'and with another secret one learns that the token ended with the first')
})

t.test('V6 a stale view vouches for nothing: 503', async (t) => {
  let stale = false
  const house = await openIdentity(t, {
    replace: ({ view }) => ({
      view: new Proxy(view, { get: (v, key) => (key === 'isStale' ? () => stale : Reflect.get(v, key)) }),
    }),
  })
  const { fields, token } = await clientWithToken(house)
  stale = true
  const answer = await house.post(introspectPath, { ...fields, token })
  t.equal(answer.statusCode, 503)
  t.match(answer.json(), { error: 'temporarily_unavailable' })
})

t.test('gateway H6: who revokes without end is told to wait, and keeps nobody else from it', async (t) => {
  const algorithm = { kind: 'rate', limit: 1, periodMs: 3_600_000, burst: 20 } as const
  const by = ['application', 'tenant', 'user'] as const
  const house = await openIdentity(t, { limits: { 'token-revocation': { name: 'token-revocation', by, algorithm } } })
  const mine = await clientWithToken(house)
  const other = await clientWithToken(house)
  const statuses = new Set<number>()
  for (let at = 0; at < 100 && !statuses.has(429); at += 1) {
    const answer = await house.post(revokePath, { ...mine.fields, token: mine.token })
    statuses.add(answer.statusCode)
    if (answer.statusCode === 429) t.ok(Number(answer.headers['retry-after']) > 0)
  }
  t.same([...statuses], [200, 429])
  t.equal((await house.post(revokePath, { ...other.fields, token: other.token })).statusCode, 200)
})
