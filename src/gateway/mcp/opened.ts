// Whether a caller may do what a message asks for: by the rules for tools, by permissions, and by how the person signed
// in. Whether somebody approves the call comes after it.

import { decide, missingOf } from '../../access/decide.js'
import type { MissingPermission } from '../../access/missing-permission.js'
import type { TokenPrincipal } from '../../access/principal.js'
import type { Usage } from '../../access/usage.js'
import type { PermissionRef } from '../../directory/records.js'
import type { TenantToolRules } from '../../directory/tools/tool-rules.js'
import type { ToolPins } from '../../tool-definitions/tool-definitions.js'
import type { DecisionCounts } from '../caller.js'
import { type Refusal, refusal } from '../errors.js'
import type { Exchange } from '../forward/exchange.js'
import type { RoutePlan } from '../routes/snapshot.js'
import { ruleOf } from './demands/rules.js'
import { hasSecondFactor, lackingSecondFactor } from './demands/second-factor.js'
import { heldTool } from './pinned-tools.js'
import type { McpPlan } from './plan.js'
import { lackingPermissions, unknownName } from './refusals.js'
import type { Requested } from './requested.js'

/** What opened an operation. */
export interface Opened {
  plan: RoutePlan
  plans: readonly RoutePlan[]
  /** Of the first thing that it is about, and of all. */
  counted: readonly string[]
  permissions: readonly string[]
  wouldDeny: string | undefined
}

/** An explanation brings ones that count nothing. */
export interface OpeningDeps {
  baseUrl: string
  counts: Pick<DecisionCounts, 'denied' | 'wouldDeny'>
  usage: Pick<Usage, 'refused'>
  pins: Pick<ToolPins, 'isChanged'>
  /** How far a missing permission got on its way into a token. */
  describe(principal: TokenPrincipal, missing: PermissionRef): Promise<MissingPermission | undefined>
}

/** What the message asks for, by which plans, and what the tenant of the caller says of its tools. */
type Asking = Pick<Requested, 'operation' | 'id' | 'era'> & {
  plans: readonly RoutePlan[] | undefined
  said: TenantToolRules | undefined
}

/** Whether the caller may do what the message asks for, but for approval; a refusal may have to be looked up. */
export function openedBy(
  deps: OpeningDeps,
  { facts, passage }: Pick<Exchange, 'facts' | 'passage'>,
  requested: Asking,
  mcp: McpPlan<RoutePlan>,
): Opened | Refusal | Promise<Refusal> {
  const { operation, id, plans, said } = requested
  const [plan] = plans ?? []
  if (plans === undefined || plan === undefined) return unknown(operation, id)
  facts.entry.route = plan.id
  const demands = ruleOf({ plan, said })
  if (demands.has('never')) return { ...unknown(operation, id), reason: 'mcp_never' }
  const { principal } = passage
  let { wouldDeny } = passage
  const permissions: (readonly string[])[] = []
  for (const each of plans) {
    if (principal === undefined || each.requirement === 'public') continue
    const decision = decide(principal, each.requirement)
    if (decision.allowed) permissions.push(decision.permissions)
    else if (each.shadow) {
      wouldDeny = 'insufficient_scope'
      deps.counts.wouldDeny(each.id, wouldDeny)
    } else return lacking(deps, { principal, plan: each }, requested)
  }
  if (demands.has('second_factor') && !hasSecondFactor(principal)) {
    return unproved(deps, { principal, plan, permissions: permissions.flat() }, requested)
  }
  const held = heldTool(deps.pins, mcp, operation, id)
  if (held !== undefined) return { ...held, principal }
  const [counted = []] = permissions
  const all = permissions.length > 1 ? [...new Set(permissions.flat())] : counted
  return { plan, plans, counted, permissions: all, wouldDeny }
}

async function lacking(
  deps: OpeningDeps,
  { principal, plan }: { principal: TokenPrincipal; plan: RoutePlan },
  { id, era, operation }: Pick<Requested, 'id' | 'era' | 'operation'>,
): Promise<Refusal> {
  if (plan.requirement === 'public') return refusal('internal')
  deps.counts.denied(plan.id, 'insufficient_scope')
  deps.usage.refused(principal, plan.id, 403)
  const missing = missingOf(principal, plan.requirement)
  const [described, ...others] = await Promise.all(missing.map((one) => deps.describe(principal, one)))
  // Clients of a session ask for the scope of the challenge alone, so it has what they hold already.
  const held = era === 'legacy' && principal.resource === plan.resource ? [...principal.permissions] : []
  const refused = lackingPermissions(missing, { principal, described, baseUrl: deps.baseUrl, id, held })
  // No person could give it, so none is sent to try: the client hears what it would of a tool that is not there.
  const isOutOfReach = [described, ...others].some((one) => one?.status === 'not_configured')
  if (principal.kind !== 'delegated' || !isOutOfReach) return refused
  const { instead = refused.instead } = unknown(operation, id)
  return instead === undefined ? refused : { ...refused, instead }
}

function unproved(
  deps: OpeningDeps,
  { principal, plan, permissions }: Pick<Opened, 'plan' | 'permissions'> & { principal: TokenPrincipal | undefined },
  { id, era }: Asking,
): Refusal {
  deps.counts.denied(plan.id, 'insufficient_user_authentication')
  if (principal !== undefined) deps.usage.refused(principal, plan.id, 401)
  const held = era === 'legacy' && principal?.resource === plan.resource ? [...principal.permissions] : []
  const scope = [...new Set([...held, ...permissions])]
  return lackingSecondFactor(principal, { resource: plan.resource, baseUrl: deps.baseUrl, id, scope })
}

function unknown(operation: Requested['operation'], id: Requested['id']): Refusal {
  if (operation.kind === 'tool' || operation.kind === 'prompt') return unknownName(operation.kind, [operation.name], id)
  return unknownName('resources', operation.kind === 'resources' ? operation.uris : [], id)
}
