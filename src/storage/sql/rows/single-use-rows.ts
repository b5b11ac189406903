// The table of what proves somebody only once: identifiers of client assertions (`jti`), challenges of passkeys,
// forms that were carried out.
// tables.ts takes this in.

interface SingleUsesTable {
  /** Hex SHA-256 of purpose, subject and identifier. */
  id_hash: string
  /** For people who look at the database. */
  purpose: string
  /** Epoch ms; from then on the proof itself has expired. */
  expires_at: number
}

/** Its part of the tables. */
export interface SingleUseTables {
  single_uses: SingleUsesTable
}
