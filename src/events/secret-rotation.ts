// Another signing secret for a webhook.

import { type DirectoryWrites, write } from '../directory/writes.js'
import { appendAudit } from '../ledger/append-audit.js'
import { readWebhooks, updateWebhook, type WebhookRow } from '../storage/sql/webhooks/webhooks.js'
import { WebhookRefusal } from './refusal.js'
import { createSigningSecret } from './signature.js'
import { aboutWebhook, type WebhookDependencies } from './webhooks.js'

/**
 * Gives the webhook another signing secret; `secret` is its only copy. For `overlapMs` the one before signs too, so
 * that a receiver can change over without refusing an event. Throws WebhookRefusal (WebhookNotFound) and
 * StoreUnavailable.
 */
export async function rotateSecret(
  writes: DirectoryWrites,
  { sealer }: Pick<WebhookDependencies, 'sealer'>,
  id: string,
  overlapMs: number,
): Promise<{ webhook: WebhookRow; secret: string }> {
  const secret = createSigningSecret()
  const sealed = sealer.seal(secret, id)
  const webhook = await write(writes, async ({ tx, nowMs }) => {
    const [before] = await readWebhooks(tx, { id })
    if (before === undefined) throw notFound()
    const earlier =
      overlapMs === 0
        ? { earlier_secret: null, earlier_until: null }
        : { earlier_secret: before.secret, earlier_until: nowMs + overlapMs }
    const row = await updateWebhook(tx, { id }, { secret: sealed, ...earlier, updated_at: nowMs })
    if (row === undefined) throw notFound()
    const details = { overlapSeconds: Math.round(overlapMs / 1000) }
    await appendAudit(writes, tx, aboutWebhook(row, 'secret-rotated', details))
    return row
  })
  return { webhook, secret }
}

function notFound(): WebhookRefusal {
  return new WebhookRefusal('WebhookNotFound', 'There is no such webhook.')
}
