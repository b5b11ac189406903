// Webhooks (decision 0066): to which address a tenant wants which events sent. What is written here is in the ledger
// too, with the address's host alone, because addresses may have a secret of the receiver in them.

import { randomUUID } from 'node:crypto'
import { requireTenant } from '../directory/tenants/tenants.js'
import { type DirectoryWrites, write } from '../directory/writes.js'
import { appendAudit } from '../ledger/append-audit.js'
import {
  deleteWebhook,
  insertWebhook,
  readWebhooks,
  updateWebhook,
  type WebhookRow,
} from '../storage/sql/webhooks/webhooks.js'
import type { KeyEncryption } from '../tokens/keys/key-encryption.js'
import { WebhookRefusal } from './refusal.js'
import { createSigningSecret } from './signature.js'
import { checkEvents, checkWebhookUrl } from './webhook-rules.js'

const mostWebhooks = 20

export interface WebhookDependencies {
  sealer: KeyEncryption
  /** Names and addresses that need not be public. */
  allow: readonly string[]
}

/**
 * Makes a webhook; `secret` is its only copy. Throws WebhookRefusal (InvalidWebhookUrl, UnknownEvent, TooManyWebhooks),
 * DirectoryRefusal (TenantNotFound) and StoreUnavailable.
 */
export async function createWebhook(
  writes: DirectoryWrites,
  { sealer, allow }: WebhookDependencies,
  input: { tenantId: string; url: string; events: readonly string[] },
): Promise<{ webhook: WebhookRow; secret: string }> {
  const url = checkWebhookUrl(input.url, allow)
  const events = JSON.stringify(checkEvents(input.events))
  const id: string = randomUUID()
  const secret = createSigningSecret()
  const sealed = sealer.seal(secret, id)
  const webhook = await write(writes, async (writing) => {
    const { tx, nowMs } = writing
    const { tenantId } = await requireTenant(writing, input.tenantId)
    if ((await readWebhooks(tx, { tenantId })).length >= mostWebhooks) {
      const message = `A tenant has at most ${mostWebhooks} webhooks: delete one first.`
      throw new WebhookRefusal('TooManyWebhooks', message)
    }
    const row: WebhookRow = {
      id,
      tenant_id: tenantId,
      url,
      events,
      secret: sealed,
      enabled: 1,
      disabled_because: null,
      created_by: createdBy(writes),
      created_at: nowMs,
      updated_at: nowMs,
      failing_since: null,
      earlier_secret: null,
      earlier_until: null,
    }
    await insertWebhook(tx, row)
    await appendAudit(writes, tx, aboutWebhook(row, 'created', { host: hostOf(url), events: JSON.parse(events) }))
    return row
  })
  return { webhook, secret }
}

/**
 * Changes a webhook. Enabling it again begins anew: what is on its way is tried again. Throws WebhookRefusal
 * (WebhookNotFound, InvalidWebhookUrl, UnknownEvent) and StoreUnavailable.
 */
export async function changeWebhook(
  writes: DirectoryWrites,
  { allow }: Pick<WebhookDependencies, 'allow'>,
  id: string,
  change: { url?: string | undefined; events?: readonly string[] | undefined; enabled?: boolean | undefined },
): Promise<WebhookRow> {
  const url = change.url === undefined ? undefined : checkWebhookUrl(change.url, allow)
  const events = change.events === undefined ? undefined : checkEvents(change.events)
  const { enabled } = change
  return write(writes, async ({ tx, nowMs }) => {
    const row = await updateWebhook(
      tx,
      { id },
      {
        ...(url === undefined ? {} : { url, failing_since: null }),
        ...(events === undefined ? {} : { events: JSON.stringify(events) }),
        ...(enabled === undefined ? {} : { enabled: enabled ? 1 : 0, disabled_because: null, failing_since: null }),
        updated_at: nowMs,
      },
    )
    if (row === undefined) throw notFound()
    const host = url === undefined ? {} : { host: hostOf(url) }
    const what = { ...host, ...(events === undefined ? {} : { events }), ...(enabled === undefined ? {} : { enabled }) }
    await appendAudit(writes, tx, aboutWebhook(row, 'changed', what))
    return row
  })
}

/** Deletes a webhook with what is on its way. Throws WebhookRefusal (WebhookNotFound) and StoreUnavailable. */
export async function removeWebhook(writes: DirectoryWrites, id: string): Promise<void> {
  await write(writes, async ({ tx }) => {
    const [row] = await readWebhooks(tx, { id })
    if (row === undefined || !(await deleteWebhook(tx, id))) throw notFound()
    await appendAudit(writes, tx, aboutWebhook(row, 'deleted', { host: hostOf(row.url) }))
  })
}

/** The event of the ledger. */
export function aboutWebhook(
  row: Pick<WebhookRow, 'id' | 'tenant_id'>,
  what: 'created' | 'changed' | 'secret-rotated' | 'deleted' | 'disabled' | 'redelivered' | 'replayed',
  details: Readonly<Record<string, unknown>>,
) {
  const event = `webhook.${what}` as const
  return { event, tenantId: row.tenant_id, details: { webhook: row.id, ...details } }
}

function notFound(): WebhookRefusal {
  return new WebhookRefusal('WebhookNotFound', 'There is no such webhook.')
}

function hostOf(url: string): string {
  return new URL(url).host
}

function createdBy({ actor }: DirectoryWrites): string {
  if (actor.kind === 'user') return actor.userId
  return actor.kind === 'application' ? actor.applicationId : ''
}
