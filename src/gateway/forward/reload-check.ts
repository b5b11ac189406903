// Whether what is open would still be let through by the rules that a reload has put in place: the route, what it asks
// of its caller, and the service behind it. Limits, sizes and times are those that it began with.

import { decide } from '../../access/decide.js'
import type { TokenPrincipal } from '../../access/principal.js'
import type { RequestContext } from '../../http/requests/request-context.js'
import type { RoutePlan, RouteSnapshot } from '../routes/snapshot.js'

/** What an open stream was allowed for. */
export interface OpenCall {
  plan: RoutePlan
  facts: RequestContext
  method: string | undefined
  /** The label of the target that it is at; undefined: at none yet. */
  target: string | undefined
  /** The rules under which it was looked at last; undefined: those that it began with. */
  confirmedBy: RouteSnapshot | undefined
  /** Of an MCP server: all that its message is about. */
  operations?: readonly RoutePlan[] | undefined
}

/** Why it has to end; undefined: it may go on. */
export function endedByReload(
  { plan: before, facts, method, target, operations = [] }: OpenCall,
  principal: TokenPrincipal | undefined,
  routes: RouteSnapshot,
): 'route_gone' | 'route_changed' | 'upstream_changed' | undefined {
  const path = facts.target.ok ? facts.target.path : ''
  const plan = routes.find(path)?.plans.get(method ?? '')
  if (plan === before) return undefined
  if (plan === undefined || (plan.answer?.pages === true && facts.entry.apiHost === undefined)) return 'route_gone'
  const { mcp } = plan
  // Its message decides whether an answer of an MCP server is a stream.
  if (before.route.stream && !plan.route.stream && (mcp === undefined || before.mcp === undefined))
    return 'route_changed'
  if (!isStillMet(plan, principal, path)) return 'route_changed'
  for (const { operation } of operations) {
    if (operation === undefined) continue
    const now = mcp?.operations.get(operation)
    if (now === undefined) return 'route_gone'
    if (!isStillMet(now, principal, path)) return 'route_changed'
  }
  const isThere = target === undefined || plan.upstream.targets.some(({ label }) => label === target)
  return plan.upstream.name === before.upstream.name && isThere ? undefined : 'upstream_changed'
}

function isStillMet(plan: RoutePlan, principal: TokenPrincipal | undefined, path: string): boolean {
  const { requirement, route } = plan
  if (requirement === 'public' || plan.shadow) return true
  if (principal === undefined) return false
  const { issuers = ['own'] } = route
  if (!issuers.includes(principal.issuer ?? 'own')) return false
  if (principal.issuer === undefined && principal.resource !== plan.resource) return false
  return decide(principal, requirement).allowed && plan.condition?.(principal, path) === undefined
}
