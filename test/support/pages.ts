// Looking at a page as people and as axe do: light, dark, narrow, enlarged.
//
// Pictures are for people who look at them. Those of the admin consent story are taken in each run (inspectClosely), all others
// when PORTCULLIS_PICTURES is set, because a run of all tests takes hundreds, which would be a tenth of its time.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { packageRoot } from '../../src/config/package-root.js'

const folder = join(String(packageRoot()), 'test', 'browser', 'output')

/**
 * Answers what is wrong with the page that is open: violations of axe, all of them in light, those of colours in dark too,
 * and sideways scrolling at 320 px. Empty: nothing. Pictures are `<name>-light`, `-dark` and `-320`. The page is not left.
 */
export function inspectPage(page: Page, name: string): Promise<string[]> {
  return inspect(page, name, { tags: { light: everything, dark: colours }, hasPictures: arePicturesWanted() })
}

/** The same with all of axe in dark too, and with pictures in any case. */
export function inspectClosely(page: Page, name: string): Promise<string[]> {
  return inspect(page, name, { tags: { light: everything, dark: everything }, hasPictures: true })
}

interface Closeness {
  /** What axe judges. */
  tags: Record<'light' | 'dark', string[]>
  hasPictures: boolean
}

async function inspect(page: Page, name: string, { tags, hasPictures }: Closeness): Promise<string[]> {
  // A click has led to the page; it may still be on its way.
  await page.waitForLoadState()
  const found: string[] = []
  const before = page.viewportSize()
  for (const colorScheme of ['light', 'dark'] as const) {
    // Without motion: a colour on its way from light to dark is neither.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width: 1200, height: 850 })
    if (hasPictures) await writePicture(page, `${name}-${colorScheme}`)
    // Legacy: without a second tab to put frames of other origins together in. Pages have no frames, and a tab takes a second.
    const { violations } = await new AxeBuilder({ page }).setLegacyMode().withTags(tags[colorScheme]).analyze()
    for (const { id, nodes } of violations) {
      found.push(`${name} ${colorScheme} ${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 320, height: 640 })
  if (arePicturesWanted()) await writePicture(page, `${name}-320`)
  const width = await page.evaluate('document.documentElement.scrollWidth')
  if (typeof width !== 'number' || width > 320) found.push(`${name} scrolls sideways at 320 px: ${String(width)}`)
  if (before !== null) await page.setViewportSize(before)
  return found
}

/** A picture of the whole page, `test/browser/output/<name>.png`, when PORTCULLIS_PICTURES asks for them. */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (arePicturesWanted()) await writePicture(page, name)
}

/** The file of a picture. */
export function pictureFile(name: string): string {
  return join(folder, `${name}.png`)
}

async function writePicture(page: Page, name: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: pictureFile(name), fullPage: true, animations: 'disabled' })
}

function arePicturesWanted(): boolean {
  return process.env['PORTCULLIS_PICTURES'] !== undefined
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

/** WCAG 2.2 up to AA, its contrast at AAA, and what axe calls good practice. */
const everything = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice', 'cat.color', 'wcag2aaa']
/** Dark differs in nothing else. */
const colours = ['cat.color']
