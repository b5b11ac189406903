// Which calls the permissions of an application open: GET, without anything to fill in, so that a program or a button
// can make them as they stand.

import { compileRequirement, decide } from '../../access/decide.js'
import type { RouteSettings } from '../../config/settings/route-settings.js'
import type { Settings } from '../../config/settings/settings.js'
import type { PermissionRef } from '../../directory/records.js'

export interface FirstCall {
  path: string
  /** The API that its token is for. */
  resource: string
  /** Of pages that may read the answer; `*` is every one. */
  origins: readonly string[]
}

/** Who signed in; open to every token of a person that has `openid`. */
export const userinfoPath = '/api/v2/oauth2/v2.0/userinfo'

const own = { path: '/api/v2/me', origins: [] }

/**
 * In the order of the configuration, those that are deprecated last. `held`: permissions of one kind, application or
 * delegated.
 */
export function firstCalls(
  { routes, catalogue }: Pick<Settings, 'routes' | 'catalogue'>,
  held: readonly PermissionRef[],
  applicationId: string,
): FirstCall[] {
  const kind = held[0]?.kind === 'application' ? 'application' : 'delegated'
  const open = routes.filter((route) => {
    const requirement = route.methods.get('GET')
    if (requirement === undefined || requirement === 'public' || !isPlain(route, applicationId)) return false
    const ids = held.filter(({ resource }) => resource === route.resource).map(({ id }) => id)
    const holder = { kind, resource: route.resource, permissions: new Set(ids) } as const
    return decide(holder, compileRequirement(catalogue, route.resource, requirement)).allowed
  })
  return open.toSorted((a, b) => rank(a) - rank(b)).map(callOf)
}

/** What to call when nothing is open: the refusal says which permission it takes. */
export function guessedCall(
  { routes, catalogue }: Pick<Settings, 'routes' | 'catalogue'>,
  held: readonly PermissionRef[],
): FirstCall {
  const resource = held[0]?.resource ?? catalogue.own.id
  const plain = routes.filter((route) => route.resource === resource && isPlain(route, undefined))
  const found = plain.find(({ methods }) => methods.has('GET') && methods.get('GET') !== 'public')
  return found === undefined ? { ...own, resource } : callOf(found)
}

/** Whether it can be called as its path stands or at the root of what is below it, with a token of ours, by that application. */
function isPlain({ path, issuers, applications, stream }: RouteSettings, applicationId: string | undefined): boolean {
  if (/[{*]/.test(path.replace(/\/\*\*$/, '/')) || stream || issuers?.includes('own') === false) return false
  return applications === undefined || (applicationId !== undefined && applications.includes(applicationId))
}

/** Whole paths before the root of what is below one; what will be gone last. */
function rank({ path, deprecatedAt }: RouteSettings): number {
  return (path.endsWith('/**') ? 1 : 0) + (deprecatedAt === undefined ? 0 : 2)
}

function callOf({ path, resource, cors }: RouteSettings): FirstCall {
  const isRead = cors?.methods === undefined || cors.methods.includes('GET')
  return { path: path.replace(/\*\*$/, ''), resource, origins: isRead ? (cors?.origins ?? []) : [] }
}
