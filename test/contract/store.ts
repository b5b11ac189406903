// What every Store promises, whichever engine is behind it. Each implementation runs this with its own way of opening.

import type { Test } from 'tap'
import { appendChanges } from '../../src/storage/sql/cluster/change-log.js'
import { lockHead } from '../../src/storage/sql/cluster/changes.js'
import type { Store } from '../../src/storage/sql/store.js'
import { tenantRow } from '../support/storage/temporary-store.js'
import { storeValuesContract } from './store-values.js'

/**
 * Opens a new empty Store, and more on the same data; everything is closed when `t` ends. `busyTimeoutMs` is how long
 * one waits for a lock of its own process, where it gives up at all.
 */
export type OpenStore = (t: Test, busyTimeoutMs?: number) => Promise<{ store: Store; another: () => Promise<Store> }>

/** Adds the tests of the contract to `t`. */
export async function storeContract(t: Test, open: OpenStore): Promise<void> {
  await transactions(t, open)
  await isolation(t, open)
  await concurrency(t, open)
  await ending(t, open)
  await storeValuesContract(t, open)
}

async function tenantIds(store: Store): Promise<string[]> {
  const rows = await store.reader.selectFrom('tenants').select('id').orderBy('id').execute()
  return rows.map((row) => row.id)
}

function gate(): { open: () => void; passed: Promise<void> } {
  let open = (): void => {}
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open: () => open(), passed }
}

const addTenant = (store: Store, id: string): Promise<void> =>
  store.transaction(async (tx) => {
    await tx.insertInto('tenants').values(tenantRow(id)).execute()
  })

async function transactions(t: Test, open: OpenStore): Promise<void> {
  await t.test('what a transaction wrote is there when it resolves, for everybody', async (t) => {
    const { store, another } = await open(t)
    const result = await store.transaction(async (tx) => {
      await tx.insertInto('tenants').values(tenantRow('a')).execute()
      return 'result'
    })
    t.equal(result, 'result')
    t.same(await tenantIds(store), ['a'])
    t.same(await tenantIds(await another()), ['a'])
  })

  await t.test('a transaction whose work throws leaves nothing, and throws what work threw', async (t) => {
    const { store } = await open(t)
    const failing = store.transaction(async (tx) => {
      await tx.insertInto('tenants').values(tenantRow('a')).execute()
      throw new RangeError('on purpose')
    })
    await t.rejects(failing, { name: 'RangeError', message: 'on purpose' })
    t.same(await tenantIds(store), [])
    await addTenant(store, 'b')
    t.same(await tenantIds(store), ['b'], 'the next one is not disturbed')
  })

  await t.test('a row whose key exists is a UniqueViolation', async (t) => {
    const { store } = await open(t)
    await addTenant(store, 'a')
    await t.rejects(addTenant(store, 'a'), { code: 'unique_violation' })
    const returning = store.transaction((tx) =>
      tx.insertInto('tenants').values(tenantRow('a')).returning('id').execute(),
    )
    await t.rejects(returning, { code: 'unique_violation' }, 'also from a statement that gives rows')
  })

  await t.test('a failed statement ends its transaction, even when work catches the failure', async (t) => {
    const { store } = await open(t)
    await addTenant(store, 'a')
    const swallowing = store.transaction(async (tx) => {
      await tx.insertInto('tenants').values(tenantRow('b')).execute()
      await tx
        .insertInto('tenants')
        .values(tenantRow('a'))
        .execute()
        .catch(() => {})
    })
    await t.rejects(swallowing, { code: 'unique_violation' })
    const goingOn = store.transaction(async (tx) => {
      await tx
        .insertInto('tenants')
        .values(tenantRow('a'))
        .execute()
        .catch(() => {})
      await tx.insertInto('tenants').values(tenantRow('c')).execute()
    })
    await t.rejects(goingOn, { code: 'unique_violation' })
    t.same(await tenantIds(store), ['a'], 'neither the part before nor the part after it is there')
  })

  await t.test(
    'a transaction inside another of its kind gives up, or is one of its own, and never waits for itself for ever',
    async (t) => {
      const { store } = await open(t, 500)
      for (const kind of ['transaction', 'snapshot'] as const) {
        const nested = store[kind](() => store[kind](async () => 1))
        const outcome = await nested.then(String, (error: { code?: string }) => error.code)
        t.equal(outcome, store.kind === 'sqlite' ? 'store_unavailable' : '1', kind)
        const builder = store[kind]((tx) => tx.transaction().execute(async () => 1))
        await t.rejects(builder, { message: /never inside another/ }, `the query builder's own transaction in ${kind}`)
      }
      await addTenant(store, 'after')
      t.same(await tenantIds(store), ['after'])
    },
  )

  await t.test('what a transaction started, and runs after it, may begin its own', async (t) => {
    const { store } = await open(t)
    let later: Promise<void> | undefined
    await store.snapshot(async () => {
      later = new Promise((resolve, reject) => {
        setTimeout(() => addTenant(store, 'later').then(resolve, reject), 5)
      })
    })
    await later
    t.same(await tenantIds(store), ['later'])
  })

  await t.test('a statement after the end of its transaction is refused', async (t) => {
    const { store } = await open(t)
    const leaked = await store.transaction(async (tx) => ({ tx }))
    await t.rejects(leaked.tx.insertInto('tenants').values(tenantRow('late')).execute(), /ended/)
    t.same(await tenantIds(store), [])
  })
}

async function isolation(t: Test, open: OpenStore): Promise<void> {
  await t.test('readers never see what is not committed', async (t) => {
    const { store, another } = await open(t)
    const other = await another()
    await store.transaction(async (tx) => {
      await tx.insertInto('tenants').values(tenantRow('a')).execute()
      t.same(await tenantIds(store), [], 'not in the same process')
      t.same(await tenantIds(other), [], 'not in another')
      const found = await store.reader.selectFrom('tenants').selectAll().execute()
      t.same(found, [])
    })
    t.same(await tenantIds(other), ['a'])
  })

  await t.test('a snapshot stays as it was when it first read, and others read on', async (t) => {
    const { store } = await open(t)
    await addTenant(store, 'a')
    const firstRead = gate()
    const written = gate()
    const counts = store.snapshot(async (snapshot) => {
      const count = async (): Promise<number> => (await snapshot.selectFrom('tenants').select('id').execute()).length
      const before = await count()
      firstRead.open()
      await written.passed
      return [before, await count()]
    })
    await firstRead.passed
    await addTenant(store, 'b')
    t.same(await tenantIds(store), ['a', 'b'], 'the reader sees the newest')
    written.open()
    t.same(await counts, [1, 1], 'the snapshot sees its own')
    t.equal((await store.snapshot((snapshot) => snapshot.selectFrom('tenants').select('id').execute())).length, 2)
  })

  await t.test('nothing can be written through the reader or a snapshot', async (t) => {
    const { store } = await open(t)
    await t.rejects(store.reader.insertInto('tenants').values(tenantRow('a')).execute())
    const writing = store.snapshot((tx) => tx.insertInto('tenants').values(tenantRow('b')).execute())
    await t.rejects(writing)
    t.same(await tenantIds(store), [])
  })
}

/** Reads a tenant's name as a number and writes the next one: loses counts wherever two of them can overlap. */
async function countUp(store: Store): Promise<void> {
  await store.transaction(async (tx) => {
    const row = await tx.selectFrom('tenants').select('name').where('id', '=', 'n').executeTakeFirstOrThrow()
    await tx
      .updateTable('tenants')
      .set({ name: String(Number(row.name) + 1) })
      .where('id', '=', 'n')
      .execute()
  })
}

async function concurrency(t: Test, open: OpenStore): Promise<void> {
  await t.test('parallel transactions, of two Stores on the same data, run as if one after the other', async (t) => {
    const { store, another } = await open(t)
    const other = await another()
    await store.transaction((tx) => tx.insertInto('tenants').values(tenantRow('n', '0')).execute())
    const all = Array.from({ length: 60 }, (_, i) => countUp(i % 2 === 0 ? store : other))
    await Promise.all(all)
    const row = await store.reader.selectFrom('tenants').select('name').executeTakeFirstOrThrow()
    t.equal(row.name, '60')
  })

  await t.test('parallel transactions behind one lock see what those before them committed', async (t) => {
    const { store, another } = await open(t)
    const other = await another()
    const next = (on: Store): Promise<number> =>
      on.transaction(async (tx) => {
        const head = await lockHead(tx)
        const rows = await tx.selectFrom('changes').select('seq').execute()
        await appendChanges(tx, [{ seq: head + 1, at: 0, body: '{}' }])
        return rows.length
      }, 'first-lock')
    const nextValues = await Promise.all(Array.from({ length: 20 }, (_, i) => next(i % 2 === 0 ? store : other)))
    t.same(
      nextValues.sort((a, b) => a - b),
      Array.from({ length: 20 }, (_, i) => i),
    )
  })

  await t.test('of parallel conditional updates exactly one finds its row', async (t) => {
    const { store, another } = await open(t)
    const other = await another()
    await addTenant(store, 'code')
    const consume = async (on: Store): Promise<boolean> => {
      const rows = await on.transaction((tx) =>
        tx
          .updateTable('tenants')
          .set({ state: 'disabled' })
          .where('id', '=', 'code')
          .where('state', '=', 'enabled')
          .returning('id')
          .execute(),
      )
      return rows.length === 1
    }
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, i) => consume(i % 2 === 0 ? store : other)))
    t.equal(outcomes.filter(Boolean).length, 1)
  })
}

async function ending(t: Test, open: OpenStore): Promise<void> {
  await t.test('check answers while the Store does', async (t) => {
    const { store } = await open(t)
    await store.check()
    await store.close()
    await t.rejects(store.check(), { code: 'store_unavailable' })
  })

  await t.test('close waits for what has begun and refuses what comes after', async (t) => {
    const { store, another } = await open(t)
    const other = await another()
    const started = gate()
    const goOn = gate()
    const running = store.transaction(async (tx) => {
      started.open()
      await goOn.passed
      await tx.insertInto('tenants').values(tenantRow('a')).execute()
    })
    await started.passed
    const queued = addTenant(store, 'b')
    const closed = store.close()
    await t.rejects(addTenant(store, 'c'), { code: 'store_unavailable' })
    await t.rejects(
      store.snapshot(async () => 1),
      { code: 'store_unavailable' },
    )
    goOn.open()
    await Promise.all([running, queued, closed, store.close()])
    t.same(await tenantIds(other), ['a', 'b'])
    await t.rejects(store.reader.selectFrom('tenants').selectAll().execute(), { code: 'store_unavailable' })
  })
}
