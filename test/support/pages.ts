// Looking at a page as people and as axe do: light, dark, narrow, enlarged.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { packageRoot } from '../../src/config/package-root.js'

const folder = join(String(packageRoot()), 'test', 'browser', 'output')

/**
 * Takes pictures of the page that is open (`test/browser/output/<name>-light.png`, `-dark`, `-320`) and answers what is
 * wrong with it: violations of axe in light and dark, and sideways scrolling at 320 px. Empty: nothing. The page is not left.
 */
export async function inspectPage(page: Page, name: string): Promise<string[]> {
  mkdirSync(folder, { recursive: true })
  const found: string[] = []
  const before = page.viewportSize()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width: 1200, height: 850 })
    await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`), fullPage: true, animations: 'disabled' })
    // Legacy: without a second tab to put frames of other origins together in. Pages have no frames, and a tab takes a second.
    const { violations } = await new AxeBuilder({ page }).setLegacyMode().withTags(tags).analyze()
    for (const { id, nodes } of violations) {
      found.push(`${name} ${colorScheme} ${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 320, height: 640 })
  await page.screenshot({ path: join(folder, `${name}-320.png`), fullPage: true, animations: 'disabled' })
  const width = await page.evaluate('document.documentElement.scrollWidth')
  if (typeof width !== 'number' || width > 320) found.push(`${name} scrolls sideways at 320 px: ${String(width)}`)
  if (before !== null) await page.setViewportSize(before)
  return found
}

/** WCAG 2.2 up to AA, its contrast at AAA, and what axe calls good practice. */
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice', 'cat.color', 'wcag2aaa']
