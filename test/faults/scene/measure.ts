// Numbers for the table.

import type { Instance } from '../../support/cluster/cluster-instance.js'
import type { Exchange } from '../../support/cluster/token-ledger.js'

/** The value below which `share` (0 to 1) of them lie; 0 of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** `p50 3 p99 20 max 25 ms` */
export function spread(valuesMs: readonly number[]): string {
  const at = (share: number) => percentile(valuesMs, share).toFixed(0)
  return `p50 ${at(0.5)} p99 ${at(0.99)} max ${at(1)} ms`
}

/** The longest that a request took which was open between the two moments. */
export function longestMs(exchanges: readonly Exchange[], fromMs: number, toMs: number): number {
  const open = exchanges.filter(({ sentMs, endedMs }) => endedMs >= fromMs && sentMs <= toMs)
  return Math.max(0, ...open.map(({ sentMs, endedMs }) => endedMs - sentMs))
}

/** How many answers there were of each status, such as `200: 99, broken: 1`. */
export function statuses(exchanges: readonly Pick<Exchange, 'status'>[]): string {
  const counts = new Map<string, number>()
  for (const { status } of exchanges) {
    const name = status === 0 ? 'broken' : String(status)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts].map(([name, count]) => `${name}: ${count}`).join(', ')
}

/** What a metric with these labels says, such as `answer="local"`, summed over the instances. */
export async function sumOfMetric(instances: readonly Instance[], name: string, labels: string): Promise<number> {
  const values = await Promise.all(instances.map((instance) => instance.metric(name, labels)))
  return values.reduce((total, value) => total + value, 0)
}
