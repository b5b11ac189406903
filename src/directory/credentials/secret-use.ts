// When secrets were last used, gathered in memory and written in batches, coarse to a minute: the token path writes
// nothing.

import { recordSecretUse } from '../../storage/sql/registrations/secret-upkeep.js'
import type { Store } from '../../storage/sql/store.js'

const minuteMs = 60_000

export interface SecretUse {
  /** Remembers a use (epoch ms). Only authenticated uses come here, so there are no more keys than secrets. */
  note(keyId: string, atMs: number): void
  /** Writes what was gathered; when that fails it is kept for the next time. Throws StoreUnavailable. */
  flush(): Promise<void>
}

/** Gathers and writes; losing the last minute in a crash is accepted. */
export function createSecretUse(store: Store): SecretUse {
  let gathered = new Map<string, number>()

  function note(keyId: string, atMs: number): void {
    const minute = Math.floor(atMs / minuteMs) * minuteMs
    if (minute > (gathered.get(keyId) ?? 0)) gathered.set(keyId, minute)
  }

  async function flush(): Promise<void> {
    if (gathered.size === 0) return
    const taken = gathered
    gathered = new Map()
    try {
      await store.transaction((tx) => recordSecretUse(tx, taken))
    } catch (error) {
      for (const [keyId, atMs] of taken) note(keyId, atMs)
      throw error
    }
  }

  return { note, flush }
}
