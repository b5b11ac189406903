// Where a notice goes: to who read mail there when it happened. Nobody who takes an account over reads the word of it in
// their own mailbox, or keeps it back with other changes.

import t, { type Test } from 'tap'
import { secretValue } from '../../src/config/read/secret-value.js'
import { appendAudit } from '../../src/ledger/append-audit.js'
import { setUserState } from '../../src/users/accounts/user-state.js'
import { vouchForEmail } from '../../src/users/mail/email-change.js'
import { gatherNotices } from '../../src/users/notices/gather-notices.js'
import { mailNotices } from '../../src/users/notices/notices.js'
import { sendNotices } from '../../src/users/notices/send-notices.js'
import { createSession } from '../../src/users/sessions/sessions.js'
import { mailRates, mailUrl, startMailServer } from '../support/people/mail-server.js'
import { givePasskey } from '../support/people/second-factor.js'
import { steadyPort } from '../support/programs/steady-port.js'
import { openUsers } from '../support/rooms/users.js'

const hourMs = 3_600_000
const intruders = 'mallory@example.test'

async function open(t: Test) {
  const server = await startMailServer(t)
  const mail = { url: secretValue(server.url), from: 'gate@example.test', ...mailRates }
  const testApp = await openUsers(t, { mail })
  const { users, store, clock, person } = testApp
  const ada = await person('Ada')
  const away = { ...users, mail: { ...mail, url: secretValue(mailUrl(await steadyPort())) } }
  const move = (email: string) => vouchForEmail(users, ada.userId, email, { by: 'operator' })
  const note = (event: 'user.password-changed' | 'user.recovery-codes-renewed') =>
    store.transaction((tx) => appendAudit(users, tx, { event, userId: ada.userId }), 'first-lock')
  const signIn = () =>
    createSession(users, {
      ...{ userId: ada.userId, acr: '1', amr: ['pwd'], userAgent: 'x', address: '203.0.113.9', isNewBrowser: true },
    })
  const later = async (ms: number, by: typeof users = users) => {
    clock.nowMs += ms
    await mailNotices(by)
  }
  const waiting = () => store.reader.selectFrom('waiting_notices').selectAll().orderBy('position').execute()
  return { ...testApp, server, ada, away, move, note, signIn, later, waiting }
}

t.test('C14 what happened before an address was changed, and that it was, is told at the one before', async (t) => {
  const { users, server, ada, move, signIn, later } = await open(t)
  await signIn()
  await later(0)
  // All within the seconds until the leader comes by.
  await signIn()
  await givePasskey(users, ada.userId)
  await move(intruders)
  await later(0)
  const subjects = server.subjectsTo(ada.email)
  t.same(subjects.sort(), [
    'New sign-in to your account at portcullis.test',
    'Your account at portcullis.test was changed',
    'Your e-mail address at portcullis.test was changed',
  ])
  t.same(server.subjectsTo(intruders), [])
  await users.store.transaction(
    (tx) => appendAudit(users, tx, { event: 'user.passkey-removed', userId: ada.userId }),
    'first-lock',
  )
  await later(0)
  t.equal(server.subjectsTo(intruders).length, 1, 'what happens from then on is for the new one')
  t.equal(server.subjectsTo(ada.email).length, 3, 'each once')
})

t.test('C16 that an address was changed is kept until the mail server has it, through a restart', async (t) => {
  const { users, server, ada, away, move, later, waiting } = await open(t)
  await move(intruders)
  t.match(await waiting(), [{ email: ada.email, kind: 'address' }], 'written with the change, whatever ends next')
  for (let at = 0; at < 5; at += 1) await later(hourMs, away)
  await setUserState(users, ada.userId, 'disabled')
  await later(hourMs)
  t.match(server.subjectsTo(ada.email), ['Your e-mail address at portcullis.test was changed'])
  t.same([await waiting(), server.subjectsTo(intruders)], [[], []])
})

t.test('C14 another spelling is no other address, and who had none is told nowhere', async (t) => {
  const { users, store, ada, move, waiting } = await open(t)
  await move(ada.email.toUpperCase())
  t.same(await waiting(), [])
  await store.transaction((tx) => tx.updateTable('users').set({ email: '', email_key: null }).execute())
  await vouchForEmail({ ...users }, ada.userId, 'first@example.test', { by: 'operator' })
  t.same(await waiting(), [])
})

t.test('one that is written ahead of the gathering is not sent before it, nor twice', async (t) => {
  const { users, server, ada, move, waiting } = await open(t)
  await givePasskey(users, ada.userId)
  await move(intruders)
  await sendNotices(users)
  t.same([server.subjectsTo(ada.email), (await waiting()).length], [[], 2])
  // Two that lead for a moment, and changes of an address meanwhile.
  await Promise.all([mailNotices(users), move('third@example.test'), gatherNotices(users), mailNotices(users)])
  await mailNotices(users)
  t.equal(server.subjectsTo(ada.email).length, 2)
  t.same(server.subjectsTo(intruders), ['Your e-mail address at portcullis.test was changed'])
  t.same([await waiting(), server.subjectsTo('third@example.test')], [[], []])
})

t.test('C14 no number of other changes keeps the word of an address, a factor or a password back', async (t) => {
  const { users, server, ada, move, note, later } = await open(t)
  for (let at = 0; at < 120; at += 1) await note('user.recovery-codes-renewed')
  await later(0)
  t.equal(server.subjectsTo(ada.email).length, 48)
  t.match(await server.mailTo(ada.email, 'not each of them is mailed'), /new recovery codes/)
  await note('user.password-changed')
  await givePasskey(users, ada.userId)
  await move(intruders)
  await later(0)
  for (const text of ['password of your account was changed', 'passkey was added', 'no longer signs in'])
    t.notMatch(await server.mailTo(ada.email, text), 'not each of them is mailed', text)
})
