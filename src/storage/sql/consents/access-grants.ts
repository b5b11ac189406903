// Queries of who could get a token: what is configured and consented to, of applications and tenants that are enabled.

import type { Statements } from '../store.js'

/** Enabled applications of enabled tenants by id, after `after`; at most `limit`. */
export async function listGrantees(
  statements: Statements,
  { after = '', limit }: { after?: string | undefined; limit: number },
): Promise<{ id: string; name: string }[]> {
  return statements
    .selectFrom('applications')
    .innerJoin('tenants', 'tenants.id', 'applications.tenant_id')
    .where('applications.state', '=', 'enabled')
    .where('tenants.state', '=', 'enabled')
    .where('applications.id', '>', after)
    .orderBy('applications.id')
    .limit(limit)
    .select(['applications.id', 'applications.name'])
    .execute()
}

/** What administrators consented to of what is configured, where the application may be used. */
export async function listUsableGrants(
  statements: Statements,
  applicationId: string,
): Promise<{ tenant_id: string; kind: string; resource: string; permission_id: string }[]> {
  return statements
    .selectFrom('permission_grants as granted')
    .innerJoin('configured_permissions as configured', (join) =>
      join
        .onRef('configured.application_id', '=', 'granted.application_id')
        .onRef('configured.kind', '=', 'granted.kind')
        .onRef('configured.resource', '=', 'granted.resource')
        .onRef('configured.permission_id', '=', 'granted.permission_id'),
    )
    .innerJoin('applications', 'applications.id', 'granted.application_id')
    .innerJoin('tenants', 'tenants.id', 'granted.tenant_id')
    .where('granted.application_id', '=', applicationId)
    .where('tenants.state', '=', 'enabled')
    .where(({ or, eb, ref }) =>
      or([eb('applications.audience', '=', 'any'), eb('applications.tenant_id', '=', ref('granted.tenant_id'))]),
    )
    .select(['granted.tenant_id', 'granted.kind', 'granted.resource', 'granted.permission_id'])
    .orderBy('granted.tenant_id')
    .orderBy('granted.kind')
    .orderBy('granted.resource')
    .orderBy('granted.permission_id')
    .execute()
}

/** What an enabled member allowed the application by themselves of what is configured: one permission of one person. */
export interface UsableConsent {
  tenant_id: string
  user_id: string
  role: string
  resource: string
  permission_id: string
}

/** Where to go on: the person of the last row. */
export type AfterConsent = Pick<UsableConsent, 'tenant_id' | 'user_id'>

/** By tenant and person, after `after`; at most `limit` rows. */
export async function listUsableConsents(
  statements: Statements,
  applicationId: string,
  { after, limit }: { after: AfterConsent | undefined; limit: number },
): Promise<UsableConsent[]> {
  let query = statements
    .selectFrom('user_consents as allowed')
    .innerJoin('configured_permissions as configured', (join) =>
      join
        .onRef('configured.application_id', '=', 'allowed.application_id')
        .on('configured.kind', '=', 'delegated')
        .onRef('configured.resource', '=', 'allowed.resource')
        .onRef('configured.permission_id', '=', 'allowed.permission_id'),
    )
    .innerJoin('memberships', (join) =>
      join
        .onRef('memberships.user_id', '=', 'allowed.user_id')
        .onRef('memberships.tenant_id', '=', 'allowed.tenant_id'),
    )
    .innerJoin('users', 'users.id', 'allowed.user_id')
    .innerJoin('applications', 'applications.id', 'allowed.application_id')
    .innerJoin('tenants', 'tenants.id', 'allowed.tenant_id')
    .leftJoin('installations', (join) =>
      join
        .onRef('installations.application_id', '=', 'allowed.application_id')
        .onRef('installations.tenant_id', '=', 'allowed.tenant_id'),
    )
    .where('allowed.application_id', '=', applicationId)
    .where('users.state', '=', 'enabled')
    .where('tenants.state', '=', 'enabled')
    .where(({ or, and, eb, ref }) =>
      or([
        eb('applications.tenant_id', '=', ref('allowed.tenant_id')),
        and([eb('applications.audience', '=', 'any'), eb('installations.tenant_id', 'is not', null)]),
      ]),
    )
  if (after !== undefined) {
    query = query.where(({ or, and, eb }) =>
      or([
        eb('allowed.tenant_id', '>', after.tenant_id),
        and([eb('allowed.tenant_id', '=', after.tenant_id), eb('allowed.user_id', '>', after.user_id)]),
      ]),
    )
  }
  return query
    .select(['allowed.tenant_id', 'allowed.user_id', 'memberships.role', 'allowed.resource', 'allowed.permission_id'])
    .orderBy('allowed.tenant_id')
    .orderBy('allowed.user_id')
    .orderBy('allowed.resource')
    .orderBy('allowed.permission_id')
    .limit(limit)
    .execute()
}

/** How many enabled people have each role in a tenant. */
export async function countMembers(
  statements: Statements,
  tenantId: string,
): Promise<{ role: string; people: number }[]> {
  const rows = await statements
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .where('memberships.tenant_id', '=', tenantId)
    .where('users.state', '=', 'enabled')
    .groupBy('memberships.role')
    .select(['memberships.role', ({ fn }) => fn.countAll().as('people')])
    .orderBy('memberships.role')
    .execute()
  return rows.map(({ role, people }) => ({ role, people: Number(people) }))
}
