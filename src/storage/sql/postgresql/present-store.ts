// A look at a PostgreSQL database before a command changes it: whether it holds a store, and which instances note
// themselves in it. Nothing is migrated or written.

import { type InstanceRow, listInstances } from '../cluster/instances.js'
import type { PostgresChoice } from '../open-store.js'
import { refuseHalfMoved } from './half-moved.js'
import { readPostgresUrl } from './postgresql-address.js'
import { createPostgresPool, type PostgresPool } from './postgresql-pool.js'
import { executeOn, postgresStatements } from './postgresql-transaction.js'

export interface PresentStore {
  /** Whether there is a store. Throws HalfMoved while one is being moved here, and StoreUnavailable. */
  isThere(): Promise<boolean>
  /** The rows of instances; none in a store from before there were such rows. Throws StoreUnavailable. */
  instances(): Promise<readonly InstanceRow[]>
  close(): Promise<void>
}

// Tools of others name a table schema_migrations, too.
const storeRow = `select to_regclass('schema_migrations') is not null and to_regclass('feed_head') is not null as there`
const instancesRow = `select to_regclass('instances') is not null as there`

/** Opens one connection, once it is needed. Throws InvalidStoreUrl. */
export function openPresentStore({ url, ca, connectMs, statementMs, waitMs }: PostgresChoice): PresentStore {
  const address = readPostgresUrl(url.reveal(), ca)
  const pool = createPostgresPool({ address, connections: 1, connectMs, statementMs, onError: () => {} })
  return presentStoreOver(pool, waitMs)
}

function presentStoreOver(pool: PostgresPool, waitMs: number): PresentStore {
  const holds = (query: string) =>
    pool.use(performance.now() + waitMs, async (connection) => (await connection.run(query)).rows[0]?.there === 1)
  const reader = postgresStatements((text, parameters, rows) =>
    pool.use(performance.now() + waitMs, (connection) => executeOn(connection, text, parameters, rows)),
  )
  return {
    async isThere() {
      await pool.use(performance.now() + waitMs, refuseHalfMoved)
      return holds(storeRow)
    },
    instances: async () => ((await holds(instancesRow)) ? listInstances(reader, 0) : []),
    close: () => pool.end(),
  }
}
