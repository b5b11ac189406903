// What applications used, added up by the Store. Numbers are made explicit, because PostgreSQL hands out bigint as
// text.

import { setImmediate } from 'node:timers/promises'
import type { Tables } from '../rows/tables.js'
import { usageTables } from '../schema/usage-tables.js'
import type { Statements } from '../store.js'
import { countedSince } from './counted-since.js'

/** What of one permission was used. Epoch ms; `recent` and `quarter` are its uses since two given days. */
export interface PermissionUseSum {
  kind: string
  resource: string
  permission_id: string
  tenant_id: string
  first_used_at: number
  last_used_at: number
  recent: number
  quarter: number
}

/** The use of each permission of an application in each tenant, or in one. Days since 1970, included. */
export async function sumPermissionUsage(
  statements: Statements,
  about: { applicationId: string; tenantId?: string | undefined; recentFrom: number; quarterFrom: number },
): Promise<PermissionUseSum[]> {
  let query = statements.selectFrom('permission_usage').where('application_id', '=', about.applicationId)
  if (about.tenantId !== undefined) query = query.where('tenant_id', '=', about.tenantId)
  const rows = await query
    .groupBy(['kind', 'resource', 'permission_id', 'tenant_id'])
    .select(['kind', 'resource', 'permission_id', 'tenant_id'])
    .select(({ fn, eb }) => [
      fn.min('first_used_at').as('first_used_at'),
      fn.max('last_used_at').as('last_used_at'),
      fn.sum(eb.case().when('day', '>=', about.recentFrom).then(eb.ref('uses')).else(0).end()).as('recent'),
      fn.sum(eb.case().when('day', '>=', about.quarterFrom).then(eb.ref('uses')).else(0).end()).as('quarter'),
    ])
    .orderBy('kind')
    .orderBy('resource')
    .orderBy('permission_id')
    .orderBy('tenant_id')
    .execute()
  return rows.map((row) => ({
    kind: row.kind,
    resource: row.resource,
    permission_id: row.permission_id,
    tenant_id: row.tenant_id,
    first_used_at: Number(row.first_used_at),
    last_used_at: Number(row.last_used_at),
    recent: Number(row.recent),
    quarter: Number(row.quarter),
  }))
}

/** Which calls are meant: all that is given must fit. Days since 1970, both included. */
export interface RouteUsageFilter {
  applicationId?: string | undefined
  tenantId?: string | undefined
  route?: string | undefined
  from: number
  to: number
}

/** Calls added up; `key` is the day, the route, the application's id, or the two with a line feed between them. */
export interface RouteUseSum extends Omit<Tables['route_usage'], 'application_id' | 'tenant_id' | 'day' | 'route'> {
  key: string
}

type Column = 'day' | 'route' | 'application_id'
type GroupedBy = Column | readonly Column[]

/** So many days are added up by one statement; then it is the turn of others. */
const daysTogether = 7

/** The calls by day, the oldest first, by route, by application, or by both. At most `limit` lines. */
export async function sumRouteUsage(
  statements: Statements,
  filter: RouteUsageFilter,
  by: GroupedBy,
  limit: number,
): Promise<RouteUseSum[]> {
  const sums = new Map<string, RouteUseSum>()
  const span = await countedDays(statements, filter)
  for (let { from } = span; from <= span.to; from += daysTogether) {
    if (from > span.from) await setImmediate()
    const to = Math.min(span.to, from + daysTogether - 1)
    for (const row of await sumDays(statements, { ...filter, from, to }, by)) {
      const sum = sums.get(row.key)
      if (sum === undefined) sums.set(row.key, row)
      else for (const column of countedColumns) sum[column] += row[column]
    }
  }
  const all = [...sums.values()]
  const inOrder = by === 'day' ? (key: string) => Number(key) : (key: string) => key
  all.sort((one, other) => (inOrder(one.key) < inOrder(other.key) ? -1 : 1))
  return all.slice(0, limit)
}

/** The requested days of which there can be something: a request for a thousand years gets what is kept. */
async function countedDays(
  statements: Statements,
  { from, to }: RouteUsageFilter,
): Promise<{ from: number; to: number }> {
  if (to - from < daysTogether) return { from, to }
  const days = statements.selectFrom('route_usage')
  const first = await days.select(({ fn }) => fn.min('day').as('day')).executeTakeFirst()
  const last = await days.select(({ fn }) => fn.max('day').as('day')).executeTakeFirst()
  // Of an empty table: no day.
  return { from: Math.max(from, Number(first?.day ?? 0)), to: Math.min(to, Number(last?.day ?? -1)) }
}

const countedColumns = [
  'allowed',
  'not_permitted',
  'limited',
  'token_refused',
  'client_errors',
  'server_errors',
] as const

async function sumDays(statements: Statements, filter: RouteUsageFilter, by: GroupedBy): Promise<RouteUseSum[]> {
  let query = statements.selectFrom('route_usage').where('day', '>=', filter.from).where('day', '<=', filter.to)
  if (filter.applicationId !== undefined) query = query.where('application_id', '=', filter.applicationId)
  if (filter.tenantId !== undefined) query = query.where('tenant_id', '=', filter.tenantId)
  if (filter.route !== undefined) query = query.where('route', '=', filter.route)
  const columns = [by].flat() as Column[]
  const rows = await query
    .groupBy(columns)
    .select(columns)
    .select(({ fn }) => [
      fn.sum('allowed').as('allowed'),
      fn.sum('not_permitted').as('not_permitted'),
      fn.sum('limited').as('limited'),
      fn.sum('token_refused').as('token_refused'),
      fn.sum('client_errors').as('client_errors'),
      fn.sum('server_errors').as('server_errors'),
    ])
    .execute()
  return rows.map((row) => ({
    key: columns.map((column) => String(row[column])).join('\n'),
    allowed: Number(row.allowed),
    not_permitted: Number(row.not_permitted),
    limited: Number(row.limited),
    token_refused: Number(row.token_refused),
    client_errors: Number(row.client_errors),
    server_errors: Number(row.server_errors),
  }))
}

/** Since when anything is counted here (epoch ms): the time of the migration that made the tables. */
export async function usageCountedSince(statements: Statements): Promise<number> {
  return countedSince(statements, usageTables)
}
