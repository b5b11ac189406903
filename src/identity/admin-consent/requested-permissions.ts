// What an administrator is prompted to consent to (contract §4), from the scope of the request: named permissions add
// to what is granted, `default` means everything that is configured and takes the place of what was granted before.
// Only what the developer configured and OpenID Connect's words can be requested.

import type { Catalogue } from '../../config/settings/settings.js'
import { includesPermission, isOpenidWord, openidResource } from '../../directory/consents/consent-rules.js'
import type { PermissionRef, Registration } from '../../directory/records.js'
import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import { parseScopeList } from '../../oauth/requests/scope.js'
import { type RequestedPermission, readScopeRequest } from '../../oauth/requests/scope-request.js'
import { invalidScope, nameOf } from '../token/invalid-scope.js'

export interface RequestedForTenant {
  /** Never empty. */
  permissions: readonly PermissionRef[]
  /** Of which resource everything else that is granted is withdrawn; undefined: nothing is. */
  replaces: string | 'every resource' | undefined
}

/** What a consent would change. */
export interface Difference {
  added: readonly PermissionRef[]
  kept: readonly PermissionRef[]
  removed: readonly PermissionRef[]
}

/** Reads the scope list as written; absent means `default`. Throws OAuthError `invalid_scope`, `invalid_target`. */
export function requestedForTenant(
  catalogue: Catalogue,
  registration: Registration,
  scope: string | undefined,
): RequestedForTenant {
  const written = parseScopeList(scope ?? '')
  const entries = written.length === 0 ? ['default'] : written
  const words = entries.map((id) => ({ kind: 'delegated' as const, resource: openidResource, id })).filter(isOpenidWord)
  const scopeRequest = readScopeRequest(entries, (id) => catalogue.resourcesOf(id).length > 0)
  const configured = registration.configured.filter(
    ({ kind, resource, id }) => catalogue.find(kind, resource, id) !== undefined,
  )
  if (scopeRequest.kind === 'default') {
    const { resource } = scopeRequest
    if (resource !== undefined && !catalogue.resources.has(resource)) throw unknownResource()
    const all = configured.filter((ref) => resource === undefined || ref.resource === resource)
    return { permissions: notNone([...all, ...words]), replaces: resource ?? 'every resource' }
  }
  const named =
    scopeRequest.kind === 'nothing' ? [] : scopeRequest.permissions.flatMap((each) => find(catalogue, configured, each))
  return { permissions: notNone([...distinct(named), ...words]), replaces: undefined }
}

/** What consenting to it would change of what is granted now. */
export function differenceTo(
  granted: readonly PermissionRef[],
  { permissions, replaces }: RequestedForTenant,
): Difference {
  const isReplaced = (ref: PermissionRef) =>
    !isOpenidWord(ref) && (replaces === 'every resource' || ref.resource === replaces)
  return {
    added: permissions.filter((ref) => !includesPermission(granted, ref)),
    kept: permissions.filter((ref) => includesPermission(granted, ref)),
    removed: granted
      .filter((ref) => isReplaced(ref) && !includesPermission(permissions, ref))
      .map(({ kind, resource, id }) => ({ kind, resource, id })),
  }
}

/** One written entry: the id in every kind in which it is configured, of one resource. */
function find(catalogue: Catalogue, configured: readonly PermissionRef[], { id, resource }: RequestedPermission) {
  const fitting = configured.filter((ref) => ref.id === id && (resource === undefined || ref.resource === resource))
  const own = fitting.filter((ref) => ref.resource === catalogue.own.id)
  const found = own.length > 0 ? own : fitting
  if (found.length === 0) throw invalidScope(`Permission ${nameOf(id)} is not configured for this application.`)
  if (new Set(found.map((ref) => ref.resource)).size === 1) return found
  throw invalidScope(`Permission ${nameOf(id)} is one of several resources: write the resource before it.`)
}

function distinct(refs: readonly PermissionRef[]): PermissionRef[] {
  return refs.filter((ref, at) => !includesPermission(refs.slice(0, at), ref))
}

function notNone(permissions: readonly PermissionRef[]): readonly PermissionRef[] {
  if (permissions.length > 0) return permissions
  throw invalidScope('No permissions are configured for this application that could be consented to.')
}

function unknownResource(): OAuthError {
  return new OAuthError('invalid_target', 'The resource is unknown.', { number: errorNumber.unknownResource })
}
