// Connections to PostgreSQL, so many at most. Waiting for one, making one and every statement on one are bounded in
// time; one that failed is never used again.

import { performance } from 'node:perf_hooks'
import { Client, Pool, type PoolClient, type QueryResult } from 'pg'
import { checkParameter } from '../parameters.js'
import { createSemaphore } from '../semaphore.js'
import { StoreUnavailable } from '../store.js'
import type { PostgresAddress, PostgresHost } from './postgresql-address.js'
import type { EngineChoice } from './postgresql-engine.js'
import { isAnswered, plainError, translatePostgresError } from './postgresql-errors.js'
import { createPostgresServers, type PostgresServers } from './postgresql-servers.js'
import { prepareSession, type SessionFacts } from './postgresql-session.js'
import { postgresTypes } from './postgresql-values.js'
import { UnsafeDatabase } from './unsafe-database.js'

export interface PostgresPoolOptions {
  address: PostgresAddress
  /** How many connections at most. */
  connections: number
  /** How long making a connection may take. */
  connectMs: number
  /** How long a statement may take, waiting for locks included. */
  statementMs: number
  /** `postgresql` unless given. */
  engine?: EngineChoice
  /** Hears of connections that broke while nobody used them, and of a second server that takes writes. */
  onError: (error: unknown) => void
}

export interface PostgresConnection {
  /**
   * Runs one statement. `limitMs` is for one that may take longer than others. Throws InvalidText and TypeError for
   * parameters, TransactionConflict, StoreUnavailable, UniqueViolation, and an Error for a statement that makes no
   * sense.
   */
  run(sql: string, parameters?: readonly unknown[], limitMs?: number): Promise<QueryResult>
  /** How many warnings came with answers so far. */
  warnings(): number
  /** Whether it failed, or was discarded: no statement can be run any more. */
  isBroken(): boolean
  /** It is closed instead of being kept for others. */
  discard(): void
}

export interface PostgresPool {
  /**
   * Runs `work` on a connection of its own. `deadline` (performance.now()) bounds the waiting. Throws StoreUnavailable,
   * UnsafeDatabase.
   */
  use<T>(deadline: number, work: (connection: PostgresConnection) => Promise<T>): Promise<T>
  /** Lets those go through who wait already, then closes every connection. */
  end(): Promise<void>
}

/** The server's own time-out comes first where the server lives; this much later it is given up as hung. */
const HUNG_AFTER_MS = 250
const IDLE_MS = 60_000
/** So that a name that leads to another server after a failover, and a new password, are noticed in time. */
const LIFETIME_SECONDS = 1_800

/** How often all servers are looked at: one may have been promoted while the old primary goes on. */
const LOOK_MS = 5_000

/** No connection is made before the first is needed. */
export function createPostgresPool(options: PostgresPoolOptions): PostgresPool {
  let distrustedBefore = Number.NEGATIVE_INFINITY
  /** Where one connection failed, those made before it have probably failed too and do not know it yet. */
  const distrust = (): void => {
    distrustedBefore = performance.now()
    servers.doubt()
  }
  const inUse = new Set<PoolClient>()
  /**
   * A commit on a former primary waits for standbys that follow another, for as long as a statement may take, and holds
   * up those behind it. Ended, it fails at once, and whether it was done is not known.
   */
  const leaveFormer = (): void => {
    distrustedBefore = performance.now()
    for (const client of inUse) (client as unknown as Client).end().catch(() => {})
  }
  const servers = createPostgresServers({
    servers: options.address.servers,
    anyServes: options.engine === 'other',
    inspect: (server) => inspect(server, options),
    onChange: leaveFormer,
    onError: options.onError,
  })
  const pool = createPool(options, servers)
  // In front of the pool's own queue, which has one time-out for waiting and for connecting.
  const semaphore = createSemaphore(options.connections)
  const madeAt = new WeakMap<PoolClient, number>()
  const acquire = async (): Promise<PoolClient> => {
    for (;;) {
      if (!servers.isChosen()) await servers.look()
      const client = await pool.connect()
      const made = madeAt.get(client)
      if (made === undefined) {
        await prepare(client, options, servers)
        madeAt.set(client, performance.now())
        return client
      }
      if (made >= distrustedBefore) return client
      client.release(true)
    }
  }
  const looking = servers.isChoice ? setInterval(() => void servers.look().catch(() => {}), LOOK_MS).unref() : undefined
  return {
    async use(deadline, work) {
      const leave = await semaphore.enter(deadline)
      try {
        const client = await elsewhere(acquire, servers).catch(refuseConnection)
        const connection = connectionOn(client, distrust)
        inUse.add(client)
        try {
          return await work(connection)
        } finally {
          inUse.delete(client)
          connection.detach()
          client.release(connection.isBroken())
        }
      } finally {
        leave()
      }
    },
    async end() {
      clearInterval(looking)
      await semaphore.shut()
      await pool.end()
    },
  }
}

function createPool(options: PostgresPoolOptions, servers: PostgresServers): Pool {
  /** Each new connection leads to the primary of that moment. */
  class ToPrimary extends Client {
    constructor() {
      super({ ...poolOptions(options), ...servers.current() })
    }
  }
  const pool = new Pool({ ...poolOptions(options), Client: ToPrimary })
  pool.on('error', (error) => options.onError(translatePostgresError(error)))
  // A connection that breaks while it is out says so here, beside failing its statement; unheard, it would end the
  // process. From its first moment on: it may break before its caller learns that it is there.
  pool.on('connect', (client) => void client.on('error', () => {}))
  return pool
}

/** Where the chosen server cannot be used, another may be the primary by now. */
async function elsewhere<T>(acquire: () => Promise<T>, servers: PostgresServers): Promise<T> {
  try {
    return await acquire()
  } catch (error) {
    if (!servers.isChoice || error instanceof UnsafeDatabase) throw error
    await servers.look()
    return acquire()
  }
}

/** What one of several servers says of itself, on a connection of its own. */
async function inspect(server: PostgresHost, options: PostgresPoolOptions): Promise<SessionFacts> {
  const client = new Client({ ...poolOptions(options), ...server })
  client.on('error', () => {})
  try {
    await client.connect()
    return await factsOf(client, options)
  } finally {
    // The end of a connection to a server that hangs is not waited for.
    client.end().catch(() => {})
  }
}

function poolOptions({ address, connections, connectMs, statementMs }: PostgresPoolOptions) {
  const { servers, user, database, applicationName, tls } = address
  return {
    ...servers[0],
    user,
    ...(address.password === undefined ? {} : { password: address.password }),
    database,
    application_name: applicationName,
    ssl: tls === undefined ? false : { rejectUnauthorized: true, ...(tls.ca === undefined ? {} : { ca: tls.ca }) },
    max: connections,
    connectionTimeoutMillis: connectMs,
    query_timeout: statementMs + HUNG_AFTER_MS,
    idleTimeoutMillis: IDLE_MS,
    maxLifetimeSeconds: LIFETIME_SECONDS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: postgresTypes,
  }
}

async function prepare(client: PoolClient, options: PostgresPoolOptions, servers: PostgresServers): Promise<void> {
  try {
    servers.admit(await factsOf(client, options))
  } catch (error) {
    client.release(true)
    throw error
  }
}

function factsOf(
  client: Pick<PoolClient, 'query'>,
  { statementMs, engine = 'postgresql' }: PostgresPoolOptions,
): Promise<SessionFacts> {
  return prepareSession(async (sql, values) => (await client.query(sql, [...values])).rows, { statementMs, engine })
}

function refuseConnection(error: unknown): never {
  if (error instanceof UnsafeDatabase || error instanceof StoreUnavailable) throw error
  throw new StoreUnavailable('no connection to the database', { cause: plainError(error) })
}

function connectionOn(client: PoolClient, distrust: () => void): PostgresConnection & { detach(): void } {
  let isBroken = false
  let warnings = 0
  const onNotice = (notice: { severity: string | undefined }): void => {
    if (notice.severity === 'WARNING') warnings += 1
  }
  client.on('notice', onNotice)
  return {
    async run(sql, parameters = [], limitMs) {
      const values = parameters.map(checkParameter)
      try {
        // Never a named statement: those fail in an old instance once a migration has added a column (0A000).
        const query = { text: sql, values, ...(limitMs === undefined ? {} : { query_timeout: limitMs }) }
        return await client.query(query)
      } catch (error) {
        if (!isAnswered(error)) {
          isBroken = true
          distrust()
        }
        throw translatePostgresError(error)
      }
    },
    warnings: () => warnings,
    isBroken: () => isBroken,
    discard() {
      isBroken = true
    },
    detach() {
      client.off('notice', onNotice)
    },
  }
}
