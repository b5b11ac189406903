// Signing in: by password, with a second factor, by passkey; and what happens to those who cannot.

import { Secret, TOTP } from 'otpauth'
import t from 'tap'
import { beginPending } from '../../../src/identity/pending/pending-request.js'
import { setUserState } from '../../../src/users/accounts/user-state.js'
import { changePassword } from '../../../src/users/credentials/change-password.js'
import { PasswordQueueFull } from '../../../src/users/credentials/password.js'
import { addSecondFactor } from '../../../src/users/credentials/second-factor.js'
import { createSeed } from '../../../src/users/credentials/totp.js'
import type { User } from '../../../src/users/records.js'
import { signOutEverywhere } from '../../../src/users/sessions/end-access.js'
import { renewSession } from '../../../src/users/sessions/renew-session.js'
import { listSessions } from '../../../src/users/sessions/sessions.js'
import { formOf, type ScriptedBrowser, type Shown, textOf } from '../../support/browser/scripted-browser.js'
import {
  browserCookie,
  openSignIn,
  password,
  type SignInApp,
  sessionCookie,
  signInWith,
} from '../../support/people/sign-in.js'
import { createSoftAuthenticator, type SoftAuthenticator } from '../../support/people/webauthn.js'
import { baseUrl } from '../../support/rooms/directory.js'

t.test('U7 wrong, unknown, disabled, without password: one status, one text', async (t) => {
  const testApp = await openSignIn(t)
  const user = await testApp.person('Ada')
  const gone = await testApp.person('Gone')
  await setUserState(testApp.deps.users, gone.userId, 'disabled')
  const attempts: [string, string][] = [
    [user.email, 'wrong'],
    [user.email, ''],
    ['nobody@example.test', password],
    [gone.email, password],
    ['', ''],
    ['not an address', 'x'.repeat(2000)],
  ]
  const answers = new Set<string>()
  for (const [email, secret] of attempts) {
    const browser = testApp.browser()
    const answer = await signInWith(browser, email, secret)
    t.equal(answer.status, 400, email)
    t.notOk(browser.cookies.has(sessionCookie))
    t.notOk(secret !== '' && answer.body.includes(secret), 'the password is not shown again')
    answers.add(textOf(answer, 'problem'))
  }
  t.equal(answers.size, 1)
  t.match([...answers][0], /do not match/)
  t.equal(testApp.noted.filter(({ event }) => event === 'user.sign-in-failed').length, attempts.length)
  t.notMatch(JSON.stringify(testApp.noted), /wrong|example\.test/, 'X4 what was typed is not noted')
})

t.test('the page says for which application, and goes on where it was begun', async (t) => {
  const testApp = await openSignIn(t)
  const user = await testApp.person('Ada')
  const browser = testApp.browser()
  const { registration } = await testApp.registerDemo({ name: 'Shop <b>', tenantId: testApp.tenantId })
  await browser.open('/sign-in')
  const pending = beginPending(
    testApp.deps,
    { key: browser.cookies.get(browserCookie) ?? '' },
    {
      kind: 'authorize',
      applicationId: registration.applicationId,
      body: { redirectUri: 'https://app.test/cb', loginHint: user.email, prompt: [] },
    },
  )
  const path = `/sign-in?request=${pending.id}`
  const page = await browser.open(path)
  t.equal(textOf(page, 'application'), 'Shop <b>')
  t.match(page.body, /Shop &lt;b>/, 'escaped')
  t.equal(textOf(page, 'verified'), 'Unverified', 'identity L2: nobody vouches for it')
  t.equal(textOf(page, 'registered-by'), 'Registered by Contoso', 'identity L2: its home')
  t.match(page.body, new RegExp(`value="${user.email}"`), 'login_hint is filled in')
  t.match(page.headers['content-security-policy'], /form-action 'self' https:\/\/app\.test;/, 'C4')
  const { action, fields } = formOf(page, 'sign-in-form')
  const done = await browser.post(action, { ...fields, email: user.email, password })
  t.equal(done.status, 303)
  t.equal(done.location, `/api/v2/oauth2/v2.0/authorize/resume/${pending.id}`)
  const other = await testApp.browser().get(path)
  t.match(other.body, /Cookies are blocked/, 'a browser without the cookie')
  const untrusted = testApp.browser()
  await untrusted.open('/sign-in')
  const strange = await untrusted.get(path)
  t.equal(strange.status, 400, 'R18 another browser does not find it')
  t.match(strange.body, /This sign-in has expired/)
})

t.test('C12 a session has a new id at each sign-in, and the old one is dead', async (t) => {
  const testApp = await openSignIn(t)
  const user = await testApp.person('Ada')
  const browser = await testApp.signedIn(user)
  const first = browser.cookies.get(sessionCookie) ?? ''
  const key = browser.cookies.get(browserCookie)
  await signInWith(browser, user.email, password, '/sign-in?another=yes')
  const second = browser.cookies.get(sessionCookie) ?? ''
  t.not(second, first)
  const thief = testApp.browser()
  thief.cookies.set(sessionCookie, first)
  t.equal((await thief.get('/account')).status, 303, 'the old id opens nothing')
  t.equal((await listSessions(testApp.deps.users, user.userId)).length, 1)
  const page = await browser.open('/sign-in')
  t.match(page.body, /Continue as Ada Example/)
  await browser.submit(page, 'continue-form')
  t.not(browser.cookies.get(sessionCookie), second, 'going on as who one is gives a new id too')
  t.equal((await listSessions(testApp.deps.users, user.userId)).length, 1)
  const third = browser.cookies.get(sessionCookie) ?? ''
  await browser.submit(await browser.open('/sign-out'), 'sign-out-form')
  t.notOk(browser.cookies.has(sessionCookie))
  browser.cookies.set(sessionCookie, third)
  t.equal((await browser.get('/account')).status, 303, 'signed out in the Store, not only here')
  const planted = testApp.browser()
  planted.cookies.set(sessionCookie, `pcl_se_${'a'.repeat(43)}`)
  await signInWith(planted, user.email, password)
  t.not(planted.cookies.get(sessionCookie), `pcl_se_${'a'.repeat(43)}`, 'a planted id never becomes a session')
  t.equal(planted.cookies.get(browserCookie) === key, false)
  const nothing = { idHash: 'ab', userAgent: '', address: '' }
  await t.rejects(renewSession(testApp.deps.users, nothing), { code: 'SessionNotFound' }, 'nothing to go on with')
})

t.test('C13 a session ends without use, and at its end, whatever the cookie says', async (t) => {
  const hour = 3_600_000
  const testApp = await openSignIn(t, { signIn: { sessionIdleMs: hour, sessionMs: 3 * hour } })
  const user = await testApp.person('Ada')
  const browser = await testApp.signedIn(user)
  for (const [ms, status] of [
    [hour - 1, 200],
    [hour - 1, 200],
    [hour - 1, 200],
    [hour - 1, 303],
  ] as const) {
    testApp.clock.nowMs += ms
    t.equal((await browser.get('/account')).status, status)
  }
  const idle = await testApp.signedIn(user)
  testApp.clock.nowMs += hour
  t.equal((await idle.get('/account')).status, 303)
})

t.test('U7 too many failures: 429 with Retry-After, from that address only', async (t) => {
  const testApp = await openSignIn(t, { signIn: { perAccount: { limit: 3, periodMs: 60_000 } } })
  const user = await testApp.person('Ada')
  const attacker = testApp.browser('198.51.100.7')
  for (let i = 0; i < 3; i += 1) t.equal((await signInWith(attacker, user.email, 'guess')).status, 400)
  const refused = await signInWith(attacker, user.email, password)
  t.equal(refused.status, 429, 'the right password too')
  t.match(refused.headers['retry-after'], /^[1-9]\d*$/)
  t.match(refused.body, /Too many attempts/)
  t.match(refused.body, /href="\/sign-in"/)
  t.equal(
    (await signInWith(testApp.browser('192.0.2.9'), user.email, password)).path,
    '/account',
    'the owner elsewhere',
  )
})

t.test('U8 more passwords than can be checked: 503 with Retry-After, and nobody counted as wrong', async (t) => {
  const full = { verify: () => Promise.reject(new PasswordQueueFull('full')) }
  const testApp = await openSignIn(t, {
    replace: (deps) => ({ users: { ...deps.users, passwords: { ...deps.users.passwords, ...full } as never } }),
  })
  const answer = await signInWith(testApp.browser(), 'ada@example.test', password)
  t.equal(answer.status, 503)
  t.match(answer.headers['retry-after'], /^[1-9]\d*$/)
  t.match(answer.body, /The server is busy/)
})

t.test('U7 a second factor: nobody is signed in before it, and each code works once', async (t) => {
  const testApp = await openSignIn(t)
  const { user, code, wrongCode, recoveryCodes } = await withSecondFactor(testApp)
  const browser = testApp.browser()
  const page = await signInWith(browser, user.email, password)
  t.match(page.path, /^\/sign-in\/second-factor\?step=pcl_st_/)
  t.notOk(browser.cookies.has(sessionCookie), 'half a proof is no session')
  t.equal((await browser.get('/account')).status, 303)
  t.match(page.body, /autocomplete="one-time-code"/)
  const wrong = await browser.submit(page, 'code-form', { code: wrongCode() })
  t.equal(wrong.status, 400)
  t.match(textOf(wrong, 'problem'), /not right/)
  const right = code()
  const done = await browser.submit(wrong, 'code-form', { code: right })
  t.equal(done.path, '/account')
  const [session] = await listSessions(testApp.deps.users, user.userId)
  t.match(session, { acr: '2', amr: ['pwd', 'otp', 'mfa'] })
  const replay = await browser.submit(wrong, 'code-form', { code: right })
  t.equal(replay.status, 400, 'the step is finished')
  const second = testApp.browser()
  const again = await second.submit(await signInWith(second, user.email, password), 'code-form', { code: right })
  t.equal(again.status, 400, 'the code was used')
  const recovered = await second.submit(again, 'recovery-form', { recovery_code: recoveryCodes[0] ?? '' })
  t.equal(recovered.path, '/account')
  const third = testApp.browser()
  const used = await third.submit(await signInWith(third, user.email, password), 'recovery-form', {
    recovery_code: recoveryCodes[0] ?? '',
  })
  t.equal(used.status, 400, 'a recovery code was used')
})

t.test('U7 five wrong codes, or ten minutes, and the password is required again', async (t) => {
  const testApp = await openSignIn(t)
  const { user, code, wrongCode } = await withSecondFactor(testApp)
  const browser = testApp.browser()
  let page = await signInWith(browser, user.email, password)
  for (let i = 0; i < 4; i += 1) page = await browser.submit(page, 'code-form', { code: wrongCode() })
  const afterLast = await browser.submit(page, 'code-form', { code: wrongCode() })
  t.match(afterLast.body, /Sign in again/)
  t.equal((await browser.get(page.path)).status, 400)
  const late = await signInWith(browser, user.email, password)
  testApp.clock.nowMs += 10 * 60_000
  t.match((await browser.submit(late, 'code-form', { code: code() })).body, /Sign in again/)
  const fresh = await signInWith(browser, user.email, password)
  const step = new URL(fresh.path, baseUrl).searchParams.get('step')
  const thief = testApp.browser()
  await thief.open('/sign-in')
  t.equal((await thief.get(`/sign-in/second-factor?step=${step}`)).status, 400, 'another browser')
  const resumed = await browser.get(`/sign-in?request=${step}`)
  t.equal(resumed.status, 400, 'half a sign-in is no request')
  t.notOk(browser.cookies.has(sessionCookie))
})

t.test('C14 half a sign-in ends with everything else: new password, disabled, signed out everywhere', async (t) => {
  const testApp = await openSignIn(t)
  const { user, code } = await withSecondFactor(testApp)
  const { users } = testApp.deps
  const { userId } = user
  const next = 'six other orange candles'
  const ends: (() => Promise<unknown>)[] = [
    () => signOutEverywhere(users, userId),
    async () => {
      await setUserState(users, userId, 'disabled')
      await setUserState(users, userId, 'enabled')
    },
    () => changePassword(users, { userId, current: password, next, address: '192.0.2.7' }),
  ]
  for (const end of ends) {
    const thief = testApp.browser()
    const page = await signInWith(thief, user.email, password)
    t.match(page.path, /^\/sign-in\/second-factor/)
    await end()
    testApp.clock.nowMs += 30_000
    const afterLast = await thief.submit(page, 'code-form', { code: code() })
    t.match(afterLast.body, /Sign in again/)
    t.notOk(thief.cookies.has(sessionCookie))
  }
  const browser = testApp.browser()
  const fresh = await signInWith(browser, user.email, next)
  testApp.clock.nowMs += 30_000
  t.equal((await browser.submit(fresh, 'code-form', { code: code() })).path, '/account')
})

t.test('C14 a password that is checked while everything is ended signs nobody in', async (t) => {
  let meanwhile = async (): Promise<unknown> => undefined
  const testApp = await openSignIn(t, {
    replace: ({ users }) => {
      const verify: typeof users.passwords.verify = async (...checked) => {
        const matches = await users.passwords.verify(...checked)
        await meanwhile()
        return matches
      }
      return { users: { ...users, passwords: { ...users.passwords, verify } } }
    },
  })
  const user = await testApp.person('Ada')
  const browser = testApp.browser()
  meanwhile = () => signOutEverywhere(testApp.deps.users, user.userId)
  t.equal((await signInWith(browser, user.email, password)).status, 400)
  t.notOk(browser.cookies.has(sessionCookie))
  meanwhile = async () => undefined
  t.equal((await signInWith(browser, user.email, password)).path, '/account')
})

t.test('a passkey signs in with two factors in one step', async (t) => {
  const testApp = await openSignIn(t)
  const { user, authenticator } = await withPasskey(testApp)
  const browser = testApp.browser()
  const page = await browser.open('/sign-in')
  const answer = authenticator.get(passkeyOptions(page), { counter: 1 })
  const done = await browser.submit(page, 'passkey-form', { passkey: answer })
  t.equal(done.path, '/account')
  const [session] = await listSessions(testApp.deps.users, user.userId)
  t.match(session, { acr: '2', amr: ['hwk', 'user', 'mfa'] })
  t.match(passkeyOptions(page), { rpId: 'portcullis.test', userVerification: 'required', allowCredentials: [] })
})

t.test('C14 with a passkey go the sessions that began with one, but not the one that removes it', async (t) => {
  const testApp = await openSignIn(t)
  const { user, authenticator } = await withPasskey(testApp)
  const byPasskey = async (counter: number) => {
    const browser = testApp.browser()
    const page = await browser.open('/sign-in')
    await browser.submit(page, 'passkey-form', { passkey: authenticator.get(passkeyOptions(page), { counter }) })
    return browser
  }
  const [thief, here, byPassword] = [await byPasskey(1), await byPasskey(2), await testApp.signedIn(user)]
  const page = await here.open('/account/passkeys')
  const [form = ''] = /remove-[A-Za-z0-9_-]+/.exec(page.body) ?? []
  t.match((await here.submit(page, form)).path, /done=passkey-removed/)
  t.same([(await thief.get('/account')).status, (await byPassword.get('/account')).status], [303, 200])
})

t.test(
  'a passkey is refused for anything but this browser, this place, this moment and a verified person',
  async (t) => {
    const testApp = await openSignIn(t)
    const { user, authenticator } = await withPasskey(testApp)
    const untrusted = await createSoftAuthenticator(baseUrl)
    const browser = testApp.browser()
    const tries: [string, (options: { challenge: string }) => string][] = [
      ['another origin', (options) => authenticator.get(options, { counter: 1, origin: 'https://evil.test' })],
      ['another host', (options) => authenticator.get(options, { counter: 1, rpId: 'evil.test' })],
      ['without verification', (options) => authenticator.get(options, { counter: 1, verified: false })],
      ['a challenge of its own', () => authenticator.get({ challenge: 'AAAA' }, { counter: 1 })],
      ['no passkey of ours', (options) => untrusted.get(options, { counter: 1 })],
      ['no JSON', () => '{'],
      ['another shape', () => '{"id":1}'],
      ['too long', () => JSON.stringify({ id: 'a'.repeat(9000) })],
    ]
    for (const [what, make] of tries) {
      const page = await browser.open('/sign-in')
      const answer = await browser.submit(page, 'passkey-form', { passkey: make(passkeyOptions(page)) })
      t.equal(answer.status, 400, what)
      t.match(textOf(answer, 'problem'), /passkey was not accepted/, what)
    }
    const page = await browser.open('/sign-in')
    const answer = authenticator.get(passkeyOptions(page), { counter: 5 })
    const other = testApp.browser()
    const refused = await other.submit(await other.open('/sign-in'), 'passkey-form', { passkey: answer })
    t.equal(refused.status, 400, 'the challenge of another browser')
    testApp.clock.nowMs += 10 * 60_000
    t.equal((await browser.submit(page, 'passkey-form', { passkey: answer })).status, 400, 'after ten minutes')
    const fresh = await browser.open('/sign-in')
    const good = authenticator.get(passkeyOptions(fresh), { counter: 6 })
    t.equal((await browser.submit(fresh, 'passkey-form', { passkey: good })).path, '/account')
    const replay = testApp.browser()
    replay.cookies.set(browserCookie, browser.cookies.get(browserCookie) ?? '')
    const replayed = await replay.submit(await replay.open('/sign-in'), 'passkey-form', { passkey: good })
    t.equal(replayed.status, 400, 'the same answer a second time')
    const copied = await replay.open('/sign-in')
    const behind = authenticator.get(passkeyOptions(copied), { counter: 6 })
    t.equal(
      (await replay.submit(copied, 'passkey-form', { passkey: behind })).status,
      400,
      'a counter that did not grow',
    )
    await setUserState(testApp.deps.users, user.userId, 'disabled')
    const last = await replay.open('/sign-in')
    const disabled = authenticator.get(passkeyOptions(last), { counter: 9 })
    t.equal((await replay.submit(last, 'passkey-form', { passkey: disabled })).status, 400, 'a disabled account')
  },
)

t.test('C15 a link or an image signs nobody out', async (t) => {
  const testApp = await openSignIn(t)
  const browser = await testApp.signedIn(await testApp.person('Ada'))
  t.match((await browser.get('/sign-out')).body, /Sign out\?/)
  t.equal((await browser.post('/sign-out', {})).status, 403)
  t.equal((await browser.get('/account')).status, 200)
  const out = await browser.submit(await browser.open('/sign-out'), 'sign-out-form')
  t.match(out.body, /You are signed out/)
})

t.test('providers have buttons that keep the request', async (t) => {
  const provider = { name: 'entra', label: 'Entra ID', issuer: 'https://entra.test' } as never
  const testApp = await openSignIn(t, { signIn: { providers: new Map([['entra', provider]]) } })
  const browser = testApp.browser()
  const started = await browser.get('/account')
  const page = await browser.get(started.location ?? '')
  const request = new URL(page.path, baseUrl).searchParams.get('request')
  t.match(page.body, `href="/sign-in/external/entra?request=${request}"`)
  t.match(textOf(page, 'provider-entra'), 'Entra ID')
})

/** Somebody whose second step is on. */
async function withSecondFactor(testApp: SignInApp) {
  const user = await testApp.person('Ada')
  const { seed, sealed } = createSeed(testApp.deps.users, user)
  const totp = new TOTP({ secret: Secret.fromBase32(seed) })
  const code = (laterMs = 0) => totp.generate({ timestamp: testApp.clock.nowMs + laterMs })
  /** Right neither now nor a moment before or after. */
  const wrongCode = () => {
    const right = [-60_000, -30_000, 0, 30_000, 60_000].map(code)
    return ['000000', '111111', '222222', '333333', '444444', '555555'].find((each) => !right.includes(each)) ?? ''
  }
  const recoveryCodes = await addSecondFactor(testApp.deps.users, { userId: user.userId, sealed, code: code() })
  testApp.clock.nowMs += 60_000
  return { user, code, wrongCode, recoveryCodes }
}

/** Somebody who has made a passkey on the account page. */
async function withPasskey(testApp: SignInApp): Promise<{ user: User; authenticator: SoftAuthenticator }> {
  const user = await testApp.person('Ada')
  const authenticator = await createSoftAuthenticator(baseUrl)
  const browser: ScriptedBrowser = await testApp.signedIn(user)
  const page = await browser.open('/account/passkeys')
  const made = authenticator.create(passkeyOptions(page))
  const done = await browser.submit(page, 'passkey-form', { passkey: made, name: 'Phone' })
  if (done.path !== '/account/passkeys?done=passkey') throw new Error(`no passkey: ${done.status} ${done.path}`)
  await browser.submit(await browser.open('/sign-out'), 'sign-out-form')
  return { user, authenticator }
}

function passkeyOptions(page: Shown): { challenge: string } & Record<string, unknown> {
  const text = /data-passkey-(?:get|create)="([^"]*)"/.exec(page.body)?.[1] ?? ''
  return JSON.parse(text.replaceAll('&quot;', '"').replaceAll('&amp;', '&').replaceAll('&lt;', '<'))
}
