// What a webhook's owners do with deliveries: try it out, have an event sent once more, or all dead letters.

import { randomUUID } from 'node:crypto'
import { type DirectoryWrites, write } from '../directory/writes.js'
import { appendAudit } from '../ledger/append-audit.js'
import { countDeliveries } from '../storage/sql/webhooks/deliveries-of-webhook.js'
import { type DeliveryRow, replayDeadLetters, updateDelivery } from '../storage/sql/webhooks/event-deliveries.js'
import type { WebhookRow } from '../storage/sql/webhooks/webhooks.js'
import { type AttemptDependencies, sendEvent, type TimedSent } from './attempt.js'
import { cloudEvent } from './cloud-event.js'
import { WebhookRefusal } from './refusal.js'
import { aboutWebhook } from './webhooks.js'

/** Put in line again at once; a round of the delivery worker takes fifty. */
const mostReplayed = 1_000

export interface TestDependencies extends Pick<AttemptDependencies, 'sealer' | 'send' | 'now'> {
  baseUrl: string
}

/** Sends `portcullis.test` at once, once, enabled or not; it is no delivery. Throws MasterKeyMismatch. */
export async function sendTestEvent(
  deps: TestDependencies,
  webhook: WebhookRow,
): Promise<TimedSent & { eventId: string }> {
  const [eventId, { baseUrl }] = [randomUUID(), deps]
  const data = { tenantId: webhook.tenant_id, webhookId: webhook.id }
  const event = { id: eventId, baseUrl, type: 'test', subject: `webhooks/${webhook.id}`, at: deps.now(), data } as const
  return { ...(await sendEvent(deps, webhook, { id: eventId, body: cloudEvent(event) })), eventId }
}

/**
 * Puts a delivery in line again from its first attempt, whatever became of it; the event keeps its id. Throws
 * WebhookRefusal (DeliveryNotFound, WebhookDisabled) and StoreUnavailable.
 */
export async function redeliver(
  writes: DirectoryWrites,
  webhook: WebhookRow,
  deliveryId: string,
): Promise<DeliveryRow> {
  requireEnabled(webhook)
  return write(writes, async ({ tx, nowMs }) => {
    const again = { state: 'waiting', attempts: 0, next_at: nowMs }
    const row = await updateDelivery(tx, { id: deliveryId, webhookId: webhook.id }, again)
    if (row === undefined) throw new WebhookRefusal('DeliveryNotFound', 'There is no such delivery.')
    await appendAudit(writes, tx, aboutWebhook(webhook, 'redelivered', { event: row.event_id, type: row.type }))
    return row
  })
}

/**
 * Puts the dead letters of a webhook in line again, the oldest first, each from its first attempt; events keep their
 * ids. `isMore`: there were more than are taken at once. Throws WebhookRefusal (WebhookDisabled) and StoreUnavailable.
 */
export async function replay(
  writes: DirectoryWrites,
  webhook: WebhookRow,
): Promise<{ count: number; isMore: boolean }> {
  requireEnabled(webhook)
  const of = { webhookId: webhook.id, state: 'dead', limit: 1 }
  return write(writes, async ({ tx, nowMs }) => {
    const count = await replayDeadLetters(tx, { webhookId: webhook.id, nowMs, limit: mostReplayed })
    if (count > 0) await appendAudit(writes, tx, aboutWebhook(webhook, 'replayed', { count }))
    return { count, isMore: count === mostReplayed && (await countDeliveries(tx, of)) > 0 }
  })
}

function requireEnabled({ enabled }: WebhookRow): void {
  if (enabled === 0) throw new WebhookRefusal('WebhookDisabled', 'The webhook is disabled: enable it first.')
}
