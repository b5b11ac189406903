// A process that counts on a shared Redis, for redis-processes.test.ts: at each "go" it plays the next of its rounds
// and says `done <round> <result>`.

import { createInterface } from 'node:readline'
import type { Bucket } from '../../../src/storage/counters/counters.js'
import { createRedisCounters } from '../../../src/storage/counters/redis-counters.js'
import { openRedis } from '../../../src/storage/redis/connection.js'
import { watchStalls } from '../traffic/stalls.js'
import { say } from './child-messages.js'

/** Asks for one unit of the bucket again and again, `everyMs` apart, 0 as fast as it goes. */
export interface CountersRound {
  bucket: Bucket
  /** So long, without the time in which nothing ran. */
  forMs: number
  everyMs: number
  /** And so often, however slow the machine is. */
  asks: number
}

export interface CountersResult {
  allowed: number
  refused: number
  /** Allowed without waiting for Redis. */
  atOnce: number
  /** The longest wait for a decision, less the longest time in which nothing ran. */
  longestMs: number
}

/** More of one turn is a pause of the machine. */
const turnMs = 20

const [url = '', prefix = '', instances = '1', plan = '[]'] = process.argv.slice(2)
const redis = await openRedis({ url, prefix, commandMs: 10_000, connectMs: 10_000 }, 'counters')
const counters = createRedisCounters({ redis, instances: () => Number(instances), monotonic: () => performance.now() })
const rounds = JSON.parse(plan) as CountersRound[]
let next = 0
say('ready')
for await (const _line of createInterface({ input: process.stdin })) {
  const round = rounds[next]
  if (round !== undefined) say(`done ${next} ${JSON.stringify(await play(round))}`)
  next += 1
}

async function play({ bucket, forMs, everyMs, asks }: CountersRound): Promise<CountersResult> {
  const result: CountersResult = { allowed: 0, refused: 0, atOnce: 0, longestMs: 0 }
  const stalledMs = watchStalls()
  let ranMs = 0
  while (ranMs < forMs || result.allowed + result.refused < asks) {
    const began = performance.now()
    const answer = counters.take([bucket], began)
    const isAtOnce = Array.isArray(answer)
    const allowed = (await answer)[0]?.allowed === true
    result.longestMs = Math.max(result.longestMs, performance.now() - began)
    result[allowed ? 'allowed' : 'refused'] += 1
    if (allowed && isAtOnce) result.atOnce += 1
    // The refused would otherwise keep the processor from the others.
    if (everyMs > 0 || !allowed) await new Promise((resolve) => setTimeout(resolve, Math.max(1, everyMs)))
    else await new Promise((resolve) => setImmediate(resolve))
    ranMs += Math.min(turnMs, performance.now() - began)
  }
  return { ...result, longestMs: Math.max(0, result.longestMs - stalledMs()) }
}
