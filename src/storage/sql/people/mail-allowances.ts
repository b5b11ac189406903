// Queries of how much mail went: one time for each subject, epoch milliseconds.

import type { Statements } from '../store.js'

/** The times of these subjects; a subject that is not there sent nothing for long. */
export async function readMailAllowances(tx: Statements, subjects: readonly string[]): Promise<Map<string, number>> {
  const rows = await tx.selectFrom('mail_allowances').selectAll().where('subject', 'in', subjects).execute()
  return new Map(rows.map((row) => [row.subject, Number(row.used_until)]))
}

/** Sets the time of a subject. */
export async function moveMailAllowance(tx: Statements, subject: string, usedUntil: number): Promise<void> {
  await tx
    .insertInto('mail_allowances')
    .values({ subject, used_until: usedUntil })
    .onConflict((conflict) => conflict.column('subject').doUpdateSet({ used_until: usedUntil }))
    .execute()
}

/** Forgets the subjects whose time is before `endedBefore`, at most `limit`; how many. */
export async function deleteMailAllowances(tx: Statements, endedBefore: number, limit: number): Promise<number> {
  const dead = tx.selectFrom('mail_allowances').select('subject').where('used_until', '<', endedBefore)
  const rows = await dead.orderBy('used_until').limit(limit).execute()
  const subjects = rows.map((row) => row.subject)
  if (subjects.length > 0) await tx.deleteFrom('mail_allowances').where('subject', 'in', subjects).execute()
  return subjects.length
}
