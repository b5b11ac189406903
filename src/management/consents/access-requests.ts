// Requesting access for an application: permissions are added to it and the consent of administrators is requested,
// in one step; what became of such requests, for those who look after the application; and taking one's own back.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { type RequestedAccess, requestAccess } from '../../directory/consents/access-requests.js'
import { listRequests } from '../../directory/consents/consent-requests.js'
import { withdrawRequest } from '../../directory/consents/request-withdrawal.js'
import { ApiError } from '../../http/answers/api-error.js'
import { isAdministrator } from '../../users/memberships/roles.js'
import { type Caller, callerOf, requires } from '../access/access.js'
import { writesOf } from '../access/origin.js'
import { ownApplicationId } from '../access/ownership.js'
import { checkMayConfigure } from '../applications/ceiling.js'
import { checkMayChange } from '../applications/change-request.js'
import type { ManagementDependencies } from '../dependencies.js'
import { permissionRefs } from '../permissions/permission-input.js'

const permission = Type.Object({
  kind: Type.Enum(['application', 'delegated']),
  resource: Type.String(),
  id: Type.String(),
})
const permissions = Type.Array(permission)
const time = Type.String()

const reference = Type.String({ minLength: 1, maxLength: 256 })
const input = Type.Object(
  { kind: permission.properties.kind, resource: Type.Optional(reference), id: reference },
  { additionalProperties: false },
)

/** The body of `POST /applications/{id}/consentRequests`. Without a resource: of our own API. */
const body = Type.Object(
  {
    permissions: Type.Array(input, { minItems: 1, maxItems: 200 }),
    reason: Type.Optional(Type.String({ maxLength: 500 })),
  },
  { additionalProperties: false },
)
export type AccessRequestBody = Static<typeof body>

const request = Type.Object({
  requestId: Type.String(),
  permissions,
  state: Type.Enum(['pending', 'approved', 'declined']),
  createdAt: time,
  decidedAt: Type.Union([time, Type.Null()]),
  /** Of the caller's own. */
  mine: Type.Boolean(),
  /** Null for requests of others, but to administrators. */
  requestedBy: Type.Union([Type.String(), Type.Null()]),
  reason: Type.Union([Type.String(), Type.Null()]),
})
const requests = Type.Object({ value: Type.Array(request) })
const requested = Type.Object({
  /** What the application did not have listed before. */
  added: permissions,
  /** What people allow for themselves: nothing waits for it. */
  withoutAdministrator: permissions,
  /** What administrators granted before. */
  granted: permissions,
  /** What administrators see now; null: nothing waits for them. */
  request: Type.Union([request, Type.Null()]),
})
export type ApplicationRequests = Static<typeof requests>
export type RequestedAccessAnswer = Static<typeof requested>

interface ById {
  Params: { id: string }
}

/** `GET|POST /applications/{id}/consentRequests`, `DELETE /applications/{id}/consentRequests/{requestId}`. */
export function accessRequestRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.get<ById>(
    '/applications/:id/consentRequests',
    { config: requires('Application.Read.All'), schema: { response: { 200: requests } } },
    async (request) => {
      const caller = callerOf(request)
      const applicationId = await ownApplicationId(deps.store, caller, request.params.id)
      const filter = { applicationId, ...(caller.kind === 'local' ? {} : { tenantIds: [caller.tenantId] }) }
      return { value: (await listRequests(deps.store.reader, filter)).map((one) => answer(one, caller)) }
    },
  )
  app.post<ById & { Body: AccessRequestBody }>(
    '/applications/:id/consentRequests',
    {
      config: requires('Application.ReadWrite.All'),
      schema: { body, response: { 200: requested, 201: requested } },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const applicationId = await ownApplicationId(deps.store, caller, request.params.id)
      const { request: filed, ...rest } = await file(deps, request, applicationId)
      reply.code(filed === undefined ? 200 : 201)
      const lists = { added: [...rest.added], granted: [...rest.granted] }
      const withoutAdministrator = [...rest.withoutAdministrator]
      return { ...lists, withoutAdministrator, request: filed === undefined ? null : answer(filed, caller) }
    },
  )
  app.delete<{ Params: { id: string; requestId: string } }>(
    '/applications/:id/consentRequests/:requestId',
    { config: requires('Application.ReadWrite.All') },
    async (request, reply) => {
      const caller = callerOf(request)
      const applicationId = await ownApplicationId(deps.store, caller, request.params.id)
      if (caller.kind === 'local' || caller.person === undefined) {
        const message = 'Only the person who requested it takes it back. Administrators decline it instead.'
        throw new ApiError(403, 'PersonRequired', message)
      }
      const asker = { applicationId, tenantId: caller.tenantId, by: caller.person.userId }
      await withdrawRequest(writesOf(deps, request), request.params.requestId, asker)
      return reply.code(204).send()
    },
  )
}

/** Adding is decided as in `PUT …/permissions`, in the transaction that adds. */
async function file(
  deps: ManagementDependencies,
  request: FastifyRequest<ById & { Body: AccessRequestBody }>,
  applicationId: string,
): Promise<RequestedAccess> {
  const caller = callerOf(request)
  const { catalogue } = deps.settings
  const { permissions: wanted, reason = '' } = request.body
  const requestedBy = personOf(caller)
  const params = { applicationId, requestedBy, permissions: permissionRefs(catalogue, wanted), reason }
  return requestAccess(writesOf(deps, request), params, async (tx, listed) => {
    const change = { tx, catalogue, caller, applicationId }
    await checkMayChange(change)
    await checkMayConfigure(change, listed)
  })
}

/** Administrators decide about requests of people, whom they know. Throws ApiError 403. */
function personOf(caller: Caller): string {
  if (caller.kind === 'member' && caller.person !== undefined) return caller.person.userId
  const message =
    'Only a person requests consent from administrators. The operator at the local socket grants it instead.'
  throw new ApiError(403, 'PersonRequired', message)
}

function answer(one: Awaited<ReturnType<typeof listRequests>>[number], caller: Caller): Static<typeof request> {
  const { requestId, permissions: list, state, createdAt, decidedAt, requestedBy, reason } = one
  const mine = caller.kind === 'member' && caller.person?.userId === requestedBy
  const isShown =
    mine || caller.kind === 'local' || (caller.person !== undefined && isAdministrator(caller.person.role))
  return {
    requestId,
    permissions: [...list],
    state,
    createdAt: new Date(createdAt).toISOString(),
    decidedAt: decidedAt === null ? null : new Date(decidedAt).toISOString(),
    mine,
    requestedBy: isShown ? requestedBy : null,
    reason: isShown ? reason : null,
  }
}
