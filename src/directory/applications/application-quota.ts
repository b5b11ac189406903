// Whether a tenant has room for one more application: by what it has, and by what was deleted lately. A deleted one
// leaves a revocation, an entry in every instance, until no token of it can live, and a caller that may register may
// delete as well.

import { countDeleted } from '../../storage/sql/registrations/deleted-applications.js'
import { isFull } from '../../storage/sql/registrations/quota-counts.js'
import { DirectoryRefusal } from '../refusal.js'
import type { DirectoryWrites, Writing } from '../writes.js'

/** Of what a tenant may have deleted lately, one person or application alone has the tenth part. */
const partOfOne = 10

/** Throws DirectoryRefusal (TooManyApplications). */
export async function requireRoomForApplication(
  { quotas, actor }: Pick<DirectoryWrites, 'quotas' | 'actor'>,
  { tx, nowMs }: Writing,
  tenantId: string,
): Promise<void> {
  if (quotas === undefined) return
  await requireRoomInTenant({ quotas }, { tx }, tenantId)
  const ofTenant = quotas.deletedApplications
  if (ofTenant === undefined) return
  const own = Math.max(1, Math.floor(ofTenant / partOfOne))
  const by = deletedBy(actor) ?? undefined
  const isOwnFull = by !== undefined && (await countDeleted(tx, { tenantId, by, nowMs }, own)) >= own
  if (!isOwnFull && (await countDeleted(tx, { tenantId, nowMs }, ofTenant)) < ofTenant) return
  const whose = isOwnFull ? `You have deleted ${own}` : `In this tenant ${ofTenant} were deleted`
  const message = `${whose} applications within about a day: register the next one tomorrow, or have quotas.deletedApplications raised.`
  throw new DirectoryRefusal('TooManyApplications', message)
}

/** As far as what it has goes: for one that comes back. Throws DirectoryRefusal (TooManyApplications). */
export async function requireRoomInTenant(
  { quotas }: Pick<DirectoryWrites, 'quotas'>,
  { tx }: Pick<Writing, 'tx'>,
  tenantId: string,
): Promise<void> {
  if (quotas === undefined || !(await isFull(tx, 'applications', tenantId, quotas.applications))) return
  const message = `A tenant has at most ${quotas.applications} applications: delete some, or have quotas.applications raised.`
  throw new DirectoryRefusal('TooManyApplications', message)
}

/** Who is counted for a deletion; null: an operator, or time. */
export function deletedBy(actor: DirectoryWrites['actor']): string | null {
  if (actor.kind === 'user') return actor.userId
  if (actor.kind === 'application') return actor.applicationId
  return actor.kind === 'registration-token' ? actor.registrationTokenId : null
}
