// Queries of redirect origins that no administrator has looked at yet.

import type { Tables } from '../../rows/tables.js'
import type { Statements } from '../../store.js'

export type NewOriginRow = Tables['new_redirect_origins']

/** Adds one; one that is there is new once more. */
export async function putNewOrigin(tx: Statements, row: NewOriginRow): Promise<void> {
  const { added_by, added_at, told_at } = row
  await tx
    .insertInto('new_redirect_origins')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['application_id', 'origin']).doUpdateSet({ added_by, added_at, told_at }),
    )
    .execute()
}

/** Leaves the newest `most` of an application, and all that it has still. */
export async function keepNewestOrigins(
  tx: Statements,
  applicationId: string,
  { most, inUse }: { most: number; inUse: readonly string[] },
): Promise<void> {
  const rows = await tx
    .selectFrom('new_redirect_origins')
    .select('origin')
    .where('application_id', '=', applicationId)
    .orderBy('added_at', 'desc')
    .orderBy('origin')
    .execute()
  const beyond = rows.slice(most).flatMap(({ origin }) => (inUse.includes(origin) ? [] : [origin]))
  if (beyond.length === 0) return
  await tx
    .deleteFrom('new_redirect_origins')
    .where('application_id', '=', applicationId)
    .where('origin', 'in', beyond)
    .execute()
}

/** Those of a tenant or an application, the newest first, at most `limit`. */
export async function readNewOrigins(
  statements: Statements,
  of: { tenantId: string } | { applicationId: string },
  limit: number,
): Promise<(NewOriginRow & { name: string })[]> {
  const rows = statements
    .selectFrom('new_redirect_origins')
    .innerJoin('applications', 'applications.id', 'new_redirect_origins.application_id')
    .selectAll('new_redirect_origins')
    .select('applications.name')
  const own =
    'tenantId' in of
      ? rows.where('new_redirect_origins.tenant_id', '=', of.tenantId)
      : rows.where('new_redirect_origins.application_id', '=', of.applicationId)
  return own
    .orderBy('new_redirect_origins.added_at', 'desc')
    .orderBy('new_redirect_origins.application_id')
    .orderBy('new_redirect_origins.origin')
    .limit(limit)
    .execute()
}

/** Removes those of an application that were added up to a time, and answers which they were. */
export async function deleteNewOrigins(
  tx: Statements,
  { applicationId, until }: { applicationId: string; until: number },
): Promise<string[]> {
  const removed = await tx
    .deleteFrom('new_redirect_origins')
    .where('application_id', '=', applicationId)
    .where('added_at', '<=', until)
    .returning('origin')
    .execute()
  return removed.map(({ origin }) => origin)
}
