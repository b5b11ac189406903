// A part of all pages, looked at by people and by axe in the browser of somebody whose organisation is full: the files of
// browser/with-data/ have a part each, because one program and one browser need minutes for all of them.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Test } from 'tap'
import { startBrowser } from '../browser.js'
import { inspectWidths } from '../pages.js'
import { everyPage } from './every-page.js'
import { ada, type FullProgram, startFullProgram } from './full-program.js'
import { type PagePart, partOf } from './page-parts.js'

/** What the organisation has, besides 50 people and thirty days of traffic. */
export const fill = { applications: 300, events: 2_100 }
/** Pages that are looked at at the same time. */
const atOnce = 2

export interface FullBrowser {
  full: FullProgram
  /** A window in which the first owner is signed in; the caller closes it. */
  context(options?: { javaScriptEnabled?: boolean }): Promise<BrowserContext>
}

/** Starts the program and a browser, and signs its first owner in; they end with the test. */
export async function openFullBrowser(t: Test): Promise<FullBrowser> {
  // Not a folder with the title of the test in its name: the path of the local socket has to be short.
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-full-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const full = await startFullProgram(folder, fill)
  t.teardown(() => full.program.stop())
  const browser: Browser = await startBrowser()
  t.teardown(() => browser.close())
  const common = { ignoreHTTPSErrors: true, baseURL: full.program.baseUrl }
  const plain = await browser.newContext({ ...common, javaScriptEnabled: false })
  const page = await plain.newPage()
  await page.goto('/sign-in')
  await page.fill('#email', ada.email)
  await page.fill('#password', ada.password)
  await page.click('#sign-in')
  await page.waitForLoadState()
  const storageState = await plain.storageState()
  await plain.close()
  return { full, context: (options = {}) => browser.newContext({ ...common, storageState, ...options }) }
}

/**
 * Every page of the part: 1,280 and 390 px, light and dark, no violation, nothing sideways, and the same headline and
 * rows without JavaScript.
 */
export async function lookAtPages(t: Test, part: PagePart): Promise<void> {
  const { full, context } = await openFullBrowser(t)
  const asking = full.registered.applications[98] ?? ''
  const pages = [...(await everyPage(t, full.ids, asking))].filter(([, address]) => partOf(address) === part)
  t.ok(pages.length > 0, `${pages.length} pages`)
  const left = pages.values()
  const worker = async () => {
    const [own, other] = [await context(), await context({ javaScriptEnabled: false })]
    const [scripted, plain] = [await own.newPage(), await other.newPage()]
    for (const [name, address] of left) await look(t, { name, address }, scripted, plain)
    await own.close()
    await other.close()
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
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

/** What a page says at its top, and how much it lists; not what this server counts of the visit itself. */
async function gist(page: Page): Promise<unknown> {
  return page.evaluate(`{
    const rows = [...document.querySelectorAll('main tbody tr, main li')].filter((row) => !row.closest('#server-routes'))
    const named = rows.map((row) => row.id).filter((id) => id !== '')
    ;({ headline: document.querySelector('h1')?.textContent, rows: rows.length, named })
  }`)
}
