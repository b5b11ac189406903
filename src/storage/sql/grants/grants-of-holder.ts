// What a person lets one application have in one tenant, by its grants: many of them are alike, so they are read and
// changed by what they hold and not one by one.

import type { Statements } from '../store.js'
import type { GrantRow } from './grants.js'

/** What a grant is for. */
export type GrantContent = Pick<GrantRow, 'resource' | 'permissions' | 'openid_scopes' | 'withdrawn'>

interface Holder {
  userId: string
  applicationId: string
  tenantId: string
}

/** What the active grants are for, each content once. */
export async function listGrantContents(statements: Statements, holder: Holder): Promise<GrantContent[]> {
  return statements
    .selectFrom('grants')
    .select(['resource', 'permissions', 'openid_scopes', 'withdrawn'])
    .distinct()
    .where('user_id', '=', holder.userId)
    .where('application_id', '=', holder.applicationId)
    .where('tenant_id', '=', holder.tenantId)
    .where('state', '=', 'active')
    .orderBy('resource')
    .orderBy('permissions')
    .orderBy('openid_scopes')
    .orderBy('withdrawn')
    .execute()
}

/** Changes all active grants with exactly this content; how many there are. */
export async function changeGrantsWith(
  tx: Statements,
  { userId, applicationId, tenantId }: Holder,
  { resource, permissions, openid_scopes, withdrawn }: GrantContent,
  change: { withdrawn: string } | { state: 'ended'; ended_at: number },
): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('grants')
    .set(change)
    .where('user_id', '=', userId)
    .where('application_id', '=', applicationId)
    .where('tenant_id', '=', tenantId)
    .where('state', '=', 'active')
    .where('resource', '=', resource)
    .where('permissions', '=', permissions)
    .where('openid_scopes', '=', openid_scopes)
    .where('withdrawn', '=', withdrawn)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}
