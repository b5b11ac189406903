// What deletes by the clock, on both engines: only what is dead, never more than a batch, whole or not at all (F32).
// full: random histories, pruned while others write
// run: apart

import fc from 'fast-check'
import t, { type Test } from 'tap'
import { pruneRevocations } from '../../../src/revocation/revoke.js'
import { pruneChanges } from '../../../src/storage/sql/cluster/change-log.js'
import { listInstances, noteInstance, pruneInstances } from '../../../src/storage/sql/cluster/instances.js'
import { deleteRevocation, listRevocations, putRevocation } from '../../../src/storage/sql/revocation/revocations.js'
import type { Statements, Store } from '../../../src/storage/sql/store.js'
import { startPostgres } from '../../support/databases/postgresql.js'
import { openPostgresTestStore } from '../../support/databases/postgresql-store.js'
import { openTemporaryStore } from '../../support/storage/temporary-store.js'

t.setTimeout(120_000)
const server = await startPostgres(t)
const dayMs = 86_400_000
const engines: [string, (t: Test) => Promise<Store>][] = [
  ['SQLite', async (t) => (await openTemporaryStore(t)).store],
  ['PostgreSQL', async (t) => (await openPostgresTestStore(t, server)).store],
]

const instance = (id: string, seenAt: number) => ({ id, name: id, startedAt: 0, seenAt, appliedSeq: 0 })
const revocation = (id: string, expiresAt: number, seq = 1) => ({ what: 'token' as const, id, seq, at: 0, expiresAt })

async function empty(tx: Statements): Promise<void> {
  await tx.deleteFrom('instances').execute()
  await tx.deleteFrom('changes').execute()
  await tx.deleteFrom('revocations').execute()
}

/** Times of rows, in no order, and the moment before which they are dead. */
const cases = fc.record({
  times: fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 12 }),
  before: fc.integer({ min: 0, max: 21 }),
  limit: fc.integer({ min: 1, max: 5 }),
})

async function holdsProperty(
  store: Store,
  check: (one: { times: number[]; before: number; limit: number }) => Promise<void>,
) {
  await fc.assert(
    fc.asyncProperty(cases, async (one) => {
      await store.transaction(empty)
      await check(one)
    }),
    { numRuns: 25 },
  )
}

/** Prunes until nothing is left to do. Throws when a batch is too large, or does not end. */
async function inBatches(limit: number, prune: () => Promise<number>): Promise<number> {
  let total = 0
  for (let round = 0; round < 20; round += 1) {
    const deleted = await prune()
    if (deleted > limit) throw new Error(`${deleted} in a batch of ${limit}`)
    if (deleted === 0) return total
    total += deleted
  }
  throw new Error('it does not end')
}

function same(actual: readonly unknown[], expected: readonly unknown[], what: string): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) throw new Error(`${what}: ${actual} instead of ${expected}`)
}

for (const [engine, open] of engines) {
  t.test(`F32 no batch deletes a live row or is too large, and all that is dead goes (${engine})`, async (t) => {
    const store = await open(t)
    await holdsProperty(store, async ({ times, before, limit }) => {
      const rows = times.map((time, i) => ({ id: `i${String(i).padStart(2, '0')}`, time }))
      await store.transaction(async (tx) => {
        for (const { id, time } of rows) await noteInstance(tx, instance(id, time))
      })
      const deleted = await inBatches(limit, () => store.transaction((tx) => pruneInstances(tx, before, limit)))
      const left = rows.filter((row) => row.time >= before).map((row) => row.id)
      same(
        (await listInstances(store.reader, -1)).map((row) => row.id),
        left,
        'instances',
      )
      same([deleted], [rows.length - left.length], 'counted')
    })
    t.pass('instances')

    await holdsProperty(store, async ({ times, before, limit }) => {
      const rows = times.map((at, i) => ({ seq: i + 1, at, body: '{}' }))
      if (rows.length > 0) await store.transaction((tx) => tx.insertInto('changes').values(rows).execute())
      await inBatches(limit, () => store.transaction((tx) => pruneChanges(tx, before, limit)))
      const firstLive = rows.findIndex((row) => row.at >= before)
      const left = firstLive === -1 ? [] : rows.slice(firstLive).map((row) => row.seq)
      const found = await store.reader.selectFrom('changes').select('seq').orderBy('seq').execute()
      same(
        found.map((row) => row.seq),
        left,
        'the end of the log, without a hole',
      )
    })
    t.pass('changes')

    await holdsProperty(store, async ({ times, before }) => {
      const held = new Set(['r01', 'r03'])
      const rows = times.map((time, i) => ({ id: `r${String(i).padStart(2, '0')}`, time }))
      await store.transaction(async (tx) => {
        for (const { id, time } of rows) await putRevocation(tx, revocation(id, time))
      })
      const view = { holds: (_what: string, id: string) => held.has(id), tokensAfterMs: Number.MAX_SAFE_INTEGER }
      await inBatches(500, () => pruneRevocations({ store, view, now: () => before + 2 * dayMs }))
      const left = rows.filter((row) => row.time >= before || held.has(row.id)).map((row) => row.id)
      same(
        (await listRevocations(store.reader, -1)).map((row) => row.id),
        left,
        'revocations',
      )
    })
    t.pass('revocations, those excepted that are still held in memory')
  })

  t.test(`F32 an end in the midst of a batch leaves all of it, and the next one does it (${engine})`, async (t) => {
    const store = await open(t)
    await store.transaction(async (tx) => {
      for (let i = 0; i < 20; i += 1) await noteInstance(tx, instance(`i${i}`, i))
    })
    const ended = store.transaction(async (tx) => {
      await pruneInstances(tx, 10, 5)
      if (store.kind === 'sqlite') throw new Error('killed')
      await server.admin(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'portcullis'`)
      await pruneInstances(tx, 10, 5)
    })
    await t.rejects(ended)
    const look = () => listInstances(store.reader, -1).catch(() => listInstances(store.reader, -1))
    t.equal((await look()).length, 20)
    t.equal(await inBatches(5, () => store.transaction((tx) => pruneInstances(tx, 10, 5))), 10)
    t.equal((await look()).length, 10)
  })

  t.test(`F32 what comes to life while a batch runs stays (${engine})`, async (t) => {
    const store = await open(t)
    await store.transaction(async (tx) => {
      for (let i = 0; i < 10; i += 1) await noteInstance(tx, instance(`i${i}`, 1))
      await putRevocation(tx, revocation('renewed', 1))
    })
    const reviving = Array.from({ length: 10 }, (_, i) =>
      store.transaction((tx) => noteInstance(tx, instance(`i${i}`, 100))),
    )
    const pruning = Array.from({ length: 5 }, () => store.transaction((tx) => pruneInstances(tx, 50, 3)))
    await Promise.all([...reviving, ...pruning])
    t.equal((await listInstances(store.reader, 50)).length, 10)

    let deleting: Promise<void> = Promise.resolve()
    await store.transaction(async (tx) => {
      await putRevocation(tx, revocation('renewed', 1_000, 2))
      // It waits for the row: SQLite lets it begin afterwards, PostgreSQL lets it look again.
      deleting = store.transaction((other) => deleteRevocation(other, revocation('renewed', 1)))
    }, 'first-lock')
    await deleting
    t.equal(
      (await listRevocations(store.reader, 0)).length,
      1,
      'a revocation that is renewed is not deleted as the old one',
    )
  })
}
