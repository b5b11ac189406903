// Up to which day each instance has written what it counted. Days since 1970 in UTC.

import type { Statements } from '../store.js'

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
