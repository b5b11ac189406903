// Takes from an application what it was given and does not use: out of what is configured, and so out of every consent,
// in one transaction. Exactly what the caller saw, and only as long as it is still unused: a use that came in between
// keeps all.

import { includesPermission } from '../consents/consent-rules.js'
import type { PermissionRef } from '../records.js'
import { DirectoryRefusal } from '../refusal.js'
import { toRegistration } from '../rows.js'
import { type DirectoryWrites, requireApplication, write } from '../writes.js'
import { type PermissionUse, type PermissionUseOptions, readPermissionUse } from './permission-use.js'
import { configureInTransaction } from './permissions.js'

/**
 * Removes the permissions, and answers what is still configured; those that are not configured any more are gone
 * already, so that two who do it at once are both right. What was issued for the application until now is refused from
 * this change on, as after every withdrawal; its next token has the rest. Throws DirectoryRefusal (ApplicationNotFound,
 * PermissionInUse) and StoreUnavailable.
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
    for (const use of uses) if (use.configured && includesPermission(input.permissions, use)) checkUnused(use)
    const rest = registration.configured.filter((one) => !includesPermission(input.permissions, one))
    if (rest.length === registration.configured.length) return rest
    return configureInTransaction(deps, writing, registration.applicationId, rest)
  })
}

function checkUnused({ kind, id, unused }: PermissionUse): void {
  if (unused) return
  const message = `The ${kind} permission ${id} is not known to be unused: look again before you remove it.`
  throw new DirectoryRefusal('PermissionInUse', message, 'permissions')
}
