// Where the ledger begins: the last row that was taken away at its beginning, and how rows before it leave.

import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

/** As it is stored; whether it is to be believed says ledger/start.ts. */
export type LedgerStartRow = Omit<Tables['ledger_start'], 'id'>

/** The start, as of `statements`; undefined when somebody took its row. */
export async function readLedgerStart(statements: Statements): Promise<LedgerStartRow | undefined> {
  const row = await statements
    .selectFrom('ledger_start')
    .select(['position', 'mac', 'recorded', 'at', 'key_id', 'seal'])
    .where('id', '=', 1)
    .executeTakeFirst()
  if (row === undefined) return undefined
  return { ...row, position: Number(row.position), recorded: Number(row.recorded), at: Number(row.at) }
}

/** Moves the start. After lockLedgerHead. */
export async function writeLedgerStart(tx: Statements, row: LedgerStartRow): Promise<void> {
  await tx.deleteFrom('ledger_start').execute()
  await tx
    .insertInto('ledger_start')
    .values({ id: 1, ...row })
    .execute()
}

/** Takes away up to `limit` rows, the oldest first, none after `position`. How many it were. */
export async function deleteLedgerRows(tx: Statements, position: number, limit: number): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('ledger')
    .where('position', 'in', (rows) =>
      rows.selectFrom('ledger').select('position').where('position', '<=', position).orderBy('position').limit(limit),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** How far events were made of the ledger: rows after it are still needed. */
export async function readEventCursor(statements: Statements): Promise<number> {
  const row = await statements.selectFrom('event_cursor').select('position').where('id', '=', 1).executeTakeFirst()
  return Number(row?.position ?? 0)
}
