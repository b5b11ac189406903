// How PostgreSQL's text answers become the values that SQLite gives: numbers for numbers, text for text.

import type { CustomTypesConfig } from 'pg'

/** Type numbers (pg_type.oid). */
const BOOL = 16
const INTEGERS: ReadonlySet<number> = new Set([20, 21, 23, 26])
const FRACTIONS: ReadonlySet<number> = new Set([700, 701])

/** A stored number that would come back as another one. */
export class UnsafeInteger extends Error {
  readonly code = 'unsafe_integer'
}

/** For the `types` of a connection. A number beyond 2^53 throws UnsafeInteger. */
export const postgresTypes: CustomTypesConfig = {
  getTypeParser: ((type: number) => {
    if (INTEGERS.has(type)) return toSafeInteger
    if (FRACTIONS.has(type)) return Number
    if (type === BOOL) return (text: string) => (text === 't' ? 1 : 0)
    return (text: string) => text
  }) as CustomTypesConfig['getTypeParser'],
}

function toSafeInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new UnsafeInteger('the database holds a number beyond 2^53')
  return value
}
