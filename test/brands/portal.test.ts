// The pages on which a tenant and its applications are given their look: without scripts, by a form with files.

import t from 'tap'
import { changeApplicationBrand } from '../../src/directory/brands/application-brand.js'
import { pngFile } from '../support/brands/pictures.js'
import { formOf, type Shown, textOf } from '../support/browser/scripted-browser.js'
import { openPortal } from '../support/rooms/portal.js'

const path = '/portal/branding'
const boundary = '----formBoundary7MA4YWxkTrZu0gW'
const headers = {
  origin: 'null',
  'sec-fetch-site': 'same-origin',
  'content-type': `multipart/form-data; boundary=${boundary}`,
}
const file = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')

type Portal = Awaited<ReturnType<typeof openPortal>>
type Browser = Awaited<ReturnType<Portal['as']>>
let portal: Promise<Portal> | undefined
const open = () => {
  portal ??= openPortal(t)
  return portal
}

/** As a browser sends it: bytes are bytes. */
function send(browser: Browser, page: Shown, form: string, fields: Record<string, string> = {}) {
  const { action, fields: own } = formOf(page, form)
  const parts = Object.entries({ ...own, logo: '', logoDark: '', ...fields }).map(([name, value]) => {
    const about = name.startsWith('logo') ? '; filename="a.png"\r\nContent-Type: image/png' : ''
    return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${about}\r\n\r\n${value}\r\n`
  })
  const body = Buffer.from(`${parts.join('')}--${boundary}--\r\n`, 'latin1')
  return browser.post(action, body, headers)
}

const before = async (browser: Browser, at = path) => browser.get(at)
const colours = ({ body }: Shown) => /href="\/brand\/(p1-[^"]*)"/.exec(body)?.[1]

t.test('administrators give the pages name, colours, links and logos, and see what people will see', async (t) => {
  const testApp = await open()
  const browser = await testApp.as('administrator')
  const page = await before(browser)
  t.match(page.body, /<form id="brand-form"[^>]*enctype="multipart\/form-data"/)
  t.match(textOf(page, 'look-sign-in-light'), /Portcullis/, 'it looks like the server so far')
  t.notMatch(page.body, 'remove-brand')
  const said = { name: 'Acme Sign-on', accent: '#0b3a75', accentDark: '#b9dcff', terms: 'https://acme.example/terms' }
  const logos = { logo: file(pngFile(64, 32)), logoDark: file(pngFile(64, 32, [], [240, 240, 255])) }
  const sent = await send(browser, page, 'brand-form', { ...said, ...logos })
  t.equal(sent.status, 303, textOf(sent, 'problem'))
  const shown = await browser.follow(sent)
  t.match(textOf(shown, 'done'), /changed/)
  t.equal(colours(shown), 'p1-0b3a75-b9dcff.css')
  t.notMatch(shown.body, /style="|<style|href="\/brand\/a1/, 'no inline style, and the portal keeps its own look')
  for (const which of ['sign-in-light', 'sign-in-dark', 'consent-light', 'consent-dark']) {
    t.match(textOf(shown, `look-${which}`), /Acme Sign-on.*Terms.*This page is from Portcullis, at portcullis\.test/s)
  }
  const pictures = [...shown.body.matchAll(/<img class="logo" src="([^"]*)"/g)].map(([, src]) => src)
  t.equal(new Set(pictures).size, 2, 'the dark pages have their own')
  const away = await send(browser, shown, 'brand-form', { ...said, 'remove-logoDark': 'yes', accent: '' })
  const after = await browser.follow(away)
  t.notMatch(after.body, 'logoDark-now')
  t.match(after.body, 'id="logo-now"')
  t.equal(colours(after), 'p1-own-b9dcff.css')
  const question = await browser.get(`${path}/remove`)
  t.match(question.body, 'Nothing stops')
  const removed = await browser.submit(question, 'confirm-form')
  t.match(textOf(removed, 'done'), /removed/)
  t.match(textOf(removed, 'look-sign-in-light'), /Portcullis/)
  const events = (await testApp.events()).filter(({ event }) => event === 'tenant.brand-changed')
  t.equal(events.length, 3)
})

t.test('a refusal stands at its field, what was typed stays, and one press takes the nearest colour', async (t) => {
  const browser = await (await open()).as('owner')
  const page = await before(browser)
  const rows: readonly (readonly [Record<string, string>, string, RegExp])[] = [
    [{ accent: 'red' }, 'accent', /#rrggbb/],
    [{ accentDark: '#333333' }, 'accentDark', /contrast of \d/],
    [{ terms: 'javascript:alert(1)' }, 'terms', /https/],
    [{ support: 'mailto:a@b.example?bcc=c@d.example' }, 'support', /one address/],
    [{ name: 'Portcullis' }, 'name', /./],
    [{ logo: '<svg xmlns="http://www.w3.org/2000/svg"/>' }, 'logo', /SVG is not taken/],
    [{ logo: 'x'.repeat(300_000) }, 'logo', /300,000 bytes, and may have 65,536/],
    [{ logoDark: file(pngFile(4000, 4000)) }, 'logoDark', /4000 × 4000/],
  ]
  for (const [fields, at, why] of rows) {
    const refused = await send(browser, page, 'brand-form', { privacy: 'https://kept.example/', ...fields })
    t.equal(refused.status, 400, at)
    t.match(textOf(refused, `${at}-error`), why)
    t.match(refused.body, 'value="https://kept.example/"')
  }
  const pale = await send(browser, page, 'brand-form', { accent: '#ffcc00' })
  t.match(textOf(pale, 'accent-error'), /contrast of 1\.\d+:1.*needs 4\.5:1.*nearest.*#[0-9a-f]{6}/)
  const nearest = /name="take-accent" value="(#[0-9a-f]{6})"/.exec(pale.body)?.[1] ?? ''
  t.ok(pale.body.indexOf('id="save"') < pale.body.indexOf('id="take-accent"'), 'Enter presses Save')
  const taken = await send(browser, pale, 'brand-form', { 'take-accent': nearest })
  t.equal(taken.status, 303)
  t.equal(colours(await browser.follow(taken)), `p1-${nearest.slice(1)}-own.css`)
})

t.test('of two who change it at once the later one hears of it, and sees what was saved', async (t) => {
  const [one, other] = [await (await open()).as('administrator'), await (await open()).as('administrator')]
  const [first, second] = [await before(one), await before(other)]
  t.equal((await send(one, first, 'brand-form', { terms: 'https://first.example/' })).status, 303)
  const refused = await send(other, second, 'brand-form', { terms: 'https://second.example/' })
  t.equal(refused.status, 412)
  t.match(textOf(refused, 'problem'), /changed meanwhile/)
  t.match(refused.body, 'value="https://first.example/"')
})

t.test('C17 others of the tenant see it and change nothing; a form of elsewhere is refused', async (t) => {
  const testApp = await open()
  const administrator = await testApp.as('administrator')
  const page = await before(administrator)
  for (const role of ['developer', 'member'] as const) {
    const browser = await testApp.as(role)
    const seen = await before(browser)
    t.equal(seen.status, 200)
    t.match(textOf(seen, 'who-changes'), /Administrators and owners/)
    t.notMatch(seen.body, 'brand-form')
    const { status, headers } = await browser.get(`${path}/remove`)
    t.match({ status, to: headers.location }, { status: 303, to: path }, `${role} is not questioned`)
    t.equal((await browser.post(`${path}/remove`, {})).status, 403, `${role} removes nothing`)
  }
  const developer = await testApp.as('developer')
  const { fields } = formOf(await developer.get('/portal/applications/new?kind=server'), 'register-form')
  t.equal((await developer.post(`${path}/remove`, fields)).status, 403, 'nor with the token of another form')
  const foreign = await send(await testApp.as('administrator'), page, 'brand-form')
  t.equal(foreign.status, 403, 'a form of another browser')
})

t.test(
  'an owner gives an application its logo and links; others see them, and a late change is not lost',
  async (t) => {
    const testApp = await open()
    const browser = await testApp.as('developer')
    const at = `/portal/applications/${testApp.registration.applicationId}/branding`
    const page = await before(browser, at)
    const said = { home: 'https://app.example/', terms: 'https://app.example/terms', logo: file(pngFile(48, 48)) }
    const sent = await send(browser, page, 'brand-form', said)
    t.equal(sent.status, 303, textOf(sent, 'problem'))
    const shown = await browser.follow(sent)
    t.match(shown.body, /<img class="app-logo" src="\/brand\/[0-9a-f]{40}\.png"/)
    t.match(shown.body, /It says of itself: app\.example · Terms/)
    const late = await send(browser, page, 'brand-form', { home: 'https://other.example/' })
    t.equal(late.status, 412)
    t.match(late.body, 'value="https://app.example/"')
    const wrong = await send(browser, shown, 'brand-form', { home: 'http://app.example', logo: 'GIF89a' })
    t.equal(wrong.status, 400)
    t.match(wrong.body, /id="(?:home|logo)-error"/)
    const away = await send(browser, shown, 'brand-form', { 'remove-logo': 'yes' })
    t.notMatch((await browser.follow(away)).body, 'app-logo"')
    const foreign = await send(await testApp.as('developer'), shown, 'brand-form')
    t.equal(foreign.status, 403, 'a form of another browser')
    const elsewhere = await testApp.as('member')
    t.equal((await elsewhere.get(at)).status, 403, 'members see no applications')
  },
)

t.test('lists show the logo of an application, and without one its first letter in the same room', async (t) => {
  const testApp = await open()
  const { applicationId, name } = testApp.registration
  const list = async () => (await (await testApp.as('administrator')).get('/portal/applications')).body
  const row = (body: string) => body.slice(body.indexOf(`id="application-${applicationId}"`)).slice(0, 600)
  const letter = name[0]?.toUpperCase() ?? ''
  t.match(row(await list()), `<span class="app-icon" aria-hidden="true">${letter}</span>`)
  await changeApplicationBrand(testApp.writes, applicationId, { logo: pngFile(48, 24).toString('base64') })
  const withLogo = /<img class="app-icon" src="\/brand\/[0-9a-f]{40}\.png" width="48" height="24"/
  t.match(row(await list()), withLogo)
})
