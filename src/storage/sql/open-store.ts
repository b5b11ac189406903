// The Store that the configuration asks for. Each engine is loaded only when it is the one.

import type { PostgresProbe, PostgresStoreOptions } from './postgresql/postgresql.js'
import type { Statements, Store } from './store.js'

/** `url` is kept from output by its owner, so it is revealed here and nowhere before. */
export interface PostgresChoice
  extends Pick<PostgresStoreOptions, 'engine' | 'connections' | 'connectMs' | 'statementMs' | 'waitMs'> {
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

/** A choice as plain data, for a thread of this process; it holds the password, so it goes nowhere else. */
export type PlainStoreChoice =
  | Extract<StoreChoice, { kind: 'sqlite' }>
  | { kind: 'postgresql'; options: PostgresStoreOptions }

/** That of a choice. */
export function plainChoice(choice: StoreChoice): PlainStoreChoice {
  if (choice.kind === 'postgresql') return { kind: 'postgresql', options: revealed(choice) }
  const { kind, file, busyTimeoutMs } = choice
  return { kind, file, busyTimeoutMs }
}

/** Reads a Store that is open elsewhere in this process, on connections of its own. Throws as openStore does. */
export async function openReader(choice: PlainStoreChoice): Promise<{ reader: Statements; close(): Promise<void> }> {
  if (choice.kind === 'sqlite') return (await import('./sqlite/sqlite.js')).openSqliteReader(choice)
  const { openPostgresStore } = await import('./postgresql/postgresql.js')
  return openPostgresStore({ ...choice.options, connections: 3 })
}

/** Asks PostgreSQL what it is, through one connection and without changing anything. Throws as openStore does. */
export async function probeStore(choice: Extract<StoreChoice, { kind: 'postgresql' }>): Promise<PostgresProbe> {
  const { probePostgres } = await import('./postgresql/postgresql.js')
  return probePostgres(revealed(choice))
}

function revealed(choice: Extract<StoreChoice, { kind: 'postgresql' }>): PostgresStoreOptions {
  const { url, ca, engine, connections, connectMs, statementMs, waitMs } = choice
  return {
    url: url.reveal(),
    ...(ca === undefined ? {} : { ca }),
    ...(engine === undefined ? {} : { engine }),
    connections,
    connectMs,
    statementMs,
    waitMs,
  }
}
