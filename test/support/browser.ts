// Debian's Chromium, headless, with nothing of its own talking to the outside. Files that need it share one by being few.

import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

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
  const executablePath = places.find(existsSync)
  if (executablePath === undefined) throw new Error('Chromium is not installed; `npm test` without words installs it')
  return await chromium.launch({ executablePath, args: quiet })
}
