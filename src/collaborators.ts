// Everything that the rooms of one instance share, built once and in order: what is remembered, what is followed, what is
// decided with. Nothing here knows a route; app.ts hands these to the rooms.

import { performance } from 'node:perf_hooks'
import { type Authenticator, createAuthenticator } from './access/authenticate.js'
import { createSecondLook, type SecondLook } from './access/second-look.js'
import type { Settings } from './config/settings.js'
import { createDirectory } from './directory/directory.js'
import type { DirectoryWrites } from './directory/writes.js'
import { createMetrics, type Metrics } from './http/metrics.js'
import { createFailedAuthentications, type FailedAuthentications } from './limits/failed-authentications.js'
import { createLimiter, type Limiter } from './limits/limiter.js'
import type { Counters } from './memory/counters/counters.js'
import { createInProcessCounters } from './memory/counters/in-process.js'
import { createEmbeddedFeed } from './memory/feed/embedded-feed.js'
import type { Feed } from './memory/feed/feed.js'
import { openStore } from './memory/store/open-store.js'
import type { Store } from './memory/store/store.js'
import { deriveKey } from './oauth/derived-key.js'
import { createRevocationView, type RevocationFollower } from './revocation/revocation-view.js'
import { createKeyEncryption } from './tokens/key-encryption.js'
import { ensureKeys, type KeyLifecycle } from './tokens/key-lifecycle.js'
import { createKeyring } from './tokens/keyring.js'
import type { Keyring } from './tokens/keys.js'

export interface Collaborators {
  store: Store
  feed: Feed
  counters: Counters
  keyring: Keyring
  keyLifecycle: KeyLifecycle
  view: RevocationFollower
  directory: ReturnType<typeof createDirectory>
  writes: DirectoryWrites
  limiter: Limiter
  failedAuthentications: FailedAuthentications
  authenticator: Authenticator
  secondLook: SecondLook
  metrics: Metrics
  peppers: readonly Uint8Array[]
  now: () => number
  monotonic: () => number
}

export interface CollaboratorOptions {
  settings: Settings
  masterKeys: readonly Uint8Array[]
  /** What failed between requests: a poll, a follower. */
  onError: (error: unknown) => void
}

/** Hour in milliseconds: how far ahead the view knows which credentials end, beyond a token's life. */
const horizonMarginMs = 2 * 3_600_000

/** Opens the Store (migrating it), makes missing keys, and loads the view. Throws when the instance must not start. */
export async function createCollaborators(options: CollaboratorOptions): Promise<Collaborators> {
  const { settings, masterKeys } = options
  const now = Date.now
  const monotonic = () => performance.now()
  const metrics = createMetrics()
  const store = await openStore(settings.store, options.onError)
  const feed = createEmbeddedFeed({
    store,
    pollMs: settings.revocation.pollMs,
    now,
    monotonic,
    onError: options.onError,
  })
  const encryption = createKeyEncryption(masterKeys)
  const keyLifecycle = { store, feed, encryption, settings: settings.tokens, now }
  const keyring = createKeyring({ store, encryption, settings: settings.tokens })
  const tokenLifetimeMs = settings.tokens.lifetimeSeconds * 1000
  const view = createRevocationView({
    feed,
    staleAfterMs: settings.revocation.staleAfterMs,
    horizonMs: tokenLifetimeMs + horizonMarginMs,
  })
  const directory = createDirectory({ store })
  for (const follower of [view, keyring, directory]) feed.follow(follower)
  await ensureKeys(keyLifecycle)
  await feed.start()

  const peppers = masterKeys.map((master) => deriveKey(master, 'client-secret-pepper'))
  const counters = createInProcessCounters()
  const secondLook = createSecondLook({ keyring, feed, monotonic })
  return {
    store,
    feed,
    counters,
    keyring,
    keyLifecycle,
    view,
    directory,
    writes: { feed, now, catalogue: settings.catalogue, peppers, tokenLifetimeMs },
    limiter: createLimiter({ counters, policies: settings.limits, metrics, monotonic }),
    failedAuthentications: createFailedAuthentications({ counters, ...settings.failedAuthentications, monotonic }),
    secondLook,
    authenticator: createAuthenticator({
      keyring,
      view,
      secondLook,
      issuer: settings.server.baseUrl,
      leewaySeconds: settings.tokens.leewaySeconds,
      cacheEntries: settings.tokens.cacheEntries,
      now,
    }),
    metrics,
    peppers,
    now,
    monotonic,
  }
}
