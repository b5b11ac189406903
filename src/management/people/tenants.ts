// Tenants: list, create, enable and disable, and say who may consent there.

import type { FastifyInstance } from 'fastify'
import type { Tenant } from '../../directory/records.js'
import { DirectoryRefusal } from '../../directory/refusal.js'
import { toTenant } from '../../directory/rows.js'
import { changeTenant, createTenant } from '../../directory/tenants/tenants.js'
import { ApiError } from '../../http/answers/api-error.js'
import { listTenants, readTenant } from '../../storage/sql/registrations/tenants.js'
import { rolesWithFactor } from '../../users/credentials/factor-roles.js'
import { takenProviders } from '../../users/sessions/tenant-ways.js'
import { type Caller, callerOf, requires } from '../access/access.js'
import { writesOf } from '../access/origin.js'
import { sendTagged, unlessChanged } from '../answers/entity-tag.js'
import { type PageQuery, pageQuery } from '../answers/page.js'
import { pageByTime } from '../answers/page-of.js'
import type { ManagementDependencies } from '../dependencies.js'
import { type Answer, answers, type Body, bodies } from '../schemas.js'
import { isOperator, requireOwnTenant } from './tenant-of-path.js'

/** `GET /tenants` (the oldest first), `POST /tenants`, `GET|PATCH /tenants/{id}`. */
export function tenantRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.get<{ Querystring: PageQuery }>(
    '/tenants',
    {
      config: requires('Tenant.Read.All'),
      schema: { querystring: pageQuery, response: { 200: answers.tenants } },
    },
    async (request) => {
      const caller = callerOf(request)
      if (caller.kind === 'member' && !isOperator(caller)) {
        const own = await deps.directory.findTenant(caller.tenantId)
        return { value: own === undefined ? [] : [tenantAnswer(deps, own)] }
      }
      const { rows, more } = await pageByTime(
        deps.pagingKey,
        { path: '/tenants', list: 'tenants', query: request.query },
        ({ limit, after }) => listTenants(deps.store.reader, limit, after),
        (row) => ({ at: row.created_at, id: row.id }),
      )
      return { value: rows.map((row) => tenantAnswer(deps, toTenant(row))), ...more }
    },
  )
  app.post<{ Body: Body<'createTenant'> }>(
    '/tenants',
    {
      config: requires('Server.ReadWrite', 'operator'),
      schema: { body: bodies.createTenant, response: { 201: answers.tenant } },
    },
    async (request, reply) => {
      const tenant = await createTenant(writesOf(deps, request), request.body)
      reply.code(201)
      return tenantAnswer(deps, tenant)
    },
  )
  app.get<{ Params: { id: string } }>(
    '/tenants/:id',
    { config: requires('Tenant.Read.All'), schema: { response: { 200: answers.tenant } } },
    async (request, reply) => {
      const tenant = await deps.directory.findTenant(tenantToSee(callerOf(request), request.params.id))
      if (tenant === undefined) throw new DirectoryRefusal('TenantNotFound', 'There is no such tenant.')
      return sendTagged(request, reply, tenantAnswer(deps, tenant))
    },
  )
  app.patch<{ Params: { id: string }; Body: Body<'changeTenant'> }>(
    '/tenants/:id',
    {
      config: requires('Tenant.ReadWrite.All'),
      schema: { body: bodies.changeTenant, response: { 200: answers.tenant } },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const tenantId = tenantToSee(caller, request.params.id)
      checkSwitching(caller, request.body)
      await checkWays(deps, tenantId, request.body)
      const writes = unlessChanged(writesOf(deps, request), request, async (tx) => {
        const row = await readTenant(tx, tenantId)
        return row === undefined ? undefined : tenantAnswer(deps, toTenant(row))
      })
      return sendTagged(request, reply, tenantAnswer(deps, await changeTenant(writes, tenantId, request.body)))
    },
  )
}

/** Operators look after all tenants. */
function tenantToSee(caller: Caller, tenantId: string): string {
  return isOperator(caller) ? tenantId : requireOwnTenant(caller, tenantId)
}

/** A tenant that is switched off could not switch itself on again. */
function checkSwitching(caller: Caller, { state }: Body<'changeTenant'>): void {
  if (state === undefined || isOperator(caller)) return
  const message = 'Only an operator of this installation switches a tenant off or on.'
  throw new ApiError(403, 'OperatorRequired', message, { target: 'state' })
}

/** Every name that comes new is a provider of this server, and people who are no owners keep a way in. */
async function checkWays(
  { directory, settings }: ManagementDependencies,
  tenantId: string,
  { ownSignIn, signInProviders }: Body<'changeTenant'>,
): Promise<void> {
  if (ownSignIn === undefined && signInProviders === undefined) return
  const before = await directory.findTenant(tenantId)
  const { providers } = settings.signIn
  const unknown = (signInProviders ?? []).find(
    (name) => !providers.has(name) && before?.signInProviders?.includes(name) !== true,
  )
  const target = 'signInProviders'
  if (unknown !== undefined) {
    throw new ApiError(400, 'UnknownProvider', 'The configuration has no provider of this name.', { target })
  }
  const wanted = signInProviders === undefined ? (before?.signInProviders ?? null) : signInProviders
  const left = takenProviders({ signInProviders: wanted }, providers.values())
  if ((ownSignIn ?? before?.ownSignIn) === 'allowed' || left.length > 0) return
  throw new ApiError(400, 'NoWayToSignIn', 'This would leave only owners a way to sign in: name a provider.', {
    target,
  })
}

function tenantAnswer({ users, settings }: ManagementDependencies, { createdAt, ...tenant }: Tenant): Answer<'tenant'> {
  const { tenantId, name, state, userConsent, deviceCodes, administrators, secondFactor, ownSignIn } = tenant
  const said = { userConsent, deviceCodes, administrators, secondFactor }
  const secondFactorRoles = rolesWithFactor(users, secondFactor)
  const signInProviders = tenant.signInProviders === null ? null : [...tenant.signInProviders]
  const missingProviders = (signInProviders ?? []).filter((each) => !settings.signIn.providers.has(each))
  const ways = { ownSignIn, signInProviders, missingProviders }
  return { tenantId, name, state, ...said, secondFactorRoles, ...ways, createdAt: new Date(createdAt).toISOString() }
}
