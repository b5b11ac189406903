// Which applications of a tenant were deleted lately, and by whom. Their revocations say so: each is a row that stays
// until no token of the application can live, and no other row of theirs is left.

import type { Statements } from '../store.js'

/**
 * Says of the revocation of an application that it is of a deleted one. `by` is the subject that deleted it; null: an
 * operator.
 */
export async function markDeleted(
  tx: Statements,
  applicationId: string,
  { tenantId, by }: { tenantId: string; by: string | null },
): Promise<void> {
  await tx
    .updateTable('revocations')
    .set({ tenant_id: tenantId, application_id: null, user_id: by })
    .where('what', '=', 'application')
    .where('id', '=', applicationId)
    .execute()
}

/** How many of a tenant, of those whom `by` deleted when it is given, are still remembered; counted up to `most`. */
export async function countDeleted(
  tx: Statements,
  of: { tenantId: string; by?: string | undefined; nowMs: number },
  most: number,
): Promise<number> {
  let those = tx
    .selectFrom('revocations')
    .select('id')
    .where('application_id', 'is', null)
    .where('tenant_id', '=', of.tenantId)
    .where('what', '=', 'application')
    .where('expires_at', '>', of.nowMs)
  if (of.by !== undefined) those = those.where('user_id', '=', of.by)
  const row = await tx
    .selectFrom(those.limit(most).as('those'))
    .select((eb) => eb.fn.countAll().as('rows'))
    .executeTakeFirstOrThrow()
  return Number(row.rows)
}
