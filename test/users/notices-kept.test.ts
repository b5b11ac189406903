// No notice is lost: whatever ends between the event and the mail server, it comes, and at most once more than it should.

import t, { type Test } from 'tap'
import { secretValue } from '../../src/config/read/secret-value.js'
import { appendAudit } from '../../src/ledger/append-audit.js'
import { readLedgerHead } from '../../src/storage/sql/ledger/ledger-head.js'
import { readNoticeCursor } from '../../src/storage/sql/people/notices/notice-cursor.js'
import { updateUser } from '../../src/storage/sql/people/users.js'
import type { Store } from '../../src/storage/sql/store.js'
import { setUserState } from '../../src/users/accounts/user-state.js'
import { gatherNotices } from '../../src/users/notices/gather-notices.js'
import { mailNotices } from '../../src/users/notices/notices.js'
import { setWorkMail } from '../../src/users/notices/work-mail.js'
import { mailRates, mailUrl, startMailServer } from '../support/people/mail-server.js'
import { steadyPort } from '../support/programs/steady-port.js'
import { openUsers } from '../support/rooms/users.js'
import { countingStore } from '../support/storage/counting-store.js'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

async function open(t: Test) {
  const server = await startMailServer(t)
  const mail = { url: secretValue(server.url), from: 'gate@example.test', ...mailRates }
  const testApp = await openUsers(t, { mail })
  const { users, store, clock, tenantId } = testApp
  const failures: unknown[] = []
  const deps = { ...users, onMailError: (error: unknown) => void failures.push(error) }
  const away = { ...deps, mail: { ...mail, url: secretValue(mailUrl(await steadyPort())) } }
  const changed = (userId: string) =>
    store.transaction((tx) => appendAudit(deps, tx, { event: 'user.password-changed', userId }), 'first-lock')
  const requested = () =>
    store.transaction((tx) => appendAudit(deps, tx, { event: 'admin-consent.requested', tenantId }), 'first-lock')
  const waiting = () => store.reader.selectFrom('waiting_notices').selectAll().orderBy('position').execute()
  const later = async (ms: number, by: typeof deps = deps) => {
    clock.nowMs += ms
    await mailNotices(by)
  }
  return {
    ...testApp,
    server,
    deps,
    away,
    failures,
    changed,
    requested,
    waiting,
    later,
    round: () => mailNotices(deps),
  }
}

/** The store of a process that is killed before its transaction number `at`. */
function killedBefore(store: Store, at: number): Store {
  let begun = 0
  return {
    ...store,
    reader: store.reader,
    async transaction(work, separation) {
      begun += 1
      if (begun >= at) throw new Error('killed')
      return store.transaction(work, separation)
    },
  }
}

// To gather, to give up old ones, to begin one, to count it; then the mail server has it; to delete it.
for (const [at, mails] of [
  [1, 1],
  [2, 1],
  [3, 1],
  [4, 1],
  [5, 2],
] as const) {
  t.test(
    `C16: killed before step ${at}: ${mails === 1 ? 'it comes once' : 'it comes twice, as the same mail'}`,
    async (t) => {
      const { person, server, deps, store, changed, waiting, later, round } = await open(t)
      const { userId, email } = await person('Ada')
      await changed(userId)
      await t.rejects(mailNotices({ ...deps, store: killedBefore(store, at) }), /killed/)
      await round()
      // What somebody had begun counts as lost after five minutes.
      await later(5 * minuteMs)
      await later(5 * minuteMs)
      t.equal(server.subjectsTo(email).length, mails)
      t.equal(new Set(server.idsTo(email)).size, 1)
      t.same(await waiting(), [])
    },
  )
}

t.test('a mail server that is away for hours is tried once a round, then everything comes', async (t) => {
  const { person, server, away, failures, changed, waiting, later } = await open(t)
  const [ada, bob] = [await person('Ada'), await person('Bob')]
  for (const { userId } of [ada, bob, ada]) await changed(userId)
  for (let at = 0; at < 12; at += 1) await later(hourMs, away)
  t.equal(failures.length, 12, 'a server that takes nothing ends the round')
  t.equal((await waiting()).length, 3)
  await later(hourMs)
  t.same([server.subjectsTo(ada.email).length, server.subjectsTo(bob.email).length], [2, 1])
  t.same(await waiting(), [])
})

t.test('pauses between attempts grow, to half an hour', async (t) => {
  const { person, away, changed, waiting, later, clock } = await open(t)
  const { userId } = await person('Ada')
  await changed(userId)
  const pauses: number[] = []
  for (let at = 0; at < 9; at += 1) {
    await later(hourMs, away)
    const [row] = await waiting()
    pauses.push(((row?.next_at ?? 0) - clock.nowMs) / 1000)
  }
  t.same(pauses, [30, 60, 120, 240, 480, 960, 1800, 1800, 1800])
})

t.test('after three days it is given up, and that is said', async (t) => {
  const { person, away, failures, changed, waiting, later, server } = await open(t)
  const { userId, email } = await person('Ada')
  await changed(userId)
  await later(0, away)
  await later(3 * 24 * hourMs + 1)
  t.same(await waiting(), [])
  t.match(String(failures.at(-1)), /1 notices were not taken .* given up/)
  t.same(server.subjectsTo(email), [])
})

t.test('an address that is refused keeps nobody back, and is given up', async (t) => {
  const { person, server, changed, waiting, later, round } = await open(t)
  const [ada, bob] = [await person('Ada'), await person('Bob')]
  server.refuseAddress(ada.email)
  await changed(ada.userId)
  await changed(bob.userId)
  await round()
  t.equal(server.subjectsTo(bob.email).length, 1)
  t.equal((await waiting()).length, 1)
  for (let at = 0; at < 12; at += 1) await later(hourMs)
  t.same(await waiting(), [], 'after three hours of attempts')
})

t.test('a mail server without room for hours loses nothing', async (t) => {
  const { person, server, changed, waiting, later } = await open(t)
  const { userId } = await person('Ada')
  server.refuse()
  await changed(userId)
  for (let at = 0; at < 20; at += 1) await later(hourMs)
  t.equal((await waiting()).length, 1)
})

t.test('changes beyond the rate of a day come later; what waits for one person has a bound', async (t) => {
  const { person, server, changed, waiting, later, round } = await open(t)
  const { userId, email } = await person('Ada')
  for (let at = 0; at < 120; at += 1) await changed(userId)
  await round()
  t.equal(server.subjectsTo(email).length, 48)
  t.equal((await waiting()).length, 52, 'of a hundred')
  for (let at = 0; at < 30; at += 1) await later(hourMs)
  t.equal(server.subjectsTo(email).length, 100)
})

t.test('who is disabled, or has switched work off, while it waits gets none', async (t) => {
  const { person, users, server, away, changed, requested, waiting, later } = await open(t)
  const [ada, bob] = [await person('Ada', 'owner'), await person('Bob', 'owner')]
  await changed(bob.userId)
  await requested()
  await later(0, away)
  await setWorkMail(users, ada.userId, false)
  await setUserState(users, bob.userId, 'disabled')
  await later(hourMs)
  t.same([...server.subjectsTo(ada.email), ...server.subjectsTo(bob.email)], [])
  t.same(await waiting(), [])
})

t.test('an address that is changed afterwards gets none of what was on its way', async (t) => {
  const { person, server, store, away, changed, later } = await open(t)
  const { userId, email } = await person('Ada')
  await changed(userId)
  await later(0, away)
  await store.transaction((tx) => updateUser(tx, userId, { email: 'mallory@example.test' }))
  await later(hourMs)
  t.same([server.subjectsTo(email).length, server.subjectsTo('mallory@example.test').length], [1, 0])
})

t.test('without a mail server nothing waits, and nothing is told later', async (t) => {
  const { person, server, store, deps, changed, waiting, round } = await open(t)
  const { userId, email } = await person('Ada')
  await changed(userId)
  await mailNotices({ ...deps, mail: undefined })
  t.equal(await readNoticeCursor(store.reader), (await readLedgerHead(store.reader)).position)
  await round()
  t.same([await waiting(), server.subjectsTo(email)], [[], []])
})

t.test('what anybody asks for a hundred times keeps no word of a secret that ends back', async (t) => {
  const { person, server, store, deps, tenantId, requested, waiting, round } = await open(t)
  const { email } = await person('Ada', 'owner')
  for (let at = 0; at < 120; at += 1) await requested()
  const ends = { event: 'secret.expiring' as const, tenantId, applicationId: 'a', details: { days: 7 } }
  const granted = { event: 'admin-consent.granted' as const, tenantId, applicationId: 'a' }
  for (const event of [ends, granted]) await store.transaction((tx) => appendAudit(deps, tx, event), 'first-lock')
  await gatherNotices(deps)
  const kinds = (await waiting()).map(({ kind }) => kind)
  t.same(
    [kinds.filter((kind) => kind === 'admin-consent.requested').length, kinds.slice(100)],
    [100, ['secret.expiring', 'admin-consent.granted']],
  )
  for (let at = 0; at < 3; at += 1) await round()
  t.equal(server.subjectsTo(email).length, 12 + 2, 'of each kind by itself')
})

t.test('many events for many readers are gathered in short steps', async (t) => {
  const { person, users, deps, requested, waiting } = await open(t)
  for (let at = 0; at < 12; at += 1) await person(`P${at}`, 'owner')
  for (let at = 0; at < 60; at += 1) await requested()
  const { store, count } = countingStore(users.store)
  const { mostAtOnce } = await count(() => gatherNotices({ ...deps, store }))
  t.equal((await waiting()).length, 12 * 60)
  t.ok(mostAtOnce.statements <= 200, `${mostAtOnce.statements} statements at once`)
})
