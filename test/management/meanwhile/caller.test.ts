// V11 The caller is looked at again by every way to write that there is, when it is written.

import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import type { Feed } from '../../../src/storage/changes/feed.js'
import { setOperator, setUserState } from '../../../src/users/accounts/user-state.js'
import { setRole } from '../../../src/users/memberships/memberships.js'
import { signOutEverywhere } from '../../../src/users/sessions/end-access.js'
import { atPortal, openWorld, type World } from '../../support/models/isolation.js'
import { type Call, during } from '../../support/models/meanwhile.js'
import { makePerson } from '../../support/rooms/delegation.js'
import { openManagement, refusal } from '../../support/rooms/management.js'

const open = async (t: Test) => openWorld(await openManagement(t))
const nothing = async () => undefined

/** What does not write through the directory's or the people's own writes alone. */
async function callsOf({ testApp, tenantA, make }: World): Promise<Call[]> {
  const application = await make.application()
  return [
    { method: 'POST', path: '/revocations', body: { what: 'application', id: application.id } },
    { method: 'POST', path: '/revocations', body: { what: 'credential', id: application.keyId } },
    { method: 'POST', path: '/revocations', body: { what: 'tenant', id: tenantA } },
    { method: 'POST', path: `/applications/${(await make.application()).id}/token`, body: { scope: 'default' } },
    { method: 'POST', path: '/keys/rotate', body: {} },
    { method: 'DELETE', path: `/keys/${testApp.keyring.signingKey('token').kid}` },
    { method: 'POST', path: '/applications', body: { name: `app ${randomUUID()}`, type: 'web' } },
    { method: 'POST', path: '/invitations', body: { email: `${randomUUID()}@x.test`, role: 'member' } },
    { method: 'DELETE', path: `/sessions/${await make.session()}` },
  ]
}

const needsOperator = ({ path }: Call) => path.startsWith('/keys')

t.test('V11 a person who is demoted, disabled or signed out meanwhile writes nothing, by whatever call', async (t) => {
  const world = await open(t)
  const { testApp, tenantA } = world
  const { users } = testApp.deps
  const endings = {
    disabled: (userId: string) => setUserState(users, userId, 'disabled'),
    'signed out everywhere': (userId: string) => signOutEverywhere(users, userId),
    demoted: (userId: string) => setRole(users, { userId, tenantId: tenantA, role: 'member' }),
    'operator no more': (userId: string) => setOperator(users, userId, false),
  }
  const calls = (await callsOf(world)).length
  for (let index = 0; index < calls; index += 1) {
    for (const [name, end] of Object.entries(endings)) {
      const { userId } = await makePerson(testApp.deps, tenantA, { role: 'administrator' })
      testApp.caller.principal = { kind: 'local' }
      const call = (await callsOf(world))[index] as Call
      if (name === 'operator no more' && !needsOperator(call)) continue
      if (needsOperator(call)) await setOperator(users, userId, true)
      const answer = await during(world, atPortal(userId, tenantA), call, () => end(userId))
      t.equal(answer, '403 NoLongerAllowed', `${call.method} ${call.path}: ${name}`)
    }
    const { userId } = await makePerson(testApp.deps, tenantA, { role: 'administrator' })
    const call = (await callsOf(world))[index] as Call
    if (needsOperator(call)) await setOperator(users, userId, true)
    t.equal(await during(world, atPortal(userId, tenantA), call, nothing), 'done', `${call.method} ${call.path}`)
  }
})

t.test('V11 a transaction that runs again asks again', async (t) => {
  const world = await open(t)
  const { testApp, tenantA } = world
  const { userId } = await makePerson(testApp.deps, tenantA, { role: 'administrator' })
  const { feed } = testApp.writes
  const conflicting: Pick<Feed, 'commit'> = {
    async commit(work) {
      testApp.writes.feed = feed
      // The first time comes to nothing, as after a conflict on PostgreSQL.
      const undone = new Error('undone')
      await feed
        .commit(async (tx, record) => {
          await work(tx, record)
          throw undone
        })
        .catch((error: unknown) => {
          if (error !== undone) throw error
        })
      await setUserState(testApp.deps.users, userId, 'disabled')
      return feed.commit(work)
    },
  }
  testApp.caller.principal = atPortal(userId, tenantA)
  testApp.writes.feed = conflicting
  const answer = await testApp.manage('POST', '/registrationTokens', { label: 'x' })
  t.equal(refusal(answer).code, 'NoLongerAllowed')
  t.same(await testApp.store.reader.selectFrom('registration_tokens').selectAll().execute(), [])
})

t.test('V11 of a call that writes several times each one asks', async (t) => {
  const world = await open(t)
  const { testApp, tenantA } = world
  const { userId } = await makePerson(testApp.deps, tenantA, { role: 'administrator' })
  const other = await makePerson(testApp.deps, tenantA)
  const { users } = testApp.deps
  const { feed } = users
  let writes = 0
  testApp.deps.users.feed = {
    async commit(work) {
      writes += 1
      if (writes === 2) {
        users.feed = feed
        await setUserState(users, userId, 'disabled')
      }
      return feed.commit(work)
    },
  }
  testApp.caller.principal = atPortal(userId, tenantA)
  const answer = await testApp.manage('PATCH', `/users/${other.userId}`, { name: 'Other', state: 'disabled' })
  t.equal(refusal(answer).code, 'NoLongerAllowed')
  const row = await testApp.store.reader
    .selectFrom('users')
    .select(['name', 'state'])
    .where('id', '=', other.userId)
    .executeTakeFirst()
  t.same(row, { name: 'Other', state: 'enabled' })
})

t.test('V11 a session that goes on under another id is the same one', async (t) => {
  const world = await open(t)
  const { testApp, tenantA, a } = world
  const call: Call = { method: 'POST', path: '/applications', body: { name: `app ${randomUUID()}`, type: 'web' } }
  const renew = () =>
    testApp.store.transaction((tx) =>
      tx.updateTable('sessions').set({ id_hash: 'another' }).where('user_id', '=', a.administrator).execute(),
    )
  t.equal(await during(world, atPortal(a.administrator, tenantA), call, renew), 'done')
})
