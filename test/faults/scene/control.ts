// How slow the machine itself is meanwhile: requests to the instances that need neither token, Redis nor Store. What a
// judged request took longer than these waited beside it, it took because of the fault.

import type { Instance } from '../../support/cluster/cluster-instance.js'
import type { Exchange } from '../../support/cluster/token-ledger.js'

export interface Control {
  /** The most that a request, open between the two moments, took beyond the machine's own slowness. */
  excess(exchanges: readonly Exchange[], fromMs: number, toMs: number): Excess
  stop(): void
}

export interface Excess {
  ms: number
  /** Which request it was, and when. */
  text: string
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
  // A story that fails leaves it running: it must not keep the process.
  timer.unref()
  // All the time that one of them waited for its answer, and not the longest alone: a request has more turns to wait for.
  const slownessMs = ({ sentMs, endedMs }: Exchange): number => {
    const overlapping = pings
      .filter((one) => one.endedMs >= sentMs - everyMs && one.sentMs <= endedMs + everyMs)
      .sort((one, other) => one.sentMs - other.sentMs)
    let slowMs = 0
    let countedToMs = Number.NEGATIVE_INFINITY
    for (const one of overlapping) {
      slowMs += Math.max(0, one.endedMs - Math.max(one.sentMs, countedToMs))
      countedToMs = Math.max(countedToMs, one.endedMs)
    }
    return slowMs
  }
  return {
    excess(exchanges, fromMs, toMs) {
      let worst: Excess = { ms: 0, text: 'no request waited' }
      for (const one of exchanges) {
        if (one.endedMs < fromMs || one.sentMs > toMs) continue
        const tookMs = one.endedMs - one.sentMs
        const ms = tookMs - slownessMs(one)
        if (ms > worst.ms) worst = { ms, text: described(one, ms, tookMs, fromMs) }
      }
      return worst
    },
    stop: () => clearInterval(timer),
  }
}

function described({ via, status, sentMs }: Exchange, ms: number, tookMs: number, fromMs: number): string {
  const sent = `sent to ${via} ${(sentMs - fromMs).toFixed(0)} ms after the beginning`
  return `a request waited ${ms.toFixed(0)} of its ${tookMs.toFixed(0)} ms (${status || 'broken'}, ${sent})`
}

async function ping(instance: Instance, pings: Ping[], sentMs: number): Promise<void> {
  await instance.operator('/livez').catch(() => undefined)
  pings.push({ sentMs, endedMs: performance.now() })
}
