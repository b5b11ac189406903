// Queries over resource groups: every subscription record has exactly one, written in the same transaction as its
// subscription. Reads bring the subscription's version along, because it counts every change of the pair.

import type { Insertable } from 'kysely'
import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

/** A group with the version of the pair that it belongs to. */
export interface StoredResourceGroup {
  id: string
  name: string
  location: string
  provisioning_state: string
  version: number
}

const columns = [
  'resource_groups.id',
  'resource_groups.name',
  'resource_groups.location',
  'resource_groups.provisioning_state',
  'subscriptions.version',
] as const

/** One group of a tenant, by its own id or by the subscription record that it belongs to; or undefined. */
export function findResourceGroup(
  db: Statements,
  tenantId: string,
  by: { id: string } | { subscriptionRecordId: string },
): Promise<StoredResourceGroup | undefined> {
  const groups = groupsOf(db, tenantId)
  const found =
    'id' in by
      ? groups.where('resource_groups.id', '=', by.id)
      : groups.where('resource_groups.subscription_record_id', '=', by.subscriptionRecordId)
  return found.executeTakeFirst()
}

/** Groups of a tenant in the order of their ids, at most `limit`, those after `afterId` only. */
export function listResourceGroups(
  db: Statements,
  tenantId: string,
  page: { afterId: string | undefined; limit: number },
): Promise<StoredResourceGroup[]> {
  const groups = groupsOf(db, tenantId).orderBy('resource_groups.id').limit(page.limit)
  return (page.afterId === undefined ? groups : groups.where('resource_groups.id', '>', page.afterId)).execute()
}

/** Adds the group of a new subscription record. */
export async function insertResourceGroup(tx: Statements, row: Insertable<Tables['resource_groups']>): Promise<void> {
  await tx.insertInto('resource_groups').values(row).execute()
}

/** Renames the group of a subscription record and sets its provisioning state. */
export async function updateResourceGroup(
  tx: Statements,
  key: { tenantId: string; subscriptionRecordId: string },
  change: { name: string; provisioningState: string },
  now: number,
): Promise<void> {
  await tx
    .updateTable('resource_groups')
    .set({ name: change.name, provisioning_state: change.provisioningState, updated_at: now })
    .where('tenant_id', '=', key.tenantId)
    .where('subscription_record_id', '=', key.subscriptionRecordId)
    .execute()
}

function groupsOf(db: Statements, tenantId: string) {
  return db
    .selectFrom('resource_groups')
    .innerJoin('subscriptions', 'subscriptions.id', 'resource_groups.subscription_record_id')
    .select(columns)
    .where('resource_groups.tenant_id', '=', tenantId)
    .where('subscriptions.tenant_id', '=', tenantId)
}
