// What a tenant says of single tools of MCP servers (decision 156): only ever more than the configuration, which has the
// floor. Reads are cached in directory.ts.

import { listToolRules } from '../../storage/sql/registrations/tools/tool-rules.js'
import type { Statements } from '../../storage/sql/store.js'

/** From the mildest to the strictest. `allowed`: the tenant says nothing. */
export const toolRules = ['allowed', 'approval', 'second_factor', 'never'] as const
export type ToolRule = (typeof toolRules)[number]

/** What a tenant says, by route and tool; of what is not in it, nothing. */
export interface TenantToolRules {
  of(route: string, tool: string): ToolRule
  readonly all: readonly { route: string; tool: string; rule: ToolRule }[]
}

/** What a tenant says now. Throws StoreUnavailable. */
export async function readToolRules(statements: Statements, tenantId: string): Promise<TenantToolRules> {
  const rows = await listToolRules(statements, tenantId)
  // What an older program does not know is never looser than what it knows.
  const all = rows.map(({ route, tool, rule }) => ({
    route,
    tool,
    rule: toolRules.find((one) => one === rule) ?? 'never',
  }))
  const byRoute = new Map<string, Map<string, ToolRule>>()
  for (const { route, tool, rule } of all) {
    const tools = byRoute.get(route) ?? new Map<string, ToolRule>()
    byRoute.set(route, tools.set(tool, rule))
  }
  return { of: (route, tool) => byRoute.get(route)?.get(tool) ?? 'allowed', all }
}
