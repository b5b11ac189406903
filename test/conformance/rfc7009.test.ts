// RFC 7009, OAuth 2.0 Token Revocation.

import t from 'tap'
import { revokePath } from '../support/rooms/identity.js'
import { openWithToken } from '../support/rooms/with-token.js'

t.test('§2.1 token is required, and the client is authenticated first', async (t) => {
  const { testApp, client, token } = await openWithToken(t)
  t.match((await testApp.post(revokePath, client)).json(), { error: 'invalid_request' })
  t.match((await testApp.post(revokePath, { token })).json(), { error: 'invalid_client' })
  t.match((await testApp.post(revokePath, {})).json(), { error: 'invalid_client' })
})

t.test('§2.1 a token of another client is not revoked', async (t) => {
  const { testApp, token } = await openWithToken(t)
  const other = await testApp.registerDemo()
  const { seq } = testApp.feed
  const fields = { client_id: other.registration.applicationId, client_secret: other.secret, token }
  t.equal((await testApp.post(revokePath, fields)).statusCode, 200)
  t.equal(testApp.feed.seq, seq)
})

t.test('§2.1 an unknown token_type_hint does not matter', async (t) => {
  const { testApp, client, token } = await openWithToken(t)
  const { seq } = testApp.feed
  t.equal((await testApp.post(revokePath, { ...client, token, token_type_hint: 'saml' })).statusCode, 200)
  t.equal(testApp.feed.seq, seq + 1)
})

t.test('§2.2 an invalid token is 200 too: it is already what the client wants', async (t) => {
  const { testApp, client } = await openWithToken(t)
  const answer = await testApp.post(revokePath, { ...client, token: 'never-issued' })
  t.equal(answer.statusCode, 200)
  t.equal(answer.body, '')
})

t.test('§2 the request is a form-encoded POST', async (t) => {
  const { testApp, client, token } = await openWithToken(t)
  t.equal((await testApp.ask({ method: 'GET', url: revokePath })).statusCode, 405)
  const headers = { 'content-type': 'application/json' }
  const json = await testApp.ask({
    method: 'POST',
    url: revokePath,
    headers,
    payload: JSON.stringify({ ...client, token }),
  })
  t.equal(json.statusCode, 415)
})
