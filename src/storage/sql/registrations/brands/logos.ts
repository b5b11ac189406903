// Queries of logos. Pages read what stands around a picture; the picture itself is read when it is served.

import type { Tables } from '../../rows/tables.js'
import type { Statements } from '../../store.js'

export type BrandLogoRow = Tables['brand_logos']
/** A logo without its picture. */
export type LogoFacts = Pick<BrandLogoRow, 'digest' | 'theme' | 'media_type' | 'width' | 'height'>
/** Whose it is. */
export type LogoOwner = { tenantId: string } | { applicationId: string }

/** The logos of one owner. */
export async function readLogos(statements: Statements, owner: LogoOwner): Promise<LogoFacts[]> {
  const rows = statements.selectFrom('brand_logos').select(['digest', 'theme', 'media_type', 'width', 'height'])
  return rows.where(...ownedBy(owner)).execute()
}

/** The logos of applications, by application; those that have none are not in it. */
export async function readApplicationLogos(
  statements: Statements,
  applicationIds: readonly string[],
): Promise<ReadonlyMap<string, LogoFacts>> {
  if (applicationIds.length === 0) return new Map()
  const rows = await statements
    .selectFrom('brand_logos')
    .select(['digest', 'theme', 'media_type', 'width', 'height', 'application_id'])
    .where('application_id', 'in', [...applicationIds])
    .execute()
  return new Map(rows.map((row) => [row.application_id ?? '', row]))
}

/** The picture that is served under this digest. */
export function readLogo(
  statements: Statements,
  digest: string,
): Promise<Pick<BrandLogoRow, 'media_type' | 'picture'> | undefined> {
  const rows = statements.selectFrom('brand_logos').select(['media_type', 'picture'])
  return rows.where('digest', '=', digest).executeTakeFirst()
}

/** The column of its owner, as a condition. */
export function ownedBy(owner: LogoOwner): ['tenant_id' | 'application_id', '=', string] {
  return 'tenantId' in owner ? ['tenant_id', '=', owner.tenantId] : ['application_id', '=', owner.applicationId]
}
