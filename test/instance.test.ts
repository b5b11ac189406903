// What an instance does beside its requests: it says whether it should get any, and works by the clock.
// run: apart

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mock } from 'node:test'
import { MessageChannel } from 'node:worker_threads'
import t from 'tap'
import { createHealth } from '../src/cluster/health.js'
import type { Collaborators } from '../src/instance/collaborators.js'
import { type PeriodicWork, startPeriodicWork } from '../src/instance/periodic-work.js'
import { createReadiness } from '../src/instance/readiness.js'
import { createLedger } from '../src/ledger/chain.js'
import { createLedgerKeys } from '../src/ledger/ledger-keys.js'
import { createMetrics } from '../src/observability/metrics.js'
import { listInstances, noteInstance } from '../src/storage/sql/cluster/instances.js'
import { listLedger } from '../src/storage/sql/ledger/ledger-entries.js'
import { insertSecret } from '../src/storage/sql/registrations/application-secrets.js'
import { insertApplication } from '../src/storage/sql/registrations/applications.js'
import { insertTenant } from '../src/storage/sql/registrations/tenants.js'
import { NotWritable } from '../src/storage/sql/store.js'
import { usageApplication, usageSecret } from './contract/usage-queries.js'
import { openTemporaryStore, tenantRow } from './support/storage/temporary-store.js'
import { until } from './support/traffic/until.js'

function readiness(store: Pick<Collaborators['store'], 'check'>) {
  const observed = { stale: false, writable: true, skewMs: 0, lines: [] as string[], facts: [] as object[] }
  const view = { isStale: () => observed.stale }
  const metrics = createMetrics()
  const say = (facts: object, line: string) => {
    observed.lines.push(line)
    observed.facts.push(facts)
  }
  const log = { warn: say, info: say, error: say }
  const writes = { isWritable: () => observed.writable }
  const health = createHealth({ store, writes, metrics, log: log as never })
  return {
    observed,
    health,
    metrics,
    state: createReadiness({
      view,
      health,
      membership: { skewMs: () => observed.skewMs },
      leewayMs: 60_000,
      log: log as never,
    }),
  }
}

const periodicSettings = {
  apartMs: 0,
  ledger: { checkpointEveryMs: 60_000, retentionMs: undefined, archive: undefined },
  usage: { flushEveryMs: 10_000, keepMs: 1 },
  signIn: { sessionIdleMs: 86_400_000, providers: new Map() },
}
const idleDeliveryWorker = { turn: async () => undefined, measure: async () => undefined, end: async () => undefined }

t.test('an instance is ready from its start to its end, while its view is fresh', async (t) => {
  const { store } = await openTemporaryStore(t)
  const { observed, state, metrics } = readiness(store)
  t.same(await state.read(), { ready: false, reasons: ['starting'], degraded: [] })
  state.started()
  t.same(await state.read(), { ready: true, reasons: [], degraded: [] })
  observed.stale = true
  t.same(await state.read(), { ready: false, reasons: ['view_stale'], degraded: [] })
  t.same(observed.lines, ['the view is stale'])
  observed.stale = false
  observed.skewMs = 60_001
  t.same(await state.read(), { ready: true, reasons: [], degraded: ['clock_skew'] }, 'F16 more than the leeway')
  const before = [
    'the view is stale',
    'the view is fresh again',
    'the clocks of instances differ by more than tokens allow',
  ]
  await state.read()
  t.same(observed.lines, before, 'each change is reported once')
  t.match(observed.facts.at(-1), { skewMs: 60_001, leewayMs: 60_000 })
  t.match(observed.facts, [{ refused: /503/ }, { staleMs: Number }])
  observed.writable = false
  t.same(await state.read(), { ready: true, reasons: [], degraded: ['store_not_writable', 'clock_skew'] })
  observed.writable = true
  observed.skewMs = 60_000
  await state.read()
  t.equal(observed.lines.at(-1), 'the clocks of instances agree again')
  state.draining()
  t.same(await state.read(), { ready: false, reasons: ['draining'], degraded: [] })
  state.started()
  t.same(await state.read(), { ready: false, reasons: ['draining'], degraded: [] }, 'a late start changes nothing')
  observed.stale = true
  await store.close()
  t.same(await state.read(), { ready: false, reasons: ['draining', 'view_stale'], degraded: ['store_down'] })
  t.match(await metrics.registry.metrics(), /^portcullis_store_up 0$/m)
})

t.test('F8 a Store that is away makes an instance degraded, not unready, and is reported once', async (t) => {
  let up = false
  const check = async () => {
    if (!up) throw new Error('away')
  }
  const { state, observed, health, metrics } = readiness({ check })
  state.started()
  for (let i = 0; i < 3; i += 1) {
    t.same(await state.read(), { ready: true, reasons: [], degraded: ['store_down'] })
  }
  t.equal(health.storeUp, false)
  t.same(observed.lines, ['the Store does not answer'])
  up = true
  t.same(await state.read(), { ready: true, reasons: [], degraded: [] })
  t.same(observed.lines, ['the Store does not answer', 'the Store answers again'])
  t.match(observed.facts, [{ reason: 'away', goesOn: String, refused: /503/ }, { awayMs: Number }])
  t.match(await metrics.registry.metrics(), /^portcullis_store_up 1$/m)
})

t.test('F11 work in the background that fails for a full disk is no news while that is known', async (t) => {
  const { health, observed } = readiness({ check: async () => {} })
  const reported: unknown[] = []
  const fail = async () => {
    health.suppressDuplicates(new NotWritable('full'), (error) => reported.push(error))
    await health.storeAnswers()
    await new Promise((resolve) => setImmediate(resolve))
  }
  observed.writable = false
  await fail()
  t.same(reported, [])
  observed.writable = true
  await fail()
  t.equal(reported.length, 1)
})

t.test('F1 Redis that is away makes an instance degraded, and is reported once for all connections', async (t) => {
  const { state, observed, health, metrics } = readiness({ check: () => Promise.resolve() })
  state.started()
  t.equal(health.redisUp, undefined)
  t.notMatch(await metrics.registry.metrics(), /^portcullis_redis_up\{/m, 'without Redis there is nothing to be down')
  for (const use of ['counters', 'stream']) health.redisChanged(use, true, '')
  t.same(await state.read(), { ready: true, reasons: [], degraded: [] })
  for (const use of ['counters', 'stream']) health.redisChanged(use, false, 'no answer')
  t.same(await state.read(), { ready: true, reasons: [], degraded: ['redis_down'] })
  t.match(await metrics.registry.metrics(), /^portcullis_redis_up\{use="stream"\} 0$/m)
  health.redisChanged('counters', true, '')
  t.equal(health.redisUp, false, 'until all are back')
  health.redisChanged('stream', true, '')
  t.same(await state.read(), { ready: true, reasons: [], degraded: [] })
  t.same(observed.lines, ['Redis does not answer', 'Redis answers again'])
  const [gone, back] = observed.facts
  t.match(gone, {
    use: 'counters',
    reason: 'no answer',
    goesOn: /^everything; changes come by the Store/,
    limits: /onDown/,
  })
  t.match(back, { awayMs: Number })
})

t.test('background work that fails because something is away says nothing that was not said', async (t) => {
  let up = true
  const check = async () => {
    if (!up) throw new Error('away')
  }
  const { health, observed } = readiness({ check })
  const reported: string[] = []
  const fail = async (code: string) => {
    health.suppressDuplicates(
      Object.assign(new Error(code), { code }),
      (error) => void reported.push((error as Error).message),
    )
    await health.storeAnswers()
  }
  for (const code of ['store_unavailable', 'redis_unavailable', 'anything']) await fail(code)
  t.same(reported.splice(0), ['store_unavailable', 'redis_unavailable', 'anything'], 'all is well, so each is news')
  up = false
  health.redisChanged('counters', false, 'gone')
  for (const code of ['store_unavailable', 'store_unavailable', 'redis_unavailable', 'anything']) await fail(code)
  t.same(reported, ['anything'])
  t.same(observed.lines, ['Redis does not answer', 'the Store does not answer'])
})

t.test('F9 a Store that does not answer is down, and readiness does not wait for it', async (t) => {
  const { state } = readiness({ check: () => new Promise(() => undefined) })
  state.started()
  const before = performance.now()
  t.same((await state.read()).degraded, ['store_down'])
  t.ok(performance.now() - before < 15_000)
})

t.test('F9 a Store that has answered while this process stood still is not away', async (t) => {
  const { port1, port2 } = new MessageChannel()
  t.teardown(() => port1.close())
  const { state, observed } = readiness({
    async check() {
      port2.postMessage('an answer, which is read as one from a socket is')
      await once(port1, 'message')
    },
  })
  state.started()
  // Behind the turn's look at what has come, so that timers are due before the next one.
  await new Promise((resolve) => setImmediate(resolve))
  const pending = state.read()
  for (const until = performance.now() + 2_500; performance.now() < until; );
  t.same((await pending).degraded, [])
  t.same(observed.lines, [])
})

t.test('work by the clock goes on after a failure, is never overtaken, and is done once more at the end', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const done: string[] = []
  const failed: unknown[] = []
  let release = () => undefined as unknown
  let slow = false
  let leads = true
  const away = (name: string) =>
    new Proxy(
      {},
      {
        get() {
          done.push(name)
          throw new Error(`${name} cannot`)
        },
      },
    )
  const flush = async () => {
    done.push('flush')
    if (slow) await new Promise((resolve) => (release = () => resolve(undefined)))
  }
  const deps = {
    directory: { flush },
    activity: { flush: async () => undefined, trim: async () => undefined },
    decisions: { flush: async () => undefined, trim: async () => undefined },
    users: { mail: undefined },
    checkpoints: { write: async () => void done.push('checkpoint') },
    headWatch: { look: async () => undefined },
    usage: { flush: async () => void done.push('usage') },
    history: { flush: async () => undefined },
    metrics: { secretsExpiring: { reset: () => undefined }, usageDayWait: { reset: () => undefined } },
    keyLifecycle: away('keys'),
    store: away('prune'),
    view: { tokensAfterMs: 0, holds: () => false },
    now: Date.now,
    leader: { isLeader: () => leads },
    membership: { members: () => [] },
  }
  const stop = startPeriodicWork(
    deps as unknown as PeriodicWork,
    idleDeliveryWorker,
    periodicSettings,
    (error) => void failed.push(error),
  )
  const round = async (ms: number) => {
    mock.timers.tick(ms)
    await new Promise((resolve) => setImmediate(resolve))
  }
  for (let i = 0; i < 8; i += 1) await round(15_000)
  t.equal(done.filter((name) => name === 'flush').length, 8, 'last-used times every quarter of a minute')
  t.equal(failed.filter((error) => /keys/.test(String(error))).length, 2, 'keys every minute, although it failed')
  t.equal(done.filter((name) => name === 'usage').length, 8, 'counts as often as configured')
  t.equal(done.filter((name) => name === 'checkpoint').length, 2, 'checkpoints of the ledger as often as configured')
  for (let i = 0; i < 40; i += 1) await round(15_000)
  // In twelve minutes: secrets by the minute; days of usage, their wait and keys of names every quarter of one.
  const often = 12 + 3 * 48
  const pruned = failed.filter((error) => /prune/.test(String(error))).length - often
  t.equal(pruned, 5, 'what is dead leaves every ten minutes')
  leads = false
  failed.length = 0
  for (let i = 0; i < 48; i += 1) await round(15_000)
  t.same(failed, [], 'an instance that does not lead leaves keys and rows to the one that does')
  slow = true
  done.length = 0
  for (let i = 0; i < 3; i += 1) await round(15_000)
  t.equal(done.filter((name) => name === 'flush').length, 1, 'one at a time')
  slow = false
  release()
  done.length = 0
  await stop()
  t.same(done, ['flush', 'usage'], 'what was gathered is written; checkpoints are for who leads')
  await round(600_000)
  t.same(done, ['flush', 'usage'], 'and nothing runs any more')
})

t.test('K3 secrets that end are a metric and a row of the ledger, of the leader alone', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const { store } = await openTemporaryStore(t)
  const day = 86_400_000
  const nowMs = 1_800_000_000_000
  await store.transaction(async (tx) => {
    await insertTenant(tx, tenantRow('t1'))
    await insertApplication(tx, usageApplication)
    for (const [key, days] of [
      ['soon', 3],
      ['later', 20],
      ['ended', -1],
      ['far', 40],
    ] as const)
      await insertSecret(tx, usageSecret(key, nowMs + days * day))
  })
  const metrics = createMetrics()
  const nothing = { flush: async () => undefined, trim: async () => undefined, write: async () => undefined }
  let leads = true
  const deps = {
    users: { mail: undefined },
    directory: nothing,
    activity: nothing,
    decisions: nothing,
    checkpoints: nothing,
    usage: nothing,
    history: nothing,
    keyLifecycle: undefined,
    store,
    metrics,
    ledger: createLedger({ keys: createLedgerKeys([randomBytes(32)]), now: () => nowMs }),
    now: () => nowMs,
    leader: { isLeader: () => leads },
    membership: { members: () => [] },
  }
  const settings = {
    apartMs: 0,
    ledger: { ...periodicSettings.ledger, checkpointEveryMs: day },
    usage: { flushEveryMs: day, keepMs: day },
    signIn: { sessionIdleMs: day, providers: new Map() },
  }
  const stop = startPeriodicWork(deps as unknown as PeriodicWork, idleDeliveryWorker, settings, () => undefined)
  t.teardown(stop)
  const exposed = async () =>
    (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith('portcullis_secrets_expiring'))
  t.same(await exposed(), [])
  mock.timers.tick(60_000)
  await until('they are counted', async () => (await exposed()).length === 2)
  t.same(await exposed(), ['portcullis_secrets_expiring{window="7d"} 1', 'portcullis_secrets_expiring{window="30d"} 2'])
  const rows = await listLedger(store.reader, { order: 'oldest', filter: {}, limit: 10 })
  t.same(
    rows.map(({ event, details }) => [event, JSON.parse(details).keyId, JSON.parse(details).days]),
    [
      ['secret.expiring', 'soon', 7],
      ['secret.expiring', 'later', 30],
    ],
  )
  leads = false
  mock.timers.tick(60_000)
  await until('who no longer leads says nothing', async () => (await exposed()).length === 0)
})

t.test('V9 F32 a leader whose clock is hours ahead forgets no instance that lives', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const { store } = await openTemporaryStore(t)
  const hour = 3_600_000
  const row = (id: string, seenAt: number) => ({ id, name: id, startedAt: 0, seenAt, appliedSeq: 0 })
  const living = row('living', 100 * hour)
  await store.transaction(async (tx) => {
    for (const one of [living, row('dead', 90 * hour)]) await noteInstance(tx, one)
  })
  const deps = {
    directory: { flush: async () => undefined },
    activity: { flush: async () => undefined, trim: async () => undefined },
    decisions: { flush: async () => undefined, trim: async () => undefined },
    users: { mail: undefined },
    checkpoints: { write: async () => undefined },
    usage: { flush: async () => undefined },
    history: { flush: async () => undefined },
    metrics: { secretsExpiring: { reset: () => undefined }, usageDayWait: { reset: () => undefined } },
    keyLifecycle: undefined,
    store,
    now: () => 105 * hour,
    leader: { isLeader: () => true },
    membership: { members: () => [living] },
  }
  let checkpoints = 0
  deps.checkpoints.write = async () => {
    checkpoints += 1
  }
  const stop = startPeriodicWork(deps as unknown as PeriodicWork, idleDeliveryWorker, periodicSettings, () => undefined)
  mock.timers.tick(10 * 60_000)
  const names = async () => (await listInstances(store.reader, 0)).map(({ id }) => id)
  await until('the dead one is forgotten', async () => (await names()).length === 1)
  t.same(await names(), ['living'])
  const before = checkpoints
  await stop()
  t.equal(checkpoints, before + 1, 'a clean end of the leader leaves a checkpoint')
})
