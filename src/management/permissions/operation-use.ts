// Which tools, prompts and resources of MCP servers an application could use with what it has, and how often it did: an
// agent that uses three of fourteen tools needs the permissions of three.

import type { Settings } from '../../config/settings/settings.js'
import type { PermissionRef } from '../../directory/records.js'
import { operationsOpenedBy } from '../../gateway/routes/opened-operations.js'
import type { Statements } from '../../storage/sql/store.js'
import { sumRouteUsage } from '../../storage/sql/usage/usage-reads.js'
import type { PermissionUseAnswer } from './usage-schemas.js'

/** More than routes that anybody configures. */
const mostLines = 10_000
const recentDays = 30

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
  const open = operationsOpenedBy({ catalogue, routes }, permissions)
  if (open.length === 0) return []
  const days = { from: today - recentDays + 1, to: today }
  const counted = await sumRouteUsage(statements, { applicationId, tenantId, ...days }, 'route', mostLines)
  const byRoute = new Map(counted.map((row) => [row.key, row]))
  return open.map(({ id, permissions: opening }) => {
    const row = byRoute.get(id)
    return { id, permissions: opening, usesIn30Days: row?.allowed ?? 0, refusedIn30Days: row?.not_permitted ?? 0 }
  })
}
