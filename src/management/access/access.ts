// Who may call which management route. Every route names the permission of the own API that it takes; the same decision
// as at the gate says whether the caller has it, whichever transport they came through: a token by what it holds, a
// person by what it holds and what their role in the tenant allows at this moment. What belongs to whom is asked
// afterwards, in ownership.ts. A route that names nothing does not register.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type CompiledRequirement, compileRequirement, decide } from '../../access/decide.js'
import { describeMissing } from '../../access/missing-permission.js'
import type { Principal, SessionPrincipal, TokenPrincipal } from '../../access/principal.js'
import type { CountedRoute } from '../../access/token-uses.js'
import { isServerPermission } from '../../config/routes/management-permissions.js'
import type { Catalogue, Role } from '../../config/settings/settings.js'
import { listConsents } from '../../directory/consents/consents.js'
import type { PermissionRef } from '../../directory/records.js'
import { missingPermission } from '../../gateway/bearer-errors.js'
import { ApiError } from '../../http/answers/api-error.js'
import { requestContext } from '../../http/requests/request-context.js'
import type { Actor, Origin } from '../../ledger/ledger.js'
import { commandLineClient } from '../../oauth/command-line-client.js'
import { findUser } from '../../users/accounts/users.js'
import { findMembership } from '../../users/memberships/memberships.js'
import { isAtLeast, type PersonAuthority, permissionsFor } from '../../users/memberships/roles.js'
import { roleThrough } from '../acting/role-through.js'
import type { ManagementDependencies } from '../dependencies.js'
import { type Asking, askRecentSignIn } from '../recent-sign-in/check.js'

/** What a route takes. */
export interface RouteAccess {
  /** Id of a permission of the own API; for a person their role must allow it too. */
  permission: string
  /** It is about the whole installation: for the local socket, and for people who are its operators. */
  operator?: true
  /** Not even for them: only for whoever may open the local socket. */
  local?: true
  /** An application as itself may come without the permission; the route shows it nothing but what is its own. */
  self?: true
  /**
   * Whoever has a token may come without the permission; the route shows them nothing but what counts for this token.
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

/** For a route's `config`: the permission, and who besides has to be asked for. */
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
  presented: NonNullable<Awaited<ReturnType<ManagementDependencies['principalOf']>>>
  access: RouteAccess
  requirement: CompiledRequirement
  route: CountedRoute
}

async function admit(deps: ManagementDependencies, request: FastifyRequest, asked: CallFacts): Promise<Caller> {
  const { presented, access, requirement, route } = asked
  const { requestId, address } = deps.requestOrigin?.(request) ?? requestContext(request)
  // The socket is a file: nobody has an address there.
  if (presented.kind === 'local') return { kind: 'local', origin: { actor: { kind: 'operator' }, requestId } }
  if (access.local === true) throw notOpen()
  const found = presented.kind === 'application' ? undefined : await findAuthority(deps, presented)
  const { catalogue } = deps.settings
  const principal = effective(catalogue, presented, found)
  const person = found && {
    userId: found.userId,
    role: await actingRole(deps, presented, { role: found.role, access }),
    isOperator: found.isOperator && comesAsOperator(catalogue, principal, request),
  }
  const decision = decide(principal, requirement)
  if (!decision.allowed && !isForItself(access, presented, requirement)) {
    if (presented.kind !== 'session') {
      deps.usage.refused(presented, route.id, 403)
      noteRefusal(deps, request, { presented, route, missing: decision.missing })
    }
    throw await refusal(deps, presented, decision.missing)
  }
  if (access.operator === true && person?.isOperator !== true) throw operatorRequired()
  if (presented.kind !== 'session') {
    const opening = decision.allowed ? decision.permissions : []
    requestContext(request).entry.call = deps.usage.allowed(presented, route, opening)
  }
  const origin = { actor: actorOf(principal), requestId, address }
  return { kind: 'member', origin, principal, tenantId: principal.tenantId, person }
}

/** As the gate does, for the owners of the application. */
function noteRefusal(
  { decisions }: ManagementDependencies,
  request: FastifyRequest,
  { presented, route, missing }: { presented: TokenPrincipal; route: CountedRoute; missing: PermissionRef },
): void {
  const { applicationId, tenantId } = presented
  const { requestId } = requestContext(request)
  requestContext(request).entry.reason = 'insufficient_scope'
  decisions.note({
    what: 'call',
    outcome: 'refused',
    isProved: true,
    applicationId,
    tenantId,
    requestId,
    userId: presented.kind === 'delegated' ? presented.userId : undefined,
    permissions: [missing.id],
    reason: 'insufficient_scope',
    status: 403,
    route: route.id,
    method: request.method,
  })
}

/**
 * Whether what they come with was given for the server. An application that was given something of a tenant, by an
 * administrator there, does not look after the installation because an operator uses it.
 */
function comesAsOperator(
  catalogue: Catalogue,
  principal: TokenPrincipal | SessionPrincipal,
  { method }: FastifyRequest,
) {
  const least = method === 'GET' || method === 'HEAD' ? 'Server.Read' : 'Server.ReadWrite'
  return catalogue.satisfying('delegated', catalogue.own.id, least).some((id) => principal.permissions.has(id))
}

/**
 * The role in which they act: their own by their own hand, the portal and the command line; else what roleThrough says.
 */
async function actingRole(
  { store, settings: { catalogue } }: ManagementDependencies,
  presented: Exclude<CallFacts['presented'], { kind: 'local' }>,
  { role, access: { permission } }: { role: Role; access: RouteAccess },
): Promise<Role> {
  if (presented.kind === 'session' || presented.applicationId === commandLineClient.applicationId) return role
  const { applicationId, tenantId } = presented
  return roleThrough({ statements: store.reader, catalogue }, { applicationId, tenantId, role, permission })
}

function isForItself(
  access: RouteAccess,
  presented: CallFacts['presented'],
  { resource }: CompiledRequirement,
): boolean {
  if (presented.kind === 'local' || presented.kind === 'session' || presented.resource !== resource) return false
  return access.caller === true || (access.self === true && presented.kind === 'application')
}

/** What the person is at this moment; a session or a token may be older than what was decided about them. */
async function findAuthority(
  { store }: ManagementDependencies,
  { userId, tenantId }: { userId: string; tenantId: string },
) {
  const [user, membership] = await Promise.all([
    findUser(store.reader, userId),
    findMembership(store.reader, userId, tenantId),
  ])
  if (user?.state !== 'enabled' || membership === undefined) {
    throw new ApiError(403, 'NotAMember', 'You do not belong to this tenant.')
  }
  return { userId, role: membership.role, isOperator: user.isOperator }
}

/** With the permissions that count now: of a token those that the person's role allows, of a session all of these. */
function effective(
  catalogue: Catalogue,
  presented: Exclude<CallFacts['presented'], { kind: 'local' }>,
  person: PersonAuthority | undefined,
): TokenPrincipal | SessionPrincipal {
  if (presented.kind === 'application' || person === undefined) return presented as TokenPrincipal
  const resource = catalogue.own.id
  const held =
    presented.kind === 'session'
      ? catalogue.permissions.filter((one) => one.resource === resource).map(({ id }) => id)
      : [...presented.permissions]
  const permissions = new Set(permissionsFor(person, catalogue, resource, held))
  return { ...presented, resource: presented.kind === 'session' ? resource : presented.resource, permissions }
}

async function refusal(
  deps: ManagementDependencies,
  presented: Exclude<CallFacts['presented'], { kind: 'local' }>,
  missing: PermissionRef,
): Promise<ApiError> {
  const { catalogue, server } = deps.settings
  const covering = catalogue.satisfying('delegated', missing.resource, missing.id)
  const holds = presented.kind !== 'session' && covering.some((id) => presented.permissions.has(id))
  if (presented.kind === 'session' || (presented.kind === 'delegated' && holds)) {
    if (isServerPermission(catalogue, missing)) return operatorRequired()
    const role = catalogue.find('delegated', missing.resource, missing.id)?.role ?? 'owner'
    const message = `This needs the role ${role} in the tenant, or a higher one.`
    return new ApiError(403, 'RoleRequired', message, { target: missing.id, more: { role } })
  }
  const consentsOf = (about: Parameters<typeof listConsents>[1]) => listConsents(deps.store.reader, about)
  const asking = { directory: deps.directory, consentsOf, baseUrl: server.baseUrl }
  const described = await describeMissing(asking, presented, missing).catch(() => undefined)
  return missingPermission(missing, described, server.baseUrl).error
}

function actorOf(principal: Exclude<Principal, { kind: 'local' }>): Actor {
  if (principal.kind === 'application') return { kind: 'application', applicationId: principal.applicationId }
  return { kind: 'user', userId: principal.userId }
}

function operatorRequired(): ApiError {
  return new ApiError(403, 'OperatorRequired', 'This is for the operators of this installation.')
}

function notOpen(): ApiError {
  return new ApiError(403, 'Forbidden', 'Management is not open to this caller.')
}
