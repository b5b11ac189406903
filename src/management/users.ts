// People: list, find, create, change, disable and delete; a link for a new password; signing them out everywhere.

import type { FastifyInstance } from 'fastify'
import { listUsers } from '../memory/store/users.js'
import { signOutEverywhere } from '../users/end-access.js'
import { listMemberships } from '../users/memberships.js'
import { toUser, type User } from '../users/records.js'
import { UserRefusal } from '../users/refusal.js'
import { sendPasswordReset } from '../users/send-link.js'
import { deleteUser, setUserState } from '../users/user-state.js'
import { changeUser, createUser, findUser, findUserByEmail } from '../users/users.js'
import { takes } from './access.js'
import type { ManagementDependencies } from './dependencies.js'
import { peopleOf } from './origin.js'
import { openPageToken, pageLink } from './page.js'
import { linkAnswer, membershipAnswer, userAnswer } from './people-answers.js'
import {
  type PeopleAnswer,
  type PeopleBody,
  type PeopleQuery,
  peopleAnswers,
  peopleBodies,
  peopleQueries,
} from './people-schemas.js'

interface ById {
  Params: { id: string }
}

/** `GET|POST /users`, `GET|PATCH|DELETE /users/{id}`, `POST /users/{id}/passwordReset`, `POST /users/{id}/signOut`. */
export function userRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.get<{ Querystring: PeopleQuery<'users'> }>(
    '/users',
    {
      config: takes('Member.Read.All', 'local'),
      schema: { querystring: peopleQueries.users, response: { 200: peopleAnswers.users } },
    },
    async ({ query }) => users(deps, query),
  )
  app.post<{ Body: PeopleBody<'createUser'> }>(
    '/users',
    {
      config: takes('Member.ReadWrite.All', 'local'),
      schema: { body: peopleBodies.createUser, response: { 201: peopleAnswers.user } },
    },
    async (request, reply) => {
      const { tenantId, role = 'member', ...person } = request.body
      const membership = tenantId === undefined ? {} : { membership: { tenantId, role } }
      const user = await createUser(peopleOf(deps, request), { ...person, ...membership })
      reply.code(201)
      return whole(deps, user)
    },
  )
  app.get<ById>(
    '/users/:id',
    { config: takes('Member.Read.All', 'local'), schema: { response: { 200: peopleAnswers.user } } },
    async ({ params }) => whole(deps, await requireUser(deps, params.id)),
  )
  app.patch<ById & { Body: PeopleBody<'changeUser'> }>(
    '/users/:id',
    {
      config: takes('Member.ReadWrite.All', 'local'),
      schema: { body: peopleBodies.changeUser, response: { 200: peopleAnswers.user } },
    },
    async (request) => {
      const people = peopleOf(deps, request)
      const { state, ...changes } = request.body
      const { id } = request.params
      if (Object.keys(changes).length > 0) await changeUser(people, id, changes)
      if (state !== undefined) await setUserState(people, id, state)
      return whole(deps, await requireUser(deps, id))
    },
  )
  app.delete<ById>('/users/:id', { config: takes('Member.ReadWrite.All', 'local') }, async (request, reply) => {
    await deleteUser(peopleOf(deps, request), request.params.id)
    return reply.code(204).send()
  })
  endingRoutes(app, deps)
}

function endingRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.post<ById>(
    '/users/:id/passwordReset',
    { config: takes('Member.ReadWrite.All', 'local'), schema: { response: { 201: peopleAnswers.link } } },
    async (request, reply) => {
      const sent = await sendPasswordReset(peopleOf(deps, request), request.params.id)
      reply.code(201)
      return linkAnswer(sent)
    },
  )
  app.post<ById>('/users/:id/signOut', { config: takes('Member.ReadWrite.All', 'local') }, async (request, reply) => {
    await signOutEverywhere(peopleOf(deps, request), request.params.id)
    return reply.code(204).send()
  })
}

async function users(deps: ManagementDependencies, query: PeopleQuery<'users'>): Promise<PeopleAnswer<'users'>> {
  const { reader } = deps.store
  if (query.email !== undefined) {
    const user = await findUserByEmail(reader, query.email)
    return { value: user === undefined ? [] : [userAnswer(user)] }
  }
  const tenantId = query.tenantId?.toLowerCase()
  const list = `users ${tenantId ?? ''}` as const
  const { limit, after } = openPageToken(deps.pagingKey, query, list)
  const rows = await listUsers(reader, { limit: limit + 1, after, tenantId })
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  const more = last === undefined ? undefined : pageLink(deps.pagingKey, '/users', limit, last, list)
  const tenant = tenantId === undefined ? '' : `&tenantId=${encodeURIComponent(tenantId)}`
  return {
    value: shown.map(toUser).map(userAnswer),
    ...(more === undefined ? {} : { nextLink: `${more}${tenant}` }),
  }
}

async function requireUser(deps: ManagementDependencies, userId: string): Promise<User> {
  const user = await findUser(deps.store.reader, userId)
  if (user === undefined) throw new UserRefusal('UserNotFound', 'There is no such user.')
  return user
}

async function whole(deps: ManagementDependencies, user: User): Promise<PeopleAnswer<'user'>> {
  const memberships = await listMemberships(deps.store.reader, { userId: user.userId })
  return { ...userAnswer(user), memberships: memberships.map(membershipAnswer) }
}
