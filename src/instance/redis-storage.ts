// What Redis is used for: the counts of limits, and the stream that tells other instances of changes. Three
// connections, because a stream blocks, and because a slow count must not delay a change. Losing all of them loses no
// decision.

import { performance } from 'node:perf_hooks'
import type { Health } from '../cluster/health.js'
import { redisOptions } from '../config/process/redis-options.js'
import type { RedisSettings } from '../config/settings/storage-settings.js'
import { deriveKey } from '../oauth/secrets/derived-key.js'
import type { Metrics } from '../observability/metrics.js'
import type { ChangeStream } from '../storage/changes/change-stream.js'
import { createRedisStream } from '../storage/changes/redis-stream.js'
import type { Counters } from '../storage/counters/counters.js'
import { createRedisCounters } from '../storage/counters/redis-counters.js'
import { openRedis, type RedisConnection } from '../storage/redis/connection.js'
import { RedisRefused } from '../storage/redis/redis-errors.js'

export interface RedisStorageOptions {
  settings: RedisSettings
  masterKeys: readonly Uint8Array[]
  metrics: Pick<Metrics, 'limitStore' | 'limitOnDown'>
  health: Pick<Health, 'redisChanged'>
  /** How many instances live. */
  instances: () => number
  onError: (error: unknown) => void
}

export interface RedisStorage {
  counters: Counters
  /** Opens two more connections; its follower stops it, which closes them. Throws RedisRefused. */
  openStream(): Promise<ChangeStream>
  /** After the counters are closed. */
  close(): Promise<void>
}

/** Opens it. Resolves also while Redis is away; throws RedisRefused when it is there and must not be used. */
export async function openRedisStorage(options: RedisStorageOptions): Promise<RedisStorage> {
  const { metrics, health, instances, onError } = options
  const connect = (use: 'counters' | 'publish' | 'stream') =>
    openRedis(redisOptions(options.settings), use, {
      onState: ({ up, reason }) => health.redisChanged(use, up, reason),
    }).catch(nameSetting)
  const connection = await connect('counters')
  if (!connection.isUp) void sayWhy(options)
  const counters = createRedisCounters({
    redis: timed(connection, (seconds) => metrics.limitStore.observe(seconds)),
    instances,
    monotonic: () => performance.now(),
    onFallback: (answer) => metrics.limitOnDown.inc({ answer }),
    onFailure: onError,
    onCorrupt: (values) => onError(new Error(`${values} values in Redis under our keys were not ours`)),
  })
  return {
    counters,
    async openStream() {
      const [key = new Uint8Array(), ...olderKeys] = options.masterKeys.map((key) => deriveKey(key, 'change-stream'))
      const publisher = await connect('publish')
      try {
        const reader = await connect('stream')
        return createRedisStream({ publisher, reader, key, olderKeys, onError })
      } catch (error) {
        await publisher.close()
        throw error
      }
    },
    close: () => connection.close(),
  }
}

/** A start goes on without Redis; what is wrong with how its servers belong together is in the log from the beginning. */
async function sayWhy({ settings, onError }: RedisStorageOptions): Promise<void> {
  try {
    const { checkGroup } = await import('../storage/redis/group-check.js')
    for (const { message, advice } of await checkGroup(redisOptions(settings)))
      onError(new Error(`Redis (redis.url, PORTCULLIS_REDIS): ${message}: ${advice}`))
  } catch (error) {
    onError(error)
  }
}

/** A start that is refused is read by somebody who may have named the wrong Redis. */
function nameSetting(error: unknown): never {
  if (!(error instanceof RedisRefused)) throw error
  throw new RedisRefused(`${error.message} (this Redis is named by redis.url, PORTCULLIS_REDIS)`, { cause: error })
}

/**
 * Counters of instances that share a Store and have no Redis: each counts its part of every limit.
 */
export function countersWithoutRedis(instances: () => number): Counters {
  const redis: RedisConnection = {
    prefix: 'none',
    isUp: false,
    state: { up: false, sinceMs: 0, reason: 'none is configured' },
    run: () => Promise.reject(new Error('no Redis is configured')),
    reconnect: () => {},
    close: () => Promise.resolve(),
  }
  return createRedisCounters({ redis, instances, monotonic: () => performance.now() })
}

/** The connection with every round trip measured, in seconds. */
function timed(connection: RedisConnection, observe: (seconds: number) => void): RedisConnection {
  return {
    prefix: connection.prefix,
    get isUp() {
      return connection.isUp
    },
    get state() {
      return connection.state
    },
    async run(command) {
      const startedAt = performance.now()
      try {
        return await connection.run(command)
      } finally {
        observe((performance.now() - startedAt) / 1000)
      }
    },
    reconnect: () => connection.reconnect(),
    close: () => connection.close(),
  }
}
