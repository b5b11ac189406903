// Who calls, and whether they may: the middle of the gate's decision (admit.ts). Synchronous when the token is known.

import type { Authenticator } from '../access/authenticate.js'
import { type CompiledRequirement, decide } from '../access/decide.js'
import { type ExternalTokens, KeysUnavailable } from '../access/external-tokens.js'
import {
  describeMissing,
  type MissingPermission,
  type MissingPermissionDependencies,
} from '../access/missing-permission.js'
import type { TokenPrincipal } from '../access/principal.js'
import { ForgedTooOften, RefusedToken } from '../access/refused-token.js'
import type { PermissionRef } from '../directory/records.js'
import type { RequestContext } from '../http/requests/request-context.js'
import { BearerError } from '../oauth/errors/errors.js'
import type { RevocationView } from '../revocation/view.js'
import { bearerRefusal, forgedTooOften, missingPermissions } from './bearer-errors.js'
import { type Refusal, refusal } from './errors.js'
import type { RoutePlan } from './routes/snapshot.js'

/** The caller of an admitted request. */
export interface Caller {
  /** Undefined on public routes, and on routes that only watch when no token came. */
  principal: TokenPrincipal | undefined
  /** The ids that opened the route. */
  permissions: readonly string[]
  /** Why a route that only watches would have refused. */
  wouldDeny?: string
}

/** A request that has found its route. */
export interface Call {
  raw: { rawHeaders: readonly string[]; socket: object }
  facts: RequestContext
  plan: RoutePlan
}

export interface CallerDeps extends MissingPermissionDependencies {
  authenticator: Authenticator
  /** For routes that take tokens of issuers outside; without it they take ours only. */
  externalTokens?: Pick<ExternalTokens, 'authenticate'> | undefined
  view: Pick<RevocationView, 'isStale'>
  counts: DecisionCounts
}

/** What is counted while it is decided; a decision that is only explained counts nothing. */
export interface DecisionCounts {
  denied(routeId: string, reason: string): void
  /** Passed on a stale view, because the route says so. */
  passedStale(routeId: string): void
  /** Passed by a route that only watches. */
  wouldDeny(routeId: string, reason: string): void
}

/** A cached answer takes none of it; one from the Store a few milliseconds. */
const describeMs = 250

const nobody: Caller = { principal: undefined, permissions: [] }

/** The verified caller and what opened the route to it, or why not. Throws only what is a bug. */
export function findCaller(deps: CallerDeps, call: Call): Caller | Refusal | Promise<Caller | Refusal> {
  const { plan } = call
  const { requirement } = plan
  if (requirement === 'public') return nobody
  // A request without a token needs no view of revocations; one with a token is judged by it, on a route that watches
  // too.
  if (plan.shadow && isWithoutToken(tryToken(deps, call))) return watched(deps, call, nobody, 'no_token')
  if (deps.view.isStale()) {
    if (plan.onStale === 'refuse') return refusal('view_stale')
    deps.counts.passedStale(plan.id)
  }
  const principal = plan.route.issuers === undefined ? authenticate(deps, call) : fromAnywhere(deps, call)
  if (principal instanceof Promise) return principal.then((late) => permitted(deps, call, requirement, late))
  return permitted(deps, call, requirement, principal)
}

/** On a route that names issuers: the subject of a token that one of them issued. */
function fromAnywhere(deps: CallerDeps, call: Call): TokenPrincipal | Refusal | Promise<TokenPrincipal | Refusal> {
  const { raw, facts, plan } = call
  const { issuers = [] } = plan.route
  const refuse = (error: unknown): Refusal => {
    if (error instanceof BearerError) return denied(deps, plan, error)
    if (error instanceof KeysUnavailable) return refusal('issuer_unavailable', error)
    throw error
  }
  try {
    const query = facts.target.ok ? facts.target.query : undefined
    const credentials = {
      rawHeaders: raw.rawHeaders,
      query,
      issuers,
      resource: plan.resource,
      connection: raw.socket,
      address: facts.address,
    }
    const found = deps.externalTokens === undefined ? onlyOwn(issuers) : deps.externalTokens.authenticate(credentials)
    if (found === 'own') return authenticate(deps, call)
    return found instanceof Promise ? found.catch(refuse) : found
  } catch (error) {
    return refuse(error)
  }
}

/** Who only asks how one of our tokens would fare. */
function onlyOwn(issuers: readonly string[]): 'own' {
  if (issuers.includes('own')) return 'own'
  throw new BearerError('invalid_token', 'wrong_issuer', 'The access token is not valid.')
}

/**
 * Another instance may know better than this one, so some refusals wait for a look at the Store
 * (access/revalidation.ts).
 */
function authenticate(deps: CallerDeps, call: Call): TokenPrincipal | Refusal | Promise<TokenPrincipal | Refusal> {
  const first = tryToken(deps, call)
  if (!(first instanceof BearerError)) return first
  const look = deps.authenticator.revalidate(first)
  if (look === undefined) return denied(deps, call.plan, first)
  return look.then(
    (isWorthIt) => {
      const again = isWorthIt ? tryToken(deps, call) : first
      return again instanceof BearerError ? denied(deps, call.plan, again) : again
    },
    (cause: unknown) => refusal('view_stale', cause),
  )
}

function tryToken(deps: CallerDeps, call: Call): TokenPrincipal | BearerError {
  const { raw, facts, plan } = call
  try {
    const query = facts.target.ok ? facts.target.query : undefined
    return deps.authenticator.authenticate(raw.rawHeaders, query, plan.resource, call)
  } catch (error) {
    if (error instanceof BearerError) return error
    throw error
  }
}

function isWithoutToken(tried: TokenPrincipal | BearerError): boolean {
  return tried instanceof BearerError && tried.code === 'no_token'
}

function denied(deps: CallerDeps, plan: RoutePlan, error: BearerError): Refusal {
  deps.counts.denied(plan.id, error.reason)
  if (error instanceof ForgedTooOften) return forgedTooOften(error.retryAfterSeconds)
  const refused = bearerRefusal(error, plan.resource, deps.baseUrl, plan.challengeScope)
  return error instanceof RefusedToken ? { ...refused, principal: error.principal } : refused
}

function permitted(
  deps: CallerDeps,
  call: Call,
  requirement: CompiledRequirement,
  principal: TokenPrincipal | Refusal,
): Caller | Refusal | Promise<Refusal> {
  if (principal.kind === 'refused') return principal
  const { facts, plan } = call
  facts.entry.applicationId = principal.applicationId
  if (principal.kind === 'delegated') facts.entry.userId = principal.userId
  const decision = decide(principal, requirement)
  if (decision.allowed) return conditioned(deps, call, { principal, permissions: decision.permissions })
  if (plan.shadow) return watched(deps, call, { principal, permissions: [] }, 'insufficient_scope')
  deps.counts.denied(plan.id, 'insufficient_scope')
  return describe(deps, principal, decision.missing)
}

/** Who has the permission may still be in the wrong place; that another tenant has something there is not told. */
function conditioned(deps: CallerDeps, call: Call, caller: Caller & { principal: TokenPrincipal }): Caller | Refusal {
  const { facts, plan } = call
  if (plan.condition === undefined || !facts.target.ok) return caller
  const unmet = plan.condition(caller.principal, facts.target.path)
  if (unmet === undefined) return caller
  if (plan.shadow) return watched(deps, call, caller, unmet)
  deps.counts.denied(plan.id, unmet)
  return { ...refusal(unmet), principal: caller.principal }
}

/** A route that only watches lets pass what it would have refused, and says so in log and metric. */
function watched({ counts }: CallerDeps, { facts, plan }: Call, caller: Caller, wouldDeny: string): Caller {
  counts.wouldDeny(plan.id, wouldDeny)
  facts.entry.reason = `would_deny_${wouldDeny}`
  return { ...caller, wouldDeny }
}

async function describe(deps: CallerDeps, principal: TokenPrincipal, missing: PermissionRef): Promise<Refusal> {
  const described = await describedInTime(deps, principal, missing)
  return { ...missingPermissions([missing], { described, baseUrl: deps.baseUrl }), principal, missing }
}

/**
 * How far a permission got on its way into a token; undefined where that is not ours to say. A refusal must depend
 * neither on the Store's health nor on its speed: without the directory it only says less.
 */
export async function describedInTime(
  deps: MissingPermissionDependencies,
  principal: TokenPrincipal,
  missing: PermissionRef,
): Promise<MissingPermission | undefined> {
  // What another issuer gives is not fixed here.
  if (principal.issuer !== undefined) return undefined
  return atMost(describeMs, describeMissing(deps, principal, missing)).catch(() => undefined)
}

/**
 * What the work resolves with, or undefined when it takes longer; it is not stopped, so that a cache is filled by it.
 */
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
