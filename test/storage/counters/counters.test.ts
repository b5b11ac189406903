import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { Algorithm, Bucket } from '../../../src/storage/counters/counters.js'
import { createInProcessCounters } from '../../../src/storage/counters/in-process.js'
import { familyOf } from '../../../src/storage/counters/keys.js'
import { createMeter, metering } from '../../../src/storage/counters/metering.js'
import { countersContract } from '../../contract/counters.js'

await t.test('the in-process Counters keep the contract', (t) =>
  countersContract(t, async (t, maxEntries) => {
    const counters = createInProcessCounters({ maxEntries })
    t.teardown(() => counters.close())
    return counters
  }),
)

interface Step {
  afterMs: number
  cost: number
}

const steps = fc.array(
  fc.record({
    afterMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 5_000 })),
    cost: fc.integer({ min: 1, max: 4 }),
  }),
  { minLength: 1, maxLength: 80 },
)
const limit = fc.integer({ min: 1, max: 12 })
const periodMs = fc.integer({ min: 1, max: 3_000 })
const start = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e9, noNaN: true }))

/**
 * Goes step after step; `take` hears each step and its time in milliseconds, and may answer how long it waited after.
 */
function play(from: number, sequence: readonly Step[], take: (step: Step, at: number) => number | undefined): void {
  let at = from
  for (const step of sequence) {
    at += step.afterMs
    at += take(step, at) ?? 0
  }
}

const inMicroseconds = (ms: number): bigint => BigInt(Math.round(ms * 1_000))

t.test('a rate decides as an exact bucket does that is counted with whole numbers', async (t) => {
  fc.assert(
    fc.property(
      limit,
      periodMs,
      fc.integer({ min: 1, max: 12 }),
      start,
      steps,
      (limit, periodMs, burst, from, sequence) => {
        const algorithm: Algorithm = { kind: 'rate', limit, periodMs, burst }
        const counters = createInProcessCounters()
        const unit = BigInt(periodMs) * 1_000n
        let level = 0n
        let last = inMicroseconds(from)
        play(from, sequence, ({ cost }, at) => {
          const now = inMicroseconds(at)
          level -= (now - last) * BigInt(limit)
          if (level < 0n) level = 0n
          last = now
          const fits = level + BigInt(cost) * unit <= BigInt(burst) * unit
          if (fits) level += BigInt(cost) * unit
          const remaining = Number((BigInt(burst) * unit - level) / unit)
          const [state] = counters.take([{ key: 'k', algorithm, cost }], at)
          if (state?.allowed !== fits || state.remaining !== remaining)
            throw new Error(JSON.stringify({ state, fits, remaining }))
        })
      },
    ),
    { numRuns: 500 },
  )
  t.pass('500 histories')
})

t.test(
  'no period ever holds more than a quota, or a burst and a limit; and no request is refused that is far from it',
  async (t) => {
    const spentIn = (taken: readonly { at: number; cost: number }[], from: number, until: number): number =>
      taken.reduce((sum, { at, cost }) => (at > from && at <= until ? sum + cost : sum), 0)
    fc.assert(
      fc.property(limit, periodMs, fc.nat(10_000_000), steps, (limit, periodMs, from, sequence) => {
        for (const algorithm of [
          { kind: 'quota', limit, periodMs },
          { kind: 'rate', limit, periodMs, burst: limit },
        ] as const) {
          const most = algorithm.kind === 'quota' ? limit : limit * 2
          const counters = createInProcessCounters()
          const taken: { at: number; cost: number }[] = []
          play(from, sequence, ({ cost }, at) => {
            const [state] = counters.take([{ key: 'k', algorithm, cost }], at)
            if (state?.allowed === true) taken.push({ at, cost })
            if (spentIn(taken, at - periodMs, at) > most) throw new Error('more than allowed in a period')
            const roomy = spentIn(taken, at - periodMs * (1 + 1 / 30) - 1, at) + cost <= limit
            if (state?.allowed === false && roomy && algorithm.kind === 'quota') throw new Error('refused without need')
          })
        }
      }),
      { numRuns: 500 },
    )
    t.pass('500 histories')
  },
)

t.test('who waits as long as required is let in, and not a millisecond before', async (t) => {
  const algorithm = fc.oneof(
    fc.record({ kind: fc.constant('rate' as const), limit, periodMs, burst: fc.integer({ min: 4, max: 12 }) }),
    fc.record({ kind: fc.constant('quota' as const), limit: fc.integer({ min: 4, max: 12 }), periodMs }),
  )
  fc.assert(
    fc.property(algorithm, start, steps, (algorithm, from, sequence) => {
      const counters = createInProcessCounters()
      play(from, sequence, ({ cost }, at) => {
        const one: Bucket[] = [{ key: 'k', algorithm, cost }]
        const [state] = counters.take(one, at)
        if (state === undefined || state.allowed) return 0
        const [then] = counters.peek(one, at + state.retryAfterMs)
        if (then?.allowed !== true) throw new Error(`had to wait ${state.retryAfterMs}, and refused`)
        return state.retryAfterMs
      })
    }),
    { numRuns: 500 },
  )
  fc.assert(
    fc.property(algorithm, fc.nat(1_000_000), fc.integer({ min: 1, max: 4 }), (algorithm, from, cost) => {
      const counters = createInProcessCounters()
      const one: Bucket[] = [{ key: 'k', algorithm, cost }]
      for (let i = 0; i < 20; i += 1) counters.take(one, from)
      const [state] = counters.peek(one, from)
      const early = counters.peek(one, from + Math.max(0, (state?.retryAfterMs ?? 1) - 1))
      if (early[0]?.allowed !== false) throw new Error('let in before its time')
    }),
    { numRuns: 500 },
  )
  t.pass('1,000 histories')
})

t.test('several buckets decide as the same buckets do one by one: all or none', async (t) => {
  const algorithms: readonly Algorithm[] = [
    { kind: 'rate', limit: 5, periodMs: 700, burst: 4 },
    { kind: 'quota', limit: 6, periodMs: 900 },
    { kind: 'rate', limit: 2, periodMs: 300, burst: 9 },
  ]
  const request = fc.record({
    afterMs: fc.nat(400),
    cost: fc.integer({ min: 1, max: 3 }),
    mask: fc.integer({ min: 1, max: 7 }),
  })
  fc.assert(
    fc.property(fc.array(request, { maxLength: 60 }), (requests) => {
      const together = createInProcessCounters()
      const separate = algorithms.map(() => createInProcessCounters())
      let at = 0
      for (const { afterMs, cost, mask } of requests) {
        at += afterMs
        const chosen = algorithms.flatMap((algorithm, i) => ((mask >> i) & 1 ? [{ i, algorithm }] : []))
        const buckets = chosen.map(({ i, algorithm }) => ({ key: `k${i}`, algorithm, cost }))
        const expected = chosen.map(({ i }, n) => separate[i]?.peek([buckets[n] as Bucket], at)[0]?.allowed === true)
        const states = together.take(buckets, at)
        if (expected.every(Boolean))
          for (const [n, { i }] of chosen.entries()) separate[i]?.take([buckets[n] as Bucket], at)
        if (states.some((state, n) => state.allowed !== expected[n])) throw new Error('another decision')
        const left = together.peek(buckets, at).map((state) => state.remaining)
        const leftSeparately = chosen.map(({ i }, n) => separate[i]?.peek([buckets[n] as Bucket], at)[0]?.remaining)
        if (JSON.stringify(left) !== JSON.stringify(leftSeparately)) throw new Error('another charge')
      }
    }),
    { numRuns: 300 },
  )
  t.pass('300 histories')
})

t.test('units that are taken back later leave nothing behind, and never make room for more', async (t) => {
  const move = fc.record({
    afterMs: fc.nat(120),
    cost: fc.integer({ min: 1, max: 4 }),
    isTakenBack: fc.boolean(),
    lateMs: fc.nat(90),
  })
  fc.assert(
    fc.property(limit, fc.array(move, { minLength: 1, maxLength: 60 }), (limit, moves) => {
      for (const algorithm of [
        { kind: 'quota', limit, periodMs: 1_000 },
        { kind: 'rate', limit, periodMs: 1_000, burst: limit },
      ] as const) {
        const meter = createMeter(algorithm, 0)
        const kept: { at: number; cost: number }[] = []
        let at = 0
        for (const { afterMs, cost, isTakenBack, lateMs } of moves) {
          at += afterMs
          if (!metering.fits(meter, cost, at * 1_000)) continue
          metering.charge(meter, cost, at * 1_000)
          const chargedAt = at
          if (isTakenBack) {
            // Somebody else comes in between.
            at += lateMs
            if (metering.fits(meter, 1, at * 1_000)) {
              metering.charge(meter, 1, at * 1_000)
              kept.push({ at, cost: 1 })
            }
            metering.takeBack(meter, cost, chargedAt * 1_000, at * 1_000)
          } else kept.push({ at, cost })
          const counting = kept.reduce((sum, unit) => (unit.at > at - 1_000 ? sum + unit.cost : sum), 0)
          const used = metering.used(meter, at * 1_000)
          if (algorithm.kind === 'quota' && used < counting) throw new Error(`${used} of ${counting} are counted`)
          if (used < 0) throw new Error('less than nothing')
        }
        if (metering.used(meter, (at + 5_000) * 1_000) !== 0) throw new Error('something is left behind')
      }
    }),
    { numRuns: 500 },
  )
  t.pass('500 histories')
})

t.test('Q6 a victim is decided alike with and without a flood of other keys', async (t) => {
  const algorithm: Algorithm = { kind: 'quota', limit: 5, periodMs: 1_000 }
  const move = fc.record({ afterMs: fc.nat(200), flood: fc.nat(40) })
  fc.assert(
    fc.property(fc.array(move, { minLength: 1, maxLength: 40 }), (moves) => {
      const flooded = createInProcessCounters({ maxEntries: 8 })
      const calm = createInProcessCounters({ maxEntries: 8 })
      const victim: Bucket[] = [{ key: 'victim', algorithm, cost: 1 }]
      flooded.take(victim, 0)
      calm.take(victim, 0)
      let at = 0
      let sprayed = 0
      for (const { afterMs, flood } of moves) {
        at += afterMs
        const before = flooded.size()
        for (let i = 0; i < flood; i += 1, sprayed += 1) flooded.take([{ key: `s${sprayed}`, algorithm, cost: 1 }], at)
        if (flooded.size() > Math.max(before, 8)) throw new Error('more keys than there is room for')
        const known = calm.peek(victim, at)[0]?.remaining !== 5
        const [a, b] = [flooded.take(victim, at)[0], calm.take(victim, at)[0]]
        if (known && JSON.stringify(a) !== JSON.stringify(b)) throw new Error('the flood changed the decision')
        if (!known) return
      }
    }),
    { numRuns: 300 },
  )
  t.pass('300 floods')
})

t.test('keys of a policy are one family, keys of a purpose another', async (t: Test) => {
  const table: readonly [string, string][] = [
    ['limit:4:slow;a9:127.0.0.1', 'limit:4:slow'],
    ['limit:6:a;b:c;;a1:x', 'limit:6:a;b:c;'],
    ['limit:99999:x', ''],
    ['guard;a9:127.0.0.1', 'guard'],
    ['failures;a3:::1;c2:id', 'failures'],
    ['plain', ''],
  ]
  for (const [key, family] of table) t.equal(familyOf(key), family, key)
})
