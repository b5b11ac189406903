// Whom a text names that could own an application: a developer of its tenant by e-mail address or id, or another
// application of it by id. One that does not exist is as little eligible as somebody from elsewhere, and told apart
// from them by nobody.

import type { FastifyInstance } from 'fastify'
import { isEligible, type OwnerRef } from '../../directory/applications/owners-in-transaction.js'
import { ApiError } from '../../http/answers/api-error.js'
import { parseGuid } from '../../oauth/secrets/guid.js'
import { readApplications } from '../../storage/sql/registrations/applications.js'
import type { Statements } from '../../storage/sql/store.js'
import { findUser, findUserByEmail } from '../../users/accounts/users.js'
import { callerOf, requires } from '../access/access.js'
import type { ManagementDependencies } from '../dependencies.js'
import { requireOwnTenant } from '../people/tenant-of-path.js'
import { clientAnswers, clientQueries } from './client-schemas.js'

/** `GET /tenants/{id}/possibleOwners?owner=…`: the one that is meant. */
export function possibleOwnerRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.get<{ Params: { id: string }; Querystring: { owner: string } }>(
    '/tenants/:id/possibleOwners',
    {
      config: requires('Application.ReadWrite.All'),
      schema: { querystring: clientQueries.possibleOwner, response: { 200: clientAnswers.possibleOwner } },
    },
    async (request) => {
      const tenantId = requireOwnTenant(callerOf(request), request.params.id)
      return deps.store.snapshot(async (tx) => {
        const ref = await requirePossible(tx, { tenantId, owner: request.query.owner, target: 'owner' })
        return { ...ref, name: await ownerName(tx, ref) }
      })
    },
  )
}

/** Throws ApiError 400 NotEligible at `target`, and StoreUnavailable. */
export async function requirePossible(
  tx: Statements,
  { tenantId, owner, target }: { tenantId: string; owner: string; target: string },
): Promise<OwnerRef> {
  const ownerId = owner.includes('@') ? (await findUserByEmail(tx, owner))?.userId : parseGuid(owner)
  for (const kind of ['user', 'application'] as const) {
    if (ownerId === undefined) break
    if (await isEligible(tx, { id: '', tenant_id: tenantId }, { ownerId, kind })) return { ownerId, kind }
  }
  const plain = owner.slice(0, 254).replace(/[^\x21-\x7e]/g, '?')
  const message = `${plain} is neither the address or id of a developer of the tenant, nor the id of an application of it.`
  throw new ApiError(400, 'NotEligible', message, { target })
}

/** What an owner is called; empty when they are gone. */
export async function ownerName(tx: Statements, { ownerId, kind }: OwnerRef): Promise<string> {
  if (kind === 'user') return (await findUser(tx, ownerId))?.name ?? ''
  const [record] = await readApplications(tx, 'id', ownerId)
  return record?.application.name ?? ''
}
