// Takes from an application what it was given and does not use: out of what is configured, and so out of every consent, in
// one transaction. Exactly what the caller saw, and only as long as it is still unused: a use that came in between keeps all.

import { includesPermission } from './consent-rules.js'
import { type PermissionUse, type PermissionUseOptions, readPermissionUse } from './permission-use.js'
import { configureWithin } from './permissions.js'
import type { PermissionRef } from './records.js'
import { DirectoryRefusal } from './refusal.js'
import { toRegistration } from './rows.js'
import { type DirectoryWrites, requireApplication, write } from './writes.js'

/**
 * Removes the permissions, and answers what is still configured. What was issued for the application until now is refused
 * from this change on, as after every withdrawal; its next token has the rest. Throws DirectoryRefusal
 * (ApplicationNotFound, PermissionNotConfigured, PermissionInUse) and StoreUnavailable.
 */
export async function removeUnusedPermissions(
  deps: DirectoryWrites,
  applicationId: string,
  input: Omit<PermissionUseOptions, 'nowMs'> & { permissions: readonly PermissionRef[] },
): Promise<readonly PermissionRef[]> {
  return write(deps, async (writing) => {
    const registration = toRegistration(await requireApplication(writing, applicationId))
    // In every tenant together: what is not configured any more is gone everywhere.
    const uses = await readPermissionUse(writing.tx, registration, { ...input, nowMs: writing.nowMs })
    for (const permission of input.permissions) checkUnused(uses, permission)
    const rest = registration.configured.filter((one) => !includesPermission(input.permissions, one))
    return configureWithin(deps, writing, registration.applicationId, rest)
  })
}

function checkUnused(uses: readonly PermissionUse[], permission: PermissionRef): void {
  const use = uses.find((one) => includesPermission([one], permission))
  const { kind, id } = permission
  if (use === undefined || !use.configured) {
    const message = `The ${kind} permission ${id} is not configured for this application.`
    throw new DirectoryRefusal('PermissionNotConfigured', message, 'permissions')
  }
  if (!use.unused) {
    const message = `The ${kind} permission ${id} is not known to be unused: look again before you remove it.`
    throw new DirectoryRefusal('PermissionInUse', message, 'permissions')
  }
}
