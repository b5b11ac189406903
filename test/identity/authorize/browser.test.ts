// The browser and its forms: cookies, tokens, where a form comes from, and what every page says about itself.

import t from 'tap'
import { formOf, textOf } from '../../support/browser/scripted-browser.js'
import { browserCookie, openSignIn, password, sessionCookie, signInWith } from '../../support/people/sign-in.js'
import { baseUrl } from '../../support/rooms/directory.js'

const form = { 'content-type': 'application/x-www-form-urlencoded' }

t.test('C13 both cookies are __Host-: Secure, HttpOnly, SameSite=Lax, for all paths and no other host', async (t) => {
  const testApp = await openSignIn(t)
  const user = await testApp.person('Ada')
  const first = await testApp.ask({ url: '/sign-in' })
  const [given] = first.cookies
  t.equal(given?.name, browserCookie)
  t.match(given?.value, /^pcl_bk_[0-9A-Za-z]{43}$/)
  const cookies = { [browserCookie]: given?.value ?? '' }
  t.same((await testApp.ask({ url: '/sign-in', cookies })).cookies, [], 'a browser that has one keeps it')
  const token = formOf({ status: 200, headers: {}, body: first.body }, 'sign-in-form').fields['form_token'] ?? ''
  const done = await testApp.ask({
    method: 'POST',
    url: '/sign-in',
    headers: form,
    cookies,
    payload: new URLSearchParams({ form_token: token, email: user.email, password }).toString(),
  })
  t.equal(done.statusCode, 303, 'R9 after a password: See Other')
  t.equal(done.headers.location, '/account')
  for (const line of [...[first.headers['set-cookie']].flat(), ...[done.headers['set-cookie']].flat()]) {
    t.match(String(line), /; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    t.notMatch(String(line), /domain/i)
  }
  t.equal(done.cookies[0]?.name, sessionCookie)
})

t.test('C13 cookies are neither read nor set on API paths, and a foreign value is no cookie of ours', async (t) => {
  const testApp = await openSignIn(t)
  const doubled = `${browserCookie}=pcl_bk_${'a'.repeat(43)}; ${browserCookie}=x; ${sessionCookie}=y`
  for (const url of ['/api/v2/oauth2/v2.0/keys', '/.well-known/openid-configuration', '/errors/70011']) {
    const answer = await testApp.ask({ url, headers: { cookie: doubled } })
    t.equal(answer.statusCode, 200, url)
    t.equal(answer.headers['set-cookie'], undefined)
  }
  for (const value of ['x', 'pcl_bk_short', `pcl_bk_${'a'.repeat(44)}`, `pcl_bk_${'-'.repeat(43)}`]) {
    const answer = await testApp.ask({ url: '/sign-in', cookies: { [browserCookie]: value } })
    t.match(answer.cookies[0]?.value, /^pcl_bk_[0-9A-Za-z]{43}$/, `${value} is replaced`)
  }
})

t.test('C13 a cookie of ours that comes twice is refused: one of the two was planted', async (t) => {
  const testApp = await openSignIn(t)
  for (const name of [browserCookie, sessionCookie]) {
    const answer = await testApp.ask({ url: '/sign-in', headers: { cookie: `${name}=a; other=1; ${name}=b` } })
    t.equal(answer.statusCode, 400)
    t.match(answer.body, /sent a cookie twice/)
  }
})

t.test('U1 C2 a form is taken only from the browser, the session and the purpose that it was shown to', async (t) => {
  const testApp = await openSignIn(t)
  const user = await testApp.person('Ada')
  const ada = await testApp.signedIn(user)
  const page = await ada.open('/account/details')
  const { fields } = formOf(page, 'details-form')
  const name = 'Eve Mallory'
  const change = { ...fields, name, email: user.email }
  const refused = async (what: string, answer: { status: number; body: string }) => {
    t.equal(answer.status, 403, what)
    t.match(answer.body, /Nothing was changed|nothing was changed/, what)
  }
  await refused('without a token', await ada.post('/account/details', { name, email: user.email }))
  const own = fields['form_token'] ?? ''
  for (const form_token of ['', 'x', own.slice(1), `${own[0] === 'A' ? 'B' : 'A'}${own.slice(1)}`]) {
    await refused(`token ${form_token}`, await ada.post('/account/details', { ...change, form_token }))
  }
  const other = formOf(await ada.open('/account/sessions'), 'everywhere-form').fields['form_token'] ?? ''
  await refused('another purpose', await ada.post('/account/details', { ...change, form_token: other }))
  const second = await testApp.signedIn(user)
  await refused('another browser', await second.post('/account/details', change))
  second.cookies.set(browserCookie, ada.cookies.get(browserCookie) ?? '')
  await refused('another session', await second.post('/account/details', change))
  const sent = await ada.post('/account/details', `${new URLSearchParams(change)}&form_token=${fields['form_token']}`)
  await refused('a token that comes twice', sent)
  t.equal((await ada.open('/account')).body.includes(name), false)
  t.equal((await ada.post('/account/details', change)).status, 303, 'as it was shown: taken')
})

t.test('U1 a form that another site sends is refused, whatever else is right', async (t) => {
  const testApp = await openSignIn(t)
  const browser = await testApp.signedIn(await testApp.person('Ada'))
  const { fields } = formOf(await browser.open('/sign-out'), 'sign-out-form')
  const crossSite = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: 'null' },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://evil.test' },
    { origin: `${baseUrl}.evil.test` },
    { origin: baseUrl.replace('https', 'http') },
    { 'sec-fetch-site': 'same-origin', origin: 'https://evil.test' },
  ]
  for (const headers of crossSite) {
    const answer = await browser.post('/sign-out', fields, headers)
    t.equal(answer.status, 403, JSON.stringify(headers))
    t.equal(textOf(answer, 'error').includes('Another website'), true)
  }
  t.equal((await browser.get('/account')).status, 200, 'still signed in')
  const forged = testApp.noted.filter(({ event }) => event === 'browser.form-refused')
  t.equal(forged.length, crossSite.length, 'each is noted')
  t.match(forged[0], { address: '192.0.2.1', details: { reason: 'foreign_form', page: 'sign-out' } })
  t.equal((await browser.post('/sign-out', fields, { origin: baseUrl })).status, 303)
})

t.test('U1 the content type is exactly that of a form, or 415', async (t) => {
  const testApp = await openSignIn(t)
  const types = [
    'text/plain',
    'application/json',
    'application/json;',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded;',
    'application/x-www-form-urlencoded, text/plain',
    'application/x-www-form-urlencoded\t;charset=utf-16',
    '',
  ]
  for (const type of types) {
    const answer = await testApp.ask({
      method: 'POST',
      url: '/sign-in',
      headers: { 'content-type': type },
      payload: 'email=a',
    })
    t.equal(answer.statusCode, 415, type)
    t.match(answer.headers['content-type'], /^text\/html/)
  }
  const large = await testApp.post('/sign-in', `email=${'a'.repeat(20_000)}`)
  t.equal(large.statusCode, 413)
  t.match(large.body, /too large/)
})

t.test('C3 R9 a page answers its own methods only, and looking changes nothing', async (t) => {
  const testApp = await openSignIn(t)
  const user = await testApp.person('Ada')
  const browser = await testApp.signedIn(user)
  for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
    const answer = await testApp.ask({ method, url: '/sign-in' })
    t.equal(answer.statusCode, 405, method)
    t.equal(answer.headers.allow, 'GET, HEAD, POST')
    t.match(answer.headers['content-type'], /^text\/html/)
  }
  t.equal((await testApp.ask({ method: 'POST', url: '/account', headers: form })).statusCode, 405)
  await browser.get('/sign-out?sign-out=1')
  const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ')
  t.equal((await testApp.ask({ method: 'HEAD', url: '/sign-out', headers: { cookie } })).statusCode, 200)
  t.equal((await browser.get('/account')).status, 200, 'still signed in')
})

t.test('gateway L12: U5 C4 every page says what it may not do, and nobody keeps it', async (t) => {
  const testApp = await openSignIn(t)
  const browser = await testApp.signedIn(await testApp.person('Ada'))
  for (const path of [
    '/sign-in',
    '/sign-out',
    '/account',
    '/account/password',
    '/account/passkeys',
    '/set-up/x',
    '/reset-password',
  ]) {
    const { headers, body } = await browser.get(path)
    const policy = String(headers['content-security-policy'])
    for (const part of [
      "default-src 'none'",
      "style-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'self'",
    ]) {
      t.ok(policy.split('; ').includes(part), `${path} ${part}`)
    }
    // Of this origin scripts come from the folder of assets alone.
    t.notMatch(policy.replace(/; script-src https:\/\/[^ ;*]+\/assets\/(?=;|$)/, ''), /unsafe|\*|https?:|script-src/)
    t.equal(/; script-src https:\/\/[^ ;]+\/assets\/(?:;|$)/.test(policy), /<script/.test(body), `${path} scripts`)
    t.match(body, '<svg class="mark" width="30" height="30" ', 'as large without the stylesheet')
    t.notMatch(body, /<script(?! src="\/assets\/[0-9a-f]+\.js" defer)|style=|<style|javascript:| on[a-z]+=/)
    t.match(headers, {
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'strict-transport-security': /max-age=\d+/,
      'permissions-policy': /camera=\(\)/,
    })
  }
})

t.test('assets are named by what they are made of and kept for ever', async (t) => {
  const testApp = await openSignIn(t)
  const { body } = await testApp.ask({ url: '/sign-in' })
  const paths = [...body.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
  t.equal(paths.length, 4, 'a stylesheet, an icon, the script of forms, one of its own')
  for (const path of paths) {
    const { statusCode, headers } = await testApp.ask({ url: path })
    t.equal(statusCode, 200, path)
    t.match(headers['cache-control'], /immutable/)
    t.equal(headers['x-content-type-options'], 'nosniff')
    t.equal(headers['set-cookie'], undefined)
  }
  t.equal((await testApp.ask({ url: '/assets/0000.css' })).statusCode, 404)
})

t.test('without cookies: a page that says what to do, instead of a circle', async (t) => {
  const testApp = await openSignIn(t)
  const user = await testApp.person('Ada')
  const browser = testApp.browser()
  const page = await browser.open('/sign-in')
  browser.cookies.clear()
  const answer = await browser.submit(page, 'sign-in-form', { email: user.email, password })
  t.equal(answer.status, 403)
  t.match(answer.body, /Cookies are blocked/)
  t.match(answer.body, /Allow cookies for this site/)
  t.match(answer.body, /href="\/sign-in"/)
  browser.cookies.clear()
  const started = await testApp.browser().get('/account')
  browser.cookies.clear()
  const blocked = await browser.get(started.location ?? '')
  t.match(blocked.body, /Cookies are blocked/, 'a request that waits is not found without its browser')
})

t.test('a form that has become old says what happened and where to go on', async (t) => {
  const testApp = await openSignIn(t)
  const user = await testApp.person('Ada')
  const browser = testApp.browser()
  const old = await browser.open('/sign-in')
  await signInWith(browser, user.email, password)
  const again = await browser.submit(old, 'sign-in-form', { email: user.email, password })
  t.equal(again.status, 403, 'the back button, and the form once more')
  t.match(again.body, /This form has expired/)
  t.match(again.body, /id="go-on" href="\/sign-in"/)
  const details = await browser.open('/account/details')
  await browser.submit(await browser.open('/sign-out'), 'sign-out-form')
  const late = await browser.submit(details, 'details-form', { name: 'Eve' })
  t.equal(late.status, 403, 'the session ended in between')
  t.match(late.body, /You are signed out/)
  const back = await signInWith(browser, user.email, password, '/account/details')
  t.equal(back.path, '/account/details', 'and back to the page that it was')
})

t.test('the Store away: 503 as a page, with Retry-After, and nothing of the reason', async (t) => {
  const testApp = await openSignIn(t)
  const browser = await testApp.signedIn(await testApp.person('Ada'))
  await testApp.store.close()
  const answer = await browser.get('/account')
  t.equal(answer.status, 503)
  t.match(answer.headers['retry-after'], /^\d+$/)
  t.match(answer.body, /temporarily unavailable/)
  t.notMatch(answer.body, /sqlite|database|stack/i)
})
