// Which tools, prompts and resources of MCP servers permissions open: for those who decide about permissions, and for
// those who look at what is used.

import type { McpOperationSettings, RouteRequirement } from '../../config/settings/route-settings.js'
import type { Settings } from '../../config/settings/settings.js'
import { includesPermission } from '../../directory/consents/consent-rules.js'
import type { PermissionRef } from '../../directory/records.js'
import { operationIds } from '../mcp/plan.js'

/** An operation that some of the permissions open. */
export interface OpenedOperation {
  /** As its calls are counted. */
  id: string
  route: string
  /** The name of a tool; undefined for what is none. */
  tool: string | undefined
  rule: NonNullable<McpOperationSettings['rule']>
  /** Plain ids of those that open it. */
  permissions: string[]
}

interface Operation extends Omit<OpenedOperation, 'permissions'> {
  resource: string
  needs: RouteRequirement
}

/** In the order of the configuration. */
export function operationsOpenedBy(
  { catalogue, routes }: Pick<Settings, 'catalogue' | 'routes'>,
  permissions: readonly PermissionRef[],
): OpenedOperation[] {
  return routes.flatMap(operationsOf).flatMap((operation) => {
    const opening = openingOf(operation, permissions, catalogue)
    const { id, route, tool, rule } = operation
    return opening === undefined ? [] : [{ id, route, tool, rule, permissions: opening }]
  })
}

function operationsOf(route: Settings['routes'][number]): Operation[] {
  const { mcp, resource } = route
  if (mcp === undefined) return []
  const tools = [...mcp.tools.keys()]
  const all = [mcp.tools, mcp.prompts, mcp.resources].flatMap((kind) => [...kind.values()])
  return operationIds(route).map((id, at) => {
    const { needs, rule = 'allowed' } = all[at] as McpOperationSettings
    return { id, route: route.id, tool: tools[at], rule, resource, needs }
  })
}

/** Those that open it: of each id that the first alternative needs one that satisfies it, all of one kind. */
function openingOf(
  { resource, needs }: Operation,
  permissions: readonly PermissionRef[],
  catalogue: Settings['catalogue'],
): string[] | undefined {
  for (const kind of ['delegated', 'application'] as const) {
    for (const all of needs.anyOf) {
      const opening = all.map((id) =>
        catalogue
          .satisfying(kind, resource, id)
          .find((one) => includesPermission(permissions, { kind, resource, id: one })),
      )
      if (opening.length > 0 && opening.every((one) => one !== undefined)) return [...new Set(opening)]
    }
  }
  return undefined
}
