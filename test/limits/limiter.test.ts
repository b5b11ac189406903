// Rates and quotas: exact counts, one decision for all buckets, keys that nobody can forge or push out.

import fc from 'fast-check'
import { parseList } from 'structured-headers'
import t from 'tap'
import { loadSettings } from '../../src/config/read/load.js'
import { defaultConfigFile } from '../../src/config/read/package-root.js'
import type { LimitPolicy } from '../../src/config/settings/limit-settings.js'
import type { LimitStage, LimitSubject } from '../../src/limits/compiled-policy.js'
import { limitHeaders, retryAfterSeconds } from '../../src/limits/headers.js'
import { createLimiter, type LimitDecision } from '../../src/limits/limiter.js'
import { createMetrics } from '../../src/observability/metrics.js'
import type { Counters } from '../../src/storage/counters/counters.js'
import { createInProcessCounters } from '../../src/storage/counters/in-process.js'

const rate = (name: string, by: LimitPolicy['by'], limit: number, burst: number, periodMs = 1000): LimitPolicy => ({
  name,
  by,
  algorithm: { kind: 'rate', limit, burst, periodMs },
})
const quota = (name: string, by: LimitPolicy['by'], limit: number, periodMs = 60_000): LimitPolicy => ({
  name,
  by,
  algorithm: { kind: 'quota', limit, periodMs },
})

function build(policies: readonly LimitPolicy[], counters: Counters = createInProcessCounters()) {
  const clock = { ms: 1_000_000 }
  const metrics = createMetrics()
  const limiter = createLimiter({
    counters,
    policies: new Map(policies.map((policy) => [policy.name, policy])),
    metrics,
    monotonic: () => clock.ms,
  })
  const names = policies.map(({ name }) => name)
  const decide = (subject: LimitSubject, stage?: LimitStage, cost?: number) =>
    limiter.decide(names, subject, stage, cost) as LimitDecision
  const admitted = (subject: LimitSubject, requests: number) => {
    let count = 0
    for (let i = 0; i < requests; i += 1) if (decide(subject).allowed) count += 1
    return count
  }
  return { clock, metrics, limiter, decide, admitted }
}

t.test('Q2 a decision on counters of this process is made at once, without a promise', async (t) => {
  const { limiter } = build([rate('app', ['application'], 10, 10)])
  t.notOk(limiter.decide(['app'], { applicationId: 'a' }) instanceof Promise)
})

t.test('a decision waits for counters that answer later', async (t) => {
  const inner = createInProcessCounters()
  const later: Counters = { ...inner, take: async (buckets, nowMs) => inner.take(buckets, nowMs) }
  const { limiter } = build([quota('app', ['application'], 1)], later)
  t.equal((await limiter.decide(['app'], { applicationId: 'a' })).allowed, true)
  t.equal((await limiter.decide(['app'], { applicationId: 'a' })).allowed, false)
})

t.test('parallel requests get exactly the burst of a rate and exactly the limit of a quota', async (t) => {
  for (const policy of [rate('app', ['application'], 10, 25), quota('app', ['application'], 25)]) {
    const { limiter } = build([policy])
    const decisions = await Promise.all(
      Array.from({ length: 500 }, async (_, i) => {
        await new Promise((resolve) => (i % 2 === 0 ? setImmediate(resolve) : queueMicrotask(() => resolve(undefined))))
        return await limiter.decide(['app'], { applicationId: 'a' })
      }),
    )
    t.equal(decisions.filter(({ allowed }) => allowed).length, 25, policy.algorithm.kind)
  }
})

t.test("Q1 ten a second are never nineteen at a window's edge", async (t) => {
  const { clock, admitted } = build([quota('app', ['application'], 10, 1000)])
  clock.ms = 5_000_990
  const before = admitted({ applicationId: 'a' }, 9)
  clock.ms = 5_001_010
  t.equal(before + admitted({ applicationId: 'a' }, 10), 10)
  const rated = build([rate('app', ['application'], 10, 1, 1000)])
  rated.clock.ms = 5_000_990
  let passed = rated.admitted({ applicationId: 'a' }, 9)
  rated.clock.ms = 5_001_010
  passed += rated.admitted({ applicationId: 'a' }, 10)
  t.equal(passed, 1)
})

t.test('Q5 all policies of a request are decided together: a refusal charges none of them', async (t) => {
  const { clock, decide } = build([quota('tenant', ['tenant'], 5), rate('app', ['application'], 1, 1)])
  t.equal(decide({ applicationId: 'a', tenantId: 't' }).allowed, true)
  for (let i = 0; i < 50; i += 1) t.equal(decide({ applicationId: 'a', tenantId: 't' }).allowed, false)
  const other = decide({ applicationId: 'b', tenantId: 't' })
  t.equal(other.allowed, true, 'fifty refused requests did not use up the tenant')
  t.equal(other.states[0]?.remaining, 3)
  clock.ms += 1000
  t.equal(decide({ applicationId: 'a', tenantId: 't' }).allowed, true)
})

t.test('Q5 two policies charged for the first time in one decision both remember it', async (t) => {
  const { clock, decide } = build([quota('tenant', ['tenant'], 3), quota('app', ['application'], 100, 10_000)])
  for (let i = 0; i < 3; i += 1) {
    t.equal(decide({ applicationId: `new-${i}`, tenantId: 't' }).states[0]?.remaining, 2 - i)
    clock.ms += 1
  }
  t.equal(decide({ applicationId: 'new-4', tenantId: 't' }).allowed, false)
})

t.test('Q5 the states of a refusal say which policy refused', async (t) => {
  const { decide } = build([quota('tenant', ['tenant'], 5), rate('app', ['application'], 1, 1)])
  decide({ applicationId: 'a', tenantId: 't' })
  const refused = decide({ applicationId: 'a', tenantId: 't' })
  t.same(
    refused.policies.map(({ name }, i) => [name, refused.states[i]?.allowed]),
    [
      ['tenant', true],
      ['app', false],
    ],
  )
})

t.test('Q4 a policy that counts by tenant groups all its routes and applications', async (t) => {
  const { decide } = build([quota('tenant', ['tenant'], 3)])
  for (const [routeId, applicationId] of [
    ['GET /a', 'x'],
    ['GET /b', 'y'],
    ['GET /c', 'x'],
  ] as const) {
    t.equal(decide({ tenantId: 't', routeId, applicationId }).allowed, true)
  }
  t.equal(decide({ tenantId: 't', routeId: 'GET /d', applicationId: 'z' }).allowed, false)
  t.equal(decide({ tenantId: 'u', routeId: 'GET /a', applicationId: 'x' }).allowed, true, 'another tenant has its own')
})

t.test('Q4 two spellings of one endpoint are one bucket, because the route is an id', async (t) => {
  const { decide } = build([quota('token', ['address', 'route'], 2)])
  t.equal(decide({ address: '192.0.2.1', routeId: 'token' }).allowed, true)
  t.equal(decide({ address: '192.0.2.1', routeId: 'token' }).allowed, true)
  t.equal(decide({ address: '192.0.2.1', routeId: 'token' }).allowed, false)
  t.equal(decide({ address: '192.0.2.1', routeId: 'revoke' }).allowed, true)
})

t.test('Q6 sprayed keys do not give a victim or an attacker a fresh allowance', async (t) => {
  const { decide } = build([quota('app', ['application'], 2)], createInProcessCounters({ maxEntries: 100 }))
  decide({ applicationId: 'victim' })
  decide({ applicationId: 'victim' })
  t.equal(decide({ applicationId: 'victim' }).allowed, false)
  for (let i = 0; i < 10_000; i += 1) decide({ applicationId: `sprayed-${i}` })
  t.equal(decide({ applicationId: 'victim' }).allowed, false, 'its counter is still there')
})

t.test('Q7 waiting always ends: a flood of refused requests does not prolong it', async (t) => {
  const { clock, decide } = build([rate('app', ['application'], 1, 1, 10_000)])
  decide({ applicationId: 'a' })
  const first = retryAfterSeconds(decide({ applicationId: 'a' }))
  for (let i = 0; i < 1000; i += 1) decide({ applicationId: 'a' })
  t.equal(retryAfterSeconds(decide({ applicationId: 'a' })), first)
  clock.ms += first * 1000
  t.equal(decide({ applicationId: 'a' }).allowed, true, 'after Retry-After it is allowed')
})

t.test('Q9 subjects never share a bucket, whatever characters they contain', async (t) => {
  const { decide } = build([quota('pair', ['application', 'user'], 1)])
  const part = fc.string({
    minLength: 0,
    maxLength: 12,
    unit: fc.constantFrom('a', ':', ';', '1', '2', '|', '\0', 'é'),
  })
  const decided = new Set<string>()
  const { failed, counterexample } = fc.check(
    fc.property(part, part, (applicationId, userId) => {
      const fresh = !decided.has(JSON.stringify([applicationId, userId]))
      decided.add(JSON.stringify([applicationId, userId]))
      return decide({ applicationId, userId }).allowed === fresh
    }),
    { numRuns: 3000 },
  )
  t.equal(failed, false, JSON.stringify(counterexample))
})

t.test('Q9 policies never share a bucket, whatever their names are', async (t) => {
  const { limiter } = build([quota('a', ['application', 'user'], 1), quota('a1:', ['application'], 1)])
  t.equal((limiter.decide(['a'], { applicationId: '1:x', userId: '' }) as LimitDecision).allowed, true)
  t.equal((limiter.decide(['a1:'], { applicationId: 'x' }) as LimitDecision).allowed, true)
})

t.test('Q9 before the caller is known only address policies are charged, afterwards the others', async (t) => {
  const { decide } = build([
    quota('address', ['address'], 100),
    quota('address-route', ['address', 'route'], 100),
    quota('route', ['route'], 100),
    quota('app', ['application'], 100),
    quota('app-address', ['application', 'address'], 100),
    quota('user', ['user'], 100),
  ])
  const names = (decision: LimitDecision) => decision.policies.map(({ name }) => name)
  const subject = { address: '192.0.2.1', routeId: 'GET /x' }
  t.same(names(decide(subject, 'address')), ['address', 'address-route'])
  t.same(names(decide({ ...subject, applicationId: 'a' }, 'caller')), ['route', 'app', 'app-address'])
  t.same(names(decide({ ...subject, applicationId: 'a', userId: 'u' }, 'caller')), [
    'route',
    'app',
    'app-address',
    'user',
  ])
  t.same(names(decide(subject)), ['address', 'address-route', 'route'])
})

t.test('Q10 IPv6 addresses of one /64 share a bucket, other networks and IPv4 do not', async (t) => {
  const { decide } = build([quota('address', ['address'], 2)])
  t.equal(decide({ address: '2001:db8:0:1::1' }).allowed, true)
  t.equal(decide({ address: '2001:0DB8:0:1:ffff::2' }).allowed, true)
  t.equal(decide({ address: '2001:db8:0:1:1:2:3:4' }).allowed, false)
  t.equal(decide({ address: '2001:db8:0:2::1' }).allowed, true)
  t.equal(decide({ address: '203.0.113.7' }).allowed, true)
  t.equal(decide({ address: '::ffff:203.0.113.7' }).allowed, true)
  t.equal(decide({ address: '::ffff:cb00:7107' }).allowed, false, 'an IPv4-mapped address is its IPv4 address')
})

t.test('a subject of which nothing is known, and a route without policies, are not limited', async (t) => {
  const { decide, limiter } = build([quota('app', ['application'], 1)])
  const decision = decide({})
  t.equal(decision.allowed, true)
  t.same(limitHeaders(decision), [])
  t.same(limitHeaders(limiter.decide([], { applicationId: 'a' }) as LimitDecision), [])
})

t.test('a policy that does not exist is a bug, said at once', async (t) => {
  const { limiter } = build([quota('app', ['application'], 1)])
  t.throws(() => limiter.decide(['ap'], { applicationId: 'a' }), /no limit policy named "ap"/)
  const many = Array.from({ length: 32 }, (_, i) => quota(`p${i}`, ['application'], 1))
  t.throws(() => build(many).decide({ applicationId: 'a' }), /at most 31/)
})

t.test('a policy that is listed twice is charged once', async (t) => {
  const { limiter } = build([quota('app', ['application'], 2)])
  const names = ['app', 'app']
  t.equal((limiter.decide(names, { applicationId: 'a' }) as LimitDecision).states[0]?.remaining, 1)
})

t.test('decisions are counted by policy', async (t) => {
  const { decide, metrics } = build([quota('tenant', ['tenant'], 5), quota('app', ['application'], 1)])
  decide({ applicationId: 'a', tenantId: 't' })
  decide({ applicationId: 'a', tenantId: 't' })
  const text = await metrics.registry.metrics()
  t.match(text, 'portcullis_ratelimit_decisions_total{policy="tenant",decision="allowed"} 1')
  t.match(text, 'portcullis_ratelimit_decisions_total{policy="app",decision="refused"} 1')
  t.notMatch(text, 'policy="tenant",decision="refused"')
})

t.test('Q8 an allowed response names every policy, and the one that is nearest to its end', async (t) => {
  const { decide } = build([
    quota('tenant', ['tenant'], 1000, 86_400_000),
    rate('app', ['application'], 600, 100, 60_000),
  ])
  for (let i = 0; i < 8; i += 1) decide({ applicationId: 'a', tenantId: 't' })
  t.same(limitHeaders(decide({ applicationId: 'a', tenantId: 't' })), [
    ['RateLimit-Policy', '"tenant";q=1000;w=86400, "app";q=600;w=60;portcullis-burst=100'],
    ['RateLimit', '"app";r=91;t=1'],
  ])
})

t.test('Q8 a refused response names the policies that refused, and Retry-After the same moment', async (t) => {
  const { decide } = build([quota('tenant', ['tenant'], 1000), rate('app', ['application'], 1, 2, 10_000)])
  decide({ applicationId: 'a', tenantId: 't' })
  decide({ applicationId: 'a', tenantId: 't' })
  t.same(limitHeaders(decide({ applicationId: 'a', tenantId: 't' })), [
    ['RateLimit-Policy', '"tenant";q=1000;w=60, "app";q=1;w=10;portcullis-burst=2'],
    ['RateLimit', '"app";r=0;t=10'],
    ['Retry-After', '10'],
  ])
})

t.test('Q8 a period of no whole number of seconds has no window', async (t) => {
  const { decide } = build([quota('app', ['application'], 5, 1500)])
  t.same(limitHeaders(decide({ applicationId: 'a' }))[0], ['RateLimit-Policy', '"app";q=5'])
})

t.test('Q8 the fields are structured fields for every name and number (RFC 9651 §4.2)', async (t) => {
  const name = fc.string({
    minLength: 1,
    maxLength: 20,
    unit: fc.constantFrom('a', '"', '\\', ' ', ';', '=', ',', '~'),
  })
  fc.assert(
    fc.property(
      name,
      fc.integer({ min: 1, max: 1e12 }),
      fc.integer({ min: 1, max: 30 }),
      (policyName, limit, taken) => {
        const { decide } = build([
          quota(policyName, ['application'], Math.min(limit, 20)),
          rate(`${policyName}2`, ['tenant'], limit, limit),
        ])
        let last = decide({ applicationId: 'a', tenantId: 't' })
        for (let i = 1; i < taken; i += 1) last = decide({ applicationId: 'a', tenantId: 't' })
        const fields = new Map(limitHeaders(last))
        const policies = parseList(fields.get('RateLimit-Policy') ?? '')
        t.same(
          policies.map(([value]) => value),
          [policyName, `${policyName}2`],
        )
        for (const [, parameters] of policies) {
          t.ok(Number.isInteger(parameters.get('q')) && Number.isInteger(parameters.get('w')))
        }
        const left = parseList(fields.get('RateLimit') ?? '')
        t.ok(last.allowed ? left.length === 1 : left.length >= 1)
        t.ok(Number.isInteger(left[0]?.[1].get('r')) && Number.isInteger(left[0]?.[1].get('t')))
        t.equal(fields.has('Retry-After'), !last.allowed)
      },
    ),
    { numRuns: 200 },
  )
})

t.test('Q8 a name that no structured field can carry does not load', async (t) => {
  const { decide } = build([quota('größe', ['application'], 1)])
  t.throws(() => decide({ applicationId: 'a' }), /printable ASCII/)
})

t.test('Q7 a policy of nothing asks for two periods at most', async (t) => {
  const { decide } = build([quota('none', ['application'], 0, 60_000)])
  const decision = decide({ applicationId: 'a' })
  t.equal(decision.allowed, false)
  t.equal(retryAfterSeconds(decision), 120)
})

t.test('no sequence of requests gets more than the limit of a quota in any period', async (t) => {
  const { failed, counterexample } = fc.check(
    fc.property(fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 120 }), (gaps) => {
      const { clock, decide } = build([quota('app', ['application'], 7, 1000)])
      const times: number[] = []
      for (const gap of gaps) {
        clock.ms += gap
        if (decide({ applicationId: 'a' }).allowed) times.push(clock.ms)
      }
      return times.every((at) => times.filter((other) => other > at - 1000 && other <= at).length <= 7)
    }),
    { numRuns: 300 },
  )
  t.equal(failed, false, JSON.stringify(counterexample))
})

t.test('a caller that waits as long as Retry-After says is allowed', async (t) => {
  const { failed, counterexample } = fc.check(
    fc.property(
      fc.constantFrom('rate', 'quota'),
      fc.array(fc.integer({ min: 0, max: 900 }), { maxLength: 40 }),
      (kind, gaps) => {
        const policy = kind === 'rate' ? rate('app', ['application'], 3, 4) : quota('app', ['application'], 3, 1000)
        const { clock, decide } = build([policy])
        for (const gap of gaps) {
          clock.ms += gap
          const decision = decide({ applicationId: 'a' })
          if (decision.allowed) continue
          clock.ms += retryAfterSeconds(decision) * 1000
          if (!decide({ applicationId: 'a' }).allowed) return false
        }
        return true
      },
    ),
    { numRuns: 300 },
  )
  t.equal(failed, false, JSON.stringify(counterexample))
})

t.test('a request takes as many units as its route costs, from every limit, or none at all', (t) => {
  const { decide } = build([quota('tenant', ['tenant'], 100), rate('app', ['application'], 10, 10)])
  const who = { applicationId: 'a', tenantId: 't' }
  t.same(
    decide(who, undefined, 4).states.map(({ remaining }) => remaining),
    [96, 6],
  )
  t.equal(decide(who, undefined, 7).allowed, false, 'seven do not fit beside four')
  t.same(
    decide(who, undefined, 6).states.map(({ remaining }) => remaining),
    [90, 0],
    'and took nothing',
  )
  t.end()
})

t.test('a limit that is only watched refuses nothing, says nothing, and counts what it would refuse', async (t) => {
  const watched = { ...quota('new', ['application'], 2), shadow: true }
  for (const policies of [[watched], [quota('old', ['application'], 4), watched]]) {
    const { decide, metrics, limiter } = build(policies)
    for (let i = 0; i < 4; i += 1) {
      const decision = decide({ applicationId: 'a' })
      t.equal(decision.allowed, true)
      t.notMatch(limitHeaders(decision).flat().join(), 'new')
    }
    t.notOk(decide({ applicationId: 'a' }).allowed && policies.length === 2, 'what is not watched refuses as ever')
    const text = await metrics.registry.metrics()
    t.match(text, `portcullis_ratelimit_would_refuse_total{policy="new"} ${policies.length === 2 ? 2 : 3}`)
    t.same((limiter.peek(['new'], { applicationId: 'a' }) as LimitDecision).policies, [])
  }
})

t.test('a watched limit that cannot be counted keeps nobody waiting and fails nothing', async (t) => {
  const inner = createInProcessCounters()
  let refuse = (_error: Error): void => {}
  const away: Counters = {
    ...inner,
    take: (buckets, nowMs) =>
      buckets.some(({ onDown }) => onDown === 'refuse')
        ? new Promise((_, reject) => {
            refuse = reject
          })
        : inner.take(buckets, nowMs),
  }
  const watched: LimitPolicy = { ...quota('new', ['application'], 2), shadow: true, onDown: 'refuse', mode: 'strict' }
  const { decide, metrics } = build([quota('old', ['application'], 4), watched], away)
  t.match(decide({ applicationId: 'a' }), { allowed: true }, 'at once')
  refuse(new Error('away'))
  await new Promise(setImmediate)
  t.match(await metrics.registry.metrics(), 'portcullis_ratelimit_would_refuse_total{policy="new"} 1')
})

t.test('gateway M5: by default no user, tenant or application uses up what is another’s', async (t) => {
  const env = { PORTCULLIS_DATA: '/tmp/portcullis-never-made' }
  const { limits, routes, tokenLimits } = loadSettings({ file: defaultConfigFile(), env })
  const lists = new Set([...routes.map((route) => route.limits), tokenLimits].map((names) => names.join()))
  for (const names of lists) {
    const policies = names.split(',').map((name) => limits.get(name) as LimitPolicy)
    const { decide } = build(policies)
    const subject = { applicationId: 'app', tenantId: 'contoso', userId: 'ada', routeId: 'r' }
    const fresh = decide(subject, 'caller').states.map(({ remaining }) => remaining)
    for (let n = 0; n < 1_000; n += 1) decide(subject, 'caller')
    t.equal(decide(subject, 'caller').allowed, false, 'a caller has an end')
    for (const other of [{ userId: 'bob' }, { userId: null }, { tenantId: 'fabrikam' }, { applicationId: 'other' }]) {
      const decision = decide({ ...subject, ...other }, 'caller')
      t.same(
        decision.states.map(({ remaining }) => remaining),
        fresh,
        JSON.stringify(other),
      )
      t.same(
        decision.policies.map(({ by }) => by),
        policies.filter(({ by }) => by.length === 3).map(({ by }) => by),
      )
    }
  }
})

t.test('gateway M5: who is not known yet is not counted as an application that calls for itself', async (t) => {
  const { decide } = build([quota('both', ['application', 'user'], 1), quota('user', ['user'], 1)])
  t.same(decide({ applicationId: 'a' }).policies, [], 'not known')
  t.match(decide({ applicationId: 'a', userId: null }).policies, [{ name: 'both' }], 'nobody')
  t.match(decide({ applicationId: 'a', userId: 'u' }).policies, [{ name: 'both' }, { name: 'user' }])
})

t.test('identity M1: a claim is counted by address and application, apart from those who proved theirs', async (t) => {
  const { decide } = build([quota('address', ['address'], 100), quota('app', ['application', 'tenant', 'user'], 2)])
  const claim = { address: '192.0.2.1', applicationId: 'a' }
  const claims = (more: LimitSubject = {}) => decide({ ...claim, ...more }, 'claim').allowed
  t.same([claims(), claims(), claims()], [true, true, false])
  t.equal(claims({ address: '192.0.2.2' }), true, 'another address')
  t.equal(claims({ applicationId: 'b' }), true, 'another application')
  t.equal(decide({ applicationId: 'a', tenantId: 't', userId: 'u' }, 'caller').states[0]?.remaining, 1)
  t.equal(decide({ address: '192.0.2.1' }, 'address').states[0]?.remaining, 99)
})
