// The queries of webhooks and deliveries; see store-queries.ts, whose tenant t1 they stand on.

import type { Statements } from '../../src/storage/sql/store.js'
import { countDeliveries, readDelivery } from '../../src/storage/sql/webhooks/deliveries-of-webhook.js'
import {
  listDeliveries,
  listDueWebhooks,
  pruneDeliveries,
  readBacklog,
} from '../../src/storage/sql/webhooks/delivery-lists.js'
import { isLedgerAhead, lockEventCursor } from '../../src/storage/sql/webhooks/event-cursor.js'
import {
  addDeliveries,
  beginDelivery,
  type DeliveryRow,
  replayDeadLetters,
  updateDelivery,
} from '../../src/storage/sql/webhooks/event-deliveries.js'
import { deleteWebhook, insertWebhook, readWebhooks, updateWebhook } from '../../src/storage/sql/webhooks/webhooks.js'

const webhook = (id: string, createdAt: number) => ({
  ...{ id, tenant_id: 't1', url: `https://${id}.test/`, events: '["*"]', secret: 'sealed', enabled: 1 },
  ...{ disabled_because: null, created_by: '', created_at: createdAt, updated_at: createdAt, failing_since: null },
  ...{ earlier_secret: null, earlier_until: null },
})
const delivery = (webhookId: string, position: number): DeliveryRow => ({
  ...{ id: `${webhookId}-${position}`, webhook_id: webhookId, position, event_id: `e${position}`, type: 't' },
  ...{ body: '{}', created_at: position, state: 'waiting', attempts: 0, next_at: 100 },
  ...{ last_at: null, last_status: null, last_reason: null, last_ms: null },
})

export const webhookQueries: readonly ((tx: Statements) => Promise<unknown>)[] = [
  (tx) => insertWebhook(tx, webhook('w2', 1)),
  (tx) => insertWebhook(tx, webhook('w1', 2)),
  (tx) => readWebhooks(tx, {}),
  (tx) => readWebhooks(tx, { tenantId: 't1', id: 'w1' }),
  (tx) => readWebhooks(tx, { tenantId: 't2' }),
  (tx) => isLedgerAhead(tx),
  (tx) => lockEventCursor(tx),
  (tx) => addDeliveries(tx, [delivery('w1', 5), delivery('w1', 4), delivery('w2', 5)], 5),
  (tx) => addDeliveries(tx, [], 7),
  (tx) => lockEventCursor(tx),
  (tx) => listDueWebhooks(tx, { nowMs: 99, busy: [], limit: 5 }),
  (tx) => updateDelivery(tx, { id: 'w2-5' }, { next_at: 99 }),
  (tx) => listDueWebhooks(tx, { nowMs: 100, busy: [], limit: 5 }),
  (tx) => listDueWebhooks(tx, { nowMs: 100, busy: ['w2'], limit: 5 }),
  (tx) => listDueWebhooks(tx, { nowMs: 100, busy: [], limit: 1 }),
  (tx) => listDeliveries(tx, { webhookId: 'w1', due: 100 }),
  (tx) => beginDelivery(tx, { id: 'w1-4', attempts: 0 }, 160),
  (tx) => beginDelivery(tx, { id: 'w1-4', attempts: 0 }, 160),
  (tx) => listDeliveries(tx, { webhookId: 'w1', due: 100 }),
  (tx) => updateDelivery(tx, { id: 'w1-4', attempts: 0 }, { state: 'delivered' }),
  (tx) => updateDelivery(tx, { id: 'w1-4', attempts: 1 }, { state: 'dead', last_at: 101, last_status: 500 }),
  (tx) => updateDelivery(tx, { id: 'w1-4', webhookId: 'w2' }, { state: 'waiting' }),
  (tx) => beginDelivery(tx, { id: 'w1-4', attempts: 1 }, 160),
  (tx) => readBacklog(tx),
  (tx) => updateWebhook(tx, { id: 'w2', url: 'https://other.test/' }, { enabled: 0 }),
  (tx) => updateWebhook(tx, { id: 'w2', url: 'https://w2.test/' }, { enabled: 0, disabled_because: 'gone' }),
  (tx) => readWebhooks(tx, { enabled: true }),
  (tx) => readBacklog(tx),
  (tx) => listDueWebhooks(tx, { nowMs: 1000, busy: [], limit: 5 }),
  (tx) => listDeliveries(tx, { webhookId: 'w1', state: undefined, limit: 5 }),
  (tx) => listDeliveries(tx, { webhookId: 'w1', state: 'dead', limit: 5 }),
  (tx) => listDeliveries(tx, { webhookId: 'w1', state: undefined, limit: 1 }),
  (tx) => listDeliveries(tx, { webhookId: 'w1', state: undefined, before: 5, limit: 5 }),
  (tx) => readDelivery(tx, { id: 'w1-4', webhookId: 'w1' }),
  (tx) => readDelivery(tx, { id: 'w1-4', webhookId: 'w2' }),
  (tx) => countDeliveries(tx, { webhookId: 'w1', state: 'dead', limit: 5 }),
  (tx) => countDeliveries(tx, { webhookId: 'w1', state: 'waiting', limit: 0 }),
  (tx) => replayDeadLetters(tx, { webhookId: 'w2', nowMs: 200, limit: 5 }),
  (tx) => replayDeadLetters(tx, { webhookId: 'w1', nowMs: 200, limit: 5 }),
  (tx) => replayDeadLetters(tx, { webhookId: 'w1', nowMs: 200, limit: 5 }),
  (tx) => readDelivery(tx, { id: 'w1-4', webhookId: 'w1' }),
  (tx) => pruneDeliveries(tx, { createdBefore: 5, state: 'delivered', limit: 5 }),
  (tx) => pruneDeliveries(tx, { createdBefore: 6, state: undefined, limit: 1 }),
  (tx) => deleteWebhook(tx, 'w1'),
  (tx) => deleteWebhook(tx, 'w1'),
  (tx) => listDeliveries(tx, { webhookId: 'w1', state: undefined, limit: 5 }),
  (tx) => readBacklog(tx),
]
