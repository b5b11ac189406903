// What an overview says of events on their way to webhooks.

import type { Statements } from '../store.js'

/** A count of so many means: at least. */
const mostCounted = 10_000

/** Deliveries with the state `dead` (they were tried until nothing more was to be hoped for), the most first. */
export async function countDeadLetters(
  statements: Statements,
): Promise<{ webhookId: string; tenantId: string; count: number }[]> {
  const dead = statements
    .selectFrom('event_deliveries')
    .select('webhook_id')
    .where('state', '=', 'dead')
    .limit(mostCounted)
  const rows = await statements
    .selectFrom(dead.as('few'))
    .innerJoin('webhooks', 'webhooks.id', 'few.webhook_id')
    .select(({ fn }) => ['webhooks.id', 'webhooks.tenant_id', fn.countAll().as('rows')])
    .groupBy(['webhooks.id', 'webhooks.tenant_id'])
    .execute()
  return rows
    .map(({ id, tenant_id: tenantId, rows: count }) => ({ webhookId: id, tenantId, count: Number(count) }))
    .sort((one, other) => other.count - one.count || (one.webhookId < other.webhookId ? -1 : 1))
}
