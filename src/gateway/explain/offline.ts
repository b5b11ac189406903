// What a configuration would decide about a call, without a server: the gate's own decision (dry-run.ts) over routes
// that are compiled here, for a caller who holds these permissions whatever anybody consented to. No limit is spent and
// nothing is connected to.

import { simulatedAuthenticator } from '../../access/authenticate.js'
import type { TokenPrincipal } from '../../access/principal.js'
import { atOnce } from '../../config/reload/steps.js'
import type { Settings } from '../../config/settings/settings.js'
import type { PermissionKind } from '../../directory/records.js'
import { canonicalTarget } from '../../http/requests/canonical-target.js'
import type { LimitDecision } from '../../limits/limiter.js'
import type { McpOperation } from '../../mcp/operations.js'
import type { Metrics } from '../../observability/metrics.js'
import type { Verdict } from '../admit.js'
import { compileRoutes, type RoutePlan } from '../routes/snapshot.js'
import { createUpstreams } from '../upstreams/upstreams.js'
import { type DryRunDeps, dryRun } from './dry-run.js'

export type OfflineSettings = Pick<Settings, 'catalogue' | 'routes' | 'upstreams' | 'server'>

export interface OfflineCall {
  method: string
  /** The request target as it would stand on the wire. */
  target: string
  bodyBytes: number | undefined
  /** Of an MCP server; absent: connecting. */
  operation?: McpOperation | undefined
  /** Undefined: no token is sent. */
  token: OfflineToken | undefined
}

export interface OfflineToken {
  kind: PermissionKind
  /** Undefined: a token for the API of the route. */
  resource: string | undefined
  permissions: readonly string[]
}

export interface OfflineDecision {
  verdict: Verdict
  /** What was met, also where it refused: the plan of the route, or of the operation of an MCP server. */
  plan: RoutePlan | undefined
  /** The id of the route. */
  routeId: string | undefined
  /** The one reading of the path; undefined when it has none. */
  path: string | undefined
}

/** Answers what would be decided. */
export type OfflineGate = (call: OfflineCall) => Promise<OfflineDecision>

/** Compiles the routes. Throws Error when one cannot be compiled, or an upstream cannot be used. */
export function offlineGate(settings: OfflineSettings): OfflineGate {
  const upstreams = createUpstreams({ builtinTargets: bundled, metrics: unread }).prepare(settings.upstreams).byName
  const routes = atOnce(compileRoutes({ settings, upstreams, metrics: unread }))
  const deps: DryRunDeps = { ...nobodyKnown, settings }
  return async ({ token, ...request }) => {
    const read = canonicalTarget(request.target)
    const plan = read.ok ? routes.find(read.path)?.plans.get(request.method) : undefined
    const resource = plan?.resource ?? settings.catalogue.own.id
    const authenticator = simulatedAuthenticator(principalOf(token, resource), { ...timeless, view: nobodyKnown.view })
    const bearer = token === undefined ? undefined : 'simulated'
    const question = { ...request, address: undefined, token: bearer }
    const found = await dryRun(deps, { request: question, routes, authenticator })
    const path = read.ok ? read.path : undefined
    return { verdict: found.verdict, plan: found.plan ?? plan, routeId: plan?.id, path }
  }
}

/** One that compares tokens by nothing but what they hold. */
function principalOf(token: OfflineToken | undefined, resource: string): TokenPrincipal {
  const common = {
    applicationId: anybody,
    tenantId: anybody,
    resource: token?.resource ?? resource,
    permissions: new Set(token?.permissions),
    issuedAt: 0,
    expiresAt: 1,
    jti: anybody,
    credentialId: anybody,
    seq: 0,
    keyId: '',
  }
  if (token?.kind !== 'delegated') return { kind: 'application', ...common }
  return { kind: 'delegated', ...common, userId: anybody, grantId: anybody }
}

const anybody = '00000000-0000-0000-0000-000000000000'
const timeless = { leewaySeconds: 0, now: () => 0 }
const bundled = new Map([['backend', { socketPath: '/nonexistent' }]])
const unlimited: LimitDecision = { allowed: true, policies: [], states: [], policyField: '' }

const nobodyKnown = {
  view: { isStale: () => false, refusal: () => undefined },
  directory: {
    findRegistration: async () => undefined,
    findInstallation: async () => undefined,
    findToolRules: () => undefined,
  },
  consentsOf: async () => [],
  limiter: { peek: () => unlimited, planOf: () => undefined },
  toolPins: { isChanged: () => false },
}

const uncounted = { labels: () => uncounted, inc() {}, set() {}, observe() {} }

/** The process's own metrics would show routes that it does not have, and others start timers. */
const unread = new Proxy({}, { get: () => uncounted }) as Metrics
