// Whether this instance should get requests, and why not: starting, draining, a stale view, a Store that does not answer.

import type { Readiness } from './http/operator.js'
import type { Store } from './memory/store/store.js'
import type { RevocationView } from './revocation/view.js'

export interface ReadinessState {
  /** The answer of /readyz now. The Store is asked, bounded in time. */
  read(): Promise<Readiness>
  started(): void
  /** Not ready from now on; whether it was ready, so that somebody may still be sending. */
  draining(): boolean
}

const storeWaitMs = 2_000

/** Not ready until started() is called, and never again after draining(). */
export function createReadiness(options: {
  view: RevocationView
  store: Store
  storeUp: (up: boolean) => void
}): ReadinessState {
  const { view, store, storeUp } = options
  let phase: 'starting' | 'draining' | undefined = 'starting'
  return {
    async read() {
      const up = await answers(store)
      storeUp(up)
      const reasons = [phase, view.isStale() ? 'view_stale' : undefined, up ? undefined : 'store_down']
      const given = reasons.filter((reason): reason is NonNullable<typeof reason> => reason !== undefined)
      return { ready: given.length === 0, reasons: given }
    },
    started() {
      phase = undefined
    },
    draining() {
      const wasReady = phase === undefined
      phase = 'draining'
      return wasReady
    },
  }
}

async function answers(store: Store): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), storeWaitMs)
  })
  try {
    return await Promise.race([store.check().then(() => true), late])
  } catch {
    return false
  } finally {
    clearTimeout(timer)
  }
}
