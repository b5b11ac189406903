// How many workers the configuration asks for, and what they need that one process does not.

import { availableParallelism } from 'node:os'
import { CommandFailure, exitCodes } from '../cli/output/exit.js'

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
