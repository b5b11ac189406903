// What each room on the listeners is given, by name, of what an instance shares. A room that comes to need more says so
// in its own interface, and then here.

import { type CallApprovals, createCallApprovals } from '../approvals/call-approvals.js'
import type { Reloader } from '../config/report/reload-outcome.js'
import type { Settings } from '../config/settings/settings.js'
import { listConsents } from '../directory/consents/consents.js'
import type { Gate } from '../gateway/gate.js'
import type { GatewayDeps } from '../gateway/index.js'
import { routeOf } from '../gateway/routes/route-of.js'
import { targetStates } from '../gateway/upstreams/target-states.js'
import type { IdentityDependencies } from '../identity/dependencies.js'
import { issueForOperator } from '../identity/token/operator-token.js'
import { createRangeThreads } from '../ledger/ranges/range-threads.js'
import { verifyLedger } from '../ledger/verify.js'
import type { ManagementDependencies } from '../management/dependencies.js'
import { deriveKey } from '../oauth/secrets/derived-key.js'
import type { PortalDependencies } from '../portal/dependencies.js'
import { plainChoice } from '../storage/sql/open-store.js'
import type { Collaborators } from './collaborators.js'
import { createExplanations } from './explanations.js'
import { newestKey } from './master-keys.js'
import type { ReadinessState } from './readiness.js'
import type { PublishedDocument } from './rooms/published-document.js'

/** For the OAuth endpoints and their pages. */
export function identityDependencies(
  deps: Collaborators,
  settings: Settings,
  guardAddresses: IdentityDependencies['guardAddresses'],
): IdentityDependencies {
  return {
    store: deps.store,
    feed: deps.feed,
    counters: deps.counters,
    health: deps.health,
    directory: deps.directory,
    writes: deps.writes,
    users: deps.users,
    keyring: deps.keyring,
    view: deps.view,
    revalidation: deps.revalidation,
    authenticator: deps.authenticator,
    issuerKeys: deps.issuerKeys,
    documents: deps.documents,
    openClients: deps.openClients,
    limiter: deps.limiter,
    failedAuthentications: deps.failedAuthentications,
    ledger: deps.ledger,
    activity: deps.activity,
    decisions: deps.decisions,
    usage: deps.usage,
    metrics: deps.metrics,
    peppers: deps.peppers,
    derive: deps.derive,
    now: deps.now,
    monotonic: deps.monotonic,
    guardAddresses,
    settings,
  }
}

/** For the pages of the portal. `own`: what only they need. */
export function portalDependencies(
  deps: Collaborators,
  settings: Settings,
  guardAddresses: IdentityDependencies['guardAddresses'],
  own: Pick<PortalDependencies, 'manage' | 'clientDownload' | 'authority' | 'document' | 'version'>,
): PortalDependencies {
  return {
    store: deps.store,
    directory: deps.directory,
    users: deps.users,
    writes: deps.writes,
    activity: deps.activity,
    derive: deps.derive,
    now: deps.now,
    guardAddresses,
    manage: own.manage,
    clientDownload: own.clientDownload,
    authority: own.authority,
    document: own.document,
    settings,
    version: own.version,
  }
}

function callApprovals({ store, writes, derive, now, metrics }: Collaborators): CallApprovals {
  const count = (outcome: string) => metrics.mcpApprovals.inc({ outcome })
  return createCallApprovals({ store, writes, derive, now, count })
}

/** For the gate of the public listener. */
export function gatewayDependencies(
  deps: Collaborators,
  settings: Settings,
  own: Pick<GatewayDeps, 'gate' | 'nothingHere' | 'sessionKeys'>,
): GatewayDeps {
  return {
    gate: own.gate,
    nothingHere: own.nothingHere,
    sessionKeys: own.sessionKeys,
    authenticator: deps.authenticator,
    externalTokens: deps.externalTokens,
    view: deps.view,
    keyring: deps.keyring,
    toolPins: deps.toolDefinitions,
    directory: deps.directory,
    consentsOf: (about) => listConsents(deps.store.reader, about),
    limiter: deps.limiter,
    bodies: deps.bodies,
    metrics: deps.metrics,
    usage: deps.usage,
    decisions: deps.decisions,
    approvals: callApprovals(deps),
    instances: () => deps.membership.count(),
    now: deps.now,
    settings,
  }
}

/** What an instance is beside what it shares. */
export interface InstanceFacts {
  settings: Settings
  deps: Collaborators
  masterKeys: readonly Uint8Array[]
  version: string
  readiness: ReadinessState
  /** By which one listener decides and others explain. */
  gate: Gate
  api: PublishedDocument
  configuration: Reloader | undefined
}

/** For the management API behind one transport. */
export function managementDependencies(
  instance: InstanceFacts,
  transport: Pick<ManagementDependencies, 'principalOf' | 'requestOrigin' | 'callAs'>,
): ManagementDependencies {
  const { settings, deps, masterKeys, version, readiness, gate, api, configuration } = instance
  const { store, directory, keyring, view, health, now, ledgerKeys } = deps
  const ranges = createRangeThreads({ store: plainChoice(settings.store), masterKeys }, deps.onError)
  return {
    principalOf: transport.principalOf,
    requestOrigin: transport.requestOrigin,
    callAs: transport.callAs,
    store,
    feed: deps.feed,
    directory,
    writes: deps.writes,
    users: deps.users,
    usage: deps.usage,
    history: deps.history,
    keyring,
    keys: deps.keyLifecycle,
    view,
    limiter: deps.limiter,
    decisions: deps.decisions,
    webhookSender: deps.webhookSender,
    membership: deps.membership,
    leader: deps.leader,
    health,
    readiness,
    ledgerKeys,
    explain: createExplanations(deps, settings, gate),
    targets: () => targetStates(gate.upstreams()),
    document: api.document,
    routeOf: (method, target) => routeOf(gate.routes(), method, target),
    issueForOperator: (request) => issueForOperator({ settings, directory, keyring, view, health, now }, request),
    verifyLedger: async (lines, part) =>
      verifyLedger(
        { store, keys: ledgerKeys, ranges },
        lines ?? [...(await deps.checkpoints.lines()), ...(await deps.headWatch.lines())],
        part,
      ),
    certificateEndsAt: async () => {
      const [found] = (await deps.metrics.tlsCertificateNotAfter.get()).values
      return found === undefined || found.value === 0 ? undefined : found.value * 1000
    },
    configuration,
    pagingKey: deriveKey(newestKey(masterKeys), 'management-paging'),
    settings,
    version,
    startedAt: now(),
  }
}
