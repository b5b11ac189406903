// A webhook that the caller looks after, and what is said of it.

import { WebhookRefusal } from '../../events/refusal.js'
import { parseGuid } from '../../oauth/secrets/guid.js'
import type { Statements } from '../../storage/sql/store.js'
import { readWebhooks, type WebhookRow } from '../../storage/sql/webhooks/webhooks.js'
import type { Caller } from '../access/access.js'
import { owns } from '../access/ownership.js'
import { iso, isoOrNull } from '../answers/times.js'
import type { ManagementDependencies } from '../dependencies.js'
import type { WebhookAnswer } from './webhook-schemas.js'

/** That of this id. Throws WebhookRefusal (WebhookNotFound), also for one of another tenant, and StoreUnavailable. */
export async function ownWebhook(
  { store }: Pick<ManagementDependencies, 'store'>,
  caller: Caller,
  reference: string,
): Promise<WebhookRow> {
  const id = parseGuid(reference)
  const found = id === undefined ? undefined : await findWebhook(store.reader, id)
  if (found === undefined || !owns(caller, found.tenant_id)) {
    throw new WebhookRefusal('WebhookNotFound', 'There is no such webhook.')
  }
  return found
}

/** Undefined: there is none. */
export async function findWebhook(statements: Statements, id: string): Promise<WebhookRow | undefined> {
  return (await readWebhooks(statements, { id }))[0]
}

/** Without its secrets. */
export function webhookAnswer(row: WebhookRow): WebhookAnswer<'webhook'> {
  const because = row.disabled_because
  return {
    id: row.id,
    tenantId: row.tenant_id,
    url: row.url,
    events: JSON.parse(row.events) as string[],
    enabled: row.enabled === 1,
    disabledBecause: because === 'gone' || because === 'failing' ? because : null,
    createdBy: row.created_by,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    failingSince: isoOrNull(row.failing_since),
    earlierSecretUntil: isoOrNull(row.earlier_until),
  }
}
