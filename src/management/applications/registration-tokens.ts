// Initial access tokens (RFC 7591 §1.2, decision 0060): who gives others leave to register applications in a tenant is
// one of its administrators, or an application that may register itself.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type RegistrationToken, toRegistrationToken } from '../../directory/applications/registration-token-use.js'
import { createRegistrationToken, revokeRegistrationToken } from '../../directory/applications/registration-tokens.js'
import { DirectoryRefusal } from '../../directory/refusal.js'
import { ApiError } from '../../http/answers/api-error.js'
import { endpointPaths } from '../../identity/metadata/metadata.js'
import { parseGuid } from '../../oauth/secrets/guid.js'
import { readRegistrationTokens } from '../../storage/sql/registrations/registration-tokens.js'
import { listTenants } from '../../storage/sql/registrations/tenants.js'
import { isAdministrator } from '../../users/memberships/roles.js'
import { type Caller, callerOf, requires } from '../access/access.js'
import { writesOf } from '../access/origin.js'
import { ownTenantId } from '../access/ownership.js'
import type { ManagementDependencies } from '../dependencies.js'
import { permissionRefs } from '../permissions/permission-input.js'
import { checkMayList } from './ceiling.js'
import { type ClientAnswer, type ClientBody, clientAnswers, clientBodies, clientQueries } from './client-schemas.js'

const hourMs = 3_600_000
const defaultHours = 24

/** `GET|POST /registrationTokens`, `DELETE /registrationTokens/{id}`. */
export function registrationTokenRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  const config = requires('Application.ReadWrite.All')
  app.get<{ Querystring: { tenantId?: string } }>(
    '/registrationTokens',
    {
      config,
      schema: { querystring: clientQueries.registrationTokens, response: { 200: clientAnswers.registrationTokens } },
    },
    async (request) => {
      const tenantId = ownTenantId(administrator(request), request.query.tenantId)
      const rows = await readRegistrationTokens(deps.store.reader, { tenantId })
      return { value: rows.map(toRegistrationToken).map(answerOf) }
    },
  )
  app.post<{ Body: ClientBody<'createRegistrationToken'> }>(
    '/registrationTokens',
    {
      config,
      schema: { body: clientBodies.createRegistrationToken, response: { 201: clientAnswers.createdRegistrationToken } },
    },
    async (request, reply) => {
      const { label, expiresInHours = defaultHours, uses = 1, permissions = [] } = request.body
      const { settings, store } = deps
      checkStandard(deps)
      const ceiling = permissionRefs(settings.catalogue, permissions)
      checkMayList(settings.catalogue, callerOf(request), ceiling)
      const { token, secret } = await createRegistrationToken(writesOf(deps, request), {
        tenantId: ownTenantId(administrator(request), request.body.tenantId) ?? (await firstTenant(store)),
        label,
        uses,
        lifetimeMs: expiresInHours * hourMs,
        permissions: ceiling,
      })
      reply.code(201)
      const registrationEndpoint = settings.server.baseUrl + endpointPaths.register
      return { ...answerOf(token), token: secret, registrationEndpoint }
    },
  )
  app.delete<{ Params: { id: string } }>('/registrationTokens/:id', { config }, async (request, reply) => {
    const caller = administrator(request)
    const tenantId = caller.kind === 'local' ? undefined : caller.tenantId
    await revokeRegistrationToken(writesOf(deps, request), { id: parseGuid(request.params.id) ?? '', tenantId })
    return reply.code(204).send()
  })
}

/** The caller, who is no mere developer. Throws ApiError 403. */
export function administrator(request: FastifyRequest): Caller {
  const caller = callerOf(request)
  if (caller.kind === 'local' || caller.person === undefined || isAdministrator(caller.person.role)) return caller
  const message = 'This needs the role administrator in the tenant, or a higher one.'
  throw new ApiError(403, 'RoleRequired', message, { more: { role: 'administrator' } })
}

/** A token for an entry point that is not there would only be a secret that lies about. Throws ApiError. */
function checkStandard({ settings }: ManagementDependencies): void {
  if (settings.registration.standard) return
  throw new ApiError(409, 'RegistrationOff', 'This server does not take registrations by standard.')
}

async function firstTenant(store: ManagementDependencies['store']): Promise<string> {
  const [first] = await listTenants(store.reader, 1)
  if (first === undefined)
    throw new DirectoryRefusal('TenantNotFound', 'There is no tenant yet: create one.', 'tenantId')
  return first.id
}

function answerOf(token: RegistrationToken): ClientAnswer<'registrationTokens'>['value'][number] {
  const { permissions, createdAt, expiresAt, ...rest } = token
  return {
    ...rest,
    permissions: [...permissions],
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
  }
}
