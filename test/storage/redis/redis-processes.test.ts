// Limits from three processes at once, in each mode, with Redis there and gone.
// full: instances as processes, killed and stopped
// run: apart

import t from 'tap'
import type { Algorithm, Bucket, CountingMode } from '../../../src/storage/counters/counters.js'
import { mostAhead } from '../../../src/storage/counters/lease-terms.js'
import { startRedis } from '../../support/databases/redis.js'
import type { CountersResult, CountersRound } from '../../support/storage/counters-child.js'
import { startStorageChild } from '../../support/storage/storage-child.js'

const INSTANCES = 3
const quota: Algorithm = { kind: 'quota', limit: 600, periodMs: 60_000 }
const rate: Algorithm = { kind: 'rate', limit: 400, periodMs: 1_000, burst: 200 }
const round = (key: string, algorithm: Algorithm, mode: CountingMode, more: Partial<CountersRound>): CountersRound => {
  const bucket: Bucket = { key, algorithm, cost: 1, mode, onDown: 'local' }
  return { bucket, forMs: 700, everyMs: 0, asks: 0, ...more }
}
const rounds = [
  round('strict', quota, 'strict', { asks: quota.limit }),
  round('leased', quota, 'leased', { asks: quota.limit }),
  round('strict-rate', rate, 'strict', { forMs: 1_500, asks: 150 }),
  round('leased-rate', rate, 'leased', { forMs: 1_500, asks: 150 }),
  round('cut', quota, 'strict', { forMs: 2_000, everyMs: 5 }),
  round('gone', quota, 'leased', { asks: quota.limit }),
  round('local', quota, 'local', { asks: quota.limit }),
]

const server = await startRedis(t)
const plan = JSON.stringify(rounds)
const children = Array.from({ length: INSTANCES }, () =>
  startStorageChild(t, 'counters-child', [server.url, 'three', String(INSTANCES), plan]),
)
await Promise.all(children.map((child) => child.waitFor('ready')))
let played = 0

/** Plays the next round in all processes at once. `elapsedMs` is from before the first to after the last. */
async function play(): Promise<CountersResult & { elapsedMs: number; key: string }> {
  const began = performance.now()
  for (const child of children) child.go()
  await Promise.all(children.map((child) => child.waitFor(`done ${played} `)))
  const elapsedMs = performance.now() - began
  const results = children.map((child) => {
    const line = child.lines.find((line) => line.startsWith(`done ${played} `)) ?? ''
    return JSON.parse(line.replace(/^done \d+ /, '')) as CountersResult
  })
  const sum = (name: keyof CountersResult): number => results.reduce((total, each) => total + each[name], 0)
  const longestMs = Math.max(...results.map((each) => each.longestMs))
  const key = rounds[played]?.bucket.key ?? ''
  played += 1
  const result = { allowed: sum('allowed'), refused: sum('refused'), atOnce: sum('atOnce'), longestMs, elapsedMs, key }
  t.comment(
    `${key}: ${result.allowed} allowed, of them ${result.atOnce} at once, ${result.refused} refused, longest ${longestMs.toFixed(1)} ms`,
  )
  return result
}

await t.test('strict: three processes together let exactly the limit through', async (t) => {
  t.equal((await play()).allowed, 600)
})

await t.test('leased: never more than the limit, and less by no more than what leases can hold', async (t) => {
  const { allowed, atOnce } = await play()
  const bound = 2 * INSTANCES * mostAhead(quota, INSTANCES)
  t.ok(allowed <= 600 && allowed >= 600 - bound, `${600 - bound} to 600`)
  t.ok(atOnce > 0)
})

await t.test('strict and leased rates: never more than the burst and what leaks, and not much less', async (t) => {
  for (const held of [0, rate.burst]) {
    const { allowed, elapsedMs } = await play()
    const most = rate.burst + (rate.limit * elapsedMs) / rate.periodMs
    // From the last process to start to the first to end, threefold slack for the start; a lease holds back a quarter.
    const least = (rate.limit * 1_500) / rate.periodMs / 3 + (held === 0 ? rate.burst : rate.burst / 2)
    t.ok(allowed <= most && allowed >= least, `${least} to ${Math.floor(most)}`)
  }
})

await t.test('F31 Redis killed in the middle: together at most one and a half times the limit', async (t) => {
  const cut = new Promise<void>((resolve) => setTimeout(() => resolve(server.kill()), 700))
  const { allowed, longestMs } = await play()
  await cut
  t.ok(allowed <= 900, `${allowed} for a limit of 600`)
  t.ok(longestMs < 900, 'no decision waits')
})

t.test('F31 with Redis gone all together let through their shares', async (t) => {
  t.equal((await play()).allowed, 600, 'leased')
  t.equal((await play()).allowed, 600, 'local')
})
