// A bounded cache of what a loader reads, which never keeps an answer that a change has overtaken. A load that began
// before a change and ends after it is handed to callers from before the change, and to nobody else: the generation
// says which.

import { LRUCache } from 'lru-cache'

/** At once what lies in memory, a promise of what has to be loaded: `await` takes both. */
export type Found<T> = T | undefined | Promise<T | undefined>

export interface GuardedCache<T extends {}> {
  /**
   * From memory, or by one load that everybody who asks meanwhile shares. Rejects as the loader does; that is not kept.
   */
  find(key: string): Found<T>
  /** From memory, or not at all: for keys that may be none. */
  kept(key: string): T | undefined
  /** Drops the keys for which `concerns` is true, every "there is none", and the result of every load under way. */
  forget(concerns: (key: string) => boolean): void
  /** How much is kept, for tests and bounds. */
  readonly sizes: { present: number; absent: number }
}

/** `capacity` bounds what was found and, separately, what was not, so that guesses cannot push out what is in use. */
export function createGuardedCache<T extends {}>(options: {
  capacity: number
  load: (key: string) => Promise<T | undefined>
}): GuardedCache<T> {
  const present = new LRUCache<string, T>({ max: options.capacity })
  const absent = new LRUCache<string, true>({ max: options.capacity })
  const loading = new Map<string, Promise<T | undefined>>()
  let generation = 0

  async function load(key: string): Promise<T | undefined> {
    const startGeneration = generation
    const value = await options.load(key)
    if (startGeneration !== generation) return value
    if (value === undefined) absent.set(key, true)
    else present.set(key, value)
    return value
  }

  return {
    kept: (key) => present.get(key),
    find(key) {
      const kept = present.get(key)
      if (kept !== undefined) return kept
      if (absent.get(key)) return undefined
      const underWay = loading.get(key)
      if (underWay !== undefined) return underWay
      const started = load(key).finally(() => {
        if (loading.get(key) === started) loading.delete(key)
      })
      loading.set(key, started)
      return started
    },
    forget(concerns) {
      generation += 1
      loading.clear()
      absent.clear()
      for (const key of [...present.keys()]) if (concerns(key)) present.delete(key)
    },
    get sizes() {
      return { present: present.size, absent: absent.size }
    },
  }
}
