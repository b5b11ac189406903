// How many applications there are, and whose.

import { commandLineClient } from '../../../oauth/command-line-client.js'
import type { Statements } from '../store.js'

/** Of which tenant; absent: of all. */
export interface OfTenant {
  tenantId: string | undefined
}

/** How many applications are in each state. */
export async function countApplicationsByState(
  statements: Statements,
  { tenantId }: OfTenant,
): Promise<{ enabled: number; disabled: number }> {
  let query = statements.selectFrom('applications').where('id', '!=', commandLineClient.applicationId)
  if (tenantId !== undefined) query = query.where('tenant_id', '=', tenantId)
  const rows = await query
    .groupBy('state')
    .select((all) => ['state', all.fn.countAll().as('applications')])
    .execute()
  const of = (state: string) => Number(rows.find((row) => row.state === state)?.applications ?? 0)
  return { enabled: of('enabled'), disabled: of('disabled') }
}

/** An application as a list names it. */
export interface NamedApplication {
  id: string
  name: string
  state: string
}

/** The applications that somebody owns, by name; at most `limit`. */
export async function listOwnedApplications(
  statements: Statements,
  { tenantId, ownerId }: OfTenant & { ownerId: string },
  limit: number,
): Promise<NamedApplication[]> {
  let query = statements
    .selectFrom('application_owners')
    .innerJoin('applications', 'applications.id', 'application_owners.application_id')
    .where('application_owners.owner_id', '=', ownerId)
  if (tenantId !== undefined) query = query.where('applications.tenant_id', '=', tenantId)
  return query
    .select(['applications.id', 'applications.name', 'applications.state'])
    .orderBy('applications.name')
    .orderBy('applications.id')
    .limit(limit)
    .execute()
}
