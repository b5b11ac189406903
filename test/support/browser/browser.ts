// Debian's Chromium, headless, with nothing of its own talking to the outside. Files that need it share one by being
// few.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Starts the browser. Throws when none is installed: `npm test` installs it. */
export async function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: findBrowser(), args: quiet })
}

/** Chromium's word for a site setting that says no. */
const blocked = 2

/** Starts a browser whose person has set that no site may keep cookies. `folder`: an empty one, for its settings. */
export async function startWithoutCookies(folder: string): Promise<BrowserContext> {
  mkdirSync(join(folder, 'Default'), { recursive: true })
  const settings = { profile: { default_content_setting_values: { cookies: blocked } } }
  writeFileSync(join(folder, 'Default', 'Preferences'), JSON.stringify(settings))
  return chromium.launchPersistentContext(folder, {
    executablePath: findBrowser(),
    args: quiet,
    ignoreHTTPSErrors: true,
  })
}

function findBrowser(): string {
  const executablePath = places.find(existsSync)
  if (executablePath === undefined) throw new Error('Chromium is not installed; `npm test` without words installs it')
  return executablePath
}
