// Who may call which management route. Every route names the permission of the own API that it takes; the same decision
// as at the gate says whether the caller has it, whichever transport they came through: a token by what it holds, a
// person by what it holds and what their role in the tenant allows at this moment. What belongs to whom is checked
// afterwards, in ownership.ts. A route that names nothing does not register. What counts of the caller is authority.ts,
// what a refusal says refusals.ts.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type CompiledRequirement, compileRequirement, decide } from '../../access/decide.js'
import type { Principal, SessionPrincipal, TokenPrincipal } from '../../access/principal.js'
import type { CountedRoute } from '../../access/token-uses.js'
import type { Role } from '../../config/settings/settings.js'
import { ApiError } from '../../http/answers/api-error.js'
import { requestContext } from '../../http/requests/request-context.js'
import type { Actor, Origin } from '../../ledger/ledger.js'
import { isAtLeast } from '../../users/memberships/roles.js'
import type { ManagementDependencies, Presented } from '../dependencies.js'
import { type Asking, askRecentSignIn } from '../recent-sign-in/check.js'
import { checkDemandedFactor } from '../recent-sign-in/demanded-factor.js'
import { actingRole, comesAsOperator, effective, findAuthority } from './authority.js'
import { noteRefusal, operatorRequired, refusalOf } from './refusals.js'
import { requireStillGood } from './still-good.js'

/** What a route takes. */
export interface RouteAccess {
  /** Id of a permission of the own API; for a person their role must allow it too. */
  permission: string
  /** It is about the whole installation: for the local socket, and for people who are its operators. */
  operator?: true
  /** Not even for them: only for callers that may open the local socket. */
  local?: true
  /** An application as itself may come without the permission; the route shows it nothing but what is its own. */
  self?: true
  /**
   * A caller with a token may come without the permission; the route shows them nothing but what counts for this
   * token.
   */
  caller?: true
}

/** Who calls, as far as a management route needs to know. */
export type Caller =
  /** The local socket: everything, in every tenant. */
  | { kind: 'local'; origin: Origin }
  /** Somebody with a place: an application, a person through one, or a person at the portal. */
  | {
      kind: 'member'
      origin: Origin
      principal: TokenPrincipal | SessionPrincipal
      tenantId: string
      /** Undefined for an application as itself, which has no role. */
      person: { userId: string; role: Role; isOperator: boolean } | undefined
    }

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: RouteAccess
  }
  interface FastifyRequest {
    /** Set by the management room before any handler runs. */
    managementCaller: Caller | null
  }
}

/** For a route's `config`: the permission, and what else is required of the caller. */
export function requires(permission: string, only?: 'operator' | 'local' | 'self' | 'caller'): { access: RouteAccess } {
  return { access: { permission, ...(only === undefined ? {} : { [only]: true }) } }
}

/**
 * Makes every route of this scope ask first. Call it before routes are added. Throws Error for one without
 * `config.access`.
 */
export function guardRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  const { catalogue } = deps.settings
  const requirements = new Map<string, CompiledRequirement>()
  const counted = new Map<RouteAccess, CountedRoute>()
  app.decorateRequest('managementCaller', null)
  app.addHook('onRoute', ({ method, url, config }) => {
    const access = config?.access
    if (access === undefined) throw new Error(`the route ${String(method)} ${url} does not say who may call it`)
    const requirement = compileRequirement(catalogue, catalogue.own.id, { anyOf: [[access.permission]] })
    requirements.set(access.permission, requirement)
    counted.set(access, counted.get(access) ?? { id: `management ${url}` })
  })
  askRecentSignIn(app, deps, askingOf)
  app.addHook('onRequest', async (request, reply) => {
    const { access } = request.routeOptions.config
    const requirement = access === undefined ? undefined : requirements.get(access.permission)
    const route = access === undefined ? undefined : counted.get(access)
    if (access === undefined || requirement === undefined || route === undefined) throw notOpen()
    const presented = await deps.principalOf(request, reply)
    if (presented === undefined) throw notOpen()
    request.managementCaller = await admit(deps, request, { presented, access, requirement, route })
  })
  // Behind the body, which its sender may have held back.
  app.addHook('preHandler', async (request) => {
    const caller = callerOf(request)
    if (caller.kind === 'member') requireStillGood(deps, caller.principal)
  })
}

/** The caller of a request that guardRoutes let in. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.managementCaller === null) throw new Error('a management route ran without its guard')
  return request.managementCaller
}

function askingOf(request: FastifyRequest): Asking {
  const caller = callerOf(request)
  if (caller.kind === 'local') return { principal: caller, administers: false }
  const { principal, person } = caller
  const administers = person !== undefined && (person.isOperator || isAtLeast(person.role, 'administrator'))
  return { principal, administers }
}

interface CallFacts {
  presented: Presented
  access: RouteAccess
  requirement: CompiledRequirement
  route: CountedRoute
}

async function admit(deps: ManagementDependencies, request: FastifyRequest, facts: CallFacts): Promise<Caller> {
  const { presented, access, requirement, route } = facts
  const { requestId, address } = deps.requestOrigin?.(request) ?? requestContext(request)
  // The socket is a file: nobody has an address there.
  if (presented.kind === 'local') return { kind: 'local', origin: { actor: { kind: 'operator' }, requestId } }
  if (access.local === true) throw notOpen()
  const found = presented.kind === 'application' ? undefined : await findAuthority(deps, presented)
  if (presented.kind !== 'application') await checkDemandedFactor(deps, request, presented)
  const { catalogue } = deps.settings
  const principal = effective(catalogue, presented, found)
  const person = found && {
    userId: found.userId,
    role: await actingRole(deps, presented, { role: found.role, permission: access.permission }),
    isOperator: found.isOperator && comesAsOperator(catalogue, principal, request),
  }
  const decision = decide(principal, requirement)
  if (!decision.allowed && !isForItself(access, presented, requirement)) {
    if (presented.kind !== 'session') {
      deps.usage.refused(presented, route.id, 403)
      noteRefusal(deps, request, { presented, route, missing: decision.missing })
    }
    throw await refusalOf(deps, presented, decision.missing)
  }
  if (access.operator === true && person?.isOperator !== true) throw operatorRequired()
  if (presented.kind !== 'session') {
    const opening = decision.allowed ? decision.permissions : []
    requestContext(request).entry.call = deps.usage.allowed(presented, route, opening)
  }
  const origin = { actor: actorOf(principal), requestId, address }
  return { kind: 'member', origin, principal, tenantId: principal.tenantId, person }
}

function isForItself(
  access: RouteAccess,
  presented: CallFacts['presented'],
  { resource }: CompiledRequirement,
): boolean {
  if (presented.kind === 'local' || presented.kind === 'session' || presented.resource !== resource) return false
  return access.caller === true || (access.self === true && presented.kind === 'application')
}

function actorOf(principal: Exclude<Principal, { kind: 'local' }>): Actor {
  if (principal.kind === 'application') return { kind: 'application', applicationId: principal.applicationId }
  return { kind: 'user', userId: principal.userId }
}

function notOpen(): ApiError {
  return new ApiError(403, 'Forbidden', 'Management is not open to this caller.')
}
