// How slow the machine itself is meanwhile: requests to the instances that need neither token, Redis nor Store. What a
// judged request took longer than the slowest of these beside it, it took because of the fault.

import type { Instance } from '../../support/cluster/cluster-instance.js'
import type { Exchange } from '../../support/cluster/token-ledger.js'

export interface Control {
  /** The most that a request, open between the two moments, took beyond the machine's own slowness, milliseconds. */
  excessMs(exchanges: readonly Exchange[], fromMs: number, toMs: number): number
  stop(): void
}

interface Ping {
  sentMs: number
  endedMs: number
}

const everyMs = 60

/** Begins to ask every instance whether it lives. */
export function startControl(instances: readonly Instance[]): Control {
  const pings: Ping[] = []
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    // When it was due: what made this process late is the machine's slowness too.
    const sentMs = Math.min(now, last + everyMs)
    last = now
    for (const instance of instances.filter(({ running }) => running)) void ping(instance, pings, sentMs)
  }, everyMs)
  const slownessMs = ({ sentMs, endedMs }: Exchange): number => {
    const overlapping = pings.filter((one) => one.endedMs >= sentMs - everyMs && one.sentMs <= endedMs + everyMs)
    return Math.max(0, ...overlapping.map((one) => one.endedMs - one.sentMs))
  }
  return {
    excessMs(exchanges, fromMs, toMs) {
      const open = exchanges.filter(({ sentMs, endedMs }) => endedMs >= fromMs && sentMs <= toMs)
      return Math.max(0, ...open.map((one) => one.endedMs - one.sentMs - slownessMs(one)))
    },
    stop: () => clearInterval(timer),
  }
}

async function ping(instance: Instance, pings: Ping[], sentMs: number): Promise<void> {
  await instance.operator('/livez').catch(() => undefined)
  pings.push({ sentMs, endedMs: performance.now() })
}
