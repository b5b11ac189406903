// What may be sent to the Store as a parameter: the subset on which SQLite and PostgreSQL agree. Everything else is
// refused before it reaches a statement, because the engines would each make something different of it.

import type { SqliteValue } from './sqlite/sqlite-engine.js'
import { InvalidText } from './store.js'

// A half of a surrogate pair has no UTF-8 form; engines store U+FFFD instead, so two different texts would become
// equal.
const UNPAIRED_SURROGATE = /\p{Surrogate}/u

/**
 * Returns the value unchanged when both engines keep it as it is: text without NUL and without unpaired surrogates,
 * safe integers, finite fractions, null. Throws InvalidText for text, TypeError for booleans, undefined, bigint,
 * objects, NaN and integers beyond 2^53.
 */
export function checkParameter(value: unknown): SqliteValue {
  if (typeof value === 'string') return checkText(value)
  if (value === null) return value
  if (typeof value === 'number' && (Number.isSafeInteger(value) || isFraction(value))) return value
  throw new TypeError(`a ${typeof value} cannot be a Store parameter here: use text, a safe number or null`)
}

/** SQLite cuts text at NUL when it reads it back (`admin` for `admin\0x`); PostgreSQL refuses it (22021). */
function checkText(value: string): string {
  if (value.includes('\0')) throw new InvalidText('text with a NUL character')
  if (UNPAIRED_SURROGATE.test(value)) throw new InvalidText('text with an unpaired surrogate')
  return value
}

function isFraction(value: number): boolean {
  return Number.isFinite(value) && !Number.isInteger(value)
}
