// Numbers that every request touches. prom-client hashes the labels anew at each increment, which costs more than the
// rest of the counting; these keep a number per label set and speak prom-client only when somebody reads the metrics.

/** One label set of a counter or of a histogram. */
export interface HotCount {
  inc(by?: number): void
}
export interface HotObservation {
  observe(value: number): void
}

type Labelled<T> = { labels(...values: string[]): T }

/** Whether a label set must not be shown any more: then nothing is counted for it. */
export type IsGone = (values: readonly string[]) => boolean

/** A label set and how often it was counted since the start. `values` is the same array as long as it counts. */
export interface CountedSet {
  values: readonly string[]
  count: number
}

interface Forgetful {
  /** Forgets what is gone; who still counts for it counts for nothing. */
  forget(): void
}

const never: IsGone = () => false

/** A counter whose increments are gathered. `make` builds the real one, with `collect` called before it is read. */
export function hotCounter(
  make: (collect: () => void) => Labelled<{ inc(value: number): void }> & { remove(...values: string[]): void },
  isGone = never,
): Labelled<HotCount> & Forgetful & { counted(): CountedSet[] } {
  const children = new Map<string, { values: string[]; pending: number; shown: number; inc(by?: number): void }>()
  const counter = make(() => {
    for (const child of children.values()) {
      if (child.pending > 0) counter.labels(...child.values).inc(child.pending)
      child.shown += child.pending
      child.pending = 0
    }
  })
  return {
    counted: () => [...children.values()].map(({ values, pending, shown }) => ({ values, count: pending + shown })),
    labels(...values) {
      return remembered(
        children,
        values,
        () => {
          const child = {
            values,
            pending: 0,
            shown: 0,
            inc(by = 1) {
              child.pending += by
            },
          }
          return child
        },
        isGone,
      )
    },
    forget() {
      for (const [key, { values }] of children) {
        if (!isGone(values)) continue
        children.delete(key)
        counter.remove(...values)
      }
    },
  }
}

export interface HistogramDescription {
  name: string
  help: string
  labelNames: readonly string[]
  /** Upper bounds, ascending. */
  buckets: readonly number[]
}

interface HistogramValue {
  metricName: string
  labels: Record<string, string>
  value: number
}

/** A histogram in the shape that prom-client's registry reads. */
export interface HotHistogram extends Labelled<HotObservation>, Forgetful {
  readonly name: string
  readonly help: string
  readonly type: 'histogram'
  readonly aggregator: 'sum'
  /** For the reference. Under a name of its own, because prom-client's metrics with `labelNames` can also `remove`. */
  readonly describedLabels: readonly string[]
  /** Of each label set, as it is now, not cumulative; the last one is beyond every bound. `values` as in CountedSet. */
  counted(): { values: readonly string[]; counts: Float64Array }[]
  get(): Promise<{ name: string; help: string; type: 'histogram'; aggregator: 'sum'; values: HistogramValue[] }>
}

interface Series {
  values: string[]
  /** Not cumulative; the last one is beyond every bound. */
  counts: Float64Array
  sum: number
  observe(value: number): void
}

/** A histogram of its own; register it with prom-client's registry. */
export function hotHistogram(description: HistogramDescription, isGone = never): HotHistogram {
  const { name, help, buckets } = description
  const series = new Map<string, Series>()
  const facts = { name, help, type: 'histogram', aggregator: 'sum' } as const
  return {
    ...facts,
    describedLabels: description.labelNames,
    labels: (...values) => remembered(series, values, () => newSeries(values, buckets), isGone),
    counted: () => [...series.values()].map(({ values, counts }) => ({ values, counts })),
    forget() {
      for (const [key, { values }] of series) if (isGone(values)) series.delete(key)
    },
    get: async () => ({ ...facts, values: [...series.values()].flatMap((one) => exposed(one, description)) }),
  }
}

function newSeries(values: string[], buckets: readonly number[]): Series {
  const made: Series = {
    values,
    counts: new Float64Array(buckets.length + 1),
    sum: 0,
    observe(value) {
      let i = 0
      while (i < buckets.length && value > (buckets[i] as number)) i++
      made.counts[i] = (made.counts[i] as number) + 1
      made.sum += value
    },
  }
  return made
}

function exposed(one: Series, { name, labelNames, buckets }: HistogramDescription): HistogramValue[] {
  const labels = Object.fromEntries(labelNames.map((label, i) => [label, one.values[i] ?? '']))
  let count = 0
  const lines = [...buckets.map(String), '+Inf'].map((le, i) => {
    count += one.counts[i] as number
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count }
  })
  return [
    ...lines,
    { metricName: `${name}_sum`, labels, value: one.sum },
    { metricName: `${name}_count`, labels, value: count },
  ]
}

function remembered<T>(known: Map<string, T>, values: readonly string[], make: () => T, isGone: IsGone): T {
  // No label value of ours has a line feed in it.
  const key = values.join('\n')
  const found = known.get(key)
  if (found !== undefined) return found
  const made = make()
  if (!isGone(values)) known.set(key, made)
  return made
}
