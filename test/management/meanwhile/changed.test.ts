// What was looked at is still so when it is written: between the two others change things, and a body may take as long
// as it is let.

import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import type { Presented } from '../../../src/management/dependencies.js'
import { setOperator, setUserState } from '../../../src/users/accounts/user-state.js'
import { setRole } from '../../../src/users/memberships/memberships.js'
import { atPortal, openWorld, type World } from '../../support/models/isolation.js'
import { makePerson } from '../../support/rooms/delegation.js'
import { openManagement, refusal } from '../../support/rooms/management.js'

const open = async (t: Test) => openWorld(await openManagement(t))

interface Call {
  method: 'POST' | 'PATCH' | 'DELETE'
  path: string
  body?: unknown
}

/** A call of which `meanwhile` is done after everything was looked at, just before it is written. */
async function during(
  { testApp }: World,
  principal: Presented,
  { method, path, body }: Call,
  meanwhile: () => Promise<unknown>,
): Promise<string> {
  const { feed } = testApp.writes
  const useFeed = (used: typeof feed) => {
    testApp.writes.feed = used
    testApp.deps.users.feed = used
  }
  testApp.caller.principal = principal
  useFeed({
    async commit(work) {
      useFeed(feed)
      await meanwhile()
      return feed.commit(work)
    },
  })
  const answer = await testApp.manage(method, path, body)
  useFeed(feed)
  return answer.statusCode < 300 ? 'done' : `${answer.statusCode} ${refusal(answer).code}`
}

const ways = (userId: string, tenantId: string): Call[] => [
  { method: 'POST', path: `/users/${userId}/passwordReset` },
  { method: 'POST', path: `/users/${userId}/signOut` },
  { method: 'PATCH', path: `/users/${userId}`, body: { state: 'disabled' } },
  { method: 'PATCH', path: `/users/${userId}`, body: { name: 'Other' } },
  { method: 'PATCH', path: `/users/${userId}`, body: { email: `${randomUUID()}@evil.test` } },
  { method: 'PATCH', path: `/tenants/${tenantId}/memberships/${userId}`, body: { role: 'member' } },
  { method: 'DELETE', path: `/tenants/${tenantId}/memberships/${userId}` },
  { method: 'DELETE', path: `/users/${userId}` },
]

t.test('a person who rises while an administrator changes their account is above them', async (t) => {
  const world = await open(t)
  const { testApp, tenantA, tenantB, a } = world
  const { users } = testApp.deps
  const adam = atPortal(a.administrator, tenantA)
  for (const index of ways('', '').keys()) {
    const [risen, operator, shared] = await Promise.all([1, 2, 3].map(() => makePerson(testApp.deps, tenantA)))
    const way = (userId = '') => ways(userId, tenantA)[index] as Call
    const name = `${way().method} ${way().path} ${JSON.stringify(way().body)}`
    const rise = () => setRole(users, { userId: risen?.userId ?? '', tenantId: tenantA, role: 'owner' })
    t.equal(await during(world, adam, way(risen?.userId), rise), '403 RoleRequired', `${name}: owner meanwhile`)
    if (way().path.includes('membership')) continue
    const make = () => setOperator(users, operator?.userId ?? '', true)
    t.equal(await during(world, adam, way(operator?.userId), make), '403 RoleRequired', `${name}: operator meanwhile`)
    testApp.caller.principal = { kind: 'local' }
    const join = async () => {
      testApp.caller.principal = { kind: 'local' }
      const body = { userId: shared?.userId, role: 'member' }
      await testApp.manage('POST', `/tenants/${tenantB}/memberships`, body)
    }
    t.equal(
      await during(world, adam, way(shared?.userId), join),
      '403 SharedAccount',
      `${name}: elsewhere too meanwhile`,
    )
  }
})

t.test('a person who is demoted or disabled while they ask changes nothing', async (t) => {
  const world = await open(t)
  const { testApp, tenantA } = world
  const { users } = testApp.deps
  const calls: Call[] = [
    { method: 'POST', path: '/invitations', body: { email: `${randomUUID()}@x.test`, role: 'administrator' } },
    { method: 'POST', path: '/applications', body: { name: `app ${randomUUID()}`, type: 'web' } },
    { method: 'POST', path: '/registrationTokens', body: { label: 'x' } },
  ]
  for (const one of calls) {
    const { userId } = await makePerson(testApp.deps, tenantA, { role: 'administrator' })
    const principal = atPortal(userId, tenantA)
    const lower = () => setRole(users, { userId, tenantId: tenantA, role: 'developer' })
    t.equal(await during(world, principal, one, lower), '403 NoLongerAllowed', `${one.path}: demoted`)
    await setRole(users, { userId, tenantId: tenantA, role: 'administrator' })
    const disable = () => setUserState(users, userId, 'disabled')
    t.equal(await during(world, principal, one, disable), '403 NoLongerAllowed', `${one.path}: disabled`)
    await setUserState(users, userId, 'enabled')
    t.equal(await during(world, principal, one, async () => undefined), 'done', one.path)
  }
})

t.test('what an operator changes of themselves is done as a whole', async (t) => {
  const world = await open(t)
  const { testApp, tenantA, a } = world
  await setOperator(testApp.deps.users, a.administrator, true)
  testApp.caller.principal = atPortal(a.administrator, tenantA)
  const changed = await testApp.manage('PATCH', `/users/${a.administrator}`, { operator: false, name: 'Adam' })
  t.match(changed.json(), { operator: false, name: 'Adam' })
})
