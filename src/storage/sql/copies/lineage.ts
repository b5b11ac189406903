// Whether a database is what became of a copy. Only such a one knows what has ended since: another lacks what the copy
// has because it never had it, such as the store of an older backup that was restored by mistake, or of a fresh start.

import type { SqliteConnection } from '../sqlite/sqlite-connection.js'
import type { DatabaseFacts } from './database-facts.js'

/**
 * Whether the audit log of `present` goes through the end of the copy's, whose facts are given. Where those rows were
 * taken away for their age, the length decides. Throws the engine's errors.
 */
export function continues(present: Pick<SqliteConnection, 'all'>, { ledger }: Pick<DatabaseFacts, 'ledger'>): boolean {
  if (ledger.position === 0) return true
  const [row] = present.all('select mac from ledger where position = ?', [ledger.position]) as { mac: string }[]
  if (row !== undefined) return row.mac === ledger.mac
  const [start] = present.all('select position from ledger_start where id = 1', []) as { position: number }[]
  return Number(start?.position ?? 0) >= ledger.position
}
