// What of a grant goes into one access token (RFC 6749 §6, contract §3): all of it, or what the client asks for now. It
// may ask for less and never for more; the grant stays as it is.

import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import type { RequestParameters } from '../../oauth/requests/parameters.js'
import { readScopeList } from '../../oauth/requests/scope.js'
import { readScopeRequest, type ScopeRequest } from '../../oauth/requests/scope-request.js'
import type { IdentityDependencies } from '../dependencies.js'
import { userinfoPath } from '../userinfo-path.js'
import type { GrantEligibility } from './grants/grant-eligibility.js'
import { invalidScope, nameOf } from './invalid-scope.js'

export interface NarrowedScope {
  /** Plain ids. */
  permissions: readonly string[]
  /** Of `openid profile email offline_access`. */
  openidScopes: readonly string[]
  /** The `scope` of the answer: a default is echoed first, as it was written. */
  scope: string
}

/**
 * Reads `scope` and `resource` against what still stands of the grant for `resource`; `granted` are all its
 * permissions. Another `resource` than the grant's is the own API or userinfo, for a token that says who the person is
 * and no more: userinfo takes none that is for somebody else's API. Throws OAuthError `invalid_scope` for more than was
 * granted, `invalid_target`.
 */
export function narrowedScope(
  { settings }: Pick<IdentityDependencies, 'settings'>,
  grant: { resource: string; granted: readonly string[]; eligibility: GrantEligibility },
  parameters: RequestParameters,
): NarrowedScope {
  const { resource, eligibility } = grant
  const { catalogue } = settings
  const entries = readScopeList(parameters.get('scope'), parameters.get('requested_scopes'))
  if (parameters.resources.some((named) => named !== resource)) {
    if (parameters.resources.every((named) => isUserinfo(settings, named))) return forUserinfo(eligibility, entries)
    throw otherResource('The grant is for another resource.')
  }
  if (entries.length === 0) return answered(eligibility.permissions, eligibility.openidScopes)
  const scopeRequest = readScopeRequest(entries, (id) => catalogue.resourcesOf(id).length > 0)
  const permissions = requestedPermissions(scopeRequest, grant)
  // Nothing that was requested is left: the rest of the grant was not requested, so there is nothing to give.
  if (scopeRequest.kind === 'permissions' && permissions.length === 0) {
    throw new OAuthError('invalid_grant', 'The permissions are not consented to any more.', {
      number: errorNumber.noConsent,
    })
  }
  // Clients add these words to every request; those that the grant does not have are dropped, never refused (contract
  // §3).
  const openidScopes = eligibility.openidScopes.filter((word) => entries.includes(word))
  if (permissions.length === 0 && !openidScopes.includes('openid')) {
    throw invalidScope(`The grant has nothing of what was requested: ${nameOf(entries.join(' '))}.`)
  }
  return answered(permissions, openidScopes, scopeRequest.kind === 'default' ? scopeRequest.written : undefined)
}

function isUserinfo({ catalogue, server }: IdentityDependencies['settings'], resource: string): boolean {
  return resource === catalogue.own.id || resource === server.baseUrl + userinfoPath
}

/** Without permissions: those of the grant are another resource's. */
function forUserinfo({ openidScopes }: GrantEligibility, entries: readonly string[]): NarrowedScope {
  const requested = entries.length === 0 ? openidScopes : openidScopes.filter((word) => entries.includes(word))
  const { kind } = readScopeRequest(entries, () => true)
  if (requested.includes('openid') && kind === 'nothing') return answered([], requested)
  throw otherResource('The grant is for another resource: for this one it gives openid, profile and email only.')
}

function otherResource(description: string): OAuthError {
  return new OAuthError('invalid_target', description, { number: errorNumber.unknownResource })
}

function requestedPermissions(
  scopeRequest: ScopeRequest,
  { resource, granted, eligibility }: { resource: string; granted: readonly string[]; eligibility: GrantEligibility },
): readonly string[] {
  switch (scopeRequest.kind) {
    case 'nothing':
      return []
    case 'default':
      if (scopeRequest.resource !== undefined && scopeRequest.resource !== resource) throw exceeds(scopeRequest.written)
      return eligibility.permissions
    case 'permissions': {
      const more = scopeRequest.permissions.find(
        (each) => !granted.includes(each.id) || (each.resource !== undefined && each.resource !== resource),
      )
      if (more !== undefined) throw exceeds(more.id)
      const ids = new Set(scopeRequest.permissions.map(({ id }) => id))
      return eligibility.permissions.filter((id) => ids.has(id))
    }
  }
}

function answered(permissions: readonly string[], openidScopes: readonly string[], written?: string): NarrowedScope {
  const scope = [...(written === undefined ? [] : [written]), ...permissions, ...openidScopes].join(' ')
  return { permissions, openidScopes, scope }
}

function exceeds(permission: string): OAuthError {
  return invalidScope(`Permission ${nameOf(permission)} is not part of the grant.`)
}
