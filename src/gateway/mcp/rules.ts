// Which demands a caller's call of a tool has to meet besides its permission. The one place that says so, for the gate and
// for explanations of its decisions. They are a set, because several may say something of one tool. A rule holds also
// where permissions are only watched: `shadow` is about permissions.

import type { TokenPrincipal } from '../../access/principal.js'
import type { McpRule } from '../../config/settings/route-settings.js'
import type { RoutePlan } from '../routes/snapshot.js'

export type Demand = Exclude<McpRule, 'allowed'>

/** Of each word of the file, made once: to ask costs nothing. */
const demandsOf: Readonly<Record<McpRule, ReadonlySet<Demand>>> = {
  allowed: new Set(),
  approval: new Set(['approval']),
  second_factor: new Set(['second_factor']),
  never: new Set(['never']),
}

/** All of them have to be met; empty: the permission was enough. `plan` is that of the operation. */
export function ruleOf({ plan }: { plan: RoutePlan; principal: TokenPrincipal | undefined }): ReadonlySet<Demand> {
  return demandsOf[plan.rule]
}
