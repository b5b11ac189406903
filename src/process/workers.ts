// The primary of several workers. It serves no public traffic: it forks workers that share the public port, starts
// another one for each that ends, passes the end on, and answers for all of them on the operator listener.

import cluster, { type Worker } from 'node:cluster'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { CommandFailure, type ExitCode, exitCodes } from '../cli/output/exit.js'
import type { ConfigSnapshot } from '../config/read/file-reader.js'
import type { Reloader } from '../config/report/reload-outcome.js'
import type { Settings } from '../config/settings/settings.js'
import { clearLocalSocket } from '../http/connections/local-socket.js'
import { backendSocket } from '../instance/listeners.js'
import type { ReloadMetrics } from '../observability/reload-metrics.js'
import { type Started, whenStarted } from './worker-channel.js'
import { answerWorker, putInWorker } from './worker-rules.js'
import { watchWorker } from './worker-watch.js'
import { createWorkersOperator, type WorkersOperator } from './workers-operator.js'

export interface WorkersOptions {
  count: number
  settings: Settings
  log: FastifyBaseLogger
  /** What the settings were read from. */
  snapshot: ConfigSnapshot
  /** For workers that get a request about it. */
  configuration: Reloader
  /** Called once, when the first worker serves; the others are on their way. */
  onStarted(facts: Started): void
}

export interface Workers {
  /**
   * Resolves when every worker has served once. Throws CommandFailure, with no process left, when one ends before: the
   * first is alone until it serves, so its reason stands once on standard error, printed by itself.
   */
  start(): Promise<void>
  /** Settles only when nothing serves any more and no new worker comes up; throws CommandFailure then. */
  run(): Promise<never>
  /** Resolves when all have ended by themselves. Throws when one had to be killed or failed. */
  stop(): Promise<void>
  /** Ends what is left of them at once. */
  kill(): void
  /** Has all of them put these rules in place; those that start later begin with them. */
  put(next: Settings, snapshot: ConfigSnapshot): Promise<void>
  /** Whether one of them serves; one that hangs does so for some seconds more. */
  readonly isAlive: boolean
  /** Of the operator listener. */
  readonly reloads: ReloadMetrics
}

/** One of the workers that there should be, whichever process it is at the moment. */
export interface Place {
  readonly number: number
  worker: Worker | undefined
  /** Monotonic; undefined until it serves. */
  servesSince: number | undefined
  /** It puts new rules in place, which may keep its event loop. */
  isLoading: boolean
  /** The one that is started beside it while it says nothing, and takes its place when it ends. */
  spare: Place | undefined
}

/** A worker that served for less than this was no success. */
const shortLifeMs = 30_000
const longestPauseMs = 30_000
/** So many in a row that never served, and none that serves: the next one will not either. */
const mostFailures = 5
/** Beyond the time that a worker may take; it has a limit of its own just before. */
const slackMs = 8_000

/** Builds it; nothing is forked before start(). */
export function createWorkers(options: WorkersOptions): Workers {
  return new Primary(options)
}

/** A class, because it holds processes. */
class Primary implements Workers {
  readonly #options: WorkersOptions
  readonly #places: Place[]
  readonly #operator: WorkersOperator
  readonly #exits = new Set<Promise<boolean>>()
  #stopping = false
  #active: { settings: Settings; snapshot: ConfigSnapshot }
  #shortLives = 0
  #failures = 0
  #giveUp: (failure: CommandFailure) => void = () => undefined

  constructor(options: WorkersOptions) {
    this.#options = options
    this.#places = Array.from({ length: options.count }, (_, i) => emptyPlace(i + 1))
    const { settings, snapshot, log } = options
    this.#active = { settings, snapshot }
    const inEffect = () => this.#active.settings
    const stopping = () => this.#stopping
    this.#operator = createWorkersOperator({ settings, inEffect, log, places: this.#places, stopping })
  }

  async start(): Promise<void> {
    const { settings, onStarted } = this.#options
    // The kernel shares the port out: a worker that hangs gets no connection, one that dies takes none of another
    // along.
    cluster.schedulingPolicy = cluster.SCHED_NONE
    // The command line's socket is made in this process; between its birth and its chmod nobody else may open it.
    process.umask(0o077)
    await clearLocalSocket(join(settings.data.folder, 'admin.sock'))
    const listen = settings.server.forwardAuth?.listen
    if (listen !== undefined && 'file' in listen) await clearLocalSocket(listen.file)
    await this.#operator.listen()
    const [first, ...others] = this.#places
    try {
      if (first !== undefined) onStarted(await this.#fork(first))
      await Promise.all(others.map((place) => this.#fork(place)))
    } catch (error) {
      // Told to stop while they started: then it is stop() that says how it went.
      if (this.#stopping) return await new Promise<never>(() => undefined)
      await this.#end()
      throw error
    }
  }

  run(): Promise<never> {
    return new Promise((_resolve, reject) => {
      this.#giveUp = (failure) => void this.#end().finally(() => reject(failure))
    })
  }

  async stop(): Promise<void> {
    const { drainReadyMs, drainMs } = this.#options.settings.server
    this.#stopping = true
    for (const { worker } of this.#withSpares) worker?.process.kill('SIGTERM')
    const late = setTimeout(() => this.kill(), drainReadyMs + drainMs + slackMs)
    const well = await Promise.all(this.#exits)
    clearTimeout(late)
    await this.#operator.close()
    if (!well.every(Boolean)) throw new Error('not every worker ended by itself')
  }

  kill(): void {
    for (const { worker } of this.#withSpares) worker?.process.kill('SIGKILL')
  }

  get #withSpares(): Place[] {
    return this.#places.flatMap((place) => [place, place.spare ?? []]).flat()
  }

  get isAlive(): boolean {
    return this.#places.some(({ servesSince }) => servesSince !== undefined)
  }

  get reloads(): ReloadMetrics {
    return this.#operator.reloads
  }

  async put(settings: Settings, snapshot: ConfigSnapshot): Promise<void> {
    this.#active = { settings, snapshot }
    const serving = this.#withSpares.filter(({ servesSince }) => servesSince !== undefined)
    await Promise.all(serving.map((place) => this.#bringUpToDate(place)))
  }

  async #bringUpToDate(place: Place): Promise<void> {
    const { worker, number } = place
    if (worker === undefined) return
    place.isLoading = true
    const reason = await putInWorker(worker, this.#active.snapshot)
    place.isLoading = false
    if (reason !== undefined) this.#options.log.error({ worker: number, reason }, 'a worker keeps the rules before')
  }

  /** Before anything serves, or after: nobody waits for an answer. */
  async #end(): Promise<void> {
    this.#stopping = true
    this.kill()
    await Promise.all(this.#exits)
    await this.#operator.close()
  }

  /** Resolves when the worker serves. Throws CommandFailure when it ends before. */
  #fork(place: Place): Promise<Started> {
    const worker = cluster.fork({
      UV_THREADPOOL_SIZE: '16',
      ...process.env,
      PORTCULLIS_WORKER_NUMBER: String(place.number),
    })
    place.worker = worker
    this.#watch(place, worker)
    let startedWith: ConfigSnapshot | undefined
    const snapshot = () => {
      startedWith = this.#active.snapshot
      return startedWith
    }
    answerWorker(worker, { snapshot, ...this.#options.configuration })
    return new Promise((resolve, reject) => {
      whenStarted(worker, (facts) => {
        place.servesSince = performance.now()
        this.#failures = 0
        if (startedWith !== this.#active.snapshot) void this.#bringUpToDate(place)
        resolve(facts)
      })
      const exit = new Promise<boolean>((ended) => {
        worker.once('error', () => ended(false))
        worker.once('exit', (code, signal) => {
          this.#options.log[this.#stopping || !this.#places.includes(place) ? 'info' : 'error'](
            { worker: place.number, exitCode: code, signal },
            'a worker ended',
          )
          reject(startFailure(place, code))
          ended(code === 0 || (place.servesSince === undefined && signal === 'SIGTERM'))
        })
      })
      this.#exits.add(exit)
      void exit.then(() => {
        this.#exits.delete(exit)
        this.#afterEnd(place, worker)
      })
    })
  }

  #watch(place: Place, worker: Worker): void {
    const { log } = this.#options
    const facts = { worker: place.number, reason: 'worker_silent' }
    watchWorker(worker, {
      excused: () => place.servesSince === undefined || place.isLoading,
      onDoubt: () => {
        if (this.#stopping || !this.#places.includes(place)) return
        log.warn(facts, 'a worker says nothing, so another one is started beside it')
        place.spare = emptyPlace(place.number)
        void this.#fork(place.spare).catch(() => undefined)
      },
      onHeard: () => {
        place.spare?.worker?.process.kill('SIGTERM')
        place.spare = undefined
      },
      onSilent: () => log.error(facts, 'a worker hangs, so it is ended'),
    })
  }

  #afterEnd(place: Place, worker: Worker): void {
    const served = place.servesSince
    place.worker = undefined
    place.servesSince = undefined
    const { pid } = worker.process
    if (pid !== undefined) removeSocket(backendSocket(this.#options.settings, pid))
    const at = this.#places.indexOf(place)
    if (this.#stopping || at === -1) return
    this.#operator.workerEnded()
    if (place.spare?.worker !== undefined) {
      this.#places[at] = place.spare
      return
    }
    if (served === undefined) this.#failures++
    this.#shortLives = served !== undefined && performance.now() - served > shortLifeMs ? 0 : this.#shortLives + 1
    if (this.#failures >= mostFailures && this.#places.every(({ servesSince }) => servesSince === undefined)) {
      this.#giveUp(new CommandFailure(exitCodes.failed, 'no worker could be started again'))
    } else void this.#replace(place)
  }

  /** At once after a first death, later and later while they go on dying. */
  async #replace(place: Place): Promise<void> {
    await wait(Math.min(longestPauseMs, 50 * 2 ** this.#shortLives))
    if (!this.#stopping) await this.#fork(place).catch(() => undefined)
  }
}

function emptyPlace(number: number): Place {
  return { number, worker: undefined, servesSince: undefined, isLoading: false, spare: undefined }
}

/** The worker has said why. */
function startFailure(place: Place, code: number | null): CommandFailure {
  const known = Object.values(exitCodes).find((known) => known === code && known !== exitCodes.ok) as
    | ExitCode
    | undefined
  return new CommandFailure(known ?? exitCodes.failed, `worker ${place.number} could not start`)
}

/** Of a worker that has ended. One that stays harms nobody, and must not end those that serve. */
function removeSocket(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // The data folder is away; workers that start say so.
  }
}
