// Rows of `refresh_tokens`. Those of a grant are kept as long as the grant; of very many exchanges the newest, because
// a client can exchange as fast as its limits let it.

import type { Selectable } from 'kysely'
import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

/** A refresh token as it is stored. */
export type RefreshTokenRow = Selectable<Tables['refresh_tokens']>

/** Adds the token with the number `sequence` of a grant. Throws UniqueViolation when there is one already. */
export async function insertRefreshToken(
  tx: Statements,
  row: { hash: string; grantId: string; sequence: number; createdAt: number },
): Promise<void> {
  const { hash, grantId, sequence, createdAt } = row
  const values = { hash, grant_id: grantId, sequence, created_at: createdAt, used_at: null }
  await tx.insertInto('refresh_tokens').values(values).execute()
}

/** A refresh token by its hash, or undefined. */
export async function readRefreshToken(reader: Statements, hash: string): Promise<RefreshTokenRow | undefined> {
  return reader.selectFrom('refresh_tokens').selectAll().where('hash', '=', hash).executeTakeFirst()
}

/** Notes when it was first exchanged; a later exchange does not move that, so its grace does not grow. */
export async function noteRefreshTokenUse(tx: Statements, hash: string, nowMs: number): Promise<void> {
  await tx
    .updateTable('refresh_tokens')
    .set({ used_at: nowMs })
    .where('hash', '=', hash)
    .where('used_at', 'is', null)
    .execute()
}

/** Forgets the tokens of a grant whose number is below `sequence`: what they are stands in themselves. */
export async function forgetExchangedTokens(tx: Statements, grantId: string, sequence: number): Promise<void> {
  await tx.deleteFrom('refresh_tokens').where('grant_id', '=', grantId).where('sequence', '<', sequence).execute()
}
