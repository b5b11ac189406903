// The compiled route table: what the configuration says about every path, in the form in which a request asks.
// Immutable: a reload builds a new one and swaps the reference, and requests under way finish on the one that they
// began with.

import { type CompiledRequirement, compileRequirement } from '../../access/decide.js'
import type { Steps } from '../../config/reload/steps.js'
import type { McpRule, McpSettings, RouteRequirement, RouteSettings } from '../../config/settings/route-settings.js'
import type { Settings } from '../../config/settings/settings.js'
import type { Metrics } from '../../observability/metrics.js'
import type { ServiceDescription } from '../../openapi/service-description.js'
import { compileRequestFields } from '../forward/headers/dropped-fields.js'
import type { CrossingFields } from '../forward/headers/request-headers.js'
import type { AnswerRules } from '../forward/headers/response-headers.js'
import { compileMcp, type McpPlan } from '../mcp/plan.js'
import type { Room } from '../upstreams/room.js'
import type { Upstream } from '../upstreams/upstream.js'
import { type AnswerFields, type CrossOrigin, compileAnswerFields, compileCrossOrigin } from './answer-fields.js'
import { type Condition, compileCondition } from './conditions.js'
import { cookiePaths } from './cookie-paths.js'
import { compileMatcher, type Matchable, routerPattern } from './matcher.js'
import type { Prefix } from './prefix.js'

/** What one method of one path needs and where it goes. */
export interface RoutePlan {
  /** The route's id: the label in metrics and logs, the key of its limits. */
  id: string
  /** What the file says of it. */
  route: RouteSettings
  requirement: CompiledRequirement | 'public'
  resource: string
  /** Always the same array, so that the limiter compiles it once. */
  limits: readonly string[]
  bodyBytes: number
  /** Units that a request takes from each limit. */
  cost: number
  /** Permissions are only watched. */
  shadow: boolean
  /** What it asks of a caller besides permissions. */
  condition: Condition | undefined
  /** Milliseconds until the upstream's answer begins, and between two pieces of it; of the latter 0 is no bound. */
  headersMs: number
  idleMs: number
  /** For all of it; 0 is no bound. */
  overallMs: number
  /** Where its requests take their places: streams have a room of their own. */
  room: Room
  /** The upstream's paths begin otherwise. */
  prefix: Prefix | undefined
  /** Below which path the upstream may set cookies. */
  cookiePath: string
  /** How the upstream is told who calls. */
  identity: Upstream['identity']
  /** Which of the client's fields that may cross do; undefined: all. */
  requestFields: CrossingFields | undefined
  /** What requests are compared with; undefined: they are not. */
  description: ServiceDescription | undefined
  /** What a caller without a good token is told to ask for; undefined: nothing. */
  challengeScope: string | undefined
  /** What its messages need; undefined: it leads to no MCP server. */
  mcp: McpPlan<RoutePlan> | undefined
  /** Which of its operations this is, such as `tools/call:close_ticket`; undefined: none that has a name. */
  operation: string | undefined
  /** What the file asks of calls of this tool besides its permission. */
  rule: McpRule
  /** What it says of answers. */
  answer: AnswerRules | undefined
  /** What every answer carries besides; undefined: nothing. */
  answerFields: AnswerFields | undefined
  /** Undefined: no page of another origin may call. */
  crossOrigin: CrossOrigin | undefined
  onStale: 'refuse' | 'pass'
  upstream: Upstream
  /** Plans of one upstream with one requirement share an assertion, and so share this object. */
  assertionSlot: object
  /** Whether somebody may exchange what the upstream is told of a caller. */
  exchangeable: boolean
  countGranted: () => void
  observeOverhead: (seconds: number) => void
}

export interface RouteEntry extends Matchable {
  plans: ReadonlyMap<string, RoutePlan>
  /** The Allow header field. */
  allow: string
}

export interface RouteSnapshot {
  /** The entry of a canonical path; undefined is a 404. */
  find(path: string): RouteEntry | undefined
  /** The entries that a path could lead to at servers which read it less exactly. */
  mayBeRead(path: string): readonly RouteEntry[]
}

export interface SnapshotOptions {
  settings: Pick<Settings, 'catalogue' | 'routes'>
  upstreams: ReadonlyMap<string, Upstream>
  metrics: Metrics
}

type MutableEntry = RouteEntry & { plans: Map<string, RoutePlan> }

/**
 * Compiles every route, a step each. Throws Error on a route that requires nothing, names no upstream, or is not in canonical form.
 */
export function* compileRoutes(options: SnapshotOptions): Steps<RouteSnapshot> {
  const entries = new Map<string, MutableEntry>()
  const slots = new Map<string, object>()
  const cookiePathOf = yield* cookiePaths(options.settings.routes)
  for (const route of options.settings.routes) {
    addRoute(route, entries, slots, { ...options, cookiePathOf })
    yield
  }
  for (const entry of entries.values()) entry.allow = allowField(entry.plans)
  const all = [...entries.values()]
  return yield* compileMatcher(all)
}

function addRoute(
  route: RouteSettings,
  entries: Map<string, MutableEntry>,
  slots: Map<string, object>,
  options: SnapshotOptions & { cookiePathOf: (route: RouteSettings) => string },
): void {
  const shape = routerPattern(route.path)
  const upstream = options.upstreams.get(route.upstream)
  if (upstream === undefined) throw new Error(`route ${route.id}: there is no upstream ${route.upstream}`)
  if (route.methods.size === 0) throw new Error(`route ${route.id}: no method says what it requires`)
  const exact = !shape.includes('/:p') && !shape.endsWith('*')
  const entry = entries.get(shape) ?? { plans: new Map(), allow: '', exact, shape }
  entries.set(shape, entry)
  const planFor = (of: RouteSettings, requirement: RouteRequirement | 'public') => {
    const key = `${upstream.name}\n${JSON.stringify(requirement)}\n${route.resource}`
    const assertionSlot = slots.get(key) ?? {}
    slots.set(key, assertionSlot)
    const { catalogue } = options.settings
    const compiled = requirement === 'public' ? requirement : compileRequirement(catalogue, route.resource, requirement)
    const exchangeable = catalogue.resources.get(route.resource)?.exchange !== undefined
    const cookiePath = options.cookiePathOf(of)
    return planOf(of, { requirement: compiled, upstream, cookiePath, assertionSlot, exchangeable }, options.metrics)
  }
  for (const [method, requirement] of route.methods) {
    if (entry.plans.has(method)) throw new Error(`route ${route.id}: ${method} is declared twice`)
    // A listener to an MCP server may hear nothing for long.
    const plan = planFor(route, requirement)
    entry.plans.set(method, route.mcp !== undefined && method === 'GET' ? streaming(plan) : plan)
  }
  if (route.mcp !== undefined) addMcp(route, route.mcp, entry.plans, planFor)
}

/** Each operation is a small route; all methods of the path share them. */
function addMcp(
  route: RouteSettings,
  settings: McpSettings,
  plans: ReadonlyMap<string, RoutePlan>,
  planFor: (of: RouteSettings, requirement: RouteRequirement) => RoutePlan,
): void {
  const first = plans.get('POST')
  if (first === undefined) throw new Error(`route ${route.id}: an MCP server is called by POST`)
  const listening = new WeakMap<RoutePlan, RoutePlan>()
  const listeningTo = (plan: RoutePlan) => {
    const known = listening.get(plan) ?? streaming(plan, route.id)
    listening.set(plan, known)
    return known
  }
  const mcp = compileMcp(settings, { first, listening: listeningTo }, (name, operation) => {
    const { needs, rule = 'allowed', ...own } = operation
    return Object.assign(planFor({ ...route, ...own, id: `${route.id} ${name}` }, needs), { rule })
  })
  for (const plan of plans.values()) {
    plan.mcp = mcp
    plan.challengeScope = leastScope(first.requirement)
  }
  for (const [name, plan] of mcp.operations) Object.assign(plan, { mcp, operation: name })
}

/** Of the ways to meet it the least, for somebody whose kind nobody knows yet: people come by clients of their own. */
function leastScope(requirement: RoutePlan['requirement']): string | undefined {
  if (requirement === 'public') return undefined
  const [least] = requirement.delegated.length > 0 ? requirement.delegated : requirement.application
  return least?.needs.map(([id]) => id).join(' ')
}

/** The same with the places and times of streams of its MCP server. */
function streaming(plan: RoutePlan, routeId = plan.id): RoutePlan {
  const { upstream, route } = plan
  return {
    ...plan,
    route: { ...route, stream: true },
    room: upstream.streamsOf(routeId, route.mcp?.streams),
    idleMs: route.idleMs ?? 0,
    overallMs: 0,
  }
}

function planOf(
  route: RouteSettings,
  parts: Pick<RoutePlan, 'requirement' | 'upstream' | 'cookiePath' | 'assertionSlot' | 'exchangeable'>,
  metrics: Metrics,
): RoutePlan {
  const granted = metrics.authDecisions.labels(
    route.id,
    'allowed',
    parts.requirement === 'public' ? 'public' : 'granted',
  )
  const overhead = metrics.overhead.labels(route.id)
  return {
    id: route.id,
    route,
    resource: route.resource,
    limits: route.limits,
    bodyBytes: route.bodyBytes,
    cost: route.cost ?? 1,
    shadow: route.shadow === true,
    condition: compileCondition(route),
    headersMs: route.headersMs ?? parts.upstream.headersMs,
    idleMs: route.idleMs ?? (route.stream ? 0 : parts.upstream.idleMs),
    overallMs: route.stream ? 0 : parts.upstream.settings.overallMs,
    room: route.stream ? parts.upstream.streams : parts.upstream.requests,
    prefix: route.prefix,
    description: route.description,
    mcp: undefined,
    operation: undefined,
    rule: 'allowed',
    challengeScope: undefined,
    answer: answerRules(route),
    requestFields: compileRequestFields(listed(route.requestHeaders, route), route.dropRequestHeaders),
    identity: route.identity ?? parts.upstream.identity,
    answerFields: compileAnswerFields(route),
    crossOrigin: compileCrossOrigin(route),
    onStale: route.onStale,
    ...parts,
    countGranted: () => granted.inc(),
    observeOverhead: (seconds) => overhead.observe(seconds),
  }
}

/** What describes a body goes with it, and what a WebSocket cannot begin without. */
const aboutBodies = ['type', 'encoding', 'language', 'range', 'disposition'].map((what) => `content-${what}`)
const aboutSockets = ['key', 'version', 'protocol', 'extensions', 'accept'].map((what) => `sec-websocket-${what}`)

function listed(names: readonly string[] | undefined, { stream }: RouteSettings): ReadonlySet<string> | undefined {
  return names === undefined ? undefined : new Set([...aboutBodies, ...(stream ? aboutSockets : []), ...names])
}

function answerRules(route: RouteSettings): AnswerRules | undefined {
  const { responseHeaders, allowResponseHeaders, cacheControl, pages = false } = route
  if ([responseHeaders, allowResponseHeaders, cacheControl].every((one) => one === undefined) && !pages)
    return undefined
  const allowed = allowResponseHeaders === undefined ? undefined : new Set(allowResponseHeaders)
  return { fields: listed(responseHeaders, route), allowed, cacheControl, pages }
}

/** HEAD follows GET (RFC 9110 §9.3.2); OPTIONS is always answered. */
function allowField(plans: Map<string, RoutePlan>): string {
  const get = plans.get('GET')
  // A GET that listens has no HEAD.
  if (get !== undefined && get.mcp === undefined && !plans.has('HEAD')) plans.set('HEAD', get)
  return [...new Set([...plans.keys(), 'OPTIONS'])].join(', ')
}
