// How the permissions of an application are used, as the management API measures it.

import type { PermissionRef } from '../../directory/records.js'
import type { PermissionUseAnswer } from '../../management/permissions/usage-schemas.js'
import type { PortalContext } from '../context.js'

/** Of one permission. */
export type PermissionUse = PermissionUseAnswer['value'][number]

/** Of an application in the current tenant. Throws ApiError. */
export function readPermissionUse(context: PortalContext, applicationId: string): Promise<PermissionUseAnswer> {
  return context.api<PermissionUseAnswer>('GET', `/applications/${applicationId}/permissionUse`)
}

/**
 * Takes these from the application. Throws ApiError 409 when one of them is in use after all: then nothing is removed.
 */
export async function removeUnused(
  context: PortalContext,
  applicationId: string,
  permissions: readonly PermissionRef[],
): Promise<void> {
  await context.api('POST', `/applications/${applicationId}/removeUnused`, { permissions })
}
