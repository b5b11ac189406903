// The signing keys of a database file. Private ones are kept sealed under a master key that is not in it.

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

/** Those that still verify, in an order in which each can be removed without another of them signing in its place. */
export function verifyingKeysOf(connection: Pick<SqliteConnection, 'all'>): string[] {
  const rows = connection.all("select kid, state from signing_keys where state <> 'removed'", [])
  return successorsFirst(rows as VerifyingKey[])
}

interface VerifyingKey {
  kid: string
  state: string
}

/** Key ids: one that signs comes after all that could take its place. */
export function successorsFirst(keys: readonly VerifyingKey[]): string[] {
  const place = ({ state }: VerifyingKey) => (state === 'active' ? 1 : 0)
  return [...keys]
    .filter(({ state }) => state !== 'removed')
    .sort((one, other) => place(one) - place(other) || (one.kid < other.kid ? -1 : 1))
    .map(({ kid }) => kid)
}
