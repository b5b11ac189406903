// `portcullis serve` as a story: read the configuration, refuse what must not start, build, start, say where it is, and
// end well on a signal. With workers this process is their primary, or one of them.

import cluster from 'node:cluster'
import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import { certificateRefusals, certificateWarnings } from '../cli/configuration/certificate-files.js'
import { CommandFailure, exitCodes } from '../cli/output/exit.js'
import { developmentMaterial } from '../config/process/development-material.js'
import { missingForWorkers } from '../config/process/worker-needs.js'
import { type ConfigSnapshot, readDisk, readSnapshot } from '../config/read/file-reader.js'
import { loadConfiguration } from '../config/read/load.js'
import { defaultConfigFile, isInstalledPackage } from '../config/read/package-root.js'
import { formatProblem } from '../config/report/problem.js'
import type { Reloader } from '../config/report/reload-outcome.js'
import type { Settings } from '../config/settings/settings.js'
import { checkTests } from '../gateway/explain/call-tests.js'
import { type App, createApp, type ReloadingInstance } from '../instance/app.js'
import { bannerLines } from '../instance/first-start/banner.js'
import { prepareDataFolder } from '../instance/first-start/data-folder.js'
import { writeDefaultConfiguration } from '../instance/first-start/default-configuration.js'
import { loadMasterKeys } from '../instance/first-start/master-key.js'
import { logOutput } from '../observability/log-output.js'
import { createLog } from '../observability/process-log.js'
import { watchConfiguration } from './configuration-watch.js'
import { readAgain } from './load-in-thread.js'
import { programCommand } from './program-command.js'
import { createReloading, type Loaded, type Reloading } from './reload.js'
import { serviceManager } from './service-manager.js'
import { untilStopped } from './shutdown.js'
import { silentSeconds, startWatchdog } from './watchdog.js'
import { type Started, serveForPrimary } from './worker-channel.js'
import { workersWanted } from './worker-count.js'
import { followPrimary, snapshotOfPrimary } from './worker-rules.js'
import { answerHeartbeats } from './worker-watch.js'
import { createWorkers } from './workers.js'

export interface ServeOptions {
  config?: string
  workers?: string
  version: string
}

interface Start {
  settings: Settings
  version: string
  log: FastifyBaseLogger
  masterKeys: readonly Uint8Array[]
  loaded: Loaded
}

/** Runs until a signal. Throws, before anything listens, when the configuration or the data folder forbids a start. */
export async function serve(options: ServeOptions): Promise<void> {
  try {
    await serveAsConfigured(options)
  } catch (error) {
    // The channel to the primary would keep a worker that has failed.
    process.channel?.unref()
    throw error
  }
}

async function serveAsConfigured(options: ServeOptions): Promise<void> {
  const count = workersWanted(options.workers ?? process.env['PORTCULLIS_WORKERS'])
  const number = process.env['PORTCULLIS_WORKER_NUMBER']
  const isWorker = count !== undefined && cluster.isWorker && number !== undefined
  const named = options.config ?? process.env['PORTCULLIS_CONFIG']
  if (!named && !isWorker && isInstalledPackage()) writeDefaultConfiguration(process.cwd(), process.env)
  const file = resolve(named || defaultConfigFile())
  const loaded = load(file, isWorker ? await snapshotOfPrimary() : undefined)
  const { settings } = loaded
  await checkTests(settings)
  refuse('production does not start on development material', developmentMaterial(settings))
  refuse('the certificates cannot be served', certificateRefusals(settings))
  if (count !== undefined) refuse('workers cannot run on this configuration', missingForWorkers(settings))
  prepareDataFolder(settings.data.folder)
  const masterKeys = loadMasterKeys(settings, randomBytes)
  const start = { settings, loaded, version: options.version, log: createLog(settings.log), masterKeys }
  if (count === undefined) await serveSingleProcess(start)
  else if (isWorker) await serveAsWorker(start, Number(number))
  else await serveByWorkers(start, count)
}

async function serveSingleProcess(start: Start): Promise<never> {
  warn(start)
  const made: { reloading?: Reloading } = {}
  const app = await createApp({
    ...start,
    reloading({ put, log, metrics }) {
      const reloading = createReloading({ first: start.loaded, put, log, metrics: metrics.reloads, now: Date.now })
      made.reloading = reloading
      return reloaderOf(() => reloading)
    },
  })
  await startOrEnd(app)
  startWatchdog({})
  const manager = serviceManager(process.env)
  manager.ready(() => true)
  announce(start, app)
  const stop = () => {
    manager.stopping()
    return app.stop()
  }
  return await untilStopped({ ...app, stop, hangUp: follow(start, made.reloading) })
}

/** As the management API uses it. */
function reloaderOf(reloading: () => Reloading): Reloader {
  return { reload: () => reloading().reload('management'), refused: async () => reloading().refused() }
}

/** Has the rules read again when their files change; the answer has them read again at once. */
function follow({ settings }: Start, reloading: Reloading | undefined): () => void {
  if (reloading === undefined) return () => undefined
  const { lastSnapshot, reload } = reloading
  if (settings.watch) watchConfiguration({ lastSnapshot, changed: () => reload('file') })
  return () => void reload('signal')
}

/** From the disk, or from what somebody else has read there. */
function load(file: string, snapshot: ConfigSnapshot | undefined): Loaded {
  // Until there is something that can read it again, a signal to do so must not end the process.
  process.on('SIGHUP', () => undefined)
  const origin = { file, env: process.env }
  if (snapshot !== undefined)
    return { ...loadConfiguration({ ...origin, reader: readSnapshot(snapshot) }), origin, snapshot }
  const reader = readDisk()
  return { ...loadConfiguration({ ...origin, reader }), origin, snapshot: reader.snapshot }
}

async function serveAsWorker(start: Start, number: number): Promise<never> {
  const log = start.log.child({ worker: number })
  const app = await createApp({
    ...start,
    log,
    worker: true,
    reloading: (instance) => reloadingByPrimary(start, instance),
  })
  await startOrEnd(app)
  const { caFile, demo, hasOwner, longestStopMs } = app
  // Its primary looks first; this is for when that is gone.
  startWatchdog({ worker: number }, 2 * silentSeconds)
  answerHeartbeats()
  serveForPrimary({ caFile, demo, hasOwner }, async (page) => (await app.operator.inject(page)).body)
  return await untilStopped({ log, longestStopMs, stop: () => app.stop(), worker: true })
}

async function serveByWorkers(start: Start, count: number): Promise<never> {
  const { settings, log } = start
  warn(start)
  const { snapshot } = start.loaded
  const configuration = reloaderOf(() => reloading)
  const workers = createWorkers({
    count,
    settings,
    snapshot,
    configuration,
    log,
    onStarted: (facts) => announce(start, facts),
  })
  const put = (next: Settings, snapshot: ConfigSnapshot) => workers.put(next, snapshot)
  const reloading = createReloading({ first: start.loaded, put, log, metrics: workers.reloads, now: Date.now })
  process.once('exit', () => workers.kill())
  const { drainReadyMs, drainMs } = settings.server
  const longestStopMs = drainReadyMs + drainMs + 5_000
  const hangUp = follow(start, reloading)
  const manager = serviceManager(process.env)
  const stop = () => {
    manager.stopping()
    return workers.stop()
  }
  const stopped = untilStopped({ log, longestStopMs, stop, hangUp })
  await workers.start()
  startWatchdog({ primary: true }, 2 * silentSeconds)
  manager.ready(() => workers.isAlive)
  return await Promise.race([workers.run(), stopped])
}

/** A worker's rules are those that its primary has read. */
function reloadingByPrimary({ loaded }: Start, { put, metrics, log }: ReloadingInstance): Reloader {
  const { origin, fixed } = loaded
  const took = () => {
    metrics.reloads.lastSuccessful.set(1)
    metrics.reloads.lastTimestamp.set(Date.now() / 1000)
  }
  took()
  const onTrouble = (error: unknown) =>
    log.warn({ err: error }, 'the configuration is read without a thread of its own; requests wait for it')
  return followPrimary(async (given) => {
    const read = await readAgain({ origin, fixed, from: { given } }, { onTrouble })
    if (read !== undefined) await put(read.settings)
    took()
  })
}

function refuse(why: string, reasons: readonly string[]): void {
  if (reasons.length > 0) throw new CommandFailure(exitCodes.usage, `${why}:\n  ${reasons.join('\n  ')}`)
}

function warn({ settings, log }: Start): void {
  for (const warning of settings.warnings) log.warn(formatProblem(warning))
  for (const warning of certificateWarnings(settings, Date.now())) log.warn(warning)
}

/** Half a start leaves listeners open, and they would keep the process. */
async function startOrEnd(app: App): Promise<void> {
  try {
    await app.start()
  } catch (error) {
    await app.stop().catch((trouble) => app.log.error({ err: trouble }, 'the half start did not end well'))
    throw error
  }
}

/** The banner, in development: people read it. In production a line of the log. */
function announce({ settings, version, log }: Start, { caFile, demo, hasOwner }: Started): void {
  if (settings.mode === 'production') return void log.info({ version, baseUrl: settings.server.baseUrl }, 'serving')
  const command = programCommand({
    script: process.argv[1] ?? 'portcullis',
    cwd: process.cwd(),
    path: process.env['PATH'],
  })
  const usual = resolve(process.env['PORTCULLIS_CONFIG'] || defaultConfigFile())
  const config = settings.file === usual ? undefined : settings.file
  const facts = { version, caFile, demo, hasOwner, nodeVersion: process.version, command, config }
  logOutput().write(`${bannerLines(settings, facts).join('\n')}\n`)
}
