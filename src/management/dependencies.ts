// What the management room needs from others. Collaborators come in here and nowhere else; app.ts builds them.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { LocalPrincipal, SessionPrincipal, TokenPrincipal } from '../access/principal.js'
import type { Usage } from '../access/usage.js'
import type { Reloader } from '../config/report/reload-outcome.js'
import type { Settings } from '../config/settings/settings.js'
import type { Directory } from '../directory/records.js'
import type { DirectoryWrites } from '../directory/writes.js'
import type { WebhookSender } from '../events/webhook-sender.js'
import type { Explain } from '../gateway/explain/explain.js'
import type { TargetState } from '../gateway/upstreams/target-states.js'
import type { History } from '../history/history.js'
import type { TokenWithoutSecret } from '../identity/token/operator-token.js'
import type { DecisionLog } from '../ledger/decisions.js'
import type { LedgerKeys } from '../ledger/ledger-keys.js'
import type { Verification, VerifiedPart } from '../ledger/verify.js'
import type { PeekingLimiter } from '../limits/limiter.js'
import type { RevocationView } from '../revocation/view.js'
import type { Feed } from '../storage/changes/feed.js'
import type { Store } from '../storage/sql/store.js'
import type { KeyLifecycle } from '../tokens/keys/key-lifecycle.js'
import type { Keyring } from '../tokens/keys/keys.js'
import type { UserWrites } from '../users/writes.js'
import type { BehindCall, InProcessAnswer, InProcessCall } from './access/in-process-transport.js'
import type { ApiDocument } from './openapi/document-types.js'
import type { Reader } from './openapi/service-chapters.js'
import type { Answer } from './schemas.js'

/** Who a transport says is there. Of a session it knows no permissions; what the person may do is found out here. */
export type Presented = TokenPrincipal | Omit<SessionPrincipal, 'resource' | 'permissions'> | LocalPrincipal

export interface ManagementDependencies {
  store: Store
  directory: Pick<Directory, 'findRegistration' | 'findInstallation' | 'findTenant'>
  writes: DirectoryWrites
  users: UserWrites
  usage: Usage
  history: Pick<History, 'recent'>
  feed: Pick<Feed, 'ageMs' | 'seq'>
  settings: Settings
  keyring: Keyring
  keys: KeyLifecycle
  view: RevocationView
  /** A token without a secret. Throws OAuthError. */
  issueForOperator: (request: TokenWithoutSecret) => Promise<Answer<'token'>>
  /** Who calls, by the transport the request came through; undefined is refused. Throws ApiError. */
  principalOf: (request: FastifyRequest, reply: FastifyReply) => Presented | undefined | Promise<Presented | undefined>
  /** Where a request really came from, when that is another one than this. */
  requestOrigin?: ((request: FastifyRequest) => { requestId: string; address: string }) | undefined
  /** Another call of this API in the name of the same caller, for an operation that is made of several. Throws ApiError. */
  callAs: (who: BehindCall, call: InProcessCall) => Promise<InProcessAnswer>
  /** Why a call would be allowed or refused; see gateway/explain/. Throws StoreUnavailable. */
  explain: Explain
  /** How the services behind the gate are doing, as this instance sees them. */
  targets: () => readonly TargetState[]
  limiter: Pick<PeekingLimiter, 'peek' | 'peekPlan' | 'planOf'>
  /** The document of the API, as it is for anybody or for people of a tenant. Rejects before every room is on its listener. */
  document: (reader: Reader) => Promise<ApiDocument> | ApiDocument
  /** The id of the route that a request would take at the gate; undefined: none. */
  routeOf: (method: string, target: string) => string | undefined
  /** Recorded for the owners of applications; see ledger/decisions.ts. */
  decisions: Pick<DecisionLog, 'flush' | 'note'>
  /** Signs and sends events, for trying a webhook out. */
  webhookSender: WebhookSender
  /** 32 secret bytes that authenticate page tokens. */
  pagingKey: Uint8Array
  /** This instance among those that share its Store. */
  membership: {
    readonly instanceId: string
    members(): readonly { id: string; name: string; startedAt: number; appliedSeq: number }[]
    skewMs(): number
  }
  /** `holder`: the id of the instance that leads. Throws StoreUnavailable. */
  leader: { isLeader(): boolean; holder(): Promise<string | undefined> }
  readiness: { read(): Promise<{ ready: boolean; reasons: readonly string[]; degraded: readonly string[] }> }
  /** Undefined: there is no Redis. */
  health: { readonly redisUp: boolean | undefined }
  ledgerKeys: LedgerKeys
  /**
   * With these lines of checkpoints; absent: those of this instance's own file. Throws StoreUnavailable, UnknownPart.
   */
  verifyLedger: (checkpoints?: readonly string[], part?: VerifiedPart) => Promise<Verification>
  /** Absent: this instance cannot. */
  configuration?: Reloader | undefined
  /** When the first certificate that this instance serves ends (epoch ms); undefined: it serves none. */
  certificateEndsAt: () => Promise<number | undefined>
  version: string
  /** Epoch milliseconds. */
  startedAt: number
}
