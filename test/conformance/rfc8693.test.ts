// RFC 8693, OAuth 2.0 Token Exchange: what the endpoint owes, and every token that is no subject token.

import t from 'tap'
import { assertionType as assertionTyp, signAssertion } from '../../src/tokens/assertion.js'
import type { AccessTokenClaims, AssertionClaims, CallToken } from '../../src/tokens/claims.js'
import { issueAccessToken } from '../../src/tokens/issue.js'
import { signJws } from '../../src/tokens/sign-jws.js'
import {
  accessTokenType,
  assertionType,
  billingResource,
  exchangeGrant,
  openExchange,
} from '../support/rooms/exchange.js'
import { readToken, tokenPath, withAnotherSignature } from '../support/rooms/identity.js'
import { forge, forgeWithHmac, testKey } from '../support/tokens/tokens-forge.js'

const target = { resource: billingResource, scope: 'billing.read' }

t.test('§2.1 what is required is required by name, and the client proves itself first', async (t) => {
  const app = await openExchange(t)
  const assertion = await app.assertion(await app.agentToken())
  const whole = { subject_token: assertion, subject_token_type: assertionType, ...target, ...app.desk.client }
  for (const missing of ['subject_token', 'subject_token_type']) {
    const answer = await app.post(tokenPath, { grant_type: exchangeGrant, ...whole, [missing]: '' })
    t.match(answer.json(), { error: 'invalid_request', error_codes: [900144] }, missing)
    t.match(answer.json().error_description, missing)
  }
  const nobody = await app.post(tokenPath, { grant_type: exchangeGrant, ...whole, client_secret: '' })
  t.match([nobody.statusCode, nobody.json().error], [401, 'invalid_client'])
  const query = `${tokenPath}?subject_token=x`
  t.match((await app.post(query, { grant_type: exchangeGrant, ...whole })).json(), { error: 'invalid_request' })
  const { statusCode, headers } = await app.post(tokenPath, { grant_type: exchangeGrant, ...whole })
  t.match([statusCode, headers['cache-control'], headers['pragma']], [200, 'no-store', 'no-cache'])
})

t.test('§2.2.1 the answer says what was issued, for how long and for what', async (t) => {
  const app = await openExchange(t)
  const { body, claims } = await app.exchange(app.desk, await app.assertion(await app.agentToken()), target)
  t.same(Object.keys(body).sort(), ['access_token', 'expires_in', 'issued_token_type', 'scope', 'token_type'])
  t.equal(body['issued_token_type'], accessTokenType)
  t.equal(body['expires_in'], claims.exp - claims.iat - 1)
})

t.test('§2.2.2 whatever is no good subject token is invalid_request, of one text', async (t) => {
  const app = await openExchange(t)
  const { keyring, desk } = app
  const token = await app.agentToken()
  const assertion = await app.assertion(token)
  const claims = readToken(token).claims as unknown as AccessTokenClaims
  const said = readToken(assertion).claims as unknown as AssertionClaims
  const [tokenKey, assertionKey] = [keyring.signingKey('token'), keyring.signingKey('assertion')]
  const other = await testKey(tokenKey.kid, 'ES256')
  const otherAssertion = await testKey(assertionKey.kid, 'ES256')
  const { kid } = otherAssertion
  const publicKey = String(keyring.verificationKey('assertion', kid)?.publicKey.export({ type: 'spki', format: 'pem' }))
  const asToken = accessTokenType
  const tries: readonly (readonly [string, string, string | Promise<string>])[] = [
    ['nothing of a token', assertionType, 'x.y.z'],
    ['an encrypted one', assertionType, 'a.b.c.d.e'],
    ['a signature that was changed', assertionType, withAnotherSignature(assertion)],
    ['a signature that was changed', asToken, withAnotherSignature(token)],
    ['another key of that name', assertionType, forge(otherAssertion, said, { typ: assertionTyp })],
    ['another key of that name', asToken, forge(other, claims)],
    ['a key that nobody knows', asToken, forge(await testKey('unknown', 'ES256'), claims)],
    ['alg none', assertionType, forge(otherAssertion, said, { typ: assertionTyp, alg: 'none' })],
    ['another alg than the key’s', asToken, forge(other, claims, { alg: 'RS256' })],
    [
      'the public key as an HMAC secret',
      assertionType,
      forgeWithHmac(publicKey, { alg: 'HS256', typ: assertionTyp, kid }, said),
    ],
    ['the token key for an assertion', assertionType, signJws(tokenKey, assertionTyp, said)],
    ['the assertion key for a token', asToken, signJws(assertionKey, 'at+jwt', claims)],
    ['an access token called an assertion', assertionType, token],
    ['an assertion called an access token', asToken, assertion],
    ['the typ of another', asToken, signJws(tokenKey, 'JWT', claims)],
    ['a foreign issuer', asToken, issueAccessToken(keyring, { ...claims, iss: 'https://elsewhere.test' })],
    ['a foreign issuer', assertionType, signAssertion(keyring, { ...said, iss: 'https://elsewhere.test' })],
    ['another audience', assertionType, signAssertion(keyring, { ...said, aud: 'billing' })],
    ['an audience of nobody', assertionType, signAssertion(keyring, { ...said, aud: 'desk ' })],
    ['actors that do not fit', assertionType, signAssertion(keyring, { ...said, act: { sub: desk.applicationId } })],
    ['no actor', assertionType, signJws(assertionKey, assertionTyp, { ...said, act: undefined })],
    [
      'a resource of another',
      assertionType,
      signAssertion(keyring, { ...said, token: { ...(said.token as CallToken), aud: billingResource } }),
    ],
    ['a life of an hour', assertionType, signAssertion(keyring, { ...said, exp: said.iat + 3600 })],
    ['one from later', assertionType, signAssertion(keyring, { ...said, iat: said.iat + 30, exp: said.exp + 30 })],
  ]
  const texts = new Set<unknown>()
  for (const [title, type, made] of tries) {
    const { status, body } = await app.exchange(desk, await made, { ...target, subject_token_type: type })
    t.match([status, body], [400, { error: 'invalid_request', error_codes: [50013] }], title)
    texts.add(body['error_description'])
  }
  t.equal(texts.size, 1)
  t.equal((await app.exchange(desk, assertion, target)).status, 200, 'and the real one is taken')
  t.notMatch(app.logged.join('\n'), said.jti)
})

t.test('§4.1 a token that comes back says its actors again, and no claim of a client adds one', async (t) => {
  const app = await openExchange(t)
  const assertion = await app.assertion(await app.agentToken())
  const more = { act: '{"sub":"somebody"}', may_act: '{"sub":"somebody"}' }
  const { claims } = await app.exchange(app.desk, assertion, { ...target, ...more })
  t.same(claims.act, { sub: app.desk.applicationId, act: { sub: app.agent.applicationId } })
})

t.test('limits of the token endpoint count the person too', async (t) => {
  const algorithm = { kind: 'rate', limit: 3, periodMs: 60_000, burst: 3 } as const
  const app = await openExchange(t, { limits: { person: { name: 'person', by: ['user'], algorithm } } })
  const assertion = await app.assertion(await app.agentToken())
  const answers: number[] = []
  for (let i = 0; i < 4; i += 1) answers.push((await app.exchange(app.desk, assertion, target)).status)
  t.same(answers, [200, 200, 429, 429], 'the agent’s own code was the first')
})
