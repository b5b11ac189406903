// Queries of WebAuthn credentials.

import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

export type PasskeyRow = Tables['passkeys']

/** Adds a credential. Throws UniqueViolation when its id is known already. */
export async function insertPasskey(tx: Statements, row: PasskeyRow): Promise<void> {
  await tx.insertInto('passkeys').values(row).execute()
}

/** The credentials of a user, or the one with this id, the oldest first. */
export async function readPasskeys(
  statements: Statements,
  filter: { userId: string } | { credentialId: string },
): Promise<PasskeyRow[]> {
  const rows = statements.selectFrom('passkeys').selectAll()
  const found =
    'userId' in filter
      ? rows.where('user_id', '=', filter.userId)
      : rows.where('credential_id', '=', filter.credentialId)
  return found.orderBy('created_at').orderBy('credential_id').execute()
}

/**
 * Notes a use with the signature counter that came along (WebAuthn Level 2 §7.2): false when it is not higher than the
 * one before, unless both are 0, as authenticators without a counter say. In one statement, so that of two uses with
 * one counter one is refused.
 */
export async function notePasskeyUse(
  tx: Statements,
  use: { credentialId: string; counter: number; atMs: number },
): Promise<boolean> {
  const { credentialId, counter, atMs } = use
  const noted = await tx
    .updateTable('passkeys')
    .set({ counter, last_used_at: atMs })
    .where('credential_id', '=', credentialId)
    .where((where) => (counter === 0 ? where('counter', '=', 0) : where('counter', '<', counter)))
    .returning('credential_id')
    .executeTakeFirst()
  return noted !== undefined
}

/** Removes a credential of this user; false when there was none. */
export async function deletePasskey(tx: Statements, userId: string, credentialId: string): Promise<boolean> {
  const removed = await tx
    .deleteFrom('passkeys')
    .where('user_id', '=', userId)
    .where('credential_id', '=', credentialId)
    .returning('credential_id')
    .executeTakeFirst()
  return removed !== undefined
}
