// What a client asks to do for a person (contract §3, §4): delegated permissions of one resource, and OpenID Connect's
// words. All that is named must exist and be configured for the application; nothing is left out silently. Whether the
// person may, and allows it, is decided when there is a person. Device codes ask in the same words.

import type { Catalogue } from '../../config/settings/settings.js'
import type { PermissionRef, Registration } from '../../directory/records.js'
import { type RequestedPermission, readScopeRequest } from '../../oauth/requests/scope-request.js'
import { mayUseGrant } from '../client/allowed-grant.js'
import { invalidScope, nameOf } from '../token/invalid-scope.js'
import { resourceOfDefault, resourceOfNothing, resourceOfPermissions } from '../token/resource.js'

export interface RequestedPermissions {
  /** The tokens' one audience. */
  resource: string
  /** Plain ids. Empty only when nothing but OpenID Connect's words were requested. */
  permissions: string[]
  /** Of `openid profile email offline_access`, those requested; `address` and `phone` are accepted and give nothing. */
  openidScopes: string[]
}

const openidWords: readonly string[] = ['openid', 'profile', 'email', 'offline_access']

/**
 * Reads a scope list (from readScopeList; empty means `default`) and the distinct values of `resource`.
 * Throws OAuthError `invalid_scope` naming the permission, `invalid_target`.
 */
export function requestedPermissions(
  catalogue: Catalogue,
  registration: Registration,
  request: { scope: readonly string[]; resources: readonly string[] },
): RequestedPermissions {
  const entries = request.scope.length === 0 ? ['default'] : request.scope
  // What a client may not have is dropped, never refused (contract §3).
  const mayRefresh = mayUseGrant(registration, 'refresh_token')
  const openidScopes = openidWords.filter((word) => entries.includes(word) && (mayRefresh || word !== 'offline_access'))
  const scopeRequest = readScopeRequest(entries, (id) => catalogue.resourcesOf(id).length > 0)
  const usable = {
    catalogue,
    configured: configuredDelegated(catalogue, registration),
    isRegistered: registration.document === undefined,
    resources: request.resources,
  }
  switch (scopeRequest.kind) {
    case 'nothing':
      return { resource: resourceOfNothing(catalogue, request.resources), permissions: [], openidScopes }
    case 'default':
      return { ...allConfigured(usable, scopeRequest.resource), openidScopes }
    case 'permissions':
      return { ...named(usable, scopeRequest.permissions), openidScopes }
  }
}

interface Usable {
  catalogue: Catalogue
  configured: readonly PermissionRef[]
  /** False for a client that its own document describes. */
  isRegistered: boolean
  resources: readonly string[]
}

function allConfigured({ catalogue, configured, isRegistered, resources }: Usable, written: string | undefined) {
  const withConsent = new Set(configured.map(({ resource }) => resource))
  const resource = resourceOfDefault(catalogue, { written, resources, withConsent })
  const permissions = configured.filter((each) => each.resource === resource).map(({ id }) => id)
  if (permissions.length > 0) return { resource, permissions }
  const whose = isRegistered ? 'configured for this application' : 'open to clients that nobody registered here'
  throw invalidScope(`No delegated permissions of the resource are ${whose}.`)
}

function named(usable: Usable, requested: readonly RequestedPermission[]) {
  const { catalogue, configured, resources } = usable
  const resource = resourceOfPermissions(catalogue, requested, resources, 'delegated')
  const permissions = [...new Set(requested.map(({ id }) => id))]
  for (const id of permissions) {
    if (configured.some((each) => each.resource === resource && each.id === id)) continue
    throw invalidScope(`Permission ${nameOf(id)} ${whyNot(usable, resource, id)}.`)
  }
  return { resource, permissions }
}

function whyNot({ catalogue, isRegistered }: Usable, resource: string, id: string): string {
  if (catalogue.find('delegated', resource, id) !== undefined) {
    return isRegistered
      ? 'is not configured for this application'
      : 'is not open to clients that nobody registered here'
  }
  const other = catalogue.find('application', resource, id) !== undefined
  return other ? 'exists only as an application permission' : 'is unknown'
}

/** Of those that the catalogue still has. */
function configuredDelegated(catalogue: Catalogue, { configured }: Registration): PermissionRef[] {
  return configured.filter(
    ({ kind, resource, id }) => kind === 'delegated' && catalogue.find('delegated', resource, id) !== undefined,
  )
}
