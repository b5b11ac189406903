// What a tenant says of single tools of MCP servers (decision 156): only ever more than the configuration, which has the
// floor. Reads are cached in directory.ts.

import { type McpRule, mcpRules } from '../../config/settings/route-settings.js'
import { listToolRules } from '../../storage/sql/registrations/tools/tool-rules.js'
import type { Statements } from '../../storage/sql/store.js'

/** What a tenant says, by route and tool; `allowed`: nothing. */
export interface TenantToolRules {
  of(route: string, tool: string): McpRule
  readonly all: readonly { route: string; tool: string; rule: McpRule }[]
}

/** What a tenant says now. Throws StoreUnavailable. */
export async function readToolRules(statements: Statements, tenantId: string): Promise<TenantToolRules> {
  const rows = await listToolRules(statements, tenantId)
  // What an older program does not know is never looser than what it knows.
  const all = rows.map(({ route, tool, rule }) => ({
    route,
    tool,
    rule: mcpRules.find((one) => one === rule) ?? 'never',
  }))
  const byRoute = new Map<string, Map<string, McpRule>>()
  for (const { route, tool, rule } of all) {
    const tools = byRoute.get(route) ?? new Map<string, McpRule>()
    byRoute.set(route, tools.set(tool, rule))
  }
  return { of: (route, tool) => byRoute.get(route)?.get(tool) ?? 'allowed', all }
}
