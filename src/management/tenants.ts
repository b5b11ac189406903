// Tenants: list, create, enable and disable, and say who may consent there.

import type { FastifyInstance } from 'fastify'
import type { Tenant } from '../directory/records.js'
import { toTenant } from '../directory/rows.js'
import { changeTenant, createTenant } from '../directory/tenants.js'
import { listTenants } from '../memory/store/tenants.js'
import { takes } from './access.js'
import type { ManagementDependencies } from './dependencies.js'
import { writesOf } from './origin.js'
import { type Answer, answers, type Body, bodies } from './schemas.js'

const mostTenants = 1000

/** `GET /tenants` (the oldest thousand), `POST /tenants`, `PATCH /tenants/{id}`. */
export function tenantRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.get(
    '/tenants',
    { config: takes('Tenant.Read.All', 'local'), schema: { response: { 200: answers.tenants } } },
    async () => {
      const rows = await listTenants(deps.store.reader, mostTenants)
      return { value: rows.map(toTenant).map(tenantAnswer) }
    },
  )
  app.post<{ Body: Body<'createTenant'> }>(
    '/tenants',
    {
      config: takes('Server.ReadWrite', 'operator'),
      schema: { body: bodies.createTenant, response: { 201: answers.tenant } },
    },
    async (request, reply) => {
      const tenant = await createTenant(writesOf(deps, request), request.body)
      reply.code(201)
      return tenantAnswer(tenant)
    },
  )
  app.patch<{ Params: { id: string }; Body: Body<'changeTenant'> }>(
    '/tenants/:id',
    {
      config: takes('Tenant.ReadWrite.All', 'local'),
      schema: { body: bodies.changeTenant, response: { 200: answers.tenant } },
    },
    async (request) => tenantAnswer(await changeTenant(writesOf(deps, request), request.params.id, request.body)),
  )
}

function tenantAnswer({ tenantId, name, state, userConsent, createdAt }: Tenant): Answer<'tenant'> {
  return { tenantId, name, state, userConsent, createdAt: new Date(createdAt).toISOString() }
}
