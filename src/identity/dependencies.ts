// What the identity room needs from others. Collaborators come in here and nowhere else; app.ts builds them.

import type { FastifyInstance } from 'fastify'
import type { SecondLook } from '../access/second-look.js'
import type { Settings } from '../config/settings.js'
import type { Directory } from '../directory/records.js'
import type { Metrics } from '../http/metrics.js'
import type { AddressGuardOptions } from '../limits/address-guard.js'
import type { FailedAuthentications } from '../limits/failed-authentications.js'
import type { Limiter } from '../limits/limiter.js'
import type { Feed } from '../memory/feed/feed.js'
import type { RevocationView } from '../revocation/view.js'
import type { Keyring } from '../tokens/keys.js'

/** What signing a token takes; the operator's own way to a token needs no more. */
export interface IssuingDependencies {
  settings: Settings
  directory: Directory
  keyring: Keyring
  view: RevocationView
  /** What is known of the Store: nothing is issued that could not be revoked. */
  health: { readonly storeUp: boolean }
  /** Epoch milliseconds. */
  now: () => number
}

export interface IdentityDependencies extends IssuingDependencies {
  feed: Feed
  metrics: Metrics
  limiter: Limiter
  /** Before a token that another instance signed is taken for none of ours. */
  secondLook: SecondLook
  failedAuthentications: FailedAuthentications
  /** Puts the guard per address on a scope's routes; `refuse` makes the room's own error. Await it before adding routes. */
  guardAddresses: (scope: FastifyInstance, refuse: AddressGuardOptions['refuse']) => Promise<void>
  /** Keys of the client secrets' hashes, at least one. */
  peppers: readonly Uint8Array[]
}
