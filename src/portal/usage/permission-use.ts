// How the permissions of an application are used, as the management API measures it.

import type { PermissionRef } from '../../directory/records.js'
import type { PermissionUseAnswer } from '../../management/permissions/usage-schemas.js'
import type { Visit } from '../visit.js'

/** Of one permission. */
export type PermissionUse = PermissionUseAnswer['value'][number]

/** Of an application in the visitor's tenant. Throws ApiError. */
export function readPermissionUse(visit: Visit, applicationId: string): Promise<PermissionUseAnswer> {
  return visit.api<PermissionUseAnswer>('GET', `/applications/${applicationId}/permissionUse`)
}

/** Takes these from the application. Throws ApiError 409 when one of them is in use after all: then nothing is removed. */
export async function removeUnused(
  visit: Visit,
  applicationId: string,
  permissions: readonly PermissionRef[],
): Promise<void> {
  await visit.api('POST', `/applications/${applicationId}/removeUnused`, { permissions })
}
