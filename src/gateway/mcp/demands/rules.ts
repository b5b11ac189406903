// Which demands a caller's call of a tool has to meet besides its permission: what the configuration says, joined with
// what the tenant of the caller says. The one place that says so, for the gate and for explanations of its decisions.
// They are a set, because both count: the strictest of them all. A rule holds also where permissions are only watched:
// `shadow` is about permissions.

import type { McpRule } from '../../../config/settings/route-settings.js'
import type { TenantToolRules } from '../../../directory/tools/tool-rules.js'
import type { RoutePlan } from '../../routes/snapshot.js'

export type Demand = Exclude<McpRule, 'allowed'>

interface ToolCall {
  /** Of the operation. */
  plan: Pick<RoutePlan, 'rule' | 'operation' | 'route'>
  /** What the tenant of the caller says; undefined: there is none that says anything. */
  said: TenantToolRules | undefined
}

/** Of most calls. */
const none: ReadonlySet<Demand> = new Set()
/** Of each two words, made once: a look-up costs nothing. */
const joined = new Map<string, ReadonlySet<Demand>>()
const ofTools = 'tools/call:'

/** All of them have to be met; empty: the permission was enough. `never` stands alone. */
export function ruleOf({ plan, said }: ToolCall): ReadonlySet<Demand> {
  const own = said === undefined ? 'allowed' : tenantRule(plan, said)
  if (plan.rule === 'allowed' && own === 'allowed') return none
  const key = `${plan.rule} ${own}`
  const known = joined.get(key)
  if (known !== undefined) return known
  const all = new Set([plan.rule, own].filter((one): one is Demand => one !== 'allowed'))
  const demands: ReadonlySet<Demand> = all.has('never') ? new Set(['never']) : all
  joined.set(key, demands)
  return demands
}

function tenantRule({ operation, route }: ToolCall['plan'], said: TenantToolRules): McpRule {
  if (said.all.length === 0 || operation?.startsWith(ofTools) !== true) return 'allowed'
  return said.of(route.id.slice(0, -operation.length - 1), operation.slice(ofTools.length))
}
