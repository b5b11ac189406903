// Queries of webhooks.

import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

export type WebhookRow = Tables['webhooks']

/** Adds a webhook; its id is new. */
export async function insertWebhook(tx: Statements, row: WebhookRow): Promise<void> {
  await tx.insertInto('webhooks').values(row).execute()
}

/** The webhooks that fit, the oldest first; with neither id nor tenant all. */
export async function readWebhooks(
  statements: Statements,
  filter: { id?: string | undefined; tenantId?: string | undefined; enabled?: true },
): Promise<WebhookRow[]> {
  let rows = statements.selectFrom('webhooks').selectAll()
  if (filter.id !== undefined) rows = rows.where('id', '=', filter.id)
  if (filter.tenantId !== undefined) rows = rows.where('tenant_id', '=', filter.tenantId)
  if (filter.enabled === true) rows = rows.where('enabled', '=', 1)
  return rows.orderBy('created_at').orderBy('id').execute()
}

/**
 * Changes the webhook, with `url` only while that is where it leads; the row as it is then, undefined when there is
 * none such.
 */
export async function updateWebhook(
  tx: Statements,
  which: { id: string; url?: string | undefined },
  change: Partial<Omit<WebhookRow, 'id' | 'tenant_id'>>,
): Promise<WebhookRow | undefined> {
  let rows = tx.updateTable('webhooks').set(change).where('id', '=', which.id)
  if (which.url !== undefined) rows = rows.where('url', '=', which.url)
  return rows.returningAll().executeTakeFirst()
}

/** Deletes the webhook with all that was on its way to it; false when there was none. */
export async function deleteWebhook(tx: Statements, id: string): Promise<boolean> {
  await tx.deleteFrom('event_deliveries').where('webhook_id', '=', id).execute()
  const gone = await tx.deleteFrom('webhooks').where('id', '=', id).returning('id').executeTakeFirst()
  return gone !== undefined
}
