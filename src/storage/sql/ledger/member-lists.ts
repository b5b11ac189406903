// Lists of what is of a tenant: its own rows of the ledger and of the activity log, and those about people who belonged
// to it, as member-rows.ts noted them.

import { sql } from 'kysely'
import type { Statements } from '../store.js'
import { type ActivityRow, listActivity } from './activity.js'
import { listLedger, numbered, selectLedger } from './ledger-entries.js'
import { conditionsOf, within } from './ledger-filter.js'
import type { LedgerRow } from './ledger-head.js'
import { boundsOf } from './time-bounds.js'

/** `isLimited`: the person belonged to other tenants too, whose business this may be. */
export type OfTenant<Row> = Row & { isLimited: boolean }

/**
 * A page of what is of a tenant: its own events, and those about people who belonged to it. As listLedger otherwise.
 */
export async function listTenantLedger(
  statements: Statements,
  tenantId: string,
  options: Parameters<typeof listLedger>[1],
): Promise<OfTenant<LedgerRow>[]> {
  const own = await listLedger(statements, { ...options, filter: { ...options.filter, tenantId } })
  const ofMembers = await listLedgerMembers(statements, tenantId, options)
  const sign = options.order === 'newest' ? -1 : 1
  return [...own.map((row) => ({ ...row, isLimited: false })), ...ofMembers]
    .sort((one, other) => sign * (one.position - other.position))
    .slice(0, options.limit)
}

/** The row itself must still say what was noted of it: this table is not authenticated, the ledger is. */
async function listLedgerMembers(
  statements: Statements,
  tenantId: string,
  { filter, place, order, limit }: Parameters<typeof listLedger>[1],
): Promise<OfTenant<LedgerRow>[]> {
  // None of them is about an application; and which one an event came through is not for everybody to know.
  if (filter.applicationId !== undefined) return []
  let noted = statements
    .selectFrom('ledger_members')
    .innerJoin('ledger', (join) =>
      join
        .onRef('ledger.position', '=', 'ledger_members.position')
        .onRef('ledger.event', '=', 'ledger_members.event')
        .onRef('ledger.user_id', '=', 'ledger_members.user_id'),
    )
    .select(['ledger_members.position', 'ledger_members.limited'])
    .where('ledger_members.tenant_id', '=', tenantId)
    .where('ledger.tenant_id', 'is', null)
  if (place !== undefined) noted = noted.where('ledger_members.position', order === 'newest' ? '<' : '>', within(place))
  const { least, most } = await boundsOf(statements, filter)
  if (least !== undefined) noted = noted.where('ledger_members.position', '>=', least)
  if (most !== undefined) noted = noted.where('ledger_members.position', '<=', most)
  for (const [column, operator, value] of conditionsOf({ ...filter, tenantId: undefined })) {
    const table = column === 'event' || column === 'user_id' ? 'ledger_members' : 'ledger'
    noted = noted.where(sql.ref(`${table}.${column}`), operator, value)
  }
  const found = await noted
    .orderBy('ledger_members.position', order === 'newest' ? 'desc' : 'asc')
    .limit(limit)
    .execute()
  if (found.length === 0) return []
  const limited = new Map(found.map((row) => [Number(row.position), Number(row.limited) === 1]))
  const rows = await selectLedger(statements)
    .where('position', 'in', [...limited.keys()])
    .execute()
  return numbered(rows).map((row) => ({ ...row, isLimited: limited.get(row.position) ?? true }))
}

/** A page of what failed in a tenant, or for people who belonged to it. As listActivity otherwise. */
export async function listTenantActivity(
  statements: Statements,
  tenantId: string,
  options: Parameters<typeof listActivity>[1],
): Promise<OfTenant<ActivityRow>[]> {
  const { filter, place, order, limit } = options
  const own = await listActivity(statements, { ...options, filter: { ...filter, tenantId } })
  if (filter.applicationId !== undefined) return own.map((row) => ({ ...row, isLimited: false }))
  let noted = statements
    .selectFrom('activity_members')
    .innerJoin('activity', 'activity.id', 'activity_members.id')
    .selectAll('activity')
    .select('activity_members.limited')
    .where('activity_members.tenant_id', '=', tenantId)
    .where('activity.tenant_id', 'is', null)
  if (place !== undefined) {
    noted = noted.where(({ eb, refTuple, tuple }) =>
      eb(
        refTuple('activity_members.at', 'activity_members.id'),
        order === 'oldest' ? '>' : '<',
        tuple(place.at, place.id),
      ),
    )
  }
  for (const [column, operator, value] of conditionsOf({ ...filter, tenantId: undefined })) {
    noted = noted.where(`activity.${column}`, operator, value)
  }
  const direction = order === 'oldest' ? 'asc' : 'desc'
  const found = await noted
    .orderBy('activity_members.at', direction)
    .orderBy('activity_members.id', direction)
    .limit(limit)
    .execute()
  const ofMembers = found.map(({ limited, ...row }) => ({
    ...row,
    at: Number(row.at),
    isLimited: Number(limited) === 1,
  }))
  const sign = order === 'oldest' ? 1 : -1
  return [...own.map((row) => ({ ...row, isLimited: false })), ...ofMembers]
    .sort((one, other) => sign * (one.at - other.at || (one.id < other.id ? -1 : 1)))
    .slice(0, limit)
}
