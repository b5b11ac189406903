// The head of the ledger: how long the chain is and its last mac. The transaction that holds its row is the only one
// that adds.

import { sql } from 'kysely'
import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

export type LedgerRow = Tables['ledger']

/** How many rows the chain has, and the mac of the last one; empty for an empty chain. */
export interface LedgerHead {
  position: number
  mac: string
}

/** Locks the head for the rest of the transaction and returns it. */
export async function lockLedgerHead(tx: Statements): Promise<LedgerHead> {
  const row = await tx
    .updateTable('ledger_head')
    .set((eb) => ({ position: eb.ref('position') }))
    .where('id', '=', 1)
    .returning(['position', 'mac'])
    .executeTakeFirstOrThrow()
  return { position: Number(row.position), mac: row.mac }
}

/** The head, as of `statements`. */
export async function readLedgerHead(statements: Statements): Promise<LedgerHead> {
  // As text: a number that is none of ours must be read too, to say that it was put there.
  const position = sql<string>`cast(position as text)`.as('position_text')
  const query = statements.selectFrom('ledger_head').select(['mac', position]).where('id', '=', 1)
  const row = await query.executeTakeFirstOrThrow()
  return { position: Number(row.position_text), mac: row.mac }
}

/** Adds the row that follows the head, and moves the head to it. After lockLedgerHead. */
export async function appendLedgerRow(tx: Statements, row: LedgerRow): Promise<void> {
  await tx.insertInto('ledger').values(row).execute()
  await tx.updateTable('ledger_head').set({ position: row.position, mac: row.mac }).where('id', '=', 1).execute()
}
