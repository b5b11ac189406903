// How many workers the configuration asks for, and what they need that one process does not.

import { availableParallelism } from 'node:os'
import { CommandFailure, exitCodes } from '../cli/output/exit.js'
import type { Settings } from '../config/settings/settings.js'

/** Beyond any machine; more would be a slip of the finger. */
const most = 256

/**
 * The number for `auto` or a number, undefined for one process without a primary. Throws CommandFailure for anything
 * else.
 */
export function workersWanted(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  if (text === 'auto') return availableParallelism()
  const count = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : most + 1
  if (count <= most) return count
  throw new CommandFailure(
    exitCodes.usage,
    `--workers is auto or a number from 1 to ${most}, not ${JSON.stringify(text)}`,
  )
}

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
