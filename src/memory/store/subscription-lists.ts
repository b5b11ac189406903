// The list of a tenant's subscriptions: filtered, ordered, and from one row on, so that a page can begin exactly after
// another. Values are bound, never written into the statement.

import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Statements } from './store.js'
import type { StoredSubscription } from './subscriptions.js'
import type { Tables } from './tables.js'

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

type Builder = ExpressionBuilder<Tables, 'subscriptions'>

const columnOf = { state: 'state', displayName: 'display_name', createdAt: 'created_at', id: 'id' } as const

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
