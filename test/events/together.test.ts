// Several instances on one Store, PostgreSQL and SQLite: what happened is written down once and sent by one of them,
// also while two believe that they lead, and when one ends in the middle.
// full: two instances on PostgreSQL
// run: apart

import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createDeliveryWorker, type DeliveryWorkerDependencies } from '../../src/events/delivery-worker.js'
import { followLedger } from '../../src/events/follow-ledger.js'
import { createSigningSecret } from '../../src/events/signature.js'
import { createUsageDays } from '../../src/events/usage-days.js'
import { createWebhookSender } from '../../src/events/webhook-sender.js'
import { appendAudit } from '../../src/ledger/append-audit.js'
import { createLedger } from '../../src/ledger/chain.js'
import { createLedgerKeys } from '../../src/ledger/ledger-keys.js'
import { deriveKey } from '../../src/oauth/secrets/derived-key.js'
import { createMetrics } from '../../src/observability/metrics.js'
import { insertTenant } from '../../src/storage/sql/registrations/tenants.js'
import { openSqliteStore } from '../../src/storage/sql/sqlite/sqlite.js'
import type { Store } from '../../src/storage/sql/store.js'
import { addUsage } from '../../src/storage/sql/usage/usage.js'
import { readUsageDays } from '../../src/storage/sql/usage/usage-days.js'
import { sumRouteUsage } from '../../src/storage/sql/usage/usage-reads.js'
import { noteWritten } from '../../src/storage/sql/usage/usage-written.js'
import { listDeliveries } from '../../src/storage/sql/webhooks/delivery-lists.js'
import { insertWebhook, readWebhooks } from '../../src/storage/sql/webhooks/webhooks.js'
import { startPostgres } from '../support/databases/postgresql.js'
import { openPostgresTestStore } from '../support/databases/postgresql-store.js'
import { tenantRow } from '../support/storage/temporary-store.js'
import { until } from '../support/traffic/until.js'
import { startReceiver } from '../support/upstreams/receiver.js'

async function onSqlite(t: Test): Promise<[Store, Store]> {
  const file = join(t.testdir(), 'portcullis.db')
  const open = async () => {
    const store = await openSqliteStore({ file, busyTimeoutMs: 30_000 })
    t.teardown(() => store.close())
    return store
  }
  return [await open(), await open()]
}

const server = await startPostgres(t)
async function onPostgresql(t: Test): Promise<[Store, Store]> {
  const { store, another } = await openPostgresTestStore(t, server)
  return [store, await another()]
}

/** Two instances, each with a delivery worker of its own, on one webhook. */
async function open(t: Test, [one, two]: [Store, Store]) {
  const receiver = await startReceiver(t)
  const clock = { nowMs: Date.UTC(2026, 10, 21) }
  const now = () => clock.nowMs
  const master = randomBytes(32)
  const ledger = createLedger({ keys: createLedgerKeys([randomBytes(32)]), now })
  const webhookSender = createWebhookSender({
    ...{ allow: ['localhost'], ca: receiver.ca, baseUrl: 'https://gate.test' },
    derive: (purpose) => [deriveKey(master, purpose)],
  })
  const errors: unknown[] = []
  const depsOf = (store: Store): DeliveryWorkerDependencies => ({
    ...{
      store,
      ledger,
      ...webhookSender,
      now,
      random: () => 0,
      metrics: createMetrics(),
      leader: { isLeader: () => true },
    },
    planOf: () => undefined,
    onError: (error) => void errors.push(error),
  })
  const [tenant, webhookId] = [tenantRow(randomUUID()), randomUUID()]
  await one.transaction(async (tx) => {
    await insertTenant(tx, tenant)
    await insertWebhook(tx, {
      ...{ id: webhookId, tenant_id: tenant.id, url: `${receiver.origin}/`, events: '["*"]', enabled: 1 },
      ...{
        secret: webhookSender.sealer.seal(createSigningSecret(), webhookId),
        disabled_because: null,
        created_by: '',
      },
      ...{ created_at: 1, updated_at: 1, failing_since: null, earlier_secret: null, earlier_until: null },
    })
  })
  const deliveryWorkers = [one, two].map((store) => createDeliveryWorker(depsOf(store)))
  t.teardown(() => Promise.all(deliveryWorkers.map((deliveryWorker) => deliveryWorker.end())))
  const happen = (store: Store, kid: string) =>
    store.transaction(
      (tx) => appendAudit({ ledger, actor: { kind: 'system' } }, tx, { event: 'key.activated', details: { kid } }),
      'first-lock',
    )
  const deliveries = () => listDeliveries(one.reader, { webhookId, state: undefined, limit: 100 })
  return { receiver, clock, deliveryWorkers, happen, deliveries, errors, depsOf }
}

const engines = { SQLite: onSqlite, PostgreSQL: onPostgresql }
for (const [engine, openTwo] of Object.entries(engines)) {
  t.test(`${engine}: two that lead at once write down and send each event once, and miss none`, async (t) => {
    const stores = await openTwo(t)
    const { receiver, deliveryWorkers, happen, deliveries, errors } = await open(t, stores)
    const kids = Array.from({ length: 30 }, (_, n) => `k${n}`)
    const turns = async () => {
      for (let n = 0; n < 10; n += 1) await Promise.all(deliveryWorkers.map((deliveryWorker) => deliveryWorker.turn()))
    }
    await Promise.all([turns(), ...kids.map((kid, n) => happen(stores[n % 2] as Store, kid))])
    await until('all are delivered', async () => {
      await Promise.all(deliveryWorkers.map((deliveryWorker) => deliveryWorker.turn()))
      return (await deliveries()).filter(({ state }) => state === 'delivered').length === kids.length
    })
    const came = receiver.received.map(({ body }) => JSON.parse(body).data.kid)
    t.same([...came].sort(), [...kids].sort())
    t.equal(new Set((await deliveries()).map(({ position }) => position)).size, kids.length)
    t.same(errors, [])
  })

  t.test(`${engine}: what was being sent when its instance ended, another sends again`, async (t) => {
    const stores = await openTwo(t)
    const { receiver, deliveryWorkers, happen, deliveries, clock, depsOf } = await open(t, stores)
    await happen(stores[0], 'k')
    let sent = 0
    const send = () => {
      sent += 1
      return new Promise<never>(() => undefined)
    }
    await createDeliveryWorker({ ...depsOf(stores[0]), send }).turn()
    await until('it is being sent', () => sent === 1)
    await deliveryWorkers[1]?.turn()
    t.match(await deliveries(), [{ state: 'waiting', attempts: 1 }])
    clock.nowMs += 60_000
    await deliveryWorkers[1]?.turn()
    await until('it has come', async () => (await deliveries())[0]?.state === 'delivered')
    t.equal(receiver.received.length, 1)
    t.equal(receiver.received[0]?.headers['webhook-id'], (await deliveries())[0]?.event_id)
  })

  t.test(`${engine}: a transaction that is undone tells nobody, and nothing is followed twice`, async (t) => {
    const stores = await openTwo(t)
    const { happen, deliveries, depsOf } = await open(t, stores)
    const undone = stores[0].transaction(async (tx) => {
      const { ledger } = depsOf(stores[0])
      await appendAudit({ ledger, actor: { kind: 'system' } }, tx, {
        event: 'key.activated',
        details: { kid: 'never' },
      })
      throw new Error('undone')
    }, 'first-lock')
    await t.rejects(undone, { message: 'undone' })
    await happen(stores[0], 'k')
    const written = await Promise.all(stores.map((store) => followLedger(depsOf(store))))
    t.equal(
      written.reduce((sum, one) => sum + one, 0),
      1,
    )
    t.equal((await deliveries()).length, 1)
    t.equal(await followLedger(depsOf(stores[1])), 0)
  })

  t.test(`${engine}: counts that are written while a day ends are all told of, each once`, async (t) => {
    const stores = await openTwo(t)
    const { deliveries, depsOf, clock, errors } = await open(t, stores)
    const dayMs = 86_400_000
    const day = clock.nowMs / dayMs
    const { ledger, leader, now, onError } = depsOf(stores[0])
    const leaders = stores.map((store) => createUsageDays({ store, ledger, leader, now, onError, instanceId: 'one' }))
    const turns = () => Promise.all(leaders.map(({ turn }) => turn()))
    await turns()
    const tenantId = (await readWebhooks(stores[0].reader, {}))[0]?.tenant_id ?? ''
    const none = { not_permitted: 0, limited: 0, token_refused: 0, client_errors: 0, server_errors: 0 }
    let sequence = 0
    /** An instance that nobody waits for, and that is a day behind. */
    const write = async (store: Store) => {
      sequence += 1
      const row = { application_id: 'a1', tenant_id: tenantId, route: `r${sequence % 3}`, day, allowed: 1, ...none }
      const batch = { instanceId: `i${sequence}`, sequence, permissions: [], routes: [row], pkce: [] }
      await store.transaction((tx) => addUsage(tx, batch, now()), 'first-lock')
    }
    const writing = Promise.all(
      [0, 1, 0, 1].map(async (n) => {
        for (let batch = 0; batch < 25; batch += 1) await write(stores[n] as Store)
      }),
    )
    for (let ended = 0; ended < 6; ended += 1) {
      clock.nowMs += dayMs
      const today = clock.nowMs / dayMs
      await stores[0].transaction((tx) => noteWritten(tx, 'one', today), 'first-lock')
      await turns()
    }
    await writing
    clock.nowMs += dayMs
    await stores[0].transaction((tx) => noteWritten(tx, 'one', clock.nowMs / dayMs), 'first-lock')
    await turns()
    t.equal((await readUsageDays(stores[0].reader)).next_day, day + 7)
    await followLedger(depsOf(stores[1]))
    const events = (await deliveries()).map(({ body }) => JSON.parse(body)).reverse()
    const days = events.map(({ data }) => [Date.parse(data.day) / dayMs, data.totals.allowed] as const)
    t.same(
      days.map(([of]) => of),
      [0, 1, 2, 3, 4, 5, 6].map((n) => day + n),
      'each day once',
    )
    t.equal(
      days.reduce((sum, [, calls]) => sum + calls, 0),
      100,
    )
    const sums = await sumRouteUsage(stores[0].reader, { from: 0, to: day + 10 }, 'day', 99)
    t.same(
      sums.map(({ key, allowed }) => [Number(key), allowed]),
      days.filter(([, calls]) => calls > 0),
      'no day has changed since',
    )
    for (const { data } of events) {
      const lines = data.value.reduce((sum: number, { allowed }: { allowed: number }) => sum + allowed, 0)
      t.equal(lines, data.totals.allowed, 'the lines add up to the sums')
    }
    t.same(errors, [])
  })
}
