// What an overview says of what applications may do: what nobody consented to, and what was consented to and when it was
// last used; and which of their secrets end. Each question is bounded.

import { commandLineClient } from '../../../oauth/command-line-client.js'
import type { Statements } from '../store.js'
import type { OfTenant } from './application-counts.js'

/** A secret that ends soon. Epoch ms. */
export interface SecretThatEnds {
  key_id: string
  application_id: string
  name: string
  label: string
  ends_at: number
  /** Whether another one of the application ends later. */
  replaced: boolean
}

/** Secrets of enabled applications that end after `nowMs` and not after `untilMs`, the next to end first. */
export async function listSecretsThatEnd(
  statements: Statements,
  { tenantId, nowMs, untilMs }: OfTenant & { nowMs: number; untilMs: number },
  limit: number,
): Promise<SecretThatEnds[]> {
  let query = statements
    .selectFrom('application_secrets as secret')
    .innerJoin('applications as application', 'application.id', 'secret.application_id')
    .where('secret.ends_at', '>', nowMs)
    .where('secret.ends_at', '<=', untilMs)
    .where('application.state', '=', 'enabled')
  if (tenantId !== undefined) query = query.where('application.tenant_id', '=', tenantId)
  const rows = await query
    .select(['secret.key_id', 'secret.application_id', 'application.name', 'secret.label', 'secret.ends_at'])
    .select((each) =>
      each
        .selectFrom('application_secrets as later')
        .whereRef('later.application_id', '=', 'secret.application_id')
        .whereRef('later.ends_at', '>', 'secret.ends_at')
        .select((all) => all.fn.countAll().as('later'))
        .as('later'),
    )
    .orderBy('secret.ends_at')
    .orderBy('secret.key_id')
    .limit(limit)
    .execute()
  return rows.map(({ later, ...row }) => ({ ...row, ends_at: Number(row.ends_at), replaced: Number(later) > 0 }))
}

/** A permission of an application. */
export interface PermissionOfApplication {
  application_id: string
  name: string
  kind: string
  resource: string
  permission_id: string
}

/**
 * What enabled applications are configured with and nobody consented to for their home tenant, by the name of the
 * application. `ids`: of these applications only.
 */
export async function listUnconsented(
  statements: Statements,
  { tenantId, ids }: OfTenant & { ids?: readonly string[] },
  limit: number,
): Promise<PermissionOfApplication[]> {
  let query = statements
    .selectFrom('configured_permissions as asked_for')
    .innerJoin('applications as application', 'application.id', 'asked_for.application_id')
    .leftJoin('permission_grants as granted', (join) =>
      join
        .onRef('granted.application_id', '=', 'asked_for.application_id')
        .onRef('granted.tenant_id', '=', 'application.tenant_id')
        .onRef('granted.kind', '=', 'asked_for.kind')
        .onRef('granted.resource', '=', 'asked_for.resource')
        .onRef('granted.permission_id', '=', 'asked_for.permission_id'),
    )
    .where('application.state', '=', 'enabled')
    .where('application.id', '!=', commandLineClient.applicationId)
    .where('granted.application_id', 'is', null)
  if (ids !== undefined) query = query.where('application.id', 'in', [...ids])
  if (tenantId !== undefined) query = query.where('application.tenant_id', '=', tenantId)
  return query
    .select(['asked_for.application_id', 'application.name', 'asked_for.kind', 'asked_for.resource'])
    .select('asked_for.permission_id')
    .orderBy('application.name')
    .orderBy('asked_for.application_id')
    .limit(limit)
    .execute()
}

/** What was consented to for everybody, and when it was last used there (epoch ms). */
export interface GrantUse extends PermissionOfApplication {
  granted_at: number
  last_used_at: number | undefined
}

/** What administrators consented to, by the name of the application. */
export async function listGrantUses(
  statements: Statements,
  { tenantId }: OfTenant,
  limit: number,
): Promise<GrantUse[]> {
  let query = statements
    .selectFrom('permission_grants as granted')
    .innerJoin('applications as application', 'application.id', 'granted.application_id')
    .where('application.id', '!=', commandLineClient.applicationId)
  if (tenantId !== undefined) query = query.where('granted.tenant_id', '=', tenantId)
  const rows = await query
    .select(['granted.application_id', 'application.name', 'granted.kind', 'granted.resource'])
    .select(['granted.permission_id', 'granted.granted_at'])
    .select((each) =>
      each
        .selectFrom('permission_usage as used')
        .whereRef('used.application_id', '=', 'granted.application_id')
        .whereRef('used.tenant_id', '=', 'granted.tenant_id')
        .whereRef('used.kind', '=', 'granted.kind')
        .whereRef('used.resource', '=', 'granted.resource')
        .whereRef('used.permission_id', '=', 'granted.permission_id')
        .select((all) => all.fn.max('used.last_used_at').as('last'))
        .as('last_used_at'),
    )
    .orderBy('application.name')
    .orderBy('granted.application_id')
    .limit(limit)
    .execute()
  return rows.map(({ granted_at, last_used_at, ...row }) => ({
    ...row,
    granted_at: Number(granted_at),
    last_used_at: last_used_at === null ? undefined : Number(last_used_at),
  }))
}
