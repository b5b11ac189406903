// Brands that pass for what an operator vouches for from now on (decision 125). A name is held against the vouched ones
// when it is given, so one that was given before is looked for once, at the moment at which somebody is verified.

import { readNamesOfBrands } from '../../storage/sql/registrations/brands/brand-names.js'
import { likeness, readVouched } from '../applications/taken-names.js'
import type { Registration } from '../records.js'
import { requireTenant } from '../tenants/tenants.js'
import type { DirectoryWrites, Writing } from '../writes.js'
import { removeTenantBrand } from './tenant-brand.js'

/**
 * Takes away the brands that look like what the operator has looked at: an application that was just verified, its
 * publisher, and its organisation where that had none yet. Their pages look like the server's again, and the ledger
 * says why. What a verified tenant calls itself since, and what it heads its pages with, ends nobody's brand: its
 * administrators could name it like an honest one, and wait for the next of their applications to be verified. Brands
 * of tenants that are vouched for themselves stay: two may be called alike by an operator. Throws StoreUnavailable.
 */
export async function endImitations(
  deps: DirectoryWrites,
  writing: Writing,
  { applicationId, tenantId, name, publisher }: Pick<Registration, 'applicationId' | 'tenantId' | 'name' | 'publisher'>,
): Promise<void> {
  const vouched = await readVouched(writing.tx)
  const isFirst = !vouched.some((each) => each.tenantId === tenantId && each.id !== applicationId)
  const organisation = isFirst ? [(await requireTenant(writing, tenantId)).name] : []
  const isLike = [name, publisher, ...organisation].map(likeness)
  const trusted = new Set([tenantId, ...vouched.map((each) => each.tenantId)])
  for (const brand of await readNamesOfBrands(writing.tx)) {
    if (trusted.has(brand.tenantId)) continue
    // Without a name of its own it is headed with the tenant's.
    if (!isLike.some((like) => like(brand.name || brand.tenantName))) continue
    const reason = 'Its name looks like that of an application or organisation that was verified.'
    await removeTenantBrand(deps, { tenantId: brand.tenantId, reason }, writing)
  }
}
