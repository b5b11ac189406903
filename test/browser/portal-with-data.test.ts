// Every page, as somebody sees it whose organisation has 300 applications, 50 people, 2,000 events in the audit log and
// a day of traffic: at a desk and on a telephone, in light and dark, and without JavaScript.
// full: a browser, a program with thousands of rows and ninety pages, some minutes
// run: apart

import { isDeepStrictEqual } from 'node:util'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { startBrowser } from '../support/browser/browser.js'
import { everyPage } from '../support/browser/full-tenant/every-page.js'
import { ada, type FullProgram, startFullProgram } from '../support/browser/full-tenant/full-program.js'
import { inspectWidths } from '../support/browser/pages.js'

const fill = { applications: 300, events: 2_100 }
/** Pages that are looked at at the same time. */
const atOnce = 2

t.setTimeout(580_000)
let full: FullProgram
let browser: Browser
/** Where the first owner is signed in. */
let signedIn: Awaited<ReturnType<BrowserContext['storageState']>>

t.before(async () => {
  full = await startFullProgram(t.testdir(), fill)
  browser = await startBrowser()
  const plain = await context({ javaScriptEnabled: false })
  const page = await plain.newPage()
  await page.goto('/sign-in')
  await page.fill('#email', ada.email)
  await page.fill('#password', ada.password)
  await page.click('#sign-in')
  await page.waitForLoadState()
  signedIn = await plain.storageState()
  await plain.close()
})
t.teardown(async () => {
  await browser?.close()
  await full?.program.stop()
})

function context(options: { javaScriptEnabled?: boolean } = {}): Promise<BrowserContext> {
  const storageState = signedIn === undefined ? {} : { storageState: signedIn }
  return browser.newContext({ ignoreHTTPSErrors: true, baseURL: full.program.baseUrl, ...storageState, ...options })
}

/** What a page says at its top, and how much it lists; not what this server counts of the visit itself. */
async function gist(page: Page): Promise<unknown> {
  return page.evaluate(`{
    const rows = [...document.querySelectorAll('main tbody tr, main li')].filter((row) => !row.closest('#server-routes'))
    const named = rows.map((row) => row.id).filter((id) => id !== '')
    ;({ headline: document.querySelector('h1')?.textContent, rows: rows.length, named })
  }`)
}

async function look(t: Test, { name, address }: { name: string; address: string }, scripted: Page, plain: Page) {
  const begun = performance.now()
  const answer = await scripted.goto(address)
  const ms = Math.round(performance.now() - begun)
  t.equal(answer?.status(), 200, address)
  const withScripts = [await gist(scripted)]
  const violations = await inspectWidths(scripted, `full-${name}`)
  t.same(violations, [], `${name}: no violation, nothing sideways (${ms} ms)`)
  t.equal((await plain.goto(address))?.status(), 200, `${address} without JavaScript`)
  // The hour goes on and the leader writes events meanwhile, so a page that differs is opened again both ways.
  for (let again = 0; again < 4 && !isDeepStrictEqual(await gist(plain), withScripts.at(-1)); again += 1) {
    await scripted.goto(address)
    withScripts.push(await gist(scripted))
    await plain.goto(address)
  }
  t.same(await gist(plain), withScripts.at(-1), `${name}: the same without JavaScript`)
}

t.test(
  'every page: 1,280 and 390 px, light and dark, no violation, nothing sideways, the same without JavaScript',
  async (t) => {
    const asking = full.registered.applications[98] ?? ''
    const all = [...(await everyPage(t, full.ids, asking))]
    t.comment(`${all.length} pages`)
    const left = all.values()
    const worker = async () => {
      const [own, other] = [await context(), await context({ javaScriptEnabled: false })]
      const [scripted, plain] = [await own.newPage(), await other.newPage()]
      for (const [name, address] of left) await look(t, { name, address }, scripted, plain)
      await own.close()
      await other.close()
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
  },
)

t.test('without JavaScript every application and every event is reached by links, and found by a search', async (t) => {
  const plain = await context({ javaScriptEnabled: false })
  const page = await plain.newPage()
  const rowsFrom = async (address: string, most: number) => {
    const ids = new Set<string>()
    await page.goto(address)
    for (let at = 0; at < most; at += 1) {
      for (const [, id = ''] of (await page.content()).matchAll(/<tr id="([^"]+)"/g)) ids.add(id)
      const [further] = await page.locator('#next, #older').all()
      if (further === undefined) return { rows: ids.size, pages: at + 1 }
      await page.goto((await further.getAttribute('href')) ?? '')
    }
    return { rows: ids.size, pages: most }
  }
  const applications = await rowsFrom('/portal/applications', 20)
  t.ok(applications.rows >= fill.applications, `${applications.rows} applications on ${applications.pages} pages`)
  const events = await rowsFrom('/portal/audit', 60)
  t.ok(events.rows >= 2_000, `${events.rows} events on ${events.pages} pages`)
  await page.goto('/portal/applications?search=Nairobi')
  t.match(await page.textContent('main'), 'Nairobi')
  t.notMatch(await page.textContent('main'), 'Reykjavík')
  await page.goto('/portal/audit')
  t.match(await page.textContent('main'), 'The audit log is intact')
  await plain.close()
})
