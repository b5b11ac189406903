// Rows of `authorization_codes`. A redeemed one stays for as long as its grant, so that a second attempt is known for
// what it is.

import type { Insertable, Selectable } from 'kysely'
import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

/** A code as it is stored. */
export type AuthorizationCodeRow = Selectable<Tables['authorization_codes']>

/** Adds a code. */
export async function insertAuthorizationCode(
  tx: Statements,
  row: Insertable<Tables['authorization_codes']>,
): Promise<void> {
  await tx.insertInto('authorization_codes').values(row).execute()
}

/** A code by its hash, or undefined. */
export async function readAuthorizationCode(
  reader: Statements,
  hash: string,
): Promise<AuthorizationCodeRow | undefined> {
  return reader.selectFrom('authorization_codes').selectAll().where('hash', '=', hash).executeTakeFirst()
}

/**
 * Consumes a code: true exactly once, and never after its end (RFC 6749 §4.1.2). One statement, so that no two can win.
 */
export async function redeemAuthorizationCode(tx: Statements, hash: string, nowMs: number): Promise<boolean> {
  const row = await tx
    .updateTable('authorization_codes')
    .set({ redeemed_at: nowMs })
    .where('hash', '=', hash)
    .where('redeemed_at', 'is', null)
    .where('expires_at', '>', nowMs)
    .returning('hash')
    .executeTakeFirst()
  return row !== undefined
}
