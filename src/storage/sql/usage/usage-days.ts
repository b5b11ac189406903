// The ends of days: which day still takes counts, who has written theirs, and up to where ended days were told of. Days
// since 1970 in UTC.

import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

export type UsageDays = Omit<Tables['usage_days'], 'id'>

const columns = ['open_day', 'next_day', 'next_tenant', 'next_part'] as const

/** As it stands now. Locks nothing. */
export async function readUsageDays(statements: Statements): Promise<UsageDays> {
  const query = statements.selectFrom('usage_days').select(columns).where('id', '=', 1)
  return numbered(await query.executeTakeFirstOrThrow())
}

/** Locks it for the rest of the transaction. The first statement of its transaction. */
export async function lockUsageDays(tx: Statements): Promise<UsageDays> {
  const query = tx.updateTable('usage_days').set((eb) => ({ open_day: eb.ref('open_day') }))
  return numbered(await query.where('id', '=', 1).returning(columns).executeTakeFirstOrThrow())
}

/** The first day that still takes counts. It stays that until the transaction is over, and nobody waits to read it. */
export async function holdOpenDay(tx: Statements): Promise<number> {
  const query = tx.selectFrom('usage_days').select('open_day').where('id', '=', 1).forShare()
  return Number((await query.executeTakeFirstOrThrow()).open_day)
}

/** Writes it. After lockUsageDays. */
export async function setUsageDays(tx: Statements, days: Partial<UsageDays>): Promise<void> {
  await tx.updateTable('usage_days').set(days).where('id', '=', 1).execute()
}

/** An instance has written what it counted on days before `day`. */
export async function noteWritten(tx: Statements, instanceId: string, day: number): Promise<void> {
  await tx
    .insertInto('usage_written')
    .values({ instance_id: instanceId, day })
    .onConflict((conflict) => conflict.column('instance_id').doUpdateSet({ day }))
    .execute()
}

/** The instances that are there, and `own`, which may be by itself without a row: up to which day each has written. */
export async function readWritten(statements: Statements, own: string): Promise<{ id: string; day: number }[]> {
  const written = await statements.selectFrom('usage_written').selectAll().execute()
  const there = await statements.selectFrom('instances').select('id').execute()
  const days = new Map(written.map(({ instance_id, day }) => [instance_id, Number(day)]))
  const ids = new Set([own, ...there.map(({ id }) => id)])
  return [...ids].sort().map((id) => ({ id, day: days.get(id) ?? 0 }))
}

/** Forgets instances that have written nothing since before `day`; how many. */
export async function deleteWritten(tx: Statements, day: number): Promise<number> {
  const deleted = await tx.deleteFrom('usage_written').where('day', '<', day).executeTakeFirst()
  return Number(deleted.numDeletedRows)
}

function numbered({ open_day, next_day, next_tenant, next_part }: UsageDays): UsageDays {
  return { open_day: Number(open_day), next_day: Number(next_day), next_tenant, next_part: Number(next_part) }
}
