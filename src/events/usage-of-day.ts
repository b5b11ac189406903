// What is told of a day that has ended: the lines that the export of usage has of it, a part at a time.

import type { Statements } from '../storage/sql/store.js'
import { readUsageRows, type UsageKey, type UsageRow, usageKeyAt } from '../storage/sql/usage/usage-lines.js'

/** So many lines are one event: some 25 KiB, and 64 KiB is what CloudEvents promise to pass everywhere. */
export const linesOfPart = 100

const dayMs = 86_400_000

/** A day since 1970 as people write it: `2026-11-22`. */
export function dayText(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}

/** The counts of a row as the export and events have them. */
export function usageCountsOf(row: Omit<UsageRow, 'day' | 'application_id' | 'tenant_id' | 'route'>) {
  return {
    allowed: row.allowed,
    refused: { permission: row.not_permitted, limit: row.limited, token: row.token_refused },
    errors: { client: row.client_errors, server: row.server_errors },
  }
}

/** The last line of a part, after which the next one begins. */
export interface UsagePlace {
  /** Whose, of which day, and of which part. */
  key: string
  after: UsageKey
}

/**
 * The lines of one part of a tenant's day (`2026-11-22`), by application and route, as the Store has them, and their last
 * place. `planOf`: the plan that an application has now. `known`: the place of the part before, where it was read just
 * now; else the part is looked for. Once the day has ended they stay as they are.
 */
export async function readUsageLines(
  statements: Statements,
  { day, tenantId, part }: { day: string; tenantId: string; part: number },
  planOf: (applicationId: string) => string | undefined,
  known?: UsagePlace,
) {
  const of = { day: Date.parse(`${day}T00:00:00Z`) / dayMs, tenantId }
  const keyOf = (number: number) => `${day} ${tenantId} ${number}`
  const isKnown = known?.key === keyOf(part - 1)
  const skipped = (part - 1) * linesOfPart
  const after = skipped === 0 ? undefined : isKnown ? known.after : await usageKeyAt(statements, of, skipped)
  const rows =
    skipped > 0 && after === undefined ? [] : await readUsageRows(statements, { ...of, after, limit: linesOfPart })
  const lines = rows.map((row) => ({
    applicationId: row.application_id,
    plan: row.isGone ? null : (planOf(row.application_id) ?? null),
    route: row.route,
    ...usageCountsOf(row),
  }))
  const last = rows.at(-1)
  return { lines, place: last === undefined ? undefined : { key: keyOf(part), after: last } }
}
