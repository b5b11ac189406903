// Queries of the applications that can be restored.

import type { Tables } from '../../rows/tables.js'
import type { Statements } from '../../store.js'

export type DeletedRow = Tables['deleted_applications']
/** All but what is kept. */
export type DeletedLine = Omit<DeletedRow, 'kept'>

/** Adds one. */
export async function insertDeleted(tx: Statements, row: DeletedRow): Promise<void> {
  await tx.insertInto('deleted_applications').values(row).execute()
}

/**
 * One that can be restored at this moment: by its identifier or public key, of that tenant; of any without it. Undefined
 * when there is none.
 */
export async function readDeleted(
  statements: Statements,
  { id, tenantId, nowMs }: { id: string; tenantId?: string | undefined; nowMs: number },
): Promise<DeletedRow | undefined> {
  let query = statements
    .selectFrom('deleted_applications')
    .selectAll()
    .where((one) => one.or([one('id', '=', id), one('public_key', '=', id)]))
    .where('purge_at', '>', nowMs)
  if (tenantId !== undefined) query = query.where('tenant_id', '=', tenantId)
  return query.executeTakeFirst()
}

/** Takes one away, for good or because it is back; whether it was there. */
export async function removeDeleted(tx: Statements, id: string): Promise<boolean> {
  const removed = await tx.deleteFrom('deleted_applications').where('id', '=', id).returning('id').executeTakeFirst()
  return removed !== undefined
}
