// Transactions that get into each other's way on PostgreSQL: they run again, wait, or are refused, and none is half
// done.
// full: transactions that meet on PostgreSQL, many times
// run: apart

import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { lockHead } from '../../../../src/storage/sql/cluster/changes.js'
import type { Statements, Store } from '../../../../src/storage/sql/store.js'
import { startPostgres } from '../../../support/databases/postgresql.js'
import { openPostgresTestStore } from '../../../support/databases/postgresql-store.js'
import { tenantRow } from '../../../support/storage/temporary-store.js'

const server = await startPostgres(t)

const insert = (tx: Statements, id: string) => tx.insertInto('tenants').values(tenantRow(id)).execute()
const rename = (tx: Statements, id: string, name: string) =>
  tx.updateTable('tenants').set({ name }).where('id', '=', id).execute()

/** Resolves for each of `count` callers when all have called. */
function meeting(count: number): () => Promise<void> {
  let open = (): void => {}
  const all = new Promise<void>((resolve) => {
    open = resolve
  })
  let here = 0
  return () => {
    here += 1
    if (here === count) open()
    return all
  }
}

async function count(store: Store): Promise<number> {
  return (await store.reader.selectFrom('tenants').select('id').execute()).length
}

t.test('F12 two that each decide on what the other changes run as if one after the other', async (t) => {
  const { store } = await openPostgresTestStore(t, server)
  const met = meeting(2)
  let runs = 0
  // Each adds a row while there is none: on one view of the data both would.
  const addFirst = (id: string) =>
    store.transaction(async (tx) => {
      runs += 1
      const rows = await tx.selectFrom('tenants').select('id').execute()
      if (runs <= 2) await met()
      if (rows.length === 0) await insert(tx, id)
    })
  await Promise.all([addFirst('a'), addFirst('b')])
  t.equal(await count(store), 1)
  // Anyone who is defeated may begin again before the other's commit can be seen, and is then defeated once more.
  t.ok(runs >= 3, `one of them ran again and saw what the other had done: ${runs} runs`)
})

t.test('F12 a deadlock is ended by the server, and both are done', async (t) => {
  const { store } = await openPostgresTestStore(t, server)
  await store.transaction(async (tx) => {
    await insert(tx, 'a')
    await insert(tx, 'b')
  })
  const met = meeting(2)
  let runs = 0
  const inOrder = (first: string, second: string) =>
    store.transaction(async (tx) => {
      runs += 1
      await rename(tx, first, first + second)
      if (runs <= 2) await met()
      await rename(tx, second, first + second)
    })
  await Promise.all([inOrder('a', 'b'), inOrder('b', 'a')])
  // Anyone who was ended may begin again before the other has committed, and is then defeated once more.
  t.ok(runs >= 3, `one of them was ended and ran again: ${runs} runs`)
  const names = await store.reader.selectFrom('tenants').select('name').execute()
  t.equal(new Set(names.map((row) => row.name)).size, 1, 'the later one wrote both rows')
})

/**
 * Writes a row that another transaction writes first, the first `defeats` times that it runs; the first run takes `ms`.
 */
function defeated(store: Store, defeats: number, ms = 0) {
  const counted = { runs: 0 }
  const outcome = store.transaction(async (tx) => {
    counted.runs += 1
    await tx.selectFrom('tenants').selectAll().execute()
    if (counted.runs === 1) await pause(ms)
    if (counted.runs <= defeats) await store.transaction((other) => rename(other, 'a', `other ${counted.runs}`))
    await rename(tx, 'a', 'mine')
    await insert(tx, 'b')
  })
  return { counted, outcome }
}

const names = async (store: Store) =>
  (await store.reader.selectFrom('tenants').select('name').execute()).map(({ name }) => name)

t.test('F12 who loses every time is refused in the end, and nothing of it is there', async (t) => {
  const { store } = await openPostgresTestStore(t, server, { random: () => 0, waitMs: 60_000 })
  await store.transaction((tx) => insert(tx, 'a'))
  const { counted, outcome } = defeated(store, Number.POSITIVE_INFINITY)
  await t.rejects(outcome, { code: 'store_unavailable' })
  t.equal(counted.runs, 50)
  t.same(await names(store), ['other 50'])
})

t.test('F12 past its deadline a transaction that loses runs a few times and not for ever', async (t) => {
  const waitMs = 200
  const { store } = await openPostgresTestStore(t, server, { waitMs })
  await store.transaction((tx) => insert(tx, 'a'))
  const { counted, outcome } = defeated(store, Number.POSITIVE_INFINITY, waitMs + 10)
  await t.rejects(outcome, { code: 'store_unavailable' })
  t.equal(counted.runs, 5)
  t.same(await names(store), ['other 5'])
})

t.test('F12 who loses many times within its deadline wins in the end', async (t) => {
  const { store } = await openPostgresTestStore(t, server, { random: () => 0, waitMs: 60_000 })
  await store.transaction((tx) => insert(tx, 'a'))
  const { counted, outcome } = defeated(store, 20)
  await outcome
  t.equal(counted.runs, 21)
  t.same((await names(store)).sort(), ['b', 'mine'])
})

t.test('F12 fifty at once that spend the same row: one does, none gets an error', async (t) => {
  const { store, another } = await openPostgresTestStore(t, server)
  const stores = [store, await another(), await another()]
  await store.transaction((tx) => insert(tx, 'family'))
  const spend = (on: Store, i: number) =>
    on.transaction(async (tx) => {
      const row = await tx.selectFrom('tenants').select('state').where('id', '=', 'family').executeTakeFirstOrThrow()
      if (row.state !== 'enabled') return false
      await tx.updateTable('tenants').set({ state: 'disabled' }).where('id', '=', 'family').execute()
      await insert(tx, `spent by ${i}`)
      return true
    })
  const outcomes = await Promise.all(Array.from({ length: 50 }, (_, i) => spend(stores[i % 3] ?? store, i)))
  t.equal(outcomes.filter(Boolean).length, 1)
  t.equal(await count(store), 2)
})

t.test('behind the lock of the head, transactions of two instances wait and never run again', async (t) => {
  const { store, another } = await openPostgresTestStore(t, server)
  const other = await another()
  let runs = 0
  const number = (on: Store) =>
    on.transaction(async (tx) => {
      runs += 1
      const seq = (await lockHead(tx)) + 1
      await tx.insertInto('changes').values({ seq, at: 0, body: '{}' }).execute()
      await tx.updateTable('feed_head').set({ seq }).where('id', '=', 1).execute()
      return seq
    }, 'first-lock')
  const numbers = await Promise.all(Array.from({ length: 40 }, (_, i) => number(i % 2 === 0 ? store : other)))
  t.same(
    numbers.sort((a, b) => a - b),
    Array.from({ length: 40 }, (_, i) => i + 1),
  )
  t.equal(runs, 40)
})

t.test('a snapshot and a reader are never in the way of writers, nor they of them', async (t) => {
  const { store } = await openPostgresTestStore(t, server)
  await store.transaction((tx) => insert(tx, 'a'))
  await store.snapshot(async (snapshot) => {
    t.equal((await snapshot.selectFrom('tenants').selectAll().execute()).length, 1)
    await store.transaction(async (tx) => {
      await rename(tx, 'a', 'new')
      t.same(await snapshot.selectFrom('tenants').select('name').execute(), [{ name: 'a' }])
      t.same(await store.reader.selectFrom('tenants').select('name').execute(), [{ name: 'a' }])
    })
    t.same(await snapshot.selectFrom('tenants').select('name').execute(), [{ name: 'a' }])
  })
})

t.test(
  'statements that are started at once in one transaction run one after the other, and fail together',
  async (t) => {
    const { store } = await openPostgresTestStore(t, server)
    await store.transaction((tx) => Promise.all(['a', 'b', 'c'].map((id) => insert(tx, id))))
    t.equal(await count(store), 3)
    const failing = store.transaction((tx) => Promise.all(['d', 'a', 'e'].map((id) => insert(tx, id))))
    await t.rejects(failing, { code: 'unique_violation' })
    t.equal(await count(store), 3)
  },
)
