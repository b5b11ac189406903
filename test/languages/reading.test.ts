// In which language a page is answered: wishes in their order, and what is wished badly is no error.

import t from 'tap'
import { beginPending, changedPending } from '../../src/identity/pending/pending-request.js'
import { openSignIn, password } from '../support/people/sign-in.js'

const heading = { de: 'Anmelden', en: 'Sign in' }

t.test('the browser, then what was chosen on a page, then the request that waits decide', async (t) => {
  const { ask } = await openSignIn(t)
  const at = async (url: string, headers: Record<string, string> = {}) => {
    const answer = await ask({ method: 'GET', url, headers })
    return { status: answer.statusCode, headers: answer.headers, body: answer.body }
  }
  const language = ({ body }: { body: string }) => /<html lang="(\w+)" dir="ltr">/.exec(body)?.[1]
  t.equal(language(await at('/sign-in')), 'en', 'nothing is wished')
  const german = await at('/sign-in', { 'accept-language': 'it, de-AT;q=0.9, en;q=0.1' })
  t.equal(language(german), 'de')
  t.match(german.body, `<h1>${heading.de}</h1>`)
  t.equal(german.headers['content-language'], 'de')
  t.match(german.headers['vary'], /accept-language/)
  for (const broken of [';;q=', 'de;q=0', 'x'.repeat(5000), '*', 'de;q=2']) {
    t.equal(language(await at('/sign-in', { 'accept-language': broken })), 'en', broken.slice(0, 10))
  }
  const chosen = await at('/sign-in?page_language=de&another=yes')
  t.same([chosen.status, chosen.headers['location']], [303, '/sign-in?another=yes'])
  const cookie = String(chosen.headers['set-cookie']).match(/__Host-portcullis-language=[^;]*/)?.[0] ?? ''
  t.equal(language(await at('/sign-in', { cookie, 'accept-language': 'en' })), 'de')
  t.equal(
    language(await at('/sign-in', { cookie: '__Host-portcullis-language=<b>' })),
    'en',
    'a planted one is no wish',
  )
  t.equal(language(await at('/device?ui_locales=it%20de')), 'de', 'the first that there is')
  t.equal(language(await at('/device?ui_locales=it&ui_locales=de')), 'en', 'a hint, so no refusal')
})

t.test('what is wrong with a form is said in the language of the page', async (t) => {
  const { browser, person } = await openSignIn(t)
  await person('Ada')
  const own = browser()
  await own.open('/sign-in?page_language=de')
  const page = await own.open('/sign-in')
  t.match(page.body, `<h1>${heading.de}</h1>`)
  const wrong = await own.submit(page, 'sign-in-form', { email: 'ada@example.test', password: `${password}!` })
  t.match(wrong.body, 'E-Mail-Adresse und Passwort passen nicht zusammen')
})

t.test('what a request wished is sealed into it, until the person chooses otherwise', async (t) => {
  const { deps, browser } = await openSignIn(t)
  const own = browser()
  await own.open('/sign-in')
  const key = own.cookies.get('__Host-portcullis-browser') ?? ''
  const pending = beginPending(deps, { key }, { kind: 'page', language: 'de', body: { path: '/account' } })
  const changed = changedPending(deps, { key }, pending, { body: { path: '/account', again: false } })
  for (const { id } of [pending, changed]) {
    t.match((await own.open(`/sign-in?request=${id}`)).body, '<html lang="de" dir="ltr">')
  }
  own.cookies.set('__Host-portcullis-language', `en.${Math.ceil(deps.now() / 1000) + 1}`)
  t.match((await own.open(`/sign-in?request=${pending.id}`)).body, '<html lang="en" dir="ltr">', 'chosen since')
  own.cookies.set('__Host-portcullis-language', 'en.1')
  t.match((await own.open(`/sign-in?request=${pending.id}`)).body, '<html lang="de" dir="ltr">', 'chosen long before')
})
