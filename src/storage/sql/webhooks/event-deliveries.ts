// Queries of deliveries as they are made: written once for each position of the ledger, begun by one, noted by the
// same.

import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

export type DeliveryRow = Tables['event_deliveries']

/**
 * Adds what the rows of the ledger up to `position` tell, and moves the cursor there. After lockEventCursor. What is
 * there is left as it is: a row that all tenants hear of may have been begun before.
 */
export async function addDeliveries(tx: Statements, rows: readonly DeliveryRow[], position: number): Promise<void> {
  // A parameter for each column: engines take some ten thousand.
  for (let from = 0; from < rows.length; from += 500) {
    await tx
      .insertInto('event_deliveries')
      .values(rows.slice(from, from + 500))
      .onConflict((conflict) => conflict.columns(['webhook_id', 'position']).doNothing())
      .execute()
  }
  await tx.updateTable('event_cursor').set({ position }).where('id', '=', 1).execute()
}

/**
 * Begins an attempt at a delivery that is as it was read: counts it, and says when it counts as lost. False when
 * somebody else has begun it, or it is over.
 */
export async function beginDelivery(
  tx: Statements,
  { id, attempts }: Pick<DeliveryRow, 'id' | 'attempts'>,
  lostAt: number,
): Promise<boolean> {
  const started = await tx
    .updateTable('event_deliveries')
    .set({ attempts: attempts + 1, next_at: lostAt })
    .where('id', '=', id)
    .where('state', '=', 'waiting')
    .where('attempts', '=', attempts)
    .returning('id')
    .executeTakeFirst()
  return started !== undefined
}

/**
 * Changes a delivery, with `attempts` only while it counts so many; the row as it is then, undefined when there is none
 * such.
 */
export async function updateDelivery(
  tx: Statements,
  which: { id: string; webhookId?: string | undefined; attempts?: number | undefined },
  change: Partial<
    Pick<DeliveryRow, 'state' | 'attempts' | 'next_at' | 'last_at' | 'last_status' | 'last_reason' | 'last_ms'>
  >,
): Promise<DeliveryRow | undefined> {
  let rows = tx.updateTable('event_deliveries').set(change).where('id', '=', which.id)
  if (which.webhookId !== undefined) rows = rows.where('webhook_id', '=', which.webhookId)
  if (which.attempts !== undefined) rows = rows.where('attempts', '=', which.attempts)
  return rows.returningAll().executeTakeFirst()
}

/**
 * Puts dead letters of a webhook in line again, the oldest first, at most `limit`, each from its first attempt; how
 * many there were.
 */
export async function replayDeadLetters(
  tx: Statements,
  { webhookId, nowMs, limit }: { webhookId: string; nowMs: number; limit: number },
): Promise<number> {
  const dead = tx
    .selectFrom('event_deliveries')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'dead')
  const ids = (await dead.orderBy('position').limit(limit).execute()).map(({ id }) => id)
  const again = { state: 'waiting', attempts: 0, next_at: nowMs }
  if (ids.length > 0) await tx.updateTable('event_deliveries').set(again).where('id', 'in', ids).execute()
  return ids.length
}
