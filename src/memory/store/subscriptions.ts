// Queries over subscriptions. Every query names the tenant. Writes name the version that the writer has read and change
// nothing when it is no longer that one (one conditional statement each, so two writers cannot both win).

import { type Expression, type ExpressionBuilder, type Insertable, type Selectable, type SqlBool, sql } from 'kysely'
import type { Statements } from './store.js'
import type { Tables } from './tables.js'

/** A subscription as it is stored. */
export type StoredSubscription = Selectable<Tables['subscriptions']>

/** What a list can be filtered by. Text is compared exactly, code point by code point. */
export type SubscriptionCondition =
  | { kind: 'compare'; field: FilterField; operator: 'eq' | 'ne'; value: string }
  | { kind: 'starts-with'; field: FilterField; value: string }
  | { kind: 'and' | 'or'; conditions: readonly SubscriptionCondition[] }
  | { kind: 'not'; condition: SubscriptionCondition }

export type FilterField = 'state' | 'displayName'
export type SortField = FilterField | 'createdAt' | 'id'

export interface SortKey {
  field: SortField
  direction: 'asc' | 'desc'
}

/** A stretch of a list: `after` holds the last row's values of the `order` fields; `order` ends with the unique `id`. */
export interface SubscriptionStretch {
  filter: SubscriptionCondition | undefined
  order: readonly SortKey[]
  after: readonly (string | number)[] | undefined
  limit: number
}

/** Which record, at which version. */
export interface SubscriptionVersion {
  tenantId: string
  id: string
  version: number
}

type Builder = ExpressionBuilder<Tables, 'subscriptions'>

const columnOf = { state: 'state', displayName: 'display_name', createdAt: 'created_at', id: 'id' } as const

/** One subscription of a tenant, or undefined. */
export function findSubscription(
  db: Statements,
  tenantId: string,
  id: string,
): Promise<StoredSubscription | undefined> {
  return db
    .selectFrom('subscriptions')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** A stretch of a tenant's subscriptions. */
export function listSubscriptions(
  db: Statements,
  tenantId: string,
  stretch: SubscriptionStretch,
): Promise<StoredSubscription[]> {
  const { filter, order, after, limit } = stretch
  let rows = db.selectFrom('subscriptions').selectAll().where('tenant_id', '=', tenantId).limit(limit)
  if (filter !== undefined) rows = rows.where((eb) => condition(eb, filter))
  if (after !== undefined) rows = rows.where((eb) => isAfter(eb, order, after))
  for (const { field, direction } of order) rows = rows.orderBy(columnOf[field], direction)
  return rows.execute()
}

/** Adds a subscription; its resource group is added in the same transaction (resource-groups.ts). */
export async function insertSubscription(tx: Statements, row: Insertable<Tables['subscriptions']>): Promise<void> {
  await tx.insertInto('subscriptions').values(row).execute()
}

/** Changes name or state and counts the version up. Undefined when the record is not at that version any more. */
export function updateSubscription(
  tx: Statements,
  at: SubscriptionVersion,
  change: { displayName: string; state: string },
  now: number,
): Promise<StoredSubscription | undefined> {
  return tx
    .updateTable('subscriptions')
    .set({ display_name: change.displayName, state: change.state, version: at.version + 1, updated_at: now })
    .where('tenant_id', '=', at.tenantId)
    .where('id', '=', at.id)
    .where('version', '=', at.version)
    .returningAll()
    .executeTakeFirst()
}

/** Removes a subscription and its resource group. False when it is not at that version any more. */
export async function deleteSubscription(tx: Statements, at: SubscriptionVersion): Promise<boolean> {
  // The conditional update takes the row's lock: from here on the version cannot change, and the group, whose row refers
  // to the subscription's, may go first.
  const held = await tx
    .updateTable('subscriptions')
    .set({ version: at.version + 1 })
    .where('tenant_id', '=', at.tenantId)
    .where('id', '=', at.id)
    .where('version', '=', at.version)
    .returning('id')
    .executeTakeFirst()
  if (held === undefined) return false
  await tx
    .deleteFrom('resource_groups')
    .where('tenant_id', '=', at.tenantId)
    .where('subscription_record_id', '=', at.id)
    .execute()
  await tx.deleteFrom('subscriptions').where('tenant_id', '=', at.tenantId).where('id', '=', at.id).execute()
  return true
}

function condition(eb: Builder, filter: SubscriptionCondition): Expression<SqlBool> {
  switch (filter.kind) {
    case 'compare':
      return eb(columnOf[filter.field], filter.operator === 'eq' ? '=' : '<>', filter.value)
    case 'starts-with':
      // Not `like`: its wildcards and its case rules differ between databases. substr counts code points, as [...value] does.
      return sql<SqlBool>`substr(${eb.ref(columnOf[filter.field])}, 1, ${[...filter.value].length}) = ${filter.value}`
    case 'not':
      return eb.not(condition(eb, filter.condition))
    case 'and':
      return eb.and(filter.conditions.map((part) => condition(eb, part)))
    case 'or':
      return eb.or(filter.conditions.map((part) => condition(eb, part)))
  }
}

/** Lexicographic "comes after": for some field it is beyond, and all fields before that one are equal. */
function isAfter(eb: Builder, order: readonly SortKey[], after: readonly (string | number)[]): Expression<SqlBool> {
  return eb.or(
    order.map((key, depth) =>
      eb.and([
        ...order.slice(0, depth).map((earlier, index) => eb(columnOf[earlier.field], '=', valueAt(after, index))),
        eb(columnOf[key.field], key.direction === 'asc' ? '>' : '<', valueAt(after, depth)),
      ]),
    ),
  )
}

function valueAt(after: readonly (string | number)[], index: number): string | number {
  const value = after[index]
  if (value === undefined) throw new Error('a stretch starts after a row with fewer values than its order has fields')
  return value
}
