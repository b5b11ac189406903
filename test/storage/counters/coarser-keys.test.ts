import t from 'tap'
import { coarserKeys } from '../../../src/storage/counters/coarser-keys.js'
import { createInProcessCounters } from '../../../src/storage/counters/in-process.js'

const rate = { kind: 'quota', limit: 3, periodMs: 60_000 } as const
const keyOf = (address: string) => `guard;a${address.length}:${address}`

t.test('an address is in networks, anything else in none', async (t) => {
  for (const [key, expected] of [
    [keyOf('192.0.2.7'), ['192.0.2', '192.0']],
    [keyOf('2001:db8:1:2::'), ['2001:db8:1', '2001:db8']],
    [keyOf('2001:db8::'), ['2001:db8:0', '2001:db8']],
    [keyOf('2001:0db8:0:0:0:0:0:0'), ['2001:db8:0', '2001:db8']],
    [keyOf('::'), ['0:0:0', '0:0']],
    [`failures;a9:192.0.2.7;c3:abc`, ['192.0.2', '192.0']],
    ['limit:3:a;b;a9:192.0.2.7', ['192.0.2', '192.0']],
    ['limit:3:all;p3:abc', []],
    [keyOf('local'), []],
    ['guard;a', []],
  ] as const) {
    t.same(coarserKeys(key), expected, key)
  }
})

t.test('gateway L14: addresses that fill the table do not share a bucket with those of others', async (t) => {
  const counters = createInProcessCounters({ maxEntries: 400 })
  const take = (address: string) => counters.take([{ key: keyOf(address), algorithm: rate, cost: 1 }], 0)[0]
  const known = '198.51.100.1'
  t.equal(take(known)?.allowed, true)
  // A /47: addresses without end, and two /48s.
  const flood = (i: number) => `2001:db8:${i % 2}:${(i >> 1).toString(16)}::`
  for (let i = 0; i < 2_000; i++) take(flood(i))
  t.equal(take(flood(5_000))?.allowed, false, 'they take from each other')
  for (const address of ['203.0.113.9', '192.0.2.1', '2001:db8:7:1::', '2a00:1450:4001::']) {
    for (let i = 0; i < 3; i++) t.equal(take(address)?.allowed, true, address)
    t.equal(take(address)?.allowed, false, 'and their own limit holds')
  }
  t.equal(take(known)?.allowed, true)
  t.equal(take(known)?.remaining, 0, 'a known address has the meter from before')

  // Many networks: they fill what there is for networks too, and then share those around them.
  for (let i = 0; i < 4_000; i++) take(`2001:db8:${i.toString(16)}:1::`)
  t.equal(take('2001:db8:ffff:1::')?.allowed, false)
  t.ok(counters.size() <= 400)
})
