// The Store that the configuration asks for. Each engine is loaded only when it is the one.

import { type Store, StoreUnavailable } from './store.js'

/** Which engine, and where. `url` is kept from output by its owner, so it is revealed here and nowhere before. */
export type StoreChoice =
  | { kind: 'sqlite'; file: string; busyTimeoutMs: number }
  | {
      kind: 'postgresql'
      url: { reveal(): string }
      /** PEM. */
      ca: string | undefined
      connections: number
      connectMs: number
      statementMs: number
      waitMs: number
    }

/**
 * Opens the Store, migrated to this program's schema. `onError` hears of connections that broke while nobody used them.
 * Throws what openSqliteStore and openPostgresStore throw.
 */
export async function openStore(choice: StoreChoice, _onError?: (error: unknown) => void): Promise<Store> {
  if (choice.kind === 'sqlite') return (await import('./sqlite.js')).openSqliteStore(choice)
  throw new StoreUnavailable('PostgreSQL is not wired yet')
}

/** Asks PostgreSQL for its version, through one connection and without changing anything. Throws StoreUnavailable. */
export async function probeStore(_choice: Extract<StoreChoice, { kind: 'postgresql' }>): Promise<string> {
  throw new StoreUnavailable('PostgreSQL is not wired yet')
}
