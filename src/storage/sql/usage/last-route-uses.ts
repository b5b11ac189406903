// When routes were last called by an application in a tenant.

import type { Statements } from '../store.js'

/** By route, the last day (since 1970) from `from` on, on which a call was let through. */
export async function lastRouteUses(
  statements: Statements,
  { applicationId, tenantId, from }: { applicationId: string; tenantId: string; from: number },
): Promise<ReadonlyMap<string, number>> {
  const rows = await statements
    .selectFrom('route_usage')
    .where('application_id', '=', applicationId)
    .where('tenant_id', '=', tenantId)
    .where('day', '>=', from)
    .where('allowed', '>', 0)
    .groupBy('route')
    .select('route')
    .select(({ fn }) => fn.max('day').as('day'))
    .execute()
  return new Map(rows.map(({ route, day }) => [route, Number(day)]))
}
