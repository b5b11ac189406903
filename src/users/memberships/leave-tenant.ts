// A person leaves a tenant.

import { write } from '../../directory/writes.js'
import { appendAudit } from '../../ledger/append-audit.js'
import { endGrants } from '../../revocation/end-grants.js'
import { countOwners, readMemberships } from '../../storage/sql/people/memberships.js'
import { deleteFromTenant } from '../../storage/sql/people/user-removal.js'
import { updateProfiles } from '../../storage/sql/resources/profiles.js'
import { UserRefusal } from '../refusal.js'
import type { UserWrites } from '../writes.js'
import { findMembership } from './memberships.js'

/**
 * Removes the membership with the profile and the consents there, and ends what applications hold for the person in the
 * tenant. Throws UserRefusal (MembershipNotFound, LastOwner) and StoreUnavailable.
 */
export async function removeMembership(deps: UserWrites, from: { userId: string; tenantId: string }): Promise<void> {
  await write(deps, async (writing) => {
    const { tx } = writing
    const found = await findMembership(tx, from.userId, from.tenantId)
    if (found === undefined) throw new UserRefusal('MembershipNotFound', 'This person is not a member of the tenant.')
    const { userId, tenantId, role } = found
    if (role === 'owner' && (await countOwners(tx, { tenantId, except: userId })) === 0) {
      throw new UserRefusal('LastOwner', 'A tenant keeps an owner: make somebody else owner first.')
    }
    await endGrants(deps, writing, { userId, tenantId }, 'membership-removed')
    await deleteFromTenant(tx, userId, tenantId)
    await updateProfiles(tx, { userId }, { enrollments_count: (await readMemberships(tx, { userId })).length })
    await appendAudit(deps, tx, { event: 'membership.removed', tenantId, userId, details: { role } })
  })
}
