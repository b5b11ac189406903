// Counts that are kept no longer leave, in bounded batches.

import type { Statements } from '../store.js'

const permissionKey = ['application_id', 'tenant_id', 'kind', 'resource', 'permission_id'] as const
const routeKey = ['application_id', 'tenant_id', 'day', 'route'] as const

/** Deletes the uses of at most `limit` permissions on days before `day` (since 1970); how many rows that were. */
export async function deletePermissionUsage(tx: Statements, day: number, limit: number): Promise<number> {
  const dead = tx
    .selectFrom('permission_usage')
    .select(permissionKey)
    .where('day', '<', day)
    .orderBy('day')
    .limit(limit)
  const deleted = await tx
    .deleteFrom('permission_usage')
    .where(({ eb, refTuple }) => eb(refTuple(...permissionKey), 'in', dead.$asTuple(...permissionKey)))
    .where('day', '<', day)
    .executeTakeFirst()
  return Number(deleted.numDeletedRows)
}

/** Deletes the calls of days before `day` (since 1970), at most `limit` rows; how many. */
export async function deleteRouteUsage(tx: Statements, day: number, limit: number): Promise<number> {
  const dead = tx.selectFrom('route_usage').select(routeKey).where('day', '<', day).orderBy('day').limit(limit)
  const deleted = await tx
    .deleteFrom('route_usage')
    .where(({ eb, refTuple }) => eb(refTuple(...routeKey), 'in', dead.$asTuple(...routeKey)))
    .executeTakeFirst()
  return Number(deleted.numDeletedRows)
}

/** Forgets the batches of instances whose last one was before `beforeMs` (epoch); how many. */
export async function deleteUsageFlushes(tx: Statements, beforeMs: number): Promise<number> {
  const deleted = await tx.deleteFrom('usage_flushes').where('at', '<', beforeMs).executeTakeFirst()
  return Number(deleted.numDeletedRows)
}
