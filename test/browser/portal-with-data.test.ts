// The lists that grow, as somebody sees them who has 300 applications, 2,000 events in the audit log and a day of
// traffic: at a desk and on a telephone, in light and dark, and without JavaScript.
// full: a browser and a program with thousands of rows, a minute
// run: apart

import type { Browser, BrowserContext } from 'playwright-core'
import t from 'tap'
import { startBrowser } from '../support/browser/browser.js'
import { fillTenant } from '../support/browser/full-tenant.js'
import { inspectWidths } from '../support/browser/pages.js'
import { plantSetUpLink } from '../support/programs/planted-link.js'
import { type Program, startProgram } from '../support/programs/program.js'

const fill = { applications: 300, events: 2_000 }
const pages = {
  overview: '/portal',
  applications: '/portal/applications',
  audit: '/portal/audit',
  'server-audit': '/portal/server/audit',
  usage: '/portal/usage',
  access: '/portal/consents/apps',
  routes: '/portal/server/routes',
}

t.setTimeout(280_000)
let program: Program
let browser: Browser
let plain: BrowserContext
/** Where the first owner is signed in. */
let signedIn: Awaited<ReturnType<BrowserContext['storageState']>>

t.before(async () => {
  const cwd = t.testdir()
  const first = await startProgram({ cwd })
  await first.stop()
  await fillTenant(first.folder, fill)
  program = await startProgram({ cwd })
  browser = await startBrowser()
  plain = await browser.newContext({ ignoreHTTPSErrors: true, baseURL: program.baseUrl, javaScriptEnabled: false })
  const page = await plain.newPage()
  await page.goto(await plantSetUpLink(program))
  await page.fill('#name', 'Ada Lovelace')
  await page.fill('#email', 'ada@example.com')
  await page.fill('#password', 'nine quiet purple lanterns')
  await page.click('#create-account')
  await page.waitForLoadState()
  signedIn = await plain.storageState()
  await page.close()
})
t.teardown(async () => {
  await browser?.close()
  await program?.stop()
})

t.test('each page: 1,280 and 390 px, light and dark, no violation, nothing sideways', async (t) => {
  const made = { ignoreHTTPSErrors: true, baseURL: program.baseUrl, storageState: signedIn }
  const context = await browser.newContext(made)
  const page = await context.newPage()
  for (const [name, address] of Object.entries(pages)) {
    const begun = performance.now()
    const answer = await page.goto(address)
    t.equal(answer?.status(), 200, address)
    t.comment(`${Math.round(performance.now() - begun)} ms ${address}`)
    t.same(await inspectWidths(page, `full-${name}`), [], address)
  }
  await context.close()
})

t.test('without JavaScript every application and every event is reached by links, and found by a search', async (t) => {
  const page = await plain.newPage()
  const rowsFrom = async (address: string, most: number) => {
    const ids = new Set<string>()
    await page.goto(address)
    for (let at = 0; at < most; at += 1) {
      for (const [, id = ''] of (await page.content()).matchAll(/<tr id="([^"]+)"/g)) ids.add(id)
      if ((await page.locator('#next, #older').count()) === 0) return { rows: ids.size, pages: at + 1 }
      await page.click('#next, #older')
    }
    return { rows: ids.size, pages: most }
  }
  const applications = await rowsFrom(pages.applications, 20)
  t.ok(applications.rows >= fill.applications, `${applications.rows} applications on ${applications.pages} pages`)
  const events = await rowsFrom(pages.audit, 60)
  t.ok(events.rows >= fill.events, `${events.rows} events on ${events.pages} pages`)
  await page.goto(`${pages.applications}?search=Nairobi`)
  t.match(await page.textContent('main'), 'Nairobi')
  t.notMatch(await page.textContent('main'), 'Reykjavík')
  await page.goto(pages.audit)
  t.match(await page.textContent('main'), 'The audit log is intact')
  await page.close()
})
