// What a change of the configuration takes from, or gives to, whom (contract §7.5): every kind of request that the
// routes of either can tell apart (request-classes.ts) is decided under both, by the gate's own requirements, for every
// grant that the Store has. Pure: nothing is read, nothing is changed.

import type { AccessGrant } from '../../directory/consents/access-grants.js'
import { type AccessRules, type AccessTable, type Cell, compileAccessTable, isOpen, mayCall } from './access-table.js'
import { type CallChange, callChange, decidesAlike, type Place } from './call-change.js'
import { type LimitChange, limitChanges } from './limit-changes.js'
import { type PlanChange, type PlanCounts, planChanges } from './plan-changes.js'
import { type Holdings, loneProfiles, type Profile, profilesOf } from './profiles.js'
import { type RequestClass, requestClasses } from './request-classes.js'

export interface AccessDiff {
  /** Calls that are decided otherwise, or go elsewhere; plain text before parameters. */
  calls: readonly CallChange[]
  /** Undefined where the grants are not known. */
  holders: readonly HolderChange[] | undefined
  limits: readonly LimitChange[]
  plans: readonly PlanChange[]
}

/** Of an application in a tenant: as itself, or for the people of one role there. */
export interface HolderChange extends Omit<AccessGrant, 'permissions'> {
  gains: readonly Place[]
  loses: readonly Place[]
}

/**
 * Compares two configurations, for these grants and applications on plans if they are known. Throws Error where a route could not be compiled for
 * the gate either (settings that were loaded can be), and where the routes overlap in too many ways to compare each.
 */
export function accessDiff(
  before: AccessRules,
  after: AccessRules,
  grants: readonly AccessGrant[] | undefined,
  counts?: PlanCounts,
): AccessDiff {
  const classes = requestClasses([...before.routes, ...after.routes].map(({ path }) => path))
  const tables = { before: compileAccessTable(before), after: compileAccessTable(after) }
  const profiles = profilesOf({ before, after }, grants ?? [])
  const lone = loneProfiles({ before, after })
  const calls: CallChange[] = []
  const moves = new Map<Profile, { gains: Place[]; loses: Place[] }>()
  for (const kind of classes) {
    for (const { key, ...cells } of cellsAt(tables, kind.sample())) {
      const place = placeOf(key, kind.pattern)
      const { gaining, losing } = whoMoves(cells, kind, profiles)
      for (const one of gaining) movesOf(moves, one).gains.push(place)
      for (const one of losing) movesOf(moves, one).loses.push(place)
      const movers = isOpenInOne(cells) ? { gaining: [], losing: [] } : whoMoves(cells, kind, lone)
      const permissions = { gain: movers.gaining.map(({ ref }) => ref), lose: movers.losing.map(({ ref }) => ref) }
      const change = callChange({ place, ...cells, gaining, losing, permissions, known: grants !== undefined })
      if (change !== undefined) calls.push(change)
    }
  }
  const holders = grants === undefined ? undefined : holderChanges(moves)
  return { calls, holders, limits: limitChanges(before, after), plans: planChanges(before, after, counts) }
}

interface Cells {
  before: Cell | undefined
  after: Cell | undefined
}

/** Then every permission would be told to open it, or no longer to. */
function isOpenInOne({ before, after }: Cells): boolean {
  return [before, after].some((cell) => cell !== undefined && isOpen(cell))
}

/** Every method, and every operation of an MCP server, that either has there. */
function cellsAt(tables: Record<'before' | 'after', AccessTable>, sample: string): (Cells & { key: string })[] {
  const [before, after] = [tables.before(sample), tables.after(sample)]
  const keys = new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])
  return [...keys].map((key) => ({ key, before: before?.get(key), after: after?.get(key) }))
}

function placeOf(key: string, path: string): Place {
  const space = key.indexOf(' ')
  return space < 0 ? { method: key, path } : { method: key.slice(0, space), path, operation: key.slice(space + 1) }
}

function whoMoves<T extends Holdings>(
  { before, after }: Cells,
  at: RequestClass,
  all: readonly T[],
): { gaining: T[]; losing: T[] } {
  const gaining: T[] = []
  const losing: T[] = []
  const alike = decidesAlike(before, after)
  for (const one of all) {
    if (alike && !one.changed) continue
    const could = mayCall(before, { ...one, held: one.before }, at)
    const can = mayCall(after, { ...one, held: one.after }, at)
    if (could !== can) (can ? gaining : losing).push(one)
  }
  return { gaining, losing }
}

function movesOf(moves: Map<Profile, { gains: Place[]; loses: Place[] }>, profile: Profile) {
  const known = moves.get(profile) ?? { gains: [], loses: [] }
  moves.set(profile, known)
  return known
}

/** By application name, then tenant; those with the same role are one, where they gain and lose the same. */
function holderChanges(moves: ReadonlyMap<Profile, { gains: Place[]; loses: Place[] }>): readonly HolderChange[] {
  const changes = [...moves].flatMap(([{ grants }, moved]) => {
    const byHolder = new Map<string, HolderChange>()
    for (const { permissions: _, ...holder } of grants) {
      const key = JSON.stringify([holder.applicationId, holder.tenantId, holder.role])
      const people = holder.people + (byHolder.get(key)?.people ?? 0)
      byHolder.set(key, { ...holder, people, ...moved })
    }
    return [...byHolder.values()]
  })
  const orderOf = ({ applicationName, applicationId, tenantId, kind }: HolderChange) =>
    JSON.stringify([applicationName, applicationId, tenantId, kind])
  return changes.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
}
