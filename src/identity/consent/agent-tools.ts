// Which tools of MCP servers permissions open for an agent, as the tenant lets them be called, with what their servers say
// of them: untrusted text, which is shown as a quotation.

import type { PermissionRef } from '../../directory/records.js'
import { operationsOpenedBy } from '../../gateway/routes/opened-operations.js'
import { describedTool } from '../../mcp/tool-definition.js'
import { listApprovedTexts } from '../../storage/sql/tool-definitions/described-tools.js'
import { displayName } from '../../web/pages/display-name.js'
import type { IdentityDependencies } from '../dependencies.js'

export interface AgentTool {
  /** As its calls are counted. */
  id: string
  tool: string
  /** Plain ids of the permissions that open it. */
  permissions: readonly string[]
  /** What a call needs besides. */
  needsApproval: boolean
  needsFactor: boolean
  /** In the server's words, cut and without characters that would pass for something else; empty: nothing is known. */
  says: string
}

type Deps = Pick<IdentityDependencies, 'settings' | 'directory' | 'store'>

const mostTools = 500
const longestTitle = 80
const longestDescription = 300

/** Whether agents get permissions of this API: an MCP server stands behind it. */
export function isOfAgents({ settings }: Pick<Deps, 'settings'>, resource: string): boolean {
  return settings.routes.some((route) => route.mcp !== undefined && route.resource === resource)
}

/** Those that the tenant does not forbid, in the order of the configuration. Throws StoreUnavailable. */
export async function agentTools(
  { settings, directory, store }: Deps,
  { tenantId, permissions }: { tenantId: string; permissions: readonly PermissionRef[] },
): Promise<AgentTool[]> {
  const said = await directory.findToolRules(tenantId)
  const opened = operationsOpenedBy(settings, permissions).flatMap(({ tool, rule, route, ...rest }) => {
    if (tool === undefined) return []
    const rules = [rule, said?.of(route, tool) ?? 'allowed']
    return rules.includes('never') ? [] : [{ ...rest, tool, route, rules }]
  })
  const routes = [...new Set(opened.map(({ route }) => route))]
  const texts = new Map(
    (await listApprovedTexts(store.reader, routes, mostTools)).map((row) => [
      `${row.route}\n${row.tool}`,
      row.approved_text,
    ]),
  )
  return opened.slice(0, mostTools).map(({ id, tool, route, permissions: opening, rules }) => ({
    id,
    tool,
    permissions: opening,
    needsApproval: rules.includes('approval'),
    needsFactor: rules.includes('second_factor'),
    says: saysOf(texts.get(`${route}\n${tool}`) ?? undefined),
  }))
}

function saysOf(text: string | undefined): string {
  if (text === undefined) return ''
  const { title, description } = describedTool(text)
  const parts = [cut(title, longestTitle), cut(description, longestDescription)].filter((part) => part !== '')
  return parts.join(': ')
}

function cut(text: string | undefined, longest: number): string {
  return text === undefined ? '' : displayName(text, longest)
}
