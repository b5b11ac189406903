// What consent is about beside the catalogue: OpenID Connect's words, and which permissions a person may give away
// alone.

import type { Catalogue } from '../../config/settings/settings.js'
import type { PermissionRef } from '../records.js'

/** Under which resource a consent keeps OpenID Connect's words: no API has this name, identifiers are URIs. */
export const openidResource = 'openid'

/** The words that give an application something, and so are shown and remembered. */
const openidWords: ReadonlySet<string> = new Set(['openid', 'profile', 'email', 'offline_access'])

/** Whether it stands for one of OpenID Connect's words, which are never configured. */
export function isOpenidWord(ref: PermissionRef): boolean {
  return ref.kind === 'delegated' && ref.resource === openidResource && openidWords.has(ref.id)
}

/**
 * Whether only an administrator may consent to it (contract §4): every application permission, and delegated ones that
 * say so or reach beyond the person. What the catalogue does not know, nobody may give away.
 */
export function needsAdministrator(catalogue: Catalogue, ref: PermissionRef): boolean {
  if (isOpenidWord(ref)) return false
  if (ref.kind === 'application') return true
  const definition = catalogue.find(ref.kind, ref.resource, ref.id)
  return definition === undefined || definition.adminConsent || ref.id.endsWith('.All')
}

/** Whether the list has this permission: the triple, never the id alone. */
export function includesPermission(refs: readonly PermissionRef[], one: PermissionRef): boolean {
  return refs.some((ref) => ref.kind === one.kind && ref.resource === one.resource && ref.id === one.id)
}
