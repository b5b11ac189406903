// Links that let people in: invitations, the first owner's set-up link, and the operator's recovery of a tenant whose owners
// cannot sign in any more. A link is in the answer once, or in a mail and not in the answer.

import type { FastifyInstance } from 'fastify'
import { readLinks } from '../memory/store/one-time-links.js'
import { createLink, toLink } from '../users/one-time-links.js'
import { endInvitation, invite } from '../users/send-link.js'
import { findUserByEmail } from '../users/users.js'
import { takes } from './access.js'
import type { ManagementDependencies } from './dependencies.js'
import { peopleOf } from './origin.js'
import { linkAnswer } from './people-answers.js'
import { type PeopleBody, type PeopleQuery, peopleAnswers, peopleBodies, peopleQueries } from './people-schemas.js'

/** `GET|POST /invitations`, `DELETE /invitations/{id}`, `POST /setUpLinks`, `POST /recoveryLinks`. */
export function invitationRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.get<{ Querystring: PeopleQuery<'invitations'> }>(
    '/invitations',
    {
      config: takes('Member.Read.All', 'local'),
      schema: { querystring: peopleQueries.invitations, response: { 200: peopleAnswers.invitations } },
    },
    async ({ query }) => {
      const filter = { purpose: 'invitation', tenantId: query.tenantId.toLowerCase() }
      const links = (await readLinks(deps.store.reader, deps.writes.now(), filter)).map(toLink)
      return {
        value: links.map(({ hash, tenantId = '', email = '', role = 'member' as const, ...times }) => ({
          ...{ id: hash, tenantId, email, role, createdAt: new Date(times.createdAt).toISOString() },
          expiresAt: new Date(times.expiresAt).toISOString(),
        })),
      }
    },
  )
  app.post<{ Body: PeopleBody<'invite'> }>(
    '/invitations',
    {
      config: takes('Member.ReadWrite.All', 'local'),
      schema: { body: peopleBodies.invite, response: { 201: peopleAnswers.link } },
    },
    async (request, reply) => {
      const sent = await invite(peopleOf(deps, request), { role: 'member', ...request.body })
      reply.code(201)
      return linkAnswer(sent)
    },
  )
  app.delete<{ Params: { id: string } }>(
    '/invitations/:id',
    { config: takes('Member.ReadWrite.All', 'local') },
    async (request, reply) => {
      await endInvitation(peopleOf(deps, request), request.params.id)
      return reply.code(204).send()
    },
  )
  operatorRoutes(app, deps)
}

/** Only ever for whoever has the local socket: these links make owners. */
function operatorRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.post(
    '/setUpLinks',
    { config: takes('Server.ReadWrite', 'local'), schema: { response: { 201: peopleAnswers.link } } },
    async (request, reply) => {
      const made = await createLink(peopleOf(deps, request), { purpose: 'set-up' })
      reply.code(201)
      return linkAnswer(made)
    },
  )
  app.post<{ Body: PeopleBody<'recover'> }>(
    '/recoveryLinks',
    {
      config: takes('Server.ReadWrite', 'local'),
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
