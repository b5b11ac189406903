// In which tenant the person uses the application (contract §4): the one that the request names, the one that they
// chose, or the only one that there is.

import type { Registration } from '../../directory/records.js'
import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import { findMembership, listMemberships } from '../../users/memberships/memberships.js'
import type { Membership } from '../../users/records.js'
import { displayName } from '../../web/pages/display-name.js'
import { PageError } from '../../web/pages/page-error.js'
import type { IdentityDependencies } from '../dependencies.js'
import type { AuthorizeRequest } from '../pending/authorize-request.js'
import { isUsableIn } from './requested-tenant.js'

type Deps = Pick<IdentityDependencies, 'directory' | 'store'>

export type TenantOutcome =
  | { kind: 'member'; membership: Membership }
  | { kind: 'choose' }
  | { kind: 'refused'; error: OAuthError }

/** Decides for a user. Throws PageError when no tenant of theirs can use the application, StoreUnavailable. */
export async function tenantStep(
  deps: Deps,
  authorizeRequest: AuthorizeRequest,
  registration: Registration,
  userId: string,
): Promise<TenantOutcome> {
  const { tenantId, tenantChosenBy } = authorizeRequest
  if (tenantId !== undefined && (tenantChosenBy === undefined || tenantChosenBy === userId)) {
    const usable = await isUsableIn(deps.directory, registration, tenantId)
    const membership = usable ? await findMembership(deps.store.reader, userId, tenantId) : undefined
    if (membership !== undefined) return { kind: 'member', membership }
    if (tenantChosenBy === undefined) return { kind: 'refused', error: notAMember() }
  }
  const [only, other] = await usableMemberships(deps, registration, userId)
  const silent = authorizeRequest.prompt.includes('none')
  if (only === undefined) {
    if (silent) return { kind: 'refused', error: notAMember() }
    throw nowhere(registration)
  }
  if (other === undefined) return { kind: 'member', membership: only }
  return silent ? { kind: 'refused', error: mustChoose() } : { kind: 'choose' }
}

/**
 * The memberships of a user in tenants where the application may be used, the oldest first. Throws StoreUnavailable.
 */
export async function usableMemberships(deps: Deps, registration: Registration, userId: string): Promise<Membership[]> {
  const memberships = await listMemberships(deps.store.reader, { userId })
  const usable = await Promise.all(
    memberships.map(({ tenantId }) => isUsableIn(deps.directory, registration, tenantId)),
  )
  return memberships.filter((_, at) => usable[at] === true)
}

function notAMember(): OAuthError {
  return new OAuthError('access_denied', 'The person cannot use the application in the tenant.', {
    number: errorNumber.notInTenant,
  })
}

function mustChoose(): OAuthError {
  return new OAuthError('interaction_required', 'The person has to choose a tenant.', {
    number: errorNumber.interactionRequired,
  })
}

function nowhere({ name }: Registration): PageError {
  return new PageError({
    status: 403,
    title: ({ errors }) => errors.noTenant.title,
    what: ({ errors }) => errors.noTenant.what(displayName(name)),
    remedy: ({ errors }) => errors.noTenant.remedy,
    links: [
      { href: '/account', text: ({ frame }) => frame.yourAccount },
      { href: '/sign-out', text: ({ frame }) => frame.signOut },
    ],
    reason: 'no_tenant',
  })
}
