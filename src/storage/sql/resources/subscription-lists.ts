// The list of a tenant's subscriptions: filtered, ordered, and from one row on, so that a page can begin exactly after
// another. Values are bound, never written into the statement.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Expression, type ExpressionBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'
import type { StoredSubscription } from './subscriptions.js'

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

/**
 * A stretch of a list: `after` holds the last row's values of the `order` fields; `order` ends with the unique `id`.
 */
export interface SubscriptionStretch {
  filter: SubscriptionCondition | undefined
  order: readonly SortKey[]
  after: readonly (string | number)[] | undefined
  limit: number
}

type Builder = ExpressionBuilder<Tables, 'subscriptions'>

const columnOf = { state: 'state', displayName: 'display_name', createdAt: 'created_at', id: 'id' } as const

/** So many rows are looked at in one statement: SQLite answers within the turn, and everybody else waits for it. */
const SLICE_ROWS = 4_000

/**
 * A stretch of a tenant's subscriptions. What is filtered is looked for slice by slice, with everybody else's turns
 * between them: a filter that nothing fits reads all that a tenant has.
 */
export async function listSubscriptions(
  db: Statements,
  tenantId: string,
  stretch: SubscriptionStretch,
): Promise<StoredSubscription[]> {
  const { filter, order, limit } = stretch
  const ordered = (rows: Rows) => order.reduce((query, key) => query.orderBy(columnOf[key.field], key.direction), rows)
  const from = (after: SubscriptionStretch['after']) => {
    const rows = db.selectFrom('subscriptions').selectAll().where('tenant_id', '=', tenantId)
    return ordered(after === undefined ? rows : rows.where((eb) => isAfter(eb, order, after)))
  }
  if (filter === undefined) return from(stretch.after).limit(limit).execute()
  // Such an order has no index: each slice would sort everything anew.
  if (!isUniform(order))
    return from(stretch.after)
      .where((eb) => condition(eb, filter))
      .limit(limit)
      .execute()
  const found: StoredSubscription[] = []
  for (let after = stretch.after; ; await nextTurn()) {
    const slice = db.selectFrom(from(after).limit(SLICE_ROWS).as('subscriptions')).selectAll() as unknown as Rows
    const fitting = ordered(slice.where((eb) => condition(eb, filter)))
    found.push(...(await fitting.limit(limit - found.length).execute()))
    if (found.length >= limit) return found
    const [last] = await from(after)
      .offset(SLICE_ROWS - 1)
      .limit(1)
      .execute()
    if (last === undefined) return found
    after = order.map(({ field }) => last[columnOf[field]])
  }
}

type Rows = SelectQueryBuilder<Tables, 'subscriptions', StoredSubscription>

function isUniform(order: readonly SortKey[]): boolean {
  return order.every(({ direction }) => direction === order[0]?.direction)
}

function condition(eb: Builder, filter: SubscriptionCondition): Expression<SqlBool> {
  switch (filter.kind) {
    case 'compare':
      return eb(columnOf[filter.field], filter.operator === 'eq' ? '=' : '<>', filter.value)
    case 'starts-with':
      // Not `like`: its wildcards and its case rules differ between databases. substr counts code points, as [...value]
      // does.
      return sql<SqlBool>`substr(${eb.ref(columnOf[filter.field])}, 1, ${[...filter.value].length}) = ${filter.value}`
    case 'not':
      return eb.not(condition(eb, filter.condition))
    case 'and':
      return eb.and(filter.conditions.map((part) => condition(eb, part)))
    case 'or':
      return eb.or(filter.conditions.map((part) => condition(eb, part)))
  }
}

/**
 * Lexicographic "comes after": for some field it is beyond, and all fields before that one are equal. In one direction
 * it is said as one comparison of tuples, which an index can begin at.
 */
function isAfter(eb: Builder, order: readonly SortKey[], after: readonly (string | number)[]): Expression<SqlBool> {
  if (isUniform(order)) {
    const names = sql.join(order.map(({ field }) => eb.ref(columnOf[field])))
    const values = sql.join(order.map((_, index) => valueAt(after, index)))
    return sql<SqlBool>`(${names}) ${sql.raw(order[0]?.direction === 'desc' ? '<' : '>')} (${values})`
  }
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
