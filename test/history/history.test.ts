// The short history: what instances counted in the last hour and the last day, joined, bounded, and still there after a
// restart.

import t, { type Test } from 'tap'
import { callsBy, callsOverTime } from '../../src/history/calls.js'
import { createHistory, type GatheredCalls } from '../../src/history/history.js'
import { quantileMs } from '../../src/history/latency.js'
import { requestsAltogether, requestsByRoute, totalsNamed } from '../../src/history/requests.js'
import { others } from '../../src/history/slot.js'
import { slotLimits } from '../../src/history/slot-sums.js'
import { buckets, createMetrics } from '../../src/observability/metrics.js'
import { deleteHistory } from '../../src/storage/sql/history/history.js'
import { type Store, StoreUnavailable } from '../../src/storage/sql/store.js'
import { openTemporaryStore } from '../support/storage/temporary-store.js'

const minute = 60_000
const start = Date.UTC(2026, 10, 23, 10, 0)
const none = { allowed: 0, notPermitted: 0, limited: 0, tokenRefused: 0, clientErrors: 0, serverErrors: 0 }
const of = (routeId: string, counts: Partial<GatheredCalls> = { allowed: 1 }): GatheredCalls => ({
  ...{ tenantId: 't1', applicationId: 'a1', routeId, ...none, ...counts },
})

async function open(t: Test) {
  const { store } = await openTemporaryStore(t)
  const clock = { nowMs: start }
  const instance = (instanceId: string, on: Pick<Store, 'transaction' | 'reader'> = store) => {
    const metrics = createMetrics()
    const waiting: GatheredCalls[] = []
    const history = createHistory({
      ...{ store: on, instanceId, metrics, now: () => clock.nowMs },
      gather: () => {
        for (const calls of waiting.splice(0)) history.add(calls, clock.nowMs)
      },
    })
    return { history, metrics, waiting }
  }
  const sum = (lines: readonly { allowed: number }[]) => lines.reduce((total, { allowed }) => total + allowed, 0)
  return { store, clock, instance, sum }
}

t.test('calls of both instances are one history, by minute and by quarter of an hour', async (t) => {
  const { clock, instance } = await open(t)
  const [one, other] = [instance('i1'), instance('i2')]
  one.history.add(of('GET /posts', { allowed: 3, serverErrors: 1 }), clock.nowMs)
  other.history.add(of('GET /posts', { allowed: 4, notPermitted: 2 }), clock.nowMs)
  clock.nowMs += 5 * minute
  other.history.add(of('POST /posts', { allowed: 1, limited: 5, applicationId: 'a2' }), clock.nowMs)
  await other.history.flush()
  const hour = await one.history.recent('1h')
  t.match(hour, { slotSeconds: 60, complete: true })
  t.equal(hour.slots.length, 60)
  const lines = callsOverTime(hour, { tenantId: 't1' }).filter(({ allowed }) => allowed > 0)
  t.same(lines, [
    { at: start, ...none, allowed: 7, notPermitted: 2, serverErrors: 1 },
    { at: start + 5 * minute, ...none, allowed: 1, limited: 5 },
  ])
  const day = await one.history.recent('24h')
  t.match(day, { slotSeconds: 900 })
  t.same(
    callsOverTime(day, {}).filter(({ allowed }) => allowed > 0),
    [{ at: start, ...none, allowed: 8, notPermitted: 2, limited: 5, serverErrors: 1 }],
    'the same calls in longer slots',
  )
  t.same(
    callsBy(hour, { routeId: 'POST /posts' }, { application: true }),
    [{ applicationId: 'a2', ...none, allowed: 1, limited: 5 }],
    'who still calls a route',
  )
  t.same(
    callsBy(hour, {}, { route: true, application: true }).map(({ routeId, applicationId }) => [routeId, applicationId]),
    [
      ['GET /posts', 'a1'],
      ['POST /posts', 'a2'],
    ],
  )
  t.same(callsBy(hour, { tenantId: 't2' }, { route: true }), [], 'of another tenant nothing')
})

t.test('a slot that is written again replaces itself, and what others add is seen', async (t) => {
  const { clock, instance, sum } = await open(t)
  const [one, other] = [instance('i1'), instance('i2')]
  for (let i = 1; i <= 3; i += 1) {
    other.waiting.push(of('GET /posts'))
    await other.history.flush()
    await other.history.flush()
    clock.nowMs += 4_000
    t.equal(sum(callsOverTime(await one.history.recent('1h'), {})), i)
  }
  other.waiting.push(of('GET /posts'))
  await other.history.flush()
  t.equal(sum(callsOverTime(await one.history.recent('1h'), {})), 3, 'others are read at most every few seconds')
})

t.test('what was written is there after a restart; old slots are forgotten', async (t) => {
  const { store, clock, instance, sum } = await open(t)
  const before = instance('i1')
  before.history.add(of('GET /posts'), clock.nowMs)
  await before.history.flush()
  before.history.add(of('GET /posts'), clock.nowMs)
  const after = instance('i2')
  t.equal(sum(callsOverTime(await after.history.recent('1h'), {})), 1, 'a lost instance takes what it had not written')
  await before.history.flush()
  clock.nowMs += 59 * minute
  t.equal(sum(callsOverTime(await before.history.recent('1h'), {})), 2)
  clock.nowMs += minute
  t.equal(sum(callsOverTime(await before.history.recent('1h'), {})), 0)
  t.equal(sum(callsOverTime(await after.history.recent('24h'), {})), 2)
  clock.nowMs += 24 * 60 * minute
  t.equal(sum(callsOverTime(await before.history.recent('24h'), {})), 0)
  const prune = (slotSeconds: number) =>
    store.transaction((tx) => deleteHistory(tx, { slotSeconds, before: clock.nowMs, limit: 10 }))
  t.same([await prune(60), await prune(60), await prune(900)], [1, 0, 1])
})

t.test('without the Store an instance tells of itself, says so, and writes all of it later', async (t) => {
  const { store, clock, instance, sum } = await open(t)
  let isAway = true
  const shaky = {
    transaction: (async (work: never) => {
      if (isAway) throw new StoreUnavailable('away')
      return store.transaction(work)
    }) as Store['transaction'],
    get reader() {
      if (isAway) throw new StoreUnavailable('away')
      return store.reader
    },
  }
  const one = instance('i1', shaky)
  for (let i = 0; i < 3; i += 1) {
    one.waiting.push(of('GET /posts'))
    await t.rejects(one.history.flush(), new StoreUnavailable('away'))
    clock.nowMs += minute
  }
  const alone = await one.history.recent('1h')
  t.equal(alone.complete, false)
  t.equal(sum(callsOverTime(alone, {})), 3)
  isAway = false
  await one.history.flush()
  t.equal(sum(callsOverTime(await instance('i2').history.recent('1h'), {})), 3)
})

t.test('T9 slots are bounded, no tenant fills one, and sums stay right', async (t) => {
  const { clock, instance, sum } = await open(t)
  const { history } = instance('i1')
  const most = 3_000
  for (let i = 0; i < most; i += 1)
    history.add(of(`GET /${i}`, { allowed: 1, applicationId: `a${i % 40}` }), clock.nowMs)
  history.add(of('GET /posts', { tenantId: 't2', applicationId: 'b1', allowed: 1 }), clock.nowMs)
  const recent = await history.recent('1h')
  t.equal(sum(callsOverTime(recent, { tenantId: 't1' })), most)
  t.ok(callsBy(recent, { tenantId: 't1' }, { route: true, application: true }).length <= slotLimits.ofTenant * 1.3)
  t.equal(
    callsBy(recent, { tenantId: 't1' }, { application: true }).length,
    40,
    'routes are joined before applications',
  )
  t.same(
    callsBy(recent, { tenantId: 't2' }, { route: true }).map(({ routeId }) => routeId),
    ['GET /posts'],
    'another tenant has its room',
  )
  for (let i = 0; i < most; i += 1)
    history.add(of('GET /a', { tenantId: `t${i}`, applicationId: `c${i}`, allowed: 1 }), clock.nowMs)
  const [slot] = (await history.recent('1h')).slots.flatMap(({ parts }) => parts)
  t.ok((slot?.calls.size ?? 0) <= slotLimits.series * 1.5, `${slot?.calls.size} series`)
  const all = await history.recent('1h')
  t.equal(sum(callsOverTime(all, {})), 2 * most + 1)
  t.ok(sum(callsOverTime(all, { tenantId: others })) > 0, 'tenants beyond it are counted together')
})

t.test('all requests: by route, how they were answered, how long they took, and why they were refused', async (t) => {
  const { clock, instance } = await open(t)
  const { history, metrics } = instance('i1')
  const answer = (route: string, code: string, source: string, seconds: number, times = 1) => {
    metrics.httpRequests.labels(route, 'GET', code, source).inc(times)
    for (let i = 0; i < times; i += 1) metrics.httpDuration.labels(route, 'GET').observe(seconds)
  }
  answer('GET /posts', '200', 'upstream', 0.004, 90)
  answer('GET /posts', '502', 'gate', 0.004, 4)
  answer('GET /posts', '500', 'upstream', 0.2, 6)
  answer('sign-in', '403', 'identity', 0.02)
  metrics.authDecisions.labels('GET /posts', 'denied', 'missing_permission').inc(3)
  metrics.authDecisions.labels('GET /posts', 'allowed', 'granted').inc(9)
  metrics.limitDecisions.labels('few', 'refused').inc(2)
  metrics.signIns.inc({ result: 'failed' }, 7)
  metrics.tokensIssued.labels('authorization_code', 'invalid_grant').inc()
  await history.flush()
  clock.nowMs += minute
  metrics.signIns.inc({ result: 'failed' })
  const recent = await history.recent('1h')
  const [posts, signIn] = requestsByRoute(recent)
  t.match(posts, { routeId: 'GET /posts', requests: 100, clientErrors: 0, serviceErrors: 6, ownErrors: 4 })
  t.match(signIn, { routeId: 'sign-in', requests: 1, clientErrors: 1 })
  const { totals, ...all } = requestsAltogether(recent)
  t.match(all, { requests: 101, clientErrors: 1, serviceErrors: 6, ownErrors: 4 })
  t.ok((all.p50Ms ?? 0) > 2.5 && (all.p50Ms ?? 0) <= 5, `${all.p50Ms} ms`)
  t.ok((all.p95Ms ?? 0) > 100 && (all.p95Ms ?? 0) <= 250, `${all.p95Ms} ms`)
  t.same(totalsNamed(totals, 'refused'), [{ name: 'missing_permission', count: 3 }])
  t.same(totalsNamed(totals, 'limited'), [{ name: 'few', count: 2 }])
  t.same(totalsNamed(totals, 'signIn'), [{ name: 'failed', count: 8 }], 'each is counted once')
  t.same(totalsNamed(totals, 'token'), [{ name: 'refused', count: 1 }])
  const read = requestsAltogether(await instance('i2').history.recent('24h'))
  t.equal(read.requests, 101, 'another instance reads the same')
})

t.test('a time that a part of requests took is estimated within its bucket', (t) => {
  const empty = [...buckets.map(() => 0), 0]
  const with10 = (place: number) => empty.map((count, index) => (index === place ? 10 : count))
  t.equal(quantileMs(empty, 0.5), undefined, 'nothing was answered')
  t.equal(quantileMs(with10(0), 0.5), 0.5)
  t.equal(quantileMs(with10(buckets.length), 0.5), 10_000, 'beyond the last bound nobody knows more')
  t.end()
})
