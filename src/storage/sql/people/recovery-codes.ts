// Queries of the codes for a lost second factor: keyed hashes, each good once.

import type { Statements } from '../store.js'

/** Removes what there was and adds these; an empty list leaves none. */
export async function replaceRecoveryCodes(tx: Statements, userId: string, hashes: readonly string[]): Promise<void> {
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  if (hashes.length === 0) return
  await tx
    .insertInto('recovery_codes')
    .values(hashes.map((hash) => ({ hash, user_id: userId, used_at: null })))
    .execute()
}

/** Uses one up: true exactly once. `hashes`: the code under each key that it may have been hashed with. */
export async function takeRecoveryCode(
  tx: Statements,
  userId: string,
  hashes: readonly string[],
  atMs: number,
): Promise<boolean> {
  if (hashes.length === 0) return false
  const taken = await tx
    .updateTable('recovery_codes')
    .set({ used_at: atMs })
    .where('user_id', '=', userId)
    .where('hash', 'in', [...hashes])
    .where('used_at', 'is', null)
    .returning('hash')
    .executeTakeFirst()
  return taken !== undefined
}

/** How many are left. */
export async function countRecoveryCodes(statements: Statements, userId: string): Promise<number> {
  const { left } = await statements
    .selectFrom('recovery_codes')
    .select((select) => select.fn.countAll().as('left'))
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(left)
}
