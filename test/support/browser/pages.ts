// Looking at a page as people and as axe do: light, dark, narrow, enlarged.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { packageRoot } from '../../../src/config/read/package-root.js'
import { isFullEffort } from '../effort.js'

const folder = join(String(packageRoot()), 'test', 'browser', 'output')

/**
 * Takes pictures of the page that is open (`<name>-light`, `-dark` and `-320`) and answers what is wrong with it:
 * violations of axe in light and dark, and sideways scrolling at 320 px. Empty: nothing. The page is not left.
 * `npm test` takes no pictures, and looks in the dark at colours only: the rest is as in the light.
 */
export async function inspectPage(page: Page, name: string): Promise<string[]> {
  // A click has led to the page; it may still be on its way.
  await page.waitForLoadState()
  const found: string[] = []
  const before = page.viewportSize()
  for (const colorScheme of ['light', 'dark'] as const) {
    // Without motion: a colour on its way from light to dark is neither.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width: 1200, height: 850 })
    if (isFullEffort) await takePicture(page, `${name}-${colorScheme}`)
    const looked = isFullEffort || colorScheme === 'light' ? tags : colours
    found.push(...(await violations(page, `${name} ${colorScheme}`, looked)))
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 320, height: 640 })
  if (isFullEffort) await takePicture(page, `${name}-320`)
  const width = await page.evaluate('document.documentElement.scrollWidth')
  if (typeof width !== 'number' || width > 320) found.push(`${name} scrolls sideways at 320 px: ${String(width)}`)
  if (before !== null) await page.setViewportSize(before)
  return found
}

/**
 * The same at a desk (1,280 px) and on a telephone (390 px), each in light and dark: four pictures, `<name>-1280-light`
 * to `<name>-390-dark`. In the dark only colours are compared: the elements are those of the light.
 */
export async function inspectWidths(page: Page, name: string): Promise<string[]> {
  await page.waitForLoadState()
  const found: string[] = []
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      const shown = `${name}-${width}-${colorScheme}`
      await takePicture(page, shown)
      found.push(...(await violations(page, shown, colorScheme === 'light' ? tags : colours)))
    }
    const needed = await page.evaluate('document.documentElement.scrollWidth')
    if (typeof needed !== 'number' || needed > width) found.push(`${name} scrolls sideways at ${width}: ${needed}`)
  }
  return found
}

async function violations(page: Page, shown: string, looked = tags): Promise<string[]> {
  // What the page has from the last look is not loaded again, which is twice half a megabyte.
  const isThere = await page.evaluate('typeof axe === "object"')
  const builder = new AxeBuilder(isThere ? { page, axeSource: ';' } : { page })
  // Legacy: without a second tab to put frames of other origins together in. Pages have no frames, and a tab takes a
  // second. What passed is not put into words, which is a quarter of the time.
  const options = { resultTypes: ['violations' as const], runOnly: looked }
  const answer = await builder.setLegacyMode().options(options).analyze()
  return answer.violations.map(
    ({ id, nodes }) => `${shown} ${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
  )
}

/** Where a picture is. */
export function pictureFile(name: string): string {
  return join(folder, `${name}.jpg`)
}

/** A picture of the whole page. There are hundreds, and a PNG takes twice the time. */
export async function takePicture(page: Page, name: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const take = () =>
    page.screenshot({ path: pictureFile(name), type: 'jpeg', quality: 80, fullPage: true, animations: 'disabled' })
  // Chromium now and then has no frame to take it of, as it says, while the page changes its size.
  await take().catch((error: Error) => {
    if (!error.message.includes('Unable to capture screenshot')) throw error
    return take()
  })
}

/** Presses a button that copies, and waits until it has. What it says then, which it does for a moment only. */
export async function pressCopy(page: Page, selector: string): Promise<unknown> {
  await page.waitForSelector(selector)
  await page.evaluate(`{
    const button = document.querySelector(${JSON.stringify(selector)})
    const said = (done) => new MutationObserver(() => done(button.textContent)).observe(button, { childList: true })
    void (window.copied = new Promise(said))
  }`)
  await page.click(selector)
  return page.evaluate('window.copied')
}

const colours = ['cat.color']
/** WCAG 2.2 up to AA, its contrast at AAA, and what axe calls good practice. */
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice', 'cat.color', 'wcag2aaa']
