// Whom a caller may see and whom they may change. People belong to tenants, but an account is the person's own: an
// administrator changes the accounts of those who belong to their tenant and nowhere else, and of nobody above
// themselves, because somebody who can reset a password can act as that person.

import type { Role } from '../../config/settings/settings.js'
import { ApiError } from '../../http/answers/api-error.js'
import type { Statements } from '../../storage/sql/store.js'
import { findUser } from '../../users/accounts/users.js'
import { listMemberships } from '../../users/memberships/memberships.js'
import { isAtLeast } from '../../users/memberships/roles.js'
import type { User } from '../../users/records.js'
import { UserRefusal } from '../../users/refusal.js'
import type { Caller } from '../access/access.js'

/**
 * Somebody who belongs to the caller's tenant; `reader` may be an open transaction. Throws UserRefusal (UserNotFound)
 * and StoreUnavailable.
 */
export async function ownUser(reader: Statements, caller: Caller, userId: string): Promise<User> {
  const user = await findUser(reader, userId)
  const places = user === undefined ? [] : await listMemberships(reader, { userId: user.userId })
  const isOwn = caller.kind === 'local' || places.some(({ tenantId }) => tenantId === caller.tenantId)
  if (user === undefined || !isOwn) throw new UserRefusal('UserNotFound', 'There is no such user.')
  return user
}

/** Somebody whose account the caller may change. Throws as ownUser, and ApiError 403. */
export async function manageableUser(reader: Statements, caller: Caller, userId: string): Promise<User> {
  const user = await ownUser(reader, caller, userId)
  if (caller.kind === 'local') return user
  const places = await listMemberships(reader, { userId: user.userId })
  if (places.some(({ tenantId }) => tenantId !== caller.tenantId)) {
    const message = 'This person belongs to other tenants too: they look after their account themselves.'
    throw new ApiError(403, 'SharedAccount', message)
  }
  if (user.isOperator && caller.person?.isOperator !== true) throw above()
  for (const { role } of places) checkMayGive(caller, role)
  return user
}

/**
 * Nobody gives, takes or changes a role above their own. An application as itself has none, and what it invites or
 * changes would outlast its secret: it is a member at most. Throws ApiError 403.
 */
export function checkMayGive(caller: Caller, role: Role): void {
  if (caller.kind === 'local' || isAtLeast(caller.person?.role ?? 'member', role)) return
  throw above()
}

/**
 * The role of somebody in a tenant may be changed or ended. Throws as checkMayGive; UserRefusal when they do not belong
 * there.
 */
export async function checkMayChangeRole(
  reader: Statements,
  caller: Caller,
  { userId, tenantId }: { userId: string; tenantId: string },
): Promise<void> {
  const places = await listMemberships(reader, { userId: userId.toLowerCase() })
  const place = places.find((each) => each.tenantId === tenantId.toLowerCase())
  if (place === undefined) throw new UserRefusal('MembershipNotFound', 'This person does not belong to the tenant.')
  checkMayGive(caller, place.role)
}

function above(): ApiError {
  return new ApiError(403, 'RoleRequired', 'This role is above yours.')
}
