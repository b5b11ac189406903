// The browsers in which somebody is signed in.

import type { FastifyInstance } from 'fastify'
import { UserRefusal } from '../users/refusal.js'
import { endSession, listSessions } from '../users/sessions.js'
import { takes } from './access.js'
import type { ManagementDependencies } from './dependencies.js'
import { peopleOf } from './origin.js'
import { sessionAnswer } from './people-answers.js'
import { type PeopleQuery, peopleAnswers, peopleQueries } from './people-schemas.js'

/** `GET /sessions?userId=…`, `DELETE /sessions/{id}`. */
export function sessionRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.get<{ Querystring: PeopleQuery<'sessions'> }>(
    '/sessions',
    {
      config: takes('Member.Read.All', 'local'),
      schema: { querystring: peopleQueries.sessions, response: { 200: peopleAnswers.sessions } },
    },
    async ({ query }) => ({
      value: (await listSessions(deps.users, query.userId.toLowerCase())).map(sessionAnswer),
    }),
  )
  app.delete<{ Params: { id: string } }>(
    '/sessions/:id',
    { config: takes('Member.ReadWrite.All', 'local') },
    async (request, reply) => {
      if (!(await endSession(peopleOf(deps, request), { idHash: request.params.id }))) {
        throw new UserRefusal('SessionNotFound', 'There is no such session.')
      }
      return reply.code(204).send()
    },
  )
}
