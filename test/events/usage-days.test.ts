// The daily events of usage, with clocks that the test moves: each ended day is told of once and whole, when the leader
// changes, an instance dies, or counts come late; and what is told adds up to what was called.

import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { TokenPrincipal } from '../../src/access/principal.js'
import { createUsage } from '../../src/access/usage.js'
import { dayOf } from '../../src/access/usage-sums.js'
import { followLedger } from '../../src/events/follow-ledger.js'
import { createUsageDays, measureUsageDays } from '../../src/events/usage-days.js'
import { sweepDead } from '../../src/instance/sweep.js'
import { createLedger } from '../../src/ledger/chain.js'
import { createLedgerKeys } from '../../src/ledger/ledger-keys.js'
import { createMetrics } from '../../src/observability/metrics.js'
import { noteInstance, removeInstance } from '../../src/storage/sql/cluster/instances.js'
import { listLedger } from '../../src/storage/sql/ledger/ledger-entries.js'
import { insertApplication } from '../../src/storage/sql/registrations/applications.js'
import { insertTenant } from '../../src/storage/sql/registrations/tenants.js'
import { addUsage } from '../../src/storage/sql/usage/usage.js'
import { readUsageDays } from '../../src/storage/sql/usage/usage-days.js'
import { sumRouteUsage } from '../../src/storage/sql/usage/usage-reads.js'
import { listDeliveries } from '../../src/storage/sql/webhooks/delivery-lists.js'
import { insertWebhook } from '../../src/storage/sql/webhooks/webhooks.js'
import { documentedBlock } from '../support/settings/documentation.js'
import { quickFolder } from '../support/storage/quick-folder.js'
import { applicationRow } from '../support/storage/rows.js'
import { shakyStore } from '../support/storage/shaky-store.js'
import { openNewStore, tenantRow } from '../support/storage/temporary-store.js'

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000]
const noon = Date.UTC(2026, 10, 21, 12)
const nextDay = (ms: number) => (dayOf(ms) + 1) * dayMs

interface UsageEvent {
  id: string
  subject: string
  data: {
    tenantId: string
    day: string
    part: number
    parts: number
    totals: { allowed: number }
    value: { applicationId: string; plan: string | null; route: string; allowed: number }[]
  }
}

async function open(t: Test, tenants: readonly string[] = ['t1']) {
  const store = await openNewStore(join(quickFolder(t), 'portcullis.db'))
  t.teardown(() => store.close())
  const clock = { nowMs: noon }
  const now = () => clock.nowMs
  const ledger = createLedger({ keys: createLedgerKeys([randomBytes(32)]), now })
  const errors: string[] = []
  const onError = (error: unknown) => void errors.push(String(error))
  const hook = (tenantId: string, events = ['usage.*']) => {
    const id = randomUUID()
    const url = 'https://hooks.test/'
    return store.transaction(async (tx) => {
      await insertWebhook(tx, {
        ...{ id, tenant_id: tenantId, url, events: JSON.stringify(events), secret: '', enabled: 1, created_by: '' },
        ...{ disabled_because: null, created_at: 1, updated_at: 1, failing_since: null },
        ...{ earlier_secret: null, earlier_until: null },
      })
      return id
    })
  }
  const hooks = new Map<string, string>()
  for (const tenantId of tenants) {
    await store.transaction((tx) => insertTenant(tx, tenantRow(tenantId)))
    hooks.set(tenantId, await hook(tenantId))
  }
  const plans = new Map([['a1', 'partner']])
  const follow = () =>
    followLedger({ store, baseUrl: 'https://gate.test', now, onError, planOf: (id) => plans.get(id) })
  /** An instance whose clock is `behindMs` behind; its counts, and its part of leading. */
  const instance = async (id: string, behindMs = 0) => {
    const own = () => clock.nowMs - behindMs
    const shaky = shakyStore(store)
    shaky.fails = 'never'
    const usage = createUsage({ store: shaky, instanceId: id, now: own, onDropped: () => t.fail() })
    const leader = { leads: true, isLeader: () => leader.leads }
    const { turn } = createUsageDays({ store, ledger, instanceId: id, leader, now: own, onError })
    const row = { id, name: id, startedAt: 1, seenAt: 1, appliedSeq: 0 }
    await store.transaction((tx) => noteInstance(tx, row))
    const leave = () => store.transaction((tx) => removeInstance(tx, id))
    const call = (calls: number, application = 'a1', route = 'GET /posts', tenantId = 't1') => {
      const caller = callerOf(application, tenantId)
      for (let done = 0; done < calls; done += 1) usage.allowed(caller, { id: route }, ['read'])
      // As the time between two writes does: calls are of the day on which they are gathered.
      usage.gather()
    }
    return { id, usage, turn, leader, leave, call, shaky }
  }
  const bodies = async (tenantId = 't1'): Promise<UsageEvent[]> => {
    await follow()
    const of = { webhookId: hooks.get(tenantId) ?? '', state: undefined, limit: 1_000 }
    return (await listDeliveries(store.reader, of)).reverse().map(({ body }) => JSON.parse(body))
  }
  /** What was told of: day, calls. */
  const dayCalls = async (tenantId = 't1') => {
    const events = await bodies(tenantId)
    return events.map(({ data }) => [data.day.slice(5), data.totals.allowed] as const)
  }
  const calls = async () => {
    const sums = await sumRouteUsage(store.reader, { from: 0, to: 1_000_000 }, 'day', 1000)
    return sums.reduce((sum, { allowed }) => sum + allowed, 0)
  }
  return { store, clock, now, ledger, errors, plans, hook, hooks, follow, instance, bodies, dayCalls, calls }
}

function callerOf(applicationId: string, tenantId: string): TokenPrincipal {
  const ids = { applicationId, tenantId, jti: 'j', credentialId: 'c', keyId: 'k' }
  const held = { resource: 'r', permissions: new Set(['read']), issuedAt: 0, expiresAt: 1, seq: 1 }
  return { kind: 'application', ...ids, ...held }
}

t.test('a day that has ended is told of once, by application, plan and route, as the export has it', async (t) => {
  const { store, clock, instance, bodies, dayCalls } = await open(t)
  await store.transaction((tx) => insertApplication(tx, applicationRow('a1', { tenant_id: 't1' })))
  const one = await instance('one')
  await one.turn()
  one.call(5)
  one.call(2, 'a1', 'GET /me')
  one.call(3, 'gone')
  one.usage.refused(callerOf('a1', 't1'), 'GET /posts', 429)
  one.usage.refused(callerOf('a1', 't1'), 'GET /posts', 403)
  one.call(7, 'a1', 'GET /posts', 't2')
  await one.usage.flush()
  await one.turn()
  t.same(await dayCalls(), [], 'not before it is over')
  clock.nowMs = nextDay(noon) - 1
  await one.usage.flush()
  await one.turn()
  t.same(await dayCalls(), [])
  clock.nowMs += 1
  await one.turn()
  t.same(await dayCalls(), [], 'not before its counts are written')
  await one.usage.flush()
  await one.turn()
  await one.turn()
  const [event, ...more] = await bodies()
  t.same(more, [], 'once')
  const none = { refused: { permission: 0, limit: 0, token: 0 }, errors: { client: 0, server: 0 } }
  t.match(event, { specversion: '1.0', source: 'https://gate.test', type: 'portcullis.usage.day_ended' })
  t.equal(event?.id, 'usage-t1-2026-11-21-1', 'the id is that of the tenant and the day')
  t.equal(event?.subject, 'usage/2026-11-21')
  const refused = { permission: 1, limit: 1, token: 0 }
  t.same(event?.data, {
    ...{ tenantId: 't1', day: '2026-11-21', part: 1, parts: 1, totals: { ...none, allowed: 10, refused } },
    value: [
      { applicationId: 'a1', plan: 'partner', route: 'GET /me', allowed: 2, ...none },
      { applicationId: 'a1', plan: 'partner', route: 'GET /posts', allowed: 5, ...none, refused },
      { applicationId: 'gone', plan: null, route: 'GET /posts', allowed: 3, ...none },
    ],
  })
  const rows = await listLedger(store.reader, { filter: { event: 'usage.day-ended' }, order: 'oldest', limit: 9 })
  t.match(rows, [{ tenant_id: 't1', actor: '{"kind":"system"}' }], 'the audit log has the sums')
  t.match(JSON.parse(rows[0]?.details ?? ''), { day: '2026-11-21', allowed: 10, limited: 1 })
  const documented = JSON.parse(documentedBlock('"day": "2026-11-22"') ?? '{}')
  const [first] = event?.data.value ?? []
  t.same(shapeOf(documented), shapeOf({ ...event?.data, value: [first] }), 'as the documentation shows it')
})

/** The same object with the kind of each value in its place. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]))
}

t.test(
  'days without a call are told of too, also after a gap of several days; days before the first start are not',
  async (t) => {
    const { clock, instance, dayCalls, hook, bodies, hooks } = await open(t, ['t1', 't2'])
    hooks.set('deaf', await hook('t1', ['application.*', 'consent.granted']))
    hooks.set('all', await hook('t1', ['*']))
    const one = await instance('one')
    one.call(4)
    await one.usage.flush()
    await one.turn()
    clock.nowMs += 4 * dayMs
    const after = await instance('after')
    await one.leave()
    await after.turn()
    await after.usage.flush()
    await after.turn()
    t.same(await dayCalls(), [
      ['11-21', 4],
      ['11-22', 0],
      ['11-23', 0],
      ['11-24', 0],
    ])
    t.same((await bodies()).at(-1)?.data, {
      ...{ tenantId: 't1', day: '2026-11-24', part: 1, parts: 1, value: [] },
      totals: {
        ...{ allowed: 0, refused: { permission: 0, limit: 0, token: 0 } },
        errors: { client: 0, server: 0 },
      },
    })
    t.same((await dayCalls('t2')).length, 4, 'a tenant hears of its own')
    t.same([(await dayCalls('deaf')).length, (await dayCalls('all')).length], [0, 4], 'by what a webhook hears of')
  },
)

t.test('a day waits for every instance that is there; one whose clock is behind, and one that has died', async (t) => {
  const { store, clock, instance, dayCalls, errors } = await open(t)
  const [first, slow, dead] = [await instance('lead'), await instance('slow', 9 * minuteMs), await instance('dead')]
  await first.turn()
  for (const one of [first, slow, dead]) one.call(10)
  await dead.usage.flush()
  dead.call(1)
  clock.nowMs = nextDay(noon) + minuteMs
  slow.call(2)
  for (const one of [first, slow]) await one.usage.flush()
  await first.turn()
  t.same(await dayCalls(), [], 'for one it is still the day before')
  clock.nowMs += 9 * minuteMs
  await slow.usage.flush()
  await first.turn()
  t.same(await dayCalls(), [], 'and one has not written, and may come back')
  await store.transaction((tx) => removeInstance(tx, 'dead'))
  await first.turn()
  t.same(await dayCalls(), [['11-21', 32]], 'after an hour it leaves the list of instances')
  t.same(errors, [])
})

t.test('what comes when its day was told of counts for the next day: nothing twice, nothing lost', async (t) => {
  const { clock, instance, dayCalls, calls, store } = await open(t)
  const [first, cut] = [await instance('lead'), await instance('cut')]
  await first.turn()
  first.call(10)
  cut.call(5)
  cut.shaky.fails = 'before'
  await t.rejects(cut.usage.flush(), { code: 'store_unavailable' })
  await cut.leave()
  clock.nowMs = nextDay(noon)
  cut.call(1)
  await first.usage.flush()
  await first.turn()
  t.same(await dayCalls(), [['11-21', 10]])
  cut.shaky.fails = 'after'
  await t.rejects(cut.usage.flush(), { code: 'store_unavailable' }, 'the answer is lost')
  cut.shaky.fails = 'never'
  await cut.usage.flush()
  first.call(2)
  clock.nowMs += dayMs
  await first.usage.flush()
  await first.turn()
  t.same(await dayCalls(), [
    ['11-21', 10],
    ['11-22', 8],
  ])
  clock.nowMs += dayMs
  await first.usage.flush()
  await first.turn()
  t.same((await dayCalls()).slice(2), [['11-23', 0]])
  t.equal(await calls(), 18, 'as many as there were')
  const row = { tenant_id: 't1', application_id: 'a1', route: 'r', allowed: 1 }
  const rest = { not_permitted: 0, limited: 0, token_refused: 0, client_errors: 0, server_errors: 0 }
  const day = dayOf(noon)
  const routes = [day, day + 1, dayOf(clock.nowMs)].map((of) => ({ ...row, ...rest, day: of }))
  const batch = { instanceId: 'x', sequence: 1, permissions: [], routes, pkce: [] }
  t.ok(await store.transaction((tx) => addUsage(tx, batch, 1), 'first-lock'), 'of several days in one batch')
  const sums = await sumRouteUsage(store.reader, { route: 'r', from: 0, to: 1_000_000 }, 'day', 9)
  t.same(
    sums.map(({ key, allowed }) => [Number(key), allowed]),
    [[dayOf(clock.nowMs), 3]],
    'is one row of the open day',
  )
})

t.test('an instance that is there and writes nothing is waited for six hours, and the log names it', async (t) => {
  const { store, now, clock, instance, dayCalls, errors, calls } = await open(t)
  const [first, stuck] = [await instance('lead'), await instance('stuck')]
  await first.turn()
  first.call(1)
  stuck.call(3)
  clock.nowMs = nextDay(noon)
  await first.usage.flush()
  await first.turn()
  clock.nowMs += 6 * hourMs - 1
  await first.turn()
  t.same([await dayCalls(), errors], [[], []])
  const registry = createMetrics()
  const waited = async (isLeader = true) => {
    await measureUsageDays({ store, now, leader: { isLeader: () => isLeader }, metrics: registry })
    return (await registry.usageDayWait.get()).values.map(({ value }) => value)
  }
  t.same(await waited(), [6 * 3_600 - 0.001], 'the metric says how long')
  t.same(await waited(false), [0], 'of an instance that leads')
  clock.nowMs += 1
  await first.turn()
  t.same(await waited(), [0], 'until all were told')
  t.same(await dayCalls(), [['11-21', 1]])
  t.match(errors, [
    /instance stuck has not written its counts of 2026-11-21: what comes of them counts for a later day/,
  ])
  await stuck.usage.flush()
  t.equal(await calls(), 4)
})

t.test('the next leader goes on where the one before stopped; two that lead at once tell once', async (t) => {
  const tenants = Array.from({ length: 45 }, (_, n) => `t${String(n).padStart(2, '0')}`)
  const { clock, instance, dayCalls, store } = await open(t, tenants)
  const [one, two] = [await instance('one'), await instance('two')]
  await one.turn()
  for (const tenantId of tenants) one.call(1, 'a1', 'GET /', tenantId)
  clock.nowMs = nextDay(noon)
  for (const { usage } of [one, two]) await usage.flush()
  one.leader.isLeader = () => {
    const leads = one.leader.leads
    one.leader.leads = false
    return leads
  }
  await one.turn()
  const begun = await Promise.all(tenants.map((tenantId) => dayCalls(tenantId)))
  t.equal(begun.flat().length, 10, 'one was stopped in the middle of the tenants')
  one.leader.isLeader = () => true
  await Promise.all([one.turn(), two.turn(), one.turn(), two.turn()])
  for (const tenantId of tenants) t.same(await dayCalls(tenantId), [['11-21', 1]])
  t.match(await readUsageDays(store.reader), { next_day: dayOf(clock.nowMs), next_tenant: '', next_part: 1 })
})

t.test(
  'a process that ends between the event and its mark has done neither; one that ends before it is sent, both',
  async (t) => {
    const { store, clock, instance, dayCalls, ledger, now, errors } = await open(t)
    const one = await instance('one')
    await one.turn()
    one.call(6)
    clock.nowMs = nextDay(noon)
    await one.usage.flush()
    const append: typeof ledger.append = async (tx, event) => {
      await ledger.append(tx, event)
      throw new Error('killed')
    }
    const onError = (error: unknown) => void errors.push(String(error))
    const killed = createUsageDays({ store, ledger: { append }, instanceId: 'one', leader: one.leader, now, onError })
    await t.rejects(killed.turn(), { message: 'killed' })
    t.same(await dayCalls(), [])
    await one.turn()
    const next = await instance('next')
    await next.turn()
    t.same(await dayCalls(), [['11-21', 6]], 'the row that nobody had followed yet is followed by the next')
  },
)

t.test(
  'many applications are told of in parts of a hundred lines, each with the sums of all, none too large',
  async (t) => {
    const { clock, instance, bodies, store } = await open(t)
    const one = await instance('one')
    await one.turn()
    const routes = Array.from({ length: 2_350 }, (_, n) => `GET /posts/{id}/${'x'.repeat(60)}/${n}`)
    for (const [n, route] of routes.entries()) one.call(1 + (n % 3), `a${n % 7}`, route)
    clock.nowMs = nextDay(noon)
    await one.usage.flush()
    one.leader.isLeader = () => false
    await one.turn()
    one.leader.isLeader = () => true
    await one.turn()
    const events = await bodies()
    t.same(
      events.map(({ data }) => [data.part, data.parts, data.value.length]),
      Array.from({ length: 24 }, (_, n) => [n + 1, 24, n === 23 ? 50 : 100]),
    )
    t.equal(new Set(events.map(({ id }) => id)).size, 24)
    const lines = events.flatMap(({ data }) => data.value)
    t.equal(new Set(lines.map(({ applicationId, route }) => `${applicationId} ${route}`)).size, 2_350)
    const sum = lines.reduce((all, { allowed }) => all + allowed, 0)
    t.ok(events.every(({ data }) => data.totals.allowed === sum))
    t.ok(Math.max(...events.map((event) => JSON.stringify(event).length)) < 65_536)
    const sums = await sumRouteUsage(store.reader, { tenantId: 't1', from: 0, to: 1_000_000 }, 'day', 9)
    t.same(
      sums.map(({ allowed }) => allowed),
      [sum],
    )
  },
)

t.test('days are those of UTC, whatever the zone of the machine and its summer time', async (t) => {
  const zone = process.env['TZ']
  t.teardown(() => {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  })
  process.env['TZ'] = 'Europe/Berlin'
  const { clock, instance, dayCalls } = await open(t)
  clock.nowMs = Date.UTC(2026, 9, 24, 21)
  const one = await instance('one')
  await one.turn()
  // Midnight there is 22 h in UTC on the day before summer time ends, and 23 h on the day after.
  for (let hour = 0; hour < 52; hour += 1) {
    one.call(1)
    await one.usage.flush()
    await one.turn()
    clock.nowMs += hourMs
  }
  t.same(await dayCalls(), [
    ['10-24', 3],
    ['10-25', 24],
    ['10-26', 24],
  ])
})

t.test('of instances that ended long ago nothing stays', async (t) => {
  const { store, clock, now, instance } = await open(t)
  const one = await instance('one')
  await one.usage.flush()
  clock.nowMs += 8 * dayMs
  const two = await instance('two')
  await two.usage.flush()
  await sweepDead({ store, now, sessionIdleMs: 1 })
  t.same(await store.reader.selectFrom('usage_written').selectAll().execute(), [
    { instance_id: 'two', day: dayOf(clock.nowMs) },
  ])
})
