// Queries of what brands are called.

import type { Statements } from '../../store.js'

/** What the pages are headed with of every tenant that has a brand: its name, empty where that is the tenant's. */
export function readNamesOfBrands(
  statements: Statements,
): Promise<{ tenantId: string; name: string; tenantName: string }[]> {
  return statements
    .selectFrom('tenant_brands')
    .innerJoin('tenants', 'tenants.id', 'tenant_brands.tenant_id')
    .select(['tenants.id as tenantId', 'tenant_brands.name', 'tenants.name as tenantName'])
    .execute()
}
