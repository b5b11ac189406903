// RFC 7591, OAuth 2.0 dynamic client registration, as decision 0060 serves it: never without an initial access token.

import { randomUUID } from 'node:crypto'
import * as oidc from 'openid-client'
import t from 'tap'
import type { LimitPolicy } from '../../src/config/settings/limit-settings.js'
import {
  createRegistrationToken,
  revokeRegistrationToken,
} from '../../src/directory/applications/registration-tokens.js'
import { changeTenant } from '../../src/directory/tenants/tenants.js'
import { sweepDead } from '../../src/instance/sweep.js'
import { hashOpaqueToken } from '../../src/oauth/secrets/opaque-token.js'
import { listLedger } from '../../src/storage/sql/ledger/ledger-entries.js'
import { readRegistrationTokens } from '../../src/storage/sql/registrations/registration-tokens.js'
import { baseUrl, ownResource } from '../support/rooms/directory.js'
import { openIdentity, tokenPath } from '../support/rooms/identity.js'
import { openRegistering, own, redirectUri, registerPath } from '../support/rooms/registering.js'
import { newKeyPair } from '../support/tokens/key-pair.js'

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'
const web = { redirect_uris: [redirectUri], client_name: 'My client' }
const keyPair = await newKeyPair('ec', { namedCurve: 'P-256' })
const other = await newKeyPair('rsa', { modulusLength: 2048 })
const jwks = { keys: [{ ...keyPair.publicKey.export({ format: 'jwk' }), kid: 'one' }] }

t.test(
  'RFC 7591 §3.2.1 what was registered is answered with 201, uncached, with a secret that is shown once',
  async (t) => {
    const testApp = await openIdentity(t)
    const { register, tenantId, token } = await openRegistering(testApp)
    const answer = await register({
      ...web,
      scope: 'openid User.Read',
      contacts: ['a@b.c'],
      logo_uri: 'https://x.test/',
    })
    t.equal(answer.statusCode, 201)
    t.match(answer.headers, { 'cache-control': 'no-store', pragma: 'no-cache', 'content-type': /^application\/json/ })
    t.notOk(answer.headers['access-control-allow-origin'], 'X1 no origin is allowed')
    const body = answer.json()
    const now = Math.floor(testApp.now() / 1000)
    t.match(body, {
      client_id: /^[0-9a-f-]{36}$/,
      client_id_issued_at: now,
      client_secret: /^pcl_sk_/,
      client_secret_expires_at: now + 180 * 86_400,
      registration_access_token: /^pcl_ra_[0-9A-Za-z]{43}$/,
      registration_client_uri: `${baseUrl}${registerPath}/${body.client_id}`,
      ...web,
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_basic',
      application_type: 'web',
      id_token_signed_response_alg: 'RS256',
      scope: 'openid profile email User.Read',
    })
    t.notOk('contacts' in body || 'logo_uri' in body, '§2 what is not understood is ignored')
    const registration = await testApp.directory.findRegistration(body.client_id)
    t.match(registration, { tenantId, type: 'web', audience: 'home', verified: false, publisher: '', jwks: undefined })
    t.same(registration?.configured, own('delegated', 'User.Read'))
    t.same(
      (await testApp.directory.findInstallation(body.client_id, tenantId))?.granted,
      [],
      'nobody consented to anything',
    )
    const rows = await listLedger(testApp.store.reader, { filter: {}, limit: 5, order: 'newest' })
    const row = rows.find(({ event }) => event === 'application.registered')
    t.same(JSON.parse(row?.actor ?? ''), { kind: 'registration-token', registrationTokenId: token.id }, 'X6 who did it')
    const whole = JSON.stringify(rows) + testApp.logged.join('')
    for (const secret of [body.client_secret, body.registration_access_token]) t.notMatch(whole, secret, 'K8')
  },
)

t.test('RFC 7591 §2 each kind of client gets what it requested', async (t) => {
  const testApp = await openIdentity(t, { tokens: { algorithm: 'EdDSA' } })
  const { register } = await openRegistering(testApp)
  const cases: [string, Record<string, unknown>, Record<string, unknown>][] = [
    [
      'an application that acts as itself',
      { grant_types: ['client_credentials'], scope: 'assets_read', token_endpoint_auth_method: 'client_secret_post' },
      { redirect_uris: [], response_types: [], scope: 'assets_read', token_endpoint_auth_method: 'client_secret_post' },
    ],
    [
      'one that has a key of its own',
      { ...web, token_endpoint_auth_method: 'private_key_jwt', jwks, id_token_signed_response_alg: 'EdDSA' },
      { token_endpoint_auth_method: 'private_key_jwt', jwks, id_token_signed_response_alg: 'EdDSA' },
    ],
    [
      'one with a secret and keys beside it, one of them without a kid',
      { ...web, jwks: { keys: [...jwks.keys, { ...other.publicKey.export({ format: 'jwk' }), use: 'sig' }] } },
      { token_endpoint_auth_method: 'client_secret_basic', jwks: { keys: [{ kid: 'one' }, { kid: /^[\w-]{43}$/ }] } },
    ],
    [
      'one in a browser with keys beside nothing',
      { ...web, application_type: 'web', token_endpoint_auth_method: 'none', jwks },
      { token_endpoint_auth_method: 'none', jwks },
    ],
    [
      'a native one',
      { redirect_uris: ['com.example.app:/cb', 'http://127.0.0.1/cb'], application_type: 'native' },
      { token_endpoint_auth_method: 'none', application_type: 'native', client_name: 'Unnamed application' },
    ],
    [
      'one in a browser',
      { ...web, application_type: 'web', token_endpoint_auth_method: 'none' },
      { token_endpoint_auth_method: 'none', application_type: 'web' },
    ],
    [
      'one with a null member, which is one that was left out',
      { ...web, jwks: null, scope: null, application_type: null },
      { token_endpoint_auth_method: 'client_secret_basic' },
    ],
    [
      'a device',
      { grant_types: [deviceGrant, 'refresh_token'], token_endpoint_auth_method: 'none', scope: 'User.Read' },
      { grant_types: [deviceGrant, 'refresh_token'], scope: 'openid profile email offline_access User.Read' },
    ],
    [
      'one that signs people out',
      { ...web, post_logout_redirect_uris: ['https://client.example/bye'] },
      { post_logout_redirect_uris: ['https://client.example/bye'] },
    ],
    [
      'permissions with their resource',
      { ...web, scope: `${ownResource}/User.Read`, grant_types: ['authorization_code', 'client_credentials'] },
      { scope: 'openid profile email User.Read' },
    ],
  ]
  for (const [title, metadata, expected] of cases) {
    const answer = await register(metadata)
    t.equal(answer.statusCode, 201, title)
    const body = answer.json()
    t.match(body, expected, title)
    t.equal('client_secret' in body, /^client_secret/.test(body.token_endpoint_auth_method), title)
    t.equal('client_secret_expires_at' in body, 'client_secret' in body, title)
  }
})

t.test('RFC 7591 §3.2.2 wrong metadata is refused by name, and takes no use of the token', async (t) => {
  const testApp = await openIdentity(t)
  const { register, token } = await openRegistering(testApp, { uses: 1 })
  const bad: [string, unknown, RegExp][] = [
    ['invalid_redirect_uri', {}, /required/],
    ['invalid_redirect_uri', { redirect_uris: [] }, /required/],
    ['invalid_redirect_uri', { redirect_uris: redirectUri }, /list/],
    ['invalid_redirect_uri', { redirect_uris: [1] }, /list/],
    ['invalid_redirect_uri', { redirect_uris: ['http://client.example/cb'] }, /https/],
    ['invalid_redirect_uri', { redirect_uris: ['https://*.example/cb'] }, /wildcard/],
    ['invalid_redirect_uri', { redirect_uris: ['https://client.example/cb#x'] }, /fragment/],
    ['invalid_redirect_uri', { redirect_uris: ['javascript:alert(1)'] }, /https/],
    ['invalid_redirect_uri', { redirect_uris: ['app:/cb'], application_type: 'native' }, /domain name/],
    [
      'invalid_redirect_uri',
      { redirect_uris: ['com.a.b:/'], application_type: 'web', token_endpoint_auth_method: 'none' },
      /https/,
    ],
    ['unapproved_software_statement', { ...web, software_statement: 'eyJ' }, /software/i],
    ['invalid_client_metadata', { ...web, jwks_uri: 'https://client.example/jwks' }, /jwks_uri/],
    ['invalid_client_metadata', { ...web, sector_identifier_uri: 'https://x.test' }, /sector/],
    ['invalid_client_metadata', { ...web, subject_type: 'pairwise' }, /subject_type/],
    ['invalid_client_metadata', { ...web, id_token_encrypted_response_alg: 'RSA-OAEP' }, /encrypted/],
    ['invalid_client_metadata', { ...web, dpop_bound_access_tokens: true }, /dpop/],
    ['invalid_client_metadata', { ...web, tls_client_certificate_bound_access_tokens: 'yes' }, /tls/],
    ['invalid_client_metadata', { ...web, require_pushed_authorization_requests: true }, /pushed/],
    ['invalid_client_metadata', { ...web, client_name: 5 }, /client_name/],
    ['invalid_client_metadata', { ...web, client_name: 'a\u202eb' }, /client_name/],
    ['invalid_client_metadata', { ...web, client_name: randomUUID() }, /client_name/],
    ['invalid_client_metadata', { ...web, client_name: 'x'.repeat(121) }, /client_name/],
    ['invalid_client_metadata', { ...web, grant_types: ['implicit'] }, /implicit/],
    ['invalid_client_metadata', { ...web, grant_types: ['password'] }, /password/],
    ['invalid_client_metadata', { ...web, grant_types: [] }, /grant_types/],
    ['invalid_client_metadata', { ...web, grant_types: 'authorization_code' }, /grant_types/],
    ['invalid_client_metadata', { ...web, response_types: ['code', 'token'] }, /response_types/],
    ['invalid_client_metadata', { ...web, response_types: [] }, /fit together/],
    ['invalid_client_metadata', { grant_types: ['client_credentials'], response_types: ['code'] }, /fit together/],
    ['invalid_client_metadata', { ...web, token_endpoint_auth_method: 'client_secret_jwt' }, /auth_method/],
    ['invalid_client_metadata', { ...web, application_type: 'service' }, /application_type/],
    [
      'invalid_client_metadata',
      { ...web, application_type: 'native', token_endpoint_auth_method: 'client_secret_post' },
      /native/,
    ],
    [
      'invalid_client_metadata',
      { token_endpoint_auth_method: 'none', grant_types: ['client_credentials'] },
      /client_credentials/,
    ],
    ['invalid_client_metadata', { ...web, token_endpoint_auth_method: 'private_key_jwt' }, /jwks/],
    [
      'invalid_client_metadata',
      { ...web, token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [] } },
      /1 to 10/,
    ],
    ['invalid_client_metadata', { ...web, token_endpoint_auth_method: 'private_key_jwt', jwks: 'x' }, /jwks/],
    ['invalid_client_metadata', { ...web, token_endpoint_auth_signing_alg: 'HS256' }, /signing_alg/],
    ['invalid_client_metadata', { ...web, id_token_signed_response_alg: 'none' }, /id_token/],
    ['invalid_client_metadata', { ...web, id_token_signed_response_alg: 'EdDSA' }, /RS256, ES256/],
    ['invalid_client_metadata', { ...web, post_logout_redirect_uris: ['http://x.test/'] }, /post_logout_redirect_uris/],
    ['invalid_client_metadata', { ...web, scope: 5 }, /scope/],
    ['invalid_client_metadata', { ...web, scope: 'Nothing.Known' }, /Nothing.Known/],
    ['invalid_client_metadata', { ...web, scope: 'User.Read.All' }, /registration token/],
    ['invalid_client_metadata', { ...web, scope: 'assets_read' }, /registration token/],
    ['invalid_client_metadata', { ...web, scope: '.default' }, /default/],
    ['invalid_client_metadata', [], /object/],
    ['invalid_client_metadata', 'null', /object/],
    ['invalid_client_metadata', '{', /JSON/],
    ['invalid_client_metadata', '', /JSON/],
  ]
  for (const [code, metadata, description] of bad) {
    const answer = await register(metadata)
    const body = answer.json()
    t.match(
      { status: answer.statusCode, ...body },
      { status: 400, error: code, error_description: description },
      JSON.stringify(metadata),
    )
    t.equal(answer.headers['cache-control'], 'no-store')
  }
  t.equal((await register(web)).statusCode, 201, 'the one use is still there')
  t.equal((await register(web)).statusCode, 401, 'and now it is gone')
  t.equal((await testApp.directory.findTenant(token.tenantId))?.name, 'Contoso')
})

t.test('RFC 7591 §3 only for the holder of a living initial access token, and wrong ones are counted', async (t) => {
  const testApp = await openIdentity(t, { failedAuthentications: { limit: 8, periodMs: 60_000 } })
  const { register, secret, send, token, tenantId } = await openRegistering(testApp)
  const none = await send('POST', registerPath, { body: web })
  t.equal(none.statusCode, 401)
  t.equal(none.headers['www-authenticate'], 'Bearer realm="portcullis"', 'RFC 6750 §3.1 no error without a token')
  const wrong = await register(web, `pcl_it_${'x'.repeat(43)}`)
  t.match(wrong.headers['www-authenticate'], /^Bearer realm="portcullis", error="invalid_token"/)
  t.match({ status: wrong.statusCode, ...wrong.json() }, { status: 401, error: 'invalid_token' })
  t.equal(
    (await send('POST', registerPath, { body: '{' })).statusCode,
    401,
    'nothing of an untrusted party’s body is read',
  )
  const bodies = new Set<string>()
  const refused = async (presented: string, title: string) => {
    const answer = await register(web, presented)
    t.equal(answer.statusCode, 401, title)
    const { error, error_codes, error_description } = answer.json()
    bodies.add(JSON.stringify([error, error_codes, error_description]))
  }
  await refused('x', 'no token of ours')
  await refused(hashOpaqueToken(secret), 'what is stored of it')
  const many = { tenantId, label: 'short', lifetimeMs: 1_000, uses: 1, permissions: [] }
  const short = await createRegistrationToken(testApp.writes, many)
  testApp.clock.nowMs += 1_000
  await refused(short.secret, 'one that ended')
  const disabled = await openRegistering(testApp)
  await changeTenant(testApp.writes, disabled.tenantId, { state: 'disabled' })
  await refused(disabled.secret, 'one of a tenant that is disabled')
  await revokeRegistrationToken(testApp.writes, { id: token.id, tenantId })
  await refused(secret, 'one that was revoked')
  t.equal(bodies.size, 1, 'T6 nobody learns which')
  for (let n = 0; n < 4; n += 1) await register(web, `guess-${n}`)
  t.match((await register(web, 'guess')).statusCode, 429, 'K7')
  const inQuery = await testApp.ask({
    method: 'POST',
    url: `${registerPath}?access_token=x`,
    payload: '{}',
    headers: { 'content-type': 'application/json' },
  })
  t.equal(inQuery.statusCode, 400, 'never in the address')
})

t.test('RFC 7591 §3.1 of two at once with the last use of a token one registers', async (t) => {
  const testApp = await openIdentity(t)
  const { register } = await openRegistering(testApp, { uses: 2 })
  const answers = await Promise.all(Array.from({ length: 5 }, () => register(web)))
  t.same(answers.map(({ statusCode }) => statusCode).sort(), [201, 201, 401, 401, 401])
})

t.test('U1 POST with application/json and nothing that only looks like it; other methods are refused', async (t) => {
  const testApp = await openIdentity(t)
  const { send, secret } = await openRegistering(testApp)
  const types = [
    'text/plain',
    'application/json;',
    'application/json; charset=latin1',
    'application/jsonp',
    'application/x-www-form-urlencoded',
    'application/json\t;x=y',
  ]
  for (const type of types) {
    const answer = await send('POST', registerPath, { token: secret, body: web, headers: { 'content-type': type } })
    t.equal(answer.statusCode, 415, type)
  }
  const right = { 'content-type': 'application/json; charset=utf-8' }
  t.equal((await send('POST', registerPath, { token: secret, body: web, headers: right })).statusCode, 201)
  const large = await send('POST', registerPath, { token: secret, body: { ...web, client_uri: 'x'.repeat(17_000) } })
  t.equal(large.statusCode, 413)
  const get = await send('GET', registerPath)
  t.match([get.statusCode, get.headers['allow']], [405, 'POST'])
})

t.test('RFC 7591 §2 grant_types are what the client can use, and nothing else', async (t) => {
  const testApp = await openIdentity(t)
  const { register } = await openRegistering(testApp)
  const made = (await register({ ...web, scope: 'User.Read' })).json()
  const client = { client_id: made.client_id, client_secret: made.client_secret }
  for (const grant_type of ['client_credentials', 'refresh_token', deviceGrant, 'device_code']) {
    const form = { grant_type, ...client, scope: 'default', refresh_token: 'x', device_code: 'x' }
    t.match(
      (await testApp.post(tokenPath, form)).json(),
      { error: 'unauthorized_client', error_codes: [700051] },
      grant_type,
    )
  }
  const code = { grant_type: 'authorization_code', ...client, code: 'x', redirect_uri: redirectUri }
  t.match((await testApp.post(tokenPath, code)).json(), { error: 'invalid_grant' })
  const device = await testApp.post('/api/v2/oauth2/v2.0/devicecode', { ...client, scope: 'User.Read' })
  t.match(device.json(), { error: 'unauthorized_client' })
  const other = (await register({ grant_types: ['client_credentials'], redirect_uris: [redirectUri] })).json()
  const query = new URLSearchParams({
    client_id: other.client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    state: 's',
  })
  const sent = await testApp.ask({ method: 'GET', url: `/api/v2/oauth2/v2.0/authorize?${query}&prompt=none` })
  t.match(sent.headers.location, /error=unauthorized_client/)
})

t.test('a client_id that is an address is unknown like any other, and no document is fetched', async (t) => {
  const queried: string[] = []
  const issuerKeys = { find: async (issuer: string) => void queried.push(issuer) as never }
  const testApp = await openIdentity(t, { replace: () => ({ issuerKeys }) })
  const clientId = 'https://client.example/metadata.json'
  const query = new URLSearchParams({ client_id: clientId, redirect_uri: redirectUri, response_type: 'code' })
  const page = await testApp.ask({ method: 'GET', url: `/api/v2/oauth2/v2.0/authorize?${query}` })
  t.match([page.statusCode, page.headers.location], [400, undefined], 'an error page, and no redirect')
  const token = await testApp.post(tokenPath, { grant_type: 'authorization_code', code: 'x', client_id: clientId })
  t.match({ status: token.statusCode, ...token.json() }, { status: 401, error: 'invalid_client' })
  t.same(queried, [])
  const metadata = await testApp.ask({ method: 'GET', url: '/.well-known/openid-configuration' })
  t.notOk('client_id_metadata_document_supported' in metadata.json())
})

t.test('RFC 8414 §2 the endpoint is announced where it is, and openid-client registers by it', async (t) => {
  const testApp = await openIdentity(t)
  const { secret, register } = await openRegistering(testApp)
  const fetch: oidc.CustomFetch = async (url, { method, headers, body }) => {
    const { pathname, search } = new URL(url)
    const payload = typeof body === 'string' ? body : (body?.toString() ?? '')
    const answer = await testApp.ask({
      method: method as 'GET',
      url: pathname + search,
      headers,
      ...(payload === '' ? {} : { payload }),
    })
    return new Response(answer.payload, {
      status: answer.statusCode,
      headers: { 'content-type': String(answer.headers['content-type']) },
    })
  }
  const options = { initialAccessToken: secret, [oidc.customFetch]: fetch }
  const metadata = { ...web, grant_types: ['client_credentials', 'authorization_code'], scope: 'assets_read' }
  const configuration = await oidc.dynamicClientRegistration(new URL(baseUrl), metadata, undefined, options)
  t.equal(configuration.serverMetadata().registration_endpoint, `${baseUrl}${registerPath}`)
  const { client_id, client_secret } = configuration.clientMetadata()
  t.match([client_id, client_secret], [/^[0-9a-f-]{36}$/, /^pcl_sk_/])
  const refused = await oidc.clientCredentialsGrant(configuration, { scope: 'assets_read' }).catch((error) => error)
  t.match(refused, { error: 'invalid_scope' }, 'it works, and nobody has consented yet')
  const wrong = { ...options, initialAccessToken: 'x' }
  await t.rejects(oidc.dynamicClientRegistration(new URL(baseUrl), metadata, undefined, wrong))
  const without = await openIdentity(t, {
    replace: (deps) => ({
      settings: { ...deps.settings, registration: { ...deps.settings.registration, standard: false } },
    }),
  })
  const document = await without.ask({ method: 'GET', url: '/.well-known/oauth-authorization-server' })
  t.notOk('registration_endpoint' in document.json())
  t.equal((await without.ask({ method: 'POST', url: registerPath })).statusCode, 404)
  t.equal((await register(web)).statusCode, 201)
})

t.test('the endpoint is announced only while some tenant has a registration token that can be used', async (t) => {
  let monotonicMs = 0
  const testApp = await openIdentity(t, { replace: () => ({ monotonic: () => monotonicMs }) })
  const announced = async () => {
    monotonicMs += 2_000
    const paths = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']
    const [one, other] = await Promise.all(paths.map((url) => testApp.ask({ method: 'GET', url })))
    t.equal(one?.body, other?.body)
    return 'registration_endpoint' in (one?.json() ?? {})
  }
  t.equal(await announced(), false)
  const { register } = await openRegistering(testApp, { uses: 1 })
  t.equal(await announced(), true)
  t.equal((await register(web)).statusCode, 201)
  t.equal(await announced(), false, 'its last use is gone')
  const { token } = await openRegistering(testApp)
  t.equal(await announced(), true)
  await revokeRegistrationToken(testApp.writes, { id: token.id, tenantId: undefined })
  t.equal(await announced(), false)
  await openRegistering(testApp)
  t.equal(await announced(), true)
  testApp.clock.nowMs += 91 * 86_400_000
  t.equal(await announced(), false, 'it has ended')
})

t.test('registrations are limited per address, and tokens that ended leave with the sweep', async (t) => {
  const policy: LimitPolicy = {
    name: 'entryPoint',
    by: ['address'],
    algorithm: { kind: 'quota', limit: 2, periodMs: 60_000 },
  }
  const testApp = await openIdentity(t, { limits: { entryPoint: policy } })
  const { register } = await openRegistering(testApp)
  t.equal((await register(web)).statusCode, 201)
  const last = await register({})
  t.match(last.headers, { 'ratelimit-policy': /entryPoint/ })
  const tooMany = await register(web)
  t.match({ status: tooMany.statusCode, ...tooMany.json() }, { status: 429, error: 'temporarily_unavailable' })
  t.ok(tooMany.headers['retry-after'])
  const left = () => readRegistrationTokens(testApp.store.reader, { tenantId: undefined })
  const sweep = () => sweepDead({ store: testApp.store, now: testApp.now, sessionIdleMs: 1 })
  testApp.clock.nowMs += 86_400_000
  await sweep()
  t.equal((await left()).length, 1, 'an hour for clocks that differ')
  testApp.clock.nowMs += 3_600_001
  await sweep()
  t.same(await left(), [])
})

t.test('X6 refused tokens are in the activity log, with the reason and never with the token', async (t) => {
  const noted: unknown[] = []
  const activity = { note: (event: unknown) => void noted.push(event), flush: async () => {} }
  const testApp = await openIdentity(t, { replace: () => ({ activity }) as never })
  const { register, send } = await openRegistering(testApp)
  const { client_id } = (await register(web)).json()
  await register(web, 'guess-one')
  await send('GET', `${registerPath}/${client_id}`, { token: 'guess-two' })
  const event = 'client.registration-refused'
  t.match(noted, [
    { event, details: { reason: 'registration_token_invalid' } },
    { event, applicationId: client_id, details: { reason: 'client_token_invalid' } },
  ])
  t.notMatch(JSON.stringify(noted) + testApp.logged.join(''), /guess-/, 'K8')
})
