// May this caller make this call? One function for every transport. A permission is the triple (kind, resource, id): an
// id that a token has in the other kind, or for another resource, does not count. What is not required by name is
// refused.

import type { RouteRequirement } from '../config/settings/route-settings.js'
import type { Catalogue } from '../config/settings/settings.js'
import type { PermissionKind, PermissionRef } from '../directory/records.js'
import type { LocalPrincipal, Principal } from './principal.js'

/** What of a caller the decision is about. */
export type Holder = LocalPrincipal | Pick<Exclude<Principal, LocalPrincipal>, 'kind' | 'resource' | 'permissions'>

/** One of the lists of which any is enough. */
interface Alternative {
  /** For each permission of the list: the ids that satisfy it, itself first, then those that cover it. */
  needs: readonly (readonly string[])[]
  /** For a list of one permission: the answer by the id that satisfies it, in their order. */
  answers: readonly { id: string; decision: Decision }[] | undefined
}

/** A route's requirement, looked up in the catalogue once, for each kind of caller. */
export interface CompiledRequirement {
  resource: string
  /** Least first: the first one that is not met is what a refusal names. */
  application: readonly Alternative[]
  delegated: readonly Alternative[]
}

export type Decision =
  /** `permissions`: the ids of the token that opened this route, and no others; for the assertion. */
  | { allowed: true; permissions: readonly string[] }
  /** `missing`: of the alternatives the least, and of its list the first that the token lacks. */
  | { allowed: false; missing: PermissionRef }

const everything: Decision = { allowed: true, permissions: [] }

/**
 * Compiles a route's requirement. Throws Error when it requires nothing or names what the catalogue does not have: a
 * route that does not say what it needs must not load.
 */
export function compileRequirement(
  catalogue: Catalogue,
  resource: string,
  requirement: RouteRequirement,
): CompiledRequirement {
  const { anyOf } = requirement
  if (anyOf.length === 0 || anyOf.some((list) => list.length === 0))
    throw new Error('a requirement must name a permission')
  for (const id of anyOf.flat()) {
    const known = catalogue.find('application', resource, id) ?? catalogue.find('delegated', resource, id)
    if (known === undefined) throw new Error(`the resource ${resource} has no permission ${id}`)
  }
  const compile = (kind: PermissionKind): Alternative[] =>
    anyOf
      .filter((list) => list.every((id) => catalogue.find(kind, resource, id) !== undefined))
      .sort((a, b) => compareWeight(weigh(catalogue, { kind, resource }, a), weigh(catalogue, { kind, resource }, b)))
      .map((list) => alternative(list.map((id) => satisfying(catalogue, { kind, resource, id }))))
  return { resource, application: compile('application'), delegated: compile('delegated') }
}

function alternative(needs: readonly (readonly string[])[]): Alternative {
  const only = needs.length === 1 ? needs[0] : undefined
  return { needs, answers: only?.map((id) => ({ id, decision: { allowed: true, permissions: [id] } })) }
}

/** Decides. Synchronous and, where a route needs one permission, free of allocation. */
export function decide(principal: Holder, compiled: CompiledRequirement): Decision {
  if (principal.kind === 'local') return everything
  const kind = principal.kind === 'application' ? 'application' : 'delegated'
  if (principal.resource === compiled.resource) {
    for (const alternative of compiled[kind]) {
      const decision = decideAlternative(principal.permissions, alternative)
      if (decision !== undefined) return decision
    }
  }
  return { allowed: false, missing: leastMissing(kind, principal.permissions, compiled) }
}

function decideAlternative(held: ReadonlySet<string>, alternative: Alternative): Decision | undefined {
  const { answers } = alternative
  if (answers !== undefined) {
    for (const { id, decision } of answers) if (held.has(id)) return decision
    return undefined
  }
  const permissions = satisfiedBy(held, alternative)
  return permissions === undefined ? undefined : { allowed: true, permissions }
}

function satisfiedBy(held: ReadonlySet<string>, { needs }: Alternative): readonly string[] | undefined {
  const found: string[] = []
  for (const ids of needs) {
    const id = ids.find((candidate) => held.has(candidate))
    if (id === undefined) return undefined
    if (!found.includes(id)) found.push(id)
  }
  return found
}

function leastMissing(kind: PermissionKind, held: ReadonlySet<string>, compiled: CompiledRequirement): PermissionRef {
  const all = lacking(kind, held, compiled)
  return all.missing[0] ?? { kind: all.kind, resource: compiled.resource, id: '' }
}

/** Of the alternatives the least: all of its permissions that a caller who may not has to get. */
export function missingOf(
  principal: Exclude<Holder, LocalPrincipal>,
  compiled: CompiledRequirement,
): readonly PermissionRef[] {
  const kind = principal.kind === 'application' ? 'application' : 'delegated'
  const held = principal.resource === compiled.resource ? principal.permissions : new Set<string>()
  return lacking(kind, held, compiled).missing
}

function lacking(kind: PermissionKind, held: ReadonlySet<string>, compiled: CompiledRequirement) {
  const other: PermissionKind = kind === 'application' ? 'delegated' : 'application'
  // Where nothing opens the route to this kind of caller, the other kind's permission says for whom it is.
  const named = compiled[kind].length > 0 ? kind : other
  const needs = compiled[named][0]?.needs ?? []
  const lacked = needs.filter((ids) => !ids.some((id) => held.has(id)))
  const missing = (lacked.length > 0 ? lacked : needs.slice(0, 1)).map(
    (ids): PermissionRef => ({ kind: named, resource: compiled.resource, id: ids[0] ?? '' }),
  )
  return { kind: named, missing }
}

function satisfying(catalogue: Catalogue, permission: PermissionRef): readonly string[] {
  const { kind, resource, id } = permission
  return [id, ...catalogue.satisfying(kind, resource, id).filter((other) => other !== id)]
}

/**
 * How much a list gives away: its length, how many ids need an administrator, how much they cover, how few cover them.
 */
function weigh(
  catalogue: Catalogue,
  { kind, resource }: { kind: PermissionKind; resource: string },
  list: readonly string[],
): readonly number[] {
  const definitions = list.map((id) => catalogue.find(kind, resource, id))
  const administered = definitions.filter((one) => one?.adminConsent === true).length
  const covered = definitions.reduce((sum, one) => sum + (one?.covers.length ?? 0), 0)
  const covering = list.reduce((sum, id) => sum + catalogue.satisfying(kind, resource, id).length, 0)
  return [list.length, administered, covered, -covering]
}

function compareWeight(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((weight, index) => weight !== b[index])
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0)
}
