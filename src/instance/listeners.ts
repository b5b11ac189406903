// Which room is registered where. Each listener is a Fastify instance of its own; none is listening yet.

import { join } from 'node:path'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { createBackend } from '../backend/index.js'
import { createSqlSource } from '../backend/sql-source.js'
import { createAssertionVerifier } from '../backend/verifier.js'
import { packageRoot } from '../config/read/package-root.js'
import { maskedSettings } from '../config/read/settings-mask.js'
import type { Settings } from '../config/settings/settings.js'
import { listConsents } from '../directory/consents/consents.js'
import { createDownloads } from '../downloads/downloads.js'
import { downloadRoutes } from '../downloads/routes.js'
import { addressRefusal } from '../gateway/errors.js'
import type { Gate } from '../gateway/gate.js'
import { gatewayRoutes } from '../gateway/index.js'
import { callerKey } from '../gateway/upstreams/callers.js'
import { targetStates } from '../gateway/upstreams/target-states.js'
import { createOperatorServer } from '../http/operator.js'
import { answerOtherMethods } from '../http/requests/addresses.js'
import { createHttpServer, type HttpServerOptions } from '../http/server.js'
import { loadTls, type TlsFiles } from '../http/tls/tls.js'
import { openTracing } from '../http/tracing.js'
import { identityRoutes } from '../identity/index.js'
import { issueForOperator } from '../identity/token/operator-token.js'
import { verifyLedger } from '../ledger/verify.js'
import { type AddressGuardOptions, registerAddressGuard } from '../limits/address-guard.js'
import { createConnectionGuard } from '../limits/connection-guard.js'
import { createInProcessTransport } from '../management/access/in-process-transport.js'
import { refuseForwarded } from '../management/access/local-transport.js'
import { publicTransport } from '../management/access/public-transport.js'
import type { ManagementDependencies, ReloadRules } from '../management/dependencies.js'
import { managementRoutes } from '../management/index.js'
import { registerOpenApi } from '../management/openapi/publish.js'
import { deriveKey } from '../oauth/secrets/derived-key.js'
import type { PortalDependencies } from '../portal/dependencies.js'
import { portalRoutes } from '../portal/index.js'
import { registerDocs } from '../web/docs/docs-pages.js'
import { describeApi } from './api-document.js'
import type { Collaborators } from './collaborators.js'
import { openDocumentation } from './documentation.js'
import { createExplanations } from './explanations.js'
import { createForwardAuthListener } from './forward-auth-listener.js'
import type { ReadinessState } from './readiness.js'

export interface Listeners {
  public: FastifyInstance
  management: FastifyInstance
  backend: FastifyInstance
  operator: FastifyInstance
  /** Undefined where no proxy asks for decisions. */
  forwardAuth: FastifyInstance | undefined
}

export interface ListenerOptions {
  settings: Settings
  deps: Collaborators
  masterKeys: readonly Uint8Array[]
  version: string
  log: FastifyBaseLogger
  readiness: ReadinessState
  /** By which one listener decides and others explain. */
  gate: Gate
  reload: ReloadRules | undefined
  tls: TlsFiles | undefined
  /** See AppOptions. */
  worker?: boolean
}

const notPacked = 'the client library cannot be packed'

/** Builds all of them. */
export async function buildListeners(options: ListenerOptions): Promise<Listeners> {
  // Of the listeners within one hears only when something is wrong.
  const inner = { ...options, log: options.log.child({}, { level: 'warn' }) }
  return {
    public: await publicListener(options),
    management: await managementListener(inner),
    backend: backendListener(inner),
    operator: operatorListener(inner),
    forwardAuth: await createForwardAuthListener(options),
  }
}

/**
 * What clients reach: the identity service, the portal, the management API, then the gate, which takes whatever is
 * left.
 */
async function publicListener(options: ListenerOptions): Promise<FastifyInstance> {
  const { settings, deps, log, tls, version, gate } = options
  const tracing = await openTracing({ env: process.env, version, onMissing: (message) => log.warn(message) })
  const app = createHttpServer({
    tls: tls === undefined ? undefined : loadTls(tls),
    tracing,
    trustedProxies: settings.server.trustedProxies,
    proxyProtocol: settings.server.proxyProtocol,
    hstsIncludeSubDomains: settings.server.hstsIncludeSubDomains,
    apiHosts: settings.server.apiHosts,
    accessLog: settings.log.access,
    metrics: deps.metrics,
    connections: createConnectionGuard({
      counters: deps.localCounters,
      guard: settings.addressGuard,
      most: settings.server.connections,
      monotonic: deps.monotonic,
    }),
    holdBody: (address, bytes) => deps.bodies.hold(callerKey({ principal: undefined, address }), bytes),
    ...wire(settings, log),
  })
  app.addHook('onClose', async () => tracing?.stop())
  answerOtherMethods(app)
  const api = describeApi(app, { settings, version })
  const { localCounters: counters, monotonic } = deps
  const guardAddresses = (scope: FastifyInstance, refuse: AddressGuardOptions['refuse']) =>
    registerAddressGuard(scope, { counters, guard: settings.addressGuard, monotonic, refuse })
  await app.register(identityRoutes({ settings, ...deps, guardAddresses }))
  const manage = await portalTransport({ ...options, log: log.child({}, { level: 'warn' }) })
  const downloads = createDownloads({ root: packageRoot(), version })
  const clientDownload = () => downloads.client().catch((error: unknown) => void log.warn({ err: error }, notPacked))
  const { document } = api
  await app.register(portalRoutes({ settings, ...deps, guardAddresses, manage, version, document, clientDownload }))
  const documentation = openDocumentation({ metrics: deps.metrics, version })
  await app.register(async (scope) => {
    await guardAddresses(scope, addressRefusal)
    await scope.register(downloadRoutes(downloads, settings.server.baseUrl))
    await scope.register(async (own) => registerDocs(own, documentation))
  })
  await app.register(async (scope) => {
    await guardAddresses(scope, addressRefusal)
    const principalOf = publicTransport({ settings, ...deps })
    await scope.register(managementRoutes({ ...managementDependencies(options), principalOf }))
    await scope.register(async (own) => registerOpenApi(own, api.text))
  })
  await app.register(async (scope) => {
    await guardAddresses(scope, addressRefusal)
    const consentsOf = (about: Parameters<typeof listConsents>[1]) => listConsents(deps.store.reader, about)
    await scope.register(gatewayRoutes({ settings, ...deps, consentsOf, gate }))
  })
  return app
}

/** The transport of the command line: a Unix socket, so whoever gets in is the operator. */
async function managementListener(options: ListenerOptions): Promise<FastifyInstance> {
  const app = localServer(options)
  app.addHook('onRequest', refuseForwarded)
  answerOtherMethods(app)
  await app.register(managementRoutes({ ...managementDependencies(options), principalOf: () => ({ kind: 'local' }) }))
  return app
}

/**
 * The portal's way to the management API: a server that listens nowhere, behind a transport that only this process has.
 */
async function portalTransport(options: ListenerOptions): Promise<PortalDependencies['manage']> {
  const app = localServer(options)
  answerOtherMethods(app)
  const transport = createInProcessTransport()
  const { principalOf, requestOrigin } = transport
  await app.register(managementRoutes({ ...managementDependencies(options), principalOf, requestOrigin }))
  await app.ready()
  return (who, call) => transport.call(app, who, call)
}

function localServer({ settings, log }: ListenerOptions): FastifyInstance {
  return createHttpServer({ listener: 'local', tls: undefined, accessLog: false, ...wire(settings, log) })
}

/** What the management room needs, whichever transport it is behind. */
function managementDependencies(options: ListenerOptions): Omit<ManagementDependencies, 'principalOf'> {
  const { settings, deps, masterKeys, version, readiness, gate, reload } = options
  return {
    ...deps,
    explain: createExplanations({ settings, gate, ...deps }),
    targets: () => targetStates(gate.upstreams()),
    settings,
    readiness,
    version,
    reload,
    startedAt: deps.now(),
    keys: deps.keyLifecycle,
    issueForOperator: (request) => issueForOperator({ settings, ...deps }, request),
    pagingKey: deriveKey(firstOf(masterKeys), 'management-paging'),
    verifyLedger: async (lines) =>
      verifyLedger(
        { store: deps.store, keys: deps.ledgerKeys },
        lines ?? [...(await deps.checkpoints.lines()), ...(await deps.headWatch.lines())],
      ),
  }
}

/** The bundled resource service believes assertions for its own name, and nothing else. */
function backendListener({ settings, deps, masterKeys, log }: ListenerOptions): FastifyInstance {
  const verify = createAssertionVerifier({
    findKey: (kid) => deps.keyring.verificationKey('assertion', kid),
    audiences: builtinNames(settings),
    issuer: settings.server.baseUrl,
    leewaySeconds: 0,
  })
  const skipTokenKey = deriveKey(firstOf(masterKeys), 'backend-paging')
  const { baseUrl } = settings.server
  return createBackend({
    source: createSqlSource(deps.store, settings.quotas),
    verify,
    baseUrl,
    skipTokenKey,
    logger: { existing: log },
    now: deps.now,
  })
}

/**
 * What the bundled service is called now, and was called before the last reload: who asked it by that name is answered.
 */
function builtinNames(settings: Settings): () => readonly string[] {
  let of: Settings['upstreams'] | undefined
  let names: readonly string[] = []
  let before: readonly string[] = []
  return () => {
    if (of === settings.upstreams) return [...names, ...before]
    of = settings.upstreams
    const builtin = [...of.values()].filter(({ targets }) => targets.some(({ kind }) => kind === 'builtin'))
    before = names
    names = builtin.map(({ name }) => name)
    return [...names, ...before]
  }
}

function operatorListener({ settings, deps, log, readiness }: ListenerOptions): FastifyInstance {
  const { metrics, view, feed, keyring, membership, leader } = deps
  return createOperatorServer({
    metrics,
    readiness: () => readiness.read(),
    configuration: () => maskedSettings(settings),
    refresh() {
      metrics.revocationEntries.set(view.entries)
      metrics.revocationStaleness.set(feed.ageMs() / 1000)
      metrics.instanceInfo.set({ instance: membership.instanceId }, 1)
      metrics.instances.set(membership.count())
      metrics.clockSkew.set(membership.skewMs() / 1000)
      metrics.leader.set(leader.isLeader() ? 1 : 0)
      metrics.signingKeys.reset()
      for (const { purpose, state } of keyring.describe()) metrics.signingKeys.inc({ purpose, state })
    },
    host: settings.server.operator.host,
    log,
  })
}

function wire(settings: Settings, log: FastifyBaseLogger): Pick<HttpServerOptions, 'baseUrl' | 'limits' | 'logger'> {
  return { baseUrl: settings.server.baseUrl, limits: settings.server, logger: { existing: log } }
}

/**
 * Where the bundled resource service listens. Each worker has its own, so that the end of one takes no request of
 * another along.
 */
export function backendSocket(settings: Settings, workerPid: number | undefined): string {
  return join(settings.data.folder, workerPid === undefined ? 'backend.sock' : `backend.${workerPid}.sock`)
}

function firstOf(masterKeys: readonly Uint8Array[]): Uint8Array {
  const [first] = masterKeys
  if (first === undefined) throw new Error('there is no master key')
  return first
}
