// The gate on real lower rooms, and upstreams that write down what they were sent: a Store in a temporary folder, keys,
// view, directory, limits, tokens signed by hand.

import { randomBytes, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http'
import { createServer as createNetServer, type Server as NetServer, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { createAuthenticator } from '../../../src/access/authenticate.js'
import { createUsage, type Usage } from '../../../src/access/usage.js'
import { createCallApprovals } from '../../../src/approvals/call-approvals.js'
import type { PlanRules } from '../../../src/config/plans/plan-settings.js'
import type { LimitPolicy } from '../../../src/config/settings/limit-settings.js'
import type { RouteSettings } from '../../../src/config/settings/route-settings.js'
import type { TargetPlace } from '../../../src/config/settings/upstream-settings.js'
import { listConsents } from '../../../src/directory/consents/consents.js'
import { addressRefusal } from '../../../src/gateway/errors.js'
import { compileGate } from '../../../src/gateway/gate.js'
import { type GatewayDeps, gatewayRoutes } from '../../../src/gateway/index.js'
import { createBodyBudget } from '../../../src/http/requests/body-budget.js'
import type { HttpServerOptions } from '../../../src/http/server.js'
import type { DecisionNote } from '../../../src/ledger/decisions.js'
import { registerAddressGuard } from '../../../src/limits/address-guard.js'
import { createLimiter } from '../../../src/limits/limiter.js'
import { createMetrics, type Metrics } from '../../../src/observability/metrics.js'
import { createRevocationView, type RevocationFollower } from '../../../src/revocation/revocation-view.js'
import { createInProcessCounters } from '../../../src/storage/counters/in-process.js'
import {
  insertSigningKey,
  listSigningKeys,
  type SigningKeyRow,
} from '../../../src/storage/sql/revocation/signing-keys.js'
import type { AccessTokenClaims } from '../../../src/tokens/claims.js'
import { issueAccessToken } from '../../../src/tokens/issue.js'
import { createKeyEncryption } from '../../../src/tokens/keys/key-encryption.js'
import { ensureKeys, type KeyLifecycle } from '../../../src/tokens/keys/key-lifecycle.js'
import { createKeyring, type KeyringFollower } from '../../../src/tokens/keys/keyring.js'
import { type UpstreamInput, upstreamSettings } from '../settings/upstream-settings.js'
import { baseUrl, type DirectoryApp, openDirectory, ownResource } from './directory.js'
import { listening, testServer } from './http-server.js'

export interface Test {
  testdir(): string
  teardown(work: () => unknown): void
}

/** Header lines of a request that came over TLS to a trusted proxy. */
export const viaProxy = 'Host: portcullis.test\r\nX-Forwarded-Proto: https\r\n'

export interface GateApp extends DirectoryApp {
  app: FastifyInstance
  port: number
  keyring: KeyringFollower
  view: RevocationFollower
  metrics: Metrics
  usage: Usage
  deps: GatewayDeps
  logged: string[]
  /** What was recorded for the owners of applications. */
  noted: DecisionNote[]
  /** An access token with these permissions; `changes` replace claims. */
  token(permissions?: readonly string[], changes?: Partial<AccessTokenClaims>): Promise<string>
}

export interface RouteInput extends Partial<Omit<RouteSettings, 'methods'>> {
  path: string
  /** Permission ids of which all are needed, or `public`, by method. */
  methods: Record<string, readonly string[] | 'public'>
}

export interface GateOptions {
  routes: readonly RouteInput[]
  upstreams: Record<string, UpstreamInput>
  limits?: Record<string, LimitPolicy>
  plans?: PlanRules
  addressGuard?: { limit: number; periodMs: number }
  bodyIdleMs?: number
  /** Memory for bodies, and requests under way of one caller. */
  bodyBytes?: number
  perCaller?: number
  builtinTargets?: Parameters<typeof compileGate>[0]['builtinTargets']
  server?: Partial<HttpServerOptions>
  replace?: (deps: GatewayDeps) => Partial<GatewayDeps>
}

const encryption = createKeyEncryption([randomBytes(32)])
const keySettings = {
  algorithm: 'ES256',
  lifetimeSeconds: 3600,
  publishBeforeMs: 86_400_000,
  rotateEveryMs: 90 * 86_400_000,
} as const
const nowhere = { file: 'test', line: 1, column: 1 }

/** Opens the gate on a free port; it is torn down with the test. */
export async function openGate(t: Test, options: GateOptions): Promise<GateApp> {
  const made: { keyring?: KeyringFollower; view?: RevocationFollower } = {}
  let clock = { nowMs: 0 }
  const testApp = await openDirectory(t, {
    followers: ({ store, feed }) => {
      made.keyring = createKeyring({ store, encryption, settings: keySettings })
      made.view = createRevocationView({ feed, staleAfterMs: 60_000, horizonMs: 3_600_000, now: () => clock.nowMs })
      return [made.view, made.keyring]
    },
  })
  clock = testApp.clock
  const { keyring, view } = made as Required<typeof made>
  await provideKeys({ store: testApp.store, feed: testApp.feed, encryption, settings: keySettings, now: testApp.now })
  const metrics = createMetrics()
  const counters = createInProcessCounters()
  const monotonic = () => performance.now()
  const usage = createUsage({ store: testApp.store, instanceId: 'gate', now: testApp.now, onDropped: () => {} })
  const settings = gateSettings(options, testApp)
  const { builtinTargets = new Map() } = options
  const noted: DecisionNote[] = []
  const logged: string[] = []
  const logger = { level: 'info', stream: { write: (line: string) => void logged.push(line) } }
  const deps: GatewayDeps = {
    settings,
    authenticator: createAuthenticator({
      keyring,
      view,
      issuer: baseUrl,
      leewaySeconds: 60,
      cacheEntries: 100,
      now: testApp.now,
    }),
    view,
    limiter: createLimiter({
      counters,
      policies: new Map(Object.entries(options.limits ?? {})),
      ...(options.plans === undefined ? {} : { plans: options.plans }),
      assigned: testApp.assignedPlans,
      metrics,
      monotonic,
    }),
    keyring,
    directory: testApp.directory,
    consentsOf: (about) => listConsents(testApp.store.reader, about),
    metrics,
    usage,
    decisions: { note: (decision) => void noted.push(decision) },
    bodies: createBodyBudget({ bytes: options.bodyBytes ?? 67_108_864 }),
    approvals: createCallApprovals({
      store: testApp.store,
      writes: testApp.writes,
      derive: () => [new Uint8Array(32).fill(2)],
      now: testApp.now,
      count: (outcome) => metrics.mcpApprovals.inc({ outcome }),
    }),
    gate: compileGate({ settings, metrics, builtinTargets, log: pino(logger, logger.stream) }),
    toolPins: testApp.toolDefinitions,
    sessionKeys: [new Uint8Array(32).fill(1)],
    now: testApp.now,
  }
  const app = testServer({ baseUrl, logger, accessLog: true, metrics, ...options.server })
  const guard = options.addressGuard ?? { limit: 1_000_000, periodMs: 60_000 }
  app.register(async (scope) => {
    await registerAddressGuard(scope, { counters, guard, monotonic, refuse: addressRefusal })
    await scope.register(gatewayRoutes({ ...deps, ...options.replace?.(deps) }))
  })
  const port = await listening(app)
  t.teardown(async () => {
    app.server.closeAllConnections()
    await app.close()
  })
  const token: GateApp['token'] = (permissions = ['User.Read.All'], changes = {}) =>
    issueAccessToken(keyring, tokenClaims(testApp, view, permissions, changes))
  return { ...testApp, app, port, keyring, view, metrics, usage, deps, logged, noted, token }
}

/** An RSA key takes a second to make, so the first test app of a file makes the keys for all. */
let madeKeys: readonly SigningKeyRow[] = []

async function provideKeys(lifecycle: KeyLifecycle): Promise<void> {
  if (madeKeys.length === 0) {
    await ensureKeys(lifecycle)
    madeKeys = await listSigningKeys(lifecycle.store.reader)
    return
  }
  await lifecycle.feed.commit(async (tx, record) => {
    for (const row of madeKeys) await insertSigningKey(tx, row)
    record({ kind: 'keys' })
  })
}

function tokenClaims(
  testApp: DirectoryApp,
  view: RevocationFollower,
  permissions: readonly string[],
  changes: Partial<AccessTokenClaims>,
): AccessTokenClaims {
  const iat = Math.floor(testApp.clock.nowMs / 1000)
  const applicationId = changes.client_id ?? '3f0c1f9e-9f34-4c6e-8f9e-0a6d1c5b7a01'
  return {
    iss: baseUrl,
    aud: ownResource,
    sub: applicationId,
    client_id: applicationId,
    iat,
    nbf: iat,
    exp: iat + 3600,
    jti: randomUUID(),
    tid: '9b2c51d4-1a77-4bb7-9b0f-6f6f5d4c3b02',
    idtyp: 'app',
    scope: permissions.join(' '),
    ...(changes.idtyp === 'user' ? {} : { roles: permissions }),
    cid: 'k1',
    seq: view.seq,
    ...changes,
  }
}

function gateSettings(options: GateOptions, testApp: DirectoryApp): GatewayDeps['settings'] {
  const limits = Object.keys(options.limits ?? {})
  const routes = options.routes.map(
    (route): RouteSettings => ({
      id: `${Object.keys(route.methods).join(',')} ${route.path}`,
      resource: ownResource,
      upstream: Object.keys(options.upstreams)[0] ?? '',
      limits,
      bodyBytes: 1_048_576,
      stream: false,
      onStale: 'refuse',
      position: nowhere,
      ...route,
      methods: new Map(
        Object.entries(route.methods).map(([method, need]) => [method, need === 'public' ? need : { anyOf: [need] }]),
      ),
    }),
  )
  const upstreams = new Map(
    Object.entries(options.upstreams).map(([name, upstream]) => [name, upstreamSettings(name, upstream)] as const),
  )
  return {
    catalogue: testApp.catalogue,
    routes,
    upstreams,
    server: { baseUrl, bodyIdleMs: options.bodyIdleMs ?? 5_000, perCaller: options.perCaller ?? 10_000 },
    tokens: { leewaySeconds: 60 },
  }
}

export interface Recorded {
  method: string
  url: string
  /** Name, value, name, value … as they came. */
  raw: string[]
  headers: IncomingMessage['headers']
  body: string
}

export interface RecordingUpstream {
  server: Server
  port: number
  target: TargetPlace
  /** What came, in order; a request is here once its body has been read to its end. */
  requests: Recorded[]
  connections: number
}

/** An HTTP upstream that writes every request down before `handle` answers it (default: 200 and a small JSON body). */
export async function recordingUpstream(
  t: Test,
  handle: (request: IncomingMessage, response: ServerResponse, recorded: Recorded) => void = (_request, response) =>
    void response.setHeader('content-type', 'application/json').end('{"ok":true}'),
  serverOptions: ServerOptions & { basePath?: string } = {},
): Promise<RecordingUpstream> {
  const requests: Recorded[] = []
  const server = createServer({ keepAliveTimeout: 30_000, ...serverOptions }, (request, response) => {
    const recorded: Recorded = {
      method: request.method ?? '',
      url: request.url ?? '',
      raw: request.rawHeaders,
      headers: request.headers,
      body: '',
    }
    request.on('data', (chunk) => {
      recorded.body += String(chunk)
    })
    request.on('end', () => {
      requests.push(recorded)
      handle(request, response, recorded)
    })
    request.on('error', () => undefined)
  })
  const port = await listen(server)
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const upstream: RecordingUpstream = {
    server,
    port,
    target: urlTarget(port, serverOptions.basePath),
    requests,
    connections: 0,
  }
  server.on('connection', () => {
    upstream.connections++
  })
  return upstream
}

/** A TCP upstream that answers by script. `requests` counts heads; `sockets` are all that ever connected. */
export async function scriptedUpstream(t: Test, script: (socket: Socket, request: number, bytes: string) => void) {
  const sockets: Socket[] = []
  let requests = 0
  const server: NetServer = createNetServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => {
      requests++
      script(socket, requests, bytes.toString('latin1'))
    })
  })
  const port = await listen(server)
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port, target: urlTarget(port), sockets, count: () => requests }
}

export function urlTarget(port: number, basePath = ''): TargetPlace {
  return { kind: 'url', origin: `http://127.0.0.1:${port}`, basePath }
}

async function listen(server: Server | NetServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as { port: number }).port
}

/** Waits until `read` gives something. */
export async function eventually<T>(read: () => T | undefined | false, what = 'it'): Promise<T> {
  const deadline = performance.now() + 30_000
  for (;;) {
    const value = read()
    if (value !== undefined && value !== false) return value
    if (performance.now() > deadline) throw new Error(`${what} did not happen in time`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
