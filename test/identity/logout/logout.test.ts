// RP-initiated logout (OpenID Connect RP-Initiated Logout 1.0): who must confirm, who is signed out, and where nobody
// is sent.

import t from 'tap'
import { changeApplication } from '../../../src/directory/applications/application-changes.js'
import { signIdToken } from '../../../src/tokens/id-token.js'
import { createSession } from '../../../src/users/sessions/sessions.js'
import { createFormBrowser } from '../../support/browser/form-browser.js'
import { makePerson } from '../../support/rooms/delegation.js'
import { baseUrl, ownResource } from '../../support/rooms/directory.js'
import { openIdentity } from '../../support/rooms/identity.js'

const path = '/api/v2/oauth2/v2.0/logout'
const back = 'https://app.test/signed-out?a=b'
const session = '__Host-portcullis-session'

t.test(
  'C15 with an ID token of the person the session ends at once, and the person goes back with state',
  async (t) => {
    const { signIn, idToken, sessions, user } = await open(t)
    const browser = await signIn(user.userId)
    const cookie = browser.cookies.get(session)
    const state = 'a+b %& = #é'
    const page = await browser.open(ask({ id_token_hint: await idToken(), post_logout_redirect_uri: back, state }))
    t.equal(page.status, 302)
    t.equal(page.left, `${back}&state=${encodeURIComponent(state)}`)
    t.equal(page.headers['referrer-policy'], 'no-referrer')
    t.notOk(browser.cookies.has(session), 'C12 the cookie is gone')
    t.same(await sessions(), [])
    browser.cookies.set(session, cookie ?? '')
    t.equal((await browser.open(ask({}))).title, 'You are signed out', 'C12 and the old one opens nothing')
  },
)

t.test('an expired ID token will do, and without a redirect URI there is a page', async (t) => {
  const { signIn, idToken, sessions, user, clock } = await open(t)
  const browser = await signIn(user.userId)
  const hint = await idToken()
  clock.nowMs += 2 * 3_600_000
  const page = await browser.open(ask({ id_token_hint: hint }))
  t.same([page.status, page.title], [200, 'You are signed out'])
  t.match(page.headers['content-security-policy'], /default-src 'none'/)
  t.same(await sessions(), [])
})

t.test(
  'C15 without a valid ID token of this person the person must confirm, and only the form signs out',
  async (t) => {
    const { signIn, idToken, sessions, user, deps, tenantId, registration } = await open(t)
    const other = await makePerson(deps, tenantId)
    const { applicationId } = registration
    const cases: [string, Record<string, string>, boolean][] = [
      ['nothing', {}, false],
      ['client only', { client_id: applicationId, post_logout_redirect_uri: back }, true],
      ['nobody knows whose', { post_logout_redirect_uri: back }, false],
      ['another’s', { id_token_hint: await idToken({ sub: other.userId }), post_logout_redirect_uri: back }, true],
      ['forged', { id_token_hint: `${await idToken()}x`, post_logout_redirect_uri: back }, false],
      [
        'forged, beside the client',
        { id_token_hint: 'a.b.c', client_id: applicationId, post_logout_redirect_uri: back },
        false,
      ],
      ['no token', { id_token_hint: 'x' }, false],
    ]
    for (const [name, parameters, returns] of cases) {
      const browser = await signIn(user.userId)
      t.equal((await browser.open(ask(parameters))).title, 'Sign out?', name)
      t.equal((await sessions()).length, 1, name)
      const csp = String(browser.page.headers['content-security-policy'])
      t.equal(csp.includes("form-action 'self' https://app.test;"), returns, `C4 ${name}`)
      t.equal((await browser.submit({ form_token: 'x' })).status, 403, `C2 ${name}`)
      await browser.open(ask(parameters))
      await browser.submit({}, { button: 'confirm' })
      t.equal(browser.page.left, returns ? back : undefined, name)
      if (returns) t.equal(browser.page.status, 303, 'R9')
      else t.equal(browser.page.title, 'You are signed out')
      t.same(await sessions(), [], name)
    }
  },
)

t.test('C15 nobody is sent to what is not registered for it, character by character', async (t) => {
  const { signIn, idToken, sessions, user, registration, writes } = await open(t)
  const hint = await idToken()
  const browser = await signIn(user.userId)
  const wrong = [
    'https://app.test/signed-out',
    `${back}&c=d`,
    `${back}#x`,
    'https://app.test/callback',
    'https://evil.test/',
    'https://app.test.evil.test/signed-out?a=b',
    'javascript:alert(1)',
    '//evil.test',
    '/account',
  ]
  for (const uri of wrong) {
    for (const more of [{ id_token_hint: hint }, { client_id: registration.applicationId }]) {
      const page = await browser.open(ask({ ...more, post_logout_redirect_uri: uri }))
      t.same([page.status, page.left], [400, undefined], uri)
      t.notOk(page.body.includes(uri) && uri.length > 12, 'R5 and it is not shown')
    }
  }
  t.equal((await sessions()).length, 1, 'and nobody was signed out')
  await changeApplication(writes, registration.applicationId, { state: 'disabled' })
  const page = await browser.open(ask({ id_token_hint: hint, post_logout_redirect_uri: back }))
  t.equal(page.status, 400, 'nor back to an application that is disabled')
})

t.test('a request that contradicts itself is refused', async (t) => {
  const { signIn, idToken, user, registration, registerDemo, tenantId } = await open(t)
  const other = await registerDemo({ tenantId })
  const browser = await signIn(user.userId)
  const hint = await idToken()
  const refused = [
    `${path}?state=a&state=b`,
    `${path}?post_logout_redirect_uri=${back}&post_logout_redirect_uri=${back}`,
    ask({ id_token_hint: hint, client_id: other.registration.applicationId }),
    ask({ id_token_hint: hint, client_id: 'nobody' }),
    `${path}?state=%ff`,
  ]
  for (const url of refused) t.equal((await browser.open(url)).status, 400, url)
  const both = ask({ id_token_hint: hint, client_id: registration.publicKey, post_logout_redirect_uri: back })
  t.equal((await browser.open(both)).left, back, 'both identifiers of one application are equal')
})

t.test('the same by POST, as a form of the application’s sends it', async (t) => {
  const { signIn, idToken, user, sessions, ask: send } = await open(t)
  const browser = await signIn(user.userId)
  const form = new URLSearchParams({ id_token_hint: await idToken(), post_logout_redirect_uri: back, state: 's' })
  const answer = await send({
    method: 'POST',
    url: path,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      origin: 'https://app.test',
      'sec-fetch-site': 'cross-site',
    },
    payload: form.toString(),
  })
  t.equal(answer.statusCode, 303)
  t.equal(
    answer.headers['set-cookie'],
    undefined,
    'it comes without cookies, and must not replace those that there are',
  )
  t.equal((await browser.open(String(answer.headers.location))).left, `${back}&state=s`)
  t.same(await sessions(), [])
})

t.test(
  'a person who is signed out already sees a page that says so, or is sent on when an ID token says where from',
  async (t) => {
    const { browse, idToken, registration } = await open(t)
    const hinted = ask({ id_token_hint: await idToken(), post_logout_redirect_uri: back })
    t.equal((await browse().open(hinted)).left, back)
    const named = ask({ client_id: registration.applicationId, post_logout_redirect_uri: back })
    t.equal((await browse().open(named)).title, 'You are signed out')
  },
)

t.test('C3 looking ahead signs nobody out', async (t) => {
  const { signIn, idToken, user, sessions, ask: send } = await open(t)
  const browser = await signIn(user.userId)
  const cookie = `${session}=${browser.cookies.get(session)}`
  await send({ method: 'HEAD', url: ask({ id_token_hint: await idToken() }), headers: { cookie } })
  t.equal((await sessions()).length, 1)
})

t.test('X5 the log has neither the hint nor the state', async (t) => {
  const { signIn, idToken, user, logged } = await open(t)
  const hint = await idToken()
  await (await signIn(user.userId)).open(ask({ id_token_hint: hint, state: 'canary-state' }))
  for (const secret of [hint, 'canary-state']) t.notOk(logged.join('').includes(secret))
})

function ask(parameters: Record<string, string>): string {
  return `${path}?${new URLSearchParams(parameters)}`
}

async function open(t: Parameters<typeof openIdentity>[0]) {
  const testApp = await openIdentity(t)
  const { registration, tenantId } = await testApp.registerDemo({
    ...{ redirectUris: ['https://app.test/callback'], logoutRedirectUris: [back], consentBy: undefined },
    permissions: [{ kind: 'delegated', resource: ownResource, id: 'User.Read' }],
  })
  const { deps, keyring, store, clock } = testApp
  const user = await makePerson(deps, tenantId)
  const idToken = (more: object = {}) => {
    const iat = Math.floor(clock.nowMs / 1000)
    const times = { iat, exp: iat + 3600, auth_time: iat }
    const who = { iss: baseUrl, sub: user.userId, aud: registration.applicationId, tid: tenantId }
    return signIdToken(keyring, 'RS256', { ...who, ...times, acr: '1', amr: ['pwd'], ...more }, 'token')
  }
  const browse = () =>
    createFormBrowser(baseUrl, async ({ method, url, headers, payload }) => {
      const answer = await testApp.ask({ method, url, headers, ...(payload === undefined ? {} : { payload }) })
      return { status: answer.statusCode, headers: answer.headers as Record<string, string>, body: answer.body }
    })
  const signIn = async (userId: string) => {
    const browser = browse()
    const details = { userId, acr: '1', amr: ['pwd'], userAgent: 'test', address: '127.0.0.1' }
    browser.cookies.set(session, (await createSession(deps.users, details)).cookie)
    return browser
  }
  const sessions = () => store.reader.selectFrom('sessions').select('id_hash').execute()
  return { ...testApp, registration, tenantId, user, idToken, browse, signIn, sessions }
}
