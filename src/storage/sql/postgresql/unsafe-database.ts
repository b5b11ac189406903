// Why a database is refused for good, whatever is tried again.

/** The server would lose or change what it acknowledged. Only its administrator can fix that. */
export class UnsafeDatabase extends Error {
  readonly code = 'unsafe_database'
}
