// Which limits a request takes from, by the plan of its application. Found in memory at each request, so nothing is made
// there that was made before: a list for each plan, list of names and route.

import type { CompiledPolicy } from './compiled-policy.js'
import {
  type AssignedPlan,
  type AssignedPlans,
  type EffectivePlan,
  effectivePlan,
  type PlanBook,
} from './effective-plan.js'
import { compileList, type LimitList } from './limit-list.js'

/** A plan that was compiled, for all applications that have it. */
export interface CompiledPlan {
  effective: EffectivePlan
  /** As `base`, which was compiled from `names`, with what the plan says of this route. */
  listOf(names: readonly string[], base: LimitList, routeId: string | undefined): LimitList
  /** Its further limits, of all routes. */
  further: LimitList
}

export interface CompiledPlans {
  /** Undefined: the limits of the route count as they are. */
  of(applicationId: string): CompiledPlan | undefined
}

/** Builds them for these rules. `compile` makes a policy ready to count. */
export function compilePlans(
  book: PlanBook,
  assigned: AssignedPlans,
  compile: (policy: PlanBook['limits'] extends ReadonlyMap<string, infer P> ? P : never) => CompiledPolicy,
): CompiledPlans {
  /** Of those without overrides, by name. */
  const shared = new Map<string, CompiledPlan | undefined>()
  const own = new WeakMap<AssignedPlan, CompiledPlan>()
  const make = (said: AssignedPlan | undefined): CompiledPlan | undefined => {
    const effective = effectivePlan(book, said)
    return effective === undefined ? undefined : compilePlan(effective, compile)
  }
  const byDefault = make(undefined)
  const ofName = (said: AssignedPlan): CompiledPlan | undefined => {
    if (!book.plans.has(said.plan)) return byDefault
    if (!shared.has(said.plan)) shared.set(said.plan, make(said))
    return shared.get(said.plan)
  }
  const withOverrides = (said: AssignedPlan): CompiledPlan | undefined => {
    const known = own.get(said) ?? make(said)
    if (known !== undefined) own.set(said, known)
    return known
  }
  return {
    of(applicationId) {
      const said = assigned.size === 0 ? undefined : assigned.of(applicationId)
      if (said === undefined) return byDefault
      return isPlain(said) ? ofName(said) : withOverrides(said)
    },
  }
}

function isPlain({ overrides }: AssignedPlan): boolean {
  return overrides.concurrent === undefined && Object.keys(overrides.limits).length === 0
}

function compilePlan(effective: EffectivePlan, compile: Parameters<typeof compilePlans>[2]): CompiledPlan {
  const all = [...effective.limits].map(([name, { policy, routes }]) => ({ name, routes, compiled: compile(policy) }))
  const replacing = new Map(all.filter(({ routes }) => routes === undefined).map((one) => [one.name, one.compiled]))
  const further = all.filter(({ routes }) => routes !== undefined)
  const known = new WeakMap<readonly string[], Map<string, LimitList>>()
  const plan = effective.name
  const make = (base: LimitList, routeId: string | undefined): LimitList => {
    const ofRoute = base.all.map((one) => replacing.get(one.policy.name) ?? one)
    const here = further.filter(({ routes }) => routeId !== undefined && routes?.has(routeOf(routeId)) === true)
    return compileList([...ofRoute, ...here.map(({ compiled }) => compiled)], plan)
  }
  return {
    effective,
    further: compileList(
      further.map(({ compiled }) => compiled),
      plan,
    ),
    listOf(names, base, routeId) {
      const lists = known.get(names)
      const list = lists?.get(routeId ?? '')
      if (list !== undefined) return list
      const made = make(base, routeId)
      if (lists === undefined) known.set(names, new Map([[routeId ?? '', made]]))
      else lists.set(routeId ?? '', made)
      return made
    },
  }
}

/** Of an operation of an MCP server, such as `/desk/mcp tools/call:close`: a key that begins with a path has no space. */
function routeOf(routeId: string): string {
  const end = routeId.startsWith('/') ? routeId.indexOf(' ') : -1
  return end === -1 ? routeId : routeId.slice(0, end)
}
