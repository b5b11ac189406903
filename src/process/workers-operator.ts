// The operator listener of a primary: what its workers say, as one instance. It never waits long for any of them, and
// one that does not answer is not ready.

import type { Worker } from 'node:cluster'
import type { FastifyBaseLogger } from 'fastify'
import { maskedSettings } from '../config/read/settings-mask.js'
import type { Settings } from '../config/settings/settings.js'
import { listenOn, operatorSetting } from '../http/connections/listening.js'
import { createOperatorServer, type Readiness } from '../http/operator.js'
import type { ReloadMetrics } from '../observability/reload-metrics.js'
import { createWorkersMetrics, type MetricValues } from '../observability/workers-metrics.js'
import { askWorker, type Question } from './worker-channel.js'

export interface WorkersOperatorOptions {
  settings: Settings
  /** In effect at the moment. */
  inEffect(): Settings
  log: FastifyBaseLogger
  /** Those that there should be; `worker` is undefined while there is none. */
  places: readonly { worker: Worker | undefined; servesSince: number | undefined }[]
  stopping(): boolean
}

export interface WorkersOperator {
  /** Throws CannotListen. */
  listen(): Promise<void>
  close(): Promise<void>
  reloads: ReloadMetrics
  /** A worker ended that nobody had told to. */
  workerEnded(): void
}

/** The listener, not yet listening. */
export function createWorkersOperator(options: WorkersOperatorOptions): WorkersOperator {
  const { settings, inEffect, log, places, stopping } = options
  const ask = createAsking()
  const serving = () => places.flatMap(({ worker, servesSince }) => (servesSince === undefined ? [] : [worker]))
  const metrics = createWorkersMetrics(places.length, async () => {
    const workers = serving().filter((worker) => worker !== undefined)
    const answers = await Promise.all(workers.map((worker) => ask(worker, '/metrics/values')))
    return new Map(workers.map((worker, i) => [worker.id, answers[i] as MetricValues | undefined]))
  })
  const readiness = async (): Promise<Readiness> => {
    const each = await Promise.all(places.map((place) => readinessOf(place, ask)))
    const reasons = new Set([...(stopping() ? ['draining'] : []), ...each.flatMap(({ reasons }) => reasons)])
    const degraded = new Set(each.flatMap(({ degraded = [] }) => degraded))
    return { ready: reasons.size === 0, reasons: [...reasons], degraded: [...degraded] }
  }
  /** While workers start, or are started again, this process does what can be done; when all hang, nobody does. */
  const live = async () => {
    const workers = serving().filter((worker) => worker !== undefined)
    if (workers.length === 0) return true
    const heard = await Promise.all(workers.map((worker) => ask(worker, '/readyz')))
    return heard.some((answer) => answer !== undefined)
  }
  const app = createOperatorServer({
    metrics,
    readiness,
    live,
    configuration: () => maskedSettings(inEffect()),
    host: settings.server.operator.host,
    log: log.child({}, { level: 'warn' }),
  })
  return {
    listen: async () => void (await listenOn(app, { ...settings.server.operator, setting: operatorSetting })),
    close: () => app.close(),
    reloads: metrics.reloads,
    workerEnded: metrics.workerEnded,
  }
}

type Ask = (worker: Worker, question: Question) => Promise<unknown>

/** One question of a kind to a worker at a time: a worker that hangs does not get one after the other. */
function createAsking(): Ask {
  const open = new Map<string, Promise<unknown>>()
  return (worker, question) => {
    const key = `${worker.id} ${question}`
    const pending = open.get(key) ?? askWorker(worker, question).finally(() => open.delete(key))
    open.set(key, pending)
    return pending
  }
}

async function readinessOf(
  place: { worker: Worker | undefined; servesSince: number | undefined },
  ask: Ask,
): Promise<Readiness> {
  if (place.worker === undefined || place.servesSince === undefined)
    return { ready: false, reasons: ['worker_starting'] }
  const answer = (await ask(place.worker, '/readyz')) as Readiness | undefined
  return answer ?? { ready: false, reasons: ['worker_silent'] }
}
