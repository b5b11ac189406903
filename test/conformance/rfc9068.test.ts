// RFC 9068, JWT Profile for OAuth 2.0 Access Tokens; verified here with jose, as a resource server would.

import { createLocalJWKSet, jwtVerify } from 'jose'
import t, { type Test } from 'tap'
import { baseUrl, ownResource } from '../support/rooms/directory.js'
import { openIdentity, readToken, tokenPath } from '../support/rooms/identity.js'

async function open(test: Test) {
  const testApp = await openIdentity(test)
  const { registration, secret } = await testApp.registerDemo()
  const client = { client_id: registration.publicKey, client_secret: secret }
  const fields = { ...client, grant_type: 'client_credentials', scope: 'default' }
  const issue = async () => (await testApp.post(tokenPath, fields)).json().access_token as string
  const keys = createLocalJWKSet((await testApp.ask({ url: '/api/v2/oauth2/v2.0/keys' })).json())
  return { testApp, registration, issue, keys }
}

t.test('§2.1 signed, never `none`, with the type at+jwt', async (t) => {
  const { issue } = await open(t)
  const { header } = readToken(await issue())
  t.equal(header['typ'], 'at+jwt')
  t.match(header['alg'], /^(ES256|RS256|EdDSA)$/)
})

t.test('§2.2 every required claim, and client_id is the application identifier', async (t) => {
  const { issue, registration } = await open(t)
  const { claims } = readToken(await issue())
  for (const name of ['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti']) t.ok(name in claims, name)
  t.equal(claims['client_id'], registration.applicationId)
  t.equal(claims['sub'], registration.applicationId, '§2.2: without a user the subject is the client')
})

t.test('§2.2.3 scope is there when it was requested; §2.2.3.1 roles are a list', async (t) => {
  const { issue } = await open(t)
  const { claims } = readToken(await issue())
  t.same(String(claims['scope']).split(' '), claims['roles'])
})

t.test('§2.2 no two tokens have the same jti', async (t) => {
  const { issue } = await open(t)
  const ids = await Promise.all(Array.from({ length: 20 }, async () => readToken(await issue()).claims['jti']))
  t.equal(new Set(ids).size, 20)
})

t.test('§3 one audience, the resource; §4 a resource server can verify with the published keys', async (t) => {
  const { testApp, issue, keys } = await open(t)
  const options = { issuer: baseUrl, audience: ownResource, typ: 'at+jwt', currentDate: new Date(testApp.now()) }
  const token = await issue()
  t.equal((await jwtVerify(token, keys, options)).payload.aud, ownResource)
  await t.rejects(jwtVerify(token, keys, { ...options, audience: 'https://other.example' }))
  await t.rejects(jwtVerify(token, keys, { ...options, currentDate: new Date(testApp.now() + 3_600_000) }), 'expired')
  await t.rejects(jwtVerify(`${token.slice(0, -6)}AAAAAA`, keys, options), 'changed')
})
