// The authorization code flow by its texts: RFC 6749 §3.1 and §4.1, RFC 7636, RFC 8707 at this endpoint, RFC 9207, RFC
// 9700, and OpenID Connect Core §3.1.2. From the request to the redeemed code.

import t, { type Test } from 'tap'
import { formOf, type ScriptedBrowser } from '../support/browser/scripted-browser.js'
import { type AuthorizeApp, answerOf, authorizePath, callback, openAuthorize } from '../support/rooms/authorize.js'
import { pkcePair } from '../support/rooms/delegation.js'
import { baseUrl, ownResource } from '../support/rooms/directory.js'
import { readToken, tokenPath } from '../support/rooms/identity.js'

interface Opened extends AuthorizeApp {
  front: ScriptedBrowser
  /** Asks and gives the fields of the answer. */
  answer(more?: Record<string, string | undefined>): Promise<Record<string, string>>
  redeem(form: Record<string, string>): Promise<{ status: number; body: Record<string, string> }>
}

async function open(t: Test, options: Parameters<typeof openAuthorize>[1] = {}): Promise<Opened> {
  const testApp = await openAuthorize(t, options)
  const front = await testApp.signedIn()
  return {
    ...testApp,
    front,
    answer: async (more = {}) => answerOf(await front.get(testApp.address(more))),
    async redeem(form) {
      const client = { client_id: testApp.registration.applicationId, client_secret: testApp.secret }
      const body = { grant_type: 'authorization_code', redirect_uri: callback, ...client, ...form }
      const answer = await testApp.post(tokenPath, body)
      return { status: answer.statusCode, body: answer.json() }
    },
  }
}

t.test('RFC 6749 §3.1 GET and POST; empty parameters are absent, unknown ones ignored, none comes twice', async (t) => {
  const testApp = await open(t)
  t.ok((await testApp.answer({ foo: 'bar', scope: '', nonce: '' }))['code'])
  const query = testApp.address({ foo: 'bar' }).split('?')[1] ?? ''
  t.ok(answerOf(await testApp.front.follow(await testApp.front.post(authorizePath, query)))['code'])
  const twice = await testApp.front.get(`${authorizePath}?${query}&response_type=code`)
  t.equal(twice.status, 400)
  t.equal(twice.location, undefined)
})

t.test('RFC 6749 §3.1.2.4 without a valid redirection endpoint nobody is redirected', async (t) => {
  const testApp = await open(t)
  for (const redirect_uri of [undefined, 'https://evil.test/', `${callback}#x`, 'callback']) {
    const shown = await testApp.front.get(testApp.address({ redirect_uri, response_type: 'token' }))
    t.equal(shown.status, 400)
    t.equal(shown.location, undefined, String(redirect_uri))
  }
})

t.test(
  'RFC 6749 §4.1.2 a code with the state of the request, for this client and this redirection, once',
  async (t) => {
    const testApp = await open(t)
    const { code = '', state } = await testApp.answer({ state: 'xyz' })
    t.equal(state, 'xyz')
    t.match(await testApp.redeem({ code, redirect_uri: `${callback}/` }), {
      status: 400,
      body: { error: 'invalid_grant' },
    })
    t.match(await testApp.redeem({ code: `${code}x` }), { status: 400, body: { error: 'invalid_grant' } })
    const done = await testApp.redeem({ code })
    t.match(done, { status: 200, body: { token_type: 'Bearer', scope: 'User.Read assets_read' } })
    t.match(await testApp.redeem({ code }), { status: 400, body: { error: 'invalid_grant' } }, 'T8')
  },
)

t.test('RFC 6749 §4.1.2 a code is short-lived: 60 seconds', async (t) => {
  const testApp = await open(t)
  const { code = '' } = await testApp.answer()
  testApp.clock.nowMs += 61_000
  t.match(await testApp.redeem({ code }), { status: 400, body: { error: 'invalid_grant' } }, 'T9')
})

t.test('RFC 6749 §4.1.2.1 the errors that go back, with the state', async (t) => {
  const testApp = await open(t)
  const errors: [Record<string, string>, string][] = [
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ scope: 'nothing' }, 'invalid_scope'],
    [{ max_age: 'x' }, 'invalid_request'],
    [{ requested_enrollment: '00000000-0000-4000-8000-000000000000' }, 'unauthorized_client'],
  ]
  for (const [more, error] of errors) {
    const answer = await testApp.answer({ ...more, state: 'xyz' })
    t.match(answer, { error, state: 'xyz' })
    t.match(answer['error_description'], /^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/)
    t.match(answer['error_uri'], /^https:\/\/portcullis\.test\/errors\/\d+$/)
  }
})

t.test('RFC 7636 §4.3 §4.6 R11 T12 a challenge by S256 is met by its verifier and by nothing else', async (t) => {
  const testApp = await open(t)
  const { verifier, challenge } = pkcePair()
  const ask = async () =>
    (await testApp.answer({ code_challenge: challenge, code_challenge_method: 'S256' }))['code'] ?? ''
  t.match(await testApp.redeem({ code: await ask(), code_verifier: verifier }), { status: 200 })
  for (const wrong of [{}, { code_verifier: pkcePair().verifier }, { code_verifier: challenge }]) {
    t.match(await testApp.redeem({ code: await ask(), ...wrong }), { status: 400, body: { error: 'invalid_grant' } })
  }
})

t.test('RFC 7636 §4.4.1 a challenge that is missing or of another method is invalid_request', async (t) => {
  const testApp = await open(t, { registration: { requirePkce: true } })
  const { challenge, verifier } = pkcePair()
  t.match(await testApp.answer(), { error: 'invalid_request' })
  t.match(await testApp.answer({ code_challenge: verifier, code_challenge_method: 'plain' }), {
    error: 'invalid_request',
  })
  t.match(await testApp.answer({ code_challenge: challenge }), { error: 'invalid_request' }, 'T14')
  t.match(await testApp.answer({ code_challenge: challenge, code_challenge_method: 's256' }), {
    error: 'invalid_request',
  })
})

t.test('RFC 8707 §2 R13 the resource of the request is the audience of the token', async (t) => {
  const testApp = await open(t)
  const { code = '' } = await testApp.answer({ resource: ownResource, scope: 'User.Read' })
  const { claims } = readToken((await testApp.redeem({ code })).body['access_token'])
  t.match(claims, { aud: ownResource, scope: 'User.Read', sub: testApp.user.userId, tid: testApp.tenantId })
  t.match(await testApp.answer({ resource: `${ownResource}/` }), { error: 'invalid_target' })
  t.match(await testApp.answer({ resource: `${ownResource}#x` }), { error: 'invalid_target' })
})

t.test('RFC 9207 §2 §3 R10 every answer has iss, which is the issuer of the metadata, which says so', async (t) => {
  const testApp = await open(t)
  const metadata = (await testApp.ask({ url: '/.well-known/oauth-authorization-server' })).json()
  t.equal(metadata.authorization_response_iss_parameter_supported, true)
  for (const more of [{}, { scope: 'nothing' }, { prompt: 'none', max_age: '0' }, { response_type: 'x' }]) {
    testApp.clock.nowMs += 1000
    t.equal((await testApp.answer(more))['iss'], metadata.issuer)
  }
  const posted = await testApp.front.get(testApp.address({ response_mode: 'form_post' }))
  t.equal(formOf(posted, 'answer').fields['iss'], metadata.issuer)
})

t.test(
  'RFC 9700 §2.1.1 a verifier for a code without a challenge is refused: nobody took the challenge away',
  async (t) => {
    const testApp = await open(t)
    const { code = '' } = await testApp.answer()
    t.match(await testApp.redeem({ code, code_verifier: pkcePair().verifier }), { body: { error: 'invalid_grant' } })
  },
)

t.test('RFC 9700 §4.11.2 no open redirector: a wrong request reaches the client only through a person', async (t) => {
  const testApp = await open(t)
  const untrusted = await testApp.browser().get(testApp.address({ scope: 'nothing' }))
  t.match(untrusted.location, /^\/sign-in/)
  t.match(await testApp.answer({ scope: 'nothing' }), { error: 'invalid_scope' }, 'one who is signed in')
})

t.test('RFC 9700 §4.12 R9 what was posted is never posted on: 303 after a form', async (t) => {
  const testApp = await open(t, { consented: false })
  const page = await testApp.front.open(testApp.address())
  const headers = { origin: 'null', 'sec-fetch-site': 'same-origin' }
  const { action, fields } = formOf(page, 'consent')
  const shown = await testApp.front.post(action, { ...fields, decision: 'cancel' }, headers)
  t.equal(shown.status, 303)
  t.ok(shown.location?.startsWith(`${callback}?error=access_denied`))
  t.equal((await testApp.front.post(authorizePath, testApp.address().split('?')[1] ?? '')).status, 303)
})

t.test('OpenID Connect Core §3.1.2.1 §3.1.3.7 nonce, auth_time and the client come back in the ID token', async (t) => {
  const testApp = await open(t)
  testApp.clock.nowMs += 30_000
  const { code = '' } = await testApp.answer({ scope: 'openid email', nonce: 'n-0S6', max_age: '60' })
  const { body } = await testApp.redeem({ code })
  const { claims } = readToken(body['id_token'])
  t.match(claims, { iss: baseUrl, aud: testApp.registration.applicationId, nonce: 'n-0S6', email: testApp.user.email })
  t.equal(claims['auth_time'], Math.floor(testApp.clock.nowMs / 1000) - 30)
  const without = await testApp.redeem({ code: (await testApp.answer({ scope: 'User.Read' }))['code'] ?? '' })
  t.notOk('id_token' in without.body, 'only with openid')
})

t.test('OpenID Connect Core §3.1.2.1 §3.1.2.6 prompt', async (t) => {
  const testApp = await open(t)
  t.ok((await testApp.answer({ prompt: 'none', scope: 'openid' }))['code'])
  t.match(await testApp.answer({ prompt: 'none login' }), { error: 'invalid_request' })
  t.match(await testApp.answer({ prompt: 'none', scope: 'openid nothing' }), { error: 'invalid_scope' })
  const nobody = await testApp.browser().get(testApp.address({ prompt: 'none', scope: 'openid' }))
  t.match(answerOf(nobody), { error: 'login_required' })
  for (const prompt of ['login', 'select_account']) {
    t.match((await testApp.front.get(testApp.address({ prompt }))).location, /^\/sign-in/, prompt)
  }
  t.match((await testApp.front.get(testApp.address({ prompt: 'consent' }))).location, /^\/consent/)
})

t.test(
  'OpenID Connect Core §3.1.2.1 what is not supported is ignored: display, ui_locales, acr_values, claims_locales',
  async (t) => {
    const testApp = await open(t)
    const more = {
      display: 'touch',
      ui_locales: 'de',
      claims_locales: 'fr',
      acr_values: '0',
      scope: 'openid unknown:x',
    }
    t.match(await testApp.answer(more), { error: 'invalid_scope' }, 'but a permission that is unknown')
    t.ok((await testApp.answer({ ...more, scope: 'openid address phone' }))['code'])
  },
)

t.test('OpenID Connect Core §6 request and request_uri by their errors', async (t) => {
  const testApp = await open(t)
  t.match(await testApp.answer({ request: 'x' }), { error: 'request_not_supported' })
  t.match(await testApp.answer({ request_uri: 'https://x.test' }), { error: 'request_uri_not_supported' })
})

t.test('OAuth 2.0 Form Post Response Mode §2 the answer as a form, also after the pages', async (t) => {
  const testApp = await open(t, { consented: false })
  const page = await testApp.front.open(testApp.address({ response_mode: 'form_post', state: 's', scope: 'openid' }))
  const done = await testApp.front.submit(page, 'consent', { decision: 'accept' })
  const { action, fields } = formOf(done, 'answer')
  t.equal(action, callback)
  t.match(fields, { code: /^pcl_ac_/, state: 's', iss: baseUrl })
  t.match(await testApp.redeem({ code: fields['code'] ?? '' }), { status: 200 })
})

t.test('OpenID Connect Discovery §3 the metadata says what this endpoint does', async (t) => {
  const testApp = await open(t)
  for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']) {
    t.match((await testApp.ask({ url: path })).json(), {
      authorization_endpoint: `${baseUrl}${authorizePath}`,
      response_types_supported: ['code'],
      response_modes_supported: ['query', 'form_post'],
      code_challenge_methods_supported: ['S256'],
    })
  }
})
