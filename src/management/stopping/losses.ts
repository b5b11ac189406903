// What a change takes away, by what its body says and what there is: for the table of acts that stop others.

import { isAtLeast } from '../../users/memberships/roles.js'

/** Fields of a request, or of the thing that it changes. */
export type Fields = Readonly<Record<string, unknown>>

/** What each compares stands at its function below. */
export const losses = { differs, losesSome, losesKeys, losesPermissions, isLowered, narrowsWays, waysQuery }

/** Whether the body says another value than there is. */
function differs(body: Fields, now: Fields, field: string): boolean {
  return body[field] !== undefined && body[field] !== now[field]
}

/** Whether a list that replaces another one leaves some of it out; false where the body has none. */
function losesSome(next: unknown, now: unknown): boolean {
  return Array.isArray(next) && Array.isArray(now) && now.some((one) => !next.includes(one))
}

/** Whether a key set loses keys. They are named by kid; one that comes again under another name is another one. */
function losesKeys(next: unknown, now: unknown): boolean {
  if (next === undefined) return false
  const kids = (set: unknown) => ((set as { keys?: { kid?: string }[] } | null)?.keys ?? []).map(({ kid }) => kid)
  return losesSome(kids(next), kids(now))
}

/** Whether a list of permissions loses some. One that is written without its API means the first that fits, so id and kind decide. */
function losesPermissions(next: unknown, now: unknown): boolean {
  const names = (list: unknown) =>
    (Array.isArray(list) ? (list as Fields[]) : []).map(({ kind, id }) => `${String(kind)} ${String(id)}`)
  return next !== undefined && losesSome(names(next), names(now))
}

/** Whether a tenant takes fewer ways to sign in than before. */
function narrowsWays({ ownSignIn, signInProviders: next }: Fields, now: Fields): boolean {
  const former = now['signInProviders']
  const losesProviders = Array.isArray(next) && (former === null || losesSome(next, former))
  return losesProviders || (ownSignIn === 'owners' && now['ownSignIn'] !== 'owners')
}

/** Asks how many people have none of the ways that a tenant would take. */
function waysQuery(body: Fields, now: Fields): string {
  const { ownSignIn = 'allowed', signInProviders = null } = { ...now, ...body }
  const names = Array.isArray(signInProviders) ? signInProviders.join(',') : 'all'
  return `?ownSignIn=${encodeURIComponent(String(ownSignIn))}&signInProviders=${encodeURIComponent(names)}`
}

/** Whether the role in a tenant becomes a lesser one. `now` is the person, with the tenant that is meant as tenantId. */
function isLowered(role: unknown, { memberships, tenantId }: Fields): boolean {
  const places = (Array.isArray(memberships) ? memberships : []) as { tenantId: string; role: 'member' }[]
  const place = places.find((one) => one.tenantId === tenantId)
  return place !== undefined && role !== undefined && !isAtLeast(role as 'member', place.role)
}
