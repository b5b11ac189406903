// People and their memberships: who they are, what a role permits, and that a tenant never loses its last owner.

import t from 'tap'
import { createTenant } from '../../src/directory/tenants/tenants.js'
import { findProfile } from '../../src/storage/sql/resources/profiles.js'
import { deleteUser, setUserState } from '../../src/users/accounts/user-state.js'
import { changeUser, createUser, findUser, findUserByEmail } from '../../src/users/accounts/users.js'
import { askForEmail } from '../../src/users/mail/email-change.js'
import { removeMembership } from '../../src/users/memberships/leave-tenant.js'
import { addMembership, findMembership, listMemberships, setRole } from '../../src/users/memberships/memberships.js'
import { isAdministrator, type isAtLeast, permissionsFor } from '../../src/users/memberships/roles.js'
import { signOutEverywhere } from '../../src/users/sessions/end-access.js'
import { createSession, endSession, findSession, listSessions } from '../../src/users/sessions/sessions.js'
import { ownResource } from '../support/rooms/directory.js'
import { openUsers, type UsersApp } from '../support/rooms/users.js'

const browser = { acr: '1', amr: ['pwd'], userAgent: 'A browser', address: '192.0.2.1' }
const token = (userId: string, tenantId: string, grantId: string, seq: number) => ({
  ...{ jti: 'j', credentialId: 'c', applicationId: 'a', userId, tenantId, grantId, seq },
})

t.test('an address is one address however it is spelt, and nobody has it twice', async (t) => {
  const { users, store, person } = await openUsers(t)
  const user = await person('Ada')
  t.match(user, { email: 'ada@example.test', state: 'enabled', idProvider: 'local', hasPassword: true })
  t.equal((await findUserByEmail(store.reader, '  ADA@Example.TEST '))?.userId, user.userId)
  t.equal((await findUser(store.reader, user.userId.toUpperCase()))?.userId, user.userId)
  t.equal(await findUser(store.reader, 'ada'), undefined)
  await t.rejects(createUser(users, { email: 'Ada@Example.test', name: 'Other' }), { code: 'EmailTaken' })
  // U+0065 U+0301 and U+00E9 are one character to people.
  await createUser(users, { email: 'rene\u0301@example.test', name: 'René' })
  t.ok(await findUserByEmail(store.reader, 'ren\u00e9@example.test'))
  const both = ['one@example.test', 'ONE@example.test'].map((email) => createUser(users, { email, name: 'One' }))
  const results = await Promise.allSettled(both)
  t.equal(results.filter(({ status }) => status === 'fulfilled').length, 1, 'of two at once one is added')
  for (const wrong of [
    '',
    'ada',
    '@example.test',
    'a b@c.d',
    'a@b..c',
    '.a@b.c',
    'a@-b.c',
    'a\u202e@b.c',
    'a@b\n.c',
    `${'a'.repeat(250)}@b.c`,
    '"a b"@c.d',
    'a@b@c.d',
    'a@[::1]',
  ]) {
    await t.rejects(createUser(users, { email: wrong, name: 'X' }), { code: 'InvalidEmail' }, JSON.stringify(wrong))
  }
  t.match(await changeUser(users, user.userId, { name: 'Ada L.' }), { name: 'Ada L.', email: user.email })
  await t.rejects(changeUser(users, user.userId, { name: 'A\u202eB' }), { code: 'InvalidName' })
})

t.test('a membership brings the profile of GET /api/v2/me with it, and takes it away', async (t) => {
  const { users, store, writes, tenantId, person } = await openUsers(t)
  const ben = await person('Ben')
  const unproven = await findProfile(store.reader, { tenantId, userId: ben.userId })
  t.equal(unproven?.email, '', 'what nobody confirmed is not shown')
  const input = { email: 'ada@example.test', name: 'Ada Example', emailVerified: true }
  const { userId } = await createUser(users, { ...input, membership: { tenantId, role: 'owner' } })
  const profile = await findProfile(store.reader, { tenantId, userId })
  t.match(profile, {
    public_name: 'Ada Example',
    id_provider: 'local',
    email: 'ada@example.test',
    currency_id: 'EUR.DE',
  })
  t.match(profile?.avatar_url, /^data:image\/jpeg;base64,/)
  t.equal(Object.values(profile ?? {}).filter((value) => value === null || value === '').length, 0, 'nothing is empty')
  const other = await createTenant(writes, { name: 'Fabrikam' })
  await addMembership(users, { userId, tenantId: other.tenantId, role: 'member' })
  t.equal((await findProfile(store.reader, { tenantId, userId }))?.enrollments_count, 2)
  await t.rejects(addMembership(users, { userId, tenantId, role: 'member' }), { code: 'AlreadyMember' })
  t.equal((await listMemberships(store.reader, { userId })).length, 2)
  await removeMembership(users, { userId, tenantId: other.tenantId })
  t.equal(await findProfile(store.reader, { tenantId: other.tenantId, userId }), undefined)
  t.equal((await findProfile(store.reader, { tenantId, userId }))?.enrollments_count, 1)
  await t.rejects(removeMembership(users, { userId, tenantId: other.tenantId }), { code: 'MembershipNotFound' })
})

t.test('contract §4: a role is a ceiling for delegated permissions', async (t) => {
  const { catalogue } = await openUsers(t)
  const find: typeof catalogue.find = (kind, resource, id) => {
    const found = catalogue.find(kind, resource, id)
    return found && id === 'assets_delete' ? { ...found, role: 'administrator' } : found
  }
  const requested = ['assets_delete', 'User.Read', 'unknown', 'assets_read']
  const of = (role: Parameters<typeof isAtLeast>[0]) =>
    permissionsFor({ role, isOperator: false }, { ...catalogue, find }, ownResource, requested)
  t.same(of('member'), ['User.Read', 'assets_read'])
  t.same(of('developer'), ['User.Read', 'assets_read'])
  t.same(of('administrator'), ['assets_delete', 'User.Read', 'assets_read'])
  t.same(of('owner'), ['assets_delete', 'User.Read', 'assets_read'])
  t.ok(isAdministrator('owner') && isAdministrator('administrator') && !isAdministrator('developer'))
})

t.test('the last owner of a tenant cannot be demoted, removed, disabled or deleted', async (t) => {
  const { users, tenantId, person, store } = await openUsers(t)
  const { userId } = await person('Ada', 'owner')
  const attempts = (): Promise<unknown>[] => [
    setRole(users, { userId, tenantId, role: 'administrator' }),
    removeMembership(users, { userId, tenantId }),
    setUserState(users, userId, 'disabled'),
    deleteUser(users, userId),
  ]
  for (const attempt of attempts()) await t.rejects(attempt as Promise<void>, { code: 'LastOwner' })
  const second = await person('Ben', 'owner')
  await setUserState(users, second.userId, 'disabled')
  for (const attempt of attempts())
    await t.rejects(attempt as Promise<void>, { code: 'LastOwner' }, 'a disabled owner is none')
  await setUserState(users, second.userId, 'enabled')
  const both = await Promise.allSettled([
    setRole(users, { userId, tenantId, role: 'member' }),
    setRole(users, { userId: second.userId, tenantId, role: 'member' }),
  ])
  t.equal(
    both.filter(({ status }) => status === 'fulfilled').length,
    1,
    'of two owners who step down at once one stays',
  )
  t.equal((await listMemberships(store.reader, { tenantId })).filter(({ role }) => role === 'owner').length, 1)
})

t.test(
  'C14 a lower role, and the end of a membership, end the grants of this person in this tenant and no others',
  async (t) => {
    const { users, writes, tenantId, person, store, grantFor, view } = await openUsers(t)
    const other = await createTenant(writes, { name: 'Fabrikam' })
    await person('Owner', 'owner')
    const { userId } = await person('Ada', 'administrator')
    const ben = await person('Ben', 'administrator')
    await addMembership(users, { userId, tenantId: other.tenantId, role: 'member' })
    const [here, there, bens] = [
      await grantFor(userId),
      await grantFor(userId, other.tenantId),
      await grantFor(ben.userId),
    ]
    const states = async () => {
      const rows = await store.reader.selectFrom('grants').select(['id', 'state']).execute()
      return [here, there, bens].map((id) => rows.find((row) => row.id === id)?.state)
    }
    const { seq } = view
    await setRole(users, { userId, tenantId, role: 'owner' })
    t.same(await states(), ['active', 'active', 'active'], 'a higher role takes nothing')
    await setRole(users, { userId, tenantId, role: 'developer' })
    t.same(await states(), ['ended', 'active', 'active'])
    t.equal(view.refusal(token(userId, tenantId, here, seq), 0), 'grant_revoked')
    t.equal(view.refusal(token(userId, other.tenantId, there, seq), 0), undefined)
    await removeMembership(users, { userId, tenantId: other.tenantId })
    t.same(await states(), ['ended', 'ended', 'active'])
    t.equal(await findMembership(store.reader, userId, other.tenantId), undefined)
  },
)

t.test('C12 C13 a session is 256 random bits, kept as a hash, and lives as long as the server says', async (t) => {
  const { users, store, clock, person, events } = await openUsers(t)
  const { userId } = await person('Ada')
  const { session, cookie } = await createSession(users, { userId, ...browser })
  t.match(cookie, /^pcl_se_[0-9A-Za-z]{43}$/)
  t.notMatch(JSON.stringify(await store.reader.selectFrom('sessions').selectAll().execute()), cookie)
  t.match(await findSession(users, cookie), {
    userId,
    acr: '1',
    amr: ['pwd'],
    authTime: Math.floor(clock.nowMs / 1000),
    authenticatedAt: clock.nowMs,
  })
  t.equal(await findSession(users, `${cookie}x`), undefined)
  t.equal(await findSession(users, session.idHash), undefined)
  clock.nowMs += 7 * 3_600_000
  t.ok(await findSession(users, cookie), 'it was used within eight hours')
  clock.nowMs += 7 * 3_600_000
  t.ok(await findSession(users, cookie), 'and again, because that use counted')
  clock.nowMs += 30_000
  await findSession(users, cookie)
  t.equal((await listSessions(users, userId))[0]?.lastSeenAt, clock.nowMs - 30_000, 'written at most once a minute')
  clock.nowMs += 8 * 3_600_000
  t.equal(await findSession(users, cookie), undefined, 'idle for too long')
  t.same(await listSessions(users, userId), [])
  const second = await createSession(users, { userId, ...browser })
  const end = clock.nowMs + 7 * 24 * 3_600_000
  while (clock.nowMs + 3_600_000 < end) {
    clock.nowMs += 3_600_000
    if ((await findSession(users, second.cookie)) === undefined) t.fail('it ended early')
  }
  clock.nowMs = end
  t.equal(await findSession(users, second.cookie), undefined, 'over, however much it is used')
  const third = await createSession(users, { userId, ...browser })
  const fourth = await createSession(users, { userId, ...browser, replaces: third.session.idHash })
  t.equal(await findSession(users, third.cookie), undefined, 'C12 the one before ended at sign-in')
  t.equal(await endSession(users, { idHash: fourth.session.idHash, userId: 'somebody else' }), false)
  t.ok(await findSession(users, fourth.cookie))
  t.equal(await endSession(users, { idHash: fourth.session.idHash, userId }), true)
  t.equal(await findSession(users, fourth.cookie), undefined)
  const names = (await events()).map(({ event }) => event)
  t.equal(names.filter((name) => name === 'user.signed-in').length, 4)
  t.equal(names.filter((name) => name === 'session.ended').length, 1)
})

t.test('C14 a disabled person is out at once, of browsers and of applications, and may come back', async (t) => {
  const { users, view, person, tenantId } = await openUsers(t)
  await person('Owner', 'owner')
  const { userId } = await person('Ada')
  const { cookie } = await createSession(users, { userId, ...browser })
  const before = token(userId, tenantId, 'g', view.seq)
  await setUserState(users, userId, 'disabled')
  t.equal(await findSession(users, cookie), undefined)
  t.equal(view.refusal(before, 0), 'user_revoked')
  t.equal(view.refusal({ ...before, seq: view.seq }, 0), 'user_disabled', 'whenever it was issued')
  await t.rejects(createSession(users, { userId, ...browser }), { code: 'UserDisabled' })
  await setUserState(users, userId, 'enabled')
  t.equal(view.refusal({ ...before, seq: view.seq }, 0), undefined)
  t.equal(view.refusal(before, 0), 'user_revoked', 'what was out does not come back')
  t.equal(await findSession(users, cookie), undefined, 'nor do the sessions')
})

t.test(
  'C14 signing out everywhere ends every session but the named one, every grant, and the tokens that are out',
  async (t) => {
    const { users, view, person, tenantId, grantFor } = await openUsers(t)
    const { userId } = await person('Ada')
    const [one, two] = [
      await createSession(users, { userId, ...browser }),
      await createSession(users, { userId, ...browser }),
    ]
    const before = token(userId, tenantId, await grantFor(userId), view.seq)
    await signOutEverywhere(users, userId, one.session.idHash)
    t.ok(await findSession(users, one.cookie))
    t.equal(await findSession(users, two.cookie), undefined)
    t.equal(view.refusal(before, 0), 'user_revoked')
    const again = { ...before, seq: view.seq }
    t.equal(view.refusal(again, 0), undefined, 'what is issued from now on is good')
    await signOutEverywhere(users, userId)
    t.equal(view.refusal(again, 0), 'user_revoked', 'also without a grant')
  },
)

t.test('deleting a person leaves nothing but ids in the ledger', async (t) => {
  const testApp = await openUsers(t)
  const { users, store, view, person, tenantId, grantFor, events } = testApp
  await person('Owner', 'owner')
  const { userId } = await person('Zebediah')
  const { cookie } = await createSession(users, { userId, ...browser })
  const before = token(userId, tenantId, await grantFor(userId), view.seq)
  await changeUser(users, userId, { name: 'Zebediah Two' })
  await askForEmail(users, userId, 'zebediah.two@example.test')
  await deleteUser(users, userId)
  t.equal(await findSession(users, cookie), undefined)
  t.equal(view.refusal(before, 0), 'user_revoked')
  t.equal(await findUser(store.reader, userId), undefined)
  t.equal(await findProfile(store.reader, { tenantId, userId }), undefined)
  await t.rejects(deleteUser(users, userId), { code: 'UserNotFound' })
  const left = await everything(testApp)
  t.notMatch(left, /zebediah/i, 'neither name nor address is anywhere')
  t.ok((await events()).some((one) => one.event === 'user.deleted' && one.userId === userId))
})

/** All rows of the Store as text. */
async function everything({ store }: UsersApp): Promise<string> {
  const tables = [
    'users',
    'memberships',
    'profiles',
    'sessions',
    'ledger',
    'changes',
    'grants',
    'one_time_links',
    'email_changes',
  ] as const
  const rows = await Promise.all(tables.map((table) => store.reader.selectFrom(table).selectAll().execute()))
  return JSON.stringify(rows)
}
