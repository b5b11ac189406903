// Which API a token is for (RFC 8707, contract §3): the named one, else the one that the permissions say. Exactly one.

import type { Catalogue } from '../../config/settings/settings.js'
import type { PermissionKind } from '../../directory/records.js'
import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import { invalidScope, nameOf } from './invalid-scope.js'

/**
 * For a default: the resource parameter or the resource written in `{resource}/.default`; for a bare one the only
 * resource with consented permissions (for a person: with configured ones), else the own API. Throws OAuthError
 * `invalid_target`, `invalid_scope`.
 */
export function resourceOfDefault(
  catalogue: Catalogue,
  request: { written: string | undefined; resources: readonly string[]; withConsent: ReadonlySet<string> },
): string {
  const named = namedResource(catalogue, request.resources)
  const { written, withConsent } = request
  if (written !== undefined && !catalogue.resources.has(written)) throw unknownResource()
  if (written !== undefined && named !== undefined && written !== named) throw severalResources()
  const [only] = withConsent
  return written ?? named ?? (withConsent.size === 1 && only !== undefined ? only : catalogue.own.id)
}

/**
 * For single permissions: the named resource, else the one that defines all of them as permissions of that kind, our
 * own before others. Throws OAuthError `invalid_target`, `invalid_scope` naming the permission that is unknown.
 */
export function resourceOfPermissions(
  catalogue: Catalogue,
  requested: readonly { id: string; resource: string | undefined }[],
  resources: readonly string[],
  kind: PermissionKind = 'application',
): string {
  const param = namedResource(catalogue, resources)
  const named = new Set(param === undefined ? [] : [param])
  for (const { id, resource } of requested) {
    if (resource === undefined) continue
    if (!catalogue.resources.has(resource)) throw invalidScope(`Permission ${nameOf(`${resource}/${id}`)} is unknown.`)
    named.add(resource)
  }
  if (named.size > 1) throw severalResources()
  const [only] = named
  if (only !== undefined) return only
  const candidates = commonResources(
    catalogue,
    requested.map(({ id }) => id),
    kind,
  )
  if (candidates.includes(catalogue.own.id)) return catalogue.own.id
  const [first] = candidates
  if (first === undefined || candidates.length > 1) throw severalResources()
  return first
}

/**
 * For a request that asks for no permission at all: the named resource, else the own API. Throws OAuthError
 * `invalid_target`.
 */
export function resourceOfNothing(catalogue: Catalogue, resources: readonly string[]): string {
  return namedResource(catalogue, resources) ?? catalogue.own.id
}

/** The resources that define every one of the ids as a permission of that kind. */
function commonResources(catalogue: Catalogue, ids: readonly string[], kind: PermissionKind): string[] {
  const other = kind === 'application' ? 'a delegated' : 'an application'
  let common = [...catalogue.resources.keys()]
  for (const id of ids) {
    const defining = catalogue.resourcesOf(id)
    if (defining.length === 0) throw invalidScope(`Permission ${nameOf(id)} is unknown.`)
    const usable = defining.filter((resource) => catalogue.find(kind, resource, id) !== undefined)
    if (usable.length === 0) throw invalidScope(`Permission ${nameOf(id)} exists only as ${other} permission.`)
    common = common.filter((resource) => usable.includes(resource))
  }
  return common
}

function namedResource(catalogue: Catalogue, resources: readonly string[]): string | undefined {
  const [named, other] = resources
  if (other !== undefined) {
    throw new OAuthError('invalid_target', 'A token is for one resource, but several were named.', {
      number: errorNumber.unknownResource,
    })
  }
  if (named !== undefined && !catalogue.resources.has(named)) throw unknownResource()
  return named
}

function unknownResource(): OAuthError {
  return new OAuthError('invalid_target', 'The resource is unknown.', { number: errorNumber.unknownResource })
}

function severalResources(): OAuthError {
  return invalidScope(
    'The permissions are not all of one resource. Name the resource, or write it before each permission.',
    errorNumber.severalResources,
  )
}
