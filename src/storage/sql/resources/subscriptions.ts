// Queries over subscriptions. Every query names the tenant. Writes name the version that the writer has read and change
// nothing when it is no longer that one (one conditional statement each, so two writers cannot both win).

import type { Insertable, Selectable } from 'kysely'
import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

/** A subscription as it is stored. */
export type StoredSubscription = Selectable<Tables['subscriptions']>

/** Which record, at which version. */
export interface SubscriptionVersion {
  tenantId: string
  id: string
  version: number
}

/** One subscription of a tenant, or undefined. */
export function findSubscription(
  db: Statements,
  tenantId: string,
  id: string,
): Promise<StoredSubscription | undefined> {
  return db
    .selectFrom('subscriptions')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Adds a subscription; its resource group is added in the same transaction (resource-groups.ts). */
export async function insertSubscription(tx: Statements, row: Insertable<Tables['subscriptions']>): Promise<void> {
  await tx.insertInto('subscriptions').values(row).execute()
}

/** Changes name or state and counts the version up. Undefined when the record is not at that version any more. */
export function updateSubscription(
  tx: Statements,
  at: SubscriptionVersion,
  change: { displayName: string; state: string },
  now: number,
): Promise<StoredSubscription | undefined> {
  return tx
    .updateTable('subscriptions')
    .set({ display_name: change.displayName, state: change.state, version: at.version + 1, updated_at: now })
    .where('tenant_id', '=', at.tenantId)
    .where('id', '=', at.id)
    .where('version', '=', at.version)
    .returningAll()
    .executeTakeFirst()
}

/** Removes a subscription and its resource group. False when it is not at that version any more. */
export async function deleteSubscription(tx: Statements, at: SubscriptionVersion): Promise<boolean> {
  // The conditional update takes the row's lock: from here on the version cannot change, and the group, whose row
  // refers to the subscription's, may go first.
  const held = await tx
    .updateTable('subscriptions')
    .set({ version: at.version + 1 })
    .where('tenant_id', '=', at.tenantId)
    .where('id', '=', at.id)
    .where('version', '=', at.version)
    .returning('id')
    .executeTakeFirst()
  if (held === undefined) return false
  await tx
    .deleteFrom('resource_groups')
    .where('tenant_id', '=', at.tenantId)
    .where('subscription_record_id', '=', at.id)
    .execute()
  await tx.deleteFrom('subscriptions').where('tenant_id', '=', at.tenantId).where('id', '=', at.id).execute()
  return true
}
