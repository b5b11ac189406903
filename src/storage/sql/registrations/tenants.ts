// Queries of tenants. A tenant is a row, never a path.

import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

export type TenantRow = Tables['tenants']

/** Adds a tenant; its id is new. */
export async function insertTenant(tx: Statements, row: TenantRow): Promise<void> {
  await tx.insertInto('tenants').values(row).execute()
}

/** Changes the named columns; false when there is no such tenant. */
export async function updateTenant(
  tx: Statements,
  id: string,
  changes: Partial<
    Pick<
      TenantRow,
      | 'name'
      | 'state'
      | 'user_consent'
      | 'foreign_consent'
      | 'device_codes'
      | 'administrators'
      | 'second_factor'
      | 'own_sign_in'
      | 'sign_in_providers'
      | 'client_hosts'
    >
  > &
    Pick<TenantRow, 'updated_at'>,
): Promise<boolean> {
  const updated = await tx.updateTable('tenants').set(changes).where('id', '=', id).returning('id').executeTakeFirst()
  return updated !== undefined
}

/** The tenant with this id. */
export async function readTenant(statements: Statements, id: string): Promise<TenantRow | undefined> {
  return statements.selectFrom('tenants').selectAll().where('id', '=', id).executeTakeFirst()
}

/** At most `limit` tenants, the oldest first; after one. */
export async function listTenants(
  statements: Statements,
  limit: number,
  after?: { at: number; id: string },
): Promise<TenantRow[]> {
  let rows = statements.selectFrom('tenants').selectAll()
  if (after !== undefined) {
    rows = rows.where(({ eb, refTuple, tuple }) => eb(refTuple('created_at', 'id'), '>', tuple(after.at, after.id)))
  }
  return rows.orderBy('created_at').orderBy('id').limit(limit).execute()
}
