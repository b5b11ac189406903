// How many connections PostgreSQL takes from all instances together.

import { sql } from 'kysely'
import type { Statements } from '../store.js'

/** Without those that PostgreSQL keeps for its administrators. Null: the engine does not say. */
export const connectionsForAll = `current_setting('max_connections', true)::int
  - coalesce(current_setting('superuser_reserved_connections', true)::int, 0)
  - coalesce(current_setting('reserved_connections', true)::int, 0)`

/**
 * How many connections the server takes from everybody who is not its administrator; undefined when it does not say.
 * Only for PostgreSQL. Throws StoreUnavailable.
 */
export async function readConnectionsForAll(statements: Statements): Promise<number | undefined> {
  const { rows } = await sql<{ most: number | null }>`select ${sql.raw(connectionsForAll)} as most`.execute(statements)
  return rows[0]?.most ?? undefined
}
