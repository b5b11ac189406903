// The browsers in which somebody is signed in.

import type { FastifyInstance } from 'fastify'
import { listLiveSessions } from '../../storage/sql/lists/people-lists.js'
import { readSessions } from '../../storage/sql/people/sessions.js'
import { toSession } from '../../users/records.js'
import { UserRefusal } from '../../users/refusal.js'
import { presentWays } from '../../users/sessions/provider-way.js'
import { endSession } from '../../users/sessions/sessions.js'
import { type Caller, callerOf, requires } from '../access/access.js'
import { peopleOf } from '../access/origin.js'
import { pageByTime } from '../answers/page-of.js'
import type { ManagementDependencies } from '../dependencies.js'
import { sessionAnswer } from './people-answers.js'
import { manageableUser } from './people-rules.js'
import { type PeopleQuery, peopleAnswers, peopleQueries } from './people-schemas.js'

/** `GET /sessions?userId=…`, `DELETE /sessions/{id}`. */
export function sessionRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.get<{ Querystring: PeopleQuery<'sessions'> }>(
    '/sessions',
    {
      config: requires('Member.Read.All'),
      schema: { querystring: peopleQueries.sessions, response: { 200: peopleAnswers.sessions } },
    },
    async (request) => {
      const { userId } = await manageableUser(deps.store.reader, callerOf(request), request.query.userId)
      const atMs = deps.users.now()
      const { sessionIdleMs, providers } = deps.users.settings
      const alive = { atMs, seenSince: atMs - sessionIdleMs, ways: presentWays(providers) }
      const { rows, more } = await pageByTime(
        deps.pagingKey,
        { path: '/sessions', list: `sessions ${userId}`, query: request.query, narrowedBy: { userId } },
        (stretch) => listLiveSessions(deps.store.reader, userId, { ...stretch, ...alive }),
        (row) => ({ at: row.created_at, id: row.id_hash }),
      )
      return { value: rows.map(toSession).map(sessionAnswer), ...more }
    },
  )
  app.delete<{ Params: { id: string } }>(
    '/sessions/:id',
    { config: requires('Member.ReadWrite.All') },
    async (request, reply) => {
      const { id: idHash } = request.params
      const [row] = await readSessions(deps.store.reader, { idHash })
      const caller = callerOf(request)
      const userId = row === undefined ? undefined : await ownerOf(deps, caller, row.user_id)
      const people = peopleOf(deps, request, async (tx) => userId && (await manageableUser(tx, caller, userId)))
      if (userId === undefined || !(await endSession(people, { idHash, userId }))) {
        throw new UserRefusal('SessionNotFound', 'There is no such session.')
      }
      return reply.code(204).send()
    },
  )
}

/** Whose session it is, if the caller may know that it is there. Throws ApiError 403. */
async function ownerOf(deps: ManagementDependencies, caller: Caller, userId: string): Promise<string | undefined> {
  const found = await manageableUser(deps.store.reader, caller, userId).catch((error: unknown) => {
    if (error instanceof UserRefusal) return undefined
    throw error
  })
  return found?.userId
}
