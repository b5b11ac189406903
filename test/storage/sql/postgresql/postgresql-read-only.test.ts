// run: apart
// A server that answers that it only reads was the primary when the connection was made, and another is by now.

import t from 'tap'
import { readPostgresUrl } from '../../../../src/storage/sql/postgresql/postgresql-address.js'
import { createPostgresPool, type PostgresConnection } from '../../../../src/storage/sql/postgresql/postgresql-pool.js'
import { startPostgres } from '../../../support/databases/postgresql.js'

const server = await startPostgres(t)
const bounds = { connections: 2, connectMs: 10_000, statementMs: 10_000 }
const pool = createPostgresPool({ ...bounds, address: readPostgresUrl(server.url), onError: () => {} })
t.teardown(() => pool.end())

const use = <T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> =>
  pool.use(performance.now() + 30_000, work)

async function process(connection: PostgresConnection): Promise<number> {
  return Number((await connection.run('select pg_backend_pid() as pid')).rows[0].pid)
}

/** What the server would say, word for word. */
const says = (code: string, message: string): string =>
  `do $$ begin raise exception using errcode = '${code}', message = '${message}'; end $$`

/** Two connections in use at once; `act` runs on the second when both are there. Gives their processes. */
async function two(act: (connection: PostgresConnection) => Promise<unknown> = async () => {}): Promise<number[]> {
  let inUse = 0
  let bothAreThere = (): void => {}
  const both = new Promise<void>((resolve) => {
    bothAreThere = resolve
  })
  const one = (work: (connection: PostgresConnection) => Promise<unknown>) =>
    use(async (connection) => {
      const pid = await process(connection)
      inUse += 1
      if (inUse === 2) bothAreThere()
      await both
      await work(connection)
      return pid
    })
  return Promise.all([one(async () => {}), one(act)])
}

/** The processes of two connections of which one hears `statement`, and of the two that are used afterwards. */
async function afterHearing(statement: string): Promise<{ before: number[]; after: number[] }> {
  const before = await two((connection) => t.rejects(connection.run(statement)))
  return { before, after: await two() }
}

t.test('25006, and 0A000 in recovery, close that connection and those made before it', async (t) => {
  const readOnly = [
    says('25006', 'cannot execute INSERT in a read-only transaction'),
    says('0A000', 'cannot set transaction read-write mode during recovery'),
    says('0A000', 'cannot use serializable mode in a hot standby'),
  ]
  for (const statement of readOnly) {
    const { before, after } = await afterHearing(statement)
    t.same(
      after.filter((pid) => before.includes(pid)),
      [],
      statement,
    )
  }
  const { before, after } = await afterHearing(says('0A000', 'LOCK TABLE is not supported'))
  t.same([...after].sort(), [...before].sort(), 'what is only not supported closes nothing')
})

t.test('such an answer means that the Store is away, and not that a statement was wrong', async (t) => {
  await t.rejects(
    use((connection) => connection.run(says('25006', 'read-only'))),
    { code: 'store_unavailable' },
  )
})
