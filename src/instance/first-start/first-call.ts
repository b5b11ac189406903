// Which call of the loaded routes the demo application can make: what the banner of a start tells people to try.

import { managementPermissions } from '../../config/routes/management-permissions.js'
import type { RouteSettings } from '../../config/settings/route-settings.js'
import type { Settings } from '../../config/settings/settings.js'

/** A path that a GET gets through to its service, and whether a token is needed for it. */
export interface FirstCall {
  path: string
  needsToken: boolean
}

type ActiveRules = Pick<Settings, 'catalogue' | 'routes'>

/**
 * The first route of the file that anybody, or the demo application, may GET; those that need a token, and those with a
 * path that can be written as it is, before others. Undefined when there is none.
 */
export function firstCall({ catalogue, routes }: ActiveRules): FirstCall | undefined {
  const granted = new Set(demoPermissions(catalogue).map(({ id }) => id))
  const calls = routes.flatMap((route) => {
    const needs = route.methods.get('GET')
    if (needs === undefined || asksForMore(route)) return []
    const isGranted = needs !== 'public' && needs.anyOf.some((ids) => ids.every((id) => granted.has(id)))
    const isOpen = needs === 'public' || (isGranted && route.resource === catalogue.own.id)
    return isOpen ? [{ path: route.path.replace(/\{[^}]*\}|\*\*$/g, '1'), needsToken: needs !== 'public', route }] : []
  })
  const costs = ({ path, needsToken, route }: (typeof calls)[number]) =>
    (needsToken ? 0 : 2) + (path === route.path ? 0 : 1)
  const [best] = calls.sort((one, other) => costs(one) - costs(other))
  return best === undefined ? undefined : { path: best.path, needsToken: best.needsToken }
}

/** What the file gives to play with; never the management API, for the secret is printed on a terminal. */
export function demoPermissions({ own, permissions }: Settings['catalogue']): Settings['catalogue']['permissions'] {
  const management = new Set(managementPermissions(own.id).map(({ id }) => id))
  return permissions.filter(
    ({ id, kinds, resource }) => kinds.includes('application') && resource === own.id && !management.has(id),
  )
}

/** Served for certain callers, or at another host. */
function asksForMore({ applications, tenant, issuers, pages }: RouteSettings): boolean {
  const takesOwnTokens = issuers === undefined || issuers.includes('own')
  return applications !== undefined || tenant !== undefined || pages === true || !takesOwnTokens
}
