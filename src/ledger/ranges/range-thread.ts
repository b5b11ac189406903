// A thread that checks ranges of the ledger on a connection of its own. Begun and ended by range-threads.ts.

import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { openReader } from '../../storage/sql/open-store.js'
import { createLedgerKeys } from '../ledger-keys.js'
import { checkRange, type LedgerRange } from './check-range.js'
import type { RangeThreadData } from './range-threads.js'

const { store, masterKeys } = workerData as RangeThreadData
yieldToRequests()
const keys = createLedgerKeys(masterKeys)
const { reader, close } = await openReader(store)

parentPort?.on('message', async (range: LedgerRange | 'end') => {
  if (range === 'end') {
    await close()
    parentPort?.close()
    return
  }
  try {
    parentPort?.postMessage({ found: await checkRange(reader, keys, range) })
  } catch (error) {
    parentPort?.postMessage({ failed: error instanceof Error ? error.message : String(error) })
  }
})

/** On Linux a thread has a priority of its own. */
function yieldToRequests(): void {
  try {
    setPriority(5)
  } catch {
    // Then it is as important as they are.
  }
}
