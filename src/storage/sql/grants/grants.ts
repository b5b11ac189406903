// Rows of `grants`: one act of authorization each, the root of its code, its refresh tokens and its access tokens.
// A transaction that changes anything below a grant locks its row first, so that two that use the same code or token
// come one after the other.

import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

/** A grant as it is stored. */
export type GrantRow = Selectable<Tables['grants']>

/** What a redemption or a refresh changes. */
export type GrantChange = Pick<
  Updateable<Tables['grants']>,
  'client_identifier' | 'refresh_sequence' | 'idle_expires_at' | 'expires_at'
>

/** Which grants: every member that is given must fit. */
export interface GrantFilter {
  grantId?: string | undefined
  userId?: string | undefined
  applicationId?: string | undefined
  tenantId?: string | undefined
}

/** Adds a grant. */
export async function insertGrant(tx: Statements, row: Insertable<Tables['grants']>): Promise<void> {
  await tx.insertInto('grants').values(row).execute()
}

/**
 * A grant, or undefined. `lock` (the first statement of a `first-lock` transaction, or after the head of the change
 * log) keeps others from it until the transaction ends, and shows what those before committed.
 */
export async function readGrant(statements: Statements, id: string, lock?: 'lock'): Promise<GrantRow | undefined> {
  if (lock === undefined) return statements.selectFrom('grants').selectAll().where('id', '=', id).executeTakeFirst()
  return statements
    .updateTable('grants')
    .set((eb) => ({ state: eb.ref('state') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
}

/** Changes a grant that this transaction has locked. */
export async function updateGrant(tx: Statements, id: string, change: GrantChange): Promise<void> {
  await tx.updateTable('grants').set(change).where('id', '=', id).execute()
}

/**
 * Ends every active grant that fits, and returns their identifiers in order. Throws RangeError for a filter that fits
 * all.
 */
export async function endGrantRows(tx: Statements, filter: GrantFilter, nowMs: number): Promise<string[]> {
  const wanted = [
    ['id', filter.grantId],
    ['user_id', filter.userId],
    ['application_id', filter.applicationId],
    ['tenant_id', filter.tenantId],
  ] as const
  if (wanted.every(([, value]) => value === undefined)) throw new RangeError('grants that end must be named')
  let query = tx.updateTable('grants').set({ state: 'ended', ended_at: nowMs }).where('state', '=', 'active')
  for (const [column, value] of wanted) if (value !== undefined) query = query.where(column, '=', value)
  const rows = await query.returning('id').execute()
  return rows.map(({ id }) => id).sort()
}
