// A database into which a store is being moved (../move): an instance that started there would begin a second store.

import type { PostgresConnection } from './postgresql-pool.js'

/** The schema in which a move gathers rows until all are there. */
export const moveSchema = 'portcullis_move'

/** A move into this database has begun and not ended. */
export class HalfMoved extends Error {
  readonly code = 'half_moved'
}

/** Throws HalfMoved; the message says how to go on. */
export async function refuseHalfMoved(connection: PostgresConnection): Promise<void> {
  const { rows } = await connection.run('select to_regnamespace($1) is not null as there', [moveSchema])
  if (rows[0]?.there !== 1) return
  throw new HalfMoved(
    'a move into this database has not ended: run portcullis migrate-store again. ' +
      `To begin a new store here instead: drop schema ${moveSchema} cascade`,
  )
}
