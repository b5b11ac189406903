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

/**
 * Of each server a database with all migrations, which nobody uses: to copy it is quicker than all of them for each
 * test.
 */
const templates = new WeakMap<PostgresServer, Promise<string>>()

const generous = { connections: 8, connectMs: 5_000, statementMs: 10_000, waitMs: 10_000 }

/** Opens a new database without rows. The bounds are generous unless given: only what tests them shortens them. */
export async function openPostgresTestStore(
  t: Teardown,
  server: PostgresServer,
  bounds: Partial<PostgresStoreOptions> = {},
): Promise<PostgresStore> {
  const url = await newMigratedDatabase(server, bounds)
  const options = { url, ...generous, ...bounds }
  const open = async (): Promise<Store> => {
    const store = await openPostgresStore(options)
    t.teardown(() => store.close())
    return store
  }
  return { store: await open(), url, another: open }
}

/** Makes a database as a Store leaves it that was opened and closed, and returns its URL. */
export async function newMigratedDatabase(
  server: PostgresServer,
  bounds: Partial<PostgresStoreOptions> = {},
): Promise<string> {
  const template = templates.get(server) ?? makeTemplate(server, bounds)
  templates.set(server, template)
  return server.newDatabase(await template)
}

async function makeTemplate(server: PostgresServer, bounds: Partial<PostgresStoreOptions>): Promise<string> {
  try {
    const url = await server.newDatabase()
    const store = await openPostgresStore({ url, ...generous, ...bounds })
    await store.close()
    return url
  } catch (error) {
    templates.delete(server)
    throw error
  }
}
