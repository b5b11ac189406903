// The outbox is the ledger: whatever may be told of is written there in the transaction that does it, in the order in
// which it was committed. The leader follows it by position and writes for each webhook that asks for it a delivery, in
// one transaction with the position that it has come to. So nothing is lost by a kill, nothing is told of that did not
// happen, and nothing is written twice by two that lead for a moment. A step is short, whatever its rows tell and however
// many hear of them: others have their turn after each.

import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { readLedger } from '../storage/sql/ledger/ledger-entries.js'
import type { LedgerRow } from '../storage/sql/ledger/ledger-head.js'
import type { Statements, Store } from '../storage/sql/store.js'
import { isLedgerAhead, lockEventCursor } from '../storage/sql/webhooks/event-cursor.js'
import { addDeliveries, type DeliveryRow } from '../storage/sql/webhooks/event-deliveries.js'
import { type Hearing, pageOfHearing, readHearing } from '../storage/sql/webhooks/hearing.js'
import { cloudEvent } from './cloud-event.js'
import { type EventData, toEvent } from './event-types.js'
import { readUsageLines, type UsagePlace } from './usage-of-day.js'
import { asksFor } from './webhook-rules.js'

/** Rows of the ledger in one step. */
const batch = 50
/** A step ends after a row with which it has written so many, or so many bytes of what is ofRow. */
const mostDeliveries = 100
const mostBytes = 100_000
/** Webhooks in one step of a row that all tenants hear of. */
const webhooksAtOnce = 200
/** Steps of one turn; then others have theirs. */
const mostSteps = 200

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

/** How far a turn has come beyond the cursor. */
interface Progress {
  /** The last part of a day of usage that was read. */
  usage: UsagePlace | undefined
  /** A row that all tenants hear of: the webhooks up to this one have it. */
  begun: { position: number; eventId: string; webhookId: string } | undefined
}

interface Step {
  isEnd: boolean
  deliveries: number
  progress: Progress
}

/**
 * Follows the ledger to its end, or as far as one turn goes; how many deliveries were written. Throws StoreUnavailable.
 */
export async function followLedger(deps: FollowDependencies): Promise<number> {
  let written = 0
  let progress: Progress = { usage: undefined, begun: undefined }
  for (let steps = 0; steps < mostSteps || progress.begun !== undefined; steps += 1) {
    if (!(await isLedgerAhead(deps.store.reader))) return written
    const step = await deps.store.transaction((tx) => followBatch(tx, deps, progress), 'first-lock')
    written += step.deliveries
    if (step.isEnd) return written
    progress = step.progress
    await nextTurn()
  }
  return written
}

/** What one row tells, and the progress after it. */
interface OfRow {
  deliveries: DeliveryRow[]
  progress: Progress
}

async function followBatch(tx: Statements, deps: FollowDependencies, from: Progress): Promise<Step> {
  const cursor = await lockEventCursor(tx)
  const rows = await readLedger(tx, cursor, batch)
  const events = rows.map((row) => ({ row, event: readable(row, deps.onError) }))
  // After the rows: a webhook that was made before one of them is seen.
  const tenants = new Set(events.flatMap(({ event }) => event?.tenantId ?? []))
  const webhooks = byTenant(await readHearing(tx, [...tenants]))
  const deliveries: DeliveryRow[] = []
  let [position, bytes, progress] = [cursor, 0, from]
  for (const { row, event } of events) {
    if (deliveries.length >= mostDeliveries || bytes >= mostBytes) break
    if (event !== undefined) {
      const { tenantId } = event
      const ofRow =
        tenantId === undefined
          ? await tellAll(tx, { row, event }, deps, progress)
          : await tellTenant(tx, { row, event }, deps, { progress, webhooks: webhooks.get(tenantId) ?? [] })
      progress = ofRow.progress
      bytes += ofRow.deliveries.reduce((sum, { body }) => sum + body.length, 0)
      deliveries.push(...ofRow.deliveries)
      if (progress.begun !== undefined) break
    }
    position = row.position
  }
  await addDeliveries(tx, deliveries, position)
  const isEnd = rows.length < batch && position === (rows.at(-1)?.position ?? cursor)
  return { isEnd, deliveries: deliveries.length, progress }
}

function byTenant(webhooks: readonly Hearing[]): ReadonlyMap<string, readonly Hearing[]> {
  const of = new Map<string, Hearing[]>()
  for (const webhook of webhooks) {
    const same = of.get(webhook.tenant_id)
    if (same === undefined) of.set(webhook.tenant_id, [webhook])
    else same.push(webhook)
  }
  return of
}

async function tellTenant(
  tx: Statements,
  { row, event }: { row: LedgerRow; event: EventData },
  deps: FollowDependencies,
  { progress, webhooks }: { progress: Progress; webhooks: readonly Hearing[] },
): Promise<OfRow> {
  const hearing = webhooks.filter(({ events }) => asksFor(events, event.type))
  if (hearing.length === 0) return { deliveries: [], progress }
  const { data, place } = await withLines(tx, event, deps, progress.usage)
  const eventId = event.id ?? randomUUID()
  const deliveries = deliveriesOf({ row, event: { ...event, data }, eventId }, hearing, deps)
  return { deliveries, progress: { usage: place, begun: undefined } }
}

/** A page of those who hear of a row that is about no tenant; when there are more it is begun, and not over. */
async function tellAll(
  tx: Statements,
  { row, event }: { row: LedgerRow; event: EventData },
  deps: FollowDependencies,
  { usage, begun }: Progress,
): Promise<OfRow> {
  const before = begun?.position === row.position ? begun : undefined
  const eventId = before?.eventId ?? event.id ?? randomUUID()
  const page = await pageOfHearing(tx, before?.webhookId ?? '', webhooksAtOnce)
  const hearing = page.filter(({ events }) => asksFor(events, event.type))
  const last = page.length < webhooksAtOnce ? undefined : page.at(-1)
  const more = last === undefined ? undefined : { position: row.position, eventId, webhookId: last.id }
  return { deliveries: deliveriesOf({ row, event, eventId }, hearing, deps), progress: { usage, begun: more } }
}

function deliveriesOf(
  { row, event, eventId }: { row: LedgerRow; event: EventData; eventId: string },
  hearing: readonly Hearing[],
  deps: FollowDependencies,
): DeliveryRow[] {
  if (hearing.length === 0) return []
  const { type, subject, data } = event
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
async function withLines(
  tx: Statements,
  { type, tenantId = '', data }: EventData,
  { planOf }: FollowDependencies,
  known: UsagePlace | undefined,
): Promise<{ data: EventData['data']; place: UsagePlace | undefined }> {
  if (type !== 'usage.day_ended') return { data, place: known }
  const { day, part } = data as { day: string; part: number }
  const { lines, place } = await readUsageLines(tx, { day, tenantId, part }, planOf, known)
  return { data: { ...data, value: lines }, place }
}

function readable(row: LedgerRow, onError: (error: unknown) => void): EventData | undefined {
  try {
    return toEvent(row)
  } catch (cause) {
    onError(new Error(`row ${row.position} of the ledger cannot be read, and no event tells of it`, { cause }))
    return undefined
  }
}
