// Tenants: list, create, enable and disable, and say who may consent there.

import type { FastifyInstance } from 'fastify'
import type { Tenant } from '../../directory/records.js'
import { DirectoryRefusal } from '../../directory/refusal.js'
import { toTenant } from '../../directory/rows.js'
import { changeTenant, createTenant, requireTenant } from '../../directory/tenants/tenants.js'
import { write } from '../../directory/writes.js'
import { ApiError } from '../../http/answers/api-error.js'
import { listTenants, readTenant } from '../../storage/sql/registrations/tenants.js'
import { rolesWithFactor } from '../../users/credentials/factor-roles.js'
import { type Caller, callerOf, requires } from '../access/access.js'
import { writesOf } from '../access/origin.js'
import { sendTagged, unlessChanged } from '../answers/entity-tag.js'
import { type PageQuery, pageQuery } from '../answers/page.js'
import { pageByTime } from '../answers/page-of.js'
import type { ManagementDependencies } from '../dependencies.js'
import { type Answer, answers, type Body, bodies } from '../schemas.js'
import { isOperator, requireOwnTenant } from './tenant-of-path.js'
import { checkWays, isOnlyForOwners } from './tenant-ways.js'

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
      const writes = unlessChanged(writesOf(deps, request), request, async (tx) => {
        const row = await readTenant(tx, tenantId)
        return row === undefined ? undefined : tenantAnswer(deps, toTenant(row))
      })
      const { body } = request
      const tenant = await write(writes, async (writing) => {
        checkWays(deps.settings.signIn.providers, await requireTenant(writing, tenantId), body)
        return changeTenant(writes, tenantId, body, writing)
      })
      return sendTagged(request, reply, tenantAnswer(deps, tenant))
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

function tenantAnswer({ users, settings }: ManagementDependencies, { createdAt, ...tenant }: Tenant): Answer<'tenant'> {
  const { tenantId, name, state, userConsent, deviceCodes, administrators, secondFactor, ownSignIn } = tenant
  const clientHosts = tenant.clientHosts === null ? null : [...tenant.clientHosts]
  const said = { userConsent, deviceCodes, administrators, secondFactor, clientHosts }
  const secondFactorRoles = rolesWithFactor(users, secondFactor)
  const signInProviders = tenant.signInProviders === null ? null : [...tenant.signInProviders]
  const missingProviders = (signInProviders ?? []).filter((each) => !settings.signIn.providers.has(each))
  const onlyOwners = isOnlyForOwners(settings.signIn.providers, tenant)
  const ways = { ownSignIn, signInProviders, missingProviders, onlyOwners }
  return { tenantId, name, state, ...said, secondFactorRoles, ...ways, createdAt: new Date(createdAt).toISOString() }
}
