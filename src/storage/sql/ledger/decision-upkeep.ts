// Keeping recorded decisions within their bounds: for each application and over all, the oldest rows go.

import type { Statements } from '../store.js'

/** Whose rows are more than `kept`, at most `limit` of them. */
export async function crowdedApplications(
  statements: Statements,
  proved: number,
  kept: number,
  limit: number,
): Promise<string[]> {
  const rows = await statements
    .selectFrom('recorded_decisions')
    .select('application_id')
    .where('proved', '=', proved)
    .groupBy('application_id')
    .having((having) => having(having.fn.countAll(), '>', kept))
    .limit(limit)
    .execute()
  return rows.map((row) => row.application_id)
}

/**
 * Deletes the oldest rows beyond the newest `kept`, of one application or of all, at most `limit` of them; returns how
 * many.
 */
export async function pruneDecisions(
  tx: Statements,
  of: { applicationId: string; proved: number } | 'all',
  kept: number,
  limit: number,
): Promise<number> {
  const fitting = () => {
    const query = tx.selectFrom('recorded_decisions')
    return of === 'all' ? query : query.where('application_id', '=', of.applicationId).where('proved', '=', of.proved)
  }
  // Almost always there is nothing to do, and to sort them all to find that out held the event loop.
  const { rows } = await fitting()
    .select((eb) => eb.fn.countAll<number | string>().as('rows'))
    .executeTakeFirstOrThrow()
  if (Number(rows) <= kept) return 0
  const newest = fitting().select(['at', 'id']).orderBy('at', 'desc').orderBy('id', 'desc')
  const last = await newest.offset(kept).limit(1).executeTakeFirst()
  if (last === undefined) return 0
  const dead = await fitting()
    .select('id')
    .where(({ eb, refTuple, tuple }) => eb(refTuple('at', 'id'), '<=', tuple(last.at, last.id)))
    .orderBy('at')
    .orderBy('id')
    .limit(limit)
    .execute()
  const ids = dead.map(({ id }) => id)
  await tx.deleteFrom('recorded_decisions').where('id', 'in', ids).execute()
  return dead.length
}
