// RFC 7662, OAuth 2.0 Token Introspection.

import t, { type Test } from 'tap'
import { introspectPath, openIdentity, tokenPath } from '../support/rooms/identity.js'

async function open(test: Test) {
  const testApp = await openIdentity(test)
  const { registration, secret } = await testApp.registerDemo()
  const client = { client_id: registration.applicationId, client_secret: secret }
  const answer = await testApp.post(tokenPath, { ...client, grant_type: 'client_credentials', scope: 'default' })
  return { testApp, client, token: answer.json().access_token as string }
}

t.test('§2.1 the endpoint takes a POST with token and requires authorization', async (t) => {
  const { testApp, client, token } = await open(t)
  t.equal((await testApp.ask({ method: 'GET', url: introspectPath })).statusCode, 405)
  t.equal((await testApp.post(introspectPath, { token })).statusCode, 401)
  t.match((await testApp.post(introspectPath, client)).json(), { error: 'invalid_request' })
})

t.test('§2.2 active is always there, and alone for what is not active', async (t) => {
  const { testApp, client, token } = await open(t)
  t.match((await testApp.post(introspectPath, { ...client, token })).json(), {
    active: true,
    client_id: client.client_id,
  })
  t.equal((await testApp.post(introspectPath, { ...client, token: 'x' })).body, '{"active":false}')
})

t.test('§2.2 scope is space separated, times are integers', async (t) => {
  const { testApp, client, token } = await open(t)
  const shown = (await testApp.post(introspectPath, { ...client, token })).json()
  t.match(shown.scope, /^[^ ,]+( [^ ,]+)*$/)
  for (const name of ['exp', 'iat', 'nbf']) t.ok(Number.isInteger(shown[name]), name)
  t.equal(shown.token_type, 'Bearer')
})

t.test('§4 nobody learns whether a token of another client is live; answers are not stored', async (t) => {
  const { testApp, token } = await open(t)
  const other = await testApp.registerDemo()
  const fields = { client_id: other.registration.applicationId, client_secret: other.secret }
  const foreign = await testApp.post(introspectPath, { ...fields, token })
  const unknown = await testApp.post(introspectPath, { ...fields, token: 'x' })
  t.equal(foreign.body, unknown.body)
  t.equal(foreign.headers['cache-control'], 'no-store')
})
