// Whether a link is still given: who made it could have been dismissed, lowered or disabled since, and the person
// whom it is for may have become more than its maker looks after. It is looked at when the page of the link opens, and again
// in the transaction that uses it.

import { makerAuthority } from '../../directory/maker-authority.js'
import { readMemberships } from '../../storage/sql/people/memberships.js'
import type { OneTimeLinkRow } from '../../storage/sql/people/one-time-links.js'
import { readUser } from '../../storage/sql/people/users.js'
import type { Statements } from '../../storage/sql/store.js'
import { isAdministrator, isAtLeast } from '../memberships/roles.js'
import { toMembership } from '../records.js'

/** Made at the server's machine, or on the word of the person themselves, by mail to them. */
const ownMakers = ['operator', 'system']
/** Before the id of an application that made a link as itself. */
const applicationPrefix = 'application:'

/** How the maker of a link is stored. */
export function makerOf(actor: { kind: string; userId?: string; applicationId?: string }): string {
  if (actor.kind === 'user') return actor.userId ?? ''
  return actor.kind === 'application' ? applicationPrefix + actor.applicationId : actor.kind
}

/** Throws StoreUnavailable. */
export async function isStillGiven(statements: Statements, link: OneTimeLinkRow): Promise<boolean> {
  if (ownMakers.includes(link.created_by)) return true
  const places = link.user_id === null ? [] : await readMemberships(statements, { userId: link.user_id })
  const tenantId = link.tenant_id ?? places[0]?.tenant_id ?? ''
  // An account is looked after by one tenant only.
  if (link.purpose === 'password-reset' && places.length !== 1) return false
  const given = roleGiven(
    link,
    places.find((place) => place.tenant_id === tenantId),
  )
  const makerId = link.created_by.replace(applicationPrefix, '')
  const maker = given === undefined ? undefined : await makerAuthority(statements, makerId, tenantId)
  if (given === undefined || maker === undefined) return false
  const isAbove = link.purpose === 'password-reset' && (await isForOperator(statements, link))
  if (isAbove && !(maker.kind === 'person' && maker.isOperator)) return false
  if (maker.kind === 'application') return maker.isInstalled && given === 'member'
  if (maker.role !== undefined) return isAdministrator(maker.role) && isAtLeast(maker.role, given)
  // An operator brings the first owner into a tenant to which nobody belongs.
  return maker.isOperator && given === 'owner' && (await readMemberships(statements, { tenantId })).length === 0
}

/** Of an invitation what it says; of a link for somebody what they are there. */
function roleGiven(link: OneTimeLinkRow, place: Parameters<typeof toMembership>[0] | undefined) {
  if (link.user_id !== null) return place && toMembership(place).role
  return toMembership({ user_id: '', tenant_id: '', created_at: 0, updated_at: 0, role: link.role ?? '' }).role
}

/** Only an operator acts for another one. */
async function isForOperator(statements: Statements, { user_id: userId }: OneTimeLinkRow): Promise<boolean> {
  const user = userId === null ? undefined : await readUser(statements, 'id', userId)
  return user !== undefined && Number(user.operator) === 1
}
