// The authorization code flow by its texts: RFC 6749 §3.1 and §4.1, RFC 7636, RFC 8707 at this endpoint, RFC 9207, RFC 9700,
// and OpenID Connect Core §3.1.2. From the request to the redeemed code.

import t, { type Test } from 'tap'
import { formOf, type ScriptedBrowser } from '../support/browser/scripted-browser.js'
import { type AuthorizeHouse, answerOf, authorizePath, callback, openAuthorize } from '../support/rooms/authorize.js'
import { pkcePair } from '../support/rooms/delegation.js'
import { baseUrl, ownResource } from '../support/rooms/directory.js'
import { readToken, tokenPath } from '../support/rooms/identity.js'

interface Opened extends AuthorizeHouse {
  front: ScriptedBrowser
  /** Asks and gives the fields of the answer. */
  answer(more?: Record<string, string | undefined>): Promise<Record<string, string>>
  redeem(form: Record<string, string>): Promise<{ status: number; body: Record<string, string> }>
}

async function open(t: Test, options: Parameters<typeof openAuthorize>[1] = {}): Promise<Opened> {
  const house = await openAuthorize(t, options)
  const front = await house.signedIn()
  return {
    ...house,
    front,
    answer: async (more = {}) => answerOf(await front.get(house.address(more))),
    async redeem(form) {
      const client = { client_id: house.registration.applicationId, client_secret: house.secret }
      const body = { grant_type: 'authorization_code', redirect_uri: callback, ...client, ...form }
      const answer = await house.post(tokenPath, body)
      return { status: answer.statusCode, body: answer.json() }
    },
  }
}

t.test('RFC 6749 §3.1 GET and POST; empty parameters are absent, unknown ones ignored, none comes twice', async (t) => {
  const house = await open(t)
  t.ok((await house.answer({ foo: 'bar', scope: '', nonce: '' }))['code'])
  const query = house.address({ foo: 'bar' }).split('?')[1] ?? ''
  t.ok(answerOf(await house.front.follow(await house.front.post(authorizePath, query)))['code'])
  const twice = await house.front.get(`${authorizePath}?${query}&response_type=code`)
  t.equal(twice.status, 400)
  t.equal(twice.location, undefined)
})

t.test('RFC 6749 §3.1.2.4 without a valid redirection endpoint nobody is redirected', async (t) => {
  const house = await open(t)
  for (const redirect_uri of [undefined, 'https://evil.test/', `${callback}#x`, 'callback']) {
    const shown = await house.front.get(house.address({ redirect_uri, response_type: 'token' }))
    t.equal(shown.status, 400)
    t.equal(shown.location, undefined, String(redirect_uri))
  }
})

t.test(
  'RFC 6749 §4.1.2 a code with the state of the request, for this client and this redirection, once',
  async (t) => {
    const house = await open(t)
    const { code = '', state } = await house.answer({ state: 'xyz' })
    t.equal(state, 'xyz')
    t.match(await house.redeem({ code, redirect_uri: `${callback}/` }), {
      status: 400,
      body: { error: 'invalid_grant' },
    })
    t.match(await house.redeem({ code: `${code}x` }), { status: 400, body: { error: 'invalid_grant' } })
    const done = await house.redeem({ code })
    t.match(done, { status: 200, body: { token_type: 'Bearer', scope: 'User.Read assets_read' } })
    t.match(await house.redeem({ code }), { status: 400, body: { error: 'invalid_grant' } }, 'T8')
  },
)

t.test('RFC 6749 §4.1.2 a code is short-lived: 60 seconds', async (t) => {
  const house = await open(t)
  const { code = '' } = await house.answer()
  house.clock.nowMs += 61_000
  t.match(await house.redeem({ code }), { status: 400, body: { error: 'invalid_grant' } }, 'T9')
})

t.test('RFC 6749 §4.1.2.1 the errors that go back, with the state', async (t) => {
  const house = await open(t)
  const errors: [Record<string, string>, string][] = [
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ scope: 'nothing' }, 'invalid_scope'],
    [{ max_age: 'x' }, 'invalid_request'],
    [{ requested_enrollment: '00000000-0000-4000-8000-000000000000' }, 'unauthorized_client'],
  ]
  for (const [more, error] of errors) {
    const answer = await house.answer({ ...more, state: 'xyz' })
    t.match(answer, { error, state: 'xyz' })
    t.match(answer['error_description'], /^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/)
    t.match(answer['error_uri'], /^https:\/\/portcullis\.test\/errors\/\d+$/)
  }
})

t.test('RFC 7636 §4.3 §4.6 R11 T12 a challenge by S256 is met by its verifier and by nothing else', async (t) => {
  const house = await open(t)
  const { verifier, challenge } = pkcePair()
  const ask = async () =>
    (await house.answer({ code_challenge: challenge, code_challenge_method: 'S256' }))['code'] ?? ''
  t.match(await house.redeem({ code: await ask(), code_verifier: verifier }), { status: 200 })
  for (const wrong of [{}, { code_verifier: pkcePair().verifier }, { code_verifier: challenge }]) {
    t.match(await house.redeem({ code: await ask(), ...wrong }), { status: 400, body: { error: 'invalid_grant' } })
  }
})

t.test('RFC 7636 §4.4.1 a challenge that is missing or of another method is invalid_request', async (t) => {
  const house = await open(t, { registration: { requirePkce: true } })
  const { challenge, verifier } = pkcePair()
  t.match(await house.answer(), { error: 'invalid_request' })
  t.match(await house.answer({ code_challenge: verifier, code_challenge_method: 'plain' }), {
    error: 'invalid_request',
  })
  t.match(await house.answer({ code_challenge: challenge }), { error: 'invalid_request' }, 'T14')
  t.match(await house.answer({ code_challenge: challenge, code_challenge_method: 's256' }), {
    error: 'invalid_request',
  })
})

t.test('RFC 8707 §2 R13 the resource of the request is the audience of the token', async (t) => {
  const house = await open(t)
  const { code = '' } = await house.answer({ resource: ownResource, scope: 'User.Read' })
  const { claims } = readToken((await house.redeem({ code })).body['access_token'])
  t.match(claims, { aud: ownResource, scope: 'User.Read', sub: house.user.userId, tid: house.tenantId })
  t.match(await house.answer({ resource: `${ownResource}/` }), { error: 'invalid_target' })
  t.match(await house.answer({ resource: `${ownResource}#x` }), { error: 'invalid_target' })
})

t.test('RFC 9207 §2 §3 R10 every answer has iss, which is the issuer of the metadata, which says so', async (t) => {
  const house = await open(t)
  const metadata = (await house.ask({ url: '/.well-known/oauth-authorization-server' })).json()
  t.equal(metadata.authorization_response_iss_parameter_supported, true)
  for (const more of [{}, { scope: 'nothing' }, { prompt: 'none', max_age: '0' }, { response_type: 'x' }]) {
    house.clock.nowMs += 1000
    t.equal((await house.answer(more))['iss'], metadata.issuer)
  }
  const posted = await house.front.get(house.address({ response_mode: 'form_post' }))
  t.equal(formOf(posted, 'answer').fields['iss'], metadata.issuer)
})

t.test(
  'RFC 9700 §2.1.1 a verifier for a code without a challenge is refused: nobody took the challenge away',
  async (t) => {
    const house = await open(t)
    const { code = '' } = await house.answer()
    t.match(await house.redeem({ code, code_verifier: pkcePair().verifier }), { body: { error: 'invalid_grant' } })
  },
)

t.test('RFC 9700 §4.11.2 no open redirector: a wrong request reaches the client only through a person', async (t) => {
  const house = await open(t)
  const untrusted = await house.browser().get(house.address({ scope: 'nothing' }))
  t.match(untrusted.location, /^\/sign-in/)
  t.match(await house.answer({ scope: 'nothing' }), { error: 'invalid_scope' }, 'one who is signed in')
})

t.test('RFC 9700 §4.12 R9 what was posted is never posted on: 303 after a form', async (t) => {
  const house = await open(t, { consented: false })
  const page = await house.front.open(house.address())
  const headers = { origin: 'null', 'sec-fetch-site': 'same-origin' }
  const { action, fields } = formOf(page, 'consent')
  const shown = await house.front.post(action, { ...fields, decision: 'cancel' }, headers)
  t.equal(shown.status, 303)
  t.ok(shown.location?.startsWith(`${callback}?error=access_denied`))
  t.equal((await house.front.post(authorizePath, house.address().split('?')[1] ?? '')).status, 303)
})

t.test('OpenID Connect Core §3.1.2.1 §3.1.3.7 nonce, auth_time and the client come back in the ID token', async (t) => {
  const house = await open(t)
  house.clock.nowMs += 30_000
  const { code = '' } = await house.answer({ scope: 'openid email', nonce: 'n-0S6', max_age: '60' })
  const { body } = await house.redeem({ code })
  const { claims } = readToken(body['id_token'])
  t.match(claims, { iss: baseUrl, aud: house.registration.applicationId, nonce: 'n-0S6', email: house.user.email })
  t.equal(claims['auth_time'], Math.floor(house.clock.nowMs / 1000) - 30)
  const without = await house.redeem({ code: (await house.answer({ scope: 'User.Read' }))['code'] ?? '' })
  t.notOk('id_token' in without.body, 'only with openid')
})

t.test('OpenID Connect Core §3.1.2.1 §3.1.2.6 prompt', async (t) => {
  const house = await open(t)
  t.ok((await house.answer({ prompt: 'none', scope: 'openid' }))['code'])
  t.match(await house.answer({ prompt: 'none login' }), { error: 'invalid_request' })
  t.match(await house.answer({ prompt: 'none', scope: 'openid nothing' }), { error: 'invalid_scope' })
  const nobody = await house.browser().get(house.address({ prompt: 'none', scope: 'openid' }))
  t.match(answerOf(nobody), { error: 'login_required' })
  for (const prompt of ['login', 'select_account']) {
    t.match((await house.front.get(house.address({ prompt }))).location, /^\/sign-in/, prompt)
  }
  t.match((await house.front.get(house.address({ prompt: 'consent' }))).location, /^\/consent/)
})

t.test(
  'OpenID Connect Core §3.1.2.1 what is not supported is ignored: display, ui_locales, acr_values, claims_locales',
  async (t) => {
    const house = await open(t)
    const more = {
      display: 'touch',
      ui_locales: 'de',
      claims_locales: 'fr',
      acr_values: '0',
      scope: 'openid unknown:x',
    }
    t.match(await house.answer(more), { error: 'invalid_scope' }, 'but a permission that is unknown')
    t.ok((await house.answer({ ...more, scope: 'openid address phone' }))['code'])
  },
)

t.test('OpenID Connect Core §6 request and request_uri by their errors', async (t) => {
  const house = await open(t)
  t.match(await house.answer({ request: 'x' }), { error: 'request_not_supported' })
  t.match(await house.answer({ request_uri: 'https://x.test' }), { error: 'request_uri_not_supported' })
})

t.test('OAuth 2.0 Form Post Response Mode §2 the answer as a form, also after the pages', async (t) => {
  const house = await open(t, { consented: false })
  const page = await house.front.open(house.address({ response_mode: 'form_post', state: 's', scope: 'openid' }))
  const done = await house.front.submit(page, 'consent', { decision: 'accept' })
  const { action, fields } = formOf(done, 'answer')
  t.equal(action, callback)
  t.match(fields, { code: /^pcl_ac_/, state: 's', iss: baseUrl })
  t.match(await house.redeem({ code: fields['code'] ?? '' }), { status: 200 })
})

t.test('OpenID Connect Discovery §3 the metadata says what this endpoint does', async (t) => {
  const house = await open(t)
  for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']) {
    t.match((await house.ask({ url: path })).json(), {
      authorization_endpoint: `${baseUrl}${authorizePath}`,
      response_types_supported: ['code'],
      response_modes_supported: ['query', 'form_post'],
      code_challenge_methods_supported: ['S256'],
    })
  }
})
