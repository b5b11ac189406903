// A newcomer in a real browser who does what the documentation says, by the words that it says and nothing else: what is
// not written on the page cannot be pressed.

import type { BrowserContext, Locator, Page } from 'playwright-core'
import { until } from '../../support/traffic/until.js'
import type { Act } from './page-steps.js'

/** What somebody fills in whose values the documentation leaves open. */
const own: Record<string, string> = {
  'Your name': 'Ada Lovelace',
  'E-mail address': 'ada@example.com',
  Password: 'nine quiet purple lanterns',
}

const navigations = { menu: 'Portal', tab: 'Of this application' }

export interface Visitor {
  /** Does it. Throws when the page has nothing of that name, or two things. */
  act(act: Act): Promise<void>
  goto(url: string): Promise<void>
}

/** `patienceMs`: how long something may take to be there. */
export async function openVisitor(context: BrowserContext, patienceMs = 30_000): Promise<Visitor> {
  const page = await context.newPage()
  page.setDefaultTimeout(patienceMs)
  page.setDefaultNavigationTimeout(30_000)
  return {
    act: (act) => doIt(page, act, patienceMs),
    goto: async (url) => void (await page.goto(url)),
  }
}

async function doIt(page: Page, act: Act, patienceMs: number): Promise<void> {
  const { verb, name, value = '' } = act
  if (verb === 'follow' || verb === 'press') {
    const control = await onlyOne(page, controlsOf(page, act), name)
    // Each of them leads to another page, or to the same one again.
    await Promise.all([page.waitForEvent('load'), control.click()])
  } else if (verb === 'tick') {
    const named = new RegExp(`^${name.replaceAll('.', '\\.')}(?![\\w.])`)
    await page.getByRole('checkbox', { name: named }).check()
  } else if (verb === 'choose') await page.getByRole('combobox', { name, exact: true }).selectOption({ label: value })
  else if (verb === 'type') await page.getByLabel(name, { exact: true }).fill(value)
  else if (verb === 'fill in') await page.getByLabel(name, { exact: true }).fill(ownOf(name))
  else await seen(page, name, patienceMs)
}

/** Looks again while it is not there: counts are some seconds behind. */
async function seen(page: Page, text: string, patienceMs: number): Promise<void> {
  const isThere = async () => (await page.getByText(text).filter({ visible: true }).count()) > 0
  const look = async () => {
    if (await isThere()) return true
    await page.reload()
    return isThere()
  }
  await until(`${page.url()} shows ${text}`, look, patienceMs)
}

function ownOf(label: string): string {
  const value = own[label]
  if (value === undefined) throw new Error(`what does somebody fill in as ${label}?`)
  return value
}

function controlsOf(page: Page, { name, where }: Act): Locator {
  const place = where === undefined ? page : page.getByRole('navigation', { name: navigations[where], exact: true })
  return place.getByRole('link', { name, exact: true }).or(place.getByRole('button', { name, exact: true }))
}

/** Nobody has to guess which is meant; two links to one place are one. */
async function onlyOne(page: Page, controls: Locator, name: string): Promise<Locator> {
  await controls.first().waitFor()
  const places = await controls.evaluateAll((all) => all.map((one, at) => one.getAttribute('href') ?? String(at)))
  if (new Set(places).size > 1) throw new Error(`${page.url()} has ${places.length} with the name ${name}`)
  return controls.first()
}
