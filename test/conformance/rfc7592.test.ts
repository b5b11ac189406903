// RFC 7592, how a client that registered itself looks after its registration (decision 0060).

import t from 'tap'
import { changeApplication } from '../../src/directory/applications/application-changes.js'
import { addFederatedCredential } from '../../src/directory/credentials/federated-credentials.js'
import { configurePermissions, grantConsent } from '../../src/directory/permissions/permissions.js'
import { changeTenant } from '../../src/directory/tenants/tenants.js'
import { listLedger } from '../../src/storage/sql/ledger/ledger-entries.js'
import { baseUrl, ownResource } from '../support/rooms/directory.js'
import { type IdentityApp, openIdentity, tokenPath, unknownGuid } from '../support/rooms/identity.js'
import { openRegistering, own, redirectUri, registerPath } from '../support/rooms/registering.js'
import { newKeyPair } from '../support/tokens/key-pair.js'

const metadata = { redirect_uris: [redirectUri], client_name: 'My client', scope: 'User.Read' }
const machine = { grant_types: ['client_credentials'], scope: 'assets_read' }
const { publicKey } = await newKeyPair('ec', { namedCurve: 'P-256' })
const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one' }] }
const dayMs = 86_400_000

/** A client that registered itself, and requests about it. */
async function openClient(testApp: IdentityApp, said: object = metadata) {
  const registering = await openRegistering(testApp)
  const made = (await registering.register(said)).json()
  const path = `${registerPath}/${made.client_id}`
  const put = (body: object, token: string = made.registration_access_token) =>
    registering.send('PUT', path, { token, body: { client_id: made.client_id, ...said, ...body } })
  const get = (token: string | undefined = made.registration_access_token) => registering.send('GET', path, { token })
  const client = { client_id: made.client_id as string, client_secret: made.client_secret as string }
  return { ...registering, made, path, put, get, client }
}

async function tokenOf(testApp: IdentityApp, client: { client_id: string; client_secret: string }) {
  const answer = await testApp.post(tokenPath, { grant_type: 'client_credentials', scope: 'assets_read', ...client })
  return { status: answer.statusCode, token: answer.json().access_token as string }
}

t.test('RFC 7592 §2.1 the client reads what is registered, without its secret', async (t) => {
  const testApp = await openIdentity(t)
  const { made, get } = await openClient(testApp)
  const answer = await get()
  t.equal(answer.statusCode, 200)
  t.equal(answer.headers['cache-control'], 'no-store')
  const { client_secret, ...rest } = made
  t.match(client_secret, /^pcl_sk_/)
  t.same(answer.json(), rest, 'U9 the secret is shown once')
  t.equal(new URL(made.registration_client_uri).origin, baseUrl)
})

t.test('RFC 7592 §2.2 a PUT replaces everything: what it leaves out is gone', async (t) => {
  const testApp = await openIdentity(t)
  const { made, put, tenantId } = await openClient(testApp, {
    ...metadata,
    ...{ post_logout_redirect_uris: ['https://client.example/bye'], id_token_signed_response_alg: 'ES256' },
  })
  const answer = await put({
    ...{ redirect_uris: ['https://client.example/new'], client_name: null, scope: null },
    ...{ post_logout_redirect_uris: null, id_token_signed_response_alg: null },
    client_secret: made.client_secret,
  })
  t.equal(answer.statusCode, 200)
  const body = answer.json()
  t.match(body, {
    ...{ client_id: made.client_id, client_name: 'Unnamed application', redirect_uris: ['https://client.example/new'] },
    ...{ post_logout_redirect_uris: [], id_token_signed_response_alg: 'RS256', scope: 'openid profile email' },
  })
  t.notOk('client_secret' in body, 'the secret stays as it is')
  const after = await testApp.directory.findRegistration(made.client_id)
  t.match(after, { tenantId, configured: [], logoutRedirectUris: [], redirectUris: ['https://client.example/new'] })
  const rows = await listLedger(testApp.store.reader, { filter: {}, limit: 3, order: 'newest' })
  const changed = rows.find(({ event }) => event === 'application.changed')
  t.same(JSON.parse(changed?.actor ?? ''), { kind: 'application', applicationId: made.client_id }, 'X6')
})

t.test('RFC 7592 §2.2 what is wrong changes nothing', async (t) => {
  const testApp = await openIdentity(t)
  const { made, put, get, send, path } = await openClient(testApp)
  const before = (await get()).json()
  const cases: [string, object, RegExp][] = [
    ['another client_id', { client_id: unknownGuid() }, /client_id/],
    ['no client_id', { client_id: null }, /client_id/],
    ['a secret of its own choice', { client_secret: 'chosen' }, /client_secret/],
    ['a secret that is not a text', { client_secret: 5 }, /client_secret/],
    ['our own members', { registration_access_token: 'x' }, /registration_access_token/],
    ['our own address', { registration_client_uri: 'https://evil.test/' }, /registration_client_uri/],
    ['times', { client_id_issued_at: 1 }, /client_id_issued_at/],
    ['the end of the secret', { client_secret_expires_at: 0 }, /client_secret_expires_at/],
    ['a bad redirect URI', { redirect_uris: ['http://evil.test/'] }, /https/],
    ['none', { redirect_uris: [] }, /required/],
    ['another kind of client', { token_endpoint_auth_method: 'none' }, /register anew/],
    ['more than the registration token allowed', { scope: 'User.Read User.Read.All' }, /registration token/],
    ['a method without keys', { token_endpoint_auth_method: 'private_key_jwt' }, /jwks/],
  ]
  for (const [title, body, description] of cases) {
    const answer = await put(body)
    t.match({ status: answer.statusCode, ...answer.json() }, { status: 400, error_description: description }, title)
  }
  const form = await send('PUT', path, {
    token: made.registration_access_token,
    ...{ body: 'client_id=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
  })
  t.equal(form.statusCode, 415)
  t.same((await get()).json(), before)
  const post = await send('POST', path, { token: made.registration_access_token, body: {} })
  t.match([post.statusCode, post.headers.allow], [405, 'GET, HEAD, PUT, DELETE'])
})

t.test(
  'RFC 7592 §2 a PUT gives a new registration access token; the old one ends when the new one is used',
  async (t) => {
    const testApp = await openIdentity(t)
    const { made, put, get } = await openClient(testApp)
    const first = made.registration_access_token
    const second = (await put({})).json().registration_access_token
    t.not(second, first)
    t.equal((await get(first)).statusCode, 200, 'the answer may have been lost')
    const third = (await put({}, first)).json().registration_access_token
    t.equal((await get(second)).statusCode, 401, 'the one that was never used')
    t.equal((await get(third)).json().registration_access_token, third)
    t.equal((await get(first)).statusCode, 401, 'the new one has arrived')
    const many = await Promise.all(Array.from({ length: 4 }, () => put({}, third)))
    const given = many.map((answer) => answer.json().registration_access_token).filter(Boolean)
    const stands = await Promise.all(given.map(async (token) => (await get(token)).statusCode))
    t.equal(stands.filter((status) => status === 200).length, 1, 'of several at once one stands')
    const stored = JSON.stringify(await testApp.store.reader.selectFrom('client_registrations').selectAll().execute())
    for (const token of [first, second, third]) t.notMatch(stored, token, 'K1 only hashes are kept')
  },
)

t.test('RFC 7592 §2 the token is of one client; whatever is wrong is the same 401, and counted', async (t) => {
  const testApp = await openIdentity(t, { failedAuthentications: { limit: 6, periodMs: 60_000 } })
  const { made, get, path, send, secret } = await openClient(testApp)
  const other = await openClient(testApp)
  const none = await send('GET', path)
  t.equal(none.statusCode, 401)
  t.equal(none.headers['www-authenticate'], 'Bearer realm="portcullis"')
  const otherClient = `${registerPath}/${other.made.client_id}`
  const token = made.registration_access_token
  const demo = await testApp.registerDemo()
  const answers = [
    await get(other.made.registration_access_token),
    await get(secret),
    await get('x'),
    await send('GET', otherClient, { token }),
    await send('GET', `${registerPath}/${unknownGuid()}`, { token }),
    await send('GET', `${registerPath}/nobody`, { token }),
    await send('GET', `${registerPath}/${demo.registration.applicationId}`, { token }),
    await send('DELETE', otherClient, { token }),
    await send('PUT', otherClient, { token, body: {} }),
  ]
  for (const answer of answers) {
    t.equal(answer.statusCode, 401)
    t.match(answer.headers['www-authenticate'], /^Bearer realm="portcullis", error="invalid_token"/)
  }
  const said = answers.map((answer) => {
    const { error, error_codes, error_description } = answer.json()
    return JSON.stringify([error, error_codes, error_description])
  })
  t.equal(new Set(said).size, 1, 'U2 nobody learns which clients there are')
  for (let n = 0; n < 3; n += 1) await get(`guess-${n}`)
  t.equal((await get('guess')).statusCode, 429, 'K7')
  t.equal((await other.get()).statusCode, 200, 'another client is not locked out by it')
  const byPublicKey = await testApp.directory.findRegistration(other.made.client_id)
  const url = `${registerPath}/${byPublicKey?.publicKey}`
  t.equal(
    (await send('GET', url, { token: other.made.registration_access_token })).statusCode,
    200,
    'either identifier',
  )
})

t.test('RFC 7592 §2.1 403 for a client that its tenant disabled, or a tenant that is', async (t) => {
  const testApp = await openIdentity(t)
  const { made, get, put, path, send, tenantId } = await openClient(testApp)
  const token = made.registration_access_token
  await changeApplication(testApp.writes, made.client_id, { state: 'disabled' })
  for (const answer of [await get(), await put({}), await send('DELETE', path, { token })])
    t.equal(answer.statusCode, 403)
  await changeApplication(testApp.writes, made.client_id, { state: 'enabled' })
  t.equal((await get()).statusCode, 200)
  await changeTenant(testApp.writes, tenantId, { state: 'disabled' })
  t.equal((await get()).statusCode, 403)
})

t.test('RFC 7592 §2.3 DELETE ends the client: its credentials, its tokens, and the registration', async (t) => {
  const testApp = await openIdentity(t)
  const { made, client, path, send, get } = await openClient(testApp, machine)
  const { client_id: id } = made
  await grantConsent(testApp.writes, id, { permissions: 'all', by: 'test' })
  const trust = { name: 'x', issuer: 'https://issuer.example', subject: 'x' }
  await addFederatedCredential(testApp.writes, id, trust)
  const { status, token } = await tokenOf(testApp, client)
  t.equal(status, 200)
  const useToken = () =>
    testApp.deps.authenticator.authenticate(['authorization', `Bearer ${token}`], undefined, ownResource)
  t.match(useToken(), { applicationId: id })
  const answer = await send('DELETE', path, { token: made.registration_access_token })
  t.match([answer.statusCode, answer.payload], [204, ''])
  t.equal((await get()).statusCode, 401, 'its token is gone')
  t.equal((await tokenOf(testApp, client)).status, 401)
  t.equal(await testApp.directory.findRegistration(id), undefined)
  t.throws(useToken, { name: 'BearerError' }, 'the tokens that were out')
  t.equal((await send('DELETE', path, { token: made.registration_access_token })).statusCode, 401, 'once')
})

t.test('a client whose secret ends soon gets another one by PUT, and the old one goes on to its end', async (t) => {
  const testApp = await openIdentity(t)
  const { client, put, made } = await openClient(testApp, machine)
  await grantConsent(testApp.writes, made.client_id, { permissions: 'all', by: 'test' })
  testApp.clock.nowMs += 149 * dayMs
  const early = (await put({})).json()
  t.notOk('client_secret' in early)
  testApp.clock.nowMs += 2 * dayMs
  const renewed = (await put({}, early.registration_access_token)).json()
  t.match(renewed.client_secret, /^pcl_sk_/)
  t.equal(renewed.client_secret_expires_at, Math.floor((testApp.now() + 180 * dayMs) / 1000))
  t.equal((await tokenOf(testApp, client)).status, 200)
  t.equal((await tokenOf(testApp, { ...client, client_secret: renewed.client_secret })).status, 200)
  testApp.clock.nowMs += 30 * dayMs
  t.equal((await tokenOf(testApp, client)).status, 401, 'K3 ended')
  const unchanged = (await put({ client_secret: renewed.client_secret }, renewed.registration_access_token)).json()
  t.notOk('client_secret' in unchanged)
  const stale = await put({ client_secret: client.client_secret }, unchanged.registration_access_token)
  t.equal(stale.statusCode, 400, 'a secret that ended is not the one it has')
})

t.test('K4 from a secret to keys and back: the other proof ends with it', async (t) => {
  const testApp = await openIdentity(t)
  const { client, put, made } = await openClient(testApp, machine)
  await grantConsent(testApp.writes, made.client_id, { permissions: 'all', by: 'test' })
  t.equal((await tokenOf(testApp, client)).status, 200)
  const keyed = (await put({ token_endpoint_auth_method: 'private_key_jwt', jwks })).json()
  t.match(keyed, { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [{ kid: 'one', alg: 'ES256' }] } })
  t.notOk('client_secret_expires_at' in keyed)
  t.equal((await tokenOf(testApp, client)).status, 401)
  const back = (await put({}, keyed.registration_access_token)).json()
  t.match(back, { token_endpoint_auth_method: 'client_secret_basic', jwks: undefined })
  t.equal((await testApp.directory.findRegistration(made.client_id))?.jwks, undefined)
  await changeApplication(testApp.writes, made.client_id, { authMethod: 'federated' })
  const undone = await put({}, back.registration_access_token)
  t.equal(undone.statusCode, 400, 'what its tenant decided about its proof is not the client’s to undo')
})

t.test('what an administrator configured stays when the client says it too, and goes when it does not', async (t) => {
  const testApp = await openIdentity(t)
  const { put, made } = await openClient(testApp)
  const more = own('delegated', 'User.Read', 'User.Read.All')
  await configurePermissions(testApp.writes, made.client_id, more)
  const kept = (await put({ scope: 'User.Read User.Read.All' })).json()
  t.equal(kept.scope, 'openid profile email User.Read User.Read.All')
  const gone = (await put({}, kept.registration_access_token)).json()
  t.equal(gone.scope, 'openid profile email User.Read')
  t.equal((await put({ scope: 'User.Read.All' }, gone.registration_access_token)).statusCode, 400)
})

t.test(
  'K4 R1 what its tenant gave a client besides is not led elsewhere by the holder of its registration token',
  async (t) => {
    const testApp = await openIdentity(t)
    const { made, put, get, tenantId } = await openClient(testApp)
    const more = own('delegated', 'User.Read', 'User.ReadWrite.All')
    const elsewhere = { redirect_uris: ['https://elsewhere.example/callback'] }
    await grantConsent(testApp.writes, made.client_id, { tenantId, permissions: more.slice(0, 1), by: 'test' })
    const moved = await put(elsewhere)
    t.equal(moved.statusCode, 200, 'as long as it has what it was registered for')
    const { registration_access_token: token } = moved.json()
    const back = (await put({}, token)).json()
    await configurePermissions(testApp.writes, made.client_id, more)
    await grantConsent(testApp.writes, made.client_id, { tenantId, permissions: more, by: 'test' })
    for (const change of [elsewhere, { token_endpoint_auth_method: 'private_key_jwt', jwks }]) {
      const refused = await put(change, back.registration_access_token)
      t.equal(refused.statusCode, 403)
      t.match(refused.json(), { error: 'access_denied' })
    }
    t.same((await get(back.registration_access_token)).json().redirect_uris, [redirectUri])
    t.equal(
      (await put({ client_name: 'Renamed' }, back.registration_access_token)).statusCode,
      200,
      'a name gives nothing',
    )
  },
)

t.test('K4 R1 nor does its holder come by a secret, or by another grant', async (t) => {
  const testApp = await openIdentity(t)
  const both = { ...metadata, grant_types: ['authorization_code', 'client_credentials'] }
  const { made, client, put, tenantId } = await openClient(testApp, both)
  const more = own('application', 'User.ReadWrite.All')
  await configurePermissions(testApp.writes, made.client_id, [...own('delegated', 'User.Read'), ...more])
  await grantConsent(testApp.writes, made.client_id, { tenantId, permissions: more, by: 'test' })
  const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'
  const added = await put({ grant_types: [...both.grant_types, deviceGrant] })
  t.equal(added.statusCode, 403)
  t.match(added.json(), { error: 'access_denied' })
  testApp.clock.nowMs += 170 * dayMs
  const scope = 'User.Read User.ReadWrite.All'
  const first = (await put({ scope })).json()
  t.notOk('client_secret' in first, 'without the one that ends soon')
  const second = (await put({ scope, client_secret: client.client_secret }, first.registration_access_token)).json()
  t.match(second.client_secret, /^pcl_sk_/, 'with it, as before')
  testApp.clock.nowMs += 400 * dayMs
  const third = await put({ scope }, second.registration_access_token)
  t.equal(third.statusCode, 200)
  t.notOk('client_secret' in third.json(), 'nor when all have ended')
})
