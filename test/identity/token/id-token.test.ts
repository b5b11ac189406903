// ID tokens (OpenID Connect Core §2, §3.1.3.6, contract §2 and §3).

import { createHash } from 'node:crypto'
import { createLocalJWKSet, jwtVerify } from 'jose'
import t from 'tap'
import { changeApplication } from '../../../src/directory/applications/application-changes.js'
import { BearerError } from '../../../src/oauth/errors/errors.js'
import { readIdTokenHint } from '../../../src/tokens/id-token.js'
import { delegate, redemption } from '../../support/rooms/delegation.js'
import { baseUrl } from '../../support/rooms/directory.js'
import {
  type IdentityApp,
  introspectPath,
  openIdentity,
  readToken,
  revokePath,
  tokenPath,
  withAnotherSignature,
} from '../../support/rooms/identity.js'

/** Verified as a client does: by the published keys. */
async function verified(testApp: IdentityApp, idToken: string, audience: string) {
  const keys = (await testApp.ask({ url: '/api/v2/oauth2/v2.0/keys' })).json()
  return jwtVerify(idToken, createLocalJWKSet(keys), {
    issuer: baseUrl,
    audience,
    currentDate: new Date(testApp.now()),
  })
}

t.test(
  'the claims: who, for whom, when and how they signed in, and the access token beside it (at_hash)',
  async (t) => {
    const testApp = await openIdentity(t)
    const { tokens, registration, user, tenantId } = await delegate(testApp)
    const session = { authTime: Math.floor(testApp.now() / 1000) - 60, acr: '2', amr: ['pwd', 'otp', 'mfa'] }
    const { id_token, access_token } = await tokens({ nonce: 'n-0S6_WzA2Mj', session })
    const { payload, protectedHeader } = await verified(testApp, id_token, registration.applicationId)
    t.match(protectedHeader, { alg: 'RS256', typ: 'JWT' })
    const { iat = 0, ...claims } = payload
    t.same(claims, {
      iss: baseUrl,
      sub: user.userId,
      aud: registration.applicationId,
      exp: iat + 3600,
      auth_time: session.authTime,
      nonce: 'n-0S6_WzA2Mj',
      at_hash: createHash('sha256').update(access_token).digest().subarray(0, 16).toString('base64url'),
      acr: '2',
      amr: ['pwd', 'otp', 'mfa'],
      tid: tenantId,
      name: 'Ada Lovelace',
      preferred_username: user.email,
      updated_at: Math.floor(testApp.now() / 1000),
      email: user.email,
      email_verified: true,
    })
  },
)

t.test('aud is the client identifier as presented at redemption, and the same after each refresh', async (t) => {
  const testApp = await openIdentity(t)
  const { code, registration, secret, refresh } = await delegate(testApp)
  const client = { client_id: registration.publicKey, client_secret: secret }
  const answer = await testApp.post(tokenPath, redemption(await code({ nonce: 'n' }), client))
  const { id_token, refresh_token } = answer.json()
  t.match(readToken(id_token).claims, { aud: registration.publicKey, nonce: 'n' })
  const refreshed = await refresh(refresh_token)
  t.equal(readToken(refreshed.body.id_token).claims['aud'], registration.publicKey)
  t.equal(readToken(refreshed.body.access_token).claims['client_id'], registration.applicationId)
})

t.test(
  'openid alone says nothing of the person; claims by name are added (§5.5); without openid there is none',
  async (t) => {
    const testApp = await openIdentity(t)
    const { tokens } = await delegate(testApp)
    const bare = readToken((await tokens({ openidScopes: ['openid'] })).id_token).claims
    for (const name of ['name', 'preferred_username', 'email', 'email_verified', 'updated_at', 'nonce'])
      t.notOk(name in bare, name)
    const claims = { idToken: ['name', 'acr', '__proto__'], userinfo: ['email'] }
    const named = readToken((await tokens({ openidScopes: ['openid'], claims })).id_token).claims
    t.equal(named['name'], 'Ada Lovelace')
    t.notOk('email' in named)
    t.equal((await tokens({ openidScopes: ['profile', 'email'] })).id_token, undefined)
  },
)

t.test('the registered algorithm signs', async (t) => {
  const testApp = await openIdentity(t)
  const { tokens, registration } = await delegate(testApp)
  await changeApplication(testApp.writes, registration.applicationId, { idTokenAlg: 'ES256' })
  const { id_token } = await tokens()
  const { protectedHeader } = await verified(testApp, id_token, registration.applicationId)
  t.equal(protectedHeader.alg, 'ES256')
})

t.test('an algorithm that no key signs with is refused before the code is consumed', async (t) => {
  const testApp = await openIdentity(t)
  const { code, client, registration } = await delegate(testApp)
  await changeApplication(testApp.writes, registration.applicationId, { idTokenAlg: 'EdDSA' })
  const made = await code()
  t.equal((await testApp.post(tokenPath, redemption(made, client))).statusCode, 500)
  await changeApplication(testApp.writes, registration.applicationId, { idTokenAlg: 'RS256' })
  t.equal((await testApp.post(tokenPath, redemption(made, client))).statusCode, 200)
})

t.test('J5 an ID token is no access token, and an access token no hint', async (t) => {
  const testApp = await openIdentity(t)
  const { tokens, client, registration, user } = await delegate(testApp)
  const { id_token, access_token } = await tokens()
  t.same((await testApp.post(introspectPath, { ...client, token: id_token })).json(), { active: false })
  t.equal((await testApp.post(revokePath, { ...client, token: id_token })).statusCode, 200, 'and nothing happens')
  t.equal((await testApp.post(introspectPath, { ...client, token: access_token })).json().active, true)
  testApp.clock.nowMs += 90 * 86_400_000
  const hint = readIdTokenHint(testApp.keyring, id_token, baseUrl)
  t.match(hint, { sub: user.userId, aud: registration.applicationId }, 'an old one still says who was meant')
  t.throws(() => readIdTokenHint(testApp.keyring, access_token, baseUrl), BearerError)
  t.throws(() => readIdTokenHint(testApp.keyring, id_token, 'https://other.test'), BearerError)
  t.throws(() => readIdTokenHint(testApp.keyring, withAnotherSignature(id_token), baseUrl), BearerError)
})
