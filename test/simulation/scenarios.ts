// What is measured of instances: at rest, while revocations are made, under calls, and while they start. The same of
// simulated ones (here) and of real ones (measured-cluster.ts).

import type { Bucket } from '../../src/storage/counters/counters.js'
import { createChance } from './chance.js'
import type { Machine } from './machine.js'
import type { Link } from './network.js'
import { type ClusterOptions, revokeAll, type SimulatedCluster, startSimulatedCluster } from './simulated-cluster.js'
import type { Command } from './virtual-redis.js'
import type { Table } from './virtual-store.js'

/** A second of PostgreSQL and Redis, for all instances together. */
export interface Load {
  statements: Record<Table, number>
  rows: number
  storeBytes: number
  commands: Record<Command, number>
  redisBytes: number
  /** Of the busiest second; only of simulated instances. */
  mostRows?: number
}

/** What it costs that all start at once. */
export interface Starts {
  statements: number
  rows: number
  /** Virtual seconds until all had started. */
  seconds: number
}

/** Milliseconds from a change to its being known, over all changes and all other instances. */
export interface Lag {
  p50: number
  mean: number
  most: number
}

export interface Figures {
  instances: number
  rest: Load
  /** From the commit to the application at another instance: with Redis, and by polling alone. */
  streamLag: Lag
  pollLag: Lag
  /** Commands on Redis, beside those at rest, for a thousand calls. */
  perThousandCalls: number
  /** Only of simulated instances, beside the applications and settings that each one loads. */
  starts?: Starts
  /** Only of real instances: open connections, and what Redis keeps for its. */
  connections?: { postgres: number; redis: number; redisBytes: number }
  /** Only of real instances: what their work costs on the machine that they share, and the network in it. */
  machine?: Machine
  link?: Link
}

/**
 * Statements on PostgreSQL at rest beside what is simulated here: of the leader (ledger, webhooks, retention), and of
 * each instance (health), as measured of three and of ten, a second; and bytes of each.
 */
const otherWork = { leader: 4, each: 1, bytes: 560 }

/** Calls of an application in a second, and its limit: a rate a minute with so many at once. */
export const callRate = { perSecond: 100, limit: 60_000, burst: 2_000 }

/** Of more instances changes and calls last this many seconds at most: what they cost does not come in turns. */
const MANY = { instances: 100, seconds: 5 }

/** All figures of so many instances; `seconds` of virtual time at rest, and for changes and calls of each kind. */
export async function simulate(options: Omit<ClusterOptions, 'withRedis'>, restSeconds: number): Promise<Figures> {
  const cluster = await startSimulatedCluster({ ...options, withRedis: true })
  const { starts } = cluster
  const rest = withOtherWork(await loadOf(cluster, restSeconds), options.instances)
  const seconds = options.instances > MANY.instances ? Math.min(restSeconds, MANY.seconds) : restSeconds
  const streamLag = await lagOf(cluster, seconds)
  const perThousandCalls = await callsOf(cluster, rest, seconds)
  await cluster.stop()
  const polling = await startSimulatedCluster({ ...options, withRedis: false })
  const pollLag = await lagOf(polling, seconds)
  await polling.stop()
  return { instances: options.instances, rest, streamLag, pollLag, perThousandCalls, starts }
}

/** What a second costs while nothing happens. */
export async function loadOf({ time, postgres, redis }: SimulatedCluster, seconds: number): Promise<Load> {
  postgres.reset()
  redis?.reset()
  let mostRows = 0
  for (let second = 0; second < seconds; second += 1) {
    const before = postgres.counts.rows
    await time.pass(1_000)
    mostRows = Math.max(mostRows, postgres.counts.rows - before)
  }
  const { statements, rows, bytes } = postgres.counts
  const each = <K extends string>(counts: Record<K, number>) =>
    Object.fromEntries(Object.entries<number>(counts).map(([name, count]) => [name, count / seconds])) as Record<
      K,
      number
    >
  return {
    statements: each(statements),
    rows: rows / seconds,
    storeBytes: bytes / seconds,
    commands: each(redis?.counts.commands ?? { xadd: 0, xread: 0, xrevrange: 0, evalsha: 0 }),
    redisBytes: (redis?.counts.bytes ?? 0) / seconds,
    mostRows,
  }
}

function withOtherWork(load: Load, instances: number): Load {
  const work = otherWork.leader + otherWork.each * instances
  const others = load.statements.others + work
  const storeBytes = load.storeBytes + work * otherWork.bytes
  return { ...load, storeBytes, statements: { ...load.statements, others } }
}

/** Two revocations a second, at instances in turn. */
async function lagOf({ time, instances, seed }: SimulatedCluster, seconds: number): Promise<Lag> {
  const chance = createChance(seed)
  for (const { propagation } of instances) propagation.length = 0
  for (let i = 0; i < seconds * 2; i += 1) {
    const instance = instances[i % instances.length]
    if (instance !== undefined) await time.settled(revokeAll(instance, `application-${i}`, 1_800_000_000_000))
    await time.pass(chance() * 1_000)
  }
  await time.pass(2_000)
  return lagIn(instances.flatMap(({ propagation }) => propagation.map((each) => each * 1_000)))
}

/** Of milliseconds, one by one. */
export function lagIn(each: readonly number[]): Lag {
  const sorted = [...each].sort((a, b) => a - b)
  const mean = sorted.reduce((sum, ms) => sum + ms, 0) / Math.max(1, sorted.length)
  return { p50: sorted[Math.floor(sorted.length / 2)] ?? 0, mean, most: sorted.at(-1) ?? 0 }
}

/** Calls of one application, each at any instance, as a balancer sends them. */
async function callsOf(cluster: SimulatedCluster, rest: Load, seconds: number): Promise<number> {
  const { time, instances, redis } = cluster
  redis?.reset()
  for (let i = 0; i < seconds * callRate.perSecond; i += 1) {
    void instances[i % instances.length]?.counters?.take(buckets, time.now())
    await time.pass(1_000 / callRate.perSecond)
  }
  const commands = redis?.counts.commands.evalsha ?? 0
  return ((commands / seconds - rest.commands.evalsha) / callRate.perSecond) * 1_000
}

/** The limits of a call: config/portcullis.yaml, with the rate of an application that may call so often. */
const buckets: Bucket[] = [
  {
    key: 'application:one',
    algorithm: { kind: 'rate', limit: callRate.limit, periodMs: 60_000, burst: callRate.burst },
    ...{ cost: 1, mode: 'leased', onDown: 'local' },
  },
  {
    key: 'tenant:one',
    algorithm: { kind: 'quota', limit: 1_000_000_000, periodMs: 86_400_000 },
    ...{ cost: 1, mode: 'leased', onDown: 'local' },
  },
]
