// An event that was given up on its way to a webhook, for pages and calls to be about; no leader has to run for it.

import { randomUUID } from 'node:crypto'
import type { Store } from '../../../src/storage/sql/store.js'

/** Adds a dead letter, and answers its id. `position` is its own among those of the webhook. */
export async function plantDelivery(store: Store, webhookId: string, position = 1): Promise<string> {
  const [id, eventId] = [randomUUID(), randomUUID()]
  const data = { applicationId: randomUUID(), keyId: '1', days: 7, actor: { kind: 'system' } }
  const head = { specversion: '1.0', id: eventId, source: 'https://x.test', type: 'portcullis.secret.expiring' }
  const row = {
    ...{ id, webhook_id: webhookId, position, event_id: eventId, type: 'secret.expiring' },
    ...{ body: JSON.stringify({ ...head, data }), created_at: 1_795_000_000_000, state: 'dead', attempts: 11 },
    ...{ next_at: 0, last_at: 1_795_086_400_000, last_status: 503, last_reason: 'status', last_ms: 41 },
  }
  await store.transaction((tx) => tx.insertInto('event_deliveries').values(row).execute())
  return id
}
