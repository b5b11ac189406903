// What this instance counts for its metrics anyway, as what was added since it was last looked at: so nothing is counted
// twice for a request.

import type { Metrics } from '../observability/metrics.js'
import { noRequests, type RouteSums, type Slot } from './slot.js'
import { addRoute, addTotal } from './slot-sums.js'

/** The metrics that are looked at. */
export type TrafficMetrics = Pick<
  Metrics,
  'httpRequests' | 'httpDuration' | 'authDecisions' | 'limitDecisions' | 'signIns' | 'tokensIssued'
>

export interface Traffic {
  /** Adds what came since the last call to the slots that `each` hands to it; when nothing came it is not called. */
  collect(each: (add: (slot: Slot) => void) => void): Promise<void>
}

/** The names of sums; what follows is a reason, a limit or a result. */
export const totalNames = { refused: 'refused ', limited: 'limited ', signIn: 'sign-in ', token: 'token ' } as const

interface Counted {
  key: string
  count: number
}

/** Looks at the metrics of one process from its start on. */
export function createTraffic(metrics: TrafficMetrics): Traffic {
  const requestsOf = createRequestSums()
  const totals = createDifferences()
  return {
    async collect(each) {
      const named = await namedSums(metrics)
      const sums = totals.of(named)
      const requests = requestsOf(metrics)
      if (sums.size + requests.size === 0) return
      each((slot) => {
        for (const [name, count] of sums) addTotal(slot, name, count)
        for (const [route, added] of requests) addRoute(slot, route, added)
      })
    },
  }
}

async function namedSums({ authDecisions, limitDecisions, signIns, tokensIssued }: TrafficMetrics): Promise<Counted[]> {
  const found: Counted[] = []
  for (const { values, count } of authDecisions.counted()) {
    const [, decision, reason] = values
    if (decision === 'denied') found.push({ key: `${totalNames.refused}${reason}`, count })
  }
  for (const { values, count } of limitDecisions.counted()) {
    const [policy, decision] = values
    if (decision === 'refused') found.push({ key: `${totalNames.limited}${policy}`, count })
  }
  for (const { labels, value } of (await signIns.get()).values) {
    found.push({ key: `${totalNames.signIn}${labels.result}`, count: value })
  }
  for (const { values, count } of tokensIssued.counted()) {
    found.push({ key: `${totalNames.token}${values[1] === 'granted' ? 'granted' : 'refused'}`, count })
  }
  return found
}

/**
 * What came since the last call, by route. Of many thousands of label sets, so none gets a key: each is known by its
 * array, and one that begins anew, as after a reload, is another.
 */
function createRequestSums() {
  const counted = new WeakMap<readonly string[], number>()
  const observed = new WeakMap<readonly string[], Float64Array>()
  return ({ httpRequests, httpDuration }: Pick<TrafficMetrics, 'httpRequests' | 'httpDuration'>) => {
    const found = new Map<string, RouteSums>()
    const sumsOf = (route = ''): RouteSums => {
      const sums = found.get(route) ?? noRequests()
      found.set(route, sums)
      return sums
    }
    for (const { values, count } of httpRequests.counted()) {
      const added = count - (counted.get(values) ?? 0)
      if (added === 0) continue
      counted.set(values, count)
      const [route, , code = '', source] = values
      const sums = sumsOf(route)
      sums.requests += added
      const error = errorOf(code, source)
      if (error !== undefined) sums[error] += added
    }
    for (const { values, counts } of httpDuration.counted()) {
      const before = observed.get(values)
      if (before?.every((count, index) => count === counts[index]) === true) continue
      const { latency } = sumsOf(values[0])
      for (const [index, count] of counts.entries())
        latency[index] = (latency[index] ?? 0) + count - (before?.[index] ?? 0)
      observed.set(values, Float64Array.from(counts))
    }
    return found
  }
}

function errorOf(code: string, source: string | undefined): 'clientErrors' | 'serviceErrors' | 'ownErrors' | undefined {
  if (code.startsWith('4')) return 'clientErrors'
  if (!code.startsWith('5')) return undefined
  return source === 'upstream' ? 'serviceErrors' : 'ownErrors'
}

/** What came since the last call, by key. A series that begins anew, as after a reload, counts from nothing. */
function createDifferences() {
  let before: ReadonlyMap<string, number> = new Map()
  return {
    of(counted: readonly Counted[]): Map<string, number> {
      const now = new Map<string, number>()
      for (const { key, count } of counted) now.set(key, (now.get(key) ?? 0) + count)
      const added = new Map<string, number>()
      for (const [key, count] of now) {
        const last = before.get(key) ?? 0
        const more = count >= last ? count - last : count
        if (more > 0) added.set(key, more)
      }
      before = now
      return added
    },
  }
}
