// The management API on the application that issues tokens, behind a local transport, called by inject.

import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { LightMyRequestResponse } from 'fastify'
import type { Usage } from '../../../src/access/usage.js'
import { singleInstanceLeader, singleInstanceMembership } from '../../../src/cluster/single-instance.js'
import type { PlanRules } from '../../../src/config/plans/plan-settings.js'
import { atOnce } from '../../../src/config/reload/steps.js'
import type { RefusedFiles } from '../../../src/config/report/reload-outcome.js'
import { ruleChanges } from '../../../src/config/report/rule-changes.js'
import type { LimitPolicy } from '../../../src/config/settings/limit-settings.js'
import type { RouteSettings } from '../../../src/config/settings/route-settings.js'
import type { Settings } from '../../../src/config/settings/settings.js'
import type { UpstreamSettings } from '../../../src/config/settings/upstream-settings.js'
import { createWebhookSender, type WebhookSender } from '../../../src/events/webhook-sender.js'
import type { Explain } from '../../../src/gateway/explain/explain.js'
import { compileGate, type Gate } from '../../../src/gateway/gate.js'
import { routeOf } from '../../../src/gateway/routes/route-of.js'
import { targetStates } from '../../../src/gateway/upstreams/target-states.js'
import { requestContext } from '../../../src/http/requests/request-context.js'
import { issueForOperator } from '../../../src/identity/token/operator-token.js'
import { createExplanations } from '../../../src/instance/explanations.js'
import type { DecisionLog } from '../../../src/ledger/decisions.js'
import { verifyLedger } from '../../../src/ledger/verify.js'
import { createLimiter, type PeekingLimiter } from '../../../src/limits/limiter.js'
import type { RouteAccess } from '../../../src/management/access/access.js'
import { createInProcessTransport } from '../../../src/management/access/in-process-transport.js'
import { publicTransport } from '../../../src/management/access/public-transport.js'
import type { Presented } from '../../../src/management/dependencies.js'
import { managementRoutes } from '../../../src/management/index.js'
import type { ApiDocument } from '../../../src/management/openapi/document-types.js'
import type { Reader } from '../../../src/management/openapi/service-chapters.js'
import { signInAtPortal } from '../people/portal-session.js'
import { baseUrl } from './directory.js'
import { testLimits, testServer } from './http-server.js'
import { type IdentityApp, type IdentityOptions, openIdentity } from './identity.js'

export interface ManagementApp extends IdentityApp {
  /** A call below /api/v2; an object is sent as JSON, a string or a stream as it is. */
  manage(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<LightMyRequestResponse>
  /** The caller by the transport; `token`: by the access token, as on the public listener. */
  caller: { principal: Presented | 'token' | undefined }
  /** What the management server logged, one JSON line each. */
  managementLog: string[]
  /** Every route of the room, as it registered. */
  managementRoutes: { method: string; url: string; access: RouteAccess; body: unknown }[]
  /** With the routes. */
  settings: Settings
  /** What is counted of calls; nothing writes it but a flush. */
  usage: Usage
  gate: Gate
  limiter: PeekingLimiter
  explain: Explain
  decisions: DecisionLog
  webhookSender: WebhookSender
}

interface Test {
  testdir(): string
  teardown(work: () => unknown): void
}

export interface ManagementOptions {
  identity?: IdentityOptions
  /** Behind the gate that explanations look at; none unless a test says so. */
  routes?: readonly RouteSettings[]
  upstreams?: ReadonlyMap<string, UpstreamSettings>
  /** Of those routes. */
  limits?: ReadonlyMap<string, LimitPolicy>
  /** The document of the API; absent: one of nothing. */
  document?: (reader: Reader) => ApiDocument
  /** What applications may choose. */
  plans?: PlanRules
  /** Where webhooks may lead; absent: nowhere that a test would reach. */
  events?: Settings['events']
  /** What its files say and cannot be put in place; absent: they are in effect. */
  refusedConfiguration?: () => RefusedFiles | undefined
  /** What the settings say of the certificate; absent: a development one. */
  tls?: Settings['server']['tls']
}

export const emptyDocument: ApiDocument = {
  openapi: '3.1.0',
  info: { title: 'Test', version: '0', description: '', license: { name: '', identifier: '' } },
  ...{ servers: [], tags: [], paths: {} },
  components: { schemas: {}, responses: {}, securitySchemes: {} },
}

/** Opens everything; it is torn down with the test. */
export async function openManagement(t: Test, options: ManagementOptions = {}): Promise<ManagementApp> {
  const testApp = await openIdentity(t, options.identity)
  const { store, feed, writes, deps, keyring, lifecycle, view, clock } = testApp
  const caller: ManagementApp['caller'] = { principal: { kind: 'local' } }
  const managementLog: string[] = []
  const logger = { level: 'trace', stream: { write: (line: string) => void managementLog.push(line) } }
  const app = testServer({ listener: 'local', baseUrl, logger, accessLog: true })
  const { routes = [], upstreams = new Map(), limits = new Map(), document = () => emptyDocument } = options
  const { tls = { kind: 'development' as const } } = options
  const server = { ...deps.settings.server, ...testLimits, apiHosts: [], tls }
  const day = 86_400_000
  const usage = { flushEveryMs: 10_000, keepMs: 400 * day, unusedAfterMs: 30 * day }
  const counts = deps.usage as Usage
  const settings = {
    ...deps.settings,
    usage,
    mode: 'development' as const,
    server,
    routes,
    upstreams,
    limits,
    ...options.plans,
  }
  const gate = compileGate({ settings, metrics: testApp.metrics, builtinTargets: new Map() })
  const { counters, metrics, monotonic } = deps
  const decisions = deps.decisions as DecisionLog
  const plans = options.plans ?? { plans: new Map(), defaultPlan: undefined }
  const { assignedPlans: assigned } = testApp
  const limiter = createLimiter({ counters, policies: limits, plans, assigned, metrics, monotonic })
  const { allow, ca } = options.events ?? deps.settings.events
  const webhookSender = createWebhookSender({ allow, ca, baseUrl, derive: deps.derive, timeoutMs: 20_000 })
  const explain = createExplanations(
    { ...deps, limiter, directory: testApp.directory, toolDefinitions: testApp.toolDefinitions },
    settings,
    gate,
  )
  const transport = publicTransport({ settings, authenticator: deps.authenticator, view, limiter: deps.limiter })
  const within = createInProcessTransport()
  const registered: ManagementApp['managementRoutes'] = []
  app.addHook('onRoute', ({ method, url, config, schema }) => {
    for (const name of [method].flat()) {
      if (config?.access === undefined || name === 'HEAD') continue
      registered.push({ method: name, url, access: config.access, body: schema?.body })
    }
  })
  app.register(
    managementRoutes({
      directory: deps.directory,
      ...{ store, feed, writes, settings, keyring, keys: lifecycle, view, users: deps.users },
      usage: counts,
      history: testApp.history,
      issueForOperator: (request) => issueForOperator(deps, request),
      explain,
      document,
      targets: () => targetStates(gate.upstreams()),
      routeOf: (method, target) => routeOf(gate.routes(), method, target),
      limiter,
      decisions,
      webhookSender,
      principalOf: (request, reply) =>
        within.principalOf(request) ?? (caller.principal === 'token' ? transport(request, reply) : caller.principal),
      requestOrigin: (request) =>
        within.principalOf(request) === undefined ? requestContext(request) : within.requestOrigin(request),
      callAs: (who, call) => within.callAs(app, who, call),
      pagingKey: randomBytes(32),
      configuration: {
        reload: async () => ({
          result: 'unchanged',
          changes: atOnce(ruleChanges(settings, settings)),
          waiting: [],
          inEffect: { since: 0, by: 'start', routes: 0, upstreams: 0 },
        }),
        refused: async () => options.refusedConfiguration?.(),
      },
      certificateEndsAt: async () => clock.nowMs + 40 * day,
      ledgerKeys: testApp.ledgerKeys,
      verifyLedger: (lines = [], part) => verifyLedger({ store, keys: testApp.ledgerKeys }, lines, part),
      membership: singleInstanceMembership({ id: 'a1b2c3d4', name: 'host:1', startedAt: clock.nowMs }),
      leader: singleInstanceLeader,
      readiness: { read: async () => ({ ready: true, reasons: [], degraded: [] }) },
      health: { redisUp: undefined },
      version: '1.2.3',
      startedAt: clock.nowMs,
    }),
  )
  await app.ready()
  t.teardown(() => app.close())
  const manage: ManagementApp['manage'] = async (method, path, body, headers = {}) => {
    const { principal } = caller
    if (typeof principal === 'object' && principal.kind === 'session') await signInAtPortal(store, principal)
    return app.inject({
      method,
      url: `/api/v2${path}`,
      headers: { host: 'localhost', ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined
        ? {}
        : { payload: typeof body === 'string' || body instanceof Readable ? body : JSON.stringify(body) }),
    })
  }
  return {
    ...testApp,
    usage: counts,
    manage,
    caller,
    managementLog,
    managementRoutes: registered,
    settings,
    gate,
    limiter,
    explain,
    decisions,
    webhookSender,
  }
}

/** The parts of an error body that a test compares. */
export function refusal(response: LightMyRequestResponse): {
  status: number
  code: string
  message: string
  target?: string
  details?: { target?: string; message: string }[]
} {
  const { error } = response.json()
  return { status: response.statusCode, ...error }
}
