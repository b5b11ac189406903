// Debian's Chromium, headless, with nothing of its own talking to the outside. Files that need it share one by being
// few. `npm test` takes the one without windows where it is installed: a page in it costs the processor a fifth.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'
import { isFullEffort } from '../effort.js'

const whole = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const withoutWindows = ['/usr/bin/chromium-headless-shell', '/usr/lib/chromium/chromium-headless-shell']

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
  const places = isFullEffort ? [...whole, ...withoutWindows] : [...withoutWindows, ...whole]
  return chromium.launch({ executablePath: findBrowser(places), args: quiet })
}

/** Chromium's word for a site setting that says no. */
const blocked = 2

/** Starts a browser whose person has set that no site may keep cookies. `folder`: an empty one, for its settings. */
export async function startWithoutCookies(folder: string): Promise<BrowserContext> {
  mkdirSync(join(folder, 'Default'), { recursive: true })
  const settings = { profile: { default_content_setting_values: { cookies: blocked } } }
  writeFileSync(join(folder, 'Default', 'Preferences'), JSON.stringify(settings))
  return chromium.launchPersistentContext(folder, {
    executablePath: findBrowser(whole),
    args: quiet,
    ignoreHTTPSErrors: true,
  })
}

function findBrowser(places: readonly string[]): string {
  const executablePath = places.find(existsSync)
  if (executablePath === undefined) throw new Error('Chromium is not installed; `npm test` without words installs it')
  return executablePath
}
