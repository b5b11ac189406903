// The authorization endpoint and the person: sign-in, tenant, role, consent, and what goes wrong in browsers. Pages are
// looked at only as far as they lead on; how they look is tested with them.

import t, { type Test } from 'tap'
import { changeApplication } from '../../../src/directory/applications/application-changes.js'
import { changeTenant, createTenant } from '../../../src/directory/tenants/tenants.js'
import { signIdToken } from '../../../src/tokens/id-token.js'
import { setUserState } from '../../../src/users/accounts/user-state.js'
import { createUser } from '../../../src/users/accounts/users.js'
import { addMembership, setRole } from '../../../src/users/memberships/memberships.js'
import { type ScriptedBrowser, type Shown, textOf } from '../../support/browser/scripted-browser.js'
import {
  type AuthorizeApp,
  answerOf,
  authorizePath,
  callback,
  openAuthorize,
  pair,
} from '../../support/rooms/authorize.js'
import { allOpenidScopes, consentTo } from '../../support/rooms/delegation.js'
import { baseUrl, otherResource, ownResource } from '../../support/rooms/directory.js'
import { unknownGuid, withAnotherSignature } from '../../support/rooms/identity.js'

const challenge = { code_challenge: pair.challenge, code_challenge_method: 'S256' }
const password = 'correct horse battery staple'

const resumeOf = (shown: Shown) => `${authorizePath}/resume/${/request=(\w+)/.exec(shown.location ?? shown.path)?.[1]}`
const lastGrant = async (testApp: AuthorizeApp) =>
  (await testApp.store.reader.selectFrom('grants').selectAll().orderBy('created_at').execute()).at(-1)

function checkGone(t: Test, answer: Shown): void {
  t.equal(answer.status, 400)
  t.equal(answer.location, undefined)
  t.match(textOf(answer, 'what'), /already completed|started in another browser/)
  t.match(textOf(answer, 'remedy'), /go back to the application/, 'and says what to do')
}

t.test('R9 R18 the whole way: sign in, consent, code; then no question any more', async (t) => {
  const testApp = await openAuthorize(t, { consented: false })
  const { tenantId } = testApp
  const { userId, email } = await createUser(testApp.deps.users, {
    ...{ email: 'grace@contoso.test', name: 'Grace', password },
    membership: { tenantId, role: 'member' },
  })
  const browser = testApp.browser()
  const address = testApp.address({ state: 's', scope: 'User.Read openid', nonce: 'n', login_hint: email })
  const page = await browser.open(address)
  t.match(page.path, /^\/sign-in\?request=/)
  t.match(page.body, email, 'the hint is filled in')
  const policy = String(page.headers['content-security-policy'])
  t.match(policy, /form-action 'self' https:\/\/app\.test;/, 'C4 the chain of redirects may end at the client')
  const consentPage = await browser.submit(page, 'sign-in-form', { email, password })
  t.match(consentPage.path, /^\/consent\?request=/)
  const done = await browser.submit(consentPage, 'consent', { decision: 'accept' })
  t.ok([302, 303].includes(done.status))
  t.ok(done.location?.startsWith(`${callback}?code=pcl_ac_`))
  t.match(answerOf(done), { state: 's', iss: baseUrl })
  t.match(await lastGrant(testApp), {
    ...{ user_id: userId, tenant_id: tenantId, application_id: testApp.registration.applicationId },
    ...{ permissions: 'User.Read', openid_scopes: 'openid', authentication: /"nonce":"n"/ },
  })
  t.equal((await browser.get(address)).status, 302, 'remembered')
  t.equal((await testApp.store.reader.selectFrom('pending_requests').selectAll().execute()).length, 0)
  const events = (await testApp.store.reader.selectFrom('ledger').selectAll().execute()).map(({ event }) => event)
  for (const event of ['user.signed-in', 'consent.granted', 'grant.created']) t.ok(events.includes(event), event)
})

t.test('C5 who declines sends access_denied, and nothing is remembered', async (t) => {
  const testApp = await openAuthorize(t, { consented: false })
  const browser = await testApp.signedIn()
  const page = await browser.open(testApp.address({ state: 's' }))
  const done = await browser.submit(page, 'consent', { decision: 'cancel' })
  t.equal(done.status, 303)
  t.match(answerOf(done), { error: 'access_denied', state: 's', iss: baseUrl })
  t.same(await testApp.store.reader.selectFrom('user_consents').selectAll().execute(), [])
  t.same(await testApp.store.reader.selectFrom('grants').selectAll().execute(), [])
  checkGone(t, await browser.open(page.path))
})

t.test('C11 prompt=none shows no page: login_required, consent_required, interaction_required', async (t) => {
  const testApp = await openAuthorize(t, { consented: false, registration: { audience: 'any' } })
  const ask = async (browser: ScriptedBrowser, more = {}) => {
    const shown = await browser.get(testApp.address({ prompt: 'none', state: 's', ...more }))
    t.equal(shown.status, 302)
    t.match(answerOf(shown), { state: 's', iss: baseUrl })
    return answerOf(shown)['error']
  }
  t.equal(await ask(testApp.browser()), 'login_required')
  const browser = await testApp.signedIn()
  t.equal(await ask(browser), 'consent_required')
  await testApp.consent()
  t.equal(await ask(browser), undefined, 'nothing to ask')
  t.equal(await ask(browser, { scope: 'User.Read' }), undefined)
  testApp.clock.nowMs += 60_000
  t.equal(await ask(browser, { max_age: '59' }), 'login_required', 'too long ago')
  t.equal(await ask(browser, { max_age: '61' }), undefined)
  const { tenantId } = await createTenant(testApp.writes, { name: 'Fabrikam' })
  await addMembership(testApp.deps.users, { userId: testApp.user.userId, tenantId, role: 'member' })
  t.equal(await ask(browser), 'interaction_required', 'two tenants to choose from')
  t.equal(await ask(browser, { requested_enrollment: testApp.tenantId }), undefined)
  const elsewhere = await createTenant(testApp.writes, { name: 'Woodgrove' })
  await changeTenant(testApp.writes, elsewhere.tenantId, { userConsent: 'administrators' })
  const untrusted = await testApp.person({ tenantId: elsewhere.tenantId })
  t.equal(await ask(await testApp.signedIn(untrusted.userId)), 'access_denied', 'no tenant at all')
  t.same(await testApp.store.reader.selectFrom('pending_requests').selectAll().execute(), [])
})

t.test(
  'C10 a native client that anybody could have started asks every time, a claimed https address does not',
  async (t) => {
    const redirectUris = ['http://localhost/cb', 'com.example.app:/cb', callback]
    const testApp = await openAuthorize(t, { registration: { type: 'native', redirectUris } })
    const browser = await testApp.signedIn()
    for (const redirect_uri of ['http://localhost:1234/cb', 'com.example.app:/cb']) {
      const address = testApp.address({ redirect_uri, ...challenge })
      for (const round of ['first', 'second']) {
        const page = await browser.open(address)
        t.match(page.path, /^\/consent\?/, `${redirect_uri} the ${round} time`)
        const done = await browser.submit(page, 'consent', { decision: 'accept' })
        t.ok(done.location?.startsWith(`${redirect_uri}?code=`))
      }
      t.equal(answerOf(await browser.get(`${address}&prompt=none`))['error'], 'consent_required')
    }
    t.ok(answerOf(await browser.get(testApp.address(challenge)))['code'], 'https')
  },
)

t.test('C11 who asks silently, and nobody is signed in, leaves nothing behind', async (t) => {
  let writes = 0
  const testApp = await openAuthorize(t, {
    replace: ({ store }) => ({
      store: {
        ...store,
        transaction(work, separation) {
          writes += 1
          return store.transaction(work, separation)
        },
      },
    }),
  })
  const ask = async (more: Record<string, string>) => {
    const shown = await testApp.browser().get(testApp.address({ prompt: 'none', state: 's', ...more }))
    return answerOf(shown)
  }
  t.match(await ask({}), { error: 'login_required', state: 's', iss: baseUrl })
  t.match(await ask({ scope: 'nothing' }), { error: 'invalid_scope', state: 's', iss: baseUrl })
  t.equal(writes, 0)
  await testApp.browser().get(testApp.address())
  t.equal(writes, 0, 'identity M7: nor does a request that waits for somebody')
})

t.test('prompt=consent asks again, once', async (t) => {
  const testApp = await openAuthorize(t)
  const browser = await testApp.signedIn()
  const page = await browser.open(testApp.address({ prompt: 'consent' }))
  t.match(page.path, /^\/consent/)
  t.match(
    (await browser.open(page.path.replace('/consent?request=', `${authorizePath}/resume/`))).path,
    /^\/consent/,
    'not by going round',
  )
  t.ok(answerOf(await browser.submit(page, 'consent', { decision: 'accept' }))['code'])
})

t.test('prompt=login and max_age ask for a new proof, which a session under a new id is not', async (t) => {
  const testApp = await openAuthorize(t)
  const browser = await testApp.signedIn()
  testApp.clock.nowMs += 100_000
  t.ok(answerOf(await browser.get(testApp.address({ max_age: '100' })))['code'])
  for (const more of [{ prompt: 'login' }, { max_age: '99' }, { max_age: '0' }, { prompt: 'login consent' }]) {
    const shown = await browser.get(testApp.address(more))
    t.match(shown.location, /^\/sign-in\?request=/, JSON.stringify(more))
    t.match((await browser.get(resumeOf(shown))).location, /^\/sign-in/, 'not by going round')
    const account = await browser.open('/sign-in')
    await browser.submit(account, 'continue-form', {})
    t.match((await browser.get(resumeOf(shown))).location, /^\/sign-in/, 'nor by going on as who one was')
    testApp.clock.nowMs += 5_000
    await testApp.signIn(browser, testApp.user.userId)
    const done = await browser.open(resumeOf(shown))
    t.ok(answerOf(done)['code'] ?? done.path.startsWith('/consent'), JSON.stringify(more))
    testApp.clock.nowMs += 100_000
  }
})

t.test(
  'prompt=login and max_age: signing in twice within one second is two proofs, and is required once',
  async (t) => {
    const testApp = await openAuthorize(t)
    for (const acr of ['1', '2']) {
      for (const more of [{ prompt: 'login' }, { max_age: '0' }]) {
        testApp.clock.nowMs = Math.ceil(testApp.clock.nowMs / 1000) * 1000 + 300
        const browser = await testApp.signedIn(testApp.user.userId, { acr })
        const shown = await browser.get(testApp.address(more))
        t.match(shown.location, /^\/sign-in/, JSON.stringify(more))
        await browser.submit(await browser.open('/sign-in'), 'continue-form', {})
        t.match((await browser.get(resumeOf(shown))).location, /^\/sign-in/, 'going on as who one was is no proof')
        testApp.clock.nowMs += 40
        await testApp.signIn(browser, testApp.user.userId, { acr })
        t.ok(answerOf(await browser.get(resumeOf(shown)))['code'], JSON.stringify([acr, more]))
      }
    }
  },
)

t.test('prompt=login and max_age: a session that was put away and back is no new proof', async (t) => {
  const testApp = await openAuthorize(t)
  const other = await testApp.person()
  for (const more of [{ prompt: 'login' }, { max_age: '60' }]) {
    for (const between of [undefined, other.userId]) {
      const browser = await testApp.signedIn()
      const session = browser.cookies.get('__Host-portcullis-session') ?? ''
      testApp.clock.nowMs += 3_600_000
      browser.cookies.delete('__Host-portcullis-session')
      if (between !== undefined) await testApp.signIn(browser, between)
      const shown = await browser.get(testApp.address(more))
      browser.cookies.set('__Host-portcullis-session', session)
      t.match((await browser.get(resumeOf(shown))).location, /^\/sign-in/, JSON.stringify(more))
      testApp.clock.nowMs += 5_000
      await testApp.signIn(browser, testApp.user.userId)
      t.ok(answerOf(await browser.get(resumeOf(shown)))['code'])
    }
  }
})

t.test('prompt=select_account asks as whom to go on', async (t) => {
  const testApp = await openAuthorize(t)
  const browser = await testApp.signedIn()
  const page = await browser.open(testApp.address({ prompt: 'select_account' }))
  t.match(page.path, /^\/sign-in/)
  t.match((await browser.get(resumeOf(page))).location, /^\/sign-in/, 'not by going round')
  t.ok(answerOf(await browser.submit(page, 'continue-form'))['code'])
})

t.test('id_token_hint and claims name who is meant: nobody else will do', async (t) => {
  const testApp = await openAuthorize(t)
  const hint = (sub: string, iss = baseUrl) => {
    const [iat, exp] = [1_000_000_000, 1_000_003_600]
    const rest = { auth_time: iat, acr: '1', amr: ['pwd'], tid: testApp.tenantId }
    return signIdToken(
      testApp.keyring,
      'ES256',
      { iss, sub, aud: testApp.registration.applicationId, iat, exp, ...rest },
      'x',
    )
  }
  const browser = await testApp.signedIn()
  const ask = async (more: Record<string, string>) => browser.get(testApp.address(more))
  const mine = await hint(testApp.user.userId)
  t.ok(answerOf(await ask({ id_token_hint: mine }))['code'], 'although it has ended')
  t.equal(
    answerOf(await ask({ id_token_hint: await hint(testApp.user.userId, 'https://x.test') }))['error'],
    'invalid_request',
  )
  t.equal(answerOf(await ask({ id_token_hint: withAnotherSignature(mine) }))['error'], 'invalid_request')
  const { userId } = await testApp.person()
  const forOther = [
    { id_token_hint: await hint(userId) },
    { claims: JSON.stringify({ id_token: { sub: { value: userId } } }) },
  ]
  for (const more of forOther) {
    t.equal(answerOf(await ask({ ...more, prompt: 'none' }))['error'], 'login_required')
    const shown = await ask(more)
    t.match(shown.location, /^\/sign-in/)
    testApp.clock.nowMs += 5_000
    await testApp.signIn(browser, testApp.user.userId)
    t.equal(answerOf(await browser.get(resumeOf(shown)))['error'], 'login_required', 'the same person again')
    const again = await ask(more)
    testApp.clock.nowMs += 5_000
    await testApp.signIn(browser, userId)
    t.match((await browser.get(resumeOf(again))).location, /^\/consent/, 'the one who was meant')
    testApp.clock.nowMs += 5_000
    await testApp.signIn(browser, testApp.user.userId)
  }
})

t.test('claims: an essential acr needs such a sign-in; names come under their words of consent', async (t) => {
  const testApp = await openAuthorize(t)
  const acr = (essential: boolean) => JSON.stringify({ id_token: { acr: { essential, values: ['2'] } } })
  const one = await testApp.signedIn()
  t.ok(answerOf(await one.get(testApp.address({ claims: acr(false) })))['code'], 'voluntary')
  t.equal(answerOf(await one.get(testApp.address({ claims: acr(true), prompt: 'none' })))['error'], 'login_required')
  t.match((await one.get(testApp.address({ claims: acr(true) }))).location, /^\/sign-in/)
  const two = await testApp.signedIn(testApp.user.userId, { acr: '2' })
  t.ok(answerOf(await two.get(testApp.address({ claims: acr(true) })))['code'])

  const { userId } = await testApp.person()
  await testApp.store.transaction((tx) =>
    tx
      .insertInto('user_consents')
      .values(
        ['User.Read', 'assets_read'].map((permission_id) => ({
          ...{ user_id: userId, application_id: testApp.registration.applicationId, tenant_id: testApp.tenantId },
          ...{ resource: ownResource, permission_id, granted_at: 1 },
        })),
      )
      .execute(),
  )
  const browser = await testApp.signedIn(userId)
  t.ok(
    answerOf(await browser.get(testApp.address({ claims: '{"userinfo":{"zoneinfo":null}}' })))['code'],
    'what is never given',
  )
  const claims = JSON.stringify({ userinfo: { email: { essential: true } }, id_token: { name: null } })
  t.match((await browser.get(testApp.address({ claims }))).location, /^\/consent/)
})

t.test('C6 consent for one resource is none for another, whatever the permission is called', async (t) => {
  const testApp = await openAuthorize(t, { consented: false })
  const browser = await testApp.signedIn()
  const { userId } = testApp.user
  const whose = { userId, tenantId: testApp.tenantId, applicationId: testApp.registration.applicationId }
  const permissions = ['User.Read', 'assets_read', ...allOpenidScopes]
  await consentTo(testApp.deps, { ...whose, permissions, resource: otherResource })
  t.match((await browser.get(testApp.address())).location, /^\/consent/)
  await consentTo(testApp.deps, { ...whose, permissions })
  t.ok(answerOf(await browser.get(testApp.address()))['code'])
})

t.test('C6 a member of several tenants chooses one, and only one of theirs', async (t) => {
  const testApp = await openAuthorize(t, { registration: { audience: 'any' } })
  const { userId } = testApp.user
  const { tenantId } = await createTenant(testApp.writes, { name: 'Fabrikam' })
  const otherTenant = await createTenant(testApp.writes, { name: 'Woodgrove' })
  await addMembership(testApp.deps.users, { userId, tenantId, role: 'administrator' })
  const browser = await testApp.signedIn()
  const page = await browser.open(testApp.address({ state: 's' }))
  t.match(page.path, /^\/choose-tenant\?request=/)
  t.match(page.body, /Contoso/)
  t.match(page.body, /Fabrikam/)
  t.notMatch(page.body, /Woodgrove/)
  t.equal(textOf(page, 'verified'), 'Unverified', 'identity L2: nobody vouches for the application')
  t.equal(textOf(page, 'registered-by'), 'Registered by Contoso', 'identity L2: its home')
  for (const tenant of [otherTenant.tenantId, unknownGuid(), '']) {
    const again = await browser.submit(page, 'choose-tenant', { tenant })
    t.equal(again.status, 400)
    t.match(textOf(again, 'problem'), /Choose one/)
  }
  const consentPage = await browser.submit(page, 'choose-tenant', { tenant: tenantId })
  t.match(consentPage.path, /^\/consent/, 'what was allowed in one tenant is not in another')
  t.equal(textOf(consentPage, 'tenant'), 'Fabrikam')
  const done = await browser.submit(consentPage, 'consent', { decision: 'accept' })
  t.ok(answerOf(done)['code'])
  t.match(await lastGrant(testApp), { tenant_id: tenantId })
  const named = await browser.get(testApp.address({ requested_enrollment: testApp.tenantId }))
  t.ok(answerOf(named)['code'], 'a request may name one')
  t.match(await lastGrant(testApp), { tenant_id: testApp.tenantId })
  t.equal(answerOf(await browser.get(testApp.address({ tenant: otherTenant.tenantId })))['error'], 'access_denied')
})

t.test('C2 the choice of a tenant takes only its own form', async (t) => {
  const testApp = await openAuthorize(t, { registration: { audience: 'any' } })
  const { tenantId } = await createTenant(testApp.writes, { name: 'Contoso' })
  await addMembership(testApp.deps.users, { userId: testApp.user.userId, tenantId, role: 'member' })
  const browser = await testApp.signedIn()
  const [one, other] = [await browser.open(testApp.address()), await browser.open(testApp.address())]
  for (const id of [tenantId, testApp.tenantId])
    t.match(one.body, `Contoso (member), ${id.slice(0, 8)}`, 'namesakes are distinguished')
  t.equal((await browser.post(one.path, { tenant: tenantId })).status, 403, 'no token')
  const swapped = { ...one, body: other.body.replaceAll(/request=\w+/g, `request=${one.path.split('=')[1]}`) }
  t.equal((await browser.submit(swapped, 'choose-tenant', { tenant: tenantId })).status, 403, "another request's token")
  const crossSite = { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }
  t.equal((await browser.post(one.path, { tenant: tenantId }, crossSite)).status, 403, 'another site')
  t.equal((await (await testApp.signedIn()).open(one.path)).status, 400, 'another browser')
  const gone = testApp.browser()
  gone.cookies.set('__Host-portcullis-browser', browser.cookies.get('__Host-portcullis-browser') ?? '')
  t.match((await gone.get(one.path)).location, /^\/sign-in/, 'signed out meanwhile')
})

t.test('a tenant that asks its administrators first, is disabled or unknown is no choice', async (t) => {
  const testApp = await openAuthorize(t, { registration: { audience: 'any' } })
  const { tenantId } = await createTenant(testApp.writes, { name: 'Fabrikam' })
  const untrusted = await testApp.person({ tenantId })
  const browser = await testApp.signedIn(untrusted.userId)
  t.match((await browser.get(testApp.address())).location, /^\/consent/, 'its people may bring the application in')
  await changeTenant(testApp.writes, tenantId, { userConsent: 'administrators' })
  const page = await browser.open(testApp.address())
  t.equal(page.status, 403)
  t.match(textOf(page, 'what'), /no organisation/)
  t.match(textOf(page, 'remedy'), /administrator/)
  t.equal(answerOf(await browser.get(testApp.address({ tenant: tenantId })))['error'], 'unauthorized_client')
  await changeTenant(testApp.writes, testApp.tenantId, { state: 'disabled' })
  t.equal((await (await testApp.signedIn()).open(testApp.address())).status, 403, 'the home tenant is out of use')
})

t.test('a delegated permission is a ceiling, and so is the role of the person', async (t) => {
  const testApp = await openAuthorize(t)
  Object.assign(testApp.catalogue.find('delegated', ownResource, 'assets_read') ?? {}, { role: 'administrator' })
  const browser = await testApp.signedIn()
  t.ok(answerOf(await browser.get(testApp.address()))['code'])
  t.match(await lastGrant(testApp), { permissions: 'User.Read' }, 'what the role does not allow is left out')
  const none = answerOf(await browser.get(testApp.address({ scope: 'assets_read openid' })))
  t.match(none, { error: 'access_denied', error_description: /role/ }, 'nothing is left')
  await setRole(testApp.deps.users, { userId: testApp.user.userId, tenantId: testApp.tenantId, role: 'owner' })
  t.ok(answerOf(await browser.get(testApp.address({ scope: 'assets_read' })))['code'])
  t.match(await lastGrant(testApp), { permissions: 'assets_read' })
})

t.test('a disabled person is nobody', async (t) => {
  const testApp = await openAuthorize(t)
  const browser = await testApp.signedIn()
  const waiting = await browser.get(testApp.address({ prompt: 'consent' }))
  await setUserState(testApp.deps.users, testApp.user.userId, 'disabled')
  t.match((await browser.get(testApp.address())).location, /^\/sign-in/)
  t.equal(answerOf(await browser.get(testApp.address({ prompt: 'none' })))['error'], 'login_required')
  t.match((await browser.get(resumeOf(waiting))).location, /^\/sign-in/)
})

t.test('R18 two tabs with two clients: each gets its own code, whichever is finished first', async (t) => {
  const testApp = await openAuthorize(t, { consented: false })
  const two = await testApp.register({ tenantId: testApp.tenantId, redirectUris: ['https://two.test/cb'] })
  const browser = await testApp.signedIn()
  const first = await browser.open(testApp.address({ state: 'one' }))
  const more = { client_id: two.registration.applicationId, redirect_uri: 'https://two.test/cb', state: 'two' }
  const second = await browser.open(testApp.address(more))
  const done = await browser.submit(first, 'consent', { decision: 'accept' })
  t.ok(done.location?.startsWith(`${callback}?code=`))
  t.match(answerOf(done), { state: 'one' })
  t.match(await lastGrant(testApp), { application_id: testApp.registration.applicationId })
  testApp.clock.nowMs += 1
  const other = await browser.submit(second, 'consent', { decision: 'accept' })
  t.ok(other.location?.startsWith('https://two.test/cb?code='))
  t.match(answerOf(other), { state: 'two' })
  t.match(await lastGrant(testApp), { application_id: two.registration.applicationId })
})

t.test('R17 the back button and a doubled click: one code, then a page that says what to do', async (t) => {
  const testApp = await openAuthorize(t, { consented: false })
  const browser = await testApp.signedIn()
  const page = await browser.open(testApp.address())
  const done = await browser.submit(page, 'consent', { decision: 'accept' })
  t.ok(answerOf(done)['code'])
  checkGone(t, await browser.open(page.path))
  checkGone(t, await browser.submit(page, 'consent', { decision: 'accept' }))
  checkGone(t, await browser.open(resumeOf(page)))
  const waiting = await browser.get(testApp.address({ prompt: 'login' }))
  testApp.clock.nowMs += 5_000
  await testApp.signIn(browser, testApp.user.userId)
  const answers = await Promise.all(Array.from({ length: 10 }, () => browser.get(resumeOf(waiting))))
  t.equal(answers.filter((answer) => answerOf(answer)['code'] !== undefined).length, 1, 'of ten at the same time, one')
  for (const answer of answers) if (answer.status !== 302) checkGone(t, answer)
})

t.test('R17 a request belongs to its browser, lasts an hour, and reads what is registered now', async (t) => {
  const testApp = await openAuthorize(t)
  const browser = await testApp.signedIn()
  const begin = () => browser.get(testApp.address({ prompt: 'login' }))
  const waiting = await begin()
  const other = await testApp.signedIn()
  await other.get(testApp.address())
  checkGone(t, await other.open(resumeOf(waiting)))
  const blocked = await testApp.browser().get(resumeOf(waiting))
  t.equal(blocked.status, 400)
  t.match(textOf(blocked, 'what'), /cookie/, 'cookies blocked')
  for (const id of ['x', 'pcl_rq_', `pcl_rq_${'0'.repeat(43)}`])
    checkGone(t, await browser.get(`${authorizePath}/resume/${id}`))

  testApp.clock.nowMs += 3_500_000
  await testApp.signIn(browser, testApp.user.userId)
  const kept = await begin()
  testApp.clock.nowMs += 3_600_000
  await testApp.signIn(browser, testApp.user.userId)
  checkGone(t, await browser.get(resumeOf(waiting)))
  checkGone(t, await browser.get(resumeOf(kept)))

  const late = await begin()
  testApp.clock.nowMs += 5_000
  await testApp.signIn(browser, testApp.user.userId)
  await changeApplication(testApp.writes, testApp.registration.applicationId, { redirectUris: ['https://new.test/'] })
  const moved = await browser.get(resumeOf(late))
  t.equal(moved.status, 400)
  t.match(textOf(moved, 'what'), /not registered any more/)
  await changeApplication(testApp.writes, testApp.registration.applicationId, { redirectUris: [callback] })
  await changeApplication(testApp.writes, testApp.registration.applicationId, { state: 'disabled' })
  t.match(textOf(await browser.get(resumeOf(late)), 'what'), /disabled/)
})

t.test('a session that ends in the middle: sign in, and go on where one was', async (t) => {
  const testApp = await openAuthorize(t, { consented: false })
  const browser = await testApp.signedIn()
  const page = await browser.open(testApp.address({ state: 's' }))
  t.match(page.path, /^\/consent/)
  await testApp.store.transaction((tx) => tx.deleteFrom('sessions').execute())
  const again = await browser.submit(page, 'consent', { decision: 'accept' })
  t.match(again.path, /^\/sign-in\?request=/)
  testApp.clock.nowMs += 5_000
  await testApp.signIn(browser, testApp.user.userId)
  const consentPage = await browser.open(resumeOf(again))
  t.match(consentPage.path, /^\/consent/)
  t.match(answerOf(await browser.submit(consentPage, 'consent', { decision: 'accept' })), {
    code: /^pcl_ac_/,
    state: 's',
  })
})

t.test('C6 what one person allowed in a browser is not allowed for the next one there', async (t) => {
  const testApp = await openAuthorize(t, { consented: false })
  const browser = await testApp.signedIn()
  const page = await browser.open(testApp.address())
  const form = { form_token: /name="form_token" value="([^"]+)"/.exec(page.body)?.[1] ?? '', decision: 'accept' }
  const accepted = await browser.post(page.path, form, { origin: 'null', 'sec-fetch-site': 'same-origin' })
  t.match(accepted.location, /resume/)
  const other = await testApp.person()
  await testApp.signIn(browser, other.userId)
  t.match((await browser.get(String(accepted.location))).location, /^\/consent/)
  t.same(await testApp.store.reader.selectFrom('grants').selectAll().execute(), [])
})

t.test('C6 consent that is withdrawn before the code is made counts', async (t) => {
  let withdraw = false
  const testApp = await openAuthorize(t, {
    // Between the decision and the transaction that makes the code, the person withdraws in another tab.
    replace: ({ feed, store }) => ({
      feed: {
        ...feed,
        async commit(work) {
          if (withdraw) await store.transaction((tx) => tx.deleteFrom('user_consents').execute())
          return feed.commit(work)
        },
      },
    }),
  })
  const browser = await testApp.signedIn()
  t.ok(answerOf(await browser.get(testApp.address()))['code'])
  withdraw = true
  const shown = await browser.get(testApp.address())
  t.match(shown.location, /resume/, 'decided anew')
  t.match((await browser.get(String(shown.location))).location, /^\/consent/)
  t.equal((await testApp.store.reader.selectFrom('grants').selectAll().execute()).length, 1, 'nothing was written')
})
