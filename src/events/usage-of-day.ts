// What is told of a day that has ended: the lines that the export of usage has of it, a part at a time.

import type { Statements } from '../storage/sql/store.js'
import { readUsageRows, type UsageRow } from '../storage/sql/usage/usage-lines.js'

/** So many lines are one event: some 25 KiB, and 64 KiB is what CloudEvents promise to pass everywhere. */
export const linesOfPart = 100

const dayMs = 86_400_000

/** The counts of a row as the export and events have them. */
export function usageCountsOf(row: Omit<UsageRow, 'day' | 'application_id' | 'tenant_id' | 'route'>) {
  return {
    allowed: row.allowed,
    refused: { permission: row.not_permitted, limit: row.limited, token: row.token_refused },
    errors: { client: row.client_errors, server: row.server_errors },
  }
}

/**
 * The lines of one part of a tenant's day (`2026-11-22`), by application and route, as the Store has them. `planOf`: the
 * plan that an application has now. Once the day has ended they stay as they are.
 */
export async function readUsageLines(
  statements: Statements,
  { day, tenantId, part }: { day: string; tenantId: string; part: number },
  planOf: (applicationId: string) => string | undefined,
) {
  const number = Date.parse(`${day}T00:00:00Z`) / dayMs
  const place = { offset: (part - 1) * linesOfPart, limit: linesOfPart }
  const rows = await readUsageRows(statements, { day: number, tenantId, ...place })
  return rows.map((row) => ({
    applicationId: row.application_id,
    plan: row.isGone ? null : (planOf(row.application_id) ?? null),
    route: row.route,
    ...usageCountsOf(row),
  }))
}
