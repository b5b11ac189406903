// What a grant is still good for (contract §3): its person, their membership and role, the application, the
// installation and the consents are looked at again at every redemption and every refresh, in the Store, because what
// was withdrawn a moment ago must not be given out once more (S8).

import { firstEnd, notOver } from '../../../directory/consents/consent-end.js'
import { includesPermission, needsAdministrator, openidResource } from '../../../directory/consents/consent-rules.js'
import { listConsents } from '../../../directory/consents/consents.js'
import { remainingWords } from '../../../directory/consents/remaining-words.js'
import type { Installation, PermissionRef, Registration } from '../../../directory/records.js'
import { secondFactorClass } from '../../../oauth/authentication-class.js'
import { errorNumber } from '../../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../../oauth/errors/errors.js'
import type { GrantRow } from '../../../storage/sql/grants/grants.js'
import { findUser } from '../../../users/accounts/users.js'
import { membershipsWithDemand } from '../../../users/credentials/factor-demand.js'
import { findMembership } from '../../../users/memberships/memberships.js'
import { isAdministrator, permissionsFor } from '../../../users/memberships/roles.js'
import type { Membership, User } from '../../../users/records.js'
import type { IdentityDependencies } from '../../dependencies.js'
import { requireInstallation } from '../installation.js'
import { readAuthentication } from './grant-authentication.js'
import { grantEnded, invalidGrant } from './invalid-grant.js'

export interface GrantEligibility {
  user: User
  /** Of the grant's permissions, those that still hold, in their order. */
  permissions: readonly string[]
  openidScopes: readonly string[]
  /** When the first of it is over (epoch ms): no token lives longer. Undefined: the person set no end. */
  endsAt: number | undefined
}

/** What of a grant decides on what is left of it. */
export type GrantFacts = Pick<
  GrantRow,
  'state' | 'user_id' | 'tenant_id' | 'application_id' | 'resource' | 'permissions' | 'openid_scopes'
> & {
  /** How the person had signed in. */
  acr: string
  ends_at?: number | null
  /** What the person took away since. */
  withdrawn?: string
}

/** Of a grant as it is stored. */
export function factsOf(grant: GrantRow): GrantFacts {
  return { ...grant, acr: readAuthentication(grant.authentication).session.acr }
}

/**
 * What is left of a grant for the application that it belongs to. Throws OAuthError `invalid_grant` when that is
 * nothing, StoreUnavailable.
 */
export async function eligibilityOf(
  deps: Pick<IdentityDependencies, 'store' | 'directory' | 'settings' | 'now'>,
  registration: Registration,
  grant: GrantFacts,
): Promise<GrantEligibility> {
  if (grant.state !== 'active') throw grantEnded()
  const { reader } = deps.store
  const { user_id: userId, tenant_id: tenantId, application_id: applicationId } = grant
  const [user, { membership, isDue }, remembered, installation] = await Promise.all([
    findUser(reader, userId),
    findPlace(deps, grant),
    listConsents(reader, { userId, applicationId, tenantId }),
    findInstallation(deps, registration, tenantId),
  ])
  if (user?.state !== 'enabled') throw accessLost('user_disabled')
  if (isDue) throw factorMissing()
  if (membership === undefined) throw accessLost('not_a_member')
  if (installation === undefined) throw accessLost('not_installed')
  const consents = notOver(remembered, deps.now())
  const permissions = heldPermissions(deps, { registration, user, membership, consents, installation }, grant)
  const consented = [...consents, ...installation.granted]
  const openidScopes = remainingWords(grant.openid_scopes, grant.withdrawn).filter((id) =>
    includesPermission(consented, { kind: 'delegated', resource: openidResource, id }),
  )
  const isOver = grant.permissions === '' ? !openidScopes.includes('openid') : permissions.length === 0
  if (isOver) throw consentLost()
  const theirs = consents.filter(({ resource, id }) => resource === grant.resource && permissions.includes(id))
  const bounded = theirs.filter((ref) => !includesPermission(installation.granted, ref))
  const end = firstEnd(bounded)
  const endsAt = end === undefined ? endOf(grant) : Math.min(end, endOf(grant) ?? end)
  if (endsAt !== undefined && deps.now() + shortestMs > endsAt) throw grantEnded()
  return { user, permissions, openidScopes, endsAt }
}

/** A token that is good for less is none. */
const shortestMs = 2_000

function endOf({ ends_at: endsAt }: GrantFacts): number | undefined {
  return endsAt === null || endsAt === undefined ? undefined : Number(endsAt)
}

/**
 * The membership, and whether a second factor is due that the sign-in did not have: then it is worth nothing any more
 * (decision 119). One statement, whatever the sign-in.
 */
async function findPlace(
  { store, settings, now }: Pick<IdentityDependencies, 'store' | 'settings' | 'now'>,
  { acr, user_id: userId, tenant_id: tenantId }: GrantFacts,
): Promise<{ membership: Membership | undefined; isDue: boolean }> {
  if (acr === secondFactorClass) {
    return { membership: await findMembership(store.reader, userId, tenantId), isDue: false }
  }
  const { memberships, demand } = await membershipsWithDemand({ store, settings: settings.signIn, now }, userId)
  return { membership: memberships.find((one) => one.tenantId === tenantId), isDue: demand?.isDue === true }
}

function factorMissing(): OAuthError {
  const description = 'The person has to sign in again, with a second factor.'
  return invalidGrant(description, errorNumber.factorDemanded, 'no_second_factor')
}

/** Nothing that was requested is consented to any more. */
export function consentLost(): OAuthError {
  const description = 'None of the permissions of this grant is consented to any more.'
  return invalidGrant(description, errorNumber.noConsent)
}

/** The words of a space-separated list. */
export function words(list: string): string[] {
  return remainingWords(list)
}

function heldPermissions(
  { settings: { catalogue } }: Pick<IdentityDependencies, 'settings'>,
  found: {
    registration: Registration
    user: User
    membership: Membership
    consents: readonly PermissionRef[]
    installation: Installation
  },
  grant: GrantFacts,
): string[] {
  const { registration, user, membership, consents, installation } = found
  const person = { role: membership.role, isOperator: user.isOperator }
  const allowed = permissionsFor(person, catalogue, grant.resource, remainingWords(grant.permissions, grant.withdrawn))
  return allowed.filter((id) => {
    const ref: PermissionRef = { kind: 'delegated', resource: grant.resource, id }
    if (!includesPermission(registration.configured, ref)) return false
    if (includesPermission(installation.granted, ref)) return true
    // Who consented as an administrator, for themselves, and is one no more, has not got it any more.
    const theirs = !needsAdministrator(catalogue, ref) || isAdministrator(membership.role)
    return theirs && includesPermission(consents, ref)
  })
}

async function findInstallation(
  { directory }: Pick<IdentityDependencies, 'directory'>,
  registration: Registration,
  tenantId: string,
): Promise<Installation | undefined> {
  try {
    return await requireInstallation(directory, registration, tenantId)
  } catch (error) {
    if (error instanceof OAuthError) return undefined
    throw error
  }
}

function accessLost(reason: string): OAuthError {
  const description = 'The person or the application has no access to the tenant any more.'
  return invalidGrant(description, errorNumber.accessLost, reason)
}
