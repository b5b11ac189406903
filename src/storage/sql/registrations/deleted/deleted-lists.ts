// Lists of the applications that can be restored, and of those whose time is over.

import type { Statements } from '../../store.js'
import type { DeletedLine, Moment } from './deleted-rows.js'

const columns = [
  'id',
  'public_key',
  'tenant_id',
  'name',
  'publisher',
  'verified',
  'type',
  'deleted_at',
  'deleted_by',
  'purge_at',
] as const

/** A page by name in code point order, then id. */
export async function listDeleted(
  statements: Statements,
  options: {
    tenantId: string | undefined
    after: { name: string; id: string } | undefined
    limit: number
  } & Moment,
): Promise<DeletedLine[]> {
  const { tenantId, after, limit, nowMs, restorableMs } = options
  let query = statements
    .selectFrom('deleted_applications')
    .select(columns)
    .where('purge_at', '>', nowMs)
    .where('deleted_at', '>', nowMs - restorableMs)
  if (tenantId !== undefined) query = query.where('tenant_id', '=', tenantId)
  if (after !== undefined) {
    query = query.where((where) => where(where.refTuple('name', 'id'), '>', where.tuple(after.name, after.id)))
  }
  return query.orderBy('name').orderBy('id').limit(limit).execute()
}

/** Those whose time is over, the longest ago first. */
export async function listOverdue(
  statements: Statements,
  { nowMs, restorableMs }: Moment,
  limit: number,
): Promise<DeletedLine[]> {
  return statements
    .selectFrom('deleted_applications')
    .select(columns)
    .where((one) => one.or([one('purge_at', '<=', nowMs), one('deleted_at', '<=', nowMs - restorableMs)]))
    .orderBy('purge_at')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Those of a tenant beyond the newest `most`, the oldest first; of each sweep at most a hundred. */
export async function listBeyond(tx: Statements, tenantId: string, most: number): Promise<DeletedLine[]> {
  const rows = await tx
    .selectFrom('deleted_applications')
    .select(columns)
    .where('tenant_id', '=', tenantId)
    .orderBy('deleted_at', 'desc')
    .orderBy('id', 'desc')
    .offset(most)
    .limit(100)
    .execute()
  return rows.reverse()
}

/** Takes one away whose time is over; false when it is not there, or was deleted again since. */
export async function removeOverdue(tx: Statements, id: string, { nowMs, restorableMs }: Moment): Promise<boolean> {
  const removed = await tx
    .deleteFrom('deleted_applications')
    .where('id', '=', id)
    .where((one) => one.or([one('purge_at', '<=', nowMs), one('deleted_at', '<=', nowMs - restorableMs)]))
    .returning('id')
    .executeTakeFirst()
  return removed !== undefined
}
