// The profile of an owner who has none yet: of the tenant itself, or of a person who is a member there.

import { randomUUID } from 'node:crypto'
import { readMemberships } from '../storage/sql/people/memberships.js'
import { readUser } from '../storage/sql/people/users.js'
import { blankProfile } from '../storage/sql/resources/blank-profile.js'
import type { Statements } from '../storage/sql/store.js'
import type { ProfileOwner } from './source.js'
import { blankTenantProfile, type ProfileColumns } from './tenant-profile.js'

/** Its columns, or undefined for a person who is no member of the tenant. `now` is epoch milliseconds. */
export async function blankProfileOf(
  tx: Statements,
  { tenantId, userId }: ProfileOwner,
  now: number,
): Promise<ProfileColumns | undefined> {
  if (userId === null) return blankTenantProfile(tenantId, now, randomUUID)
  const memberships = await readMemberships(tx, { userId })
  const user = memberships.some((each) => each.tenant_id === tenantId) ? await readUser(tx, 'id', userId) : undefined
  if (user === undefined) return undefined
  // What nobody confirmed is only what somebody typed.
  const email = Number(user.email_verified) === 1 ? user.email : ''
  const facts = { publicName: user.name, idProvider: user.id_provider, email }
  const profile = blankProfile({ tenantId, userId }, facts, now, randomUUID)
  return { ...profile, enrollments_count: memberships.length }
}
