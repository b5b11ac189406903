// What this instance remembers and where, as the configuration says: the Store, the Feed over it, the Counters, and, on
// a Store that several instances share, who they are and which of them leads.

import { hostname } from 'node:os'
import { performance } from 'node:perf_hooks'
import type { FastifyBaseLogger } from 'fastify'
import { warnOfConnections } from '../cluster/connection-budget.js'
import { createHealth, type Health } from '../cluster/health.js'
import { createLeader, type Leader, type LeaderChange } from '../cluster/leader.js'
import { createMembership, type Membership } from '../cluster/membership.js'
import { singleInstanceLeader, singleInstanceMembership } from '../cluster/single-instance.js'
import { createWriteHealth } from '../cluster/write-health.js'
import type { Settings } from '../config/settings/settings.js'
import type { Metrics } from '../observability/metrics.js'
import { reasonOf } from '../observability/reason.js'
import type { ChangeStream } from '../storage/changes/change-stream.js'
import { createDoubt, type Doubt } from '../storage/changes/doubt.js'
import { createEmbeddedFeed } from '../storage/changes/embedded-feed.js'
import type { Feed } from '../storage/changes/feed.js'
import { createSharedFeed } from '../storage/changes/shared-feed.js'
import type { Counters } from '../storage/counters/counters.js'
import { createInProcessCounters, type InProcessCounters } from '../storage/counters/in-process.js'
import { readServerClock } from '../storage/sql/cluster/leases.js'
import { openStore } from '../storage/sql/open-store.js'
import { type Store, StoreUnavailable } from '../storage/sql/store.js'

export interface Storage {
  store: Store
  /** Not started: followers come first. */
  feed: Feed
  /** Of limits: shared where the configuration says so. */
  counters: Counters
  /** Of this process alone: what is counted before anybody is known, without a round trip. */
  localCounters: InProcessCounters
  membership: Membership
  leader: Leader
  health: Health
  /** What failed between requests, but for what `health` tells anyway. */
  onError: (error: unknown) => void
  /** After the feed has started: takes part in what instances do together. Throws StoreUnavailable. */
  join(): Promise<void>
  /** Takes part no longer; the Store stays open. */
  leave(): Promise<void>
  /** The rest, at the very end. */
  close(): Promise<void>
}

export interface StorageOptions {
  settings: Settings
  masterKeys: readonly Uint8Array[]
  /** Of this process and this start only. */
  instanceId: string
  metrics: Metrics
  log: FastifyBaseLogger
  onError: (error: unknown) => void
}

/** Opens everything. Throws when the Store cannot be opened, or Redis must not be used; then nothing stays open. */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  const opened: (() => Promise<unknown>)[] = []
  try {
    return await open(options, opened)
  } catch (error) {
    for (const close of opened.reverse()) await close().catch(options.onError)
    throw error
  }
}

async function open(given: StorageOptions, opened: (() => Promise<unknown>)[]): Promise<Storage> {
  const { settings, masterKeys, metrics, log } = given
  // The Store reports connections that break, and only what stands on it knows whether that was told already.
  let health: Health | undefined
  const onError = (error: unknown) =>
    health === undefined ? given.onError(error) : health.suppressDuplicates(error, given.onError)
  // From the start on: nobody knows whether the Store is the one that was left.
  const doubt = createDoubt(true)
  const onStoreError = (error: unknown) => {
    doubt.raise()
    onError(error)
  }
  const writes = createWriteHealth({ metrics, log, monotonic })
  const store = writes.watched(await openNamedStore(settings, onStoreError))
  opened.push(() => store.close())
  health = createHealth({ store, writes, metrics, log })
  const options = { settings, masterKeys, instanceId: given.instanceId, metrics, log, onError }
  const { membership, leader } = together(store, options)
  const instances = () => membership.count()
  const localCounters = createInProcessCounters()
  const redis =
    settings.redis === undefined
      ? undefined
      : await (await import('./redis-storage.js')).openRedisStorage({
          settings: settings.redis,
          masterKeys,
          metrics,
          health,
          instances,
          onError,
        })
  if (redis !== undefined) opened.push(() => redis.close())
  const counters = redis?.counters ?? (store.kind === 'sqlite' ? localCounters : await partOfEach(instances))
  const stream = store.kind === 'sqlite' ? undefined : await redis?.openStream()
  const feed = openFeed({ store, stream, leader, health, doubt }, options)
  return {
    store,
    feed,
    counters,
    localCounters,
    membership,
    leader,
    health,
    onError,
    async join() {
      await membership.begin()
      leader.begin()
      health.begin()
      if (settings.store.kind === 'sqlite') return
      const { connections } = settings.store
      await warnOfConnections({ store, membership, connections, log }).catch(onError)
    },
    async leave() {
      health.end()
      await leader.end()
      membership.end()
      // Its row goes with it: the others no longer count this instance.
      await feed.stop()
      await Promise.all([counters.close(), localCounters.close()])
      await redis?.close()
    },
    close: () => store.close(),
  }
}

/** A start that fails is read by somebody who may have mistyped a setting, so it names the setting. */
async function openNamedStore(settings: Settings, onError: (error: unknown) => void): Promise<Store> {
  try {
    return await openStore(settings.store, onError)
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    if (settings.store.kind === 'sqlite') {
      const what = `${settings.store.file}: ${reasonOf(error)}. It has to be a file of this user's that no other server has open, on a disk with room`
      throw new StoreUnavailable(`${what}; portcullis doctor looks closer`, { cause: error })
    }
    const setting = 'store.url (PORTCULLIS_STORE; TLS unless it says sslmode=disable or is on this machine)'
    throw new StoreUnavailable(
      `PostgreSQL cannot be used: ${reasonOf(error)}. See ${setting}; portcullis doctor looks closer`,
      {
        cause: error,
      },
    )
  }
}

/** Counted by each instance for itself, divided by how many there are. */
async function partOfEach(instances: () => number): Promise<Counters> {
  return (await import('./redis-storage.js')).countersWithoutRedis(instances)
}

/** Who else is there. On SQLite nobody can be. */
function together(
  store: Store,
  { settings, instanceId, log, onError }: StorageOptions,
): { membership: Membership; leader: Leader } {
  if (store.kind === 'sqlite') {
    return {
      membership: singleInstanceMembership({ id: instanceId, name: instanceName(), startedAt: Date.now() }),
      leader: singleInstanceLeader,
    }
  }
  const { staleAfterMs } = settings.revocation
  const onChange = (change: LeaderChange) => {
    if (change === 'leads') log.info('this instance leads now')
    else if (change === 'ended') log.info('this instance no longer leads')
    else if (change === 'right clock') log.info('this instance may lead again: its clock agrees with most others')
    else log.error('this instance may not lead: its clock differs from most others. Synchronise it')
  }
  const clocks = { now: Date.now, monotonic }
  const membership = createMembership({ store, instanceId, silentMs: staleAfterMs, ...clocks, onError })
  const clockOf = { clockDifferences: membership.clockDifferences, storeClock: () => readServerClock(store.reader) }
  return {
    membership,
    leader: createLeader({ store, holder: instanceId, ...clocks, ...clockOf, onChange, onError }),
  }
}

function openFeed(
  parts: { store: Store; stream: ChangeStream | undefined; leader: Leader; health: Health; doubt: Doubt },
  { settings, instanceId, metrics, onError }: StorageOptions,
): Feed {
  const { store, stream, leader, health, doubt } = parts
  const { pollMs, staleAfterMs } = settings.revocation
  const clocks = { now: Date.now, monotonic }
  if (store.kind === 'sqlite') return createEmbeddedFeed({ store, pollMs, ...clocks, doubt, onError })
  return createSharedFeed({
    store,
    stream,
    instanceId,
    instanceName: instanceName(),
    pollMs,
    staleAfterMs,
    ...clocks,
    onError,
    doubt,
    mayPrune: leader.isLeader,
    onPropagation: (seconds) => metrics.revocationPropagation.observe(seconds),
    onStream: (up) => health.redisChanged('stream', up, 'the stream cannot be read'),
  })
}

function instanceName(): string {
  return `${hostname()}:${process.pid}`
}

function monotonic(): number {
  return performance.now()
}
