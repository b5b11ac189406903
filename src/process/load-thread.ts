// The thread that reads a configuration for a process that serves: for thousands of routes, reading, checking and
// running its tests take seconds. It says what is wrong, or hands over the settings in parcels. Begun and ended by
// load-in-thread.ts.

import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import type { ConfigSnapshot } from '../config/read/file-reader.js'
import { packSettings } from '../config/reload/settings-parcels.js'
import { ConfigurationErrors } from '../config/report/problem.js'
import { loadAgain } from './load-again.js'
import type { LoadOrder, LoadResult } from './load-in-thread.js'

const { order, fixed, parcels } = workerData as LoadOrder
yieldToRequests()
parentPort?.postMessage(await result())
// Parcels that nobody has taken yet are lost when this thread ends; load-in-thread.ts ends it.
parcels.on('message', () => undefined)

async function result(): Promise<LoadResult> {
  let snapshot: ConfigSnapshot | undefined
  try {
    const loaded = await loadAgain({ ...order, fixed: () => fixed }, (read) => {
      snapshot = read
    })
    if (loaded === undefined) return { kind: 'same', snapshot }
    const { rest, routes } = packSettings(loaded.settings)
    for (const parcel of routes) parcels.postMessage(parcel)
    return { kind: 'read', rest, waiting: loaded.waiting, snapshot }
  } catch (error) {
    if (!(error instanceof ConfigurationErrors)) throw error
    return { kind: 'wrong', problems: error.problems, snapshot }
  }
}

/** On Linux a thread has a priority of its own. */
function yieldToRequests(): void {
  try {
    setPriority(5)
  } catch {
    // Then it is as important as they are.
  }
}
