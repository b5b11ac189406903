// Events that are of no tenant but about a person who belongs to one: which tenants see them, noted beside the ledger
// and the activity log when the event is written. So people who join later do not bring their past along, those who
// leave take their future with them, and a page of a tenant is read by an index.

import type { Statements } from '../store.js'
import type { ActivityRow } from './activity.js'

/**
 * Notes a row of the ledger for every tenant to which the person belongs at this moment, or for `tenantIds` where their
 * memberships are gone already.
 */
export async function insertLedgerMembers(
  tx: Statements,
  {
    position,
    event,
    userId,
    tenantIds,
  }: {
    position: number
    event: string
    userId: string
    tenantIds?: readonly string[] | undefined
  },
): Promise<void> {
  const tenants =
    tenantIds ??
    (await tx.selectFrom('memberships').select('tenant_id').where('user_id', '=', userId).execute()).map(
      ({ tenant_id }) => tenant_id,
    )
  if (tenants.length === 0) return
  const limited = tenants.length > 1 ? 1 : 0
  await tx
    .insertInto('ledger_members')
    .values(tenants.map((tenant_id) => ({ tenant_id, position, event, user_id: userId, limited })))
    .execute()
}

/** The same for rows of the activity log that were inserted in this transaction, of these events. */
export async function insertActivityMembers(
  tx: Statements,
  rows: readonly ActivityRow[],
  events: ReadonlySet<string>,
): Promise<void> {
  const noted = rows.filter((row) => row.tenant_id === null && row.user_id !== null && events.has(row.event))
  if (noted.length === 0) return
  const people = [...new Set(noted.map(({ user_id }) => user_id ?? ''))]
  const found = await tx
    .selectFrom('memberships')
    .select(['user_id', 'tenant_id'])
    .where('user_id', 'in', people)
    .execute()
  const values = noted.flatMap(({ at, id, user_id }) => {
    const places = found.filter((membership) => membership.user_id === user_id)
    return places.map(({ tenant_id }) => ({ tenant_id, at, id, limited: places.length > 1 ? 1 : 0 }))
  })
  for (let from = 0; from < values.length; from += 100) {
    await tx
      .insertInto('activity_members')
      .values(values.slice(from, from + 100))
      .execute()
  }
}

/** Forgets what was noted of rows of the ledger that are gone. */
export async function deleteLedgerMembers(tx: Statements, through: number, limit: number): Promise<number> {
  const dead = await tx
    .selectFrom('ledger_members')
    .select('position')
    .distinct()
    .where('position', '<=', through)
    .orderBy('position')
    .limit(limit)
    .execute()
  if (dead.length === 0) return 0
  const positions = dead.map(({ position }) => Number(position))
  await tx.deleteFrom('ledger_members').where('position', 'in', positions).execute()
  return dead.length
}
