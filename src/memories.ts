// What this instance remembers and where, as the configuration says: the Store, the Feed over it, the Counters, and, on a
// Store that several instances share, who they are and which of them leads.

import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { performance } from 'node:perf_hooks'
import type { FastifyBaseLogger } from 'fastify'
import { aloneMembership, leadAlone } from './alone.js'
import type { Settings } from './config/settings.js'
import { createHealth, type Health } from './health.js'
import type { Metrics } from './http/metrics.js'
import type { Lead } from './lead.js'
import type { Membership } from './membership.js'
import type { Counters } from './memory/counters/counters.js'
import { createInProcessCounters, type InProcessCounters } from './memory/counters/in-process.js'
import { createEmbeddedFeed } from './memory/feed/embedded-feed.js'
import type { Feed } from './memory/feed/feed.js'
import { openStore } from './memory/store/open-store.js'
import type { Store } from './memory/store/store.js'

export interface Memories {
  store: Store
  /** Not started: followers come first. */
  feed: Feed
  /** Of limits: shared where the configuration says so. */
  counters: Counters
  /** Of this process alone: what is counted before anybody is known, without a round trip. */
  localCounters: InProcessCounters
  membership: Membership
  lead: Lead
  health: Health
  /** After the feed has started: takes part in what instances do together. Throws StoreUnavailable. */
  join(): Promise<void>
  /** Takes part no longer; the Store stays open. */
  leave(): Promise<void>
  /** The rest, at the very end. */
  close(): Promise<void>
}

export interface MemoryOptions {
  settings: Settings
  masterKeys: readonly Uint8Array[]
  metrics: Metrics
  log: FastifyBaseLogger
  onError: (error: unknown) => void
}

/** Opens everything. Throws when the Store cannot be opened, or Redis must not be used; then nothing stays open. */
export async function openMemories(options: MemoryOptions): Promise<Memories> {
  const { settings, metrics, log, onError } = options
  const store = await openStore(settings.store, onError)
  const self = { id: randomBytes(4).toString('hex'), name: `${hostname()}:${process.pid}`, startedAt: Date.now() }
  const health = createHealth({ store, metrics, log })
  const localCounters = createInProcessCounters()
  const monotonic = () => performance.now()
  const feed = createEmbeddedFeed({ store, pollMs: settings.revocation.pollMs, now: Date.now, monotonic, onError })
  const membership = aloneMembership(self)
  const lead = leadAlone
  return {
    ...{ store, feed, counters: localCounters, localCounters, membership, lead, health },
    async join() {
      await membership.begin()
      lead.begin()
      health.begin()
    },
    async leave() {
      await lead.end()
      membership.end()
      await feed.stop()
      await localCounters.close()
    },
    async close() {
      health.end()
      await store.close()
    },
  }
}
