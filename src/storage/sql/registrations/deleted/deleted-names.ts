// What deleted applications are called: their names stay their own.

import type { VouchedName } from '../../people/vouched-names.js'
import type { Statements } from '../../store.js'

/** What those of a tenant are called, and who deleted them. */
export async function readDeletedNames(
  tx: Statements,
  tenantId: string,
): Promise<{ id: string; name: string; deletedBy: string }[]> {
  return tx
    .selectFrom('deleted_applications')
    .select(['id', 'name', 'deleted_by as deletedBy'])
    .where('tenant_id', '=', tenantId)
    .execute()
}

/** Those whose publisher was verified, with the tenant's names, as vouched-names.ts reads the others. */
export async function readDeletedVouchedNames(tx: Statements): Promise<VouchedName[]> {
  return tx
    .selectFrom('deleted_applications')
    .innerJoin('tenants', 'tenants.id', 'deleted_applications.tenant_id')
    .leftJoin('tenant_brands', 'tenant_brands.tenant_id', 'tenants.id')
    .select(['deleted_applications.id', 'deleted_applications.name', 'deleted_applications.publisher'])
    .select(['tenants.id as tenantId', 'tenants.name as tenantName', 'tenant_brands.name as brandName'])
    .where('deleted_applications.verified', '=', 1)
    .execute()
}
