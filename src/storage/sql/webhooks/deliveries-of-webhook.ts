// Reading of one webhook: a delivery, and how many there are in a state.

import type { Statements } from '../store.js'
import type { DeliveryRow } from './event-deliveries.js'

/** The delivery of a webhook; undefined when there is none such. */
export async function readDelivery(
  statements: Statements,
  { id, webhookId }: { id: string; webhookId: string },
): Promise<DeliveryRow | undefined> {
  const found = statements.selectFrom('event_deliveries').selectAll().where('id', '=', id)
  return found.where('webhook_id', '=', webhookId).executeTakeFirst()
}

/** How many deliveries of a webhook are in a state, counted up to `limit`. */
export async function countDeliveries(
  statements: Statements,
  { webhookId, state, limit }: { webhookId: string; state: string; limit: number },
): Promise<number> {
  const found = statements
    .selectFrom('event_deliveries')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .where('state', '=', state)
    .limit(limit)
  const counted = statements.selectFrom(found.as('found')).select((all) => all.fn.countAll().as('count'))
  return Number((await counted.executeTakeFirstOrThrow()).count)
}
