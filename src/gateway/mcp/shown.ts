// Which tools, prompts and resources a caller sees in lists: those that they may use, or also those that consent could
// give them, because a model cannot ask for a tool that it does not see.

import { decide, missingOf } from '../../access/decide.js'
import type { MissingPermission } from '../../access/missing-permission.js'
import type { TokenPrincipal } from '../../access/principal.js'
import type { PermissionRef } from '../../directory/records.js'
import type { McpList } from '../../mcp/operations.js'
import type { RoutePlan } from '../routes/snapshot.js'
import { ruleOf } from './demands/rules.js'
import { type ToolRuleDeps, tenantRulesOf } from './demands/tenant-rules.js'
import type { McpPlan } from './plan.js'

export interface ShownDeps {
  /** What tenants say of tools. */
  toolRules: ToolRuleDeps
  describe(principal: TokenPrincipal, missing: PermissionRef): Promise<MissingPermission | undefined>
}

/** Whether an item of a list is shown, by its name, URI or template; undefined: all are. Rejects when it is not known what the tenant says of tools. */
export async function shownTo(
  { describe, toolRules }: ShownDeps,
  principal: TokenPrincipal | undefined,
  mcp: McpPlan<RoutePlan>,
  list: McpList,
): Promise<((name: string) => boolean) | undefined> {
  const said = list === 'tools' ? await tenantRulesOf(toolRules, principal) : undefined
  const isNever = (plan: RoutePlan) => ruleOf({ plan, said }).has('never')
  const plans = plansIn(mcp, list)
  if (mcp.list === 'all') {
    const isLess = [...plans].some(isNever)
    return isLess ? (name) => !itemPlans(mcp, list, name).some(isNever) : undefined
  }
  const seen = new Set<RoutePlan>()
  /** Whether a permission could be obtained, looked up once for each. */
  const obtainable = new Map<string, boolean>()
  const isObtainable = async (missing: PermissionRef): Promise<boolean> => {
    const key = `${missing.kind} ${missing.id}`
    const known = obtainable.get(key)
    if (known !== undefined) return known
    const status = principal === undefined ? undefined : (await describe(principal, missing))?.status
    const is = status !== undefined && status !== 'not_configured'
    obtainable.set(key, is)
    return is
  }
  for (const plan of plans) {
    const { requirement } = plan
    if (isNever(plan)) continue
    if (principal === undefined || requirement === 'public' || plan.shadow || decide(principal, requirement).allowed) {
      seen.add(plan)
      continue
    }
    if (mcp.list !== 'acquirable') continue
    const missing = await Promise.all(missingOf(principal, requirement).map(isObtainable))
    if (missing.every((is) => is)) seen.add(plan)
  }
  return (name) => {
    const found = itemPlans(mcp, list, name)
    return found.length > 0 && found.every((plan) => seen.has(plan))
  }
}

function plansIn(mcp: McpPlan<RoutePlan>, list: McpList): Iterable<RoutePlan> {
  if (list === 'tools') return mcp.tools.values()
  return list === 'prompts' ? mcp.prompts.values() : mcp.resources.values()
}

function itemPlans(mcp: McpPlan<RoutePlan>, list: McpList, name: string): readonly RoutePlan[] {
  if (list === 'resources') return mcp.matchResource(name).flatMap((text) => mcp.resources.get(text) ?? [])
  const of = list === 'tools' ? mcp.tools : list === 'prompts' ? mcp.prompts : mcp.resources
  const plan = of.get(name)
  return plan === undefined ? [] : [plan]
}
