// Queries of the owners of applications.

import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'
import { forgetKeptOwner } from './deleted/kept-content.js'

export type OwnerRow = Tables['application_owners']

/** The owners of an application, the oldest first. */
export async function readOwners(statements: Statements, applicationId: string): Promise<OwnerRow[]> {
  return statements
    .selectFrom('application_owners')
    .selectAll()
    .where('application_id', '=', applicationId)
    .orderBy('added_at')
    .orderBy('owner_id')
    .execute()
}

/** Adds one; false when it is one already. */
export async function insertOwner(tx: Statements, row: OwnerRow): Promise<boolean> {
  const added = await tx
    .insertInto('application_owners')
    .values(row)
    .onConflict((conflict) => conflict.columns(['application_id', 'owner_id']).doNothing())
    .returning('owner_id')
    .executeTakeFirst()
  return added !== undefined
}

/** Removes one; false when it was none. */
export async function deleteOwner(tx: Statements, owner: { applicationId: string; ownerId: string }): Promise<boolean> {
  const removed = await tx
    .deleteFrom('application_owners')
    .where('application_id', '=', owner.applicationId)
    .where('owner_id', '=', owner.ownerId)
    .returning('owner_id')
    .executeTakeFirst()
  return removed !== undefined
}

/** Somebody owns nothing any more: anywhere, or among the applications of a tenant, deleted ones too. */
export async function deleteOwnerships(tx: Statements, ownerId: string, tenantId?: string): Promise<void> {
  let rows = tx.deleteFrom('application_owners').where('owner_id', '=', ownerId)
  if (tenantId !== undefined) {
    const own = tx.selectFrom('applications').select('id').where('tenant_id', '=', tenantId)
    rows = rows.where('application_id', 'in', own)
  }
  await rows.execute()
  await forgetKeptOwner(tx, ownerId, tenantId)
}
