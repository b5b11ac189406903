// `portcullis serve` as a story: read the configuration, refuse what production must not start on, build, start, say
// where it is, and end well on a signal.

import { randomBytes } from 'node:crypto'
import { relative, resolve } from 'node:path'
import closeWithGrace from 'close-with-grace'
import { type App, createApp } from './app.js'
import { CommandFailure, exitCodes } from './cli/exit.js'
import { loadSettings } from './config/load.js'
import { defaultConfigFile } from './config/package-root.js'
import { formatProblem } from './config/problem.js'
import type { Settings } from './config/settings.js'
import { bannerLines } from './start/banner.js'
import { prepareDataFolder } from './start/data-folder.js'
import { loadMasterKeys } from './start/master-key.js'
import { developmentMaterial } from './start/production.js'

export interface ServeOptions {
  config?: string
  version: string
}

/** Runs until a signal. Throws, before anything listens, when the configuration or the data folder forbids a start. */
export async function serve(options: ServeOptions): Promise<void> {
  const file = resolve(options.config ?? (process.env['PORTCULLIS_CONFIG'] || defaultConfigFile()))
  const settings = loadSettings({ file, env: process.env })
  const refusals = developmentMaterial(settings)
  if (refusals.length > 0) {
    const message = `production does not start on development material:\n  ${refusals.join('\n  ')}`
    throw new CommandFailure(exitCodes.usage, message)
  }
  prepareDataFolder(settings.data.folder)
  const app = await createApp({ settings, version: options.version, masterKeys: loadMasterKeys(settings, randomBytes) })
  for (const warning of settings.warnings) app.log.warn(formatProblem(warning))
  try {
    await app.start()
  } catch (error) {
    // Half a start leaves listeners open, and they would keep the process.
    await app.stop().catch((trouble) => app.log.error({ err: trouble }, 'the half start did not end well'))
    throw error
  }
  announce(settings, options.version, app)
  await untilStopped(app)
}

/** The banner, in development: people read it. In production a line of the log. */
function announce(settings: Settings, version: string, app: App): void {
  if (settings.mode === 'production') return void app.log.info({ version, baseUrl: settings.server.baseUrl }, 'serving')
  const command = `node ${relative(process.cwd(), process.argv[1] ?? 'portcullis') || 'portcullis'}`
  const facts = { version, caFile: app.caFile, demo: app.demo, nodeVersion: process.version, command }
  process.stdout.write(`${bannerLines(settings, facts).join('\n')}\n`)
}

/** SIGTERM and SIGINT end it with what is in flight finished; a second signal, or an error nobody caught, at once and with 1. */
function untilStopped(app: App): Promise<void> {
  return new Promise((resolve) => {
    // The drain has deadlines of its own; this one is for a drain that hangs.
    closeWithGrace({ delay: app.longestStopMs + 5_000, logger: false }, async ({ err, signal }) => {
      if (err !== undefined) app.log.fatal({ err }, 'an error that nobody caught')
      else app.log.info({ signal }, 'stopping')
      await app.stop()
      resolve()
    })
  })
}
