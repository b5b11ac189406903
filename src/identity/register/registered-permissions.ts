// The permissions that a client asks to be configured with, by `scope` of its registration (RFC 7591 §2): each in the
// kinds that its grants can use, and never beyond what the registration token allows. Nobody has consented to them yet.

import type { Catalogue } from '../../config/settings/settings.js'
import { includesPermission } from '../../directory/consents/consent-rules.js'
import type { PermissionRef } from '../../directory/records.js'
import { readScopeRequest } from '../../oauth/requests/scope-request.js'
import { badMetadata } from './refusals.js'

export interface Allowed {
  catalogue: Catalogue
  kinds: readonly ('application' | 'delegated')[]
  /** What the initial access token allows, and what is configured already. */
  ceiling: readonly PermissionRef[]
}

/** The permissions of these entries. Throws OAuthError `invalid_client_metadata` naming the first that cannot be. */
export function registeredPermissions(entries: readonly string[], allowed: Allowed): PermissionRef[] {
  const { catalogue } = allowed
  if (entries.some((entry) => entry === 'default' || entry.endsWith('.default'))) {
    throw badMetadata('scope: name each permission; default stands for what is configured already.')
  }
  const scopeRequest = readScopeRequest(entries, (id) => catalogue.resourcesOf(id).length > 0)
  if (scopeRequest.kind !== 'permissions') return []
  return scopeRequest.permissions.flatMap(({ id, resource }) =>
    registeredKinds(id, resource ?? resourceOf(catalogue, id), allowed),
  )
}

/** `scope` of the answer: the words of OpenID Connect that its grants can use, then what is configured. */
export function registeredScope(
  catalogue: Catalogue,
  configured: readonly PermissionRef[],
  grantTypes: readonly string[],
) {
  const forPeople = grantTypes.some((grant) => grant !== 'client_credentials')
  const words = forPeople ? ['openid', 'profile', 'email'] : []
  const offline = grantTypes.includes('refresh_token') ? ['offline_access'] : []
  const ids = configured.map(({ resource, id }) => written(catalogue, resource, id))
  return [...new Set([...words, ...offline, ...ids])].join(' ')
}

function registeredKinds(id: string, resource: string, { catalogue, kinds, ceiling }: Allowed): PermissionRef[] {
  const name = id.slice(0, 128).replace(/[^\x21-\x7e]/g, '?')
  const known = kinds.map((kind) => ({ kind, resource, id })).filter((ref) => catalogue.find(ref.kind, resource, id))
  if (known.length === 0) throw badMetadata(`scope: ${name} is no permission that these grant_types could use.`)
  const usable = known.filter((ref) => includesPermission(ceiling, ref))
  if (usable.length === 0) throw badMetadata(`scope: ${name} is not among what the registration token allows.`)
  return usable
}

/** The own API before others; of several others none. */
function resourceOf(catalogue: Catalogue, id: string): string {
  const resources = catalogue.resourcesOf(id)
  const [only, another] = resources
  if (resources.includes(catalogue.own.id) || only === undefined) return catalogue.own.id
  if (another === undefined) return only
  throw badMetadata('scope: a permission of several resources is written with its resource, {resource}/id.')
}

/** As it can be sent back to us and means the same. */
function written(catalogue: Catalogue, resource: string, id: string): string {
  const [first, another] = catalogue.resourcesOf(id)
  return resource === catalogue.own.id || (first === resource && another === undefined) ? id : `${resource}/${id}`
}
