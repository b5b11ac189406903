// RFC 7662, OAuth 2.0 Token Introspection.

import t from 'tap'
import { introspectPath } from '../support/rooms/identity.js'
import { openWithToken } from '../support/rooms/with-token.js'

t.test('§2.1 the endpoint takes a POST with token and requires authorization', async (t) => {
  const { testApp, client, token } = await openWithToken(t)
  t.equal((await testApp.ask({ method: 'GET', url: introspectPath })).statusCode, 405)
  t.equal((await testApp.post(introspectPath, { token })).statusCode, 401)
  t.match((await testApp.post(introspectPath, client)).json(), { error: 'invalid_request' })
})

t.test('§2.2 active is always there, and alone for what is not active', async (t) => {
  const { testApp, client, token } = await openWithToken(t)
  t.match((await testApp.post(introspectPath, { ...client, token })).json(), {
    active: true,
    client_id: client.client_id,
  })
  t.equal((await testApp.post(introspectPath, { ...client, token: 'x' })).body, '{"active":false}')
})

t.test('§2.2 scope is space separated, times are integers', async (t) => {
  const { testApp, client, token } = await openWithToken(t)
  const shown = (await testApp.post(introspectPath, { ...client, token })).json()
  t.match(shown.scope, /^[^ ,]+( [^ ,]+)*$/)
  for (const name of ['exp', 'iat', 'nbf']) t.ok(Number.isInteger(shown[name]), name)
  t.equal(shown.token_type, 'Bearer')
})

t.test('§4 nobody learns whether a token of another client is live; answers are not stored', async (t) => {
  const { testApp, token } = await openWithToken(t)
  const other = await testApp.registerDemo()
  const fields = { client_id: other.registration.applicationId, client_secret: other.secret }
  const introspection = await testApp.post(introspectPath, { ...fields, token })
  const unknown = await testApp.post(introspectPath, { ...fields, token: 'x' })
  t.equal(introspection.body, unknown.body)
  t.equal(introspection.headers['cache-control'], 'no-store')
})
