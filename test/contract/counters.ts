// What every Counters promises. Each implementation runs this with its own way of making empty ones.

import type { Test } from 'tap'
import type { Algorithm, Bucket, Counters, CountingMode } from '../../src/storage/counters/counters.js'

/** Makes empty counters with room for `maxEntries` keys of a family, closed when `t` ends. */
export type OpenCounters = (t: Test, maxEntries: number) => Promise<Counters>

export interface CountersTraits {
  /** The mode of the buckets; local unless given. */
  mode?: CountingMode
  /** False when the keys are not bounded by their number but by the memory of a server. */
  isBounded?: boolean
}

const rate = { kind: 'rate', limit: 10, periodMs: 1_000, burst: 10 } as const satisfies Algorithm
const quota = { kind: 'quota', limit: 10, periodMs: 1_000 } as const satisfies Algorithm
const START = 1_000_000

let mode: CountingMode = 'local'
const bucket = (key: string, algorithm: Algorithm, cost = 1): Bucket => ({
  key,
  algorithm,
  cost,
  mode,
  onDown: 'refuse',
})

/** Adds the tests of the contract to `t`. */
export async function countersContract(t: Test, open: OpenCounters, traits: CountersTraits = {}): Promise<void> {
  mode = traits.mode ?? 'local'
  await counting(t, open)
  await edges(t, open)
  await together(t, open)
  if (traits.isBounded !== false) await bounds(t, open)
}

async function isAllowed(counters: Counters, one: Bucket, nowMs: number): Promise<boolean> {
  const [state] = await counters.take([one], nowMs)
  return state?.allowed === true
}

async function counting(t: Test, open: OpenCounters): Promise<void> {
  await t.test('of any number of parallel takes exactly as many are allowed as fit', async (t) => {
    for (const algorithm of [rate, quota]) {
      const counters = await open(t, 100)
      const takes = Array.from({ length: 500 }, (_, i) => isAllowed(counters, bucket(`k${i % 5}`, algorithm), START))
      const allowed = (await Promise.all(takes)).filter(Boolean).length
      t.equal(allowed, 50, `${algorithm.kind}: ten for each of five keys`)
    }
  })

  await t.test('the answer says what is left, when more is there, and how long to wait', async (t) => {
    const counters = await open(t, 100)
    const costly = (cost: number) => counters.take([bucket('r', rate, cost)], START)
    t.same(await costly(4), [{ allowed: true, remaining: 6, resetMs: 400, retryAfterMs: 0 }])
    t.same(await costly(7), [{ allowed: false, remaining: 6, resetMs: 400, retryAfterMs: 100 }])
    t.same(await costly(6), [{ allowed: true, remaining: 0, resetMs: 1_000, retryAfterMs: 0 }])
    t.same(await costly(11), [{ allowed: false, remaining: 0, resetMs: 1_000, retryAfterMs: Number.POSITIVE_INFINITY }])
    const [state] = await counters.take([bucket('q', quota, 10)], START)
    t.match(state, { allowed: true, remaining: 0 })
    t.ok((state?.resetMs ?? 0) >= 1_000, 'nothing comes back within the period')
    t.match(await counters.take([bucket('q', quota, 1)], START + 1), [{ allowed: false, remaining: 0 }])
    t.match(await counters.take([bucket('q', quota, 11)], START + 1), [{ retryAfterMs: Number.POSITIVE_INFINITY }])
  })

  await t.test('peek gives the same answer and charges nothing', async (t) => {
    const counters = await open(t, 100)
    for (const algorithm of [rate, quota]) {
      const one = [bucket(algorithm.kind, algorithm, 10)]
      for (let i = 0; i < 3; i += 1) t.match(await counters.peek(one, START), [{ allowed: true, remaining: 10 }])
      t.match(await counters.take(one, START), [{ allowed: true, remaining: 0 }])
      t.match(await counters.peek(one, START), [{ allowed: false, remaining: 0 }])
    }
  })

  await t.test('a clock that seems to go back gives nothing back', async (t) => {
    const counters = await open(t, 100)
    for (const algorithm of [rate, quota]) {
      t.ok(await isAllowed(counters, bucket(algorithm.kind, algorithm, 10), START))
      t.notOk(await isAllowed(counters, bucket(algorithm.kind, algorithm), START - 5_000))
      t.notOk(await isAllowed(counters, bucket(algorithm.kind, algorithm), START + 50))
    }
    t.match(await counters.take([bucket('r', rate, 10)], START), [{ allowed: true }])
    t.match(
      await counters.take([bucket('r', rate)], START - 5_000),
      [{ allowed: false, retryAfterMs: 100 }],
      'nor takes',
    )
  })

  await t.test('other numbers for a key that counts give it no fresh allowance', async (t) => {
    const counters = await open(t, 100)
    const wider: Algorithm = { ...rate, burst: 15 }
    t.ok(await isAllowed(counters, bucket('k', rate, 10), START))
    t.match(await counters.take([bucket('k', wider)], START), [{ allowed: true, remaining: 4 }])
    t.match(await counters.peek([bucket('k', { ...quota, limit: 12 })], START), [{ allowed: true, remaining: 1 }])
    t.match(await counters.take([bucket('k', { ...rate, burst: 5 })], START), [{ allowed: false, remaining: 0 }])
  })
}

async function edges(t: Test, open: OpenCounters): Promise<void> {
  await t.test('Q1 no 19 for 10 around the edge of a window, wherever the edge is', async (t) => {
    for (const offset of [0, 1, 17, 499, 500, 900, 950, 999]) {
      const counters = await open(t, 100)
      const allowedAt: number[] = []
      // All ten at once, as late in a window as can be, and then one attempt each millisecond.
      const first = START + offset
      for (let i = 0; i < 15; i += 1) if (await isAllowed(counters, bucket('q', quota), first)) allowedAt.push(first)
      t.equal(allowedAt.length, 10)
      for (let now = first + 1; now < first + 1_000; now += 1) {
        if (await isAllowed(counters, bucket('q', quota), now)) allowedAt.push(now)
      }
      t.equal(allowedAt.length, 10, `none more within the period, offset ${offset}`)
      const [state] = await counters.peek([bucket('q', quota)], first + 999)
      t.ok((state?.retryAfterMs ?? 0) <= 40, 'and not much longer than that')
      t.ok(await isAllowed(counters, bucket('q', quota), first + 999 + (state?.retryAfterMs ?? 0)))
    }
  })

  await t.test('a rate lets its burst through at once, and then its limit in each period', async (t) => {
    const counters = await open(t, 100)
    let allowed = 0
    for (let now = START; now <= START + 5_000; now += 1) {
      if (await isAllowed(counters, bucket('r', { ...rate, burst: 3 }), now)) allowed += 1
    }
    t.equal(allowed, 3 + 50)
  })
}

async function together(t: Test, open: OpenCounters): Promise<void> {
  await t.test('all buckets of a request are charged, or none is; those that fit say so', async (t) => {
    const counters = await open(t, 100)
    const narrow: Algorithm = { ...rate, limit: 1, burst: 1 }
    const three = [bucket('a', rate), bucket('b', narrow), bucket('c', quota)]
    t.match(await counters.take(three, START), [{ allowed: true }, { allowed: true }, { allowed: true }])
    for (let i = 0; i < 20; i += 1) {
      t.match(await counters.take(three, START), [
        { allowed: true, remaining: 9, retryAfterMs: 0 },
        { allowed: false, remaining: 0, retryAfterMs: 1_000 },
        { allowed: true, remaining: 9, retryAfterMs: 0 },
      ])
    }
  })

  await t.test('keys that were never seen are charged together, however many come and go', async (t) => {
    const counters = await open(t, 1_000)
    for (let i = 0; i < 300; i += 1) {
      const pair = [bucket(`limit:1:x;p3:${i}`, quota), bucket('limit:1:y;t1:t', { ...quota, limit: 1_000 })]
      const states = await counters.take([...pair, bucket(`limit:1:z;u3:${i}`, rate)], START + i)
      t.match(states, [{ remaining: 9 }, { remaining: 999 - i }, { remaining: 9 }])
      t.match(await counters.peek(pair, START + i), [{ remaining: 9 }, { remaining: 999 - i }])
    }
  })

  await t.test('the same key twice in a request is charged twice', async (t) => {
    const counters = await open(t, 100)
    const twice = [bucket('k', quota, 6), bucket('k', quota, 6)]
    t.match(await counters.take(twice, START), [{ allowed: true }, { allowed: false }])
    t.match(await counters.take([bucket('k', quota, 5), bucket('k', quota, 5)], START), [
      { allowed: true, remaining: 0 },
      { allowed: true, remaining: 0 },
    ])
  })

  await t.test('no bucket at all is no answer at all', async (t) => {
    const counters = await open(t, 100)
    t.same(await counters.take([], START), [])
  })
}

async function bounds(t: Test, open: OpenCounters): Promise<void> {
  await t.test(
    'Q6 spraying keys does not reset a counter that counts, and none of the sprayed gets through twice',
    async (t) => {
      for (const algorithm of [rate, quota]) {
        const counters = await open(t, 50)
        const key = (i: number): string => `limit:1:p;a${String(i).length}:${i}`
        const victim = bucket('limit:1:p;a6:victim', algorithm, 10)
        t.ok(await isAllowed(counters, victim, START))
        let allowed = 0
        for (let i = 0; i < 500; i += 1)
          if (await isAllowed(counters, bucket(key(i), algorithm, 10), START)) allowed += 1
        t.notOk(
          await isAllowed(counters, { ...victim, cost: 1 }, START),
          `${algorithm.kind}: the victim is still limited`,
        )
        t.ok(allowed <= 50, `those without room share one allowance: ${allowed} of 500`)
        t.match(
          await counters.take([bucket(key(499), algorithm)], START),
          [{ shared: true }],
          'an answer says when it is shared',
        )
        t.notMatch(await counters.peek([victim], START), [{ shared: true }])
        const other = bucket('limit:1:x;a1:1', algorithm)
        t.ok(await isAllowed(counters, other, START), 'another policy has room of its own')
        t.match(await counters.peek([bucket(key(499), algorithm)], START), [{ allowed: false }], 'peek knows it too')
        const later = START + 5_000
        t.match(await counters.take([bucket(key(1_000), algorithm)], later), [{ allowed: true, remaining: 9 }])
      }
    },
  )
}
