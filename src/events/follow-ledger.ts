// The outbox is the ledger: whatever may be told of is written there in the transaction that does it, in the order in
// which it was committed. The leader follows it by position and writes for each webhook that asks for it a delivery, in
// one transaction with the position that it has come to. So nothing is lost by a kill, nothing is told of that did not
// happen, and nothing is written twice by two that lead for a moment.

import { randomUUID } from 'node:crypto'
import { readLedger } from '../storage/sql/ledger/ledger-entries.js'
import type { LedgerRow } from '../storage/sql/ledger/ledger-head.js'
import type { Statements, Store } from '../storage/sql/store.js'
import { isLedgerAhead, lockEventCursor } from '../storage/sql/webhooks/event-cursor.js'
import { addDeliveries, type DeliveryRow } from '../storage/sql/webhooks/event-deliveries.js'
import { readWebhooks, type WebhookRow } from '../storage/sql/webhooks/webhooks.js'
import { cloudEvent } from './cloud-event.js'
import { type EventData, toEvent } from './event-types.js'
import { readUsageLines } from './usage-of-day.js'
import { asksFor } from './webhook-rules.js'

const batch = 200
/** Of one turn; then others have theirs. */
const mostBatches = 20

export interface FollowDependencies {
  store: Pick<Store, 'reader' | 'transaction'>
  baseUrl: string
  /** The plan that an application has now. */
  planOf: (applicationId: string) => string | undefined
  /** Epoch milliseconds. */
  now: () => number
  /** A row that cannot be read, which none of ours is; the others are told of all the same. */
  onError: (error: unknown) => void
}

/**
 * Follows the ledger to its end, or as far as one turn goes; how many deliveries were written. Throws StoreUnavailable.
 */
export async function followLedger(deps: FollowDependencies): Promise<number> {
  let written = 0
  for (let turn = 0; turn < mostBatches; turn += 1) {
    if (!(await isLedgerAhead(deps.store.reader))) return written
    const { rows, deliveries } = await deps.store.transaction((tx) => followBatch(tx, deps), 'first-lock')
    written += deliveries
    if (rows < batch) return written
  }
  return written
}

async function followBatch(tx: Statements, deps: FollowDependencies) {
  const position = await lockEventCursor(tx)
  const rows = await readLedger(tx, position, batch)
  const last = rows.at(-1)
  if (last === undefined) return { rows: 0, deliveries: 0 }
  // After the rows: a webhook that was made before one of them is seen.
  const webhooks = await readWebhooks(tx, { enabled: true })
  const deliveries: DeliveryRow[] = []
  if (webhooks.length > 0) for (const row of rows) deliveries.push(...(await deliveriesOf(tx, row, webhooks, deps)))
  await addDeliveries(tx, deliveries, last.position)
  return { rows: rows.length, deliveries: deliveries.length }
}

async function deliveriesOf(
  tx: Statements,
  row: LedgerRow,
  webhooks: readonly WebhookRow[],
  deps: FollowDependencies,
): Promise<DeliveryRow[]> {
  const event = readable(row, deps.onError)
  if (event === undefined) return []
  const { type, tenantId, subject } = event
  const hearing = webhooks.filter(
    (webhook) => (tenantId === undefined || webhook.tenant_id === tenantId) && asksFor(webhook.events, type),
  )
  if (hearing.length === 0) return []
  const eventId: string = event.id ?? randomUUID()
  const data = type === 'usage.day_ended' ? await withLines(tx, event, deps) : event.data
  const body = cloudEvent({ id: eventId, baseUrl: deps.baseUrl, type, subject, at: row.at, data })
  const nowMs = deps.now()
  return hearing.map((webhook) => ({
    id: randomUUID(),
    webhook_id: webhook.id,
    position: row.position,
    event_id: eventId,
    type,
    body,
    created_at: nowMs,
    state: 'waiting',
    attempts: 0,
    next_at: nowMs,
    last_at: null,
    last_status: null,
    last_reason: null,
    last_ms: null,
  }))
}

/** The ledger has the sums alone; the lines of a day that has ended change no more. */
async function withLines(tx: Statements, { tenantId = '', data }: EventData, { planOf }: FollowDependencies) {
  const { day, part } = data as { day: string; part: number }
  return { ...data, value: await readUsageLines(tx, { day, tenantId, part }, planOf) }
}

function readable(row: LedgerRow, onError: (error: unknown) => void): EventData | undefined {
  try {
    return toEvent(row)
  } catch (cause) {
    onError(new Error(`row ${row.position} of the ledger cannot be read, and no event tells of it`, { cause }))
    return undefined
  }
}
