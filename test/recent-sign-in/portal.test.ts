// identity L9 at the portal: a form with weight of somebody who signed in long ago leads to the sign-in page, and what
// was typed is there again afterwards. Nothing is sent without the person, and no value stands in an address.

import { randomBytes } from 'node:crypto'
import t from 'tap'
import { pngFile } from '../support/brands/pictures.js'
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

/** Signs in once more in another tab of that browser, as the link of the page says. */
async function signInBeside(browser: ScriptedBrowser, held: Shown, email: string): Promise<Shown> {
  const link = /id="go-on" href="([^"]+)" target="_blank"/.exec(held.body)?.[1] ?? ''
  return browser.submit(await browser.get(link), 'sign-in-form', { email, password })
}

t.test('identity L9: what is too long to be sealed stays in its page, and is sent after the sign-in', async (t) => {
  const testApp = await openPortal(t)
  const before = await uris(testApp)
  const { browser, page, path, email } = await lateAt(testApp)
  const more = { redirectUris: uri, notes: `${randomBytes(4_000).toString('base64url')}\nand\nmore` }
  const held = await post(browser, page, 'redirectUris-add', more)
  t.equal(held.status, 403)
  t.match(textOf(held, 'what'), /Sign in once more as .*Come back here/)
  t.equal((await post(browser, held, 'held-form', {})).status, 403, 'not before they signed in')
  t.same(await uris(testApp), before)
  t.equal((await signInBeside(browser, held, email)).path, path)
  t.same(await uris(testApp), before, 'nothing is sent by itself')
  t.equal(formOf(held, 'held-form').fields['notes'], more.notes)
  t.match((await browser.submit(held, 'held-form')).path, path)
  t.same(await uris(testApp), [...before, uri])
})

t.test('identity L9: a form in its page is for who sent it, in that browser, for an hour', async (t) => {
  const testApp = await openPortal(t)
  const before = await uris(testApp)
  const { browser, page, userId } = await lateAt(testApp)
  const long = { redirectUris: uri, notes: randomBytes(6_000).toString('base64url') }
  const held = await post(browser, page, 'redirectUris-add', long)
  const elsewhere = testApp.browser()
  await testApp.signIn(elsewhere, userId)
  await elsewhere.get('/portal')
  t.equal((await post(elsewhere, held, 'held-form', {})).status, 403, 'another browser')
  const other = await testApp.person('Eve', 'administrator')
  await testApp.signIn(browser, other.userId)
  t.equal((await post(browser, held, 'held-form', {})).status, 403, 'another person at the same browser')
  await testApp.signIn(browser, userId)
  const { fields, action } = formOf(held, 'held-form')
  const [token = '', shownAs = '', until = ''] = (fields['form_token'] ?? '').split('.')
  for (const changed of [`${token}.${shownAs}.${Number(until) + 1}`, `${token}.${shownAs}`, `${token}.${shownAs}.`])
    t.equal((await browser.post(action, { ...fields, form_token: changed }, headers)).status, 403, 'another token')
  testApp.clock.nowMs = Number(until)
  await testApp.signIn(browser, userId)
  t.equal((await post(browser, held, 'held-form', {})).status, 403, 'an hour later')
  t.same(await uris(testApp), before)
})

const boundary = '----formBoundary7MA4YWxkTrZu0gW'
const multipart = { ...headers, 'content-type': `multipart/form-data; boundary=${boundary}` }

/** As a browser sends it; `files`: their contents, by field. */
function partsOf(fields: Readonly<Record<string, string>>, files: Readonly<Record<string, Uint8Array>> = {}): Buffer {
  const part = (name: string, about: string, content: string | Uint8Array) => [
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"${about}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]
  return Buffer.concat([
    ...Object.entries(fields).flatMap(([name, value]) => part(name, '', value)),
    ...Object.entries(files).flatMap(([name, value]) => part(name, '; filename="a.png"', value)),
    Buffer.from(`--${boundary}--\r\n`),
  ])
}

t.test('identity L9: pages with files ask before anything is chosen, and a file survives the sign-in', async (t) => {
  const testApp = await openPortal(t)
  const { applicationId } = testApp.registration
  const { email, userId } = await testApp.person('Ada', 'administrator')
  const browser = testApp.browser()
  await testApp.signIn(browser, userId)
  const path = `/portal/applications/${applicationId}/branding`
  const page = await browser.get(path)
  testApp.clock.nowMs += tooLongMs
  for (const asking of [path, '/portal/branding', '/portal/import'])
    t.match((await browser.get(asking)).location, /^\/sign-in\?request=/, asking)
  const reader = await testApp.person('Rita', 'member')
  const readers = testApp.browser()
  await testApp.signIn(readers, reader.userId)
  testApp.clock.nowMs += tooLongMs
  t.equal((await readers.get('/portal/branding')).status, 200, 'who only looks is not bothered')

  const logo = pngFile(64, 32)
  const sent = (shown: Shown, form: string, files: Record<string, Uint8Array>) => {
    const { action, fields } = formOf(shown, form)
    return browser.post(action, partsOf({ ...fields, notes: 'x'.repeat(20_000) }, files), multipart)
  }
  const held = await sent(page, 'brand-form', { logo })
  t.equal(held.status, 403)
  t.notMatch(held.body, /<dd[^>]*>[A-Za-z0-9+/]{64}/)
  await signInBeside(browser, held, email)
  const done = await sent(held, 'held-form', {})
  t.equal(done.status, 303, textOf(done, 'problem'))
  t.match((await browser.get(path)).body, /id="logo-now"/)
})

t.test('identity L9: only logos are shown as pictures; every other line as it was entered', async (t) => {
  const testApp = await openPortal(t)
  const { browser, page, email } = await lateAt(testApp)
  const looksLike = `https/${'A'.repeat(80)}`
  const answer = await post(browser, page, 'redirectUris-add', { redirectUris: looksLike, logo: looksLike })
  const confirm = await confirmAfter(browser, answer, email)
  t.match(textOf(confirm, 'entered'), looksLike)
  t.notMatch(textOf(confirm, 'entered'), 'A picture')
})
