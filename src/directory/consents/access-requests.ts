// Requesting access for an application in one step: what it does not have listed yet is listed, and what of it waits for
// an administrator is requested from them. It grants nothing: a request gives when it is approved, by somebody else.

import { readInstallations } from '../../storage/sql/registrations/installations.js'
import type { Statements } from '../../storage/sql/store.js'
import { checkPermissions } from '../permissions/permission-rules.js'
import { configureInTransaction } from '../permissions/permissions.js'
import type { PermissionRef } from '../records.js'
import { toInstallation, toRegistration } from '../rows.js'
import { type DirectoryWrites, requireApplication, write } from '../writes.js'
import { type ConsentRequest, fileConsentRequest, listRequests } from './consent-requests.js'
import { includesPermission, needsAdministrator } from './consent-rules.js'

export interface AccessRequest {
  applicationId: string
  /** A user's id. */
  requestedBy: string
  permissions: readonly PermissionRef[]
  /** In their words; may be empty. */
  reason: string
}

export interface RequestedAccess {
  /** What was not listed at the application before. */
  added: readonly PermissionRef[]
  /** What people allow for themselves. */
  withoutAdministrator: readonly PermissionRef[]
  /** What administrators granted before. */
  granted: readonly PermissionRef[]
  /** All that the person waits for with this application; undefined: nothing waits for an administrator. */
  request: ConsentRequest | undefined
}

/**
 * In the home tenant of the application. What the person requested before and nobody has decided stays in the request.
 * `mayAdd` is called in the transaction when something is added, with all that would be listed; what it throws ends
 * it. Throws DirectoryRefusal (ApplicationNotFound, UnknownPermission, NativeApplication, NotInstallable,
 * TooManyConsentRequests) and StoreUnavailable.
 */
export async function requestAccess(
  deps: DirectoryWrites,
  { applicationId, requestedBy, permissions, reason }: AccessRequest,
  mayAdd: (tx: Statements, listed: readonly PermissionRef[]) => Promise<void>,
): Promise<RequestedAccess> {
  return write(deps, async (writing) => {
    const { catalogue } = deps
    const registration = toRegistration(await requireApplication(writing, applicationId))
    const { tenantId, configured } = registration
    const wanted = checkPermissions(catalogue, registration, permissions)
    const added = wanted.filter((ref) => !includesPermission(configured, ref))
    if (added.length > 0) {
      const listed = [...configured, ...added]
      await mayAdd(writing.tx, listed)
      await configureInTransaction(deps, writing, applicationId, listed)
    }
    const installed = (await readInstallations(writing.tx, applicationId, tenantId)).map(toInstallation)
    const given = installed.flatMap((installation) => installation.granted)
    const granted = wanted.filter((ref) => includesPermission(given, ref))
    const missing = wanted.filter((ref) => !includesPermission(given, ref))
    const waiting = missing.filter((ref) => needsAdministrator(catalogue, ref))
    const found = { added, granted, withoutAdministrator: missing.filter((ref) => !includesPermission(waiting, ref)) }
    if (waiting.length === 0) return { ...found, request: undefined }
    const filter = { applicationId, requestedBy, tenantIds: [tenantId], state: 'pending' } as const
    const [before] = await listRequests(writing.tx, filter)
    const still = (before?.permissions ?? []).filter(
      (ref) => includesPermission(configured, ref) && !includesPermission(waiting, ref),
    )
    const all = { applicationId, tenantId, requestedBy, permissions: [...still, ...waiting], reason }
    return { ...found, request: await fileConsentRequest(deps, all, writing) }
  })
}
