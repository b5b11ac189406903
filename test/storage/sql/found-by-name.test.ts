// Applications are found and sorted by name alike on both engines, whatever the alphabet and however many there are.
// full: PostgreSQL, and 100,000 applications on both
// run: apart

import { sql } from 'kysely'
import t from 'tap'
import { createNameKeeper } from '../../../src/instance/sweep.js'
import { listApplicationRows, type Wanted } from '../../../src/storage/sql/overview/application-lines.js'
import {
  insertApplication,
  listApplications,
  updateApplication,
} from '../../../src/storage/sql/registrations/applications.js'
import type { Store } from '../../../src/storage/sql/store.js'
import { startPostgres } from '../../support/databases/postgresql.js'
import { openPostgresTestStore } from '../../support/databases/postgresql-store.js'
import { applicationRow } from '../../support/storage/rows.js'
import { openTemporaryStore, tenantRow } from '../../support/storage/temporary-store.js'

t.setTimeout(300_000)
const count = 100_000
const server = await startPostgres(t)
const stores: readonly [string, Store][] = [
  ['SQLite', (await openTemporaryStore(t)).store],
  ['PostgreSQL', (await openPostgresTestStore(t, server, { statementMs: 120_000 })).store],
]
const names = ['Émile', 'emile', 'Zoo', 'ﬁnance', 'FINANCE 100%', 'a_b', 'axb', 'Ünïcode', '日本', 'back\\slash']
const all: Wanted = { tenantId: 'a', state: undefined, search: '', identifier: undefined }

for (const [engine, store] of stores) {
  t.test(`by a part of the name in either case, and by identifier (${engine})`, async (t) => {
    await store.transaction(async (tx) => {
      for (const tenant of ['a', 'b', 'many']) await tx.insertInto('tenants').values(tenantRow(tenant)).execute()
      for (const [at, name] of names.entries()) {
        await insertApplication(tx, applicationRow(`id-${at}`, { name, tenant_id: 'a', public_key: `pk-${at}` }))
      }
      await insertApplication(tx, applicationRow('theirs', { name: 'emile', tenant_id: 'b', public_key: 'pk-b' }))
    })
    const found = async (more: Partial<Wanted>) => {
      const { rows, count } = await listApplicationRows(store.reader, { ...all, ...more }, { skip: 0, limit: 50 })
      t.equal(count, rows.length)
      return rows.map(({ name }) => name)
    }
    t.same(await found({}), [
      ...['a_b', 'axb', 'back\\slash', 'emile', 'ﬁnance', 'FINANCE 100%', 'Zoo', 'Émile', 'Ünïcode', '日本'],
    ])
    t.same(await found({ search: 'FIN' }), ['ﬁnance', 'FINANCE 100%'], 'and in one spelling of each character')
    t.same(await found({ search: 'ÉMIL' }), ['Émile'])
    t.same(await found({ search: 'NÏC' }), ['Ünïcode'])
    t.same(await found({ search: '本' }), ['日本'])
    for (const [search, name] of [
      ['_', 'a_b'],
      ['%', 'FINANCE 100%'],
      ['\\', 'back\\slash'],
    ] as const) {
      t.same(await found({ search }), [name], 'what means something in a pattern is itself')
    }
    t.same(await found({ search: 'pk-2', identifier: 'pk-2' }), ['Zoo'])
    t.same(await found({ search: 'emile', tenantId: undefined }), ['emile', 'emile'])
    t.same(await found({ state: 'disabled' }), [])
    const listed = await listApplications(store.reader, { tenantId: 'a', search: 'fin', after: undefined, limit: 9 })
    t.same(
      listed.map(({ name }) => name),
      ['FINANCE 100%', 'ﬁnance'],
    )
  })

  t.test(`a new name is found at once, one of a version before when it has got its key (${engine})`, async (t) => {
    await store.transaction((tx) => updateApplication(tx, 'id-2', { name: 'Zürich', updated_at: 2 }))
    const found = async (search: string) =>
      (await listApplicationRows(store.reader, { ...all, search }, { skip: 0, limit: 9 })).rows.map(({ id }) => id)
    t.same(await found('ZÜR'), ['id-2'])
    t.same(await found('zoo'), [])
    const keep = createNameKeeper(store)
    const before = (change: { name?: string; name_key?: string }) =>
      store.transaction((tx) => tx.updateTable('applications').set(change).where('id', '=', 'id-2').execute())
    await before({ name_key: '' })
    await keep()
    t.same(await found('ZÜR'), ['id-2'])
    await before({ name: 'Basel' })
    t.same([await found('ZÜR'), await found('basel')], [['id-2'], []], 'renamed by an instance of that version')
    await keep()
    t.same([await found('ZÜR'), await found('basel')], [[], ['id-2']])
  })

  t.test(`among 100,000 no page is slow (${engine})`, async (t) => {
    await store.transaction(async (tx) => {
      await sql`insert into applications (id, public_key, tenant_id, name, name_key, type, state, audience, created_at, updated_at)
        with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 100000)
        select 'many-' || n, 'pk-many-' || n, 'many', 'Service ' || n, 'service ' || n, 'web', 'enabled', 'home', n, n
          from numbers`.execute(tx)
    })
    if (store.kind === 'postgresql') await server.admin('select 1')
    const many = { ...all, tenantId: 'many' }
    const timed = async (what: string, work: () => Promise<unknown>) => {
      const times: number[] = []
      for (let at = 0; at < 5; at += 1) {
        const begun = performance.now()
        await work()
        times.push(performance.now() - begun)
      }
      const median = times.sort((a, b) => a - b)[2] ?? 0
      t.comment(`${engine}: ${what}: ${median.toFixed(1)} ms`)
      t.ok(median < 2_000, what)
    }
    const page = (wanted: Wanted, skip: number) => listApplicationRows(store.reader, wanted, { skip, limit: 50 })
    t.equal((await page(many, 0)).count, count)
    t.equal((await page(many, count - 50)).rows.length, 50)
    await timed('first page', () => page(many, 0))
    await timed('last page', () => page(many, count - 50))
    await timed('by a part that a thousand have', () => page({ ...many, search: '99' }, 0))
    await timed('by a part that none has', () => page({ ...many, search: 'nothing' }, 0))
    await timed('of all tenants', () => page({ ...many, tenantId: undefined, search: 'SERVICE 77777' }, 0))
    await timed('disabled ones', () => page({ ...many, state: 'disabled' }, 0))
    await timed('the API’s list by a part', () =>
      listApplications(store.reader, { tenantId: 'many', search: '77777', after: undefined, limit: 51 }),
    )
  })
}
