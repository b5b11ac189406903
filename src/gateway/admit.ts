// The gate's decision about one request, from its path to the identity that its upstream will be told. Reads top to bottom;
// nothing is awaited when the token is known and the limits are in this process.

import type { IncomingMessage } from 'node:http'
import type { Authenticator } from '../access/authenticate.js'
import { type CompiledRequirement, decide } from '../access/decide.js'
import { describeMissing, type MissingPermissionDependencies } from '../access/missing-permission.js'
import type { TokenPrincipal } from '../access/principal.js'
import { RefusedToken } from '../access/refused-token.js'
import type { PermissionRef } from '../directory/records.js'
import { announcesBody } from '../http/answer-raw.js'
import { ApiError } from '../http/api-error.js'
import type { RequestContext } from '../http/request-context.js'
import { allowedFields, limitHeaders } from '../limits/headers.js'
import type { LimitDecision, Limiter } from '../limits/limiter.js'
import { CountersUnavailable } from '../memory/counters/counters.js'
import { BearerError } from '../oauth/errors.js'
import type { RevocationView } from '../revocation/view.js'
import { bearerRefusal, missingPermission } from './bearer-errors.js'
import { type Refusal, refusal, tooManyRequests } from './errors.js'
import type { RoutePlan, RouteSnapshot } from './routes/snapshot.js'

/** The request may go on to its upstream. */
export interface Passage {
  kind: 'passed'
  plan: RoutePlan
  /** Undefined on public routes. */
  principal: TokenPrincipal | undefined
  /** The ids that opened the route. */
  permissions: readonly string[]
  /** Flat name, value list that the answer carries. */
  limitFields: readonly string[]
  /** Whether a body is to be forwarded. */
  withBody: boolean
}

/** What an OPTIONS request is told without a token (X2). */
export interface Options {
  kind: 'options'
  allow: string
}

export type Verdict = Passage | Options | Refusal

/** What is read of a request here. `socket` is what the connection's last token is remembered by. */
export interface AskedHead extends Pick<IncomingMessage, 'method' | 'headers' | 'rawHeaders'> {
  socket: object
}

export interface AdmitDeps extends MissingPermissionDependencies {
  authenticator: Authenticator
  view: Pick<RevocationView, 'isStale'>
  limiter: Limiter
  counts: DecisionCounts
}

/** What is counted while it is decided; a decision that is only explained counts nothing. */
export interface DecisionCounts {
  denied(routeId: string, reason: string): void
  /** Passed on a stale view, because the route says so. */
  passedStale(routeId: string): void
}

interface Caller {
  principal: TokenPrincipal | undefined
  permissions: readonly string[]
}

/** A cached answer takes none of it; one from the Store a few milliseconds. */
const describeMs = 250

const nobody: Caller = { principal: undefined, permissions: [] }

/** Builds the decision. `routes` is the snapshot that this request began with. Throws only what is a bug. */
export function createAdmit(deps: AdmitDeps) {
  return (raw: AskedHead, facts: RequestContext, routes: RouteSnapshot): Verdict | Promise<Verdict> => {
    const target = facts.target
    if (!target.ok) return refusal('not_found')
    const entry = routes.find(target.path)
    if (entry === undefined) return refusal('not_found')
    const method = raw.method ?? ''
    const plan = entry.plans.get(method)
    if (plan === undefined)
      return method === 'OPTIONS' ? { kind: 'options', allow: entry.allow } : methodNotAllowed(entry.allow)
    facts.route = plan.id
    const misshapen = checkShape(raw, method, plan)
    if (misshapen !== undefined) return misshapen
    const matched = { raw, facts, plan }
    const decision = deps.limiter.decide(plan.limits, { address: facts.address, routeId: plan.id }, 'address')
    if (decision instanceof Promise) return decision.then((late) => afterAddress(deps, matched, late))
    return afterAddress(deps, matched, decision)
  }
}

/** The refusal that a decision ends with when limits could not be counted; undefined when it failed for another reason. */
export function refusalWithoutCounters(error: unknown): Refusal | undefined {
  return error instanceof CountersUnavailable ? refusal('limits_unknown', error) : undefined
}

interface Matched {
  raw: AskedHead
  facts: RequestContext
  plan: RoutePlan
}

/** What needs no knowledge of the caller: bodies where none belongs or too large ones, service worker scripts. */
function checkShape(raw: AskedHead, method: string, plan: RoutePlan): Refusal | undefined {
  const { headers } = raw
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
  if (!decision.allowed) return tooManyRequests(limitHeaders(decision))
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
  const { principal } = caller
  const subject = {
    address: matched.facts.address,
    applicationId: principal?.applicationId,
    tenantId: principal?.tenantId,
    userId: principal?.kind === 'delegated' ? principal.userId : undefined,
    routeId: matched.plan.id,
  }
  const charged = deps.limiter.decide(matched.plan.limits, subject, 'caller')
  if (charged instanceof Promise) return charged.then((late) => afterCaller(matched, caller, [decision, late]))
  return afterCaller(matched, caller, [decision, charged])
}

/** The verified caller and what opened the route to it, or why not. */
function findCaller(deps: AdmitDeps, matched: Matched): Caller | Refusal | Promise<Caller | Refusal> {
  const { plan } = matched
  const { requirement } = plan
  if (requirement === 'public') return nobody
  if (deps.view.isStale()) {
    if (plan.onStale === 'refuse') return refusal('view_stale')
    deps.counts.passedStale(plan.id)
  }
  const principal = authenticate(deps, matched)
  if (principal instanceof Promise) return principal.then((late) => permitted(deps, matched, requirement, late))
  return permitted(deps, matched, requirement, principal)
}

/** Another instance may know better than this one, so some refusals wait for a look at the Store (access/second-look.ts). */
function authenticate(deps: AdmitDeps, matched: Matched): TokenPrincipal | Refusal | Promise<TokenPrincipal | Refusal> {
  const first = tryToken(deps, matched)
  if (!(first instanceof BearerError)) return first
  const look = deps.authenticator.secondLook(first)
  if (look === undefined) return denied(deps, matched.plan, first)
  return look.then(
    (isWorthIt) => {
      const again = isWorthIt ? tryToken(deps, matched) : first
      return again instanceof BearerError ? denied(deps, matched.plan, again) : again
    },
    (cause: unknown) => refusal('view_stale', cause),
  )
}

function tryToken(deps: AdmitDeps, { raw, facts, plan }: Matched): TokenPrincipal | BearerError {
  try {
    const query = facts.target.ok ? facts.target.query : undefined
    return deps.authenticator.authenticate(raw.rawHeaders, query, plan.resource, raw.socket)
  } catch (error) {
    if (error instanceof BearerError) return error
    throw error
  }
}

function denied(deps: AdmitDeps, plan: RoutePlan, error: BearerError): Refusal {
  deps.counts.denied(plan.id, error.reason)
  const refused = bearerRefusal(error, plan.resource, deps.baseUrl)
  return error instanceof RefusedToken ? { ...refused, principal: error.principal } : refused
}

function permitted(
  deps: AdmitDeps,
  { facts, plan }: Matched,
  requirement: CompiledRequirement,
  principal: TokenPrincipal | Refusal,
): Caller | Refusal | Promise<Refusal> {
  if (principal.kind === 'refused') return principal
  facts.applicationId = principal.applicationId
  if (principal.kind === 'delegated') facts.userId = principal.userId
  const decision = decide(principal, requirement)
  if (decision.allowed) return { principal, permissions: decision.permissions }
  deps.counts.denied(plan.id, 'insufficient_scope')
  return describe(deps, principal, decision.missing)
}

/** A refusal must depend neither on the Store's health nor on its speed: without the directory it only says less. */
async function describe(deps: AdmitDeps, principal: TokenPrincipal, missing: PermissionRef): Promise<Refusal> {
  const described = await atMost(describeMs, describeMissing(deps, principal, missing)).catch(() => undefined)
  return { ...missingPermission(missing, described, deps.baseUrl), principal, missing }
}

/** What the work resolves with, or undefined when it takes longer; it is not stopped, so that a cache is filled by it. */
async function atMost<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

function afterCaller(
  { raw, plan }: Matched,
  caller: Caller,
  decisions: readonly [address: LimitDecision, caller: LimitDecision],
): Verdict {
  const [address, charged] = decisions
  if (!charged.allowed) return { ...tooManyRequests(limitHeaders(charged)), principal: caller.principal }
  const method = raw.method
  const withBody = method !== 'GET' && method !== 'HEAD' && announcesBody(raw)
  const limitFields = allowedFields(charged.policies.length > 0 ? charged : address)
  return { kind: 'passed', plan, principal: caller.principal, permissions: caller.permissions, limitFields, withBody }
}

/** RFC 9110 §15.5.6: 405 names the methods that there are. */
function methodNotAllowed(allow: string): Refusal {
  const error = new ApiError(405, 'MethodNotAllowed', `Allowed here: ${allow}.`, { headers: { allow } })
  return { kind: 'refused', reason: 'method_not_allowed', error }
}
