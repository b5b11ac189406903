// What an overview says of events on their way to webhooks.

import type { Statements } from '../store.js'

/** A count of so many means: at least. */
const mostCounted = 10_000

/** How many deliveries have the state `dead`: they were tried until nothing more was to be hoped for. */
export async function countDeadLetters(statements: Statements): Promise<number> {
  const dead = statements.selectFrom('event_deliveries').select('id').where('state', '=', 'dead').limit(mostCounted)
  const row = await statements
    .selectFrom(dead.as('few'))
    .select(({ fn }) => fn.countAll().as('rows'))
    .executeTakeFirstOrThrow()
  return Number(row.rows)
}
