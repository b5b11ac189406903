// The two sources that come with the project: the same suite over both, and what is only true of SQL.

import { randomUUID } from 'node:crypto'
import t from 'tap'
import { isJpegDataUri } from '../../src/backend/picture.js'
import { seedTenant } from '../../src/backend/seed.js'
import { createSqlSource } from '../../src/backend/sql-source.js'
import { now, openStore, sources, tenantA, tenantB, withProfiles } from '../support/rooms/backend-app.js'
import { sourceContract } from './source-contract.js'

for (const { name, open } of sources) t.test(`the ${name} source`, async (t) => sourceContract(t, open))

t.test('a tenant is filled once, with a whole profile and subscriptions that have their groups', async (t) => {
  const store = await openStore(t)
  const source = createSqlSource(store)
  t.equal(await store.transaction((tx) => seedTenant(tx, tenantA, now)), true)
  t.equal(await store.transaction((tx) => seedTenant(tx, tenantA, now)), false, 'a second time nothing happens')
  t.equal(await store.transaction((tx) => seedTenant(tx, tenantB, now)), true, 'another tenant has its own')

  const profile = await source.findProfile({ tenantId: tenantA, userId: null })
  t.equal(Object.keys(profile ?? {}).length, 14)
  t.match(profile?.currencyID, /^[A-Z]{3}\.[A-Z]{2}$/)
  t.ok(isJpegDataUri(profile?.coverURL ?? '') && isJpegDataUri(profile?.avatarURL ?? ''), 'the pictures are real')

  const order = [{ field: 'createdAt', direction: 'asc' } as const, { field: 'id', direction: 'asc' } as const]
  const list = await source.listSubscriptions(tenantA, { filter: undefined, order, after: undefined, limit: 10 })
  t.same(
    list.map((subscription) => subscription.displayName),
    ['Production', 'Development', 'Archive'],
  )
  for (const { id, displayName } of list) {
    const pair = await source.findSubscription(tenantA, id)
    t.equal(pair?.group.name, displayName)
    t.equal(pair?.group.provisioningState, 'Succeeded')
  }
})

t.test('a pair that cannot be written whole is not written at all', async (t) => {
  const store = await openStore(t)
  const source = withProfiles(store)
  const id = randomUUID()
  const group = { id: randomUUID(), name: 'x', location: 'global', provisioningState: 'Succeeded' as const }
  const subscription = {
    id,
    subscriptionId: randomUUID(),
    displayName: 'x',
    state: 'Enabled' as const,
    version: 1,
    createdAt: now,
  }
  await source.addSubscription(tenantA, { subscription, group })
  const second = { ...subscription, id: randomUUID(), subscriptionId: randomUUID() }
  await t.rejects(source.addSubscription(tenantA, { subscription: second, group }), 'the group exists already')
  t.equal(await source.findSubscription(tenantA, second.id), undefined)
})

t.test('a state in the database that no table knows is an error, not an answer', async (t) => {
  const store = await openStore(t)
  const source = createSqlSource(store)
  await store.transaction((tx) => seedTenant(tx, tenantA, now))
  await store.transaction((tx) => tx.updateTable('subscriptions').set({ state: 'constructor' }).execute())
  const order = [{ field: 'id', direction: 'asc' } as const]
  await t.rejects(
    source.listSubscriptions(tenantA, { filter: undefined, order, after: undefined, limit: 1 }),
    /unknown state/,
  )
})
