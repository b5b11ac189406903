// Clients that register themselves where registration is open (decision 158): what they are given, what is refused, what is
// stored, and what people see.

import t from 'tap'
import { changeApplication } from '../../../src/directory/applications/application-changes.js'
import { deleteApplication } from '../../../src/directory/applications/delete-application.js'
import { deleteUnusedDocuments } from '../../../src/directory/documents/unused-documents.js'
import { changeTenant } from '../../../src/directory/tenants/tenants.js'
import { documentApplicationId } from '../../../src/oauth/secrets/document-application-id.js'
import { answerOf } from '../../support/rooms/authorize.js'
import { otherResource } from '../../support/rooms/directory.js'
import { eventsOf, openDocuments } from '../../support/rooms/documents.js'
import { introspectPath, readToken, revokePath, tokenPath } from '../../support/rooms/identity.js'
import { registerPath } from '../../support/rooms/registering.js'

const dayMs = 86_400_000
const callback = 'http://127.0.0.1:49152/callback'
const webCallback = 'https://agent.test/callback'
const plain = {
  ...{ client_name: 'Agent', redirect_uris: [callback], token_endpoint_auth_method: 'none' },
  grant_types: ['authorization_code', 'refresh_token'],
}
const textOf = ({ body }: { body: string }) => body.replace(/<[^>]+>/g, '')

type Opening = NonNullable<Parameters<typeof openDocuments>[1]>

async function open(t: Parameters<typeof openDocuments>[0], { open: more, ...options }: Opening = {}) {
  const app = await openDocuments(t, {
    ...{ documents: { trust: 'off' }, open: { enabled: true, hosts: ['agent.test'], ...more } },
    ...options,
  })
  const { testApp } = app
  const send = (members: unknown, headers: Record<string, string> = {}) =>
    testApp.ask({
      ...{
        method: 'POST',
        url: registerPath,
        payload: typeof members === 'string' ? members : JSON.stringify(members),
      },
      headers: { 'content-type': 'application/json', ...headers },
    })
  const register = async (members: object = {}) => {
    const answer = await send({ ...plain, ...members })
    if (answer.statusCode !== 201) throw new Error(answer.body)
    return answer.json() as Record<string, unknown> & { client_id: string }
  }
  const outcomes = async () =>
    Object.fromEntries(
      (await testApp.metrics.clientRegistrations.get()).values.map(({ labels, value }) => [labels.outcome, value]),
    )
  return { ...app, send, register, outcomes }
}

/** A client that has registered, and the ways that it goes. */
async function registered(t: Parameters<typeof openDocuments>[0], members: object = {}, options: Opening = {}) {
  const app = await open(t, options)
  const { client_id } = await app.register(members)
  const redirect_uri = 'redirect_uri' in members ? String(members.redirect_uri) : callback
  const address: typeof app.address = (more = {}) => app.address({ client_id, redirect_uri, ...more })
  const redeem: typeof app.redeem = (code, more = {}) => app.redeem(code, { client_id, redirect_uri, ...more })
  const refresh = async (token: unknown) => {
    const form = { grant_type: 'refresh_token', refresh_token: String(token), client_id }
    const answer = await app.testApp.post(tokenPath, form)
    return { status: answer.statusCode, body: answer.json() as Record<string, unknown> }
  }
  const applicationId = documentApplicationId(client_id, app.testApp.tenantId)
  return { ...app, clientId: client_id, address, redeem, refresh, applicationId }
}

t.test(
  'identity: a client registers itself, is allowed, and is an application of the tenant from then on',
  async (t) => {
    const { testApp, clientId, address, codeFor, redeem, refresh, rows, applicationId } = await registered(t)
    t.match(clientId, /^pcl_oc_[\w-]+\.[\w-]{22}$/)
    const browser = await testApp.signedIn()
    const page = await browser.open(address())
    t.equal(page.status, 200)
    const text = textOf(page)
    t.ok(text.indexOf('A client that registered itself') < text.indexOf('Agent'), 'what is certain before its name')
    t.match(text, 'It calls itself “Agent”. Nobody has checked that name.')
    t.match(text, 'Not registered here')
    t.match(text, 'A program on this device (127.0.0.1:49152)')
    t.match(page.body, 'id="loopback"')
    t.notMatch(text, 'Verified')
    t.equal(await rows(), 0, 'nothing is written before somebody allows it')
    const { code, location } = await codeFor(address())
    t.match(location, `${callback}?code=`)
    t.equal(await rows(), 1)
    const first = await redeem(code)
    t.equal(first.status, 200, JSON.stringify(first.body))
    const { claims } = readToken(first.body['access_token'])
    t.match(claims, { client_id: clientId, aud: otherResource, scope: 'desk.read', tid: testApp.tenantId })
    t.match(await testApp.directory.findRegistration(applicationId), {
      ...{ tenantId: testApp.tenantId, type: 'native', audience: 'home', deviceCodes: 'off', state: 'enabled' },
      name: /^self-registered\/[0-9a-f]{8}$/,
      configured: ['desk.read', 'desk.write'].map((id) => ({ kind: 'delegated', resource: otherResource, id })),
    })
    const principal = await testApp.deps.authenticator.authenticate(
      ['authorization', `Bearer ${first.body['access_token']}`],
      '',
      otherResource,
    )
    t.match(principal, { applicationId, kind: 'delegated' })
    const second = await refresh(first.body['refresh_token'])
    t.equal(second.status, 200, JSON.stringify(second.body))
    t.match(textOf(await browser.open('/account/apps')), 'self-registered/')
    const event = (await eventsOf(testApp)).find(
      ({ event, details }) => event === 'application.registered' && details.includes(clientId),
    )
    t.ok(event, 'the ledger has it')
    t.equal(
      (await testApp.post(introspectPath, { client_id: clientId, token: String(second.body['access_token']) }))
        .statusCode,
      400,
    )
    t.equal(
      (await testApp.post(revokePath, { client_id: clientId, token: String(second.body['refresh_token']) })).statusCode,
      200,
    )
    t.match(await refresh(second.body['refresh_token']), { status: 400, body: { error: 'invalid_grant' } })
  },
)

t.test(
  'identity: what it asks for is what the resources open, whatever scope it registered, so that it can step up',
  async (t) => {
    const { testApp, clientId, address, codeFor, redeem } = await registered(t, { scope: 'desk.read' })
    const { code } = await codeFor(address())
    t.match((await redeem(code)).body, { scope: /desk\.read/ })
    const browser = await testApp.signedIn()
    const page = await browser.open(address({ scope: 'desk.read desk.write' }))
    t.match(textOf(page), 'Allowed already')
    const done = await browser.submit(page, 'consent', { decision: 'accept' })
    t.match((await redeem(String(answerOf(done)['code']))).body, { scope: 'desk.read desk.write' })
    for (const more of [{ scope: 'desk.admin' }, { scope: 'User.Read', resource: undefined }]) {
      t.match(answerOf(await browser.open(address(more))), { error: 'invalid_scope' })
    }
    t.equal((await testApp.post(tokenPath, { grant_type: 'client_credentials', client_id: clientId })).statusCode, 401)
  },
)

t.test('identity: who says the same is the same client, on any port and in any order', async (t) => {
  const { register, rows, address, codeFor } = await registered(t)
  const uris = [callback, webCallback]
  const { client_id } = await register({ redirect_uris: uris })
  t.equal((await register({ redirect_uris: [...uris].reverse() })).client_id, client_id)
  t.equal(
    (await register({ redirect_uris: [webCallback, 'http://127.0.0.1:1/callback', callback] })).client_id,
    client_id,
  )
  t.same((await register({ redirect_uris: uris })).redirect_uris, uris, 'answered as it was sent')
  const others = [
    { client_name: 'Other' },
    { redirect_uris: ['http://localhost/callback'] },
    { redirect_uris: ['http://127.0.0.1/callbacks'] },
    { grant_types: ['authorization_code'] },
  ]
  const ids = await Promise.all(
    others.map(async (members) => (await register({ redirect_uris: uris, ...members })).client_id),
  )
  t.equal(new Set([...ids, client_id]).size, others.length + 1)
  for (let port = 50_000; port < 50_005; port += 1) {
    const redirect_uri = `http://127.0.0.1:${port}/callback`
    const again = await register({ redirect_uris: [redirect_uri] })
    await codeFor(address({ client_id: again.client_id, redirect_uri }))
  }
  t.equal(await rows(), 1, 'one that registers at each start is one application')
})

t.test('identity: a registration is answered as what it is, without a secret and without a token for it', async (t) => {
  const { testApp, send, register } = await open(t)
  const answer = await send({ ...plain, client_name: undefined })
  t.equal(answer.statusCode, 201)
  t.match(answer.headers, { 'cache-control': 'no-store', 'content-type': /^application\/json/ })
  t.same(Object.keys(answer.json()).sort(), [
    ...['application_type', 'client_id', 'client_id_issued_at', 'client_name', 'grant_types'],
    ...['id_token_signed_response_alg', 'post_logout_redirect_uris', 'redirect_uris', 'response_types'],
    'token_endpoint_auth_method',
  ])
  t.match(answer.json(), { client_name: '', grant_types: plain.grant_types, token_endpoint_auth_method: 'none' })
  for (const method of ['client_secret_post', 'client_secret_basic', undefined]) {
    const given = await register({ token_endpoint_auth_method: method })
    t.equal(given['token_endpoint_auth_method'], 'none', 'and says so')
  }
  const device = 'urn:ietf:params:oauth:grant-type:device_code'
  const grants = ['authorization_code', 'client_credentials', device]
  t.same((await register({ grant_types: grants })).grant_types, ['authorization_code'])
  t.same((await register({ grant_types: undefined })).grant_types, ['authorization_code'], 'RFC 7591 §2')
  t.match(await register({ grant_types: null, token_endpoint_auth_method: null }), {
    token_endpoint_auth_method: 'none',
  })
  const { client_id } = await register()
  for (const method of ['GET', 'PUT', 'DELETE'] as const) {
    const managed = await testApp.ask({
      ...{ method, url: `${registerPath}/${encodeURIComponent(client_id)}`, payload: '{}' },
      headers: { authorization: 'Bearer pcl_ra_x', 'content-type': 'application/json' },
    })
    t.equal(managed.statusCode, 401, `${method}: there is nothing to look after`)
  }
  const claimed = await send(plain, { authorization: 'Bearer pcl_it_wrong' })
  t.equal(claimed.statusCode, 401, 'who shows a token is measured by it')
})

t.test('identity: what cannot be registered without a token is refused by name', async (t) => {
  const { send, outcomes } = await open(t, { open: { perAddress: { limit: 1000, periodMs: 60_000 } } })
  const cases: [object | string, string, RegExp][] = [
    [{ redirect_uris: undefined }, 'invalid_redirect_uri', /required/],
    [{ redirect_uris: [] }, 'invalid_redirect_uri', /required/],
    [{ redirect_uris: ['https://evil.test/callback'] }, 'invalid_redirect_uri', /hosts that this server lists/],
    [{ redirect_uris: [callback, 'https://agent.test.evil.test/'] }, 'invalid_redirect_uri', /redirect_uris\[1\]/],
    [{ redirect_uris: ['https://agent.test:8443/callback'] }, 'invalid_redirect_uri', /lists/],
    [{ redirect_uris: ['https://agent.test@evil.test/'] }, 'invalid_redirect_uri', /user information/],
    [{ redirect_uris: ['http://localhost.evil.test/'] }, 'invalid_redirect_uri', /https/],
    [{ redirect_uris: ['http://127.0.0.1:1@evil.test/'] }, 'invalid_redirect_uri', /user information/],
    [{ redirect_uris: ['http://127.1/'] }, 'invalid_redirect_uri', /https/],
    [{ redirect_uris: ['com.example.app:/callback'] }, 'invalid_redirect_uri', /lists/],
    [{ redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri', /scheme/],
    [{ redirect_uris: Array.from({ length: 21 }, (_, i) => `http://127.0.0.1/${i}`) }, 'invalid_redirect_uri', /20/],
    [{ redirect_uris: [`http://127.0.0.1/${'a'.repeat(500)}`] }, 'invalid_client_metadata', /too long together/],
    [{ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [] } }, 'invalid_client_metadata', /none/],
    [{ jwks: { keys: [] } }, 'invalid_client_metadata', /none/],
    [{ jwks_uri: 'https://agent.test/keys' }, 'invalid_client_metadata', /jwks_uri/],
    [{ token_endpoint_auth_method: 'tls_client_auth' }, 'invalid_client_metadata', /none/],
    [{ token_endpoint_auth_method: 7 }, 'invalid_client_metadata', /none/],
    [{ grant_types: ['client_credentials'] }, 'invalid_client_metadata', /authorization_code/],
    [{ grant_types: 'authorization_code' }, 'invalid_client_metadata', /list/],
    [{ response_types: ['token'] }, 'invalid_client_metadata', /response_types/],
    [{ client_name: 7 }, 'invalid_client_metadata', /client_name/],
    [{ software_statement: 'x' }, 'unapproved_software_statement', /members/],
    [{ id_token_signed_response_alg: 'ES256' }, 'invalid_client_metadata', /RS256/],
    ['[]', 'invalid_client_metadata', /object/],
    ['{', 'invalid_client_metadata', /JSON/],
  ]
  for (const [members, error, why] of cases) {
    const answer = await send(typeof members === 'string' ? members : { ...plain, ...members })
    t.match(
      [answer.statusCode, answer.json()],
      [400, { error, error_description: why }],
      JSON.stringify(members).slice(0, 90),
    )
  }
  t.equal((await send(plain, { 'content-type': 'text/plain' })).statusCode, 415)
  t.match(await outcomes(), { registered: 0, refused: cases.length, limited: 0 })
})

t.test('identity: it is closed unless the configuration opens it, and announced only while it is open', async (t) => {
  const closed = await open(t, { open: { enabled: false } })
  const opened = await registered(t)
  for (const path of ['oauth-authorization-server', 'openid-configuration']) {
    const endpointOf = async ({ testApp }: { testApp: typeof closed.testApp }) =>
      (await testApp.ask({ method: 'GET', url: `/.well-known/${path}` })).json().registration_endpoint
    t.equal(await endpointOf(closed), undefined)
    t.match(await endpointOf(opened), /\/register$/)
  }
  t.equal((await closed.send(plain)).statusCode, 401)
  const page = await closed.testApp
    .browser()
    .open(closed.address({ client_id: opened.clientId, redirect_uri: callback }))
  t.match([page.status, page.location], [400, undefined])
  t.match(page.body, 'No application is registered here under the client_id')
  const token = { grant_type: 'refresh_token', refresh_token: 'pcl_rt_x', client_id: opened.clientId }
  t.equal((await closed.testApp.post(tokenPath, token)).statusCode, 401)
})

t.test('identity: an identifier that this server did not make is no client', async (t) => {
  const { testApp, clientId, address } = await registered(t)
  const [body = '', mac = ''] = clientId.slice(7).split('.')
  const said = Buffer.from(JSON.stringify(['Agent', 1, 'https://evil.test/'])).toString('base64url')
  const last = mac.at(-1) === 'A' ? 'B' : 'A'
  const wrong = [
    `pcl_oc_${said}.${mac}`,
    `pcl_oc_${body}.${mac.slice(0, -1)}${last}`,
    `pcl_oc_${body}.${mac}=`,
    `pcl_oc_${body}=.${mac}`,
    `pcl_oc_${body}`,
    `pcl_oc_.${mac}`,
    `pcl_oc_${'a'.repeat(600)}.${mac}`,
    `PCL_OC_${body}.${mac}`,
    `${clientId} `,
    'pcl_oc_',
  ]
  for (const client_id of wrong) {
    for (const redirect_uri of [callback, 'https://evil.test/']) {
      const page = await testApp.browser().open(address({ client_id, redirect_uri }))
      t.match([page.status, page.location], [400, undefined], client_id)
      t.match(page.body, 'No application is registered here under the client_id')
    }
    const form = { grant_type: 'authorization_code', code: 'x', redirect_uri: callback, client_id }
    t.match((await testApp.post(tokenPath, form)).json(), { error: 'invalid_client' }, client_id)
  }
})

t.test('G13 identity: a flood of registrations writes nothing, and is bounded by address and as a whole', async (t) => {
  const { testApp, send, outcomes, rows } = await open(t, {
    open: { perAddress: { limit: 5, periodMs: 60_000 }, overall: { limit: 12, periodMs: 60_000 } },
    monotonic: () => 0,
  })
  const before = [await eventsOf(testApp), await testApp.store.reader.selectFrom('applications').select('id').execute()]
  const flood = async (from: string, count: number) => {
    const statuses: number[] = []
    for (let i = 0; i < count; i += 1) {
      const answer = await send({ ...plain, client_name: `Agent ${from} ${i}` }, { 'x-forwarded-for': from })
      statuses.push(answer.statusCode)
      if (answer.statusCode === 429) t.match(answer.headers['retry-after'], /^[1-9]\d*$/)
    }
    return statuses.filter((status) => status === 201).length
  }
  t.equal(await flood('192.0.2.1', 30), 5)
  t.equal(await flood('192.0.2.2', 30), 5)
  t.equal(await flood('192.0.2.3', 30), 2, 'all together')
  t.same(await outcomes(), { registered: 12, refused: 0, limited: 78 })
  const after = [await eventsOf(testApp), await testApp.store.reader.selectFrom('applications').select('id').execute()]
  t.same(after, before)
  t.equal(await rows(), 0)
})

t.test('G11 identity: nobody is sent on by an error before somebody has allowed the client', async (t) => {
  const { testApp, address, codeFor } = await registered(t, { redirect_uris: [webCallback], redirect_uri: webCallback })
  const browser = await testApp.signedIn()
  for (const more of [{ scope: 'desk.admin' }, { prompt: 'none' }, { code_challenge: undefined }]) {
    for (const one of [browser, testApp.browser()]) {
      const page = await one.open(address(more))
      if (page.path?.startsWith('/sign-in')) continue
      t.match([page.status, page.location], [400, undefined], JSON.stringify(more))
      t.match(textOf(page), 'A client that registered itself has sent you.')
    }
  }
  t.match((await codeFor(address())).location, `${webCallback}?code=`)
  t.match(answerOf(await browser.open(address({ scope: 'desk.admin' }))), { error: 'invalid_scope' })
})

t.test('identity: names that an untrusted party chose break no page', async (t) => {
  const { testApp, register, address } = await open(t)
  const names = [
    ['<script>alert(1)</script>', '&lt;script>alert(1)&lt;/script>'],
    ['Ad\u202Eknab\u202C', 'Adknab'],
    ['Portcullis\n\nVerified by your administrator', 'Portcullis Verified by your administrator'],
    ['a'.repeat(200), `${'a'.repeat(63)}…`],
    ['\u0000\u200B\u2066', undefined],
    ['Agent" onload="x', 'Agent&quot; onload=&quot;x'],
  ] as const
  const browser = await testApp.signedIn()
  for (const [client_name, shown] of names) {
    const { client_id } = await register({ client_name })
    const page = await browser.open(address({ client_id, redirect_uri: callback }))
    t.equal(page.status, 200, JSON.stringify(client_name))
    t.notMatch(page.body, '<script>alert')
    t.notMatch(page.body, /[\u202A-\u202E\u2066-\u2069]/u)
    if (shown === undefined) t.notMatch(page.body, 'id="client-name"')
    else t.match(page.body, shown)
  }
  const { client_id } = await register({ client_name: 'Аgent' })
  t.match(textOf(await browser.open(address({ client_id, redirect_uri: callback }))), 'mixes alphabets')
})

t.test(
  'identity: a client whose application is gone is unknown at the token endpoint, and is allowed anew by its page',
  async (t) => {
    const { testApp, address, codeFor, redeem, refresh, applicationId, rows } = await registered(t)
    const first = await redeem((await codeFor(address())).code)
    await deleteApplication(testApp.writes, applicationId)
    t.match(await refresh(first.body['refresh_token']), { status: 401, body: { error: 'invalid_client' } })
    const { code } = await codeFor(address())
    t.equal((await redeem(code)).status, 200)
    t.match(await refresh(first.body['refresh_token']), { body: { error: /^invalid_(client|grant)$/ } })
    t.equal(await rows(), 1)
  },
)

t.test('identity: one without a grant leaves after thirty days, and not while it is disabled', async (t) => {
  const { testApp, register, address, codeFor, rows, applicationId } = await registered(t)
  await changeTenant(testApp.writes, testApp.tenantId, { userConsent: 'administrators' })
  const browser = await testApp.signedIn()
  await browser.submit(await browser.open(address()), 'consent', { decision: 'ask', reason: '' })
  const other = (await register({ client_name: 'Other' })).client_id
  await browser.submit(await browser.open(address({ client_id: other })), 'consent', { decision: 'ask', reason: '' })
  await changeApplication(testApp.writes, documentApplicationId(other, testApp.tenantId), { state: 'disabled' })
  await changeTenant(testApp.writes, testApp.tenantId, { userConsent: 'allowed' })
  t.equal(await rows(), 2)
  testApp.clock.nowMs += 30 * dayMs + 1
  t.equal(await deleteUnusedDocuments(testApp.writes, testApp.store), 1)
  t.equal(await testApp.directory.findRegistration(applicationId), undefined)
  const later = await testApp.signedIn()
  t.match(textOf(await later.open(address({ client_id: other }))), 'The application is disabled.')
  t.match(await codeFor(address()), { location: /code=/ })
})

t.test('identity: a tenant takes fewer clients than the server, and none of these where it lists hosts', async (t) => {
  const { testApp, address, codeFor, redeem, refresh } = await registered(t)
  const first = await redeem((await codeFor(address())).code)
  await changeTenant(testApp.writes, testApp.tenantId, { clientHosts: ['agent.test', 'localhost'] })
  const browser = await testApp.signedIn()
  t.match(await browser.open(address()), { status: 403, location: undefined })
  t.equal((await refresh(first.body['refresh_token'])).status, 401)
  await changeTenant(testApp.writes, testApp.tenantId, { clientHosts: null })
  t.equal((await refresh(first.body['refresh_token'])).status, 200)
})

t.test('identity: hosts that are listed no longer end their clients, and nothing but state changes here', async (t) => {
  const { testApp, clientId, applicationId, address, codeFor } = await registered(t, {
    ...{ redirect_uris: [webCallback], redirect_uri: webCallback },
  })
  await codeFor(address())
  const without = await open(t)
  t.notOk(without.testApp.deps.openClients.find(clientId.replace(/.$/, '')), 'nothing but itself')
  t.match(testApp.deps.openClients.find(clientId), { redirectUris: [webCallback], grantTypes: plain.grant_types })
  const code = 'DescribedByDocument'
  await t.rejects(changeApplication(testApp.writes, applicationId, { redirectUris: [callback] }), { code })
  await t.rejects(changeApplication(testApp.writes, applicationId, { name: 'Your Bank' }), {
    code,
    message: /registered itself/,
  })
})
