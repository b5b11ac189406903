// Looking at shared buckets without charging them.

import type { RedisConnection } from '../redis/connection.js'
import { type Bucket, type BucketState, CountersUnavailable } from './counters.js'
import type { Evaluator } from './evaluations.js'
import { leaseMs } from './lease-terms.js'
import type { Ask, Decider } from './redis-decision.js'

/** `peek` of the Counters: local buckets from their meters, all others in one round trip. */
export function createPeek(options: { redis: RedisConnection; decider: Decider; evaluator: Evaluator }) {
  const { redis, decider, evaluator } = options

  const withoutRedis = (buckets: readonly Bucket[], nowMs: number): BucketState[] => {
    if (buckets.some((bucket) => isShared(bucket) && bucket.onDown === 'refuse')) {
      throw new CountersUnavailable('shared limits cannot be looked at now')
    }
    return buckets.map((bucket) => evaluator.look(bucket, nowMs))
  }

  const withRedis = async (buckets: readonly Bucket[], nowMs: number): Promise<BucketState[]> => {
    try {
      const answers = await decider.decide('peek', buckets.filter(isShared).map(asking), nowMs)
      return buckets.map(
        (bucket) => (isShared(bucket) ? answers.shift()?.state : undefined) ?? evaluator.look(bucket, nowMs),
      )
    } catch {
      return withoutRedis(buckets, nowMs)
    }
  }

  return (buckets: readonly Bucket[], nowMs: number): BucketState[] | Promise<BucketState[]> =>
    redis.isUp && buckets.some(isShared) ? withRedis(buckets, nowMs) : withoutRedis(buckets, nowMs)
}

function isShared(bucket: Bucket): boolean {
  return bucket.mode === 'strict' || bucket.mode === 'leased'
}

function asking({ key, algorithm, cost, mode }: Bucket): Ask {
  return {
    key,
    algorithm,
    cost,
    leaseMs: mode === 'leased' ? leaseMs(algorithm) : 0,
    want: 0,
    debt: 0,
    leftover: undefined,
  }
}
