// The Store that the configuration asks for. Each engine is loaded only when it is the one.

import type { PostgresStoreOptions } from './postgresql/postgresql.js'
import type { Store } from './store.js'

/** `url` is kept from output by its owner, so it is revealed here and nowhere before. */
export interface PostgresChoice
  extends Pick<PostgresStoreOptions, 'connections' | 'connectMs' | 'statementMs' | 'waitMs'> {
  kind: 'postgresql'
  url: { reveal(): string }
  /** PEM. */
  ca: string | undefined
}

/** Which engine, and where. */
export type StoreChoice = { kind: 'sqlite'; file: string; busyTimeoutMs: number } | PostgresChoice

/**
 * Opens the Store, migrated to this program's schema. `onError` hears of connections that broke while nobody used them.
 * Throws what openSqliteStore and openPostgresStore throw.
 */
export async function openStore(choice: StoreChoice, onError?: (error: unknown) => void): Promise<Store> {
  if (choice.kind === 'sqlite') return (await import('./sqlite/sqlite.js')).openSqliteStore(choice)
  const { openPostgresStore } = await import('./postgresql/postgresql.js')
  return openPostgresStore({ ...revealed(choice), ...(onError === undefined ? {} : { onError }) })
}

/** Asks PostgreSQL for its version, through one connection and without changing anything. Throws as openStore does. */
export async function probeStore(choice: Extract<StoreChoice, { kind: 'postgresql' }>): Promise<string> {
  const { probePostgres } = await import('./postgresql/postgresql.js')
  return probePostgres(revealed(choice))
}

function revealed(choice: Extract<StoreChoice, { kind: 'postgresql' }>): PostgresStoreOptions {
  const { url, ca, connections, connectMs, statementMs, waitMs } = choice
  return { url: url.reveal(), ...(ca === undefined ? {} : { ca }), connections, connectMs, statementMs, waitMs }
}
