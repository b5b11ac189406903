// The mark beside a database file whose store was moved to PostgreSQL: serving it again would be a second store that
// knows nothing of the first.

import { existsSync } from 'node:fs'

/** The store of this file is served from PostgreSQL now. */
export class StoreMoved extends Error {
  readonly code = 'store_moved'
}

/** The name of the mark. */
export function movedMarker(file: string): string {
  return `${file}.moved`
}

/** Throws StoreMoved when the file is marked; the message says what to do. */
export function refuseMoved(file: string): void {
  const marker = movedMarker(file)
  if (!existsSync(marker)) return
  throw new StoreMoved(
    `the store in ${file} was moved to PostgreSQL: set store.url (PORTCULLIS_STORE). ` +
      `To serve the file again, without what has happened there since, remove ${marker}`,
  )
}
