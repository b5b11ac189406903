// The end of a request for a plan. Only one that is open ends, so of two ends at the same time one happens.

import type { Statements } from '../../store.js'

/** Notes that it was declined, and why; whether it was open. */
export async function declinePlanRequest(
  tx: Statements,
  { id, answer, atMs }: { id: string; answer: string; atMs: number },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('plan_requests')
    .set({ declined_at: atMs, answer })
    .where('id', '=', id)
    .where('declined_at', '=', 0)
    .executeTakeFirst()
  return Number(numUpdatedRows) > 0
}

/** Takes an open one away; whether it was there. */
export async function withdrawOpenRequest(tx: Statements, id: string): Promise<boolean> {
  const open = tx.deleteFrom('plan_requests').where('id', '=', id).where('declined_at', '=', 0)
  return Number((await open.executeTakeFirst()).numDeletedRows) > 0
}
