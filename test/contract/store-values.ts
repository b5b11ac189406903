// What goes in comes out, the same on every engine, or is refused before it goes in.

import type { Test } from 'tap'
import type { Store } from '../../src/storage/sql/store.js'
import { tenantRow } from '../support/storage/temporary-store.js'
import type { OpenStore } from './store.js'

/** The part of the Store's contract about values and their order. */
export async function storeValuesContract(t: Test, open: OpenStore): Promise<void> {
  await refusals(t, open)
  await roundTrips(t, open)
}

const insertNamed = (store: Store, id: string, name: unknown): Promise<unknown> =>
  store.transaction((tx) =>
    tx
      .insertInto('tenants')
      .values({ ...tenantRow(id), name: name as string })
      .execute(),
  )

async function refusals(t: Test, open: OpenStore): Promise<void> {
  await t.test('text with NUL is refused, in every place and every kind of statement', async (t) => {
    const { store } = await open(t)
    for (const text of ['admin\0x', '\0', 'end\0'])
      await t.rejects(insertNamed(store, 'a', text), { code: 'invalid_text' })
    await t.rejects(insertNamed(store, 'a\0b', 'name'), { code: 'invalid_text' })
    const reading = store.reader.selectFrom('tenants').selectAll().where('name', '=', 'admin\0x').execute()
    await t.rejects(reading, { code: 'invalid_text' })
    await insertNamed(store, 'a', 'admin')
    const renaming = store.transaction((tx) => tx.updateTable('tenants').set({ name: 'x\0' }).execute())
    await t.rejects(renaming, { code: 'invalid_text' })
    t.equal((await store.reader.selectFrom('tenants').select('name').executeTakeFirstOrThrow()).name, 'admin')
  })

  await t.test('text with half a surrogate pair is refused: it would be stored as another text', async (t) => {
    const { store } = await open(t)
    for (const text of ['\ud800', 'a\udc00b', '\udc00\ud800']) {
      await t.rejects(insertNamed(store, 'a', text), { code: 'invalid_text' })
    }
    await insertNamed(store, 'a', '\ud83d\ude00')
  })

  await t.test('a boolean, and every other value that engines disagree on, is refused', async (t) => {
    const { store } = await open(t)
    const values = [true, false, undefined, 2n, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, {}, new Date(0)]
    for (const value of values) {
      const reading = store.reader
        .selectFrom('tenants')
        .selectAll()
        .where('created_at', '=', value as number)
        .execute()
      await t.rejects(reading, { name: 'TypeError' }, String(value))
      await t.rejects(insertNamed(store, 'a', value), String(value))
    }
    t.same(await store.reader.selectFrom('tenants').selectAll().execute(), [])
  })

  await t.test('a column takes only its type', async (t) => {
    const { store } = await open(t)
    const row = { ...tenantRow('a'), created_at: 'yesterday' as unknown as number }
    await t.rejects(store.transaction((tx) => tx.insertInto('tenants').values(row).execute()))
    await t.rejects(
      store.transaction((tx) =>
        tx
          .insertInto('tenants')
          .values({ ...tenantRow('a'), state: 'x' })
          .execute(),
      ),
    )
    t.same(await store.reader.selectFrom('tenants').selectAll().execute(), [])
  })

  await t.test('a row that belongs to nobody is refused', async (t) => {
    const { store } = await open(t)
    const orphan = { application_id: 'nobody', purpose: 'redirect', uri: 'https://a.test/' }
    await t.rejects(store.transaction((tx) => tx.insertInto('redirect_uris').values(orphan).execute()))
  })
}

async function roundTrips(t: Test, open: OpenStore): Promise<void> {
  await t.test('text of any script and length, and numbers, come back as they went in', async (t) => {
    const { store } = await open(t)
    const texts = [
      '',
      ' ',
      "'; drop table tenants; --",
      'é e\u0301',
      '\u{1f600}',
      '\u2028\ufeff',
      'x'.repeat(1_000_000),
    ]
    for (const [index, text] of texts.entries()) await insertNamed(store, String(index), text)
    const rows = await store.reader
      .selectFrom('tenants')
      .select(['id', 'name'])
      .orderBy('created_at')
      .orderBy('id')
      .execute()
    t.same(
      rows.map((row) => row.name),
      texts,
    )
    const times = [0, -1, 1_795_259_208_579, Number.MAX_SAFE_INTEGER]
    for (const time of times) {
      const row = await store.transaction(async (tx) => {
        await tx.updateTable('tenants').set({ created_at: time }).where('id', '=', '0').execute()
        return tx.selectFrom('tenants').select('created_at').where('id', '=', '0').executeTakeFirstOrThrow()
      })
      t.equal(row.created_at, time)
    }
  })

  await t.test('text is ordered by code point, not by UTF-16 unit, letter or language', async (t) => {
    const { store } = await open(t)
    const ordered = ['', 'A', 'Z', 'a', 'aa', 'b', 'é', '\u{fffd}', '\u{10000}', '\u{1f600}']
    for (const [index, name] of [...ordered.entries()].reverse()) await insertNamed(store, String(index), name)
    const rows = await store.reader.selectFrom('tenants').select('name').orderBy('name').execute()
    t.same(
      rows.map((row) => row.name),
      ordered,
    )
    const after = await store.reader.selectFrom('tenants').select('name').where('name', '>', '\u{fffd}').execute()
    t.equal(after.length, 2, 'comparisons agree with the order')
    t.same(await store.reader.selectFrom('tenants').select('name').where('name', '=', 'É').execute(), [])
  })

  await t.test('a changed count is returned', async (t) => {
    const { store } = await open(t)
    for (const id of ['a', 'b', 'c']) await insertNamed(store, id, id)
    const counts = await store.transaction(async (tx) => {
      const updated = await tx.updateTable('tenants').set({ name: 'x' }).where('id', '<', 'c').executeTakeFirst()
      const deleted = await tx.deleteFrom('tenants').where('id', '=', 'nobody').executeTakeFirst()
      return [updated.numUpdatedRows, deleted.numDeletedRows]
    })
    t.same(counts, [2n, 0n])
  })
}
