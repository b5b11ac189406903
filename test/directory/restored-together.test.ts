// K9. A deleted application is decided about once, on PostgreSQL as on SQLite: restored twice, restored while it is
// deleted for good, swept or its tenant disabled, by two instances at once.
// full: two instances on PostgreSQL
// run: apart

import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { deleteApplication } from '../../src/directory/applications/delete-application.js'
import { registerApplication } from '../../src/directory/applications/registration.js'
import { purgeDeleted, purgeOverdue } from '../../src/directory/deleted/keep-deleted.js'
import { restoreApplication } from '../../src/directory/deleted/restore-application.js'
import { changeTenant, createTenant } from '../../src/directory/tenants/tenants.js'
import type { DirectoryWrites } from '../../src/directory/writes.js'
import { createLedger } from '../../src/ledger/chain.js'
import { createLedgerKeys } from '../../src/ledger/ledger-keys.js'
import { createEmbeddedFeed } from '../../src/storage/changes/embedded-feed.js'
import type { Feed } from '../../src/storage/changes/feed.js'
import { createSharedFeed } from '../../src/storage/changes/shared-feed.js'
import { openSqliteStore } from '../../src/storage/sql/sqlite/sqlite.js'
import type { Store } from '../../src/storage/sql/store.js'
import { startPostgres } from '../support/databases/postgresql.js'
import { openPostgresTestStore } from '../support/databases/postgresql-store.js'
import { testCatalogue } from '../support/rooms/directory.js'

const dayMs = 86_400_000
const server = await startPostgres(t)
const clocks = { now: Date.now, monotonic: () => performance.now() }

async function onSqlite(t: Test): Promise<{ store: Store; feed: Feed }[]> {
  const store = await openSqliteStore({ file: join(t.testdir(), 'portcullis.db'), busyTimeoutMs: 30_000 })
  t.teardown(() => store.close())
  const feed = createEmbeddedFeed({ store, pollMs: 50, ...clocks })
  return [
    { store, feed },
    { store, feed },
  ]
}

async function onPostgresql(t: Test): Promise<{ store: Store; feed: Feed }[]> {
  const { store, another } = await openPostgresTestStore(t, server)
  return [store, await another()].map((store) => {
    const options = { store, instanceId: randomUUID(), pollMs: 50, staleAfterMs: 5_000, confirmMs: 5_000, ...clocks }
    return { store, feed: createSharedFeed(options) }
  })
}

async function open(t: Test, places: { store: Store; feed: Feed }[]) {
  const ledger = createLedger({ keys: createLedgerKeys([randomBytes(32)]), now: Date.now })
  const peppers = [randomBytes(32)]
  const common = { ledger, peppers, now: Date.now, catalogue: testCatalogue(), tokenLifetimeMs: 3_600_000 }
  for (const feed of new Set(places.map(({ feed }) => feed))) {
    await feed.start()
    t.teardown(() => feed.stop())
  }
  const writes = places.map(
    ({ feed }): DirectoryWrites => ({ ...common, feed, actor: { kind: 'operator' }, restorableMs: 30 * dayMs }),
  )
  const [one, two] = writes as [DirectoryWrites, DirectoryWrites]
  const { store } = places[0] as { store: Store }
  const { tenantId } = await createTenant(one, { name: 'Contoso' })
  const gone = async () => {
    const input = { name: `app ${randomUUID()}`, type: 'web', tenantId } as const
    const { applicationId } = (await registerApplication(one, input)).registration
    await deleteApplication(one, applicationId)
    return applicationId
  }
  const restore = (by: DirectoryWrites, id: string) =>
    restoreApplication(by, { id, tenantId, credentials: true, consent: undefined })
  const state = async (id: string) => {
    const living = await store.reader.selectFrom('applications').select('id').where('id', '=', id).execute()
    const waiting = await store.reader.selectFrom('deleted_applications').select('id').where('id', '=', id).execute()
    const rows = await store.reader.selectFrom('ledger').select('event').where('application_id', '=', id).execute()
    const events = rows.map(({ event }) => event).filter((event) => /restored|purged/.test(event))
    return { living: living.length, waiting: waiting.length, events }
  }
  return { one, two, store, tenantId, gone, restore, state }
}

const said = (all: readonly PromiseSettledResult<unknown>[]) =>
  all.map((one) => (one.status === 'fulfilled' ? 'done' : (one.reason as { code: string }).code)).sort()

for (const [engine, places] of Object.entries({ SQLite: onSqlite, PostgreSQL: onPostgresql })) {
  t.test(`${engine}: of two at once one decides, and what it was is whole`, async (t) => {
    const { one, two, store, tenantId, gone, restore, state } = await open(t, await places(t))
    for (let round = 0; round < 5; round += 1) {
      const twice = await gone()
      const restored = await Promise.allSettled([restore(one, twice), restore(two, twice)])
      t.same(said(restored), ['ApplicationNotFound', 'done'])
      t.same(await state(twice), { living: 1, waiting: 0, events: ['application.restored'] })

      const either = await gone()
      const decided = await Promise.allSettled([restore(one, either), purgeDeleted(two, { id: either, tenantId })])
      t.same(said(decided), ['ApplicationNotFound', 'done'])
      const isBack = decided[0]?.status === 'fulfilled'
      const events = [isBack ? 'application.restored' : 'application.purged']
      t.same(await state(either), { living: Number(isBack), waiting: 0, events })

      const swept = await gone()
      const late = { ...two, now: () => Date.now() + 30 * dayMs }
      const [back] = await Promise.allSettled([restore(one, swept), purgeOverdue(late, store)])
      const living = Number(back?.status === 'fulfilled')
      t.same(await state(swept), {
        ...{ living, waiting: 0 },
        events: [living === 1 ? 'application.restored' : 'application.purged'],
      })

      const disabled = await gone()
      const beside = await Promise.allSettled([
        restore(one, disabled),
        changeTenant(two, tenantId, { state: 'disabled' }),
      ])
      t.equal(beside[1]?.status, 'fulfilled')
      const after = await state(disabled)
      t.equal(after.living + after.waiting, 1, 'it is there once')
      t.equal(beside[0]?.status === 'fulfilled', after.living === 1)
      await changeTenant(one, tenantId, { state: 'enabled' })
    }
  })
}
