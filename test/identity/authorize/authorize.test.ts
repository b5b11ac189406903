// The authorization endpoint: which requests get a page, which a redirect, and what stands in it. Nobody is
// prompted here; authorize-person.test.ts is about the person.

import { type AddressInfo, createServer } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { changeApplication } from '../../../src/directory/applications/application-changes.js'
import { configurePermissions } from '../../../src/directory/permissions/permissions.js'
import { createTenant } from '../../../src/directory/tenants/tenants.js'
import { signOutEverywhere } from '../../../src/users/sessions/end-access.js'
import { formOf, type Received, textOf } from '../../support/browser/scripted-browser.js'
import { answerOf, authorizePath, callback, openAuthorize, pair } from '../../support/rooms/authorize.js'
import { baseUrl, otherResource, ownResource } from '../../support/rooms/directory.js'
import { unknownGuid } from '../../support/rooms/identity.js'

const challenge = { code_challenge: pair.challenge, code_challenge_method: 'S256' }

/** A page of ours, 400 unless said otherwise, that leads nowhere. */
function checkPage(t: Test, answer: Received, reason: RegExp, status = 400): void {
  t.equal(answer.status, status)
  t.equal(answer.headers['location'], undefined, 'no redirect')
  t.match(answer.headers['content-type'], /^text\/html/)
  t.equal(answer.headers['referrer-policy'], 'no-referrer')
  t.equal(answer.headers['cache-control'], 'no-store')
  t.match(answer.headers['content-security-policy'], /default-src 'none'/)
  t.match(textOf(answer, 'what'), reason)
  const links = [...answer.body.matchAll(/<a\b[^>]*href="([^"]*)"/g)].map(([, href]) => href)
  t.same(
    links.filter((href) => !/^[/#](?!\/)/.test(href ?? '')),
    [],
    'no link elsewhere',
  )
}

t.test('R10 R12 R14 a signed-in person who has consented is sent back at once, with code, state and iss', async (t) => {
  const testApp = await openAuthorize(t)
  const browser = await testApp.signedIn()
  const state = 'a+b %25&c=d#é😀"<'
  const shown = await browser.get(testApp.address({ state, scope: 'User.Read' }))
  t.equal(shown.status, 302)
  t.equal(shown.headers['cache-control'], 'no-store')
  t.ok(shown.location?.startsWith(`${callback}?code=`))
  const { code = '', ...rest } = answerOf(shown)
  t.same(rest, { state, iss: baseUrl }, 'byte by byte')
  t.match(code, /^pcl_ac_[0-9A-Za-z]{43}$/, '256 random bits, safe in a URL')
  const rows = await testApp.store.reader.selectFrom('authorization_codes').selectAll().execute()
  t.equal(rows.length, 1)
  t.notMatch(JSON.stringify(rows), code, 'only its hash is stored')
  t.notOk(rows.some(({ hash }) => hash.startsWith(code.slice(7, 15)) || code.includes(hash.slice(0, 8))))
  const long = 'x'.repeat(1024)
  t.equal(answerOf(await browser.get(testApp.address({ state: long })))['state'], long, '1 KiB')
  t.notOk('state' in answerOf(await browser.get(testApp.address())), 'none was sent')
  t.notOk('state' in answerOf(await browser.get(testApp.address({ state: '' }))), 'an empty one is absent')
  t.notMatch(testApp.logged.join(''), /pcl_ac_|xxxx|%25|😀|userinfo|pcl_se_/, 'X5 neither code nor state is logged')
  t.ok(testApp.logged.length >= 3)
})

t.test('both spellings of the endpoint are one, the second in any letter case (contract §1)', async (t) => {
  const testApp = await openAuthorize(t)
  const browser = await testApp.signedIn()
  const query = testApp.address({ state: 's' }).split('?')[1]
  for (const path of ['/API/v2/OAuth/authorize', '/api/V2/oauth/AUTHORIZE', '/api/v2/oauth/authorize']) {
    t.equal(answerOf(await browser.get(`${path}?${query}`))['state'], 's', path)
  }
  t.equal((await browser.get(`/api/v2/oauth2/v2.0/Authorize?${query}`)).status, 404, 'the canonical one as it is')
  const routes = testApp.logged.map((line) => JSON.parse(line).route).filter((route) => route !== '_unmatched')
  t.same([...new Set(routes)], ['authorize'], 'one name in logs and metrics')
  const posted = await browser.post('/Api/v2/OAuth/Authorize', String(query))
  t.equal(posted.status, 303)
  t.equal(answerOf(await browser.follow(posted))['state'], 's')
})

t.test('both client identifiers are one application (contract §2)', async (t) => {
  const testApp = await openAuthorize(t)
  const browser = await testApp.signedIn()
  const { applicationId, publicKey } = testApp.registration
  for (const client_id of [applicationId, publicKey, applicationId.toUpperCase()]) {
    t.ok(answerOf(await browser.get(testApp.address({ client_id })))['code'], client_id)
  }
})

t.test('R5 an unknown, missing, malformed or disabled client is a page and no redirect', async (t) => {
  const testApp = await openAuthorize(t)
  const browser = await testApp.signedIn()
  const ask = (client_id: string | undefined) => browser.get(testApp.address({ client_id, state: 'reflect-me' }))
  checkPage(t, await ask(undefined), /client_id is missing/)
  for (const id of [unknownGuid(), 'x', `pcl_pk_${'0'.repeat(22)}`, '<script>', testApp.secret, ' ']) {
    const answer = await ask(id)
    checkPage(t, answer, /No application is registered/)
    t.notMatch(answer.body, 'reflect-me')
  }
  await changeApplication(testApp.writes, testApp.registration.applicationId, { state: 'disabled' })
  checkPage(t, await ask(testApp.registration.applicationId), /disabled/)
})

t.test('R1 R5 a redirect URI that is not registered, character by character, is a page and no redirect', async (t) => {
  const testApp = await openAuthorize(t)
  const browser = await testApp.signedIn()
  const others = [
    `${callback}/`,
    `${callback}?x=1`,
    `${callback}?code=stolen`,
    `${callback}#`,
    `${callback};x`,
    `${callback}\\x`,
    `${callback}\n`,
    `${callback}\t`,
    'https://app.test:443/callback',
    'https://APP.test/callback',
    'https://app.test/Callback',
    'https://app.test/%63allback',
    'https://app.test/x/%2e%2e/callback',
    'https://app.test/..;/callback',
    'https://user@app.test/callback',
    'https://app.test@evil.test/callback',
    'http://app.test/callback',
    'https://evil.test/',
    'javascript:alert(1)',
    '//app.test/callback',
    '/callback',
  ]
  for (const redirect_uri of others) {
    const answer = await browser.get(testApp.address({ redirect_uri }))
    checkPage(t, answer, /redirect_uri.*50011/)
    t.notMatch(answer.body, /evil\.test|alert\(1\)/, 'a member is not shown what was sent')
  }
  checkPage(t, await browser.get(testApp.address({ redirect_uri: undefined })), /redirect_uri is missing/)
  checkPage(t, await browser.get(testApp.address({ redirect_uri: '' })), /redirect_uri is missing/)
  t.match(testApp.logged.join(''), /redirect_uri_mismatch/, 'the log says why')
})

t.test('R5 only a developer of the tenant learns which registered address is nearest', async (t) => {
  const testApp = await openAuthorize(t)
  const wrong = testApp.address({ redirect_uri: 'https://app.test/calback?"><script>' })
  const developer = await testApp.person({ role: 'developer' })
  const shown = await (await testApp.signedIn(developer.userId)).get(wrong)
  checkPage(t, shown, /It sent https:\/\/app\.test\/calback/)
  t.match(textOf(shown, 'remedy'), `The nearest one that is registered is ${callback}.`)
  t.notMatch(shown.body, /<script>/)
  const { tenantId } = await createTenant(testApp.writes, { name: 'Fabrikam' })
  const untrusted = await testApp.person({ role: 'owner', tenantId })
  for (const browser of [testApp.browser(), await testApp.signedIn(), await testApp.signedIn(untrusted.userId)]) {
    const answer = await browser.get(wrong)
    checkPage(t, answer, /redirect_uri/)
    t.notMatch(answer.body, /calback|callback/, 'neither of the two')
  }
})

t.test('R2 a native client may vary the port on loopback, a web client may not (RFC 8252 §7.3)', async (t) => {
  const loopback = ['http://127.0.0.1:1/cb', 'http://[::1]/cb', 'http://localhost', 'com.example.app:/cb']
  const testApp = await openAuthorize(t, { registration: { type: 'native', redirectUris: loopback } })
  const web = await testApp.register({ tenantId: testApp.tenantId, redirectUris: loopback.slice(0, 3) })
  const browser = await testApp.signedIn()
  // A native client on loopback asks every time: that the consent page comes means that the address was right.
  const ask = (redirect_uri: string, more = {}) => browser.get(testApp.address({ redirect_uri, ...challenge, ...more }))
  for (const uri of [
    'http://127.0.0.1:50123/cb',
    'http://127.0.0.1/cb',
    'http://[::1]:8400/cb',
    'http://localhost:8400',
  ]) {
    t.match((await ask(uri)).location, /^\/consent\?request=/, uri)
    if (uri !== 'http://127.0.0.1/cb') {
      checkPage(t, await ask(uri, { client_id: web.registration.applicationId }), /redirect_uri/)
    }
  }
  const silent = await ask('http://localhost:8400', { prompt: 'none' })
  t.ok(silent.location?.startsWith('http://localhost:8400?error=consent_required&'), 'an absent path stays absent')
  const others = [
    'http://localhost:8400/',
    'http://127.0.0.1:50123/cb/',
    'http://127.0.0.1:99999/cb',
    'http://127.0.0.2/cb',
    'http://localhost.evil.test',
    'https://127.0.0.1:1/cb',
    'com.example.app:/other',
  ]
  for (const uri of others) checkPage(t, await ask(uri), /redirect_uri/)
})

t.test('R7 a repeated parameter is a page, whichever of the two is right', async (t) => {
  const testApp = await openAuthorize(t)
  const browser = await testApp.signedIn()
  for (const name of ['redirect_uri', 'client_id', 'state', 'code_challenge', 'scope', 'nonce', 'response_type']) {
    const address = testApp.address({ state: 's', scope: 'User.Read', nonce: 'n', ...challenge })
    const value = new URLSearchParams(address.split('?')[1]).get(name) ?? ''
    checkPage(t, await browser.get(`${address}&${name}=${encodeURIComponent(value)}`), /more than once/)
    checkPage(t, await browser.get(`${address}&${name}=x`), /more than once/)
  }
  checkPage(t, await browser.get(`${testApp.address()}&state=%FF`), /form-encoded/)
})

/** Requests that are wrong below the redirect URI, and what the client hears. */
const wrong: [name: string, more: Record<string, string | undefined>, error: string, description?: RegExp][] = [
  ['response_type=token', { response_type: 'token' }, 'unsupported_response_type'],
  ['response_type=code id_token', { response_type: 'code id_token' }, 'unsupported_response_type'],
  ['no response_type with openid', { response_type: undefined, scope: 'openid' }, 'invalid_request', /response_type/],
  ['an unknown permission', { scope: 'Nothing.Read' }, 'invalid_scope', /Nothing\.Read is unknown/],
  [
    'one that is not configured',
    { scope: 'User.Read User.Read.All' },
    'invalid_scope',
    /User\.Read\.All is not configured/,
  ],
  ['one of another kind', { scope: 'things_read' }, 'invalid_scope', /only as an application permission/],
  ['default beside another', { scope: 'default User.Read' }, 'invalid_scope'],
  ['two scope parameters that differ', { scope: 'User.Read', requested_scopes: 'assets_read' }, 'invalid_request'],
  ['an unknown resource', { resource: 'https://unknown.test' }, 'invalid_target'],
  ['a resource with nothing configured', { resource: otherResource }, 'invalid_scope'],
  ['a foreign resource in the scope', { scope: 'https://unknown.test/User.Read' }, 'invalid_scope'],
  ['response_mode=fragment', { response_mode: 'fragment' }, 'invalid_request', /response_mode/],
  ['response_mode=web_message', { response_mode: 'web_message' }, 'invalid_request'],
  ['a request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
  ['a request_uri', { request_uri: 'https://127.0.0.1:1/r' }, 'request_uri_not_supported'],
  ['plain PKCE', { code_challenge: pair.challenge, code_challenge_method: 'plain' }, 'invalid_request', /S256/],
  ['PKCE without a method', { code_challenge: pair.challenge }, 'invalid_request', /code_challenge_method/],
  ['a challenge that is none', { code_challenge: 'x', code_challenge_method: 'S256' }, 'invalid_request', /SHA-256/],
  ['a method without a challenge', { code_challenge_method: 'S256' }, 'invalid_request'],
  ['prompt=none beside another', { prompt: 'none login' }, 'invalid_request'],
  ['an unknown prompt', { prompt: 'create' }, 'invalid_request'],
  ['max_age that is no number', { max_age: '-1' }, 'invalid_request'],
  ['claims that are no JSON', { claims: '{' }, 'invalid_request'],
  ['claims that are a list', { claims: '[]' }, 'invalid_request'],
  ['claims whose members are none', { claims: '{"id_token":"x"}' }, 'invalid_request'],
  ['an id_token_hint that is none', { id_token_hint: 'eyJhbGciOiJub25lIn0.e30.' }, 'invalid_request', /id_token_hint/],
  ['a tenant that is no GUID', { requested_enrollment: 'contoso' }, 'invalid_request', /GUID/],
  ['an unknown tenant', { requested_enrollment: unknownGuid() }, 'unauthorized_client'],
  ['two tenants', { requested_enrollment: unknownGuid(), tenant: unknownGuid() }, 'invalid_request'],
]

t.test('R6 R10 every other error goes to the verified redirect URI, with state and iss', async (t) => {
  const testApp = await openAuthorize(t)
  const browser = await testApp.signedIn()
  for (const [name, more, error, description = /./] of wrong) {
    const shown = await browser.get(testApp.address({ state: 's t', ...more }))
    t.equal(shown.status, 302, name)
    t.ok(shown.location?.startsWith(`${callback}?error=${error}&`), `${name}: ${shown.location}`)
    const { error_description, error_uri, ...rest } = answerOf(shown)
    t.same(rest, { error, state: 's t', iss: baseUrl }, name)
    t.match(error_description, description, name)
    t.match(error_description, /^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/, 'RFC 6749 §4.1.2.1')
    t.equal((await browser.get(new URL(String(error_uri)).pathname)).status, 200, 'the page that explains it')
  }
  t.equal((await testApp.store.reader.selectFrom('pending_requests').selectAll().execute()).length, 0, 'nothing waits')
})

t.test('R6 without a session the person signs in before a wrong request is explained (RFC 9700 §4.11.2)', async (t) => {
  const testApp = await openAuthorize(t)
  for (const [name, more, error] of wrong) {
    const browser = testApp.browser()
    const shown = await browser.get(testApp.address({ state: 's', ...more }))
    const silent = more['prompt']?.includes('none') === true
    if (!silent) {
      t.match(shown.location, /^\/sign-in\?request=pcl_rq_/, name)
      await testApp.signIn(browser, testApp.user.userId)
    }
    const id = shown.location?.split('=')[1]
    const after = silent ? shown : await browser.get(`${authorizePath}/resume/${id}`)
    t.match(answerOf(after), { error, state: 's', iss: baseUrl }, name)
    const none = await testApp.browser().get(testApp.address({ ...more, prompt: more['prompt'] ?? 'none' }))
    if (silent || more['prompt'] === undefined)
      t.equal(answerOf(none)['error'], error, `${name}: before login_required`)
  }
})

t.test('R11 T14 PKCE is for native clients always, and for web clients that are switched to it', async (t) => {
  const testApp = await openAuthorize(t)
  const browser = await testApp.signedIn()
  const { registration: native } = await testApp.register({ tenantId: testApp.tenantId, type: 'native' })
  const { registration: strict } = await testApp.register({ tenantId: testApp.tenantId, requirePkce: true })
  // A row that says otherwise, of whatever make, changes nothing for a native client.
  await testApp.store.transaction((tx) =>
    tx.updateTable('applications').set({ require_pkce: 0 }).where('id', '=', native.applicationId).execute(),
  )
  for (const registration of [native, strict]) {
    await testApp.consent({ registration })
    const ask = async (more = {}) =>
      answerOf(await browser.get(testApp.address({ client_id: registration.publicKey, ...more })))
    t.match(
      await ask(),
      { error: 'invalid_request', error_description: /must send a code_challenge/ },
      registration.type,
    )
    t.match(await ask({ code_challenge: '' }), { error: 'invalid_request' }, 'an empty one is none')
    t.match(await ask({ code_challenge: pair.challenge }), { error: 'invalid_request' }, 'no method is not plain')
    t.match(await ask({ code_challenge: pair.verifier, code_challenge_method: 'plain' }), { error: 'invalid_request' })
    t.ok((await ask(challenge))['code'])
  }
  t.ok(answerOf(await browser.get(testApp.address()))['code'], 'a web client may do without')
  t.ok(answerOf(await browser.get(testApp.address(challenge)))['code'], 'or not')
})

t.test('R13 the resource decides the audience of the grant; several are none', async (t) => {
  const testApp = await openAuthorize(t)
  const browser = await testApp.signedIn()
  const grants = async () => (await testApp.store.reader.selectFrom('grants').selectAll().execute()).at(-1)
  const ask = async (more: Record<string, string | undefined>, tail = '') =>
    answerOf(await browser.get(testApp.address(more) + tail))
  t.ok((await ask({ resource: ownResource }))['code'])
  t.match(await grants(), { resource: ownResource, permissions: 'User.Read assets_read' }, 'all that is configured')
  t.ok((await ask({ resource: ownResource, scope: 'assets_read' }))['code'])
  t.match(await grants(), { resource: ownResource, permissions: 'assets_read' }, 'resource and scope together')
  t.ok((await ask({}))['code'])
  t.match(await grants(), { resource: ownResource }, 'without one it is the own API')
  const two = `&resource=${encodeURIComponent(ownResource)}&resource=${encodeURIComponent(otherResource)}`
  t.equal((await ask({}, two))['error'], 'invalid_target')
  const same = `&resource=${encodeURIComponent(ownResource)}`
  t.ok((await ask({}, same + same))['code'], 'the same one twice is one')
  t.equal((await ask({ resource: '*' }))['error'], 'invalid_target')
})

t.test('what scope means: nothing, default, single permissions, OpenID Connect (contract §3, §4)', async (t) => {
  const testApp = await openAuthorize(t)
  const browser = await testApp.signedIn()
  const granted = async (scope: string | undefined) => {
    const answer = answerOf(await browser.get(testApp.address({ scope })))
    t.ok(answer['code'], `${scope}: ${answer['error_description']}`)
    const grants = await testApp.store.reader.selectFrom('grants').selectAll().execute()
    await testApp.store.transaction((tx) => tx.deleteFrom('grants').execute())
    return `${grants[0]?.permissions}|${grants[0]?.openid_scopes}`
  }
  const all = 'User.Read assets_read'
  for (const scope of [undefined, 'default', '.default', `${ownResource}/.default`])
    t.equal(await granted(scope), `${all}|`)
  t.equal(await granted('assets_read,User.Read'), 'assets_read User.Read|')
  t.equal(await granted(`${ownResource}/assets_read assets_read`), 'assets_read|')
  t.equal(
    await granted('openid profile email offline_access address phone default'),
    `${all}|openid profile email offline_access`,
  )
  t.equal(await granted('email openid'), '|openid email', 'good for userinfo only')
  t.equal(await granted('address phone'), '|', 'accepted, and give nothing')
  await configurePermissions(testApp.writes, testApp.registration.applicationId, [])
  const none = answerOf(await browser.get(testApp.address()))
  t.match(
    none,
    { error: 'invalid_scope', error_description: /No delegated permissions/ },
    'never a token without permissions',
  )
})

t.test('R8 the registered query stays, and nothing in it can be ours', async (t) => {
  const redirectUris = ['https://app.test/cb?a=b&c=%20d']
  const testApp = await openAuthorize(t, { registration: { redirectUris } })
  const browser = await testApp.signedIn()
  const shown = await browser.get(testApp.address({ redirect_uri: redirectUris[0], state: 's' }))
  t.ok(shown.location?.startsWith('https://app.test/cb?a=b&c=%20d&code='))
  const sent = new URL(String(shown.location)).searchParams
  for (const name of ['code', 'state', 'iss', 'a', 'c']) t.equal(sent.getAll(name).length, 1, name)
  for (const tail of ['&code=x', '&state=x', '&error=x', '&iss=x']) {
    checkPage(t, await browser.get(testApp.address({ redirect_uri: `${redirectUris[0]}${tail}` })), /redirect_uri/)
  }
  for (const name of ['code', 'error', 'iss']) {
    const answer = await browser.get(`${testApp.address({ redirect_uri: redirectUris[0] })}&${name}=x`)
    t.notMatch(answer.location, /=x(&|$)/, `${name} of the request is not handed on`)
  }
})

t.test(
  'R15 request and request_uri are refused without a look: nothing is fetched, no connection is made',
  async (t) => {
    const testApp = await openAuthorize(t)
    const browser = await testApp.signedIn()
    const fetched: string[] = []
    const original = globalThis.fetch
    globalThis.fetch = async (input) => {
      fetched.push(String(input))
      throw new Error('no')
    }
    t.teardown(() => {
      globalThis.fetch = original
    })
    let connections = 0
    const listener = createServer((socket) => {
      connections += 1
      socket.destroy()
    })
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
    t.teardown(() => listener.close())
    const { port } = listener.address() as AddressInfo
    const uris = [
      `http://127.0.0.1:${port}/r`,
      `https://127.0.0.1:${port}/r`,
      `https://localhost:${port}/r`,
      'http://169.254.169.254/',
      'file:///etc/passwd',
      'urn:ietf:params:oauth:request_uri:x',
    ]
    for (const request_uri of uris) {
      t.equal(answerOf(await browser.get(testApp.address({ request_uri })))['error'], 'request_uri_not_supported')
    }
    t.equal(answerOf(await browser.get(testApp.address({ request: 'x' })))['error'], 'request_not_supported')
    t.ok(
      answerOf(await browser.get(testApp.address({ request: '', request_uri: '' })))['code'],
      'empty ones are absent',
    )
    t.same(fetched, [])
    t.equal(connections, 0)
  },
)

t.test('R16 form_post: a form that goes to the redirect URI and nowhere else', async (t) => {
  const testApp = await openAuthorize(t)
  const browser = await testApp.signedIn()
  const shown = await browser.get(testApp.address({ response_mode: 'form_post', state: '"><b>&' }))
  t.equal(shown.status, 200)
  const { action, fields } = formOf(shown, 'answer')
  t.equal(action, callback)
  t.match(fields, { code: /^pcl_ac_/, state: '"><b>&', iss: baseUrl })
  t.notMatch(shown.body, /<b>/)
  const policy = String(shown.headers['content-security-policy'])
  t.match(policy, /form-action 'self' https:\/\/app\.test;/)
  t.match(policy, /script-src https:\/\/[^ ;]+\/assets\/$/, 'no inline script')
  t.match(shown.body, /<button id="go-on" type="submit">/, 'works without a script')
  const scripts = [...shown.body.matchAll(/<script src="(\/assets\/[0-9a-f]+\.js)"/g)].map(([, path = '']) => path)
  const [once = '', answer = '', ...more] = scripts
  t.match(
    (await browser.get(once)).body,
    /addEventListener\('submit'/,
    'first what makes a click on the button too late',
  )
  t.match((await browser.get(answer)).body, /requestSubmit/)
  t.same(more, [])
  t.equal(shown.headers['cache-control'], 'no-store')
  const refused = await browser.get(testApp.address({ response_mode: 'form_post', scope: 'x' }))
  t.match(formOf(refused, 'answer').fields, { error: 'invalid_scope', iss: baseUrl }, 'errors too')
  for (const mode of ['fragment', 'query.jwt', 'FORM_POST']) {
    t.equal(answerOf(await browser.get(testApp.address({ response_mode: mode })))['error'], 'invalid_request', mode)
  }
})

t.test('C4 R16 a host that a policy cannot name gets its pages too', async (t) => {
  const redirectUris = ['https://my_app.test/cb']
  const testApp = await openAuthorize(t, { registration: { redirectUris } })
  const address = testApp.address({ redirect_uri: redirectUris[0], response_mode: 'form_post' })
  const page = await testApp.browser().open(address)
  t.equal(page.status, 200, 'the sign-in page')
  t.match(page.headers['content-security-policy'], /form-action 'self' https:;/)
  t.equal(formOf(await (await testApp.signedIn()).get(address), 'answer').action, redirectUris[0])
})

t.test('R16 a form cannot be posted to a private-use scheme', async (t) => {
  const redirectUris = ['com.example.app:/cb']
  const testApp = await openAuthorize(t, { registration: { type: 'native', redirectUris } })
  const browser = await testApp.signedIn()
  const more = { redirect_uri: redirectUris[0], response_mode: 'form_post', ...challenge }
  const shown = await browser.get(testApp.address(more))
  t.ok(shown.location?.startsWith('com.example.app:/cb?error=invalid_request&'))
})

t.test(
  'R9 a request by POST is put down and gone on with by 303, with the cookies that a POST from elsewhere lacks',
  async (t) => {
    const testApp = await openAuthorize(t)
    const browser = await testApp.signedIn()
    const kept = new Map(browser.cookies)
    const query = testApp.address({ state: 's' }).split('?')[1] ?? ''
    browser.cookies.clear()
    const posted = await browser.post(authorizePath, query, {
      origin: 'https://app.test',
      'sec-fetch-site': 'cross-site',
    })
    t.equal(posted.status, 303)
    t.equal(posted.headers['set-cookie'], undefined, 'a browser that has cookies keeps them')
    for (const [name, value] of kept) browser.cookies.set(name, value)
    const resumed = await browser.get(String(posted.location))
    t.equal(resumed.status, 302)
    t.match(answerOf(resumed), { code: /^pcl_ac_/, state: 's', iss: baseUrl })
    checkPage(t, await browser.get(String(posted.location)), /already completed/)
    checkPage(t, await browser.post(authorizePath, `${query}&state=x`), /more than once/)
    checkPage(t, await browser.post(authorizePath, query.replace('callback', 'elsewhere')), /redirect_uri/)
    const json = await browser.post(authorizePath, '{}', { 'content-type': 'application/json' })
    t.equal(json.status, 415)
    const silent = await testApp.browser().post(authorizePath, `${query}&prompt=none`)
    t.equal(answerOf(await testApp.browser().follow(silent))['error'], 'login_required')
  },
)

t.test('C3 X1 only GET and POST, and no other origin may read', async (t) => {
  const testApp = await openAuthorize(t)
  const cookie = [...(await testApp.signedIn()).cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const headers = { cookie, origin: 'https://app.test' }
  for (const method of ['HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'] as const) {
    const answer = await testApp.ask({ method, url: testApp.address(), headers })
    t.equal(answer.statusCode, 405, method)
    t.match(answer.headers['allow'], /GET.*POST/, method)
  }
  t.same(await testApp.store.reader.selectFrom('grants').selectAll().execute(), [], 'looking ahead makes no code')
  const answer = await testApp.ask({ method: 'GET', url: testApp.address(), headers })
  t.equal(answer.statusCode, 302)
  t.same(
    Object.keys(answer.headers).filter((name) => name.startsWith('access-control')),
    [],
  )
})

t.test('C14 no code is made for a session that ended in the moment before', async (t) => {
  const race = { userId: '' }
  const testApp = await openAuthorize(t, {
    // Between the decision and the transaction that makes the code, the person signs out everywhere.
    replace: ({ feed, users }) => ({
      feed: {
        ...feed,
        async commit(work) {
          const { userId } = race
          race.userId = ''
          if (userId !== '') await signOutEverywhere(users, userId)
          return feed.commit(work)
        },
      },
    }),
  })
  const browser = await testApp.signedIn()
  race.userId = testApp.user.userId
  const shown = await browser.get(testApp.address())
  t.match(shown.location, /resume/, 'decided anew')
  t.match((await browser.get(String(shown.location))).location, /^\/sign-in/)
  t.same(await testApp.store.reader.selectFrom('grants').selectAll().execute(), [], 'nothing was written')
})

t.test('V5 nothing is decided on a view that may have missed something', async (t) => {
  const testApp = await openAuthorize(t, { replace: () => ({ health: { storeUp: false } }) })
  const answer = await (await testApp.signedIn()).get(testApp.address())
  t.equal(answer.status, 503)
  t.ok(answer.headers['retry-after'])
})

t.test(
  'R1 R6 R8 R10 property: a redirect goes to a registered URI, with one iss, one state and one code or error',
  async (t) => {
    const redirectUris = [callback, 'https://app.test/cb?x=1', 'https://other.test']
    const testApp = await openAuthorize(t, { registration: { redirectUris } })
    const browser = await testApp.signedIn()
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.constantFrom('', 'code', 'none', 'login', 'openid', 'User.Read', 'default', 'S256'),
    )
    const uri = fc.oneof(
      { arbitrary: fc.constantFrom(...redirectUris), weight: 2 },
      fc
        .tuple(
          fc.constantFrom(...redirectUris),
          fc.constantFrom('/', '?', '#x', '&code=1', '.evil.test', '@evil.test', '%0d%0ax:y', '\\'),
        )
        .map((each) => each.join('')),
      fc.webUrl(),
    )
    const names = [
      'scope',
      'state',
      'response_type',
      'response_mode',
      'prompt',
      'nonce',
      'resource',
      'code_challenge',
      'code_challenge_method',
      'max_age',
      'claims',
      'tenant',
      'code',
      'iss',
      'error',
    ]
    const extra = fc.array(fc.tuple(fc.constantFrom(...names), text), { maxLength: 5 })
    let redirects = 0
    await fc.assert(
      fc.asyncProperty(uri, extra, async (redirect_uri, more) => {
        const query = new URLSearchParams([
          ['client_id', testApp.registration.applicationId],
          ['redirect_uri', redirect_uri],
          ...more,
        ])
        // Requests that are injected leave no time for timers, and the view would grow old.
        await setImmediate()
        const { status, location, body } = await browser.get(`${authorizePath}?${query}`)
        if (location === undefined && status !== 400 && status !== 200) throw new Error(`${status} ${body}`)
        if (location === undefined) return true
        if (location.startsWith('/')) return /^\/(sign-in|consent)\?request=pcl_rq_\w+$/.test(location)
        redirects += 1
        const sent = new URL(location).searchParams
        const state = query.get('state')
        return (
          redirectUris.includes(redirect_uri) &&
          location.startsWith(redirect_uri) &&
          sent.getAll('iss').length === 1 &&
          sent.getAll('code').length + sent.getAll('error').length === 1 &&
          sent.getAll('state').length === (state === null || state === '' ? 0 : 1) &&
          (state === null || state === '' || sent.get('state') === state)
        )
      }),
      { numRuns: 150 },
    )
    t.ok(redirects > 20, `${redirects} redirects`)
  },
)

t.test('identity M7: state and nonce have an end, a page says so, and nothing is written', async (t) => {
  const testApp = await openAuthorize(t)
  const browser = testApp.browser()
  const rows = async () => (await testApp.store.reader.selectFrom('pending_requests').selectAll().execute()).length
  for (const name of ['state', 'nonce']) {
    const long = testApp.address({ [name]: 'ä'.repeat(513) })
    checkPage(t, await browser.get(long), /longer than 1024 bytes/)
    checkPage(t, await browser.post(authorizePath, long.split('?')[1] ?? ''), /longer than 1024 bytes/)
  }
  t.equal(await rows(), 0)
  t.equal((await browser.get(testApp.address({ state: 's'.repeat(1024), nonce: 'n'.repeat(1024) }))).status, 303)
})
