// Writing down what was counted: batches of sums, each of which is added exactly once.

import { addPkceUsage, type PkceUsageRow } from '../registrations/pkce/pkce-uses.js'
import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'
import { holdOpenDay } from './usage-days.js'
import { addedCalls } from './usage-lines.js'

export type PermissionUsageRow = Tables['permission_usage']
export type RouteUsageRow = Tables['route_usage']

/** What one instance counted. Each key at most once in its list. */
export interface UsageBatch {
  instanceId: string
  /** Grows with each batch of this instance. */
  sequence: number
  permissions: readonly PermissionUsageRow[]
  routes: readonly RouteUsageRow[]
  pkce: readonly PkceUsageRow[]
}

/** Rows of one statement: within what the engines take of parameters. */
const chunk = 500

/**
 * Adds a batch to what is there, unless it was added before: the answer to a commit can be lost. In a `first-lock`
 * transaction: its first statement locks the row of this instance, and the rest only adds to rows, in one order for all
 * instances, so that two wait for each other but never in a circle. Calls of a day that has ended for counting count for
 * the first day that has not. False: it was there already.
 */
export async function addUsage(tx: Statements, batch: UsageBatch, at: number): Promise<boolean> {
  const { instanceId: instance_id, sequence } = batch
  const taken = await tx
    .insertInto('usage_flushes')
    .values({ instance_id, sequence, at })
    .onConflict((conflict) =>
      conflict.column('instance_id').doUpdateSet({ sequence, at }).where('usage_flushes.sequence', '<', sequence),
    )
    .returning('sequence')
    .executeTakeFirst()
  if (taken === undefined) return false
  const openDay = await holdOpenDay(tx)
  const permissions = sorted(batch.permissions, (row) => [
    ...[row.application_id, row.tenant_id, row.kind, row.resource, row.permission_id, String(row.day)],
  ])
  for (const rows of chunks(permissions)) await addPermissionUsage(tx, rows)
  const routes = sorted(onOpenDays(batch.routes, openDay), (row) => [
    row.application_id,
    row.tenant_id,
    String(row.day),
    row.route,
  ])
  for (const rows of chunks(routes)) await addRouteUsage(tx, rows)
  const pkce = sorted(batch.pkce, (row) => [row.application_id, String(row.day)])
  for (const rows of chunks(pkce)) await addPkceUsage(tx, rows)
  return true
}

async function addPermissionUsage(tx: Statements, rows: readonly PermissionUsageRow[]): Promise<void> {
  await tx
    .insertInto('permission_usage')
    .values([...rows])
    .onConflict((conflict) =>
      conflict
        .columns(['application_id', 'tenant_id', 'kind', 'resource', 'permission_id', 'day'])
        .doUpdateSet((eb) => ({
          uses: eb('permission_usage.uses', '+', eb.ref('excluded.uses')),
          // Instances come in any order, and clocks differ. The engines have no common word for the greater of two.
          first_used_at: eb
            .case()
            .when('excluded.first_used_at', '<', eb.ref('permission_usage.first_used_at'))
            .then(eb.ref('excluded.first_used_at'))
            .else(eb.ref('permission_usage.first_used_at'))
            .end(),
          last_used_at: eb
            .case()
            .when('excluded.last_used_at', '>', eb.ref('permission_usage.last_used_at'))
            .then(eb.ref('excluded.last_used_at'))
            .else(eb.ref('permission_usage.last_used_at'))
            .end(),
        })),
    )
    .execute()
}

async function addRouteUsage(tx: Statements, rows: readonly RouteUsageRow[]): Promise<void> {
  await tx
    .insertInto('route_usage')
    .values([...rows])
    .onConflict((conflict) =>
      conflict.columns(['application_id', 'tenant_id', 'day', 'route']).doUpdateSet((eb) => ({
        allowed: eb('route_usage.allowed', '+', eb.ref('excluded.allowed')),
        not_permitted: eb('route_usage.not_permitted', '+', eb.ref('excluded.not_permitted')),
        limited: eb('route_usage.limited', '+', eb.ref('excluded.limited')),
        token_refused: eb('route_usage.token_refused', '+', eb.ref('excluded.token_refused')),
        client_errors: eb('route_usage.client_errors', '+', eb.ref('excluded.client_errors')),
        server_errors: eb('route_usage.server_errors', '+', eb.ref('excluded.server_errors')),
      })),
    )
    .execute()
}

/** No key twice: what came late may meet what came in time. */
function onOpenDays(rows: readonly RouteUsageRow[], openDay: number): readonly RouteUsageRow[] {
  if (rows.every(({ day }) => day >= openDay)) return rows
  const moved = new Map<string, RouteUsageRow>()
  for (const row of rows) {
    const day = Math.max(row.day, openDay)
    const key = [row.application_id, row.tenant_id, String(day), row.route].join('\n')
    const known = moved.get(key)
    moved.set(key, { ...(known === undefined ? row : addedCalls(known, row)), day })
  }
  return [...moved.values()]
}

function sorted<T>(rows: readonly T[], key: (row: T) => readonly string[]): T[] {
  const keyed = rows.map((row) => ({ row, key: key(row).join('\n') }))
  return keyed.sort((one, other) => (one.key < other.key ? -1 : 1)).map(({ row }) => row)
}

function* chunks<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < rows.length; from += chunk) yield rows.slice(from, from + chunk)
}
