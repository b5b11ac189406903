// How long requests took, out of how many fell into which bucket of the metrics' histograms.

import { buckets } from '../observability/metrics.js'

/** The time that a part of the requests took at most, in ms; `latency` as in RouteSums. Undefined without any. */
export function quantileMs(latency: readonly number[], part: number): number | undefined {
  const all = latency.reduce((sum, count) => sum + count, 0)
  if (all === 0) return undefined
  let left = part * all
  for (const [index, count] of latency.entries()) {
    if (count < left || count === 0) {
      left -= count
      continue
    }
    const [from, to] = [buckets[index - 1] ?? 0, buckets[index]]
    // Beyond the last bound nobody knows more than that.
    return 1000 * (to === undefined ? from : from + (to - from) * (left / count))
  }
  return 1000 * (buckets.at(-1) ?? 0)
}
