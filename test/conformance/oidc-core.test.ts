// OpenID Connect Core 1.0 and Discovery 1.0, as an independent client sees it.

import * as oauth from 'oauth4webapi'
import t from 'tap'
import { delegate, redemption } from '../support/rooms/delegation.js'
import { baseUrl } from '../support/rooms/directory.js'
import { openIdentity, readToken, tokenPath } from '../support/rooms/identity.js'

const discoveryPath = '/.well-known/openid-configuration'
const userinfoPath = '/api/v2/oauth2/v2.0/userinfo'

const asResponse = (answer: { statusCode: number; body: string; headers: Record<string, unknown> }) =>
  new Response(answer.body, {
    status: answer.statusCode,
    headers: { 'content-type': String(answer.headers['content-type']) },
  })

t.test('Discovery §3, §4 what is required is there, for the issuer that was queried', async (t) => {
  const testApp = await openIdentity(t)
  const answer = await testApp.ask({ url: discoveryPath })
  const server = await oauth.processDiscoveryResponse(new URL(baseUrl), asResponse(answer))
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint'] as const) {
    t.match(server[name], /^https:\/\//, name)
  }
  t.ok(server.id_token_signing_alg_values_supported?.includes('RS256'), '§3 RS256 must be included')
  t.same(server.subject_types_supported, ['public'])
  t.ok(server.scopes_supported?.includes('openid'))
  t.ok(server.claims_supported?.includes('sub'))
})

t.test('§3.1.3.3 and §3.1.3.7 the token response and its ID token pass an independent client', async (t) => {
  const testApp = await openIdentity(t)
  testApp.clock.nowMs = Date.now()
  const { code, client, registration, user } = await delegate(testApp)
  const server = await oauth.processDiscoveryResponse(
    new URL(baseUrl),
    asResponse(await testApp.ask({ url: discoveryPath })),
  )
  const own: oauth.Client = { client_id: registration.applicationId }
  const redeemed = await testApp.post(tokenPath, redemption(await code({ nonce: 'n-1' }), client))
  const result = await oauth.processAuthorizationCodeResponse(server, own, asResponse(redeemed), {
    expectedNonce: 'n-1',
    maxAge: 60,
    requireIdToken: true,
  })
  const claims = oauth.getValidatedIdTokenClaims(result)
  t.equal(claims?.sub, user.userId)
  const userinfo = await testApp.ask({ url: userinfoPath, headers: { authorization: `Bearer ${result.access_token}` } })
  const person = await oauth.processUserInfoResponse(server, own, user.userId, asResponse(userinfo))
  t.match(person, { name: 'Ada Lovelace', email: user.email, email_verified: true })
  const form = { grant_type: 'refresh_token', refresh_token: result.refresh_token ?? '', ...client }
  const refreshed = await oauth.processRefreshTokenResponse(
    server,
    own,
    asResponse(await testApp.post(tokenPath, form)),
  )
  t.equal(oauth.getValidatedIdTokenClaims(refreshed)?.sub, user.userId, '§12.2')
})

t.test('§5.3.2 sub is always in the userinfo response, and equal to the ID token', async (t) => {
  const testApp = await openIdentity(t)
  const { tokens } = await delegate(testApp)
  const { access_token, id_token } = await tokens({ openidScopes: ['openid'] })
  const answer = await testApp.ask({ url: userinfoPath, headers: { authorization: `Bearer ${access_token}` } })
  t.equal(answer.json().sub, readToken(id_token).claims['sub'])
})

t.test('§5.3.3 userinfo refuses as RFC 6750 says', async (t) => {
  const testApp = await openIdentity(t)
  const answer = await testApp.ask({ url: userinfoPath, headers: { authorization: 'Bearer nonsense' } })
  t.equal(answer.statusCode, 401)
  t.match(answer.headers['www-authenticate'], /^Bearer .*error="invalid_token"/)
})

t.test('§12.2 after a refresh iss, sub, aud and auth_time are the same, and there is no nonce', async (t) => {
  const testApp = await openIdentity(t)
  const { tokens, refresh } = await delegate(testApp)
  const first = await tokens({ nonce: 'n' })
  const { body } = await refresh(first.refresh_token)
  const [before, after] = [readToken(first.id_token).claims, readToken(body.id_token).claims]
  for (const name of ['iss', 'sub', 'aud', 'auth_time']) t.equal(after[name], before[name], name)
  t.notOk('nonce' in after)
})
