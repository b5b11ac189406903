// How far the ledger has been followed for events.

import type { Statements } from '../store.js'

/** Whether the ledger has rows that nobody has followed. Locks nothing. */
export async function isLedgerAhead(statements: Statements): Promise<boolean> {
  const ahead = await statements
    .selectFrom('ledger_head')
    .innerJoin('event_cursor', 'event_cursor.id', 'ledger_head.id')
    .select('ledger_head.id')
    .whereRef('ledger_head.position', '>', 'event_cursor.position')
    .executeTakeFirst()
  return ahead !== undefined
}

/**
 * Locks the cursor for the rest of the transaction and answers where it stands. The first statement of its transaction.
 */
export async function lockEventCursor(tx: Statements): Promise<number> {
  const { position } = await tx
    .updateTable('event_cursor')
    .set((eb) => ({ position: eb.ref('position') }))
    .where('id', '=', 1)
    .returning('position')
    .executeTakeFirstOrThrow()
  return position
}
