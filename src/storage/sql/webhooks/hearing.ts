// Which webhooks may hear of something, in pages: there may be as many as there are tenants.

import type { Statements } from '../store.js'
import type { WebhookRow } from './webhooks.js'

/** What decides whether a webhook hears of something. */
export type Hearing = Pick<WebhookRow, 'id' | 'tenant_id' | 'events'>

/** The enabled webhooks of these tenants. */
export async function readHearing(statements: Statements, tenantIds: readonly string[]): Promise<Hearing[]> {
  if (tenantIds.length === 0) return []
  return enabled(statements)
    .where('tenant_id', 'in', [...tenantIds])
    .orderBy('id')
    .execute()
}

/** A page of the enabled webhooks of all tenants, by id, after this one. */
export async function pageOfHearing(statements: Statements, after: string, limit: number): Promise<Hearing[]> {
  return enabled(statements).where('id', '>', after).orderBy('id').limit(limit).execute()
}

/** A page of the enabled webhooks by tenant, from this tenant on. */
export async function hearingFrom(statements: Statements, tenantId: string, limit: number): Promise<Hearing[]> {
  return enabled(statements).where('tenant_id', '>=', tenantId).orderBy('tenant_id').limit(limit).execute()
}

function enabled(statements: Statements) {
  return statements.selectFrom('webhooks').select(['id', 'tenant_id', 'events']).where('enabled', '=', 1)
}
