// The policies that one kind of request takes from, made ready once.

import type { LimitPolicy } from '../config/settings/limit-settings.js'
import type { CompiledPolicy, LimitStage } from './compiled-policy.js'
import { policyItem } from './limit-item.js'

/** Those of one list that apply to one kind of subject. */
export interface Selection {
  policies: readonly LimitPolicy[]
  compiled: readonly CompiledPolicy[]
  policyField: string
  /** Whose numbers they are. */
  plan: string | undefined
}

export interface LimitList {
  all: readonly CompiledPolicy[]
  compiled: readonly CompiledPolicy[]
  /** Those that are only watched: each by itself, never told to the caller, never waited for. */
  watched: readonly CompiledPolicy[]
  /** Which stages have a policy at all: most routes have none by address. */
  stages: ReadonlySet<LimitStage>
  /** By bit mask of the policies that apply. */
  selections: Map<number, Selection>
  plan: string | undefined
}

/** Throws Error for more policies than a bit mask holds. */
export function compileList(all: readonly CompiledPolicy[], plan?: string): LimitList {
  if (all.length > 31) throw new Error('a route can have at most 31 limit policies')
  const compiled = all.filter(({ policy }) => policy.shadow !== true)
  const watched = all.filter(({ policy }) => policy.shadow === true)
  const stages = new Set<LimitStage>(compiled.map((policy) => policy.stage))
  if (compiled.some(({ isClaimable }) => isClaimable)) stages.add('claim')
  return { all, compiled, watched, stages, selections: new Map(), plan }
}

/** Those of the list that `mask` has. */
export function selectionOf(list: LimitList, mask: number): Selection {
  const known = list.selections.get(mask)
  if (known !== undefined) return known
  const compiled = list.compiled.filter((_, i) => (mask & (1 << i)) !== 0)
  const policies = compiled.map((each) => each.policy)
  const selection = { compiled, policies, policyField: policies.map(policyItem).join(', '), plan: list.plan }
  list.selections.set(mask, selection)
  return selection
}
