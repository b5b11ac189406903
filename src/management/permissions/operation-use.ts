// Which tools, prompts and resources of MCP servers an application could use with what it has, and how often it did: an
// agent that uses three of fourteen tools needs the permissions of three.

import type { McpOperationSettings, RouteRequirement } from '../../config/settings/route-settings.js'
import type { Settings } from '../../config/settings/settings.js'
import { includesPermission } from '../../directory/consents/consent-rules.js'
import type { PermissionRef } from '../../directory/records.js'
import { operationIds } from '../../gateway/mcp/plan.js'
import type { Statements } from '../../storage/sql/store.js'
import { sumRouteUsage } from '../../storage/sql/usage/usage-reads.js'
import type { PermissionUseAnswer } from './usage-schemas.js'

/** More than routes that anybody configures. */
const mostLines = 10_000
const recentDays = 30

/** What an operation needs, with the id that its calls are counted by. */
interface CountedOperation {
  id: string
  resource: string
  needs: RouteRequirement
}

/**
 * The operations that these permissions open, in the order of the configuration; `today` in days since 1970. Reads what
 * is written.
 */
export async function readOperationUse(
  statements: Statements,
  { catalogue, routes }: Pick<Settings, 'catalogue' | 'routes'>,
  about: { applicationId: string; tenantId: string; permissions: readonly PermissionRef[]; today: number },
): Promise<PermissionUseAnswer['operations']> {
  const { applicationId, tenantId, permissions, today } = about
  const open = routes.flatMap(operationsOf).flatMap((operation) => {
    const opening = openingOf(operation, permissions, catalogue)
    return opening === undefined ? [] : [{ id: operation.id, permissions: opening }]
  })
  if (open.length === 0) return []
  const days = { from: today - recentDays + 1, to: today }
  const counted = await sumRouteUsage(statements, { applicationId, tenantId, ...days }, 'route', mostLines)
  const byRoute = new Map(counted.map((row) => [row.key, row]))
  return open.map(({ id, permissions: opening }) => {
    const row = byRoute.get(id)
    return { id, permissions: opening, usesIn30Days: row?.allowed ?? 0, refusedIn30Days: row?.not_permitted ?? 0 }
  })
}

function operationsOf(route: Settings['routes'][number]): CountedOperation[] {
  const { mcp, resource } = route
  if (mcp === undefined) return []
  const needs = [mcp.tools, mcp.prompts, mcp.resources].flatMap((kind) => [...kind.values()])
  return operationIds(route).map((id, i) => ({ id, resource, needs: (needs[i] as McpOperationSettings).needs }))
}

/** Those that open it: of each id that the first alternative needs one that satisfies it, all of one kind. */
function openingOf(
  { resource, needs }: CountedOperation,
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
