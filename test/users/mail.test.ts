// Links by mail: they go to the person and to nobody else, and asking for one tells nothing about who has an account.
// And what is over leaves the Store.

import { once } from 'node:events'
import { SMTPServer } from 'smtp-server'
import t, { type Test } from 'tap'
import { secretValue } from '../../src/config/read/secret-value.js'
import { createTenant } from '../../src/directory/tenants/tenants.js'
import { sweepDead } from '../../src/instance/sweep.js'
import { insertPendingRequest } from '../../src/storage/sql/grants/pending-requests.js'
import { acceptInvitation, resetPassword } from '../../src/users/accounts/accept-link.js'
import { createLink, findLink } from '../../src/users/accounts/one-time-links.js'
import { setUserState } from '../../src/users/accounts/user-state.js'
import { findUser } from '../../src/users/accounts/users.js'
import { checkPassword } from '../../src/users/credentials/password-sign-in.js'
import { mailNotice } from '../../src/users/mail/mail.js'
import { nameInMail } from '../../src/users/mail/mail-texts.js'
import { askForPasswordReset, endInvitation, invite, sendPasswordReset } from '../../src/users/mail/send-link.js'
import { MailLimitReached } from '../../src/users/refusal.js'
import { createSession, findSession } from '../../src/users/sessions/sessions.js'
import { mailRates } from '../support/people/mail-server.js'
import { goodPassword, openUsers } from '../support/rooms/users.js'
import { until } from '../support/traffic/until.js'

interface Mail {
  to: string[]
  text: string
}

/** A mail server on this machine that takes everything, or nothing. */
async function mailServer(t: Test) {
  const mails: Mail[] = []
  const state = { refusing: false }
  const server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    logger: false,
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        if (state.refusing) return done(Object.assign(new Error('no room'), { responseCode: 452 }))
        // Quoted-printable, with its soft line ends taken out.
        const text = Buffer.concat(chunks).toString().replace(/=\r\n/g, '').replaceAll('=3D', '=')
        mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), text })
        done()
      })
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  t.teardown(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const { port } = server.server.address() as { port: number }
  const settings = {
    url: secretValue(`smtp://127.0.0.1:${port}`),
    from: 'Portcullis <no-reply@example.test>',
    ...mailRates,
  }
  return { mails, state, settings }
}

const linkIn = ({ text }: Mail) => /https:\/\/portcullis\.test\/\S+\/(pcl_om_\w{43})/.exec(text)?.[1] ?? ''
const address = '192.0.2.1'

t.test('an invitation goes by mail only, and proves the address', async (t) => {
  const { mails, settings, state } = await mailServer(t)
  const { users, store, tenantId } = await openUsers(t, { mail: settings })
  const sent = await invite(users, { tenantId, email: 'Cem@example.test', role: 'member' })
  t.equal(sent.url, undefined, 'who makes it does not see it')
  t.match(mails, [{ to: ['Cem@example.test'] }])
  t.match(mails[0]?.text, /join the organisation/)
  const cem = await acceptInvitation(users, linkIn(mails[0] as Mail), { name: 'Cem', password: goodPassword })
  t.equal((await findUser(store.reader, cem.userId))?.emailVerified, true)
  state.refusing = true
  const error = await invite(users, { tenantId, email: 'dan@example.test', role: 'member' }).catch((thrown) => thrown)
  t.match(error.message, /did not take a mail/)
  t.notMatch(
    JSON.stringify([error.message, error.cause, error.stack]),
    /pcl_om_/,
    'the failure says nothing of the link',
  )
})

t.test('C14 a person hears that their password is guessed at, where there is mail', async (t) => {
  const { mails, settings, state } = await mailServer(t)
  const { users } = await openUsers(t, { mail: settings })
  await mailNotice(users, { email: 'ada@example.test' }, 'manyFailures')
  t.match(mails, [{ to: ['ada@example.test'], text: /many wrong passwords/ }])
  await mailNotice(users, { email: '' }, 'manyFailures')
  t.equal(mails.length, 1, 'who had none gets no mail')
  state.refusing = true
  await t.rejects(mailNotice(users, { email: 'ada@example.test' }, 'manyFailures'), /did not take a mail/)
  const { users: without } = await openUsers(t)
  await mailNotice(without, { email: 'ada@example.test' }, 'manyFailures')
})

t.test('U7 asking for a new password answers alike for everybody, and is slowed', async (t) => {
  const { mails, settings } = await mailServer(t)
  const { users, person } = await openUsers(t, { mail: settings })
  const ada = await person('Ada')
  const ben = await person('Ben')
  await setUserState(users, ben.userId, 'disabled')
  const failed: unknown[] = []
  const ask = (email: string) => askForPasswordReset(users, { email, address }, (error) => void failed.push(error))
  const answers = [await ask('ADA@example.test'), await ask('nobody@example.test'), await ask('ben@example.test')]
  t.same(answers, [undefined, undefined, undefined])
  await until('a mail', () => mails.length > 0)
  t.same(
    mails.map(({ to }) => to),
    [['ada@example.test']],
    'and only who can use it gets a mail',
  )
  await resetPassword(users, linkIn(mails[0] as Mail), 'another good pass phrase')
  t.equal((await findUser(users.store.reader, ada.userId))?.emailVerified, true)
  const more: (number | undefined)[] = []
  for (let i = 0; i < 10; i += 1) more.push(await ask('nobody@example.test'))
  t.equal(more.filter((wait) => wait === undefined).length, 9, 'ten a minute for an address from one place')
  t.same(failed, [])
})

t.test('U7 someone who asks in another’s name neither fills the mailbox nor ends a link that is out', async (t) => {
  const { mails, settings, state } = await mailServer(t)
  const { users, person, clock, store } = await openUsers(t, { mail: settings })
  const { userId } = await person('Ada')
  const operator = await createLink(users, { purpose: 'password-reset', userId })
  const failed: unknown[] = []
  const fail = (error: unknown) => void failed.push(error)
  const ask = (from: number) =>
    askForPasswordReset(users, { email: 'ada@example.test', address: `198.51.100.${from}` }, fail)
  const settled = (done: () => boolean) => until('the requested mail', done)
  const works = async (secret: string) =>
    (await findLink(store.reader, secret, 'password-reset', clock.nowMs)) !== undefined
  await ask(1)
  await settled(() => mails.length === 1)
  for (let from = 2; from < 10; from += 1) await ask(from)
  // A link of somebody else, made after them: their request was dealt with before it.
  await createLink(users, { purpose: 'password-reset', userId: (await person('Ben')).userId })
  t.equal(mails.length, 1)
  t.ok(await works(linkIn(mails[0] as Mail)))
  t.ok(await works(operator.url.slice(operator.url.lastIndexOf('/') + 1)), 'what the operator gave stays')
  clock.nowMs += 5 * 60_000
  await ask(10)
  await settled(() => mails.length === 2)
  t.notOk(await works(linkIn(mails[0] as Mail)))
  t.ok(await works(linkIn(mails[1] as Mail)))
  clock.nowMs += 5 * 60_000
  state.refusing = true
  await ask(11)
  await settled(() => failed.length === 1)
  state.refusing = false
  await ask(12)
  await settled(() => mails.length === 3)
  t.ok(await works(linkIn(mails[2] as Mail)), 'a mail that was not taken keeps nobody waiting')
})

t.test('without a mail server the link is shown to its maker', async (t) => {
  const { users, tenantId, person, store, clock } = await openUsers(t)
  const { userId } = await person('Ada')
  t.match((await sendPasswordReset(users, userId)).url, /\/reset-password\/pcl_ol_/)
  const { url = '', link } = await invite(users, { tenantId, email: 'cem@example.test', role: 'member' })
  await endInvitation(users, link.hash)
  t.equal(await findLink(store.reader, url.slice(url.lastIndexOf('/') + 1), 'invitation', clock.nowMs), undefined)
  await t.rejects(endInvitation(users, link.hash), { code: 'LinkNotFound' })
})

t.test('the sweep takes what is over, and nothing else', async (t) => {
  const { users, store, clock, person, tenantId, now } = await openUsers(t)
  const { userId } = await person('Ada')
  const browser = { userId, acr: '1', amr: ['pwd'], userAgent: '', address }
  const count = async (table: 'sessions' | 'one_time_links') =>
    (await store.reader.selectFrom(table).selectAll().execute()).length
  await createSession(users, browser)
  await createLink(users, { purpose: 'password-reset', userId })
  await createLink(users, { purpose: 'invitation', tenantId, email: 'cem@example.test', role: 'member' })
  const sweep = () => sweepDead({ store, now, sessionIdleMs: users.settings.sessionIdleMs })
  clock.nowMs += 90 * 60_000
  await sweep()
  t.same([await count('sessions'), await count('one_time_links')], [1, 2], 'over for half an hour stays')
  clock.nowMs += 60 * 60_000
  await sweep()
  t.same([await count('sessions'), await count('one_time_links')], [1, 1])
  const late = await createSession(users, browser)
  clock.nowMs += 7 * 3_600_000
  await sweep()
  t.equal(await count('sessions'), 1, 'unused for nine hours and more')
  t.ok(await findSession(users, late.cookie))
})

t.test('sessions through a provider that was taken away go once nobody uses them, and no others', async (t) => {
  const { users, store, clock, person, now } = await openUsers(t)
  const { userId } = await person('Ada')
  const ways = ['', 'password', 'provider:corp', 'provider:gone']
  for (const way of ways) await createSession(users, { userId, way, acr: '1', amr: ['pwd'], userAgent: '', address })
  const left = async () =>
    (await store.reader.selectFrom('sessions').select('sign_in_way').execute()).map((row) => row.sign_in_way).sort()
  const sweep = (providers: string[]) =>
    sweepDead({
      ...{ store, now, sessionIdleMs: users.settings.sessionIdleMs },
      providers: new Map(providers.map((name) => [name, {}])),
    })
  await sweep(['corp'])
  t.same(await left(), ways, 'an instance that has it still may have just used one')
  clock.nowMs += 61 * 60_000
  await sweep(['corp', 'gone'])
  t.same(await left(), ways)
  await sweep(['corp'])
  t.same(await left(), ['', 'password', 'provider:corp'])
  await sweep([])
  t.same(await left(), ['', 'password'])
})

t.test(
  'half sign-ins that are over go, however many: a sweep ends when nothing is left; no other gives way',
  async (t) => {
    const { store, clock, now } = await openUsers(t)
    const begin = (from: number, count: number, expiresAt: number) =>
      store.transaction(async (tx) => {
        for (let i = from; i < from + count; i += 1) {
          const row = { browser_hash: 'b', kind: 'second-factor', application_id: null, body: '{}' }
          await insertPendingRequest(tx, { ...row, id_hash: `r${i}`, created_at: i, expires_at: expiresAt })
        }
      })
    const left = async () =>
      (await store.reader.selectFrom('pending_requests').select('created_at').orderBy('created_at').execute()).map(
        (row) => Number(row.created_at),
      )
    const sweep = () => sweepDead({ store, now, sessionIdleMs: 1 })
    await begin(0, 1_300, clock.nowMs - 3_600_001)
    await sweep()
    t.same(await left(), [], 'more than two batches that are over')
    await begin(2_000, 700, clock.nowMs + 3_600_000)
    await sweep()
    t.equal((await left()).length, 700, 'identity M7: nobody pushes out what somebody waits with')
  },
)

t.test('identity M9: nobody fills mailboxes or sends what they like in a tenant’s name', async (t) => {
  const { mails, settings } = await mailServer(t)
  const { users, tenantId, clock, writes } = await openUsers(t, {
    mail: { ...settings, perTenant: { limit: 6, periodMs: 60_000 }, perRecipient: { limit: 3, periodMs: 60_000 } },
  })
  const { tenantId: other } = await createTenant(writes, { name: 'Fabrikam' })
  const send = async (tenant: string, email: string) => {
    const answer = await invite(users, { tenantId: tenant, email, role: 'member' }).catch((error: unknown) => error)
    return answer instanceof MailLimitReached ? answer.retryAfterSeconds : 'sent'
  }
  for (let i = 0; i < 3; i += 1) t.equal(await send(tenantId, 'cem@example.test'), 'sent')
  t.ok(Number(await send(tenantId, 'CEM@example.test')) > 0, 'one mailbox, however it is spelt')
  t.ok(Number(await send(other, 'cem@example.test')) > 0, 'and whichever tenant it is')
  for (let i = 0; i < 3; i += 1) t.equal(await send(tenantId, `p${i}@example.test`), 'sent')
  t.ok(Number(await send(tenantId, 'p9@example.test')) > 0, 'a tenant has so many')
  t.equal(await send(other, 'p9@example.test'), 'sent', 'another one is not held up by it')
  t.equal(mails.length, 7)
  // What is counted is in the Store: another instance counts on, and so does this one after a restart.
  clock.nowMs += 21_000
  t.equal(await send(tenantId, 'cem@example.test'), 'sent', 'and it comes back bit by bit')
  t.ok(Number(await send(tenantId, 'cem@example.test')) > 0)
})

t.test('identity M9: no flood of other mail keeps somebody from a new password or from word of a change', async (t) => {
  const { mails, settings } = await mailServer(t)
  const { users, tenantId, person } = await openUsers(t, {
    mail: { ...settings, perRecipient: { limit: 1, periodMs: 86_400_000 } },
  })
  const ada = await person('Ada')
  await invite(users, { tenantId, email: ada.email, role: 'member' })
  await t.rejects(invite(users, { tenantId, email: ada.email, role: 'member' }), MailLimitReached)
  await sendPasswordReset(users, ada.userId)
  await mailNotice(users, ada, 'manyFailures')
  t.equal(mails.length, 3)
})

t.test('identity M9: a mail says nothing that a tenant’s name wants to say', async (t) => {
  for (const name of ['Contoso', 'Müller & Söhne', 'St. Mary Hospital', '株式会社コントソ', 'Контосо']) {
    const said = nameInMail(name)
    if (name.includes('&')) t.equal(said, undefined)
    else t.equal(said, name)
  }
  const wicked = [
    'Your Portcullis account is locked. Unlock: https://evil.example/unlock',
    'evil.example',
    'evil．example',
    'evil。example',
    'go to evil . example/x',
    'mail us@evil',
    'Contoso\r\nBcc: x',
    'Contoso\u2028Reset now',
    'Call +1 555 123 4567',
    'Urgent, your invoice',
    'a'.repeat(61),
    'www evil example',
    '',
  ]
  const { mails, settings } = await mailServer(t)
  const { users, tenantId, store } = await openUsers(t, {
    mail: { ...settings, perRecipient: { limit: 99, periodMs: 1 } },
  })
  for (const name of wicked) {
    t.equal(nameInMail(name), undefined, encodeURI(name))
    await store.transaction((tx) => tx.updateTable('tenants').set({ name }).where('id', '=', tenantId).execute())
    await invite(users, { tenantId, email: 'cem@example.test', role: 'member' })
    const [head = '', text = ''] = (mails.at(-1)?.text ?? '').split('\r\n\r\n')
    t.match(head, /Subject: Invitation to portcullis\.test\r\n/, encodeURI(name))
    t.notMatch(head, /^Bcc:|text\/html|multipart/im)
    const links = [...mails.at(-1)!.text.matchAll(/https?:\/\/[^/\s]+/g)].map(([link]) => link)
    t.same([...new Set(links)], ['https://portcullis.test'], 'only our own link')
    t.notMatch(text, /evil|locked|555/)
  }
})

t.test('identity M4: whose password is guessed at gets a mail about it, once a day', async (t) => {
  const { mails, settings } = await mailServer(t)
  const { users, person } = await openUsers(t, { mail: settings })
  const ada = await person('Ada')
  const guess = (n: number) =>
    checkPassword(users, { email: ada.email, password: `wrong ${n}`, address: `198.51.100.${n}` })
  for (let n = 0; n < 100; n += 1) t.equal((await guess(n)).kind, 'refused')
  t.equal((await guess(101)).kind, 'wait')
  await until('she gets a mail', () => mails.length > 0)
  t.match(mails, [{ to: [ada.email], text: /Many failed sign-ins[\s\S]*\/reset-password/ }])
  t.equal(await users.mayTell(ada.userId), false, 'and not again today')
})
