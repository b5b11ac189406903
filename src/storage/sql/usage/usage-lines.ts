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
/** A sum takes less of each. */
const summedTogether = 5_000

/** How calls ended. */
type Calls = Omit<UsageRow, 'day' | 'application_id' | 'tenant_id' | 'route'>

/** The calls of both, as a row like `one`. */
export function addedCalls<T extends Calls>(one: T, other: Calls): T {
  return {
    ...one,
    allowed: one.allowed + other.allowed,
    not_permitted: one.not_permitted + other.not_permitted,
    limited: one.limited + other.limited,
    token_refused: one.token_refused + other.token_refused,
    client_errors: one.client_errors + other.client_errors,
    server_errors: one.server_errors + other.server_errors,
  }
}

/** How many rows, and all their calls. */
export type UsageCounts = Calls & { rows: number }

/** The place of a row among those of its tenant and day. */
export type UsageKey = Pick<UsageRow, 'application_id' | 'route'>

interface TenantDay {
  day: number
  tenantId: string
  /** Only what comes after it, by application and route. */
  after?: UsageKey | undefined
}

/** The sums of some rows of a tenant on a day; with `after`, there may be more behind it. */
export async function sumUsageRows(
  statements: Statements,
  of: TenantDay,
): Promise<UsageCounts & { after: UsageKey | undefined }> {
  const stretch = ofTenant(statements, of).selectAll().limit(summedTogether)
  const row = await statements
    .selectFrom(stretch.as('stretch'))
    .select(({ fn }) => [
      fn.countAll().as('rows'),
      fn.sum('allowed').as('allowed'),
      fn.sum('not_permitted').as('not_permitted'),
      fn.sum('limited').as('limited'),
      fn.sum('token_refused').as('token_refused'),
      fn.sum('client_errors').as('client_errors'),
      fn.sum('server_errors').as('server_errors'),
    ])
    .executeTakeFirstOrThrow()
  const rows = Number(row.rows)
  return {
    rows,
    allowed: Number(row.allowed),
    not_permitted: Number(row.not_permitted),
    limited: Number(row.limited),
    token_refused: Number(row.token_refused),
    client_errors: Number(row.client_errors),
    server_errors: Number(row.server_errors),
    after: rows < summedTogether ? undefined : await usageKeyAt(statements, of, rows),
  }
}

/** The place of the row with this number, from 1 on, in the order of an index; undefined: there are not as many. */
export async function usageKeyAt(statements: Statements, of: TenantDay, number: number): Promise<UsageKey | undefined> {
  const keys = ofTenant(statements, of).select(['application_id', 'route'])
  return keys
    .limit(1)
    .offset(number - 1)
    .executeTakeFirst()
}

/** Some rows of a tenant on a day, by application and route. */
export async function readUsageRows(
  statements: Statements,
  of: TenantDay & { limit: number },
): Promise<(UsageRow & { isGone: boolean })[]> {
  const rows = await ofTenant(statements, of).selectAll().limit(of.limit).execute()
  const ids = [...new Set(rows.map(({ application_id }) => application_id))]
  if (ids.length === 0) return []
  const there = await statements.selectFrom('applications').select('id').where('id', 'in', ids).execute()
  const known = new Set(there.map(({ id }) => id))
  return rows.map((row) => ({ ...numbered(row), isGone: !known.has(row.application_id) }))
}

function ofTenant(statements: Statements, { day, tenantId, after }: TenantDay) {
  const all = statements.selectFrom('route_usage').where('tenant_id', '=', tenantId).where('day', '=', day)
  const behind =
    after === undefined
      ? all
      : all.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('application_id', 'route'), '>', tuple(after.application_id, after.route)),
        )
  return behind.orderBy('application_id').orderBy('route')
}

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
  return rows.map(numbered)
}

/** PostgreSQL hands out bigint as text. */
function numbered(row: UsageRow): UsageRow {
  return {
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
  }
}
