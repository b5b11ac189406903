// Usage: counted by usage-counts.ts, written in batches by this file. A batch that the Store did not take is kept and
// sent again unchanged under its number, so that nothing is lost and nothing counted twice; what comes meanwhile waits
// in bounded sums. A crash loses what was not written yet. Once a day each instance says that it has written all of the
// days before, so that what is told of a day is all of it.

import type { Store } from '../storage/sql/store.js'
import { addUsage, type UsageBatch } from '../storage/sql/usage/usage.js'
import { noteWritten } from '../storage/sql/usage/usage-written.js'
import { createUsageCounts, type UsageCounts, type UsageCountsOptions } from './usage-counts.js'
import { dayOf } from './usage-sums.js'

export interface Usage extends Pick<UsageCounts, 'allowed' | 'refused' | 'code' | 'gather'> {
  /** Writes what was counted; when that fails it is kept for the next time. Throws StoreUnavailable. */
  flush(): Promise<void>
}

export interface UsageOptions extends UsageCountsOptions {
  store: Pick<Store, 'transaction'>
  /** Of this process and this start only. */
  instanceId: string
}

/** Counts and writes. */
export function createUsage(options: UsageOptions): Usage {
  const { store, now } = options
  // Identifiers of instances are short; with the time no batch is taken for one of another instance long ago.
  const instanceId = `${options.instanceId} ${now()}`
  const counts = createUsageCounts(options)
  let sequence = 0
  /** Not known to be written. */
  let open: UsageBatch | undefined
  let running: Promise<void> = Promise.resolve()
  let writtenBefore = 0

  async function write(): Promise<void> {
    const today = dayOf(now())
    // Also when an older batch still waits: what was counted belongs to now.
    counts.gather()
    if (open !== undefined) await send(open)
    const rows = counts.take()
    if (rows !== undefined) {
      sequence += 1
      open = { instanceId, sequence, ...rows }
      await send(open)
    }
    if (today <= writtenBefore) return
    await store.transaction((tx) => noteWritten(tx, options.instanceId, today), 'first-lock')
    writtenBefore = today
  }

  async function send(batch: UsageBatch): Promise<void> {
    await store.transaction((tx) => addUsage(tx, batch, now()), 'first-lock')
    open = undefined
  }

  return {
    allowed: counts.allowed,
    refused: counts.refused,
    code: counts.code,
    gather: counts.gather,
    flush() {
      running = running.catch(() => {}).then(write)
      return running
    },
  }
}
