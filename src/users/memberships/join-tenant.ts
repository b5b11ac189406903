// A person joins a tenant, inside a transaction: the membership, and the profile that GET /api/v2/me shows there.

import { randomUUID } from 'node:crypto'
import type { Role } from '../../config/settings/settings.js'
import { requireTenant } from '../../directory/tenants/tenants.js'
import type { Writing } from '../../directory/writes.js'
import { appendAudit } from '../../ledger/append-audit.js'
import { putMembership, readMemberships } from '../../storage/sql/people/memberships.js'
import type { UserRow } from '../../storage/sql/people/users.js'
import { isFull } from '../../storage/sql/registrations/quota-counts.js'
import { blankProfile } from '../../storage/sql/resources/blank-profile.js'
import { findProfile, insertProfile, updateProfiles } from '../../storage/sql/resources/profiles.js'
import { checkNoOwnLinks } from '../accounts/kept-links.js'
import { endResetLinks } from '../accounts/reset-links.js'
import { type Membership, toMembership } from '../records.js'
import { UserRefusal } from '../refusal.js'
import type { UserWrites } from '../writes.js'

/** Adds the membership. Throws DirectoryRefusal (TenantNotFound) and UserRefusal (TenantDisabled, AlreadyMember,
 * TooManyPeople, LinkedBefore). */
export async function joinTenant(
  deps: UserWrites,
  writing: Writing,
  joining: { user: UserRow; tenantId: string; role: Role },
): Promise<Membership> {
  const { tx, nowMs } = writing
  const { user, role } = joining
  const tenant = await requireTenant(writing, joining.tenantId)
  if (tenant.state !== 'enabled') throw new UserRefusal('TenantDisabled', 'The tenant is disabled.', 'tenantId')
  const { tenantId } = tenant
  const memberships = await readMemberships(tx, { userId: user.id })
  if (memberships.some((one) => one.tenant_id === tenantId)) {
    throw new UserRefusal('AlreadyMember', 'This person is a member of the tenant already.')
  }
  await checkNoOwnLinks(deps, tx, user, { tenant, role })
  const { quotas } = deps
  if (quotas !== undefined && (await isFull(tx, 'memberships', tenantId, quotas.people))) {
    const message = `A tenant has at most ${quotas.people} members: remove some, or have quotas.people raised.`
    throw new UserRefusal('TooManyPeople', message)
  }
  const row = { user_id: user.id, tenant_id: tenantId, role, created_at: nowMs, updated_at: nowMs }
  await putMembership(tx, row)
  await endResetLinks(tx, user.id)
  if ((await findProfile(tx, { tenantId, userId: user.id })) === undefined) {
    const email = Number(user.email_verified) === 1 ? user.email : ''
    const facts = { publicName: user.name, idProvider: user.id_provider, email }
    await insertProfile(tx, blankProfile({ tenantId, userId: user.id }, facts, nowMs, randomUUID))
  }
  await updateProfiles(tx, { userId: user.id }, { enrollments_count: memberships.length + 1 })
  await appendAudit(deps, tx, { event: 'membership.added', tenantId, userId: user.id, details: { role } })
  return toMembership(row)
}
