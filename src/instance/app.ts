// One instance: the table of contents of the product. It builds the collaborators, puts each room on its listener, and
// starts and stops all of it in order. The process around it is serve.ts.
//
//   public listener    identity (OAuth endpoints and pages), the portal, management, then the gate with its wildcard
//   data/admin.sock    management, for the command line
//   data/backend.sock  the bundled resource service, reached through the gate like any other
//   forward-auth       decisions for proxies that ask before they pass a request on, where it is configured
//   operator listener  metrics, liveness, readiness, the masked configuration

import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { createLiveSettings } from '../config/read/live-settings.js'
import type { Reloader } from '../config/report/reload-outcome.js'
import type { Settings } from '../config/settings/settings.js'
import { ensureCommandLineApplication } from '../directory/applications/command-line-application.js'
import { createDeliveryWorker } from '../events/delivery-worker.js'
import { compileGate } from '../gateway/gate.js'
import { ownPlaces } from '../gateway/upstreams/own-places.js'
import { listenOn, operatorSetting, publicSetting } from '../http/connections/listening.js'
import { listenOnLocalSocket } from '../http/connections/local-socket.js'
import { socketAddress } from '../http/connections/socket-address.js'
import { ensureDevelopmentCertificate } from '../http/tls/development-ca.js'
import { type TlsFiles, watchTls } from '../http/tls/tls.js'
import { createLog } from '../observability/process-log.js'
import { lockHead } from '../storage/sql/cluster/changes.js'
import type { Store } from '../storage/sql/store.js'
import { createAccessChangeReport } from './access-change-report.js'
import { createRules, type PutRules } from './active-configuration.js'
import { type Collaborators, createCollaborators } from './collaborators.js'
import { watchDefinitions } from './definition-watch.js'
import { type Demo, hasOwner, makeFirstStart } from './first-start/first-start.js'
import { listenForProxies } from './forward-auth-listener.js'
import { backendSocket, buildListeners, type Listeners } from './listeners.js'
import { startPeriodicWork } from './periodic-work.js'
import { createReadiness } from './readiness.js'
import { createPublishedDocument } from './rooms/published-document.js'
import { stopInOrder } from './stop.js'

export interface AppOptions {
  settings: Settings
  masterKeys: readonly Uint8Array[]
  version: string
  log?: FastifyBaseLogger
  /** How the rules are read again; absent: they are not. */
  reloading?: (instance: ReloadingInstance) => Reloader
  /**
   * One of several processes on this data folder: its primary has the operator port and made sure that it is the only
   * one.
   */
  worker?: boolean
}

/** What reading the rules of an instance again needs of it. */
export interface ReloadingInstance {
  /** Puts rules in place. Rejects, with nothing changed, when it cannot. */
  put: PutRules
  log: FastifyBaseLogger
  metrics: Collaborators['metrics']
}

export interface App {
  readonly log: FastifyBaseLogger
  /** The development authority that clients must trust; undefined with a certificate of one's own. */
  readonly caFile: string | undefined
  /** The demo application's credential and the first owner's link, on the very first start only. */
  readonly demo: Demo | undefined
  /** Whether anybody owns anything yet, at the start. */
  readonly hasOwner: boolean
  /** Not listening in a worker, whose primary asks it. */
  readonly operator: FastifyInstance
  /** The longest that stop() takes. */
  readonly longestStopMs: number
  /**
   * Listens everywhere and becomes ready. Throws LocalSocketInUse when a server runs on this data folder already, and
   * CannotListen.
   */
  start(): Promise<void>
  /** Not ready, then no new connections, then what is in flight, then the Store. */
  stop(): Promise<void>
}

/** Builds an instance up to the point where it could listen. Throws when it must not start. */
export async function createApp(options: AppOptions): Promise<App> {
  const { settings } = options
  const instanceId = randomBytes(4).toString('hex')
  const log = instanceLog(options, instanceId)
  const onError = (error: unknown) => log.error({ err: error }, 'background work failed; it is tried again')
  const deps = await createCollaborators({ settings, masterKeys: options.masterKeys, instanceId, log, onError })
  const { live, demo, owned, readiness, tls, caFile, listeners } = await assemble(options, deps, log).catch(
    async (error: unknown) => {
      // What is open would keep the process that must not start.
      await deps.leave().catch(onError)
      await deps.close().catch(onError)
      throw error
    },
  )
  const stopPeriodicWork = startPeriodicWork(deps, deliveryWorkerOf(deps), settings, deps.onError)
  const stopReading = watchDefinitions(definitionWatchOf(deps, live, options.version))
  const stopWork = async () => {
    await stopReading()
    await stopPeriodicWork()
  }

  return {
    log,
    caFile,
    demo,
    hasOwner: owned,
    operator: listeners.operator,
    longestStopMs: settings.server.drainReadyMs + settings.server.drainMs,
    async start() {
      if (options.worker === true) await listenAsWorker(listeners, settings)
      else await listen(listeners, settings, deps.store)
      if (tls !== undefined) watchTls(tls, { server: listeners.public.server as never, metrics: deps.metrics, onError })
      readiness.started()
    },
    stop: () => stopInOrder({ listeners, deps, settings, readiness, stopWork }),
  }
}

/** What stands on the collaborators: the first start, and the listeners, not yet listening. */
async function assemble(options: AppOptions, deps: Collaborators, log: FastifyBaseLogger) {
  // From here on rooms see the living ones: a reload may change them, and tenants have APIs of their own.
  const live = createLiveSettings(options.settings, deps.catalogue)
  const { settings } = live
  deps.users.serverBrand.current = () => settings.brand
  const demo = await makeFirstStart({ store: deps.store, writes: deps.writes, users: deps.users, settings })
  await ensureCommandLineApplication(deps.writes, deps.store)
  const owned = await hasOwner(deps.store)
  const readiness = createReadiness({
    view: deps.view,
    health: deps.health,
    membership: deps.membership,
    leewayMs: settings.tokens.leewaySeconds * 1000,
    log,
  })
  const { tls, caFile } = await certificate(settings)
  const socketPath = socketAddress(backendSocket(settings, options.worker === true ? process.pid : undefined))
  const gate = compileGate({
    settings,
    metrics: deps.metrics,
    builtinTargets: new Map([['backend', { socketPath }]]),
    own: ownPlaces(settings),
    log,
  })
  const onReplaced = createAccessChangeReport({ store: deps.store, log })
  const put = createRules({ first: options.settings, live, gate, deps, onReplaced })
  const configuration = options.reloading?.({ put, log, metrics: deps.metrics })
  const { masterKeys, version } = options
  const api = createPublishedDocument()
  const instance = { settings, deps, masterKeys, version, readiness, gate, api, configuration }
  const listeners = await buildListeners(instance, log, tls)
  return { live: settings, demo, owned, readiness, tls, caFile, listeners }
}

function definitionWatchOf(
  { store, feed, keyring, toolDefinitions, leader, metrics, now, monotonic, onError }: Collaborators,
  settings: Settings,
  version: string,
) {
  return { settings, store, feed, keyring, toolDefinitions, leader, metrics, now, monotonic, version, onError }
}

function deliveryWorkerOf({ store, ledger, leader, limiter, metrics, webhookSender, now, onError }: Collaborators) {
  return createDeliveryWorker({
    store,
    ledger,
    leader,
    metrics,
    sealer: webhookSender.sealer,
    send: webhookSender.send,
    hangUp: webhookSender.hangUp,
    baseUrl: webhookSender.baseUrl,
    random: Math.random,
    planOf: (applicationId) => limiter.planOf(applicationId)?.name,
    now,
    onError,
  })
}

/** Lines of several instances end up in one place; each says whose it is. */
function instanceLog({ settings, log }: AppOptions, instance: string): FastifyBaseLogger {
  const own = log ?? createLog(settings.log)
  return settings.store.kind === 'sqlite' ? own : own.child({ instance })
}

/** Where the served certificate is; made here when it is a development one. */
async function certificate(settings: Settings): Promise<{ tls: TlsFiles | undefined; caFile: string | undefined }> {
  const { tls, certificates, clientCertificates: clientsFile } = settings.server
  if (tls.kind === 'off') return { tls: undefined, caFile: undefined }
  const more = certificates.map(({ cert, key }) => ({ certFile: cert, keyFile: key }))
  if (tls.kind === 'files')
    return { tls: { certFile: tls.cert, keyFile: tls.key, more, clientsFile }, caFile: undefined }
  const made = await ensureDevelopmentCertificate(join(settings.data.folder, 'tls'))
  return { tls: { certFile: made.certFile, keyFile: made.keyFile, more, clientsFile }, caFile: made.caFile }
}

/**
 * The local sockets first: they prove that no other server runs on this data folder. Behind the Store's write lock,
 * because of two servers that start at once each could take the socket of the other for one that a dead process left.
 * The public one last.
 */
async function listen(listeners: Listeners, settings: Settings, store: Store): Promise<void> {
  await store.transaction(async (tx) => {
    // PostgreSQL's transactions do not exclude each other; this lock does.
    await lockHead(tx)
    await listenOnLocalSocket(listeners.management, join(settings.data.folder, 'admin.sock'))
    await listenOnLocalSocket(listeners.backend, backendSocket(settings, undefined))
  }, 'first-lock')
  await listenOn(listeners.operator, { ...settings.server.operator, setting: operatorSetting })
  await listenForProxies(listeners.forwardAuth, settings, 'alone')
  await listenInPublic(listeners, settings)
}

/**
 * The command line's socket and the public port are those of all workers; the backend's socket is this worker's own.
 */
async function listenAsWorker(listeners: Listeners, settings: Settings): Promise<void> {
  await listenOnLocalSocket(listeners.backend, backendSocket(settings, process.pid))
  await listenOnLocalSocket(listeners.management, join(settings.data.folder, 'admin.sock'), 'workers')
  await listenForProxies(listeners.forwardAuth, settings, 'workers')
  await listenInPublic(listeners, settings)
}

async function listenInPublic(listeners: Listeners, settings: Settings): Promise<void> {
  const { host, port, baseUrl } = settings.server
  const says = `listening on ${host}:${port} for ${baseUrl}`
  await listenOn(listeners.public, { host, port, setting: publicSetting, says })
}
