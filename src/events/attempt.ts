// One attempt at one delivery, and what follows from it. It is counted before it is made: a process that ends in
// between has used an attempt, and the event is sent again, with the same id, when the attempt counts as lost.

import { appendAudit } from '../ledger/append-audit.js'
import type { Ledger } from '../ledger/ledger.js'
import type { Statements, Store } from '../storage/sql/store.js'
import { beginDelivery, type DeliveryRow, updateDelivery } from '../storage/sql/webhooks/event-deliveries.js'
import { updateWebhook, type WebhookRow } from '../storage/sql/webhooks/webhooks.js'
import type { KeyEncryption } from '../tokens/keys/key-encryption.js'
import { eventContentType } from './cloud-event.js'
import type { Send, Sent } from './send.js'
import { signatureHeaders } from './signature.js'
import { aboutWebhook } from './webhooks.js'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** Longer than any exchange, so that nobody sends what is being sent. */
const lostAfterMs = minuteMs
/** After so many attempts, then; together about a day. One more failure, and the event is a dead letter. */
const pausesMs = [
  5_000,
  30_000,
  2 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  hourMs,
  2 * hourMs,
  4 * hourMs,
  8 * hourMs,
  8 * hourMs,
]
/** A webhook that has failed for so long is disabled. */
const givenUpAfterMs = 5 * 24 * hourMs

export interface AttemptDependencies {
  store: Pick<Store, 'reader' | 'transaction'>
  ledger: Ledger
  sealer: KeyEncryption
  send: Send
  /** Epoch milliseconds. */
  now: () => number
  /** 0 to 1. */
  random: () => number
  /** A secret that cannot be opened: it was sealed under a master key that is not configured now, or is damaged. */
  onError: (error: unknown) => void
}

export type Outcome = 'delivered' | 'failed' | 'dead'

/** What became of an attempt, and how long it took, milliseconds. */
export type TimedSent = Sent & { durationMs: number }

/** Signs the event and sends it. Throws MasterKeyMismatch when the secret cannot be opened. */
export async function sendEvent(
  { sealer, send, now }: Pick<AttemptDependencies, 'sealer' | 'send' | 'now'>,
  webhook: Pick<WebhookRow, 'id' | 'url' | 'secret' | 'earlier_secret' | 'earlier_until' | 'tenant_id'>,
  { id, body }: { id: string; body: string },
): Promise<TimedSent> {
  const atMs = now()
  const { secret, earlier_secret: earlier, earlier_until: until } = webhook
  const sealed = earlier !== null && until !== null && until > atMs ? [secret, earlier] : [secret]
  const secrets = sealed.map((one) => sealer.open(one, webhook.id))
  const signature = signatureHeaders(secrets, { id, body, atMs })
  const began = performance.now()
  const sent = await send({
    url: webhook.url,
    tenant: webhook.tenant_id,
    body,
    headers: { 'content-type': eventContentType, ...signature },
  })
  return { ...sent, durationMs: Math.round(performance.now() - began) }
}

/** Attempts a delivery; undefined when it is somebody else's, or changed meanwhile. Throws StoreUnavailable. */
export async function attemptDelivery(
  deps: AttemptDependencies,
  webhook: WebhookRow,
  delivery: DeliveryRow,
): Promise<Outcome | undefined> {
  const started = await deps.store.transaction((tx) => beginDelivery(tx, delivery, deps.now() + lostAfterMs))
  if (!started) return undefined
  const event = { id: delivery.event_id, body: delivery.body }
  const sent = await sendEvent(deps, webhook, event).catch((error: unknown): TimedSent => {
    deps.onError(error)
    return { status: null, reason: 'secret', durationMs: 0 }
  })
  return noteAttempt(deps, webhook, { ...delivery, attempts: delivery.attempts + 1 }, sent)
}

async function noteAttempt(
  deps: AttemptDependencies,
  webhook: WebhookRow,
  delivery: DeliveryRow,
  { status, reason, durationMs }: TimedSent,
): Promise<Outcome | undefined> {
  const nowMs = deps.now()
  const pause = pausesMs[delivery.attempts - 1]
  const outcome = reason === null ? 'delivered' : pause === undefined || status === 410 ? 'dead' : 'failed'
  // Half as long again at most: a receiver that was away does not get everything at once.
  const nextAt = nowMs + Math.round((pause ?? 0) * (1 + deps.random() / 2))
  return deps.store.transaction(async (tx) => {
    const noted = await updateDelivery(
      tx,
      { id: delivery.id, attempts: delivery.attempts },
      {
        state: outcome === 'failed' ? 'waiting' : outcome,
        next_at: nextAt,
        last_at: nowMs,
        last_status: status,
        last_reason: reason,
        last_ms: durationMs,
      },
    )
    if (noted === undefined) return undefined
    await updateStatus(tx, deps, webhook, { status, failed: reason !== null, nowMs })
    return outcome
  })
}

/** Updates the status of the webhook, as long as it still leads where it was sent. */
async function updateStatus(
  tx: Statements,
  { ledger }: Pick<AttemptDependencies, 'ledger'>,
  webhook: WebhookRow,
  { status, failed, nowMs }: { status: number | null; failed: boolean; nowMs: number },
): Promise<void> {
  const where = { id: webhook.id, url: webhook.url }
  const failingSince = failed ? (webhook.failing_since ?? nowMs) : null
  // RFC 9110 §15.5.11: the receiver says that it is gone for good.
  const failing = failingSince !== null && nowMs - failingSince > givenUpAfterMs ? 'failing' : undefined
  const because = status === 410 ? 'gone' : failing
  if (because === undefined) {
    if (failingSince !== webhook.failing_since) await updateWebhook(tx, where, { failing_since: failingSince })
    return
  }
  const disabled = { failing_since: failingSince, enabled: 0, disabled_because: because, updated_at: nowMs }
  if ((await updateWebhook(tx, where, disabled)) === undefined) return
  await appendAudit({ ledger, actor: { kind: 'system' } }, tx, aboutWebhook(webhook, 'disabled', { because }))
}
