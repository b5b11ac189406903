// identity L9 at the authorization endpoint: acr_values and an essential acr lead to the second factor, and to it alone
// (OpenID Connect Core §3.1.2.1, §5.5.1.1, Unmet Authentication Requirements 1.0, RFC 9470 §4).

import t, { type Test } from 'tap'
import { signOutEverywhere } from '../../src/users/sessions/end-access.js'
import type { ScriptedBrowser, Shown } from '../support/browser/scripted-browser.js'
import { giveCodes, givePasskey } from '../support/people/second-factor.js'
import { type AuthorizeApp, answerOf, openAuthorize } from '../support/rooms/authorize.js'
import { baseUrl } from '../support/rooms/directory.js'

const essential = (...values: string[]) => JSON.stringify({ id_token: { acr: { essential: true, values } } })
const voluntary = (...values: string[]) => JSON.stringify({ id_token: { acr: { values } } })

/** A test app in which the person has codes, and a browser where they are signed in with one factor. */
async function openWithCodes(t: Test, options: Parameters<typeof openAuthorize>[1] = {}) {
  const testApp = await openAuthorize(t, options)
  const code = await giveCodes(testApp.deps.users, testApp.clock, testApp.user)
  return { testApp, code, browser: await testApp.signedIn() }
}

const acrOfLastGrant = async ({ store }: AuthorizeApp) =>
  JSON.parse(
    (await store.reader.selectFrom('grants').selectAll().orderBy('created_at').execute()).at(-1)?.authentication ??
      '{}',
  ).acr

async function showCode(browser: ScriptedBrowser, page: Shown, code: string): Promise<Shown> {
  return browser.submit(await browser.submit(page, 'step-up-form'), 'code-form', { code })
}

t.test('identity L9: acr_values=2 asks the owner of a second factor for it, and not for the password', async (t) => {
  const { testApp, code, browser } = await openWithCodes(t)
  const page = await browser.open(testApp.address({ acr_values: '2', state: 's' }))
  t.match(page.path, /^\/sign-in\?request=/)
  t.match(page.body, /Confirm with your second factor/)
  t.notMatch(page.body, 'name="password"')
  const secondFactorPage = await browser.submit(page, 'step-up-form')
  t.match(secondFactorPage.path, /^\/sign-in\/second-factor\?/)
  testApp.clock.nowMs += 1000
  const done = await browser.submit(secondFactorPage, 'code-form', { code: code() })
  t.match(answerOf(done), { state: 's', code: /^pcl_ac_/ })
  t.equal(await acrOfLastGrant(testApp), '2', 'what the ID token will say')
  t.ok(answerOf(await browser.get(testApp.address({ acr_values: '2' })))['code'], 'and not again')
})

t.test(
  'identity L9: who signs in late proves both again; the old password alone leads back to the question',
  async (t) => {
    const { testApp, browser } = await openWithCodes(t)
    testApp.clock.nowMs += 601_000
    const page = await browser.open(testApp.address({ acr_values: '2' }))
    t.match(page.body, /Confirm it’s you/)
    t.match(page.body, 'name="password"')
    await testApp.signIn(browser, testApp.user.userId)
    t.match((await browser.open(testApp.address({ acr_values: '2' }))).body, /Confirm with your second factor/)
  },
)

t.test(
  'identity L9: acr_values is a wish: it is answered with one factor where the second cannot be reached',
  async (t) => {
    const testApp = await openAuthorize(t)
    const browser = await testApp.signedIn()
    for (const more of [{ acr_values: '2' }, { acr_values: '2 1' }, { claims: voluntary('2') }]) {
      t.ok(answerOf(await browser.get(testApp.address(more)))['code'], JSON.stringify(more))
      t.equal(await acrOfLastGrant(testApp), '1')
      testApp.clock.nowMs += 1000
    }
  },
)

t.test('identity L9: who has no second factor at hand goes on without it, where it is a wish', async (t) => {
  const { testApp, browser } = await openWithCodes(t)
  const page = await browser.open(testApp.address({ acr_values: '2' }))
  t.ok(answerOf(await browser.submit(page, 'without-form'))['code'])
  t.equal(await acrOfLastGrant(testApp), '1')
  const demanded = await browser.open(testApp.address({ claims: essential('2') }))
  t.match(demanded.body, /Confirm with your second factor/)
  t.notMatch(demanded.body, 'without-form')
  const token = /name="form_token" value="([^"]+)"/.exec(demanded.body)?.[1] ?? ''
  const around = await browser.post(demanded.path, {
    form_token: token,
    action: 'without',
  })
  t.match(around.location, /^\/sign-in\?request=/, 'not where it is demanded, whatever is sent')
  t.match((await browser.follow(around)).body, /Confirm with your second factor/)
})

t.test(
  'identity L9: the value that stands first counts, and values that are not served count for nothing',
  async (t) => {
    const { testApp, browser } = await openWithCodes(t)
    for (const acr_values of ['1 2', '1', 'urn:example:gold', '', ' ']) {
      t.ok(answerOf(await browser.get(testApp.address({ acr_values })))['code'], acr_values)
      testApp.clock.nowMs += 1000
    }
    for (const acr_values of ['urn:example:gold 2', '2 1']) {
      t.match((await browser.get(testApp.address({ acr_values }))).location, /^\/sign-in/, acr_values)
    }
    t.match(
      (await browser.get(testApp.address({ claims: voluntary('2') }))).location,
      /^\/sign-in/,
      'a voluntary claim',
    )
  },
)

t.test('identity L9: prompt=none shows no page: a wish is answered, a demand is login_required', async (t) => {
  const { testApp, browser } = await openWithCodes(t)
  const silent = { prompt: 'none' }
  t.ok(answerOf(await browser.get(testApp.address({ ...silent, acr_values: '2' })))['code'])
  const demanded = await browser.get(testApp.address({ ...silent, claims: essential('2') }))
  t.equal(answerOf(demanded)['error'], 'login_required')
})

t.test('identity L9: an essential acr takes the second factor alone of a person who has one', async (t) => {
  const { testApp, code, browser } = await openWithCodes(t)
  const page = await browser.open(testApp.address({ claims: essential('2') }))
  t.match(page.body, /Confirm with your second factor/)
  testApp.clock.nowMs += 1000
  t.ok(answerOf(await showCode(browser, page, code()))['code'])
  t.equal(await acrOfLastGrant(testApp), '2')
})

t.test('identity L9: an essential acr that cannot be reached is unmet_authentication_requirements', async (t) => {
  const testApp = await openAuthorize(t)
  const browser = await testApp.signedIn()
  const page = await browser.open(testApp.address({ claims: essential('2'), state: 's' }))
  t.match(page.path, /^\/sign-in/, 'somebody else may have one')
  testApp.clock.nowMs += 5000
  await testApp.signIn(browser, testApp.user.userId)
  const request = /request=(\w+)/.exec(page.path)?.[1]
  const refused = await browser.get(`/api/v2/oauth2/v2.0/authorize/resume/${request}`)
  t.match(answerOf(refused), {
    error: 'unmet_authentication_requirements',
    state: 's',
    iss: baseUrl,
  })
  for (const prompt of [undefined, 'none']) {
    const unknown = await browser.get(testApp.address({ claims: essential('urn:example:gold'), prompt }))
    t.equal(answerOf(unknown)['error'], 'unmet_authentication_requirements', 'nobody could ever reach it')
  }
  const nobody = await testApp.browser().get(testApp.address({ claims: essential('gold'), prompt: 'none' }))
  t.equal(answerOf(nobody)['error'], 'unmet_authentication_requirements')
  t.ok(answerOf(await browser.get(testApp.address({ claims: essential('urn:example:gold', '1') })))['code'])
  const explained = await testApp.ask({ method: 'GET', url: '/errors/50076' })
  t.equal(explained.statusCode, 200)
})

t.test('identity L9: the owner of only a passkey must use that, and no password leads round it', async (t) => {
  const testApp = await openAuthorize(t)
  await givePasskey(testApp.deps.users, testApp.user.userId)
  const browser = await testApp.signedIn()
  const page = await browser.open(testApp.address({ claims: essential('2') }))
  t.match(page.body, /data-passkey-get=/)
  t.notMatch(page.body, 'step-up-form')
  const token = /name="form_token" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
  const noCode = await browser.post(page.path, {
    form_token: token,
    action: 'second-factor',
  })
  t.match(noCode.location, /^\/sign-in\?request=/)
  testApp.clock.nowMs += 5000
  await testApp.signIn(browser, testApp.user.userId)
  t.match((await browser.open(page.path)).body, /Confirm with your second factor/, 'the password again is not enough')
})

t.test('identity L9: half a step-up ends with the session, and another person may sign in instead', async (t) => {
  const { testApp, code, browser } = await openWithCodes(t)
  const page = await browser.open(testApp.address({ acr_values: '2' }))
  t.match((await browser.get(`${page.path}&another=yes`)).body, 'name="password"')
  const secondFactorPage = await browser.submit(page, 'step-up-form')
  testApp.clock.nowMs += 1000
  await signOutEverywhere(testApp.deps.users, testApp.user.userId)
  t.equal(
    (await browser.submit(secondFactorPage, 'code-form', { code: code() })).status,
    400,
    'the form was of that session',
  )
  const response = await browser.open(secondFactorPage.path)
  t.equal(response.status, 400, 'and what was proved before has ended too')
  t.match(response.body, /Sign in again/)
})

t.test('identity L9: the metadata names the values that are served', async (t) => {
  const testApp = await openAuthorize(t)
  const answer = await testApp.ask({
    method: 'GET',
    url: '/.well-known/openid-configuration',
  })
  t.same(answer.json().acr_values_supported, ['1', '2'])
})
