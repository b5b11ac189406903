// Series whose labels name routes, upstreams and limits of the configuration. What it names no more is shown to one
// more reader and then never again: not even when something that began before ends later.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Metric, Registry } from 'prom-client'

/** The labels whose values are names of the configuration. */
export type NameLabel = 'route' | 'upstream' | 'policy'
export type ConfiguredNames = Readonly<Record<NameLabel, readonly string[]>>

/** A metric that keeps its label sets itself. */
export interface NamedMetric {
  /** Forgets every label set of which a value is gone. */
  forget(): void
}

export interface NamedSeries {
  /** Whether one of these labels' values is gone. Checked only when a label set is new. */
  isGone(labelNames: readonly string[], values: readonly string[]): boolean
  /** Will be told to forget. */
  add(metric: NamedMetric): void
  /**
   * The configuration will name these: their series can be made already. The answer takes that back, when it does not
   * after all.
   */
  expect(next: ConfiguredNames): () => void
  /** From now on the configuration names these. */
  replace(next: ConfiguredNames): void
  /** Somebody has read all series. */
  shown(): Promise<void>
}

/** Of each label; a process whose names change for ever must not remember all of them. */
const mostGone = 10_000
const labels: readonly NameLabel[] = ['route', 'upstream', 'policy']
const nothing: ConfiguredNames = { route: [], upstream: [], policy: [] }

/** For the metrics of a registry. */
export function createNamedSeries(registry: Registry): NamedSeries {
  const metrics: NamedMetric[] = []
  const gone = { route: new Set<string>(), upstream: new Set<string>(), policy: new Set<string>() }
  let current = nothing
  let leaving = nothing
  const isGone: NamedSeries['isGone'] = (labelNames, values) =>
    labelNames.some((label, i) => isNameLabel(label) && gone[label].has(values[i] ?? ''))

  const forget = async (): Promise<void> => {
    for (const label of labels) for (const name of leaving[label]) addBounded(gone[label], name)
    leaving = nothing
    if (labels.every((label) => gone[label].size === 0)) return
    for (const metric of metrics) {
      // Of thousands of routes each is a piece of work.
      await nextTurn()
      metric.forget()
    }
    await forgetOthers(registry, (name, value) => isNameLabel(name) && gone[name].has(value))
  }
  return {
    isGone,
    add: (metric) => void metrics.push(metric),
    expect(next) {
      const known = eachLabel((label) => next[label].filter((name) => gone[label].delete(name)))
      return () => {
        for (const label of labels) for (const name of known[label]) addBounded(gone[label], name)
      }
    },
    replace(next) {
      const known = eachLabel((label) => new Set(next[label]))
      leaving = eachLabel((label) => leaving[label].filter((name) => !known[label].has(name)))
      // Of the reload before, although nobody has read them: names that change for ever must not gather.
      void forget().catch(() => undefined)
      for (const label of labels) for (const name of next[label]) gone[label].delete(name)
      leaving = eachLabel((label) => current[label].filter((name) => !known[label].has(name)))
      current = next
    },
    shown: () => forget(),
  }
}

function eachLabel<T>(make: (label: NameLabel) => T): Record<NameLabel, T> {
  return { route: make('route'), upstream: make('upstream'), policy: make('policy') }
}

function isNameLabel(label: string): label is NameLabel {
  return labels.some((known) => known === label)
}

function addBounded(set: Set<string>, name: string): void {
  set.add(name)
  const [oldest] = set
  if (set.size > mostGone && oldest !== undefined) set.delete(oldest)
}

/** Metrics of the registry's own kind. */
async function forgetOthers(registry: Registry, isGone: (label: string, value: string) => boolean): Promise<void> {
  for (const metric of registry.getMetricsAsArray() as unknown as Metric[]) {
    const names: unknown = 'labelNames' in metric ? metric.labelNames : undefined
    if (!Array.isArray(names) || !names.some(isNameLabel)) continue
    await nextTurn()
    const { values } = await metric.get()
    for (const { labels } of values as { labels: Record<string, string> }[]) {
      if (!names.some((name) => isGone(name, labels[name] ?? ''))) continue
      // Without the bounds of buckets, which are no labels of the metric.
      metric.remove(Object.fromEntries(Object.entries(labels).filter(([label]) => names.includes(label))))
    }
  }
}
