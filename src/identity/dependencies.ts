// What the identity room needs from others. Collaborators come in here and nowhere else; app.ts builds them.

import type { FastifyInstance } from 'fastify'
import type { Authenticator } from '../access/authenticate.js'
import type { Revalidation } from '../access/revalidation.js'
import type { Usage } from '../access/usage.js'
import type { ClientDocuments } from '../client-documents/client-documents.js'
import type { OpenClients } from '../client-documents/open-clients.js'
import type { Settings } from '../config/settings/settings.js'
import type { Directory } from '../directory/records.js'
import type { DirectoryWrites } from '../directory/writes.js'
import type { DecisionNotes } from '../ledger/decisions.js'
import type { Activity, Ledger } from '../ledger/ledger.js'
import type { AddressGuardOptions } from '../limits/address-guard.js'
import type { FailedAuthentications } from '../limits/failed-authentications.js'
import type { Limiter } from '../limits/limiter.js'
import type { Metrics } from '../observability/metrics.js'
import type { RevocationView } from '../revocation/view.js'
import type { Feed } from '../storage/changes/feed.js'
import type { Counters } from '../storage/counters/counters.js'
import type { Store } from '../storage/sql/store.js'
import type { IssuerKeys } from '../tokens/external/issuer-keys.js'
import type { Keyring } from '../tokens/keys/keys.js'
import type { UserWrites } from '../users/writes.js'
import type { PageDependencies } from '../web/dependencies.js'

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

/** What a page for somebody who is signed in takes, in this room and in the portal. */
export interface SignedInDependencies extends PageDependencies {
  settings: Pick<Settings, 'server' | 'signIn'>
  store: Store
}

export interface IdentityDependencies extends IssuingDependencies {
  feed: Feed
  store: Store
  metrics: Metrics
  limiter: Limiter
  /** Before a token that another instance signed is taken for none of ours. */
  revalidation: Revalidation
  /** For userinfo, where an access token of ours comes back. */
  authenticator: Authenticator
  failedAuthentications: FailedAuthentications
  /**
   * Puts the guard per address on a scope's routes; `refuse` makes the room's own error. Await it before adding routes.
   */
  guardAddresses: (scope: FastifyInstance, refuse: AddressGuardOptions['refuse']) => Promise<void>
  /** The keys of outside issuers that applications trust. */
  issuerKeys: IssuerKeys
  /** Clients that nobody registered, as they describe themselves. */
  documents: ClientDocuments
  /** Those of them that registered themselves. */
  openClients: OpenClients
  /** Keys of the client secrets' hashes, at least one. */
  peppers: readonly Uint8Array[]
  /** Keys derived from the master keys for one purpose, newest first; never written anywhere. */
  derive: (purpose: string) => readonly Uint8Array[]
  writes: DirectoryWrites
  users: UserWrites
  ledger: Ledger
  activity: Activity
  /** For the owners of applications. */
  decisions: DecisionNotes
  /** Counts which codes were requested with PKCE. */
  usage: Pick<Usage, 'code'>
  /** Shared by all instances: what may be seen once only, and how often somebody tried. */
  counters: Counters
  /** Milliseconds of a clock that never goes back, for the Counters. */
  monotonic: () => number
}
