// The part of the management API that is about people, as the commands use it.

import type { PeopleAnswer, PeopleBody } from '../../management/people/people-schemas.js'
import type { LocalClient } from './local-client.js'
import { unknown } from './unknown-names.js'
import { wholeList } from './whole-list.js'

type UserSummary = PeopleAnswer<'users'>['value'][number]

/** The calls about people. `user` is an id or an e-mail address. */
export interface PeopleCalls {
  createUser(body: PeopleBody<'createUser'>): Promise<PeopleAnswer<'user'>>
  /** `lacking`: only those who have to have a second factor and have none. */
  listUsers(tenantId?: string, lacking?: boolean): Promise<UserSummary[]>
  showUser(user: string): Promise<PeopleAnswer<'user'>>
  changeUser(user: string, body: PeopleBody<'changeUser'>): Promise<PeopleAnswer<'user'>>
  deleteUser(user: string): Promise<void>
  resetPassword(user: string): Promise<PeopleAnswer<'link'>>
  linkProvider(user: string, body: PeopleBody<'linkProvider'>): Promise<PeopleAnswer<'link'>>
  signOut(user: string): Promise<void>
  listSessions(user: string): Promise<PeopleAnswer<'sessions'>['value']>
  invite(body: PeopleBody<'invite'>): Promise<PeopleAnswer<'link'>>
  listInvitations(tenantId?: string): Promise<PeopleAnswer<'invitations'>['value']>
  removeInvitation(id: string): Promise<void>
  listMembers(tenantId: string): Promise<PeopleAnswer<'memberships'>['value']>
  /** Sets the role, and adds the membership when there is none. */
  putMembership(user: string, tenantId: string, role: PeopleBody<'changeMembership'>['role']): Promise<void>
  removeMembership(user: string, tenantId: string): Promise<void>
  recover(body: PeopleBody<'recover'>): Promise<PeopleAnswer<'link'>>
  setUpLink(): Promise<PeopleAnswer<'link'>>
}

/** The calls over `client`. Throws CommandFailure with exit code 3 for somebody whom nobody knows. */
export function peopleCalls(client: LocalClient): PeopleCalls {
  const call = async <T>(method: string, path: string, body?: unknown) => (await client.call(method, path, body)) as T
  const path = async (user: string) => `/users/${await userId(client, user)}`
  const membership = (tenantId: string, id: string) => `/tenants/${tenantId}/memberships/${id}`
  return {
    createUser: (body) => call('POST', '/users', body),
    listUsers(tenantId, lacking) {
      const query = new URLSearchParams({
        ...(tenantId === undefined ? {} : { tenantId }),
        ...(lacking === true ? { secondFactor: 'missing' } : {}),
      })
      return wholeList(client, query.size === 0 ? '/users' : `/users?${query}`)
    },
    showUser: async (user) => call('GET', await path(user)),
    changeUser: async (user, body) => call('PATCH', await path(user), body),
    deleteUser: async (user) => call('DELETE', await path(user)),
    resetPassword: async (user) => call('POST', `${await path(user)}/passwordReset`),
    linkProvider: async (user, body) => call('POST', `${await path(user)}/providerLink`, body),
    signOut: async (user) => call('POST', `${await path(user)}/signOut`),
    async listSessions(user) {
      const query = `?userId=${await userId(client, user)}`
      const sessions = await wholeList<PeopleAnswer<'sessions'>['value'][number]>(client, `/sessions${query}`)
      return sessions.sort((one, other) => (one.lastSeenAt > other.lastSeenAt ? -1 : 1))
    },
    invite: (body) => call('POST', '/invitations', body),
    listInvitations: (tenantId) =>
      wholeList(client, tenantId === undefined ? '/invitations' : `/invitations?tenantId=${tenantId}`),
    removeInvitation: (id) => call('DELETE', `/invitations/${encodeURIComponent(id)}`),
    listMembers: (tenantId) => wholeList(client, `/tenants/${tenantId}/memberships`),
    async putMembership(user, tenantId, role) {
      const { userId: id, memberships } = await call<PeopleAnswer<'user'>>('GET', await path(user))
      if (memberships.some((one) => one.tenantId === tenantId)) await call('PATCH', membership(tenantId, id), { role })
      else await call('POST', `/tenants/${tenantId}/memberships`, { userId: id, role })
    },
    removeMembership: async (user, tenantId) => call('DELETE', membership(tenantId, await userId(client, user))),
    recover: (body) => call('POST', '/recoveryLinks', body),
    setUpLink: () => call('POST', '/setUpLinks'),
  }
}

async function userId(client: LocalClient, user: string): Promise<string> {
  if (/^[0-9a-f-]{36}$/i.test(user)) return user.toLowerCase()
  const found = (await client.call('GET', `/users?email=${encodeURIComponent(user)}`)) as PeopleAnswer<'users'>
  const [one] = found.value
  if (one === undefined) throw await unknown('user', user, await addresses(client))
  return one.userId
}

/** Those of the first page, for the message about one that is not there; none when they cannot be had. */
async function addresses(client: LocalClient): Promise<string[]> {
  try {
    return ((await client.call('GET', '/users')) as PeopleAnswer<'users'>).value.map(({ email }) => email)
  } catch {
    return []
  }
}
