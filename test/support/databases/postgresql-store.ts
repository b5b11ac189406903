// Stores on a private PostgreSQL, closed with the test.

import { openPostgresStore, type PostgresStoreOptions } from '../../../src/storage/sql/postgresql/postgresql.js'
import type { Store } from '../../../src/storage/sql/store.js'
import type { PostgresServer, Teardown } from './postgresql.js'

export interface PostgresStore {
  store: Store
  url: string
  /** Another Store on the same data, as another process would have; closed with the test too. */
  another(): Promise<Store>
}

/** Opens a new empty database. The bounds are generous unless given: only what tests them shortens them. */
export async function openPostgresTestStore(
  t: Teardown,
  server: PostgresServer,
  bounds: Partial<PostgresStoreOptions> = {},
): Promise<PostgresStore> {
  const url = await server.newDatabase()
  const options = { url, connections: 8, connectMs: 5_000, statementMs: 10_000, waitMs: 10_000, ...bounds }
  const open = async (): Promise<Store> => {
    const store = await openPostgresStore(options)
    t.teardown(() => store.close())
    return store
  }
  return { store: await open(), url, another: open }
}
