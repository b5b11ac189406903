// RFC 6749, The OAuth 2.0 Authorization Framework: what it demands of a token endpoint with client credentials.

import t, { type Test } from 'tap'
import { openIdentity, tokenPath } from '../support/rooms/identity.js'

async function open(test: Test) {
  const testApp = await openIdentity(test)
  const { registration, secret } = await testApp.registerDemo()
  const basic = (id: string, key: string) => ({
    authorization: `Basic ${Buffer.from(`${id}:${key}`).toString('base64')}`,
  })
  return { testApp, id: registration.applicationId, secret, basic }
}

const grant = { grant_type: 'client_credentials', scope: 'assets_read' }

t.test(
  '§2.3.1 a client with a secret may use HTTP Basic; the body is accepted too, both at once are not',
  async (t) => {
    const { testApp, id, secret, basic } = await open(t)
    const body = { client_id: id, client_secret: secret }
    t.equal((await testApp.post(tokenPath, grant, basic(id, secret))).statusCode, 200)
    t.equal((await testApp.post(tokenPath, { ...grant, ...body })).statusCode, 200)
    t.equal((await testApp.post(tokenPath, { ...grant, ...body }, basic(id, secret))).statusCode, 400)
  },
)

t.test('§2.3.1 credentials must not be in the request URI', async (t) => {
  const { testApp, id, secret } = await open(t)
  const answer = await testApp.post(`${tokenPath}?client_id=${id}&client_secret=${secret}`, grant)
  t.match(answer.json(), { error: 'invalid_request' })
})

t.test(
  '§3.2 the client must use POST; empty counts as omitted, unknown is ignored, repeated is an error',
  async (t) => {
    const { testApp, id, secret, basic } = await open(t)
    t.equal((await testApp.ask({ method: 'GET', url: tokenPath, headers: basic(id, secret) })).statusCode, 405)
    t.equal((await testApp.post(tokenPath, { ...grant, tenant: '', extra: '1' }, basic(id, secret))).statusCode, 200)
    const twice = await testApp.post(
      tokenPath,
      'grant_type=client_credentials&scope=assets_read&scope=assets_read',
      basic(id, secret),
    )
    t.match(twice.json(), { error: 'invalid_request' })
  },
)

t.test('§3.3 the granted scope is returned when it differs from the requested one', async (t) => {
  const { testApp, id, secret, basic } = await open(t)
  const ask = async (scope: string) => (await testApp.post(tokenPath, { ...grant, scope }, basic(id, secret))).json()
  t.notOk('scope' in (await ask('assets_read')))
  t.match((await ask('default')).scope, /^default .*assets_read/)
  t.match(await ask('assets_delete'), { error: 'invalid_scope' }, 'never silently less')
})

t.test('§4.4.3 client credentials give no refresh token', async (t) => {
  const { testApp, id, secret, basic } = await open(t)
  t.notOk('refresh_token' in (await testApp.post(tokenPath, grant, basic(id, secret))).json())
})

t.test('§5.1 a success is JSON with no-store and no-cache', async (t) => {
  const { testApp, id, secret, basic } = await open(t)
  const answer = await testApp.post(tokenPath, grant, basic(id, secret))
  t.match(answer.headers, { 'cache-control': 'no-store', pragma: 'no-cache' })
  t.match(answer.headers['content-type'], /^application\/json/)
  t.match(answer.json(), { access_token: String, token_type: 'Bearer', expires_in: Number })
})

t.test('§5.2 a failed authentication by the Authorization header is 401 with the scheme that was used', async (t) => {
  const { testApp, id, basic } = await open(t)
  const answer = await testApp.post(tokenPath, grant, basic(id, 'wrong'))
  t.equal(answer.statusCode, 401)
  t.match(answer.headers['www-authenticate'], /^Basic /)
  t.match(answer.json(), { error: 'invalid_client' })
})

t.test('§5.2 every other refusal is 400 with its code', async (t) => {
  const { testApp, id, secret, basic } = await open(t)
  const cases: [Record<string, string>, string][] = [
    [{ scope: 'assets_read' }, 'invalid_request'],
    [{ grant_type: 'authorization_code', code: 'x', redirect_uri: 'https://a.test/' }, 'invalid_grant'],
    [{ grant_type: 'refresh_token', refresh_token: 'x' }, 'invalid_grant'],
    [{ grant_type: 'password', username: 'a', password: 'b' }, 'unsupported_grant_type'],
    [{ grant_type: 'client_credentials', scope: 'nothing' }, 'invalid_scope'],
  ]
  for (const [fields, error] of cases) {
    const answer = await testApp.post(tokenPath, fields, basic(id, secret))
    t.equal(answer.statusCode, 400)
    t.match(answer.json(), { error })
  }
  const native = (await testApp.registerDemo({ type: 'native' })).registration.applicationId
  t.match((await testApp.post(tokenPath, { ...grant, client_id: native })).json(), { error: 'unauthorized_client' })
})
