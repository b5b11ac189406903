// An instance as src/instance/open-storage.ts and redis-storage.ts put it together, as far as instances have to do with
// each other: feed, stream, membership, leader, revocation view, shared limits. All of it is the program's own code; the
// network, the time and the two servers are simulated.

import { createLeader, type Leader } from '../../src/cluster/leader.js'
import { createMembership, type Membership } from '../../src/cluster/membership.js'
import { createRevocationView, type RevocationFollower } from '../../src/revocation/revocation-view.js'
import type { Feed } from '../../src/storage/changes/feed.js'
import { createRedisStream } from '../../src/storage/changes/redis-stream.js'
import { createSharedFeed } from '../../src/storage/changes/shared-feed.js'
import { createRedisCounters, type RedisCounters } from '../../src/storage/counters/redis-counters.js'
import { readLease } from '../../src/storage/sql/cluster/leases.js'
import { createChance, exponential } from './chance.js'
import type { Machine, Processors } from './machine.js'
import { createWay, type Link, type Way } from './network.js'
import type { VirtualRedis } from './virtual-redis.js'
import type { VirtualPostgres } from './virtual-store.js'
import type { VirtualTime } from './virtual-time.js'

export interface World {
  time: VirtualTime
  postgres: VirtualPostgres
  /** Undefined: the instances follow by polling. */
  redis: VirtualRedis | undefined
  link: Link
  machine: Machine
  processors: Processors
  seed: number
}

export interface SimulatedInstance {
  readonly name: string
  readonly feed: Feed
  readonly view: RevocationFollower
  readonly membership: Membership
  readonly leader: Leader
  readonly counters: RedisCounters | undefined
  /** Its ways to PostgreSQL and to Redis; cut each of them as a network does. */
  readonly ways: { store: Way; redis: readonly Way[] }
  /** What failed between calls. */
  readonly errors: unknown[]
  /** Seconds from the commit of a change of another instance to its application here, one by one. */
  readonly propagation: number[]
  start(): Promise<void>
  stop(): Promise<void>
}

/** The defaults of config/portcullis.yaml. */
export const bounds = { pollMs: 500, staleAfterMs: 5_000, commandMs: 200 }

const key = new Uint8Array(32).fill(7)
/** A time of day for what is compared with rows. */
const beganAt = 1_800_000_000_000

let made = 0

/** Not started. */
export function createSimulatedInstance(world: World, index: number): SimulatedInstance {
  const { time, postgres, redis, link, machine, processors } = world
  const chance = createChance(world.seed * 100_003 + index)
  const timers = time.timers(chance)
  const monotonic = time.now
  const now = () => Math.floor(beganAt + time.now())
  const eventLoop = processors.thread()
  const client = () => eventLoop(machine.answerMs)
  const entry = () => eventLoop(machine.entryMs)
  const toStore = { server: () => processors.anyThread(machine.statementMs), client, entry }
  const server = () => redis?.work() ?? Promise.resolve()
  const toRedis = () => createWay(time, link, chance, { server, client, entry })
  const ways = {
    store: createWay(time, link, chance, toStore),
    redis: [toRedis(), toRedis(), toRedis()] as const,
  }
  const store = postgres.connect(ways.store)
  const errors: unknown[] = []
  const onError = (error: unknown) => void errors.push(error)
  made += 1
  // As long as an identifier of an instance is.
  const name = `instance-${index}-${made}`.padEnd(36, '-')
  const propagation: number[] = []
  const [counting, publishing, reading] = ways.redis
  const stream = redis && {
    publisher: redis.connect(publishing, bounds.commandMs),
    reader: redis.connect(reading),
  }
  const membership = createMembership({
    ...{ store, instanceId: name, silentMs: bounds.staleAfterMs, now, monotonic, onError, timers },
  })
  const leader = createLeader({
    ...{ store, holder: name, now, monotonic, onChange: () => {}, onError, timers },
    clockDifferences: membership.clockDifferences,
    // As dear as that statement is.
    storeClock: async () => {
      await readLease(store.reader, 'leader')
      return now()
    },
  })
  const feed = createSharedFeed({
    store,
    stream: stream && createRedisStream({ ...stream, key, onError, timers }),
    instanceId: name,
    pollMs: bounds.pollMs,
    staleAfterMs: bounds.staleAfterMs,
    now,
    monotonic,
    timers,
    onError,
    mayPrune: leader.isLeader,
    onPropagation: (seconds) => propagation.push(seconds),
  })
  const view = createRevocationView({
    ...{ feed, staleAfterMs: bounds.staleAfterMs, horizonMs: 7_200_000, now, monotonic },
  })
  feed.follow(view)
  const counters =
    redis &&
    createRedisCounters({
      redis: redis.connect(counting, bounds.commandMs),
      instances: () => membership.count(),
      monotonic,
      timers,
    })
  return {
    ...{ name, feed, view, membership, leader, counters, ways, errors, propagation },
    async start() {
      // Not all at one moment, as no two processes start.
      await time.delay(exponential(chance, 300))
      await feed.start()
      await membership.begin()
      leader.begin()
    },
    async stop() {
      await leader.end()
      membership.end()
      await feed.stop()
      await counters?.close()
    },
  }
}
