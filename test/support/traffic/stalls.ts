// How long this process stood still: what a test measured while nothing ran is the machine's time, not the product's.

import { monitorEventLoopDelay } from 'node:perf_hooks'

/** Watches from now on; the function gives the longest standstill, in milliseconds, and ends the watch. */
export function watchStalls(): () => number {
  const delays = monitorEventLoopDelay({ resolution: 5 })
  delays.enable()
  return () => {
    delays.disable()
    return delays.max / 1_000_000
  }
}
