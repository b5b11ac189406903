// Everything that the rooms of one instance share, built once and in order: what is remembered, what is followed, what
// is decided with. Nothing here knows a route; app.ts hands these to the rooms.

import { performance } from 'node:perf_hooks'
import type { FastifyBaseLogger } from 'fastify'
import { type Authenticator, createAuthenticator } from '../access/authenticate.js'
import { createExternalTokens, type ExternalTokens } from '../access/external-tokens.js'
import { createRevalidation, type Revalidation } from '../access/revalidation.js'
import { createUsage, type Usage } from '../access/usage.js'
import { type ClientDocuments, createClientDocuments } from '../client-documents/client-documents.js'
import { documentFetch } from '../client-documents/fetch-document.js'
import { createOpenClients, type OpenClients, withOpenClients } from '../client-documents/open-clients.js'
import type { Settings } from '../config/settings/settings.js'
import { createDirectory } from '../directory/directory.js'
import { documentPermissions } from '../directory/documents/document-registration.js'
import { createLiveCatalogue, type LiveCatalogue } from '../directory/permissions/live-catalogue.js'
import { createAssignedPlans } from '../directory/plans/assigned-plans.js'
import type { DirectoryWrites } from '../directory/writes.js'
import { createWebhookSender, type WebhookSender } from '../events/webhook-sender.js'
import { createHistory, type History } from '../history/history.js'
import { type BodyBudget, createBodyBudget } from '../http/requests/body-budget.js'
import { type ActivityLog, createActivity } from '../ledger/activity.js'
import { appendKeyAudit } from '../ledger/append-audit.js'
import { createLedger } from '../ledger/chain.js'
import { type Checkpoints, createCheckpoints } from '../ledger/checkpoints.js'
import { createDecisions, type DecisionLog } from '../ledger/decisions.js'
import { createHeadWatch, type HeadWatch } from '../ledger/head-watch.js'
import type { Ledger } from '../ledger/ledger.js'
import { createLedgerKeys, type LedgerKeys } from '../ledger/ledger-keys.js'
import { countedActivity, countedLedger } from '../ledger/ledger-metrics.js'
import { addressGroup } from '../limits/address-group.js'
import type { AssignedPlans } from '../limits/effective-plan.js'
import { createFailedAuthentications, type FailedAuthentications } from '../limits/failed-authentications.js'
import { createForgedTokens } from '../limits/forged-tokens.js'
import { createLimiter, type PeekingLimiter } from '../limits/limiter.js'
import { deriveKey } from '../oauth/secrets/derived-key.js'
import { createMetrics, type Metrics } from '../observability/metrics.js'
import { createRevocationView, type RevocationFollower } from '../revocation/revocation-view.js'
import { issuerEgress } from '../tokens/external/issuer-egress.js'
import { createIssuerKeys, type IssuerKeys } from '../tokens/external/issuer-keys.js'
import { createKeyEncryption } from '../tokens/keys/key-encryption.js'
import { ensureKeys, type KeyLifecycle } from '../tokens/keys/key-lifecycle.js'
import { createKeyring } from '../tokens/keys/keyring.js'
import type { Keyring } from '../tokens/keys/keys.js'
import { createToolDefinitions, type ToolDefinitions } from '../tool-definitions/tool-definitions.js'
import { createUserWrites, type UserWrites } from '../users/writes.js'
import { openStorage, type Storage } from './open-storage.js'

export interface Collaborators extends Storage {
  /** Of the configuration and of tenants, as it is at the moment. */
  catalogue: LiveCatalogue
  /** Which definitions of tools behind the gate were approved. */
  toolDefinitions: ToolDefinitions
  /** Which plan each application was given. */
  assignedPlans: AssignedPlans
  keyring: Keyring
  keyLifecycle: KeyLifecycle
  view: RevocationFollower
  directory: ReturnType<typeof createDirectory>
  writes: DirectoryWrites
  limiter: PeekingLimiter
  failedAuthentications: FailedAuthentications
  authenticator: Authenticator
  /** Tokens of issuers outside, for the routes that take them. */
  externalTokens: ExternalTokens
  revalidation: Revalidation
  /** The keys of outside issuers that applications trust. */
  issuerKeys: IssuerKeys
  documents: ClientDocuments
  openClients: OpenClients
  metrics: Metrics
  peppers: readonly Uint8Array[]
  /** Keys derived from the master keys for one purpose, newest first; never written anywhere. */
  derive: (purpose: string) => readonly Uint8Array[]
  users: UserWrites
  /** Memory for request bodies that are read whole, by any part. */
  bodies: BodyBudget
  ledger: Ledger
  ledgerKeys: LedgerKeys
  checkpoints: Checkpoints
  headWatch: HeadWatch
  activity: ActivityLog
  decisions: DecisionLog
  usage: Usage
  /** What was counted lately, here and at the other instances. */
  history: History
  /** Signs and sends events. */
  webhookSender: WebhookSender
  now: () => number
  monotonic: () => number
}

export interface CollaboratorOptions {
  settings: Settings
  masterKeys: readonly Uint8Array[]
  /** Of this process and this start only. */
  instanceId: string
  log: FastifyBaseLogger
  /** What failed between requests: a poll, a follower. */
  onError: (error: unknown) => void
}

/** Hour in milliseconds: how far ahead the view knows which credentials end, beyond a token's life. */
const horizonMarginMs = 2 * 3_600_000

/** Opens the Store (migrating it), makes missing keys, and loads the view. Throws when the instance must not start. */
export async function createCollaborators(options: CollaboratorOptions): Promise<Collaborators> {
  const { settings, masterKeys, instanceId, log, onError } = options
  const metrics = createMetrics()
  const storage = await openStorage({ settings, masterKeys, instanceId, metrics, log, onError })
  try {
    return await build(options, metrics, storage)
  } catch (error) {
    // What is open would keep the process that must not start.
    await storage.leave().catch(onError)
    await storage.close().catch(onError)
    throw error
  }
}

async function build(options: CollaboratorOptions, metrics: Metrics, storage: Storage): Promise<Collaborators> {
  const { settings, masterKeys } = options
  const { store, feed, counters, localCounters } = storage
  const now = Date.now
  const monotonic = () => performance.now()
  const encryption = createKeyEncryption(masterKeys)
  const ledgerKeys = createLedgerKeys(masterKeys)
  const ledger = countedLedger(createLedger({ keys: ledgerKeys, now }), metrics)
  const audit = appendKeyAudit({ ledger, actor: { kind: 'system' } })
  const keyLifecycle = { store, feed, encryption, settings: settings.tokens, now, audit }
  const keyring = createKeyring({ store, encryption, settings: settings.tokens })
  const tokenLifetimeMs = settings.tokens.lifetimeSeconds * 1000
  const { quotas } = settings
  const { restorableMs } = settings.applications
  const { staleAfterMs, bounds } = settings.revocation
  const view = createRevocationView({
    feed,
    staleAfterMs,
    horizonMs: tokenLifetimeMs + horizonMarginMs,
    tokenLifetimeMs,
  })
  const catalogue = createLiveCatalogue(settings.catalogue, store)
  const directory = createDirectory({ store, documentPermissions: () => documentPermissions(catalogue) })
  const assignedPlans = createAssignedPlans()
  const toolDefinitions = openToolDefinitions(options, { store, feed, ledger, now, metrics })
  for (const follower of [view, keyring, directory, catalogue, assignedPlans, toolDefinitions]) feed.follow(follower)
  await ensureKeys(keyLifecycle)
  await feed.start()
  await storage.join()

  const peppers = masterKeys.map((master) => deriveKey(master, 'client-secret-pepper'))
  const revalidation = createRevalidation({ keyring, feed, monotonic })
  const derive = (purpose: string) => masterKeys.map((master) => deriveKey(master, purpose))
  const onDropped = () => metrics.activityDropped.inc()
  const log = createActivity({
    store,
    entries: settings.ledger.activityEntries,
    now,
    onDropped,
    groupOf: addressGroup,
  })
  const activity = countedActivity(log, metrics)
  const checkpoints = createCheckpoints({ file: settings.ledger.checkpoints, store, keys: ledgerKeys, now })
  const writes = {
    ledger,
    actor: { kind: 'operator' },
    feed,
    now,
    catalogue,
    peppers,
    serverName: (): string => users.serverBrand.current().name,
    tokenLifetimeMs,
    bounds,
    quotas,
    restorableMs,
  } as const
  const users = createUserWrites(writes, {
    store,
    derive,
    settings,
    activity,
    counters,
    monotonic,
    onMailError: options.onError,
  })
  const headFile = `${settings.ledger.checkpoints}.head`
  const headWatch = createHeadWatch({ file: headFile, store, keys: ledgerKeys, now, keep: checkpoints.keep })
  const egress = issuerEgress(settings.federation)
  const onKeysMissing = (issuer: string, cause: unknown) =>
    options.onError(new Error(`the keys of ${issuer} could not be had`, { cause }))
  // One count for all: whose token is forged makes no difference.
  const forgedTokens = createForgedTokens({ counters: localCounters, monotonic })
  const guessing = { counters: localCounters, ...settings.failedAuthentications, monotonic }
  return {
    ...storage,
    catalogue,
    assignedPlans,
    toolDefinitions,
    keyring,
    keyLifecycle,
    view,
    directory,
    writes,
    users,
    ledger,
    ledgerKeys,
    checkpoints,
    headWatch,
    activity,
    decisions: createDecisions({ store, now, onDropped: () => metrics.decisionsDropped.inc() }),
    ...countsOf(options, store, metrics),
    derive,
    webhookSender: createWebhookSender({ ...settings.events, baseUrl: settings.server.baseUrl, derive }),
    limiter: createLimiter({
      counters,
      policies: settings.limits,
      plans: settings,
      assigned: assignedPlans,
      metrics,
      monotonic,
    }),
    failedAuthentications: createFailedAuthentications(guessing),
    revalidation,
    issuerKeys: createIssuerKeys({ fetch: egress, monotonic, onError: onKeysMissing }),
    ...openUnregistered(settings, { counters: localCounters, monotonic, now, derive, metrics }),
    externalTokens: createExternalTokens({
      issuers: settings.issuers,
      ownIssuer: settings.server.baseUrl,
      view,
      fetch: egress,
      cacheEntries: settings.tokens.cacheEntries,
      forgedTokens,
      now,
      monotonic,
      onError: onKeysMissing,
    }),
    authenticator: createAuthenticator({
      keyring,
      view,
      revalidation,
      forgedTokens,
      issuer: settings.server.baseUrl,
      leewaySeconds: settings.tokens.leewaySeconds,
      cacheEntries: settings.tokens.cacheEntries,
      now,
    }),
    metrics,
    bodies: createBodyBudget({ bytes: settings.server.heldBodyBytes }),
    peppers,
    now,
    monotonic,
  }
}

function countsOf({ instanceId }: CollaboratorOptions, store: Storage['store'], metrics: Metrics) {
  const now = Date.now
  const history: History = createHistory({ store, instanceId, metrics, gather: () => usage.gather(), now })
  const onDropped = (calls: number) => metrics.usageDropped.inc(calls)
  const usage: Usage = createUsage({ store, instanceId, now, onDropped, onGathered: history.add })
  return { history, usage }
}

/** Clients that nobody registered, as the configuration takes them. */
function openUnregistered(
  { registration: { documents, open } }: Pick<Settings, 'registration'>,
  {
    derive,
    metrics,
    ...counting
  }: Pick<Parameters<typeof createClientDocuments>[0], 'counters' | 'monotonic' | 'now'> & {
    derive: (purpose: string) => readonly Uint8Array[]
    metrics: Metrics
  },
): Pick<Collaborators, 'documents' | 'openClients'> {
  const openClients = createOpenClients({ settings: open, keys: derive('open-client-id'), ...counting })
  const byDocument = createClientDocuments({
    ...counting,
    trust: documents.trust,
    fetch: documentFetch(documents),
    onFetched: (outcome) => metrics.documentFetches.inc({ outcome }),
  })
  return { documents: withOpenClients(byDocument, openClients), openClients }
}

function openToolDefinitions(
  { onError }: CollaboratorOptions,
  { store, feed, ledger, now, metrics }: Pick<Collaborators, 'store' | 'feed' | 'ledger' | 'now' | 'metrics'>,
): ToolDefinitions {
  return createToolDefinitions({
    store,
    feed,
    ledger,
    now,
    onChanged: (route, tools) => metrics.toolChanges.inc({ route }, tools.length),
    onWaiting(route, tools) {
      if (!metrics.named.isGone(['route'], [route])) metrics.changedTools.set({ route }, tools)
    },
    onError,
  })
}
