// What one person or tenant may have at once, and what ends with a person's access.

import { randomUUID } from 'node:crypto'
import t from 'tap'
import { createLink } from '../../src/users/accounts/one-time-links.js'
import { setUserState } from '../../src/users/accounts/user-state.js'
import { changePassword } from '../../src/users/credentials/change-password.js'
import { askForEmail } from '../../src/users/mail/email-change.js'
import { pendingEmails } from '../../src/users/mail/pending-emails.js'
import { endInvitation } from '../../src/users/mail/send-link.js'
import { signOutEverywhere } from '../../src/users/sessions/end-access.js'
import { createSession, findSession, listSessions } from '../../src/users/sessions/sessions.js'
import { goodPassword, openUsers } from '../support/rooms/users.js'

const browser = { acr: '1', amr: ['pwd'], userAgent: 'A browser', address: '192.0.2.1' }

t.test('of one person a hundred sessions live: the one that was used longest ago gives way', async (t) => {
  const { users, store, person, clock } = await openUsers(t)
  const [ada, ben] = [await person('Ada'), await person('Ben')]
  const signIn = ({ userId }: { userId: string }) => {
    clock.nowMs += 1
    return createSession(users, { ...browser, userId })
  }
  const others = await signIn(ben)
  const first = await signIn(ada)
  const second = await signIn(ada)
  for (let more = 0; more < 98; more += 1) await signIn(ada)
  clock.nowMs += 61_000
  t.ok(await findSession(users, first.cookie), 'the oldest is used again')
  const newest = await signIn(ada)
  t.equal((await listSessions(users, ada.userId)).length, 100)
  t.equal(await findSession(users, second.cookie), undefined)
  for (const { cookie } of [first, newest, others]) t.ok(await findSession(users, cookie))
  t.equal((await store.reader.selectFrom('sessions').selectAll().execute()).length, 101)
})

t.test('a clock that was set back keeps nobody from signing in', async (t) => {
  const { users, person, clock } = await openUsers(t)
  const { userId } = await person('Ada')
  for (let count = 0; count < 100; count += 1) await createSession(users, { ...browser, userId })
  clock.nowMs -= 20_000
  const { cookie } = await createSession(users, { ...browser, userId })
  t.ok(await findSession(users, cookie))
  t.equal((await listSessions(users, userId)).length, 100)
})

t.test('C14 an address that waits to be confirmed ends with the access with which it was requested', async (t) => {
  const { users, person } = await openUsers(t)
  const ask = async () => {
    const { userId } = await person(randomUUID())
    await askForEmail(users, userId, `${userId}@elsewhere.test`)
    return userId
  }
  const waits = async (userId: string) => (await pendingEmails(users, [userId])).size === 1
  const change = { current: goodPassword, next: 'nine other violet words', address: '192.0.2.1' }
  for (const [how, end] of [
    ['a new password', (userId: string) => changePassword(users, { ...change, userId })],
    ['a sign-out everywhere', (userId: string) => signOutEverywhere(users, userId)],
    ['a disabling', (userId: string) => setUserState(users, userId, 'disabled')],
  ] as const) {
    const [userId, other] = [await ask(), await ask()]
    t.equal(await waits(userId), true)
    await end(userId)
    t.equal(await waits(userId), false, how)
    t.equal(await waits(other), true, 'and nobody else’s')
  }
})

t.test('invitations count as members, where a tenant has so many and no more', async (t) => {
  const { users, tenantId, person } = await openUsers(t)
  const { userId } = await person('Ada')
  const quotas = { applications: 9, people: 3 }
  const deps = { ...users, quotas, actor: { kind: 'user' as const, userId } }
  const invite = (email: string) => createLink(deps, { purpose: 'invitation', tenantId, email, role: 'member' })
  await invite('one@x.test')
  await invite('one@x.test')
  const { link } = await invite('two@x.test')
  await t.rejects(invite('three@x.test'), { code: 'TooManyPeople', message: /at most 3 .* quotas\.people/ })
  await endInvitation(deps, link.hash)
  await invite('three@x.test')
  // An operator can always let somebody in.
  const operator = { ...deps, actor: { kind: 'operator' as const } }
  await createLink(operator, { purpose: 'invitation', tenantId, email: 'owner@x.test', role: 'owner' })
})
