// Who belongs to which tenant, in which role. A tenant always keeps an owner; leaving is in leave-tenant.ts.

import type { Role } from '../../config/settings/settings.js'
import { type Writing, write } from '../../directory/writes.js'
import { appendAudit } from '../../ledger/append-audit.js'
import { parseGuid } from '../../oauth/secrets/guid.js'
import { endGrants } from '../../revocation/end-grants.js'
import { countOwners, putMembership, readMemberships } from '../../storage/sql/people/memberships.js'
import type { Statements } from '../../storage/sql/store.js'
import { endResetLinks } from '../accounts/reset-links.js'
import { type Membership, toMembership } from '../records.js'
import { UserRefusal } from '../refusal.js'
import { requireUser, type UserWrites } from '../writes.js'
import { joinTenant } from './join-tenant.js'
import { isAtLeast } from './roles.js'

/** The membership of a user in a tenant. Throws StoreUnavailable. */
export async function findMembership(
  reader: Statements,
  userId: string,
  tenantId: string,
): Promise<Membership | undefined> {
  const [user, tenant] = [parseGuid(userId), parseGuid(tenantId)]
  if (user === undefined || tenant === undefined) return undefined
  const [row] = await readMemberships(reader, { userId: user, tenantId: tenant })
  return row === undefined ? undefined : toMembership(row)
}

/** The memberships of a user or of a tenant, the oldest first. Throws StoreUnavailable. */
export async function listMemberships(
  reader: Statements,
  filter: { userId: string } | { tenantId: string },
): Promise<Membership[]> {
  return (await readMemberships(reader, filter)).map(toMembership)
}

/**
 * Adds a membership, and the person's profile in the tenant. Throws as joinTenant does, and UserRefusal (UserNotFound).
 */
export async function addMembership(
  deps: UserWrites,
  membership: { userId: string; tenantId: string; role: Role },
): Promise<Membership> {
  return write(deps, async (writing) => {
    const user = await requireUser(writing, membership.userId)
    return joinTenant(deps, writing, { ...membership, user })
  })
}

/**
 * Sets the role. With a lower one, what applications hold for this person in the tenant ends: they get new tokens with
 * what the new role allows. Throws UserRefusal (MembershipNotFound, LastOwner) and StoreUnavailable.
 */
export async function setRole(
  deps: UserWrites,
  membership: { userId: string; tenantId: string; role: Role },
): Promise<Membership> {
  return write(deps, (writing) => changeRole(deps, writing, membership))
}

async function changeRole(
  deps: UserWrites,
  writing: Writing,
  { userId, tenantId, role }: { userId: string; tenantId: string; role: Role },
): Promise<Membership> {
  const { tx, nowMs } = writing
  const before = await findMembership(tx, userId, tenantId)
  if (before === undefined) throw new UserRefusal('MembershipNotFound', 'This person is not a member of the tenant.')
  if (before.role === role) return before
  const { userId: id, tenantId: tenant } = before
  if (before.role === 'owner' && (await countOwners(tx, { tenantId: tenant, except: id })) === 0) {
    throw new UserRefusal('LastOwner', 'A tenant keeps an owner: make somebody else owner first.')
  }
  await putMembership(tx, { user_id: id, tenant_id: tenant, role, created_at: before.createdAt, updated_at: nowMs })
  const lowered = !isAtLeast(role, before.role)
  if (lowered) await endGrants(deps, writing, { userId: id, tenantId: tenant }, 'role-lowered')
  else await endResetLinks(tx, id)
  await appendAudit(deps, tx, {
    event: 'membership.changed',
    tenantId: tenant,
    userId: id,
    details: { role: { before: before.role, after: role } },
  })
  return { ...before, role }
}
