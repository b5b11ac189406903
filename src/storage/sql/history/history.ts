// The short history of all instances: one row for each slot of each instance, written by nobody else and replaced as a
// whole, so that a repeated write counts nothing twice.

import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

export type HistoryRow = Tables['history']

/** Writes rows, each in the place of the one before. At most a hundred at a time. */
export async function writeHistory(tx: Statements, rows: readonly HistoryRow[]): Promise<void> {
  await tx
    .insertInto('history')
    .values([...rows])
    .onConflict((conflict) =>
      conflict.columns(['slot_seconds', 'at', 'instance_id']).doUpdateSet((eb) => ({ body: eb.ref('excluded.body') })),
    )
    .execute()
}

/** The slots of one length that began in a stretch (epoch ms, `to` excluded) at other instances; at most `limit`. */
export async function readHistory(
  statements: Statements,
  about: { slotSeconds: number; from: number; to: number; exceptInstance: string; limit: number },
): Promise<Pick<HistoryRow, 'at' | 'body'>[]> {
  const rows = await statements
    .selectFrom('history')
    .select(['at', 'body'])
    .where('slot_seconds', '=', about.slotSeconds)
    .where('at', '>=', about.from)
    .where('at', '<', about.to)
    .where('instance_id', '!=', about.exceptInstance)
    .orderBy('at')
    .orderBy('instance_id')
    .limit(about.limit)
    .execute()
  return rows.map(({ at, body }) => ({ at: Number(at), body }))
}

/** Deletes slots of one length that began before `before` (epoch ms), at most `limit` rows; how many. */
export async function deleteHistory(
  tx: Statements,
  { slotSeconds, before, limit }: { slotSeconds: number; before: number; limit: number },
): Promise<number> {
  const key = ['slot_seconds', 'at', 'instance_id'] as const
  const dead = tx
    .selectFrom('history')
    .select(key)
    .where('slot_seconds', '=', slotSeconds)
    .where('at', '<', before)
    .orderBy('at')
    .limit(limit)
  const deleted = await tx
    .deleteFrom('history')
    .where(({ eb, refTuple }) => eb(refTuple(...key), 'in', dead.$asTuple(...key)))
    .executeTakeFirst()
  return Number(deleted.numDeletedRows)
}
