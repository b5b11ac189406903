// Instances that share a Store and perhaps a stream, each with the ears of a test.

import type { ChangeStream } from '../../../src/storage/changes/change-stream.js'
import { createRedisStream } from '../../../src/storage/changes/redis-stream.js'
import { createSharedFeed, type SharedFeedOptions } from '../../../src/storage/changes/shared-feed.js'
import { openRedis } from '../../../src/storage/redis/connection.js'
import type { PostgresStoreOptions } from '../../../src/storage/sql/postgresql/postgresql.js'
import type { Statements, Store } from '../../../src/storage/sql/store.js'
import type { FeedInstance } from '../../contract/feed.js'
import { createRecorder, type Recorder } from './feed-recorder.js'

export interface SharedInstance<S extends ChangeStream | undefined = ChangeStream | undefined> extends FeedInstance {
  id: string
  recorder: Recorder
  stream: S
  /** Moves this instance's monotonic clock forward by so many milliseconds. */
  pass(ms: number): void
}

type Given = Partial<Omit<SharedFeedOptions, 'store' | 'stream'>>

let count = 0

/**
 * A Feed that has not started and has one follower, a recorder. Polls every 10 ms and waits for the others longer than
 * a machine stands still, unless set otherwise.
 */
export function createSharedInstance<S extends ChangeStream | undefined>(
  t: { teardown(work: () => unknown): void },
  parts: { store: Store; stream: S },
  given: Given = {},
): SharedInstance<S> {
  const errors: unknown[] = []
  let passed = 0
  count += 1
  const id = `instance-${count}`
  const feed = createSharedFeed({
    ...parts,
    instanceId: id,
    pollMs: 10,
    staleAfterMs: 5_000,
    confirmMs: 20_000,
    now: Date.now,
    monotonic: () => performance.now() + passed,
    onError: (error) => errors.push(error),
    ...given,
  })
  t.teardown(() => feed.stop())
  const pass = (ms: number): void => {
    passed += ms
  }
  return { id, feed, store: parts.store, stream: parts.stream, errors, recorder: createRecorder(), pass }
}

export interface CuttableStore {
  store: Store
  /** While cut off every call fails at once, as if the network had gone. */
  cut(isCut: boolean): void
  /** While it hangs reads do not answer; those fail when it ends. */
  hang(isHanging: boolean): void
  /** How often the reader was requested. */
  reads(): number
}

/** The same Store with a connection that a test can cut. */
export function createCuttableStore(store: Store): CuttableStore {
  let isCut = false
  let isHanging = false
  let reads = 0
  const waiting: (() => void)[] = []
  const unreachable = () => new Error('no route to the Store')
  const guarded = <A extends unknown[], R>(work: (...args: A) => Promise<R>) => {
    return (...args: A): Promise<R> => (isCut ? Promise.reject(unreachable()) : work(...args))
  }
  const failing = new Proxy(store.reader, {
    get() {
      throw unreachable()
    },
  })
  /** Every step of a query is this again; its execution waits. */
  const silent: Statements = new Proxy(store.reader, {
    get: (_target, name) =>
      String(name).startsWith('execute')
        ? () => new Promise((_resolve, reject) => waiting.push(() => reject(unreachable())))
        : () => silent,
  })
  return {
    cut(cut) {
      isCut = cut
    },
    hang(hang) {
      isHanging = hang
      if (!hang) for (const end of waiting.splice(0)) end()
    },
    reads: () => reads,
    store: {
      kind: store.kind,
      get reader() {
        reads += 1
        if (isHanging) return silent
        return isCut ? failing : store.reader
      },
      transaction: guarded(store.transaction) as Store['transaction'],
      snapshot: guarded(store.snapshot) as Store['snapshot'],
      check: guarded(store.check),
      close: () => store.close(),
    },
  }
}

/** A small pool, with time-outs that are longer than a machine stands still. */
export function postgresOptions(url: string): PostgresStoreOptions {
  return { url, connections: 6, connectMs: 10_000, statementMs: 10_000, waitMs: 20_000 }
}

/**
 * The stream on a real Redis, with the key of all tests and a prefix of its own. A publication is given up after
 * `commandMs`, which is long unless given: what is given up is then heard by others and yet not answered.
 */
export async function openTestStream(url: string, prefix = 'feedtest', commandMs = 10_000): Promise<ChangeStream> {
  const options = { url, prefix, commandMs, connectMs: 10_000 }
  const [publisher, reader] = [await openRedis(options, 'publish'), await openRedis(options, 'stream')]
  return createRedisStream({ publisher, reader, key: new Uint8Array(32).fill(7) })
}

/** Milliseconds of a clock that the processes of one machine share and that nobody sets during a test. */
export function sharedNow(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000
}
