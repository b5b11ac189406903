// What the processes of one instance count, added up: how is each metric's own affair (metrics.ts). A worker that has
// ended or does not answer keeps its share of every counter as it was last read: a sum that falls would look like a
// restart to its reader, and like a burst of requests afterwards.

import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { createReloadMetrics, type ReloadMetrics } from './reload-metrics.js'

/** What Registry.getMetricsAsJSON() gives, after it went through a process channel. */
export type MetricValues = readonly object[]

/** By process id; undefined of a worker that did not answer in time. */
export type WorkersAnswers = ReadonlyMap<number, MetricValues | undefined>

export interface WorkersMetrics {
  registry: {
    contentType: Registry['contentType']
    metrics(): Promise<string>
    getMetricsAsJSON: Registry['getMetricsAsJSON']
  }
  /** The primary decides reloads, so it counts them. */
  reloads: ReloadMetrics
  /** A worker ended that nobody had told to. */
  workerEnded(): void
}

/** `expected` is how many workers there should be. */
export function createWorkersMetrics(expected: number, read: () => Promise<WorkersAnswers>): WorkersMetrics {
  const own = ownMetrics(expected)
  const last = new Map<number, MetricValues>()
  let ended: MetricValues = []
  const total = async () => {
    const answers = await read()
    own.answering.set([...answers.values()].filter((values) => values !== undefined).length)
    for (const [worker, values] of last) {
      if (answers.has(worker)) continue
      last.delete(worker)
      ended = lasting(await added([ended, values]).getMetricsAsJSON())
    }
    for (const [worker, values] of answers) if (values !== undefined) last.set(worker, values)
    const shares = [...last].map(([worker, values]) => (answers.get(worker) === undefined ? lasting(values) : values))
    return added([...shares, ended, await own.registry.getMetricsAsJSON()])
  }
  return {
    registry: {
      contentType: own.registry.contentType,
      metrics: async () => await (await total()).metrics(),
      getMetricsAsJSON: async () => await (await total()).getMetricsAsJSON(),
    },
    reloads: own.reloads,
    workerEnded: () => own.ends.inc(),
  }
}

/** What the primary says of its workers. */
export const workersOwnMetrics = {
  expected: {
    name: 'portcullis_workers_expected',
    type: 'gauge',
    help: 'Worker processes that there should be.',
  },
  answering: {
    name: 'portcullis_workers_answering',
    type: 'gauge',
    help: 'Worker processes whose values are in this answer.',
  },
  ends: {
    name: 'portcullis_worker_ends_total',
    type: 'counter',
    help: 'Workers that ended by themselves and were replaced.',
  },
} as const

/** The primary's own, its process among those of the workers. */
function ownMetrics(expected: number) {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, prefix: 'portcullis_' })
  const make = ({ name, help }: { name: string; help: string }) => ({ name, help, registers })
  new Gauge(make(workersOwnMetrics.expected)).set(expected)
  return {
    registry,
    reloads: createReloadMetrics(registry),
    answering: new Gauge(make(workersOwnMetrics.answering)),
    ends: new Counter(make(workersOwnMetrics.ends)),
  }
}

function added(parts: readonly MetricValues[]): Registry {
  return AggregatorRegistry.aggregate([...parts]) as unknown as Registry
}

/** What is still true of a process that is gone: what it counted, not what it held. */
function lasting(values: MetricValues): MetricValues {
  return values.filter((metric) => 'type' in metric && (metric.type === 'counter' || metric.type === 'histogram'))
}
