// How many people allowed an application each permission, added up by the Store.

import type { Statements } from '../store.js'

/** Of one permission: how many people allow it, and since when the first of them (epoch ms). */
export interface ConsentCount {
  resource: string
  permission_id: string
  people: number
  since: number
}

/** The delegated permissions that people allowed an application by themselves, in one tenant or in all. */
export async function countUserConsents(
  statements: Statements,
  about: { applicationId: string; tenantId?: string | undefined },
): Promise<ConsentCount[]> {
  let query = statements.selectFrom('user_consents').where('application_id', '=', about.applicationId)
  if (about.tenantId !== undefined) query = query.where('tenant_id', '=', about.tenantId)
  const rows = await query
    .groupBy(['resource', 'permission_id'])
    .select(['resource', 'permission_id'])
    .select(({ fn }) => [fn.countAll().as('people'), fn.min('granted_at').as('since')])
    .orderBy('resource')
    .orderBy('permission_id')
    .execute()
  return rows.map((row) => ({ ...row, people: Number(row.people), since: Number(row.since) }))
}
