// Word by mail of what the ledger tells: to whom, within bounds, and what one can switch off. That none is lost is in
// notices-kept.test.ts.

import t, { type Test } from 'tap'
import { secretValue } from '../../src/config/read/secret-value.js'
import { addOwner } from '../../src/directory/applications/owners.js'
import { appendAudit } from '../../src/ledger/append-audit.js'
import type { LedgerEvent } from '../../src/ledger/ledger.js'
import { readLedgerHead } from '../../src/storage/sql/ledger/ledger-head.js'
import { readNoticeCursor } from '../../src/storage/sql/people/notices/notice-cursor.js'
import { setUserState } from '../../src/users/accounts/user-state.js'
import { mailNotices } from '../../src/users/notices/notices.js'
import { setWorkMail } from '../../src/users/notices/work-mail.js'
import { createSession } from '../../src/users/sessions/sessions.js'
import { mailRates, startMailServer } from '../support/people/mail-server.js'
import { givePasskey } from '../support/people/second-factor.js'
import { openUsers } from '../support/rooms/users.js'

async function open(t: Test) {
  const server = await startMailServer(t)
  const mail = { url: secretValue(server.url), from: 'gate@example.test', ...mailRates }
  const testApp = await openUsers(t, { mail })
  const { users, store, tenantId } = testApp
  const note = (event: Omit<LedgerEvent, 'actor'>, actor: LedgerEvent['actor'] = { kind: 'system' }) =>
    store.transaction((tx) => appendAudit({ ...users, actor }, tx, event), 'first-lock')
  const isAllRead = async () => (await readNoticeCursor(store.reader)) === (await readLedgerHead(store.reader)).position
  return { ...testApp, server, note, isAllRead, tenantId, round: () => mailNotices(users) }
}

t.test(
  'people hear of a sign-in with a new browser and of a changed factor; of the first sign-in they do not',
  async (t) => {
    const { person, users, server, round, isAllRead } = await open(t)
    const { userId, email } = await person('Ada')
    const signIn = (isNewBrowser: boolean) =>
      createSession(users, { userId, acr: '1', amr: ['pwd'], userAgent: 'x', address: '203.0.113.9', isNewBrowser })
    await signIn(true)
    await signIn(false)
    await round()
    t.same(server.subjectsTo(email), [], 'neither the first of all nor a known browser')
    await signIn(true)
    await givePasskey(users, userId)
    await round()
    t.match(
      await server.mailTo(email, 'new password and end that session'),
      /https:\/\/portcullis\.test\/account\/sessions/,
    )
    t.match(await server.mailTo(email, 'passkey was added'), /Subject: Your account at portcullis\.test was changed/)
    t.ok(await isAllRead())
    await round()
    t.equal(server.subjectsTo(email).length, 2, 'each once')
  },
)

t.test('two that lead for a moment tell it once', async (t) => {
  const { person, users, server, round } = await open(t)
  const { userId, email } = await person('Ada')
  await givePasskey(users, userId)
  await Promise.all([round(), round(), round()])
  t.equal(server.subjectsTo(email).length, 1)
})

t.test(
  'administrators hear of requests and granted consents, owners of secrets that end; who did it does not',
  async (t) => {
    const { person, server, round, note, tenantId, writes, registerDemo } = await open(t)
    const [ada, bob, mia] = [
      await person('Ada', 'owner'),
      await person('Bob', 'administrator'),
      await person('Mia', 'developer'),
    ]
    const { registration } = await registerDemo({ tenantId, consentBy: undefined })
    const { applicationId } = registration
    await addOwner(writes, applicationId, { kind: 'user', ownerId: mia.userId })
    const about = { applicationId, tenantId }
    await note({ event: 'admin-consent.requested', ...about, userId: mia.userId }, { kind: 'user', userId: mia.userId })
    await note({ event: 'admin-consent.granted', ...about }, { kind: 'user', userId: bob.userId })
    await note({ event: 'secret.expiring', ...about, details: { days: 7 } })
    await round()
    t.match(await server.mailTo(ada.email, 'asks for consent'), /consent-requests/)
    t.match(await server.mailTo(bob.email, 'asks for consent'), /consent-requests/)
    t.match(await server.mailTo(ada.email, 'consented for everybody'), /consents\/apps/)
    t.match(await server.mailTo(mia.email, 'ends in 7 days'), /credentials/)
    t.equal(server.subjectsTo(ada.email).length, 2, 'the secret has an owner who looks after it')
    t.equal(server.subjectsTo(bob.email).length, 1, 'who granted it knows')
    t.equal(server.subjectsTo(mia.email).length, 1)
  },
)

t.test('work can be switched off, word of the account cannot; who is disabled hears of nothing', async (t) => {
  const { person, users, server, round, note, tenantId } = await open(t)
  const [ada, bob] = [await person('Ada', 'owner'), await person('Bob', 'administrator')]
  await setWorkMail(users, ada.userId, false)
  await setUserState(users, bob.userId, 'disabled')
  await note({ event: 'admin-consent.requested', tenantId })
  await givePasskey(users, ada.userId)
  await round()
  t.same(server.subjectsTo(ada.email), ['Your account at portcullis.test was changed'])
  t.same(server.subjectsTo(bob.email), [])
})

t.test('nobody gets more than so many a day, of any kind, and none keeps the other back', async (t) => {
  const { person, server, round, note, tenantId } = await open(t)
  const ada = await person('Ada', 'owner')
  for (let at = 0; at < 20; at += 1) await note({ event: 'admin-consent.requested', tenantId })
  for (let at = 0; at < 30; at += 1) {
    await note({ event: 'user.signed-in', userId: ada.userId, details: { newBrowser: true } })
  }
  await note({ event: 'user.password-changed', userId: ada.userId })
  await round()
  t.equal(server.subjectsTo(ada.email).filter((subject) => /consent waits/.test(subject)).length, 12)
  t.equal(server.subjectsTo(ada.email).filter((subject) => /sign-in/i.test(subject)).length, 12)
  t.equal(server.subjectsTo(ada.email).filter((subject) => /was changed/.test(subject)).length, 1, 'what counts comes')
})
