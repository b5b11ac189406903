// Writes of consents that have an end.

import type { Statements } from '../store.js'
import type { NewUserConsent } from './user-consents.js'

/** Records consents in place of those that there were, with their time and end. */
export async function replaceUserConsents(tx: Statements, rows: readonly Required<NewUserConsent>[]): Promise<void> {
  for (const row of rows) {
    const { granted_at, ends_at, lasts } = row
    await tx
      .insertInto('user_consents')
      .values(row)
      .onConflict((conflict) =>
        conflict
          .columns(['user_id', 'application_id', 'tenant_id', 'resource', 'permission_id'])
          .doUpdateSet({ granted_at, ends_at, lasts }),
      )
      .execute()
  }
}

/** Forgets consents that were over by then, how many. */
export async function deleteEndedConsents(tx: Statements, endedBefore: number): Promise<number> {
  const rows = tx.deleteFrom('user_consents').where('ends_at', '<', endedBefore)
  return Number((await rows.executeTakeFirstOrThrow()).numDeletedRows)
}
