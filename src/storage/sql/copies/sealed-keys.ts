// The private keys of a database file, as they are kept: sealed under a master key that is not in it.

import type { SqliteConnection } from '../sqlite/sqlite-connection.js'

export interface SealedKey {
  kid: string
  /** See tokens/keys/key-encryption.ts. */
  sealed: string
}

/** Those that are still needed: one that retires has lost its private part. */
export function sealedKeysOf(connection: Pick<SqliteConnection, 'all'>): SealedKey[] {
  const statement = `select kid, private_jwk as sealed from signing_keys
    where state <> 'removed' and private_jwk <> '' order by kid`
  return connection.all(statement, []) as SealedKey[]
}
