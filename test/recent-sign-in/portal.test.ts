// identity L9 at the portal: a form with weight of somebody who signed in long ago leads to the sign-in page, and what
// was typed is there again afterwards. Nothing is sent without the person, and no value stands in an address.

import { randomBytes } from 'node:crypto'
import t from 'tap'
import { formOf, type ScriptedBrowser, type Shown, textOf } from '../support/browser/scripted-browser.js'
import { password } from '../support/people/sign-in.js'
import { openPortal, type PortalApp } from '../support/rooms/portal.js'

const uri = 'https://app.example.test/back?one=1&two=2'
const headers = { origin: 'null', 'sec-fetch-site': 'same-origin' }
const tooLongMs = 601_000

async function uris(testApp: PortalApp): Promise<readonly string[]> {
  testApp.caller.principal = { kind: 'local' }
  return (await testApp.manage('GET', `/applications/${testApp.registration.applicationId}`)).json().redirectUris
}

/** Somebody of that role whose sign-in is older than ten minutes, and their page of redirect URIs. */
async function lateAt(testApp: PortalApp, rest = '/redirect-uris') {
  const { email, userId } = await testApp.person('Ada', 'administrator')
  const browser = testApp.browser()
  await testApp.signIn(browser, userId)
  const path = `/portal/applications/${testApp.registration.applicationId}${rest}`
  const page = await browser.get(path)
  testApp.clock.nowMs += tooLongMs
  return { browser, page, path, email, userId }
}

async function post(browser: ScriptedBrowser, page: Shown, id: string, more: Record<string, string>): Promise<Shown> {
  const { action, fields } = formOf(page, id)
  return browser.post(action, { ...fields, ...more }, headers)
}

const confirmAfter = async (browser: ScriptedBrowser, answer: Shown, email: string) =>
  browser.submit(await browser.follow(answer), 'sign-in-form', { email, password })

t.test('identity L9: what was typed waits while the person signs in again, and is sent by them', async (t) => {
  const testApp = await openPortal(t)
  const before = await uris(testApp)
  const { browser, page, path, email } = await lateAt(testApp)
  t.equal(page.status, 200, 'looking asks for nothing')
  const answer = await post(browser, page, 'redirectUris-add', { redirectUris: uri })
  t.equal(answer.status, 303)
  t.match(answer.location, /^\/sign-in\?request=pcl_rq_[\w-]+$/)
  t.notMatch(answer.location, /example/, 'no value in the address')
  const signInPage = await browser.follow(answer)
  t.match(textOf(signInPage, 'content'), /Confirm it’s you/)
  t.match(signInPage.body, `value="${email}"`)
  const confirm = await browser.submit(signInPage, 'sign-in-form', { email, password })
  t.match(confirm.path, /^\/portal\/confirm\?request=pcl_rq_[\w-]+$/)
  t.equal(confirm.status, 200)
  t.match(textOf(confirm, 'entered'), /app.example.test.back.one=1.*two=2/, 'what was typed')
  t.match(confirm.body, /Its redirect URIs/)
  t.same(await uris(testApp), before, 'nothing was sent by itself')
  t.equal((await browser.get(confirm.path)).status, 200, 'and looking again sends nothing')
  t.same(await uris(testApp), before)
  const done = await browser.submit(confirm, 'confirm-form')
  t.match(done.path, path)
  t.same(await uris(testApp), [...before, uri])
})

t.test('identity L9: a recent sign-in asks nothing, at once and until ten minutes are over', async (t) => {
  const testApp = await openPortal(t)
  const before = await uris(testApp)
  const browser = await testApp.as('administrator')
  const path = `/portal/applications/${testApp.registration.applicationId}/redirect-uris`
  testApp.clock.nowMs += 590_000
  const done = await browser.submit(await browser.get(path), 'redirectUris-add', { redirectUris: uri })
  t.match(done.path, path)
  t.same(await uris(testApp), [...before, uri])
})

t.test('identity L9: what waits is for the person and the browser that sent it, and for an hour', async (t) => {
  const testApp = await openPortal(t)
  const { browser, page, email, userId } = await lateAt(testApp)
  const answer = await post(browser, page, 'redirectUris-add', { redirectUris: uri })
  const confirm = await confirmAfter(browser, answer, email)
  const elsewhere = testApp.browser()
  await testApp.signIn(elsewhere, userId)
  await elsewhere.get('/portal')
  const refused = await elsewhere.get(confirm.path)
  t.equal(refused.status, 404, 'another browser')
  t.notMatch(refused.body, 'app.example.test')
  const other = await testApp.person('Eve', 'administrator')
  await testApp.signIn(browser, other.userId)
  const otherSession = await browser.get(confirm.path)
  t.equal(otherSession.status, 404, 'another person at the same browser')
  t.notMatch(otherSession.body, 'app.example.test')
  t.match(otherSession.body, /This form has expired/)
  t.equal((await browser.get('/portal/confirm')).status, 404)
  t.equal((await browser.get('/portal/confirm?request=pcl_rq_x')).status, 404)
  testApp.clock.nowMs += 3_600_000
  await testApp.signIn(browser, userId)
  t.equal((await browser.get(confirm.path)).status, 404, 'an hour later')
})

t.test('identity L9: the confirmation sends nothing with the token of another session', async (t) => {
  const testApp = await openPortal(t)
  const before = await uris(testApp)
  const { browser, page, email, userId } = await lateAt(testApp)
  const confirm = await confirmAfter(
    browser,
    await post(browser, page, 'redirectUris-add', { redirectUris: uri }),
    email,
  )
  const { action, fields } = formOf(confirm, 'confirm-form')
  await testApp.signIn(browser, userId)
  t.equal((await browser.post(action, fields, headers)).status, 403)
  t.equal((await browser.post(action, { ...fields, form_token: '' }, headers)).status, 403)
  t.same(await uris(testApp), before)
})

t.test('identity L9: who waits longer than ten minutes before the confirmation is prompted once more', async (t) => {
  const testApp = await openPortal(t)
  const before = await uris(testApp)
  const { browser, page, email } = await lateAt(testApp)
  const confirm = await confirmAfter(
    browser,
    await post(browser, page, 'redirectUris-add', { redirectUris: uri }),
    email,
  )
  testApp.clock.nowMs += tooLongMs
  const again = await browser.submit(confirm, 'confirm-form')
  t.match(again.path, /^\/sign-in\?/)
  const second = await browser.submit(again, 'sign-in-form', { email, password })
  t.match(textOf(second, 'entered'), 'app.example.test')
  await browser.submit(second, 'confirm-form')
  t.same(await uris(testApp), [...before, uri])
})

t.test('identity L9: boxes and buttons that come several times are all kept', async (t) => {
  const testApp = await openPortal(t)
  const { browser, page, email } = await lateAt(testApp)
  const form = formOf(page, 'redirectUris-add')
  const body = new URLSearchParams({ form_token: form.fields['form_token'] ?? '' })
  for (const each of ['one', 'two', 'two']) body.append('box', each)
  body.append('redirectUris', uri)
  const answer = await browser.post(form.action, body.toString(), headers)
  const confirm = await confirmAfter(browser, answer, email)
  const boxes = [...confirm.body.matchAll(/<input type="hidden" name="box" value="(\w+)"/g)].map(([, value]) => value)
  t.same(boxes, ['one', 'two', 'two'])
  t.equal([...confirm.body.matchAll(/name="form_token"/g)].length >= 1, true)
})

t.test(
  'identity L9: what is too long to wait is said, nothing is changed, and the sign-in leads back to the page',
  async (t) => {
    const testApp = await openPortal(t)
    const before = await uris(testApp)
    const { browser, page, path, email } = await lateAt(testApp)
    const refused = await post(browser, page, 'redirectUris-add', {
      redirectUris: uri,
      notes: randomBytes(4_000).toString('base64url'),
    })
    t.equal(refused.status, 403)
    t.match(textOf(refused, 'what'), /too long to be kept.*Nothing was changed/)
    const link = /id="go-on" href="([^"]+)"/.exec(refused.body)?.[1] ?? ''
    t.equal((await browser.submit(await browser.get(link), 'sign-in-form', { email, password })).path, path)
    t.same(await uris(testApp), before)
  },
)
