// What a webhook's owners do with deliveries: try it out, and have an event sent once more.

import { randomUUID } from 'node:crypto'
import { type DirectoryWrites, write } from '../directory/writes.js'
import { appendAudit } from '../ledger/append-audit.js'
import { type DeliveryRow, updateDelivery } from '../storage/sql/webhooks/event-deliveries.js'
import type { WebhookRow } from '../storage/sql/webhooks/webhooks.js'
import { type AttemptDependencies, sendEvent } from './attempt.js'
import { cloudEvent } from './cloud-event.js'
import { WebhookRefusal } from './refusal.js'
import type { Sent } from './send.js'
import { aboutWebhook } from './webhooks.js'

export interface TestDependencies extends Pick<AttemptDependencies, 'sealer' | 'send' | 'now'> {
  baseUrl: string
}

/** Sends `portcullis.test` at once, once, enabled or not; it is no delivery. Throws MasterKeyMismatch. */
export async function sendTestEvent(deps: TestDependencies, webhook: WebhookRow): Promise<Sent & { eventId: string }> {
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
  if (webhook.enabled === 0) throw new WebhookRefusal('WebhookDisabled', 'The webhook is disabled: enable it first.')
  return write(writes, async ({ tx, nowMs }) => {
    const again = { state: 'waiting', attempts: 0, next_at: nowMs }
    const row = await updateDelivery(tx, { id: deliveryId, webhookId: webhook.id }, again)
    if (row === undefined) throw new WebhookRefusal('DeliveryNotFound', 'There is no such delivery.')
    await appendAudit(writes, tx, aboutWebhook(webhook, 'redelivered', { event: row.event_id, type: row.type }))
    return row
  })
}
