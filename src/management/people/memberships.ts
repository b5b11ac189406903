// Who belongs to a tenant, and in which role.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { listMembers } from '../../storage/sql/lists/people-lists.js'
import { removeMembership } from '../../users/memberships/leave-tenant.js'
import { addMembership, setRole } from '../../users/memberships/memberships.js'
import { toMembership } from '../../users/records.js'
import type { UserWrites } from '../../users/writes.js'
import { callerOf, requires } from '../access/access.js'
import { peopleOf } from '../access/origin.js'
import { type PageQuery, pageQuery } from '../answers/page.js'
import { pageByTime } from '../answers/page-of.js'
import type { ManagementDependencies } from '../dependencies.js'
import { checkMayAdd } from './admission.js'
import { membershipAnswer } from './people-answers.js'
import { checkMayChangeRole, checkMayGive } from './people-rules.js'
import { type PeopleBody, peopleAnswers, peopleBodies } from './people-schemas.js'
import { requireOwnTenant } from './tenant-of-path.js'

interface ByUser {
  Params: { id: string; userId: string }
}

/** `GET|POST /tenants/{id}/memberships`, `PATCH|DELETE /tenants/{id}/memberships/{userId}`. */
export function membershipRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.get<{ Params: { id: string }; Querystring: PageQuery }>(
    '/tenants/:id/memberships',
    {
      config: requires('Member.Read.All'),
      schema: { querystring: pageQuery, response: { 200: peopleAnswers.memberships } },
    },
    async (request) => {
      const tenantId = requireOwnTenant(callerOf(request), request.params.id)
      const { rows, more } = await pageByTime(
        deps.pagingKey,
        { path: `/tenants/${tenantId}/memberships`, list: `memberships ${tenantId}`, query: request.query },
        (stretch) => listMembers(deps.store.reader, tenantId, stretch),
        (row) => ({ at: row.created_at, id: row.user_id }),
      )
      return { value: rows.map(toMembership).map(membershipAnswer), ...more }
    },
  )
  app.post<{ Params: { id: string }; Body: PeopleBody<'addMembership'> }>(
    '/tenants/:id/memberships',
    {
      // A caller that may add everybody learns who there is elsewhere; administrators invite (POST /invitations).
      config: requires('Server.ReadWrite', 'operator'),
      schema: { body: peopleBodies.addMembership, response: { 201: peopleAnswers.membership } },
    },
    async (request, reply) => {
      const membership = { ...request.body, tenantId: request.params.id }
      const people = peopleOf(deps, request, (tx) => checkMayAdd(tx, callerOf(request), membership))
      const added = await addMembership(people, membership)
      reply.code(201)
      return membershipAnswer(added)
    },
  )
  app.patch<ByUser & { Body: PeopleBody<'changeMembership'> }>(
    '/tenants/:id/memberships/:userId',
    {
      config: requires('Member.ReadWrite.All'),
      schema: { body: peopleBodies.changeMembership, response: { 200: peopleAnswers.membership } },
    },
    async (request) => {
      const { userId } = request.params
      const { role } = request.body
      const caller = callerOf(request)
      const tenantId = requireOwnTenant(caller, request.params.id)
      await checkMayChangeRole(deps.store.reader, caller, { userId, tenantId })
      checkMayGive(caller, role)
      return membershipAnswer(await setRole(changing(deps, request, { userId, tenantId }), { tenantId, userId, role }))
    },
  )
  app.delete<ByUser>(
    '/tenants/:id/memberships/:userId',
    { config: requires('Member.ReadWrite.All') },
    async (request, reply) => {
      const { userId } = request.params
      const caller = callerOf(request)
      const tenantId = requireOwnTenant(caller, request.params.id)
      await checkMayChangeRole(deps.store.reader, caller, { userId, tenantId })
      await removeMembership(changing(deps, request, { userId, tenantId }), { tenantId, userId })
      return reply.code(204).send()
    },
  )
}

/** The writes about a membership, which ask once more whether the caller may change it. */
function changing(
  deps: ManagementDependencies,
  request: FastifyRequest,
  membership: { userId: string; tenantId: string },
): UserWrites {
  return peopleOf(deps, request, (tx) => checkMayChangeRole(tx, callerOf(request), membership))
}
