// The APIs of a tenant: list, define, change, delete.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { type Api, findApi, listApis } from '../../directory/permissions/api-records.js'
import { changeApi, createApi, deleteApi } from '../../directory/permissions/apis.js'
import { DirectoryRefusal } from '../../directory/refusal.js'
import type { DirectoryWrites } from '../../directory/writes.js'
import { ApiError } from '../../http/answers/api-error.js'
import { languages } from '../../languages/language.js'
import { isAdministrator, isAtLeast } from '../../users/memberships/roles.js'
import { type Caller, callerOf, requires } from '../access/access.js'
import { writesOf } from '../access/origin.js'
import { owns, ownTenantId } from '../access/ownership.js'
import { sendTagged, unlessChanged } from '../answers/entity-tag.js'
import type { ManagementDependencies } from '../dependencies.js'

const strict = { additionalProperties: false }
const text = Type.String({ maxLength: 512 })
const reference = Type.String({ minLength: 1, maxLength: 256 })
/** By language: what the reader sees in place of `describe`. Others are refused by name, with the nearest. */
const descriptionsInput = Type.Object(Object.fromEntries(languages.map((each) => [each, Type.Optional(text)])), {
  additionalProperties: text,
  maxProperties: 16,
})
const descriptions = Type.Object(Object.fromEntries(languages.map((each) => [each, Type.Optional(Type.String())])))
const kinds = Type.Array(Type.Enum(['application', 'delegated']), { minItems: 1, maxItems: 2, uniqueItems: true })
const role = Type.Enum(['owner', 'administrator', 'developer', 'member'])
const permissionInput = Type.Object(
  {
    id: text,
    /** In the language of the server, unless it says otherwise. */
    describe: text,
    descriptions: Type.Optional(descriptionsInput),
    kinds,
    /** Whether a delegated grant needs an administrator; those that end in `.All` always do. */
    adminConsent: Type.Optional(Type.Boolean()),
    role: Type.Optional(role),
  },
  strict,
)
const permissions = Type.Array(permissionInput, { maxItems: 200 })
const query = Type.Object({ tenantId: Type.Optional(reference) }, strict)
const create = Type.Object({ shortName: text, name: text, permissions, tenantId: Type.Optional(reference) }, strict)
const change = Type.Object(
  { name: Type.Optional(text), permissions: Type.Optional(permissions) },
  { ...strict, minProperties: 1 },
)
const api = Type.Object({
  apiId: Type.String(),
  identifier: Type.String(),
  tenantId: Type.String(),
  name: Type.String(),
  permissions: Type.Array(
    Type.Object({
      id: Type.String(),
      describe: Type.String(),
      descriptions,
      kinds,
      adminConsent: Type.Boolean(),
      role,
    }),
  ),
  createdAt: Type.String(),
  updatedAt: Type.String(),
})
const apis = Type.Object({ value: Type.Array(api) })
export type ApiAnswer = Static<typeof api>
export type ApisAnswer = Static<typeof apis>

interface ById {
  Params: { id: string }
}

/** `GET|POST /apis`, `GET|PATCH|DELETE /apis/{id}`. */
export function apiRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.get<{ Querystring: Static<typeof query> }>(
    '/apis',
    { config: requires('Application.Read.All'), schema: { querystring: query, response: { 200: apis } } },
    async (request) => {
      const tenantId = ownTenantId(callerOf(request), request.query.tenantId?.toLowerCase())
      return { value: (await deps.store.snapshot((tx) => listApis(tx, tenantId))).map(answer) }
    },
  )
  app.post<{ Body: Static<typeof create> }>(
    '/apis',
    { config: requires('Application.ReadWrite.All'), schema: { body: create, response: { 201: api } } },
    async (request, reply) => {
      const { tenantId: requested, ...body } = request.body
      const tenantId = ownTenantId(callerOf(request), requested)
      if (tenantId === undefined) throw new ApiError(400, 'InvalidRequest', 'Name the tenant.', { target: 'tenantId' })
      const made = await createApi(writesOf(deps, request), { ...body, tenantId })
      reply.code(201).header('location', `/api/v2/apis/${made.apiId}`)
      return answer(made)
    },
  )
  app.get<ById>(
    '/apis/:id',
    { config: requires('Application.Read.All'), schema: { response: { 200: api } } },
    async (request, reply) =>
      sendTagged(request, reply, answer(await ownApi(deps, callerOf(request), request.params.id))),
  )
  app.patch<ById & { Body: Static<typeof change> }>(
    '/apis/:id',
    { config: requires('Application.ReadWrite.All'), schema: { body: change, response: { 200: api } } },
    async (request, reply) => {
      const { apiId } = await ownApi(deps, callerOf(request), request.params.id)
      const writes = unlessChanged(loosening(deps, request, apiId, request.body.permissions), request, async (tx) => {
        const found = await findApi(tx, apiId)
        return found === undefined ? undefined : answer(found)
      })
      return sendTagged(request, reply, answer(await changeApi(writes, apiId, request.body)))
    },
  )
  app.delete<ById>('/apis/:id', { config: requires('Application.ReadWrite.All') }, async (request, reply) => {
    const { apiId } = await ownApi(deps, callerOf(request), request.params.id)
    await deleteApi(loosening(deps, request, apiId, []), apiId)
    return reply.code(204).send()
  })
}

/** The writes that leave the API with these permissions, judged by those that it has when they are written. */
function loosening(
  deps: ManagementDependencies,
  request: FastifyRequest,
  apiId: string,
  after: Static<typeof permissions> | undefined,
): DirectoryWrites {
  return writesOf(deps, request, async (tx) => {
    const before = after === undefined ? undefined : await findApi(tx, apiId)
    if (before !== undefined && after !== undefined) checkMayLoosen(callerOf(request), before, after)
  })
}

/**
 * What asks for an administrator, or for a role above the caller's, neither goes nor comes to ask for less by them:
 * under the same name it would be for everybody then. Throws ApiError 403.
 */
function checkMayLoosen(caller: Caller, before: Api, after: Static<typeof permissions>): void {
  if (caller.kind === 'local') return
  const own = caller.person?.role ?? 'developer'
  for (const { id, adminConsent: asks, role: least } of before.permissions) {
    const { adminConsent = id.endsWith('.All'), role: now = 'member' } = after.find((one) => one.id === id) ?? {
      adminConsent: false,
    }
    const isLooser = (asks && !adminConsent) || !isAtLeast(now, least)
    if (!isLooser || (isAtLeast(own, least) && (!asks || isAdministrator(own)))) continue
    const needed = isAtLeast(least, 'administrator') ? least : 'administrator'
    const message = `${id} asks for an administrator, or a role above yours: this needs the role ${needed} in the tenant.`
    throw new ApiError(403, 'RoleRequired', message, { target: 'permissions', more: { role: needed } })
  }
}

async function ownApi({ store }: ManagementDependencies, caller: Caller, id: string): Promise<Api> {
  const found = await store.snapshot((tx) => findApi(tx, id))
  if (found === undefined || !owns(caller, found.tenantId)) {
    throw new DirectoryRefusal('ApiNotFound', 'There is no such API.')
  }
  return found
}

function answer({ createdAt, updatedAt, permissions: defined, ...rest }: Api): ApiAnswer {
  return {
    ...rest,
    permissions: defined.map(({ id, describe, descriptions = {}, kinds, adminConsent, role }) => ({
      id,
      describe,
      descriptions,
      kinds: [...kinds],
      adminConsent,
      role,
    })),
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  }
}
