// Reading deliveries: whose turn it is, what a webhook was sent, how much waits; and taking old ones away.

import type { Statements } from '../store.js'
import type { DeliveryRow } from './event-deliveries.js'
import type { WebhookRow } from './webhooks.js'

/** Enabled webhooks with something due at `nowMs`, those that wait longest first, without the `busy` ones. */
export async function listDueWebhooks(
  statements: Statements,
  { nowMs, busy, limit }: { nowMs: number; busy: readonly string[]; limit: number },
): Promise<Pick<WebhookRow, 'id' | 'tenant_id'>[]> {
  let due = statements
    .selectFrom('event_deliveries')
    .innerJoin('webhooks', 'webhooks.id', 'event_deliveries.webhook_id')
    .select(['webhooks.id', 'webhooks.tenant_id'])
    .where('webhooks.enabled', '=', 1)
    .where('event_deliveries.state', '=', 'waiting')
    .where('event_deliveries.next_at', '<=', nowMs)
  if (busy.length > 0) due = due.where('event_deliveries.webhook_id', 'not in', [...busy])
  return due
    .groupBy(['webhooks.id', 'webhooks.tenant_id'])
    .orderBy((row) => row.fn.min('event_deliveries.next_at'))
    .limit(limit)
    .execute()
}

/**
 * Of a webhook: what is due next at `due`, one; else the newest, at most `limit`; of `state`, when it is given, and
 * before the position `before`.
 */
export async function listDeliveries(
  statements: Statements,
  of:
    | { webhookId: string; due: number }
    | { webhookId: string; state: string | undefined; before?: number | undefined; limit: number },
): Promise<DeliveryRow[]> {
  const all = statements.selectFrom('event_deliveries').selectAll().where('webhook_id', '=', of.webhookId)
  if ('due' in of) {
    const due = all.where('state', '=', 'waiting').where('next_at', '<=', of.due)
    return due.orderBy('next_at').orderBy('position').limit(1).execute()
  }
  const ofState = of.state === undefined ? all : all.where('state', '=', of.state)
  const wanted = of.before === undefined ? ofState : ofState.where('position', '<', of.before)
  return wanted.orderBy('position', 'desc').limit(of.limit).execute()
}

/** How many wait, and since when the one that has waited longest. Those of disabled webhooks do not count. */
export async function readBacklog(statements: Statements): Promise<{ waiting: number; oldest: number | undefined }> {
  const row = await statements
    .selectFrom('event_deliveries')
    .innerJoin('webhooks', 'webhooks.id', 'event_deliveries.webhook_id')
    .select((all) => [all.fn.countAll().as('waiting'), all.fn.min('event_deliveries.created_at').as('oldest')])
    .where('webhooks.enabled', '=', 1)
    .where('event_deliveries.state', '=', 'waiting')
    .executeTakeFirstOrThrow()
  return { waiting: Number(row.waiting), oldest: row.oldest ?? undefined }
}

/** Deletes deliveries that were made before a time, at most `limit`; how many. `state`: of that only. */
export async function pruneDeliveries(
  tx: Statements,
  { createdBefore, state, limit }: { createdBefore: number; state: string | undefined; limit: number },
): Promise<number> {
  const old = tx.selectFrom('event_deliveries').select('id').where('created_at', '<', createdBefore)
  const wanted = state === undefined ? old : old.where('state', '=', state)
  const ids = (await wanted.orderBy('created_at').limit(limit).execute()).map(({ id }) => id)
  if (ids.length > 0) await tx.deleteFrom('event_deliveries').where('id', 'in', ids).execute()
  return ids.length
}
