// What an administrator made for others to use is worth what they may give when it is used: nothing once they are
// dismissed, disabled or lowered, and nothing above what they are then.

import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { findRegistrationToken } from '../../src/directory/applications/registration-token-use.js'
import { createTenant } from '../../src/directory/tenants/tenants.js'
import { acceptInvitation, resetPassword } from '../../src/users/accounts/accept-link.js'
import { createLink, findLink, type LinkPurpose } from '../../src/users/accounts/one-time-links.js'
import { deleteUser, setOperator, setUserState } from '../../src/users/accounts/user-state.js'
import { removeMembership } from '../../src/users/memberships/leave-tenant.js'
import { setRole } from '../../src/users/memberships/memberships.js'
import { atPortal, openWorld, type World, withToken } from '../support/models/isolation.js'
import { makePerson } from '../support/rooms/delegation.js'
import { openManagement } from '../support/rooms/management.js'

const open = async (t: Test) => openWorld(await openManagement(t))
const password = 'nine quiet purple lanterns'

interface Maker {
  world: World
  userId: string
}

const dismissals: Readonly<Record<string, (maker: Maker) => Promise<unknown>>> = {
  deleted: ({ world, userId }) => deleteUser(world.testApp.deps.users, userId),
  disabled: ({ world, userId }) => setUserState(world.testApp.deps.users, userId, 'disabled'),
  removed: ({ world, userId }) => removeMembership(world.testApp.deps.users, { userId, tenantId: world.tenantA }),
  lowered: ({ world, userId }) =>
    setRole(world.testApp.deps.users, { userId, tenantId: world.tenantA, role: 'developer' }),
}

/** What the maker makes, and what somebody else does with it. It rejects where that does not work. */
const things: Readonly<Record<string, (maker: Maker) => Promise<() => Promise<unknown>>>> = {
  async 'an invitation'({ world }) {
    const { testApp } = world
    const body = { email: `${randomUUID()}@shadow.test`, role: 'administrator' }
    const secret = await linkOf(world, 'POST', '/invitations', body)
    return () => acceptInvitation(testApp.deps.users, secret, { name: 'Shadow', password })
  },
  async 'a link to a new password'({ world }) {
    const { testApp, tenantA } = world
    const { userId } = await makePerson(testApp.deps, tenantA)
    const secret = await linkOf(world, 'POST', `/users/${userId}/passwordReset`)
    return () => resetPassword(testApp.deps.users, secret, password)
  },
  async 'a link to come in through a provider'({ world }) {
    const { testApp, tenantA } = world
    const { userId } = await makePerson(testApp.deps, tenantA)
    const secret = await linkOf(world, 'POST', `/users/${userId}/providerLink`, {})
    return async () => required(await found(world, secret, 'provider-link'))
  },
  async 'a registration token'({ world }) {
    const { testApp } = world
    const { token } = (await testApp.manage('POST', '/registrationTokens', { label: 'x' })).json()
    const { store, writes } = testApp
    return async () => required(await findRegistrationToken(store.reader, token, writes.now()))
  },
}

t.test('C22 what somebody made ends with their right to make it', async (t) => {
  for (const [thing, make] of Object.entries(things)) {
    for (const [name, dismiss] of Object.entries(dismissals)) {
      const world = await open(t)
      const { userId } = await makePerson(world.testApp.deps, world.tenantA, { role: 'administrator' })
      world.testApp.caller.principal = atPortal(userId, world.tenantA)
      const use = await make({ world, userId })
      const another = await make({ world, userId })
      await t.resolves(use(), `${thing} works`)
      await dismiss({ world, userId })
      await t.rejects(another(), { code: 'LinkNotFound' }, `${thing} of somebody who was ${name}`)
    }
  }
})

t.test('an owner who becomes an administrator invites no owner any more', async (t) => {
  const world = await open(t)
  const { testApp, tenantA } = world
  const { userId } = await makePerson(testApp.deps, tenantA, { role: 'owner' })
  testApp.caller.principal = atPortal(userId, tenantA)
  const [owner, member] = await Promise.all(
    ['owner', 'member'].map((role) => linkOf(world, 'POST', '/invitations', { email: `${role}@new.test`, role })),
  )
  await setRole(testApp.deps.users, { userId, tenantId: tenantA, role: 'administrator' })
  t.equal(await found(world, owner, 'invitation'), undefined)
  t.match(await found(world, member, 'invitation'), { email: 'member@new.test' })
})

t.test('a link to the password of somebody who became an operator is for operators', async (t) => {
  const world = await open(t)
  const { testApp, tenantA, a } = world
  const { users } = testApp.deps
  const by = { ...users, actor: { kind: 'user', userId: a.administrator } } as const
  const { userId } = await makePerson(testApp.deps, tenantA)
  await setOperator(users, userId, true)
  const { url } = await createLink(by, { purpose: 'password-reset', userId })
  t.equal(await found(world, secretOf(url), 'password-reset'), undefined)
  await setOperator(users, a.administrator, true)
  t.ok(await found(world, secretOf(url), 'password-reset'))
  await t.test('nor for somebody who belongs elsewhere too, or nowhere', async (t) => {
    const elsewhere = await createTenant(testApp.writes, { name: 'Elsewhere' })
    const nobody = await makePerson(testApp.deps, elsewhere.tenantId)
    const link = await createLink(by, { purpose: 'password-reset', userId: nobody.userId })
    t.equal(await found(world, secretOf(link.url), 'password-reset'), undefined)
    await removeMembership(users, { userId: nobody.userId, tenantId: elsewhere.tenantId })
    t.equal(await found(world, secretOf(link.url), 'password-reset'), undefined)
  })
})

t.test('an operator brings the first owner into an empty tenant, and nobody into one with people', async (t) => {
  const world = await open(t)
  const { testApp, tenantB, operatorOfB } = world
  const { tenantId } = await createTenant(testApp.writes, { name: 'Empty' })
  testApp.caller.principal = atPortal(operatorOfB, tenantB)
  const invite = () =>
    linkOf(world, 'POST', '/invitations', { tenantId, email: `${randomUUID()}@new.test`, role: 'owner' })
  const [first, second] = [await invite(), await invite()]
  await t.resolves(acceptInvitation(testApp.deps.users, first, { name: 'First', password }))
  await t.rejects(acceptInvitation(testApp.deps.users, second, { name: 'Second', password }), { code: 'LinkNotFound' })
})

t.test('what an application made as itself ends when it is disabled', async (t) => {
  const world = await open(t)
  const { testApp, tenantB } = world
  const principal = withToken(world, tenantB, ['Member.ReadWrite.All'])
  const applicationId = principal.kind === 'application' ? principal.applicationId : ''
  const by = { ...testApp.deps.users, actor: { kind: 'application', applicationId } } as const
  const invite = (role: 'member' | 'developer') =>
    createLink(by, { purpose: 'invitation', tenantId: tenantB, email: `${role}@new.test`, role })
  const [member, developer] = [await invite('member'), await invite('developer')]
  t.ok(await found(world, secretOf(member.url), 'invitation'))
  t.equal(await found(world, secretOf(developer.url), 'invitation'), undefined, 'it is a member at most')
  testApp.caller.principal = { kind: 'local' }
  await testApp.manage('PATCH', `/applications/${applicationId}`, { state: 'disabled' })
  t.equal(await found(world, secretOf(member.url), 'invitation'), undefined)
})

async function linkOf({ testApp }: World, method: 'POST', path: string, body?: unknown): Promise<string> {
  const answer = await testApp.manage(method, path, body)
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return secretOf(answer.json().url)
}

function secretOf(url: string): string {
  return new URL(url).pathname.split('/').at(-1) ?? ''
}

function found({ testApp }: World, secret: string | undefined, purpose: LinkPurpose) {
  return findLink(testApp.store.reader, secret ?? '', purpose, testApp.writes.now())
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw Object.assign(new Error('it does not work'), { code: 'LinkNotFound' })
  return value
}
