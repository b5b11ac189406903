// What hangs on an API of a tenant, read before it or one of its permissions is taken away (decision 120). What an
// application has cannot be taken away at all: the numbers say what has to be removed first.

import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { findApi } from '../../directory/permissions/api-records.js'
import { DirectoryRefusal } from '../../directory/refusal.js'
import { countApiUse } from '../../storage/sql/usage/api-use.js'
import { callerOf, requires } from '../access/access.js'
import { owns } from '../access/ownership.js'
import type { ManagementDependencies } from '../dependencies.js'

const count = Type.Integer()
const consequences = Type.Object({
  apiId: Type.String(),
  name: Type.String(),
  /** That list one of its permissions or were granted one. */
  applications: count,
  permissions: Type.Array(
    Type.Object({
      id: Type.String(),
      /** Applications that list it, applications that administrators granted it, people who allowed it. */
      listed: count,
      granted: count,
      people: count,
    }),
  ),
  /** Whether nothing stands in the way of deleting it. */
  mayGo: Type.Boolean(),
})
export type ApiConsequences = Static<typeof consequences>

/** `GET /apis/{id}/consequences`. */
export function apiConsequenceRoutes(app: FastifyInstance, { store }: ManagementDependencies): void {
  app.get<{ Params: { id: string } }>(
    '/apis/:id/consequences',
    { config: requires('Application.Read.All'), schema: { response: { 200: consequences } } },
    async (request) =>
      store.snapshot(async (tx) => {
        const api = await findApi(tx, request.params.id)
        if (api === undefined || !owns(callerOf(request), api.tenantId)) {
          throw new DirectoryRefusal('ApiNotFound', 'There is no such API.')
        }
        const use = await countApiUse(tx, api.identifier)
        const none = { listed: 0, granted: 0, people: 0 }
        return {
          apiId: api.apiId,
          name: api.name,
          applications: use.applications,
          permissions: api.permissions.map(({ id }) => use.permissions.find((one) => one.id === id) ?? { id, ...none }),
          mayGo: use.permissions.length === 0,
        }
      }),
  )
}
