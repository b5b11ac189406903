// Names of applications whose key is not theirs: a version before registered or renamed them.

import type { Statements } from '../store.js'
import { nameKey } from './name-keys.js'

/** A page of the applications by id, after this one: those whose key is not that of their name, and the last of the page. */
export async function findWrongKeys(
  statements: Statements,
  after: string,
  limit: number,
): Promise<{ wrong: { id: string; name: string }[]; last: string | undefined }> {
  const rows = await statements
    .selectFrom('applications')
    .select(['id', 'name', 'name_key'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  const last = rows.length < limit ? undefined : rows.at(-1)?.id
  return { wrong: rows.filter((row) => row.name_key !== nameKey(row.name)).map(({ id, name }) => ({ id, name })), last }
}

/** Gives them the keys of their names, unless they have another name by now. */
export async function setNameKeys(tx: Statements, rows: readonly { id: string; name: string }[]): Promise<void> {
  for (const { id, name } of rows) {
    const key = { name_key: nameKey(name) }
    await tx.updateTable('applications').set(key).where('id', '=', id).where('name', '=', name).execute()
  }
}
