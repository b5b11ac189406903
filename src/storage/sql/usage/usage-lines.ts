// Calls as they were counted, a day at a time and in stretches, for those who take all of them along.

import type { Statements } from '../store.js'

/** What one application called in one tenant on one day, by one route. Days since 1970. */
export interface UsageRow {
  day: number
  application_id: string
  tenant_id: string
  route: string
  allowed: number
  not_permitted: number
  limited: number
  token_refused: number
  client_errors: number
  server_errors: number
}

/** Of a day; undefined: of all. */
export interface UsageOfDay {
  day: number
  applicationId: string | undefined
  tenantId: string | undefined
}

const together = 2_000

/** All rows of the day, by application, tenant and route. */
export async function* usageRowsOf(statements: Statements, about: UsageOfDay): AsyncGenerator<UsageRow> {
  let after: UsageRow | undefined
  while (true) {
    const rows = await stretchOf(statements, about, after)
    yield* rows
    after = rows.at(-1)
    if (rows.length < together) return
  }
}

async function stretchOf(
  statements: Statements,
  { day, applicationId, tenantId }: UsageOfDay,
  after: UsageRow | undefined,
): Promise<UsageRow[]> {
  let query = statements.selectFrom('route_usage').selectAll().where('day', '=', day)
  if (applicationId !== undefined) query = query.where('application_id', '=', applicationId)
  if (tenantId !== undefined) query = query.where('tenant_id', '=', tenantId)
  if (after !== undefined) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(
        refTuple('application_id', 'tenant_id', 'route'),
        '>',
        tuple(after.application_id, after.tenant_id, after.route),
      ),
    )
  }
  const rows = await query.orderBy('application_id').orderBy('tenant_id').orderBy('route').limit(together).execute()
  return rows.map((row) => ({
    day: Number(row.day),
    application_id: row.application_id,
    tenant_id: row.tenant_id,
    route: row.route,
    allowed: Number(row.allowed),
    not_permitted: Number(row.not_permitted),
    limited: Number(row.limited),
    token_refused: Number(row.token_refused),
    client_errors: Number(row.client_errors),
    server_errors: Number(row.server_errors),
  }))
}
