// Queries of recorded decisions: capped for each application and over all, so the oldest rows go.

import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

export type DecisionRow = Tables['recorded_decisions']

/** Where a page ended: the sort keys of its last row. */
export interface DecisionPlace {
  at: number
  id: string
}

/** Adds rows; their ids are new. At most a hundred at a time. */
export async function insertDecisions(tx: Statements, rows: readonly DecisionRow[]): Promise<void> {
  if (rows.length === 0) return
  await tx
    .insertInto('recorded_decisions')
    .values([...rows])
    .execute()
}

/** A page of an application's, newest first; `before` is the last row of the page before. */
export async function listDecisions(
  statements: Statements,
  options: {
    applicationId: string
    filter: { outcome?: string | undefined; what?: string | undefined; requestId?: string | undefined }
    before?: DecisionPlace | undefined
    limit: number
  },
): Promise<DecisionRow[]> {
  const { applicationId, filter, before, limit } = options
  let query = statements.selectFrom('recorded_decisions').selectAll().where('application_id', '=', applicationId)
  if (before !== undefined) {
    query = query.where((where) => where(where.refTuple('at', 'id'), '<', where.tuple(before.at, before.id)))
  }
  if (filter.outcome !== undefined) query = query.where('outcome', '=', filter.outcome)
  if (filter.what !== undefined) query = query.where('what', '=', filter.what)
  if (filter.requestId !== undefined) query = query.where('request_id', '=', filter.requestId)
  const rows = await query.orderBy('at', 'desc').orderBy('id', 'desc').limit(limit).execute()
  return rows.map(toRow)
}

/** What was decided about a request; a token request and its refusal are one row. Newest first, a few at most. */
export async function findDecisions(statements: Statements, requestId: string): Promise<DecisionRow[]> {
  const query = statements.selectFrom('recorded_decisions').selectAll().where('request_id', '=', requestId)
  return (await query.orderBy('at', 'desc').orderBy('id', 'desc').limit(5).execute()).map(toRow)
}

/** PostgreSQL gives bigint as text. */
function toRow(row: DecisionRow): DecisionRow {
  const { at, proved, status, number } = row
  const numbers = { at: Number(at), proved: Number(proved), status: Number(status) }
  return { ...row, ...numbers, number: number === null ? null : Number(number) }
}
