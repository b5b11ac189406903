// Rows of `signing_keys`. The private member is ciphertext here: tokens/keys/key-encryption.ts alone opens it, and a
// key that no longer signs has none.

import type { Statements } from '../store.js'

export interface SigningKeyRow {
  kid: string
  purpose: 'token' | 'assertion'
  alg: 'ES256' | 'RS256' | 'EdDSA'
  state: 'pending' | 'active' | 'retiring' | 'removed'
  /** JSON of the public JWK. */
  publicJwk: string
  /** Sealed private JWK; empty once the key has stopped signing. */
  sealedPrivateJwk: string
  /** Epoch milliseconds, as all times here. */
  createdAt: number
  activatesAt: number
  removesAt: number | null
}

/** Every key, removed ones included, in the order in which they were made. */
export async function listSigningKeys(reader: Statements): Promise<SigningKeyRow[]> {
  const rows = await reader.selectFrom('signing_keys').selectAll().orderBy('created_at').orderBy('kid').execute()
  return rows.map((row) => ({
    kid: row.kid,
    purpose: row.purpose as SigningKeyRow['purpose'],
    alg: row.alg as SigningKeyRow['alg'],
    state: row.state as SigningKeyRow['state'],
    publicJwk: row.public_jwk,
    sealedPrivateJwk: row.private_jwk,
    createdAt: Number(row.created_at),
    activatesAt: Number(row.activates_at),
    removesAt: row.removes_at === null ? null : Number(row.removes_at),
  }))
}

/** Writes a new key. */
export async function insertSigningKey(tx: Statements, key: SigningKeyRow): Promise<void> {
  await tx
    .insertInto('signing_keys')
    .values({
      kid: key.kid,
      purpose: key.purpose,
      alg: key.alg,
      state: key.state,
      public_jwk: key.publicJwk,
      private_jwk: key.sealedPrivateJwk,
      created_at: key.createdAt,
      activates_at: key.activatesAt,
      removes_at: key.removesAt,
    })
    .execute()
}

/** Writes what may change in a key's life: its state, its times, and the sealed private member. */
export async function updateSigningKey(tx: Statements, key: SigningKeyRow): Promise<void> {
  await tx
    .updateTable('signing_keys')
    .set({
      state: key.state,
      private_jwk: key.sealedPrivateJwk,
      activates_at: key.activatesAt,
      removes_at: key.removesAt,
    })
    .where('kid', '=', key.kid)
    .execute()
}
