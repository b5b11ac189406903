// The account page and the links that work once: what people change about themselves, and what that ends.

import { Secret, TOTP } from 'otpauth'
import t from 'tap'
import { createLink, type NewLink } from '../../../src/users/accounts/one-time-links.js'
import { findUser, findUserByEmail } from '../../../src/users/accounts/users.js'
import { listPasskeys } from '../../../src/users/credentials/passkeys.js'
import { listSessions } from '../../../src/users/sessions/sessions.js'
import { formOf, type Shown, textOf } from '../../support/browser/scripted-browser.js'
import { mailRates } from '../../support/people/mail-server.js'
import {
  browserCookie,
  openSignIn,
  password,
  type SignInApp,
  sessionCookie,
  signInWith,
} from '../../support/people/sign-in.js'
import { makeGrant } from '../../support/people/sign-in-grant.js'
import { createSoftAuthenticator } from '../../support/people/webauthn.js'
import { baseUrl } from '../../support/rooms/directory.js'

const newPassword = 'seven loud orange kettles'

t.test('a visitor who is not signed in comes back after signing in', async (t) => {
  const testApp = await openSignIn(t)
  const user = await testApp.person('Ada')
  for (const path of ['/account', '/account/sessions', '/account/password', '/account/second-factor']) {
    const browser = testApp.browser()
    t.equal((await signInWith(browser, user.email, password, path)).path, path)
  }
})

t.test('the account page shows who one is, how one signs in, and where one belongs', async (t) => {
  const testApp = await openSignIn(t)
  const browser = await testApp.signedIn(await testApp.person('Ada', 'administrator'))
  const page = await browser.open('/account')
  for (const text of [
    'Ada Example',
    'ada@example.test',
    'Contoso',
    'administrator',
    'No passkey',
    '/account/apps',
    '/consent-requests',
  ]) {
    t.match(page.body, text)
  }
})

t.test('U7 what changes how one signs in asks for a proof of the last ten minutes', async (t) => {
  const testApp = await openSignIn(t)
  const user = await testApp.person('Ada')
  const browser = await testApp.signedIn(user)
  const open = await browser.open('/account/details')
  testApp.clock.nowMs += 10 * 60_000 + 1000
  const late = await browser.submit(open, 'details-form', { name: 'Eve', email: user.email })
  t.equal(late.status, 403)
  t.match(late.body, /more than 10 minutes ago/)
  for (const path of ['details', 'second-factor', 'passkeys', 'delete'].map((name) => `/account/${name}`)) {
    const signInPage = await browser.open(path)
    t.match(textOf(signInPage, 'content'), /Confirm it’s you/, path)
    t.match(signInPage.body, `value="${user.email}"`)
    t.equal((await browser.submit(signInPage, 'sign-in-form', { email: user.email, password })).path, path)
    testApp.clock.nowMs += 10 * 60_000 + 1000
  }
  t.equal((await findUser(testApp.store.reader, user.userId))?.name, 'Ada Example')
  t.equal((await browser.open('/account')).status, 200, 'looking needs none')
})

t.test('name and address are changed, and what is wrong stands beside its field', async (t) => {
  const testApp = await openSignIn(t)
  const user = await testApp.person('Ada')
  const browser = await testApp.signedIn(user)
  const page = await browser.open('/account/details')
  const wrong: [Record<string, string>, string][] = [
    [{ name: '', email: user.email }, 'name-error'],
    [{ name: 'A\u202eda', email: user.email }, 'name-error'],
    [{ name: 'Ada', email: 'no address' }, 'email-error'],
  ]
  for (const [fields, error] of wrong) {
    const answer = await browser.submit(page, 'details-form', fields)
    t.equal(answer.status, 400, JSON.stringify(fields))
    t.ok(textOf(answer, error).length > 10, error)
    t.match(answer.body, /aria-invalid="true"/)
  }
  const done = await browser.submit(page, 'details-form', { name: 'Ada <i>L', email: 'ada@lovelace.test' })
  t.match(textOf(done, 'done'), /saved/)
  t.match(done.body, /Ada &lt;i>L/)
  t.match(await findUser(testApp.store.reader, user.userId), { email: user.email }, 'the address is only requested')
})

t.test('identity L5 U7 whether somebody else has an address shows in no answer', async (t) => {
  const testApp = await openSignIn(t)
  const [user, bob] = [await testApp.person('Ada'), await testApp.person('Bob')]
  const browser = await testApp.signedIn(user)
  const page = await browser.open('/account/details')
  const said = new Set<string>()
  for (const email of [bob.email, bob.email.toUpperCase(), 'free@example.test']) {
    const answer = await browser.submit(page, 'details-form', { name: 'Ada', email })
    said.add(`${answer.status} ${answer.path} ${textOf(answer, 'done')}`)
  }
  t.equal(said.size, 1, [...said].join())
  t.match(await findUser(testApp.store.reader, bob.userId), { email: bob.email })
})

t.test('C14 C12 a new password ends every other session and what applications hold', async (t) => {
  const testApp = await openSignIn(t)
  const user = await testApp.person('Ada')
  const [here, elsewhere] = [await testApp.signedIn(user), await testApp.signedIn(user)]
  const grant = await makeGrant(testApp, user.userId)
  const before = here.cookies.get(sessionCookie)
  const page = await here.open('/account/password')
  const wrong = await here.submit(page, 'password-form', { current: 'wrong', password: newPassword })
  t.equal(wrong.status, 400)
  t.match(textOf(wrong, 'current-error'), /not your present password/)
  for (const weak of ['short', 'ada@example.test', 'password1234', 'aaaaaaaaaaaa']) {
    const answer = await here.submit(page, 'password-form', { current: password, password: weak })
    t.equal(answer.status, 400, weak)
    t.ok(textOf(answer, 'password-error').length > 10)
  }
  t.equal(await grant.state(), 'active')
  const done = await here.submit(page, 'password-form', { current: password, password: newPassword })
  t.match(textOf(done, 'done'), /password is changed/)
  t.not(here.cookies.get(sessionCookie), before, 'a new session id')
  t.equal((await elsewhere.get('/account')).status, 303)
  t.equal(await grant.state(), 'ended')
  t.equal((await signInWith(testApp.browser(), user.email, password)).status, 400)
  t.equal((await signInWith(testApp.browser(), user.email, newPassword)).path, '/account')
})

t.test('C14 C12 the second step: on with a code, recovery codes once, off again', async (t) => {
  const testApp = await openSignIn(t)
  const user = await testApp.person('Ada')
  const [here, elsewhere] = [await testApp.signedIn(user), await testApp.signedIn(user)]
  const page = await here.open('/account/second-factor')
  t.match(page.body, /<svg class="qr"[^>]*role="img"/)
  const seed = textOf(page, 'seed').replaceAll(' ', '')
  const totp = new TOTP({ secret: Secret.fromBase32(seed) })
  const near = [-60_000, -30_000, 0, 30_000, 60_000].map((ms) => totp.generate({ timestamp: testApp.clock.nowMs + ms }))
  const bad = ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !near.includes(code)) ?? ''
  const wrong = await here.submit(page, 'second-factor-form', { code: bad })
  t.equal(wrong.status, 400)
  t.equal(textOf(wrong, 'seed').replaceAll(' ', ''), seed, 'the same seed again')
  const forged = await here.submit(page, 'second-factor-form', { code: bad, sealed: 'v1.x.y.z' })
  t.equal(forged.path, '/account/second-factor')
  const before = here.cookies.get(sessionCookie)
  const on = await here.submit(wrong, 'second-factor-form', { code: totp.generate({ timestamp: testApp.clock.nowMs }) })
  const codes = [...on.body.matchAll(/<li>([a-z2-7-]{19})<\/li>/g)].map(([, code]) => code)
  t.equal(codes.length, 10)
  t.not(here.cookies.get(sessionCookie), before, 'a new session id')
  t.notMatch((await here.open('/account/second-factor')).body, codes[0] ?? 'none', 'shown once')
  t.match((await here.open('/account')).body, /On: a code/)
  const managing = await here.open('/account/second-factor')
  const renewed = await here.submit(managing, 'renew-form')
  t.equal((await here.submit(managing, 'renew-form')).status, 403, 'loaded again, the codes that were shown stay')
  t.notMatch(renewed.body, codes[0] ?? 'none')
  const grant = await makeGrant(testApp, user.userId)
  const off = await here.submit(await here.open('/account/second-factor'), 'off-form')
  t.match(textOf(off, 'done'), /second step is off/)
  t.equal((await elsewhere.get('/account')).status, 303, 'other browsers are out')
  t.equal(await grant.state(), 'ended')
  t.equal((await signInWith(testApp.browser(), user.email, password)).path, '/account')
})

t.test('U2 sessions: this one is marked, one is ended, never somebody else’s', async (t) => {
  const testApp = await openSignIn(t)
  const [user, bob] = [await testApp.person('Ada'), await testApp.person('Bob')]
  const [here, elsewhere] = [await testApp.signedIn(user), await testApp.signedIn(user)]
  const bobs = await testApp.signedIn(bob)
  const page = await here.open('/account/sessions')
  t.equal(textOf(page, 'this-session'), 'this browser')
  const [otherSession] = await listSessions(testApp.deps.users, bob.userId)
  const { fields } = formOf(page, 'everywhere-form')
  const { everywhere: _, ...token } = fields
  await here.post('/account/sessions', { ...token, session: otherSession?.idHash ?? '' })
  t.equal((await bobs.get('/account')).status, 200)
  const form = /id="(end-[0-9a-f]{12})"/.exec(page.body)?.[1] ?? ''
  const done = await here.submit(page, form)
  t.match(textOf(done, 'done'), /signed out/)
  t.equal((await elsewhere.get('/account')).status, 303)
  t.equal((await here.get('/account')).status, 200)
})

t.test('C14 signing out everywhere ends this session too, and all grants', async (t) => {
  const testApp = await openSignIn(t)
  const user = await testApp.person('Ada')
  const [here, elsewhere] = [await testApp.signedIn(user), await testApp.signedIn(user)]
  const grant = await makeGrant(testApp, user.userId)
  const out = await here.submit(await here.open('/account/sessions'), 'everywhere-form')
  t.match(out.body, /You are signed out/)
  t.equal((await here.get('/account')).status, 303)
  t.equal((await elsewhere.get('/account')).status, 303)
  t.equal(await grant.state(), 'ended')
  t.same((await listSessions(testApp.deps.users, user.userId)).length, 0)
})

t.test('U2 passkeys are added, renamed and removed by their person only', async (t) => {
  const testApp = await openSignIn(t)
  const [user, bob] = [await testApp.person('Ada'), await testApp.person('Bob')]
  const browser = await testApp.signedIn(user)
  const authenticator = await createSoftAuthenticator(baseUrl)
  const add = async (make: (options: { challenge: string }) => string) => {
    const page = await browser.open('/account/passkeys')
    return browser.submit(page, 'passkey-form', { passkey: make(optionsOf(page)), name: 'Ph\u202eone' })
  }
  const refused: [string, (options: { challenge: string }) => string][] = [
    ['without verification', (options) => authenticator.create(options, { verified: false })],
    ['another origin', (options) => authenticator.create(options, { origin: 'https://evil.test' })],
    ['another challenge', () => authenticator.create({ challenge: 'AAAA' })],
    ['no answer', () => ''],
  ]
  for (const [what, make] of refused) t.equal((await add(make)).status, 400, what)
  t.match(textOf(await add((options) => authenticator.create(options)), 'done'), /saved/)
  t.equal((await add((options) => authenticator.create(options))).status, 400, 'the same once more')
  const page = await browser.open('/account/passkeys')
  t.match(page.body, />Phone</, 'C1 its name without what cannot be seen')
  t.match(JSON.stringify(optionsOf(page)), authenticator.credentialId, 'the browser must not make it twice')
  const id = authenticator.credentialId.slice(0, 12)
  const bobs = await testApp.signedIn(bob)
  const token = formOf(await bobs.open('/account/passkeys'), 'passkey-form').fields['form_token'] ?? ''
  const otherCredential = { form_token: token, credential: authenticator.credentialId, name: 'Mine' }
  t.equal((await bobs.post('/account/passkeys', { ...otherCredential, action: 'remove' })).status, 404)
  t.equal((await bobs.post('/account/passkeys', { ...otherCredential, action: 'rename' })).status, 404)
  t.match(textOf(await browser.submit(page, `rename-${id}`, { name: 'Key' }), 'done'), /new name/)
  t.same(
    (await listPasskeys(testApp.store.reader, user.userId)).map(({ name }) => name),
    ['Key'],
  )
  t.match(textOf(await browser.submit(await browser.open('/account/passkeys'), `remove-${id}`), 'done'), /removed/)
  t.same(await listPasskeys(testApp.store.reader, user.userId), [])
})

t.test('deleting the account takes the address typed out, and leaves nothing', async (t) => {
  const testApp = await openSignIn(t)
  const owner = await testApp.person('Olga', 'owner')
  const user = await testApp.person('Ada')
  const browser = await testApp.signedIn(user)
  const page = await browser.open('/account/delete')
  t.equal((await browser.submit(page, 'delete-form', { confirm: 'yes' })).status, 400)
  const gone = await browser.submit(page, 'delete-form', { confirm: user.email.toUpperCase() })
  t.match(gone.body, /You are signed out/)
  t.equal(await findUser(testApp.store.reader, user.userId), undefined)
  t.equal((await signInWith(testApp.browser(), user.email, password)).status, 400)
  const last = await testApp.signedIn(owner)
  const refused = await last.submit(await last.open('/account/delete'), 'delete-form', { confirm: owner.email })
  t.equal(refused.status, 400)
  t.match(textOf(refused, 'problem'), /only owner/)
})

t.test('the first owner: looking at the link keeps it, the form uses it up', async (t) => {
  const testApp = await openSignIn(t)
  const path = await linkTo(testApp, { purpose: 'set-up' })
  const browser = testApp.browser()
  const page = await browser.open(path)
  t.equal(page.status, 200)
  t.match(page.body, /Contoso/)
  t.equal((await testApp.browser().open(path)).status, 200, 'a scanner opened it before')
  const input = { name: 'Olga Owner', email: 'olga@example.test', password: newPassword }
  const weak = await browser.submit(page, 'set-up-form', { ...input, password: 'short' })
  t.equal(weak.status, 400)
  t.match(textOf(weak, 'password-error'), /at least 12/)
  t.match(weak.body, /value="Olga Owner"/)
  t.notMatch(weak.body, /value="short"/)
  const bare = await testApp.browser().open('/sign-in')
  t.match(textOf(bare, 'nobody-yet'), /no owner yet.*portcullis set-up-link/)
  t.notMatch(bare.body, /pcl_ol_/, 'anybody may look at that page')
  const lookalike = await browser.submit(weak, 'set-up-form', { ...input, tenantName: 'Portcullis' })
  t.equal(lookalike.status, 400)
  t.ok(textOf(lookalike, 'tenantName-error'), 'a name that would mislead, at its own field')
  const done = await browser.submit(lookalike, 'set-up-form', { ...input, tenantName: 'Fabrikam & Sons' })
  t.equal(done.path, '/portal', 'where there is an application to register')
  const tenants = await testApp.store.reader.selectFrom('tenants').select('name').execute()
  t.same(tenants, [{ name: 'Fabrikam & Sons' }], 'what was there has the name that its owner chose')
  t.notMatch((await testApp.browser().open('/sign-in')).body, /nobody-yet/)
  t.match((await browser.open('/account')).body, /You are owner here/)
  const again = await testApp.browser().open(path)
  t.equal(again.status, 404)
  t.match(again.body, /This link does not work/)
  t.notMatch(testApp.logged.join(''), /pcl_ol_\w/, 'X5 links are not in the log')
})

t.test('an invitation: a new person joins, one with an account signs in first', async (t) => {
  const testApp = await openSignIn(t)
  const invitation = (email: string) =>
    linkTo(testApp, { purpose: 'invitation', tenantId: testApp.tenantId, email, role: 'developer' })
  const browser = testApp.browser()
  const page = await browser.open(await invitation('new@example.test'))
  t.match(page.body, /Contoso[\s\S]*new@example\.test[\s\S]*developer/)
  const done = await browser.submit(page, 'invitation-form', { name: 'New One', password: newPassword })
  t.equal(done.path, '/portal', 'a developer came for the portal')
  t.match((await browser.open('/account')).body, /developer/)
  const elsewhere = await testApp.registerDemo({ name: 'x' })
  const bob = await testApp.person('Bob')
  const path = await linkTo(testApp, {
    ...{ purpose: 'invitation', tenantId: elsewhere.tenantId, email: bob.email, role: 'member' },
  })
  t.match((await browser.open(path)).body, /There is an account with this address already/)
  const bobs = await testApp.signedIn(bob)
  t.equal((await bobs.submit(await bobs.open(path), 'invitation-form')).path, '/account', 'a member has no portal')
  t.equal((await bobs.open(path)).status, 404, 'used up')
  const third = await testApp.registerDemo({ name: 'y' })
  const raised = await linkTo(testApp, {
    ...{ purpose: 'invitation', tenantId: third.tenantId, email: bob.email, role: 'developer' },
  })
  const sent = await bobs.submit(await bobs.open(raised), 'invitation-form')
  t.equal(sent.path, `/portal?tenant=${third.tenantId}`, 'the tenant that was joined, not another one')
})

t.test('C14 U7 a new password by link: the same answer for everybody, every session ended', async (t) => {
  const testApp = await openSignIn(t, {
    replace: (deps) => ({
      settings: { ...deps.settings, mail: { url: { reveal: () => 'smtp://127.0.0.1:1' }, from: 'x', ...mailRates } },
    }),
  })
  const user = await testApp.person('Ada')
  const asking = testApp.browser()
  const answers = new Set<string>()
  for (const email of [user.email, 'nobody@example.test', 'no address']) {
    const answer = await asking.submit(await asking.open('/reset-password'), 'reset-form', { email })
    answers.add(`${answer.status} ${textOf(answer, 'requested')}`)
  }
  t.equal(answers.size, 1)
  t.match([...answers][0], /200 If there is an account/)
  const here = await testApp.signedIn(user)
  const path = await linkTo(testApp, { purpose: 'password-reset', userId: user.userId })
  const browser = testApp.browser()
  const page = await browser.open(path)
  t.equal((await browser.submit(page, 'new-password-form', { password: 'short' })).status, 400)
  const done = await browser.submit(page, 'new-password-form', { password: newPassword })
  t.match(done.body, /Your password is set/)
  t.notOk(browser.cookies.has(sessionCookie), 'not signed in: a second factor is still required')
  t.equal((await here.get('/account')).status, 303)
  t.equal((await signInWith(browser, user.email, newPassword)).path, '/account')
  t.equal((await browser.submit(page, 'new-password-form', { password: `${newPassword} 2` })).status, 404)
})

t.test('links of nobody, of another purpose and over: one page that says how to get another', async (t) => {
  const testApp = await openSignIn(t)
  const user = await testApp.person('Ada')
  const reset = await linkTo(testApp, { purpose: 'password-reset', userId: user.userId })
  const secret = reset.split('/').pop() ?? ''
  const paths = ['/set-up/x', `/set-up/${secret}`, `/invitation/${secret}`, `/reset-password/pcl_ol_${'a'.repeat(43)}`]
  const browser = testApp.browser()
  for (const path of paths) {
    const answer = await browser.open(path)
    t.equal(answer.status, 404, path)
    t.match(answer.body, /This link does not work/)
    t.match(answer.body, /href="\/sign-in"/)
  }
  const page = await browser.open(reset)
  const other = testApp.browser()
  await other.open('/sign-in')
  t.equal((await other.submit(page, 'new-password-form', { password: newPassword })).status, 403, 'U1')
  testApp.clock.nowMs += 3_600_000
  t.equal((await browser.submit(page, 'new-password-form', { password: newPassword })).status, 404, 'over')
  t.equal((await findUserByEmail(testApp.store.reader, user.email))?.userId, user.userId)
  t.ok(other.cookies.has(browserCookie))
})

async function linkTo({ deps }: SignInApp, link: NewLink): Promise<string> {
  const { url } = await createLink(deps.users, link)
  return url.slice(baseUrl.length)
}

function optionsOf(page: Shown): { challenge: string } & Record<string, unknown> {
  const text = /data-passkey-create="([^"]*)"/.exec(page.body)?.[1] ?? ''
  return JSON.parse(text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&'))
}
