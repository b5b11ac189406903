// Redirect origins that nobody has looked at yet, for those who look after the tenant.

import type { ClientAnswer } from '../../management/applications/client-schemas.js'
import { isAdministrator } from '../../users/memberships/roles.js'
import type { PortalContext } from '../context.js'

/** One of them as the API answers it. */
export type NewOrigin = ClientAnswer<'newOrigins'>['value'][number]

/**
 * Those of the tenant, or of one application of it, the newest first; none for people who are no administrators. Throws
 * ApiError.
 */
export async function readNewOrigins(context: PortalContext, applicationId?: string): Promise<NewOrigin[]> {
  if (!isAdministrator(context.currentTenant.role)) return []
  const of =
    applicationId === undefined ? `/tenants/${context.currentTenant.tenantId}` : `/applications/${applicationId}`
  const { value } = await context.api<ClientAnswer<'newOrigins'>>('GET', `${of}/newRedirectOrigins`)
  return value
}
