// Queries of names that somebody else may already have: in a tenant, and of applications whose publisher an operator
// verified.

import type { Statements } from '../store.js'

export interface VouchedName {
  id: string
  name: string
  publisher: string
  tenantId: string
  tenantName: string
  /** What the pages of the tenant are headed with; null or empty: its name. */
  brandName: string | null
}

/** The applications of a tenant by their names. */
export async function readNamesOfTenant(tx: Statements, tenantId: string): Promise<{ id: string; name: string }[]> {
  return tx.selectFrom('applications').select(['id', 'name']).where('tenant_id', '=', tenantId).execute()
}

/** Every application whose publisher is verified, with what people are shown of it; all but one. */
export async function readVouchedNames(tx: Statements, without: string): Promise<VouchedName[]> {
  return tx
    .selectFrom('applications')
    .innerJoin('tenants', 'tenants.id', 'applications.tenant_id')
    .leftJoin('tenant_brands', 'tenant_brands.tenant_id', 'tenants.id')
    .select(['applications.id', 'applications.name', 'applications.publisher', 'tenants.id as tenantId'])
    .select(['tenants.name as tenantName', 'tenant_brands.name as brandName'])
    .where('applications.verified', '=', 1)
    .where('applications.id', '!=', without)
    .execute()
}
