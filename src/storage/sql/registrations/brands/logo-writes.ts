// Writes of logos: one owner has at most one for each theme.

import type { Statements } from '../../store.js'
import { type BrandLogoRow, type LogoOwner, ownedBy } from './logos.js'

/** Puts a logo in the place of the one that its owner has for that theme. */
export async function putLogo(tx: Statements, row: BrandLogoRow): Promise<void> {
  const { tenant_id: tenantId, application_id: applicationId, theme } = row
  await deleteLogos(tx, tenantId === null ? { applicationId: applicationId ?? '' } : { tenantId }, theme)
  await tx.insertInto('brand_logos').values(row).execute()
}

/** Takes the logos of an owner away: all, or that of one theme. */
export async function deleteLogos(tx: Statements, owner: LogoOwner, theme?: string): Promise<void> {
  const rows = tx.deleteFrom('brand_logos').where(...ownedBy(owner))
  await (theme === undefined ? rows : rows.where('theme', '=', theme)).execute()
}
