// The cached directory over a real Store and Feed.

import t from 'tap'
import { changeApplication } from '../../src/directory/applications/application-changes.js'
import { createDirectory } from '../../src/directory/directory.js'
import { changeTenant, createTenant } from '../../src/directory/tenants/tenants.js'
import { createEmbeddedFeed } from '../../src/storage/changes/embedded-feed.js'
import { type Store, StoreUnavailable } from '../../src/storage/sql/store.js'
import { openDirectory, withdrawConsent } from '../support/rooms/directory.js'

const nobody = '00000000-0000-4000-8000-000000000000'

/** The Store with a count of its snapshots, a gate before their answers, and a switch that makes it unavailable. */
function observed(store: Store) {
  const state = { snapshots: 0, read: 0, down: false, gate: Promise.resolve() }
  const observedStore: Store = {
    ...store,
    reader: store.reader,
    async snapshot(work) {
      state.snapshots += 1
      if (state.down) throw new StoreUnavailable('down')
      const result = await store.snapshot(work)
      state.read += 1
      await state.gate
      return result
    },
    async transaction(work) {
      if (state.down) throw new StoreUnavailable('down')
      return store.transaction(work)
    },
  }
  return { state, store: observedStore }
}

async function observedDirectory(t: Parameters<typeof openDirectory>[0]) {
  const testApp = await openDirectory(t)
  const { state, store } = observed(testApp.store)
  const directory = createDirectory({ store })
  // A second instance on the same Store, in the same process: it hears of changes by its own feed.
  const feed = createEmbeddedFeed({
    store: testApp.store,
    pollMs: 60_000,
    now: testApp.now,
    monotonic: () => performance.now(),
  })
  feed.follow(directory)
  await feed.start()
  t.teardown(() => feed.stop())
  return { ...testApp, directory, feed, state }
}

t.test('both identifiers, in any letter case of the GUID, are one registration', async (t) => {
  const { directory, registerDemo } = await openDirectory(t)
  const { registration } = await registerDemo()
  const byId = await directory.findRegistration(registration.applicationId)
  t.same(byId, registration)
  t.equal(await directory.findRegistration(registration.publicKey), byId)
  t.equal(await directory.findRegistration(registration.applicationId.toUpperCase()), byId)
})

t.test('what is no identifier is unknown without asking the Store', async (t) => {
  const { directory, registerDemo, state } = await observedDirectory(t)
  const { registration, tenantId } = await registerDemo()
  const { applicationId, publicKey } = registration
  for (const text of [
    '',
    'demo',
    `${applicationId}\0`,
    `${publicKey} `,
    publicKey.toUpperCase(),
    "' or 1=1 --",
    'x'.repeat(9_999),
  ]) {
    t.equal(await directory.findRegistration(text), undefined)
    t.equal(await directory.findTenant(text), undefined)
    t.equal(await directory.findInstallation(text, tenantId), undefined)
    t.equal(await directory.findInstallation(applicationId, text), undefined)
  }
  t.equal(state.snapshots, 0)
})

t.test('known and unknown answers are kept until a change', async (t) => {
  const { directory, registerDemo, feed, state } = await observedDirectory(t)
  const { registration, tenantId } = await registerDemo()
  await feed.catchUp()
  const ask = async () => [
    await directory.findRegistration(registration.publicKey),
    await directory.findRegistration(nobody),
    await directory.findInstallation(registration.applicationId, tenantId),
    await directory.findInstallation(registration.applicationId, nobody),
    await directory.findTenant(tenantId),
    await directory.findTenant(nobody),
  ]
  const first = await ask()
  t.same(
    first.map((each) => each !== undefined),
    [true, false, true, false, true, false],
  )
  const { snapshots } = state
  t.same(await ask(), first)
  t.equal(state.snapshots, snapshots)
})

t.test('each write is seen by the next read of its instance', async (t) => {
  const { directory, writes, registerDemo } = await openDirectory(t)
  const { registration, tenantId } = await registerDemo()
  const { applicationId } = registration
  t.equal((await directory.findRegistration(applicationId))?.state, 'enabled')
  await changeApplication(writes, applicationId, { state: 'disabled' })
  t.equal((await directory.findRegistration(applicationId))?.state, 'disabled')
  t.equal((await directory.findInstallation(applicationId, tenantId))?.granted.length, 2)
  await withdrawConsent(writes, applicationId, { permissions: 'all' })
  t.same((await directory.findInstallation(applicationId, tenantId))?.granted, [])
  t.equal((await directory.findTenant(tenantId))?.state, 'enabled')
  await changeTenant(writes, tenantId, { state: 'disabled' })
  t.equal((await directory.findTenant(tenantId))?.state, 'disabled')
  const later = await createTenant(writes, { name: 'Later' })
  t.same(await directory.findTenant(later.tenantId), later)
})

t.test('another instance is right as soon as its feed is', async (t) => {
  const { directory, feed, writes, registerDemo } = await observedDirectory(t)
  const { registration } = await registerDemo()
  await feed.catchUp()
  t.equal((await directory.findRegistration(registration.publicKey))?.name, 'demo')
  await changeApplication(writes, registration.applicationId, { name: 'renamed' })
  await feed.catchUp()
  t.equal((await directory.findRegistration(registration.publicKey))?.name, 'renamed')
})

t.test('a change between the read of a load and its answer leaves nothing stale', async (t) => {
  const { directory, feed, writes, registerDemo, state } = await observedDirectory(t)
  const { registration } = await registerDemo()
  await feed.catchUp()
  const { applicationId } = registration
  let open = () => {}
  state.gate = new Promise((resolve) => {
    open = resolve
  })
  const before = directory.findRegistration(applicationId)
  const deadline = Date.now() + 30_000
  while (state.read === 0 && Date.now() < deadline) await new Promise((resolve) => setImmediate(resolve))
  await changeApplication(writes, applicationId, { state: 'disabled' })
  await feed.catchUp()
  const after = directory.findRegistration(applicationId)
  open()
  t.equal((await after)?.state, 'disabled')
  t.equal((await before)?.state, 'enabled', 'it had read the old state')
  t.equal((await directory.findRegistration(applicationId))?.state, 'disabled')
})

t.test('parallel changes and reads end with what the Store says', async (t) => {
  const { directory, writes, registerDemo } = await openDirectory(t)
  const { registration } = await registerDemo()
  const { applicationId, publicKey } = registration
  for (let round = 0; round < 20; round += 1) {
    const state = round % 2 === 0 ? 'disabled' : 'enabled'
    const reads = [directory.findRegistration(publicKey), directory.findRegistration(applicationId)]
    await changeApplication(writes, applicationId, { state })
    reads.push(directory.findRegistration(publicKey))
    const [, , after] = await Promise.all(reads)
    t.equal(after?.state, state)
    t.equal((await directory.findRegistration(applicationId))?.state, state)
  }
})

t.test('a Store that does not answer is StoreUnavailable, and what is kept still answers', async (t) => {
  const { directory, feed, registerDemo, state } = await observedDirectory(t)
  const { registration, tenantId } = await registerDemo()
  await feed.catchUp()
  await directory.findRegistration(registration.applicationId)
  state.down = true
  t.equal((await directory.findRegistration(registration.applicationId))?.name, 'demo')
  await t.rejects(async () => directory.findRegistration(registration.publicKey), { code: 'store_unavailable' })
  await t.rejects(async () => directory.findRegistration(nobody), { code: 'store_unavailable' })
  await t.rejects(async () => directory.findInstallation(registration.applicationId, tenantId), {
    code: 'store_unavailable',
  })
  await t.rejects(async () => directory.findTenant(tenantId), { code: 'store_unavailable' })
  state.down = false
  t.equal((await directory.findTenant(tenantId))?.name, 'Contoso', 'the failure was not kept')
})

t.test('the use of a secret is written in batches, to the minute, and never moves back', async (t) => {
  const { directory, state, store, registerDemo } = await observedDirectory(t)
  const { keyId } = await registerDemo()
  const lastUsed = async () =>
    (await store.reader.selectFrom('application_secrets').select('last_used_at').executeTakeFirst())?.last_used_at
  const minute = Date.UTC(2026, 10, 21, 10, 5)
  directory.noteSecretUse(keyId, minute + 59_999)
  directory.noteSecretUse(keyId, minute - 60_000)
  t.equal(await lastUsed(), null)
  state.down = true
  await t.rejects(directory.flush(), { code: 'store_unavailable' })
  state.down = false
  await directory.flush()
  t.equal(await lastUsed(), minute, 'what could not be written was kept for the next time')
  directory.noteSecretUse(keyId, minute - 600_000)
  await directory.flush()
  t.equal(await lastUsed(), minute)
  await directory.flush()
})
