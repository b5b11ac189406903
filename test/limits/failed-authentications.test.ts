// K7: guessing is slowed per address and client, and nobody can be locked out by it.

import fc from 'fast-check'
import t from 'tap'
import { createFailedAuthentications } from '../../src/limits/failed-authentications.js'
import type { Counters } from '../../src/storage/counters/counters.js'
import { createInProcessCounters } from '../../src/storage/counters/in-process.js'

function build(counters: Counters = createInProcessCounters()) {
  const clock = { ms: 50_000 }
  const failures = createFailedAuthentications({ counters, limit: 10, periodMs: 60_000, monotonic: () => clock.ms })
  const fail = (times: number, address: string, client: string) => {
    for (let i = 0; i < times; i += 1) failures.record(address, client)
  }
  return { clock, failures, fail }
}

t.test('K7 the eleventh attempt after ten failures in a minute is refused, with the seconds to wait', async (t) => {
  const { clock, failures, fail } = build()
  fail(9, '192.0.2.1', 'client')
  t.same(failures.check('192.0.2.1', 'client'), { blocked: false, retryAfterSeconds: 0 })
  fail(1, '192.0.2.1', 'client')
  const state = failures.check('192.0.2.1', 'client')
  t.equal(state.blocked, true)
  t.ok(state.retryAfterSeconds >= 60 && state.retryAfterSeconds <= 62, `${state.retryAfterSeconds} s`)
  clock.ms += state.retryAfterSeconds * 1000
  t.equal(failures.check('192.0.2.1', 'client').blocked, false)
})

t.test('K7 a lock from one address does not lock the client on another', async (t) => {
  const { failures, fail } = build()
  fail(1000, '192.0.2.1', 'client')
  t.equal(failures.check('192.0.2.1', 'client').blocked, true)
  t.equal(failures.check('192.0.2.2', 'client').blocked, false)
  t.equal(failures.check('2001:db8::1', 'client').blocked, false)
})

t.test('K7 a lock of one client does not lock another client at the same address', async (t) => {
  const { failures, fail } = build()
  fail(1000, '192.0.2.1', 'client')
  t.equal(failures.check('192.0.2.1', 'other').blocked, false)
  t.equal(failures.check('192.0.2.1', '').blocked, false)
})

t.test('K7 looking and succeeding cost nothing', async (t) => {
  const { failures } = build()
  for (let i = 0; i < 1000; i += 1) failures.check('192.0.2.1', 'client')
  t.equal(failures.check('192.0.2.1', 'client').blocked, false)
})

t.test('K7 all addresses of an IPv6 /64 share their failures, and so do both spellings of IPv4', async (t) => {
  const { failures, fail } = build()
  for (let i = 0; i < 10; i += 1) fail(1, `2001:db8::${i}`, 'client')
  t.equal(failures.check('2001:db8::ffff', 'client').blocked, true)
  t.equal(failures.check('2001:db8:0:1::1', 'client').blocked, false)
  fail(10, '::ffff:192.0.2.9', 'client')
  t.equal(failures.check('192.0.2.9', 'client').blocked, true)
})

t.test('K7 Q7 going on while locked does not prolong the lock', async (t) => {
  const { clock, failures, fail } = build()
  fail(10, '192.0.2.1', 'client')
  for (let i = 0; i < 120; i += 1) {
    clock.ms += 500
    fail(100, '192.0.2.1', 'client')
  }
  clock.ms += 2000
  t.equal(failures.check('192.0.2.1', 'client').blocked, false)
})

t.test('K7 Q6 sprayed client identifiers neither free a locked pair nor lock an honest one', async (t) => {
  const { failures, fail } = build(createInProcessCounters({ maxEntries: 50 }))
  fail(10, '192.0.2.1', 'client')
  for (let i = 0; i < 5000; i += 1) fail(3, `198.51.100.${i % 250}`, `sprayed-${i}`)
  t.equal(failures.check('192.0.2.1', 'client').blocked, true, 'its counter was not pushed out')
  t.equal(failures.check('203.0.113.1', 'honest').blocked, false, 'the failures of others are not counted to it')
})

t.test('K7 Q6 memory is bounded, whatever is presented', async (t) => {
  const counters = createInProcessCounters({ maxEntries: 50 })
  const { fail } = build(counters)
  for (let i = 0; i < 2000; i += 1) fail(1, `2001:db8:${i.toString(16)}::1`, `${i}`.repeat(5000))
  t.ok(counters.size() <= 50, `${counters.size()} keys`)
})

t.test('K7 Q9 two different pairs never share a count', async (t) => {
  const { failures, fail } = build()
  const text = fc.string({ maxLength: 90, unit: fc.constantFrom('a', 'b', ';', ':', '1', 'c', 'h') })
  const locked = new Set<string>()
  const { failed, counterexample } = fc.check(
    fc.property(text, text, text, text, (address, client, otherAddress, otherClient) => {
      locked.add(JSON.stringify([`x${address}`, client]))
      fail(10, `x${address}`, client)
      return (
        failures.check(`x${otherAddress}`, otherClient).blocked ===
        locked.has(JSON.stringify([`x${otherAddress}`, otherClient]))
      )
    }),
    { numRuns: 1000 },
  )
  t.equal(failed, false, JSON.stringify(counterexample))
})

t.test('counters that answer later are refused: the check is made without waiting', async (t) => {
  const inner = createInProcessCounters()
  const later: Counters = { ...inner, peek: async (buckets, nowMs) => inner.peek(buckets, nowMs) }
  const { failures } = build(later)
  failures.record('192.0.2.1', 'client')
  t.throws(() => failures.check('192.0.2.1', 'client'), /in-process Counters/)
})
