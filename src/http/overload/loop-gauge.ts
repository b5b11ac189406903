// Looks at the event loop a hundred times a second: how late a timer is, how busy the loop was since the last look, and
// how many requests came. A loop that reads from a thousand connections comes to its timers rarely, so requests look too.

import { performance } from 'node:perf_hooks'
import { type LoopLook, lookMs } from './loop-look.js'

export interface LoopGauge {
  /** Counts a request that came at that time (performance.now()). */
  arrived(at: number): void
  /** How late the loop is with its timers, milliseconds; 0 while it is in time. */
  lateBy(at: number): number
  stop(): void
}

export interface LoopListener {
  look(look: LoopLook): void
  /** The same before the stretch is over, at most as often: the loop is late by so much that it counts. */
  late(look: LoopLook): void
}

/** What the processor did is read so often, in looks: with many threads it takes the system a while to tell. */
const cpuEvery = 10

/** Begins at once. `lateMs`: how late the loop has to be for `late`. */
export function startLoopGauge(listener: LoopListener, lateMs: number): LoopGauge {
  let lookedAt = performance.now()
  let lateAt = lookedAt + lookMs + lateMs
  let used = performance.eventLoopUtilization()
  let cpu = { at: lookedAt, usage: process.cpuUsage(), share: 1, looks: 0 }
  let arrived = 0
  let crowdedMs = 0
  /** The share of a processor that the process had lately. */
  const cpuShare = (at: number, isLate: boolean): number => {
    cpu.looks += 1
    if (!isLate && cpu.looks < cpuEvery) return cpu.share
    const usage = process.cpuUsage()
    const usedMs = (usage.user + usage.system - cpu.usage.user - cpu.usage.system) / 1000
    cpu = { at, usage, share: usedMs / Math.max(1, at - cpu.at), looks: 0 }
    return cpu.share
  }
  const stretch = (at: number): LoopLook => {
    const ms = at - lookedAt
    const { active } = performance.eventLoopUtilization(used)
    const cpuMs = ms * cpuShare(at, ms >= lookMs + lateMs)
    return { at, ms, busyMs: Math.min(active, cpuMs), cpuMs, arrived, crowdedMs }
  }
  const look = () => {
    const at = performance.now()
    listener.look(stretch(at))
    lookedAt = at
    lateAt = at + lookMs + lateMs
    used = performance.eventLoopUtilization()
    arrived = 0
    crowdedMs = 0
  }
  const timer = setInterval(look, lookMs).unref()
  return {
    arrived(at) {
      arrived += 1
      if (at < lateAt) return
      lateAt = at + lookMs
      crowdedMs += lookMs
      listener.late(stretch(at))
    },
    lateBy: (at) => Math.max(0, at - lookedAt - lookMs),
    stop: () => clearInterval(timer),
  }
}
