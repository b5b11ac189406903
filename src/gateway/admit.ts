// The gate's decision about one request, from its path to the identity that its upstream will be told. Reads top to
// bottom; nothing is awaited when the token is known and the limits are in this process. Who calls, and whether they
// may, is in caller.ts.

import type { IncomingMessage } from 'node:http'
import type { TokenPrincipal } from '../access/principal.js'
import { announcesBody } from '../http/answers/answer-raw.js'
import { ApiError } from '../http/answers/api-error.js'
import { isUpgrade } from '../http/connections/upgrades.js'
import { invalidTarget } from '../http/requests/invalid-target.js'
import type { RequestContext } from '../http/requests/request-context.js'
import type { EffectivePlan } from '../limits/effective-plan.js'
import { allowedFields } from '../limits/headers.js'
import type { LimitDecision, Limiter } from '../limits/limiter.js'
import { CountersUnavailable } from '../storage/counters/counters.js'
import { type Call, type Caller, type CallerDeps, findCaller } from './caller.js'
import { chargeCaller } from './caller-limits.js'
import { type Refusal, refusal } from './errors.js'
import type { GateHeaders } from './forward/headers/request-headers.js'
import { tooManyRequests } from './limit-refusals.js'
import { preflightVary } from './routes/answer-fields.js'
import { takesSlashes } from './routes/encoded-slashes.js'
import { overridesMethod } from './routes/method-override.js'
import type { RouteEntry, RoutePlan, RouteSnapshot } from './routes/snapshot.js'
import { checkHandshake } from './streams/handshake.js'

/** The request may go on to its upstream. */
export interface Passage {
  kind: 'passed'
  plan: RoutePlan
  /** Undefined on public routes, and on routes that only watch when no token came. */
  principal: TokenPrincipal | undefined
  /** The ids that opened the route. */
  permissions: readonly string[]
  /** Why a route that only watches would have refused. */
  wouldDeny: string | undefined
  /** Flat name, value list that the answer carries. */
  limitFields: readonly string[]
  /** Whether a body is to be forwarded. */
  withBody: boolean
  /** What the caller's plan lets be under way at once; undefined: no plan says so. */
  concurrent: PlanConcurrency | undefined
  /** What stands for some of the client's fields; undefined: nothing. */
  instead: GateHeaders['instead']
  /** Of a message to an MCP server: all that it is about; undefined: nothing that is looked at by itself. */
  operations: readonly RoutePlan[] | undefined
}

/** Requests of one application under way at once, over all instances. */
export interface PlanConcurrency {
  plan: string | null
  most: number
}

/** What an OPTIONS request is told without a token (X2). */
export interface Options {
  kind: 'options'
  allow: string
  /** Flat name, value list: what a page of another origin may do here. */
  fields: readonly string[]
}

export type Verdict = Passage | Options | Refusal

/** What is read of a request here. `socket` is what the connection's last token is remembered by. */
export interface PresentedHead extends Pick<IncomingMessage, 'method' | 'headers' | 'rawHeaders'> {
  httpVersionMinor?: number
  socket: object
}

export interface AdmitDeps extends CallerDeps {
  limiter: Limiter
}

/** Builds the decision. `routes` is the snapshot that this request began with. Throws only what is a bug. */
export function createAdmit(deps: AdmitDeps) {
  return (raw: PresentedHead, facts: RequestContext, routes: RouteSnapshot): Verdict | Promise<Verdict> => {
    const target = facts.target
    if (!target.ok) return refusal('not_found')
    const entry = routes.find(target.path)
    if (target.encodedSlash === true && !takesSlashes(entry, { method: raw.method, path: target.path }, routes)) {
      return { kind: 'refused', reason: 'encoded_separator', error: invalidTarget('encoded_separator') }
    }
    if (entry === undefined) return refusal('not_found')
    const method = raw.method ?? ''
    const plan = entry.plans.get(method)
    if (plan === undefined) return method === 'OPTIONS' ? answerOptions(raw, entry) : methodNotAllowed(entry.allow)
    // Beside sign-in and portal there is no such page.
    if (plan.answer?.pages === true && facts.entry.apiHost === undefined) return refusal('not_found')
    facts.entry.route = plan.id
    if (target.query !== undefined && overridesMethod(target.query)) return refusal('method_override')
    if (plan.answerFields !== undefined) facts.entry.answerFields = plan.answerFields(raw.headers.origin)
    const misshapen = checkShape(raw, method, plan)
    if (misshapen !== undefined) return misshapen
    const matched = { raw, facts, plan }
    const subject = { address: facts.address, routeId: plan.id }
    const decision = deps.limiter.decide(plan.limits, subject, 'address', plan.cost)
    if (decision instanceof Promise) return decision.then((late) => afterAddress(deps, matched, late))
    return afterAddress(deps, matched, decision)
  }
}

/**
 * The refusal that a decision ends with when limits could not be counted; undefined when it failed for another reason.
 */
export function refusalWithoutCounters(error: unknown): Refusal | undefined {
  return error instanceof CountersUnavailable ? refusal('limits_unknown', error) : undefined
}

/** Whether it is decided and counted once its body was read. */
export function isMessage({ raw, plan }: { raw: Pick<PresentedHead, 'method'>; plan: RoutePlan }): boolean {
  return plan.mcp !== undefined && raw.method === 'POST'
}

const nothingCharged: LimitDecision = { allowed: true, policies: [], states: [], policyField: '' }

interface Matched extends Call {
  raw: PresentedHead
}

/** What needs no knowledge of the caller: bodies where none belongs or too large ones, service worker scripts. */
function checkShape(raw: PresentedHead, method: string, plan: RoutePlan): Refusal | undefined {
  const { headers } = raw
  if (isUpgrade(raw)) {
    const refused = checkHandshake(raw, plan.route.stream && plan.mcp === undefined)
    if (refused !== undefined) return refused
  }
  if (headers['service-worker'] !== undefined || headers['sec-fetch-dest'] === 'serviceworker') {
    return refusal('service_worker')
  }
  const length = headers['content-length']
  if (length !== undefined && Number(length) > plan.bodyBytes) return refusal('body_too_large')
  const bodyless = method === 'GET' || method === 'HEAD'
  if (bodyless && !plan.upstream.builtin && announcesBody(raw)) return refusal('body_on_get')
  // The bundled service asks for a length, and our own client would add one to an empty body behind its back.
  if (method === 'PUT' && plan.upstream.builtin && length === undefined && headers['transfer-encoding'] === undefined) {
    return refusal('length_required')
  }
  return undefined
}

function afterAddress(deps: AdmitDeps, matched: Matched, decision: LimitDecision): Verdict | Promise<Verdict> {
  if (!decision.allowed) return tooManyRequests(decision)
  const caller = findCaller(deps, matched)
  if (caller instanceof Promise) return caller.then((late) => withCaller(deps, matched, decision, late))
  return withCaller(deps, matched, decision, caller)
}

function withCaller(
  deps: AdmitDeps,
  matched: Matched,
  decision: LimitDecision,
  caller: Caller | Refusal,
): Verdict | Promise<Verdict> {
  if ('kind' in caller) return caller
  const { facts, plan } = matched
  // Of a message it is not known yet what it asks for (mcp/judge.ts).
  if (isMessage(matched)) return afterCaller(deps, matched, caller, [decision, nothingCharged])
  const charged = chargeCaller(deps.limiter, { facts, plan, principal: caller.principal })
  if (charged instanceof Promise) return charged.then((late) => afterCaller(deps, matched, caller, [decision, late]))
  return afterCaller(deps, matched, caller, [decision, charged])
}

function afterCaller(
  { limiter }: AdmitDeps,
  { raw, plan }: Matched,
  caller: Caller,
  decisions: readonly [address: LimitDecision, caller: LimitDecision],
): Verdict {
  const [address, charged] = decisions
  const { principal, permissions, wouldDeny } = caller
  if (!charged.allowed) return { ...tooManyRequests(charged), principal }
  const method = raw.method
  const withBody = method !== 'GET' && method !== 'HEAD' && announcesBody(raw)
  const limitFields = allowedFields(charged.policies.length > 0 ? charged : address)
  const concurrent = principal === undefined ? undefined : concurrencyOf(limiter.planOf(principal.applicationId))
  return {
    kind: 'passed',
    plan,
    principal,
    permissions,
    wouldDeny,
    limitFields,
    withBody,
    concurrent,
    instead: undefined,
    operations: undefined,
  }
}

function concurrencyOf(plan: EffectivePlan | undefined): PlanConcurrency | undefined {
  return plan?.concurrent === undefined ? undefined : { plan: plan.name ?? null, most: plan.concurrent }
}

/**
 * A preflight asks for one method (Fetch, CORS protocol); a page that may not use it hears nothing of what others may.
 */
function answerOptions({ headers }: PresentedHead, { allow, plans }: RouteEntry): Options {
  const all = [...plans]
  if (all.every(([, { crossOrigin }]) => crossOrigin === undefined)) return { kind: 'options', allow, fields: [] }
  const vary = ['vary', preflightVary]
  const { origin } = headers
  const requestedPlan = plans.get(headers['access-control-request-method'] ?? '')?.crossOrigin
  if (origin === undefined || requestedPlan === undefined) return { kind: 'options', allow, fields: vary }
  const methods = all.flatMap(([method, { crossOrigin }]) => (crossOrigin?.allows(origin, method) ? method : []))
  if (!methods.includes(headers['access-control-request-method'] ?? '')) return { kind: 'options', allow, fields: vary }
  const fields = [...vary, ...requestedPlan.preflight(origin), 'access-control-allow-methods', methods.join(', ')]
  return { kind: 'options', allow, fields }
}

/** RFC 9110 §15.5.6: 405 names the methods that there are. */
function methodNotAllowed(allow: string): Refusal {
  const error = new ApiError(405, 'MethodNotAllowed', `Allowed here: ${allow}.`, { headers: { allow } })
  return { kind: 'refused', reason: 'method_not_allowed', error }
}
