// People: list, find, create, change, disable and delete; a link for a new password; signing them out everywhere.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../../http/answers/api-error.js'
import { readMembersAmong } from '../../storage/sql/lists/people-lists.js'
import { readFactors } from '../../storage/sql/people/factor-demands.js'
import { listUsers } from '../../storage/sql/people/users.js'
import { deleteUser, setOperator, setUserState } from '../../users/accounts/user-state.js'
import { changeUser, createUser, findUserByEmail } from '../../users/accounts/users.js'
import { serverDemand } from '../../users/credentials/factor-roles.js'
import { pendingEmails } from '../../users/mail/pending-emails.js'
import { sendPasswordReset } from '../../users/mail/send-link.js'
import { findMembership, listMemberships } from '../../users/memberships/memberships.js'
import { toMembership, toUser, type User } from '../../users/records.js'
import { signOutEverywhere } from '../../users/sessions/end-access.js'
import type { UserWrites } from '../../users/writes.js'
import { type Caller, callerOf, requires } from '../access/access.js'
import { peopleOf } from '../access/origin.js'
import { owns, ownTenantId } from '../access/ownership.js'
import { pageOf } from '../answers/page-of.js'
import type { ManagementDependencies } from '../dependencies.js'
import { checkMayAdd, mayHoldLinks } from './admission.js'
import { changeEmail } from './change-email.js'
import { linkAnswer, membershipAnswer, userAnswer } from './people-answers.js'
import { manageableUser, ownUser } from './people-rules.js'
import {
  type PeopleAnswer,
  type PeopleBody,
  type PeopleQuery,
  peopleAnswers,
  peopleBodies,
  peopleQueries,
} from './people-schemas.js'
import { makeProviderLink } from './provider-link.js'
import { isOperator } from './tenant-of-path.js'

interface ById {
  Params: { id: string }
}

/** `GET|POST /users`, `GET|PATCH|DELETE /users/{id}`, `POST /users/{id}/passwordReset|providerLink|signOut`. */
export function userRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.get<{ Querystring: PeopleQuery<'users'> }>(
    '/users',
    {
      config: requires('Member.Read.All'),
      schema: { querystring: peopleQueries.users, response: { 200: peopleAnswers.users } },
    },
    async (request) => users(deps, callerOf(request), request.query),
  )
  app.post<{ Body: PeopleBody<'createUser'> }>(
    '/users',
    {
      // It would tell who has an account here already; administrators invite (POST /invitations).
      config: requires('Server.ReadWrite', 'operator'),
      schema: { body: peopleBodies.createUser, response: { 201: peopleAnswers.user } },
    },
    async (request, reply) => {
      const { tenantId, role = 'member', ...person } = request.body
      const membership = tenantId === undefined ? undefined : { tenantId, role }
      const people = peopleOf(
        deps,
        request,
        async (tx) => membership && (await checkMayAdd(tx, callerOf(request), membership)),
      )
      const user = await createUser(people, { ...person, ...(membership === undefined ? {} : { membership }) })
      reply.code(201)
      return whole(deps, callerOf(request), user)
    },
  )
  app.get<ById>(
    '/users/:id',
    { config: requires('Member.Read.All'), schema: { response: { 200: peopleAnswers.user } } },
    async (request) => {
      const caller = callerOf(request)
      return whole(deps, caller, await ownUser(deps.store.reader, caller, request.params.id))
    },
  )
  app.patch<ById & { Body: PeopleBody<'changeUser'> }>(
    '/users/:id',
    {
      config: requires('Member.ReadWrite.All'),
      schema: { body: peopleBodies.changeUser, response: { 200: peopleAnswers.user } },
    },
    async (request) => {
      const caller = callerOf(request)
      const user = await userToChange(deps, caller, request)
      const { userId } = user
      const { state, operator, name, language, ...address } = request.body
      const people = peopleOf(deps, request, (tx) => manageableUser(tx, caller, userId))
      if (operator !== undefined) await setOperator(people, userId, operator)
      if (Object.keys(address).length > 0) await changeEmail(deps, request, user, address)
      if (name !== undefined || language !== undefined) await changeUser(people, userId, { name, language })
      if (state !== undefined) await setUserState(people, userId, state)
      return whole(deps, caller, await ownUser(deps.store.reader, caller, userId))
    },
  )
  app.delete<ById>('/users/:id', { config: requires('Member.ReadWrite.All') }, async (request, reply) => {
    const { userId, people } = await managed(deps, request)
    await deleteUser(people, userId)
    return reply.code(204).send()
  })
  endingRoutes(app, deps)
}

function endingRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.post<ById>(
    '/users/:id/passwordReset',
    { config: requires('Member.ReadWrite.All'), schema: { response: { 201: peopleAnswers.link } } },
    async (request, reply) => {
      const caller = callerOf(request)
      const { userId, people } = await managed(deps, request)
      const sent = await sendPasswordReset(people, userId, { toCaller: mayHoldLinks(caller) })
      reply.code(201)
      return linkAnswer(sent)
    },
  )
  app.post<ById & { Body: PeopleBody<'linkProvider'> }>(
    '/users/:id/providerLink',
    {
      config: requires('Member.ReadWrite.All'),
      schema: { body: peopleBodies.linkProvider, response: { 201: peopleAnswers.link } },
    },
    async (request, reply) => {
      const made = await makeProviderLink(deps, request, request.params.id, request.body)
      reply.code(201)
      return linkAnswer(made)
    },
  )
  app.post<ById>('/users/:id/signOut', { config: requires('Member.ReadWrite.All') }, async (request, reply) => {
    const { userId, people } = await managed(deps, request)
    await signOutEverywhere(people, userId)
    return reply.code(204).send()
  })
}

/** Whose account it is, and the writes about it: they ask once more whether the caller may. */
async function managed(
  deps: ManagementDependencies,
  request: FastifyRequest<ById>,
): Promise<{ userId: string; people: UserWrites }> {
  const caller = callerOf(request)
  const { userId } = await manageableUser(deps.store.reader, caller, request.params.id)
  return { userId, people: peopleOf(deps, request, (tx) => manageableUser(tx, caller, userId)) }
}

/** Who is an operator is said by operators. */
async function userToChange(
  deps: ManagementDependencies,
  caller: Caller,
  { params, body }: { params: { id: string }; body: PeopleBody<'changeUser'> },
): Promise<User> {
  if (body.operator !== undefined && !isOperator(caller)) {
    const message = 'Only an operator of this installation says who is one.'
    throw new ApiError(403, 'OperatorRequired', message, { target: 'operator' })
  }
  return manageableUser(deps.store.reader, caller, params.id)
}

async function users(
  deps: ManagementDependencies,
  caller: Caller,
  query: PeopleQuery<'users'>,
): Promise<PeopleAnswer<'users'>> {
  const { reader } = deps.store
  const tenantId = ownTenantId(caller, query.tenantId?.toLowerCase())
  if (query.email !== undefined) {
    const user = await findUserByEmail(reader, query.email)
    const isThere = user !== undefined && (await isIn(deps, user, tenantId))
    return { value: isThere ? await withRoles(deps, tenantId, await userAnswers(deps, [user])) : [] }
  }
  const { search = '', secondFactor } = query
  const list = `users ${tenantId ?? ''} ${secondFactor ?? ''} ${search}` as const
  const narrowedBy = { tenantId, search: query.search, secondFactor }
  const lacking = secondFactor === undefined ? undefined : serverDemand(deps.users)
  const { rows, more } = await pageOf(
    deps.pagingKey,
    { path: '/users', list, query, narrowedBy },
    (stretch) => listUsers(reader, { ...stretch, search, lacking, ...(tenantId && { tenantId }) }),
    ({ name, id }) => ({ name, id }),
  )
  return { value: await withRoles(deps, tenantId, await userAnswers(deps, rows.map(toUser))), ...more }
}

async function userAnswers({ users }: ManagementDependencies, found: readonly User[]) {
  const ids = found.map(({ userId }) => userId)
  const pending = await pendingEmails(users, ids)
  return found.map((user) => userAnswer(user, pending.get(user.userId)))
}

/** Of the people of a tenant, their roles in it. */
async function withRoles(
  { store }: ManagementDependencies,
  tenantId: string | undefined,
  people: PeopleAnswer<'users'>['value'],
): Promise<PeopleAnswer<'users'>['value']> {
  if (tenantId === undefined) return people
  const ids = people.map(({ userId }) => userId)
  const members = (await readMembersAmong(store.reader, tenantId, ids)).map(toMembership)
  const roles = new Map(members.map(({ userId, role }) => [userId, role]))
  return people.map((person) => {
    const role = roles.get(person.userId)
    return role === undefined ? person : { ...person, role }
  })
}

async function isIn({ store }: ManagementDependencies, { userId }: User, tenantId: string | undefined) {
  return tenantId === undefined || (await findMembership(store.reader, userId, tenantId)) !== undefined
}

/** Where else somebody belongs is those tenants' business. */
async function whole(deps: ManagementDependencies, caller: Caller, user: User): Promise<PeopleAnswer<'user'>> {
  const memberships = await listMemberships(deps.store.reader, { userId: user.userId })
  const shown = memberships.filter(({ tenantId }) => isOperator(caller) || owns(caller, tenantId))
  const pending = await pendingEmails(deps.users, [user.userId])
  const { passkeys } = await readFactors(deps.store.reader, user.userId)
  return { ...userAnswer(user, pending.get(user.userId)), passkeys, memberships: shown.map(membershipAnswer) }
}
