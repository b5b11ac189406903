// Which instances live, for a command that is none itself: those whose rows change while it watches. Wall clocks may
// differ, and a row of an instance that was killed, or that came with a dump, stays as it is.

import type { InstanceRow } from '../storage/sql/cluster/instances.js'
import { isSameSign } from '../storage/sql/cluster/signs-of-life.js'

const readEveryMs = 250

/**
 * Watches the rows for `forMs` by the monotonic clock, or until one changes. `rows`: as last read. Does not wait where
 * there are none. Throws what `read` throws.
 */
export async function watchInstances(options: {
  read: () => Promise<readonly InstanceRow[]>
  forMs: number
  monotonic: () => number
  pause: (ms: number) => Promise<unknown>
}): Promise<{ live: readonly InstanceRow[]; rows: readonly InstanceRow[] }> {
  const { read, forMs, monotonic, pause } = options
  const first = await read()
  const end = monotonic() + forMs
  let rows = first
  while (rows.length > 0 && monotonic() < end) {
    await pause(readEveryMs)
    rows = await read()
    const live = changedInstances(first, rows)
    if (live.length > 0) return { live, rows }
  }
  return { live: [], rows }
}

/** The rows of `now` that are new or were written since `before` was read. */
export function changedInstances(before: readonly InstanceRow[], now: readonly InstanceRow[]): InstanceRow[] {
  const known = new Map(before.map((row) => [row.id, row]))
  return now.filter((row) => {
    const earlier = known.get(row.id)
    return earlier === undefined || !isSameSign(earlier, row)
  })
}
