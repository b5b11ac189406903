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
  const routes = createDifferences()
  const totals = createDifferences()
  return {
    async collect(each) {
      const named = await namedSums(metrics)
      const sums = totals.of(named)
      const requests = byRoute(routes.of(routeCounts(metrics)))
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

/** Counts and latencies of all routes as differences need them: a key of route and what is counted. */
function routeCounts({ httpRequests, httpDuration }: TrafficMetrics): Counted[] {
  const found: Counted[] = []
  for (const { values, count } of httpRequests.counted()) {
    const [route = '', , code = '', source] = values
    found.push({ key: `requests\n${route}`, count })
    const error = errorOf(code, source)
    if (error !== undefined) found.push({ key: `${error}\n${route}`, count })
  }
  for (const { values, counts } of httpDuration.counted()) {
    for (const [index, count] of counts.entries()) found.push({ key: `${index}\n${values[0]}`, count })
  }
  return found
}

function errorOf(code: string, source: string | undefined): 'clientErrors' | 'serviceErrors' | 'ownErrors' | undefined {
  if (code.startsWith('4')) return 'clientErrors'
  if (!code.startsWith('5')) return undefined
  return source === 'upstream' ? 'serviceErrors' : 'ownErrors'
}

function byRoute(added: ReadonlyMap<string, number>): Map<string, RouteSums> {
  const found = new Map<string, RouteSums>()
  for (const [key, count] of added) {
    const [what = '', route = ''] = key.split('\n')
    const sums = found.get(route) ?? noRequests()
    found.set(route, sums)
    if (what === 'requests' || what === 'clientErrors' || what === 'serviceErrors' || what === 'ownErrors') {
      sums[what] += count
    } else sums.latency[Number(what)] = (sums.latency[Number(what)] ?? 0) + count
  }
  return found
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
