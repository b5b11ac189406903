// As whom a person acts through an application (decision 105). The holder of its credentials can act in the name of
// everybody who uses it, so it reaches no further than what an administrator granted it says, or than those to whom it
// belongs.

import type { Catalogue, Role } from '../../config/settings/settings.js'
import { readOwners } from '../../storage/sql/registrations/application-owners.js'
import { readApplications } from '../../storage/sql/registrations/applications.js'
import { readClientRegistration } from '../../storage/sql/registrations/client-registrations.js'
import type { Statements } from '../../storage/sql/store.js'
import { findUser } from '../../users/accounts/users.js'
import { findMembership } from '../../users/memberships/memberships.js'
import { isAtLeast, lowerRole } from '../../users/memberships/roles.js'

export interface Through {
  applicationId: string
  /** Where they act. */
  tenantId: string
  /** Theirs there. */
  role: Role
  /** Id of the permission of the own API that the route takes. */
  permission: string
}

/**
 * The role in which a person acts: an administrator at most, for those who may change the application could otherwise
 * give themselves, in an owner's name, what is for owners. More than the permission asks for only through an
 * application that is the administrators' own: none of those who can have its credentials is less. Throws
 * StoreUnavailable.
 */
export async function roleThrough(
  { statements, catalogue }: { statements: Statements; catalogue: Catalogue },
  { applicationId, tenantId, role, permission }: Through,
): Promise<Role> {
  const most = lowerRole(role, 'administrator')
  const needed = catalogue.find('delegated', catalogue.own.id, permission)?.role ?? 'member'
  if (isAtLeast(needed, most)) return most
  const carried = await roleOfKeepers(statements, { applicationId, tenantId })
  return isAtLeast(needed, carried) ? needed : lowerRole(most, carried)
}

/**
 * The least role, in the tenant, of the person who registered the application and of its owners, but for the owner
 * `without`. The local socket is an administrator. Throws StoreUnavailable.
 */
export async function roleOfKeepers(
  statements: Statements,
  { applicationId, tenantId, without }: { applicationId: string; tenantId: string; without?: string | undefined },
): Promise<Role> {
  const [record] = await readApplications(statements, 'id', applicationId)
  // What registered itself is in the hands of the holder of its registration token.
  if (record === undefined || (await readClientRegistration(statements, applicationId))) return 'member'
  const registeredBy = record.application.created_by
  const owners = await readOwners(statements, applicationId)
  const keepers = owners.map(({ owner_id: id }) => id).filter((id) => id !== without)
  let least: Role = 'administrator'
  for (const userId of new Set(registeredBy === '' ? keepers : [registeredBy, ...keepers])) {
    least = lowerRole(least, await roleOf(statements, userId, tenantId))
  }
  return least
}

/** Of a subject that is no enabled person there, such as an application, a member's. */
async function roleOf(statements: Statements, userId: string, tenantId: string): Promise<Role> {
  const [user, membership] = await Promise.all([
    findUser(statements, userId),
    findMembership(statements, userId, tenantId),
  ])
  return user?.state === 'enabled' && membership !== undefined ? membership.role : 'member'
}
