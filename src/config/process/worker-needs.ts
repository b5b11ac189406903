// What several workers need that one process does not.

import type { Settings } from '../settings/settings.js'

/** Sentences, one for each thing that is missing; empty when there may be workers. */
export function missingForWorkers(settings: Settings): string[] {
  const missing: string[] = []
  if (settings.store.kind !== 'postgresql') {
    missing.push(
      'store.url is empty, and a SQLite file is for one process: set it (PORTCULLIS_STORE) to postgresql://user@host/database',
    )
  }
  if (settings.redis === undefined) {
    missing.push(
      'redis.url is empty, so each worker would count limits for itself, and hear of revocations late: set it (PORTCULLIS_REDIS) to redis://host:6379',
    )
  }
  return missing
}
