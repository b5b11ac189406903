// Asks Redis to decide: the script's arguments, its reply, and one call for all buckets of a request.

import { createHash } from 'node:crypto'
import type { RedisConnection } from '../redis/connection.js'
import type { Algorithm, BucketState } from './counters.js'
import { counterKey } from './keys.js'
import { toMicroseconds } from './microseconds.js'
import { ANSWERS, decisionScript } from './redis-script.js'

/** What is left of a quota's lease that ended, for Redis to take back. */
export interface Leftover {
  units: number
  /** Which life of the key it was charged in, and in which slot. */
  birth: number
  slot: number
}

/** A bucket as it stands in a query to Redis. */
export interface Ask {
  key: string
  algorithm: Algorithm
  cost: number
  /** Milliseconds for which units are taken ahead; 0 for a bucket that is counted strictly. */
  leaseMs: number
  /** Units to take ahead when the request is allowed; fewer may be given. */
  want: number
  /** Units let through while Redis was gone: charged whether or not they fit. */
  debt: number
  leftover: Leftover | undefined
}

/** What Redis said of a bucket. */
export interface RedisAnswer {
  state: BucketState
  /** Units taken ahead. */
  ahead: number
  birth: number
  slot: number
}

export interface DecisionOptions {
  redis: RedisConnection
  instances: () => number
  /** Called with how many values under our keys were not ours; they count as empty and are written anew (F7). */
  onCorrupt: (values: number) => void
  /** `caller`: the scripts reckon with the time that they are given, for tests. `redis`: with the server's clock. */
  clock: 'redis' | 'caller'
}

export interface Decider {
  /** Decides all `asks` together in one round trip; `peek` changes nothing. Rejects with RedisUnavailable. */
  decide(op: 'take' | 'peek', asks: readonly Ask[], nowMs: number): Promise<RedisAnswer[]>
}

const sha = createHash('sha1').update(decisionScript).digest('hex')

/** A decider on a connection. */
export function createDecider(options: DecisionOptions): Decider {
  const { redis, instances, onCorrupt, clock } = options
  const clockKey = counterKey(redis.prefix, 'clock')
  return {
    async decide(op, asks, nowMs) {
      const words: (string | number)[] = [clockKey]
      for (const ask of asks) words.push(counterKey(redis.prefix, ask.key))
      words.push(clock === 'caller' ? toMicroseconds(nowMs) : '', op, Math.max(1, instances()))
      for (const ask of asks) addWords(words, ask)
      const reply = await runScript(redis, asks.length + 1, words)
      if (reply[0] !== undefined && reply[0] > 0) onCorrupt(reply[0])
      return asks.map((_, index) => readAnswer(reply, index))
    },
  }
}

function addWords(words: (string | number)[], ask: Ask): void {
  const { algorithm, leftover } = ask
  const isRate = algorithm.kind === 'rate'
  words.push(isRate ? 'r' : 'q', algorithm.limit, algorithm.periodMs, isRate ? algorithm.burst : 0)
  words.push(ask.cost, toMicroseconds(ask.leaseMs), ask.want, ask.debt)
  words.push(leftover?.units ?? 0, leftover?.birth ?? 0, leftover?.slot ?? 0)
}

/** By its digest, which the server knows after the first time and forgets when it starts again. */
async function runScript(
  redis: RedisConnection,
  keys: number,
  words: readonly (string | number)[],
): Promise<readonly number[]> {
  const reply = await redis.run(async (client) => {
    try {
      return await client.evalsha(sha, keys, ...words)
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
      return client.eval(decisionScript, keys, ...words)
    }
  })
  return (reply as unknown[]).map(Number)
}

function readAnswer(reply: readonly number[], index: number): RedisAnswer {
  const at = ANSWERS.before + index * ANSWERS.each
  const number = (offset: number): number => reply[at + offset] ?? 0
  const retryAfterMs = number(3)
  return {
    state: {
      allowed: number(0) === 1,
      remaining: number(1),
      resetMs: number(2),
      retryAfterMs: retryAfterMs < 0 ? Number.POSITIVE_INFINITY : retryAfterMs,
    },
    ahead: number(4),
    birth: number(5),
    slot: number(6),
  }
}
