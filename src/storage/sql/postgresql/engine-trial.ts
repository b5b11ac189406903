// Tries an engine that is not known: each promise of PostgreSQL that this program rests on is provoked on two
// connections, in a table of its own that is gone afterwards.

import { randomBytes } from 'node:crypto'
import type { PostgresConnection, PostgresPool } from './postgresql-pool.js'
import { UnsafeDatabase } from './unsafe-database.js'

/** Two connections, the name of a table with the rows 1 and 2, and what they can lock. */
interface Trial {
  a: PostgresConnection
  b: PostgresConnection
  table: string
}

const promises: readonly (readonly [string, (trial: Trial) => Promise<boolean>])[] = [
  ['a statement that changes the schema is undone with its transaction', undoesSchema],
  ['an advisory lock excludes', excludesByAdvisoryLock],
  ['a lock of a table excludes itself', excludesByTableLock],
  ['at SERIALIZABLE one of two that decide on what the other writes is undone', refusesWriteSkew],
  ['at READ COMMITTED a statement sees what the holder of the lock committed', seesBehindLock],
  ['a snapshot stays as it began', keepsSnapshot],
  ['text in collation "C" is in the order of its code points', ordersByCodePoint],
  ['default_transaction_read_only refuses to write', refusesToWrite],
  ['on conflict … where … returning says whether it wrote', returnsConflicts],
  ['clock_timestamp() says what time it is', saysTheTime],
]

/** Throws UnsafeDatabase with the promise that was not kept, and StoreUnavailable. `limitMs` bounds each statement. */
export async function tryEngine(pool: PostgresPool, limitMs: number): Promise<void> {
  const deadline = performance.now() + limitMs
  const table = `engine_trial_${randomBytes(6).toString('hex')}`
  await pool.use(deadline, async (a) => {
    await inTransaction(a, [
      `create table ${table} (id integer primary key, n integer not null, word text collate "C" not null)`,
      `insert into ${table} values (1, 0, 'a'), (2, 0, 'B')`,
    ])
    try {
      await pool.use(deadline, async (b) => {
        for (const [promise, keeps] of promises) await demand(promise, keeps, { a, b, table })
      })
    } finally {
      await ended(a)
      await inTransaction(a, [`drop table ${table}`])
    }
  })
}

async function demand(promise: string, keeps: (trial: Trial) => Promise<boolean>, trial: Trial): Promise<void> {
  let cause: unknown
  const isKept = await keeps(trial).catch((error: unknown) => {
    cause = error
    return false
  })
  await Promise.all([ended(trial.a), ended(trial.b)])
  if (isKept) return
  const why = cause instanceof Error ? ` (${String((cause.cause as Error | undefined)?.message ?? cause.message)})` : ''
  throw new UnsafeDatabase(`the database does not keep a promise that Portcullis rests on: ${promise}${why}`)
}

async function undoesSchema({ a, b, table }: Trial): Promise<boolean> {
  await a.run('begin isolation level read committed read write')
  await a.run(`create table ${table}_undone (id integer)`)
  await a.run('rollback')
  return (await b.run(`select to_regclass('${table}_undone') is null as undone`)).rows[0].undone === 1
}

async function saysTheTime({ a }: Trial): Promise<boolean> {
  const { rows } = await a.run('select extract(epoch from clock_timestamp()) * 1000 as at')
  return Number.isFinite(Number(rows[0].at))
}

async function excludesByAdvisoryLock({ a, b }: Trial): Promise<boolean> {
  const key = String(Math.floor(Math.random() * 2 ** 48))
  await a.run('begin isolation level read committed read write')
  await a.run('select pg_advisory_xact_lock($1)', [key])
  const taken = await b.run('select pg_try_advisory_lock($1) as taken', [key])
  return taken.rows[0].taken === 0
}

async function excludesByTableLock({ a, b, table }: Trial): Promise<boolean> {
  const lock = `lock table ${table} in share update exclusive mode`
  for (const connection of [a, b]) await connection.run('begin isolation level serializable read write')
  await a.run(lock)
  const refused = await b.run(`${lock} nowait`).then(
    () => false,
    () => true,
  )
  return refused
}

async function refusesWriteSkew({ a, b, table }: Trial): Promise<boolean> {
  for (const connection of [a, b]) {
    await connection.run('begin isolation level serializable read write')
    await connection.run(`select sum(n) from ${table}`)
  }
  const write = async (connection: PostgresConnection, id: number): Promise<boolean> => {
    try {
      await connection.run(`update ${table} set n = n + 1 where id = ${id}`)
      return (await connection.run('commit')).command === 'COMMIT'
    } catch {
      return false
    }
  }
  const first = await write(a, 1)
  return !(first && (await write(b, 2)))
}

async function seesBehindLock({ a, b, table }: Trial): Promise<boolean> {
  for (const connection of [a, b]) await connection.run('begin isolation level read committed read write')
  await b.run(`select n from ${table} where id = 2`)
  await a.run(`update ${table} set n = 100 where id = 1`)
  const waiting = b.run(`update ${table} set n = n + 1 where id = 1 returning n`)
  waiting.catch(() => {})
  await a.run('commit')
  return (await waiting).rows[0].n === 101
}

async function keepsSnapshot({ a, b, table }: Trial): Promise<boolean> {
  const count = async (): Promise<unknown> => (await b.run(`select sum(n)::int as n from ${table}`)).rows[0].n
  await b.run('begin isolation level repeatable read read only')
  const before = await count()
  await inTransaction(a, [`update ${table} set n = n + 1 where id = 2`])
  return (await count()) === before
}

async function ordersByCodePoint({ a, table }: Trial): Promise<boolean> {
  const { rows } = await a.run(`select word from ${table} order by word`)
  return rows.map(({ word }) => word).join() === 'B,a'
}

async function refusesToWrite({ b, table }: Trial): Promise<boolean> {
  try {
    await b.run(`update ${table} set n = 0`)
    return false
  } catch {
    return true
  }
}

async function returnsConflicts({ a, table }: Trial): Promise<boolean> {
  await a.run('begin isolation level serializable read write')
  const take = (n: number) =>
    a.run(
      `insert into ${table} values (3, $1, 'c') on conflict (id) do update set n = $1 where ${table}.n > $1 returning n`,
      [n],
    )
  const counts = [await take(5), await take(9), await take(1)].map(({ rows }) => rows.length)
  return counts.join() === '1,0,1'
}

async function inTransaction(connection: PostgresConnection, statements: readonly string[]): Promise<void> {
  await connection.run('begin isolation level read committed read write')
  for (const statement of statements) await connection.run(statement)
  await connection.run('commit')
}

/** Whatever it was in the middle of. A warning that there was no transaction is nothing. */
async function ended(connection: PostgresConnection): Promise<void> {
  if (!connection.isBroken()) await connection.run('rollback')
}
