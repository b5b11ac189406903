// Links that let people in: invitations, the first owner's set-up link, and the operator's recovery of a tenant whose
// owners cannot sign in any more. A link is in the answer once, or in a mail and not in the answer.

import type { FastifyInstance } from 'fastify'
import { ApiError } from '../../http/answers/api-error.js'
import { parseGuid } from '../../oauth/secrets/guid.js'
import { listInvitations } from '../../storage/sql/lists/people-lists.js'
import { readLinks } from '../../storage/sql/people/one-time-links.js'
import type { Statements } from '../../storage/sql/store.js'
import { createLink, toLink } from '../../users/accounts/one-time-links.js'
import { findUserByEmail } from '../../users/accounts/users.js'
import { endInvitation, invite } from '../../users/mail/send-link.js'
import { listMemberships } from '../../users/memberships/memberships.js'
import { UserRefusal } from '../../users/refusal.js'
import { type Caller, callerOf, requires } from '../access/access.js'
import { peopleOf } from '../access/origin.js'
import { owns, ownTenantId } from '../access/ownership.js'
import { pageByTime } from '../answers/page-of.js'
import type { ManagementDependencies } from '../dependencies.js'
import { mayHoldLinks } from './admission.js'
import { linkAnswer } from './people-answers.js'
import { checkMayGive } from './people-rules.js'
import {
  type PeopleAnswer,
  type PeopleBody,
  type PeopleQuery,
  peopleAnswers,
  peopleBodies,
  peopleQueries,
} from './people-schemas.js'
import { isOperator } from './tenant-of-path.js'

/** `GET|POST /invitations`, `DELETE /invitations/{id}`, `POST /setUpLinks`, `POST /recoveryLinks`. */
export function invitationRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.get<{ Querystring: PeopleQuery<'invitations'> }>(
    '/invitations',
    {
      config: requires('Member.Read.All'),
      schema: { querystring: peopleQueries.invitations, response: { 200: peopleAnswers.invitations } },
    },
    async (request) => invitations(deps, callerOf(request), request.query),
  )
  app.post<{ Body: PeopleBody<'invite'> }>(
    '/invitations',
    {
      config: requires('Member.ReadWrite.All'),
      schema: { body: peopleBodies.invite, response: { 201: peopleAnswers.link } },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const { role = 'member', email } = request.body
      const tenantId = await tenantToInvite(deps, caller, request.body)
      const toCaller = mayHoldLinks(caller)
      // Whether there is somebody else is judged again where it is written.
      const people = peopleOf(deps, request, (tx) => tenantToInvite(deps, caller, request.body, tx))
      const sent = await invite(people, { role, email, tenantId }, { toCaller })
      reply.code(201)
      return linkAnswer(sent)
    },
  )
  app.delete<{ Params: { id: string } }>(
    '/invitations/:id',
    { config: requires('Member.ReadWrite.All') },
    async (request, reply) => {
      await checkOwnInvitation(deps, callerOf(request), request.params.id)
      await endInvitation(peopleOf(deps, request), request.params.id)
      return reply.code(204).send()
    },
  )
  operatorRoutes(app, deps)
}

async function invitations(
  deps: ManagementDependencies,
  caller: Caller,
  query: PeopleQuery<'invitations'>,
): Promise<PeopleAnswer<'invitations'>> {
  const ofTenant = tenantOf(caller, query.tenantId)
  const { rows, more } = await pageByTime(
    deps.pagingKey,
    { path: '/invitations', list: `invitations ${ofTenant}`, query, narrowedBy: { tenantId: ofTenant } },
    (stretch) => listInvitations(deps.store.reader, ofTenant, { ...stretch, atMs: deps.writes.now() }),
    (row) => ({ at: row.created_at, id: row.hash }),
  )
  const value = rows.map(toLink).map(({ hash, tenantId = '', email = '', role = 'member' as const, ...times }) => ({
    id: hash,
    tenantId,
    email,
    role,
    createdAt: new Date(times.createdAt).toISOString(),
    expiresAt: new Date(times.expiresAt).toISOString(),
  }))
  return { value, ...more }
}

function tenantOf(caller: Caller, requested: string | undefined): string {
  const tenantId = ownTenantId(caller, requested?.toLowerCase())
  if (tenantId === undefined) throw new ApiError(400, 'InvalidRequest', 'Name the tenant.', { target: 'tenantId' })
  return tenantId
}

/**
 * The caller's own, in which they may give the role. An operator brings the first owner into any tenant to which nobody
 * belongs: there is nobody else there who could. Throws ApiError and DirectoryRefusal.
 */
async function tenantToInvite(
  { store, directory }: ManagementDependencies,
  caller: Caller,
  { tenantId: requested, role = 'member' }: PeopleBody<'invite'>,
  statements: Statements = store.reader,
): Promise<string> {
  const place = requested === undefined ? undefined : parseGuid(requested)
  if (place !== undefined && !owns(caller, place) && role === 'owner' && isOperator(caller)) {
    const isEmpty = (await listMemberships(statements, { tenantId: place })).length === 0
    if (isEmpty && (await directory.findTenant(place)) !== undefined) return place
  }
  const tenantId = tenantOf(caller, requested)
  checkMayGive(caller, role)
  return tenantId
}

async function checkOwnInvitation(deps: ManagementDependencies, caller: Caller, id: string): Promise<void> {
  if (caller.kind === 'local') return
  const [row] = await readLinks(deps.store.reader, deps.writes.now(), { hash: id })
  const link = row === undefined ? undefined : toLink(row)
  if (link?.purpose !== 'invitation' || link.tenantId !== caller.tenantId)
    throw new UserRefusal('LinkNotFound', 'There is no such invitation.')
  checkMayGive(caller, link.role ?? 'member')
}

/** Only ever for callers at the local socket: these links make owners. */
function operatorRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.post(
    '/setUpLinks',
    { config: requires('Server.ReadWrite', 'local'), schema: { response: { 201: peopleAnswers.link } } },
    async (request, reply) => {
      const made = await createLink(peopleOf(deps, request), { purpose: 'set-up' })
      reply.code(201)
      return linkAnswer(made)
    },
  )
  app.post<{ Body: PeopleBody<'recover'> }>(
    '/recoveryLinks',
    {
      config: requires('Server.ReadWrite', 'local'),
      schema: { body: peopleBodies.recover, response: { 201: peopleAnswers.link } },
    },
    async (request, reply) => {
      const { tenantId, email } = request.body
      const user = await findUserByEmail(deps.store.reader, email)
      const made = await createLink(
        peopleOf(deps, request),
        user === undefined
          ? { purpose: 'invitation', tenantId, email, role: 'owner' }
          : { purpose: 'password-reset', userId: user.userId, recover: tenantId },
      )
      reply.code(201)
      return linkAnswer(made)
    },
  )
}
