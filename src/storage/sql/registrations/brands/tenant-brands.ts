// Queries of the brands of tenants.

import type { Tables } from '../../rows/tables.js'
import type { Statements } from '../../store.js'
import { deleteLogos } from './logo-writes.js'

export type TenantBrandRow = Tables['tenant_brands']

/** What a tenant said of its pages. */
export function readTenantBrand(statements: Statements, tenantId: string): Promise<TenantBrandRow | undefined> {
  return statements.selectFrom('tenant_brands').selectAll().where('tenant_id', '=', tenantId).executeTakeFirst()
}

/** Writes what a tenant says, in place of what it said. */
export async function putTenantBrand(tx: Statements, row: TenantBrandRow): Promise<void> {
  const { tenant_id: _key, ...columns } = row
  const rows = tx.insertInto('tenant_brands').values(row)
  await rows.onConflict((conflict) => conflict.column('tenant_id').doUpdateSet(columns)).execute()
}

/** Takes all that a tenant said away. */
export async function deleteTenantBrand(tx: Statements, tenantId: string): Promise<void> {
  await deleteLogos(tx, { tenantId })
  await tx.deleteFrom('tenant_brands').where('tenant_id', '=', tenantId).execute()
}

/** The tenant that registered an application. */
export async function readHomeTenant(statements: Statements, applicationId: string): Promise<string | undefined> {
  const rows = statements.selectFrom('applications').select('tenant_id').where('id', '=', applicationId)
  return (await rows.executeTakeFirst())?.tenant_id
}
