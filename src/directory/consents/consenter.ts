// Those who consent for a tenant must be able to use what they consent to (contract §8): else an administrator gives an
// application of their own what is for owners, and has it by way of that application.

import type { Catalogue, Role } from '../../config/settings/settings.js'
import { readMemberships } from '../../storage/sql/people/memberships.js'
import type { PermissionRef } from '../records.js'
import { DirectoryRefusal } from '../refusal.js'
import type { Writing } from '../writes.js'

const order: readonly Role[] = ['member', 'developer', 'administrator', 'owner']

/**
 * Throws DirectoryRefusal (RoleRequired) when one of the permissions is for a role above that of the person `by`, in
 * the transaction that consents; `byRole` when they act as less than they are. The local socket, which is no person,
 * may consent to everything.
 */
export async function checkConsenter(
  { catalogue }: { catalogue: Catalogue },
  { tx }: Pick<Writing, 'tx'>,
  { by, byRole, tenantId }: { by: string; byRole?: Role | undefined; tenantId: string },
  permissions: readonly PermissionRef[],
): Promise<void> {
  const [membership] = await readMemberships(tx, { userId: by, tenantId })
  if (membership === undefined) return
  const held = order.indexOf(membership.role as Role)
  const own = byRole === undefined ? held : Math.min(held, order.indexOf(byRole))
  for (const { kind, resource, id } of permissions) {
    const role = catalogue.find(kind, resource, id)?.role
    if (role === undefined || order.indexOf(role) <= own) continue
    const message = `${id} is for the role ${role}: somebody who has it consents to it.`
    throw new DirectoryRefusal('RoleRequired', message, 'permissions')
  }
}
