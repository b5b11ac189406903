// Owners of an application (contract §8, decision 84): each of them may change it. Everybody who may read
// applications sees who they are, so that developers know whom to ask.

import type { FastifyInstance } from 'fastify'
import { addOwner, removeOwner, replaceOwners } from '../../directory/applications/owners.js'
import { listOwners, type OwnerRef } from '../../directory/applications/owners-in-transaction.js'
import { ApiError } from '../../http/answers/api-error.js'
import { parseGuid } from '../../oauth/secrets/guid.js'
import { readApplications } from '../../storage/sql/registrations/applications.js'
import type { Statements } from '../../storage/sql/store.js'
import { findUserByEmail } from '../../users/accounts/users.js'
import { callerOf, requires } from '../access/access.js'
import { ownApplicationId } from '../access/ownership.js'
import type { ManagementDependencies } from '../dependencies.js'
import { checkMayEquip } from './ceiling.js'
import { changeWrites } from './change-request.js'
import { type ClientAnswer, type ClientBody, clientAnswers, clientBodies } from './client-schemas.js'
import { ownerName, requirePossible } from './possible-owner.js'

/** `GET|POST|PUT /applications/{id}/owners`, `DELETE /applications/{id}/owners/{ownerId}`. */
export function ownerRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  const path = '/applications/:id/owners'
  app.get<{ Params: { id: string } }>(
    path,
    { config: requires('Application.Read.All'), schema: { response: { 200: clientAnswers.owners } } },
    async (request) => {
      const applicationId = await ownApplicationId(deps.store, callerOf(request), request.params.id)
      return { value: await deps.store.snapshot((tx) => ownerAnswers(tx, applicationId)) }
    },
  )
  app.post<{ Params: { id: string }; Body: ClientBody<'addOwner'> }>(
    path,
    {
      config: requires('Application.ReadWrite.All'),
      schema: { body: clientBodies.addOwner, response: { 201: clientAnswers.owner } },
    },
    async (request, reply) => {
      const applicationId = await ownApplicationId(deps.store, callerOf(request), request.params.id)
      const owner = await ownerOf(deps, request.body)
      // An owner can come by its tokens: nobody lets others do what they could not.
      const { ownerId } = await addOwner(
        await changeWrites(deps, request, applicationId, checkMayEquip),
        applicationId,
        owner,
      )
      const answer = await deps.store.snapshot((tx) => ownerAnswers(tx, applicationId))
      reply.code(201)
      return answer.find((one) => one.ownerId === ownerId)
    },
  )
  app.put<{ Params: { id: string }; Body: ClientBody<'replaceOwners'> }>(
    path,
    {
      config: requires('Application.ReadWrite.All'),
      schema: { body: clientBodies.replaceOwners, response: { 200: clientAnswers.owners } },
    },
    async (request) => {
      const applicationId = await ownApplicationId(deps.store, callerOf(request), request.params.id)
      const refs = await deps.store.snapshot((tx) => ownersNamed(tx, applicationId, request.body.owners))
      const writes = await changeWrites(deps, request, applicationId, async (change) => {
        const before = await listOwners(change.tx, applicationId)
        if (refs.some(({ ownerId }) => !before.some((one) => one.ownerId === ownerId))) await checkMayEquip(change)
      })
      await replaceOwners(writes, applicationId, refs)
      return { value: await deps.store.snapshot((tx) => ownerAnswers(tx, applicationId)) }
    },
  )
  app.delete<{ Params: { id: string; ownerId: string } }>(
    `${path}/:ownerId`,
    { config: requires('Application.ReadWrite.All') },
    async (request, reply) => {
      const { id, ownerId } = request.params
      const applicationId = await ownApplicationId(deps.store, callerOf(request), id)
      await removeOwner(await changeWrites(deps, request, applicationId), applicationId, ownerId)
      return reply.code(204).send()
    },
  )
}

/**
 * Whom the body names; one that does not exist is as little eligible as somebody from elsewhere, and told apart from
 * them by nobody.
 */
async function ownerOf(
  { store }: ManagementDependencies,
  { userId, email, applicationId }: ClientBody<'addOwner'>,
): Promise<{ ownerId: string; kind: 'user' | 'application' }> {
  if (email !== undefined) {
    return { ownerId: (await findUserByEmail(store.reader, email))?.userId ?? '', kind: 'user' }
  }
  const ownerId = parseGuid(userId ?? applicationId)
  if (ownerId !== undefined) return { ownerId, kind: userId === undefined ? 'application' : 'user' }
  const target = userId === undefined ? 'applicationId' : 'userId'
  throw new ApiError(400, 'InvalidRequest', `${target} is a GUID.`, { target })
}

async function ownerAnswers(tx: Statements, applicationId: string): Promise<ClientAnswer<'owner'>[]> {
  const answers: ClientAnswer<'owner'>[] = []
  for (const { ownerId, kind, addedBy, addedAt } of await listOwners(tx, applicationId)) {
    const name = await ownerName(tx, { ownerId, kind })
    answers.push({ ownerId, kind, name, addedBy, addedAt: new Date(addedAt).toISOString() })
  }
  return answers
}

async function ownersNamed(tx: Statements, applicationId: string, owners: readonly string[]): Promise<OwnerRef[]> {
  const [record] = await readApplications(tx, 'id', applicationId)
  const refs: OwnerRef[] = []
  for (const [index, owner] of owners.entries()) {
    const tenantId = record?.application.tenant_id ?? ''
    refs.push(await requirePossible(tx, { tenantId, owner, target: `owners/${index}` }))
  }
  return refs
}
