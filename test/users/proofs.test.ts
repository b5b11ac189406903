// How people prove who they are: passwords behind their bounded line, codes that work once, links that work once, and
// the brake on guessing all of them.

import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hash } from '@node-rs/argon2'
import { Secret, TOTP } from 'otpauth'
import t from 'tap'
import { createSignInThrottle } from '../../src/limits/sign-in-throttle.js'
import { createInProcessCounters } from '../../src/storage/counters/in-process.js'
import { readUser, updateUser } from '../../src/storage/sql/people/users.js'
import { acceptInvitation, resetPassword, setUp } from '../../src/users/accounts/accept-link.js'
import { linkProvider, listLinkedProviders, unlinkProvider } from '../../src/users/accounts/external-identities.js'
import { createLink, findLink } from '../../src/users/accounts/one-time-links.js'
import { setUserState } from '../../src/users/accounts/user-state.js'
import { findUser } from '../../src/users/accounts/users.js'
import { changePassword } from '../../src/users/credentials/change-password.js'
import { addPasskey, findPasskey, listPasskeys, notePasskey } from '../../src/users/credentials/passkeys.js'
import { createPasswords } from '../../src/users/credentials/password.js'
import { checkNewPassword } from '../../src/users/credentials/password-rules.js'
import { checkPassword } from '../../src/users/credentials/password-sign-in.js'
import { removePasskey } from '../../src/users/credentials/remove-passkey.js'
import {
  addSecondFactor,
  checkSecondFactor,
  removeSecondFactor,
  renewRecoveryCodes,
} from '../../src/users/credentials/second-factor.js'
import { createSeed } from '../../src/users/credentials/totp.js'
import { vouchForEmail } from '../../src/users/mail/email-change.js'
import { findMembership } from '../../src/users/memberships/memberships.js'
import { createSession, findSession } from '../../src/users/sessions/sessions.js'
import { goodPassword, openUsers, type UsersApp } from '../support/rooms/users.js'

const address = '192.0.2.1'
const browser = { acr: '1', amr: ['pwd'], userAgent: 'A browser', address }
const secretOf = (url: string) => url.slice(url.lastIndexOf('/') + 1)

t.test('a new password is long enough, not a common one, and says nothing of the person', async (t) => {
  const person = { email: 'ada.lovelace@example.test', name: 'Ada Lovelace' }
  const refused = [
    'short',
    'password1234',
    'PASSWORD1234!',
    '!!Qwertyuiop123!!',
    'aaaaaaaaaaaaaaaa',
    'abcabcabcabcabc',
    'I am Lovelace!!',
    'x ada.lovelace y',
    '1qaz2wsx3edc',
    `${'x'.repeat(1000)}${'ü'.repeat(30)}`,
  ]
  for (const password of refused) {
    t.throws(() => checkNewPassword(password, person, 12), { code: 'PasswordRefused' }, password.slice(0, 20))
  }
  t.equal(checkNewPassword(goodPassword, person, 12), goodPassword)
  t.equal(
    checkNewPassword('cafe\u0301 au lait tous', person, 12),
    'caf\u00e9 au lait tous',
    'NFC, from whatever keyboard',
  )
  t.equal(checkNewPassword('👩‍🚀 in orbit 🛰', person, 12).length > 0, true)
})

t.test(
  'identity L10: nothing of what guessing begins with is a new password, nor our own name or a part of the address',
  async (t) => {
    const person = { email: 'grace.hopper@navy.test', name: 'Ada' }
    const common = ['qwertyuiop', 'slipknot', 'Butterfly', 'liverpoolfc', 'chocolate', 'manchester']
    for (const word of common) {
      for (const password of [`${word}2026!!!!!!`, `...${word}1234567`, `12345-${word}-123`]) {
        t.throws(() => checkNewPassword(password, person, 12), { code: 'PasswordRefused' }, password)
      }
    }
    for (const password of ['my Portcullis pw', 'x-hopper-y-1906', 'navy-blue-table', 'GRACE and speed']) {
      t.throws(() => checkNewPassword(password, person, 12), { code: 'PasswordRefused' }, password)
    }
    for (const password of ['four green wagons', 'butterfly under glass', 'wq8v-2kfh-z0pt']) {
      t.equal(checkNewPassword(password, person, 12), password)
    }
  },
)

t.test('a password signs in, from any keyboard; everything else is refused with one answer', async (t) => {
  const { users, person, noted } = await openUsers(t)
  const ada = await person('Ada')
  const attempt = (email: string, password: string) => checkPassword(users, { email, password, address })
  t.match(await attempt(' ADA@example.test', goodPassword), {
    kind: 'passed',
    user: { userId: ada.userId },
    needsSecondFactor: false,
  })
  t.same(await attempt('ada@example.test', 'wrong'), { kind: 'refused' })
  t.same(await attempt('nobody@example.test', goodPassword), { kind: 'refused' })
  t.same(await attempt('ada@example.test', ''), { kind: 'refused' })
  t.same(await attempt('', ''), { kind: 'refused' })
  t.same(await attempt('ada@example.test', 'x'.repeat(5000)), { kind: 'refused' })
  await setUserState(users, ada.userId, 'disabled')
  t.same(
    await attempt('ada@example.test', goodPassword),
    { kind: 'refused' },
    'disabled, and the answer says no more than to others',
  )
  t.equal(noted.length, 6)
  t.notMatch(JSON.stringify(noted), /nobody|wrong|seven/, 'what was typed is not noted')
})

t.test('U7 unknown, disabled, without a password, wrong, too long: each costs exactly one hash', async (t) => {
  const { users, store, person } = await openUsers(t)
  await person('Ada')
  const ben = await person('Ben')
  await store.transaction((tx) => updateUser(tx, ben.userId, { password_hash: null }))
  const cost = async (email: string, password: string) => {
    const before = users.passwords.counts.computed
    await checkPassword(users, { email, password, address })
    return users.passwords.counts.computed - before
  }
  const costs = [
    await cost('ada@example.test', goodPassword),
    await cost('ada@example.test', 'wrong password'),
    await cost('nobody@example.test', 'wrong password'),
    await cost('ben@example.test', goodPassword),
    await cost('ada@example.test', 'x'.repeat(5000)),
    await cost('ada@example.test', ''),
    await cost('', ''),
  ]
  t.same(costs, [1, 1, 1, 1, 1, 1, 1])
})

t.test('a hash of former parameters is made anew at the next sign-in', async (t) => {
  const { users, store, person } = await openUsers(t)
  const { userId } = await person('Ada')
  const former = await hash(goodPassword, { memoryCost: 8192, timeCost: 1, algorithm: 2 })
  await store.transaction((tx) => updateUser(tx, userId, { password_hash: former }))
  t.match(await checkPassword(users, { email: 'ada@example.test', password: goodPassword, address }), {
    kind: 'passed',
  })
  const stored = (await readUser(store.reader, 'id', userId))?.password_hash
  t.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  t.match(await checkPassword(users, { email: 'ada@example.test', password: goodPassword, address }), {
    kind: 'passed',
  })
})

t.test('U8 two hashes at a time, a bounded line, and each address has its turn', async (t) => {
  const passwords = createPasswords({ parallel: 2, waiting: 6 })
  const done: string[] = []
  const work = (from: string) =>
    passwords.hash('x', from).then(
      () => void done.push(from),
      (error: { code: string }) => void done.push(`${from}:${error.code}`),
    )
  const flood = Array.from({ length: 10 }, () => work('flood'))
  await null
  t.equal(passwords.counts.computed, 2, 'two at once')
  t.equal(passwords.counts.waiting, 6, 'and six in line')
  const others = ['one', 'two'].map(work)
  t.equal(passwords.counts.waiting, 6, 'the flood made room for others')
  await Promise.all([...flood, ...others])
  t.equal(done.filter((one) => one === 'flood:password_queue_full').length, 4)
  t.ok(done.includes('one') && done.includes('two'), 'a caller from elsewhere is served')
  t.equal(passwords.counts.waiting, 0)
})

t.test('U8 who waits behind a flood of one address is served in turn with it', async (t) => {
  // One at a time, so that they end in the order in which they began.
  const passwords = createPasswords({ parallel: 1, waiting: 6 })
  const served: string[] = []
  const work = (from: string) =>
    passwords.hash('x', from).then(
      () => void served.push(from),
      () => undefined,
    )
  await Promise.all([...Array.from({ length: 10 }, () => work('flood')), ...['one', 'two'].map(work)])
  t.same(served.slice(0, 4), ['flood', 'flood', 'one', 'two'])
  t.equal(served.length, 7)
})

t.test('U7 K7 wrong passwords are slowed by account and address, and the owner signs in from elsewhere', async (t) => {
  const { users, person, clock } = await openUsers(t)
  const { userId } = await person('Ada')
  const attempt = (password: string, from = address) =>
    checkPassword(users, { email: 'ada@example.test', password, address: from })
  const kinds = (await Promise.all(Array.from({ length: 40 }, () => attempt('a wrong one')))).map(({ kind }) => kind)
  t.equal(kinds.filter((kind) => kind === 'refused').length, 10, 'forty at once are no more than ten')
  t.equal(kinds.filter((kind) => kind === 'wait').length, 30)
  const waits = await attempt(goodPassword)
  t.match(waits, { kind: 'wait' }, 'from there the right one waits too')
  t.ok(waits.kind === 'wait' && waits.retryAfterSeconds <= 62, 'a minute')
  t.match(await attempt(goodPassword, '198.51.100.7'), { kind: 'passed' }, 'the owner is let in from elsewhere')
  clock.nowMs += 62_000
  t.match(await attempt(goodPassword), { kind: 'passed' }, 'waiting ends')
  for (let i = 0; i < 9; i += 1) await attempt('wrong')
  await createSession(users, { userId, ...browser })
  t.match(await attempt('wrong'), { kind: 'refused' })
  t.match(
    await attempt('wrong'),
    { kind: 'wait' },
    'a sign-in of the owner tells nobody that there is one, and gives no new guesses',
  )
})

t.test('U7 one address guessing many accounts is slowed, unknown ones count alike', async (t) => {
  const { users } = await openUsers(t)
  const kinds: string[] = []
  for (let i = 0; i < 70; i += 1) {
    kinds.push((await checkPassword(users, { email: `user${i}@example.test`, password: 'wrong', address })).kind)
  }
  t.equal(kinds.filter((kind) => kind === 'refused').length, 60)
})

t.test('U7 the bound of all shuts nobody out who just comes', async (t) => {
  const settings = {
    perAccount: { limit: 10, periodMs: 60_000 },
    perAddress: { limit: 60, periodMs: 60_000 },
    overall: { limit: 20, periodMs: 60_000 },
  }
  const throttle = createSignInThrottle({ counters: createInProcessCounters(), monotonic: () => 0, settings })
  const begin = async (from: string, account: string) => {
    const turn = await throttle.begin({ address: from, account, proof: 'password' })
    if (turn.allowed) await turn.end('failed')
    return turn.allowed
  }
  const flood: boolean[] = []
  for (let from = 0; from < 8; from += 1) {
    for (let i = 0; i < 9; i += 1) flood.push(await begin(`198.51.100.${from}`, `victim${i}`))
  }
  t.equal(flood.filter(Boolean).length, 20 + 8 * 3)
  t.equal(await begin('203.0.113.5', 'victim0'), true, 'an address that just comes has a few attempts of its own')
})

t.test('C14 changing a password takes the old one, and signs out everywhere else', async (t) => {
  const { users, person, grantFor, store } = await openUsers(t)
  const { userId } = await person('Ada')
  const here = await createSession(users, { userId, ...browser })
  const there = await createSession(users, { userId, ...browser })
  const grant = await grantFor(userId)
  const change = (current: string, next: string) =>
    changePassword(users, { userId, current, next, session: here.session.idHash, address })
  await t.rejects(change('not it', 'another good pass phrase'), { code: 'WrongPassword' })
  await t.rejects(change(goodPassword, 'short'), { code: 'PasswordRefused' })
  t.ok(await findSession(users, there.cookie), 'a refused change changes nothing')
  t.same(await change(goodPassword, 'another good pass phrase'), { kind: 'changed' })
  t.ok(await findSession(users, here.cookie))
  t.equal(await findSession(users, there.cookie), undefined)
  const [row] = await store.reader.selectFrom('grants').select('state').where('id', '=', grant).execute()
  t.equal(row?.state, 'ended')
  t.same(await checkPassword(users, { email: 'ada@example.test', password: goodPassword, address }), {
    kind: 'refused',
  })
  const kinds: string[] = []
  for (let i = 0; i < 12; i += 1) {
    kinds.push(
      await change('wrong again', goodPassword).then(
        ({ kind }) => kind,
        (error: { code: string }) => error.code,
      ),
    )
  }
  t.equal(kinds.at(-1), 'wait', 'a stolen session cannot guess the password either')
})

async function enrol(testApp: UsersApp, userId: string) {
  const made = createSeed(testApp.users, { userId, email: 'ada@example.test' })
  const totp = new TOTP({ secret: Secret.fromBase32(made.seed), digits: 6, period: 30, algorithm: 'SHA1' })
  const code = (steps = 0) => totp.generate({ timestamp: testApp.clock.nowMs + steps * 30_000 })
  const recovery = await addSecondFactor(testApp.users, { userId, sealed: made.sealed, code: code() })
  return { made, code, recovery, wrong: (...codes: string[]) => wrongCode(made.seed, testApp.clock.nowMs, codes) }
}

/** Of these the first that is right at none of the steps around now: one of a million might be by chance. */
function wrongCode(seed: string, nowMs: number, codes: readonly string[]): string {
  const totp = new TOTP({ secret: Secret.fromBase32(seed), digits: 6, period: 30, algorithm: 'SHA1' })
  const right = [-1, 0, 1].map((steps) => totp.generate({ timestamp: nowMs + steps * 30_000 }))
  return codes.find((code) => !right.includes(code)) ?? ''
}

const guesses = ['000000', '000001', '000002', '000003']

t.test('a code of time works once, one step around now, also when two arrive at once', async (t) => {
  const testApp = await openUsers(t)
  const { users, store, person, clock } = testApp
  const { userId } = await person('Ada')
  const seed = createSeed(users, { userId, email: 'ada@example.test' })
  t.match(seed.uri, /^otpauth:\/\/totp\/portcullis\.test:ada/)
  const guess = wrongCode(seed.seed, clock.nowMs, guesses)
  await t.rejects(addSecondFactor(users, { userId, sealed: seed.sealed, code: guess }), { code: 'WrongCode' })
  const other = await person('Ben')
  await t.rejects(
    enrol(testApp, other.userId).then(async ({ made }) => {
      await addSecondFactor(users, { userId, sealed: made.sealed, code: '123456' })
    }),
    { code: 'master_key_mismatch' },
    'a sealed seed is for one person',
  )
  const { made, code, recovery, wrong } = await enrol(testApp, userId)
  t.match(await checkPassword(users, { email: 'ada@example.test', password: goodPassword, address }), {
    needsSecondFactor: true,
  })
  const check = (text: string) => checkSecondFactor(users, { userId, code: text, address })
  t.same(await check(code()), { kind: 'refused' }, 'the code that turned it on is used up')
  t.match(await check(code(1)), { kind: 'passed', by: 'code', recoveryCodesLeft: 10 }, 'a clock half a minute ahead')
  t.same(await check(code(1)), { kind: 'refused' }, 'RFC 6238 §5.2: once')
  t.same(await check(code(0)), { kind: 'refused' }, 'nor an older one after it')
  clock.nowMs += 90_000
  const twice = await Promise.all([check(code()), check(code()), check(` ${code().slice(0, 3)} ${code().slice(3)}`)])
  t.equal(twice.filter(({ kind }) => kind === 'passed').length, 1, 'of three at once one passes')
  clock.nowMs += 600_000
  t.same(await check(wrong(code(2), code(3), code(4))), { kind: 'refused' })
  t.same(await check(wrong(code(-2), code(-3), code(-4))), { kind: 'refused' })
  const rows = JSON.stringify([
    await store.reader.selectFrom('users').selectAll().execute(),
    await store.reader.selectFrom('recovery_codes').selectAll().execute(),
  ])
  t.notMatch(rows, made.seed, 'the seed is sealed')
  for (const one of recovery) t.notMatch(rows, one.replaceAll('-', ''), 'and recovery codes are hashed')
})

t.test('a recovery code works once, however it is typed, and wrong six-digit codes never shut it out', async (t) => {
  const testApp = await openUsers(t)
  const { users, person } = testApp
  const { userId } = await person('Ada')
  const { recovery, wrong } = await enrol(testApp, userId)
  t.equal(new Set(recovery).size, 10)
  t.match(recovery[0], /^([a-z2-7]{4}-){3}[a-z2-7]{4}$/)
  const check = (text: string, from = address) => checkSecondFactor(users, { userId, code: text, address: from })
  const kinds = new Map<string, number>()
  for (let i = 0; i < 80; i += 1) {
    const { kind } = await check(wrong(...guesses), `198.51.100.${i}`)
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  }
  t.same(
    [...kinds],
    [
      ['refused', 60],
      ['wait', 20],
    ],
    'U7 guessing codes from many addresses has a bound too',
  )
  const first = (recovery[0] ?? '').toUpperCase().replaceAll('-', ' ')
  const both = await Promise.all([check(first), check(first)])
  t.equal(both.filter(({ kind }) => kind === 'passed').length, 1)
  t.match(await check(recovery[1] ?? ''), { kind: 'passed', by: 'recovery', recoveryCodesLeft: 8 })
  t.same(await check(recovery[1] ?? ''), { kind: 'refused' })
  const renewed = await renewRecoveryCodes(users, userId)
  t.same(await check(recovery[2] ?? ''), { kind: 'refused' }, 'new ones end the former')
  t.match(await check(renewed[0] ?? ''), { kind: 'passed', recoveryCodesLeft: 9 })
})

t.test('C14 removing the second factor signs out everywhere else', async (t) => {
  const testApp = await openUsers(t)
  const { users, person } = testApp
  const { userId } = await person('Ada')
  const { recovery } = await enrol(testApp, userId)
  await t.rejects(enrol(testApp, userId), { code: 'SecondFactorExists' })
  const here = await createSession(users, { userId, ...browser })
  const there = await createSession(users, { userId, ...browser })
  await removeSecondFactor(users, userId, here.session.idHash)
  t.ok(await findSession(users, here.cookie))
  t.equal(await findSession(users, there.cookie), undefined)
  t.same(await checkSecondFactor(users, { userId, code: recovery[0] ?? '', address }), { kind: 'refused' })
  t.equal((await findUser(users.store.reader, userId))?.hasSecondFactor, false)
})

t.test('a passkey is remembered with its counter, which only grows', async (t) => {
  const { users, store, person } = await openUsers(t)
  const [ada, ben] = [await person('Ada'), await person('Ben')]
  const key = {
    credentialId: 'cred',
    userId: ada.userId,
    publicKey: 'pk',
    counter: 0,
    transports: ['internal'],
    name: 'Laptop\u202e',
  }
  await addPasskey(users, key)
  t.match(await findPasskey(store.reader, 'cred'), { ...key, name: 'Laptop', lastUsedAt: null })
  t.equal(await notePasskey(users, { credentialId: 'cred', counter: 0 }), true, 'one without a counter')
  const twice = await Promise.all([7, 7].map((counter) => notePasskey(users, { credentialId: 'cred', counter })))
  t.same(twice.sort(), [false, true], 'of two uses with one counter one is refused')
  t.equal(await notePasskey(users, { credentialId: 'cred', counter: 0 }), false)
  await t.rejects(removePasskey(users, ben.userId, 'cred'), { code: 'PasskeyNotFound' })
  await removePasskey(users, ada.userId, 'cred')
  t.same(await listPasskeys(store.reader, ada.userId), [])
})

t.test('K1 a stolen Store has nothing that lets anybody in: no password, cookie, link, seed or code', async (t) => {
  const testApp = await openUsers(t)
  const { users, person, folder, tenantId } = testApp
  const { userId } = await person('Ada', 'owner')
  const { made, recovery } = await enrol(testApp, userId)
  const { cookie } = await createSession(users, { userId, ...browser })
  const links = [
    await createLink(users, { purpose: 'invitation', tenantId, email: 'cem@example.test', role: 'owner' }),
    await createLink(users, { purpose: 'password-reset', userId }),
  ]
  const secrets = [goodPassword, made.seed, cookie, ...recovery, ...links.map(({ url }) => secretOf(url))]
  const forms = secrets.flatMap((secret) => [secret, secret.replaceAll('-', ''), secret.replace(/^pcl_.._/, '')])
  const stored = readdirSync(folder).filter((name) => name.startsWith('portcullis.db'))
  for (const name of stored) {
    const bytes = readFileSync(join(folder, name))
    t.same(
      forms.filter((form) => bytes.includes(form)),
      [],
      `${name} of ${bytes.length} bytes`,
    )
  }
  const rows = await users.store.reader.selectFrom('users').select('totp_secret').execute()
  for (const { totp_secret: sealed } of rows) {
    t.notOk(Secret.fromUTF8(sealed ?? '').base32.includes(made.seed), 'the seed is not merely written another way')
  }
})

t.test('contract §2: the first owner comes from a link that works once, only while there is no owner', async (t) => {
  const { users, store, tenantId, clock, events } = await openUsers(t)
  const first = await createLink(users, { purpose: 'set-up' })
  t.match(first.url, /^https:\/\/portcullis\.test\/set-up\/pcl_ol_[0-9A-Za-z]{43}$/)
  t.equal(first.link.expiresAt, clock.nowMs + 24 * 3_600_000)
  const { url } = await createLink(users, { purpose: 'set-up' })
  const person = { email: 'ada@example.test', name: 'Ada', password: goodPassword }
  await t.rejects(setUp(users, secretOf(first.url), person), { code: 'LinkNotFound' }, 'a new link ends the one before')
  await t.rejects(setUp(users, secretOf(url), { ...person, password: 'short' }), { code: 'PasswordRefused' })
  t.ok(await findLink(store.reader, secretOf(url), 'set-up', clock.nowMs), 'a refused password does not use it up')
  t.equal(await findLink(store.reader, secretOf(url), 'invitation', clock.nowMs), undefined, 'it is for one purpose')
  const uses = ['ada', 'ben', 'cem'].map((name) =>
    setUp(users, secretOf(url), { ...person, email: `${name}@example.test` }),
  )
  const results = await Promise.allSettled(uses)
  t.equal(results.filter(({ status }) => status === 'fulfilled').length, 1, 'of three uses at once one makes an owner')
  const people = await store.reader.selectFrom('memberships').selectAll().execute()
  t.match(people, [{ tenant_id: tenantId, role: 'owner' }])
  await t.rejects(createLink(users, { purpose: 'set-up' }), { code: 'HasOwner' })
  const rows = JSON.stringify([await store.reader.selectFrom('one_time_links').selectAll().execute(), await events()])
  t.notMatch(rows, secretOf(url), 'neither the Store nor the ledger has the link')
  t.notMatch(rows, secretOf(first.url))
})

t.test(
  'a set-up link ends after a day, and one that is pending when an owner appears makes no second one',
  async (t) => {
    const { users, person, clock } = await openUsers(t)
    const { url } = await createLink(users, { purpose: 'set-up' })
    const input = { email: 'ada@example.test', name: 'Ada', password: goodPassword }
    clock.nowMs += 24 * 3_600_000
    await t.rejects(setUp(users, secretOf(url), input), { code: 'LinkNotFound' })
    const again = await createLink(users, { purpose: 'set-up' })
    await person('Ben', 'owner')
    await t.rejects(setUp(users, secretOf(again.url), input), { code: 'HasOwner' })
  },
)

t.test('an invitation is for one address, one tenant and one role', async (t) => {
  const { users, store, tenantId, clock, person } = await openUsers(t)
  const invitation = (email: string, role: 'member' | 'administrator' = 'member') =>
    createLink(users, { purpose: 'invitation', tenantId, email, role })
  const first = await invitation('Cem@example.test')
  const { url, link } = await invitation('cem@EXAMPLE.test', 'administrator')
  t.equal(link.expiresAt, clock.nowMs + 7 * 24 * 3_600_000)
  const as = { name: 'Cem', password: goodPassword }
  await t.rejects(acceptInvitation(users, secretOf(first.url), as), { code: 'LinkNotFound' }, 'the newer one ended it')
  const both = await Promise.allSettled([1, 2].map(() => acceptInvitation(users, secretOf(url), as)))
  t.equal(both.filter(({ status }) => status === 'fulfilled').length, 1)
  const cem = await users.store.reader
    .selectFrom('users')
    .selectAll()
    .where('email_key', '=', 'cem@example.test')
    .executeTakeFirstOrThrow()
  t.equal(cem.email_verified, 0, 'a link that somebody passed on proves no address')
  t.equal((await findMembership(store.reader, cem.id, tenantId))?.role, 'administrator')
  const ada = await person('Ada', null)
  const forAda = await invitation('ada@example.test')
  await t.rejects(
    acceptInvitation(users, secretOf(forAda.url), as),
    { code: 'EmailTaken' },
    'who has an account signs in first',
  )
  await t.rejects(acceptInvitation(users, secretOf(forAda.url), { userId: cem.id }), { code: 'OtherPerson' })
  await acceptInvitation(users, secretOf(forAda.url), { userId: ada.userId })
  t.equal((await findMembership(store.reader, ada.userId, tenantId))?.role, 'member')
  await t.rejects(acceptInvitation(users, `pcl_om_${secretOf(url).slice(7)}`, as), { code: 'LinkNotFound' })
  await t.rejects(
    createLink(users, { purpose: 'invitation', tenantId: randomUUID(), email: 'x@y.test', role: 'member' }),
    { code: 'TenantNotFound' },
  )
})

t.test('a reset link works once, for an hour, and signs out everywhere; recovery makes an owner again', async (t) => {
  const testApp = await openUsers(t)
  const { users, store, tenantId, clock, person } = testApp
  const { userId } = await person('Ada', 'member')
  const { cookie } = await createSession(users, { userId, ...browser })
  const late = await createLink(users, { purpose: 'password-reset', userId })
  clock.nowMs += 3_600_000
  await t.rejects(resetPassword(users, secretOf(late.url), 'another good pass phrase'), { code: 'LinkNotFound' })
  const { url } = await createLink(users, { purpose: 'password-reset', userId })
  await resetPassword(users, secretOf(url), 'another good pass phrase')
  t.equal(await findSession(users, cookie), undefined)
  await t.rejects(resetPassword(users, secretOf(url), 'yet another pass phrase'), { code: 'LinkNotFound' })
  t.match(await checkPassword(users, { email: 'ada@example.test', password: 'another good pass phrase', address }), {
    kind: 'passed',
  })
  const stale = [await createLink(users, { purpose: 'password-reset', userId })]
  const current = { userId, current: 'another good pass phrase', next: 'one more good pass phrase', address }
  t.same(await changePassword(users, current), { kind: 'changed' })
  stale.push(await createLink(users, { purpose: 'password-reset', userId }))
  await vouchForEmail(users, userId, 'ada.new@example.test', { by: 'operator' })
  for (const one of stale) {
    await t.rejects(resetPassword(users, secretOf(one.url), goodPassword), { code: 'LinkNotFound' }, 'overtaken')
  }
  await enrol(testApp, userId)
  const reset = await createLink(users, { purpose: 'password-reset', userId })
  await resetPassword(users, secretOf(reset.url), 'a third good pass phrase')
  t.equal((await findUser(store.reader, userId))?.hasSecondFactor, true, 'a reset does not take the second factor away')
  await setUserState(users, userId, 'disabled')
  const recovery = await createLink(users, { purpose: 'password-reset', userId, recover: tenantId })
  await resetPassword(users, secretOf(recovery.url), 'a fourth good pass phrase')
  t.match(await findUser(store.reader, userId), { state: 'enabled', hasSecondFactor: false })
  t.equal((await findMembership(store.reader, userId, tenantId))?.role, 'owner')
})

t.test('C14 recovery, and a first proof of the address, leave no way in to who had the account before', async (t) => {
  const testApp = await openUsers(t)
  const { users, store, tenantId, person, grantFor } = testApp
  const { userId } = await person('Ada', 'member')
  const { reader } = store
  const withPasskey = async (credentialId: string) => {
    await addPasskey(users, { credentialId, userId, publicKey: 'AA', counter: 0, transports: [], name: 'theirs' })
    const link = { userId, provider: 'entra', issuer: 'https://entra.test', subject: credentialId }
    await linkProvider(users, link)
  }
  const waysIn = async () => [
    (await listPasskeys(reader, userId)).length,
    (await listLinkedProviders(reader, userId)).length,
  ]
  const reset = async (mailed: boolean, recover?: string) => {
    const { url } = await createLink(users, { purpose: 'password-reset', userId, recover }, { mailed })
    await resetPassword(users, secretOf(url), 'another good pass phrase')
  }
  await withPasskey('one')
  await reset(false)
  t.same(await waysIn(), [1, 1], 'a link from an administrator proves no address')
  await reset(true)
  t.same(await waysIn(), [0, 0], 'a person who took the address without having it has nothing left')
  await withPasskey('two')
  await reset(true)
  t.same(await waysIn(), [1, 1], 'the address was proved before')

  await enrol(testApp, userId)
  await setUserState(users, userId, 'disabled')
  await grantFor(userId)
  const before = (await testApp.events()).length
  await reset(false, tenantId)
  t.same(await waysIn(), [0, 0])
  t.same(
    (await testApp.events()).slice(before).map(({ event }) => event),
    [
      ...['link.created', 'grant.ended', 'user.password-changed', 'membership.changed', 'user.ways-in-removed'],
      ...['user.second-factor-removed', 'user.enabled', 'user.recovered', 'link.used'],
    ],
    'X6 everything that it did; grants come before what only locks the ledger',
  )
})

t.test('C14 with a provider go the sessions that began there, but not the one that unlinks it', async (t) => {
  const { users, person } = await openUsers(t)
  const { userId } = await person('Ada')
  const issuer = 'https://entra.test'
  await linkProvider(users, { userId, provider: 'entra', issuer, subject: 'ada' })
  const begin = (method: string) => createSession(users, { ...browser, userId, amr: [method] })
  const [thief, here, byPassword] = [await begin('fed'), await begin('fed'), await begin('pwd')]
  await unlinkProvider(users, { userId, issuer, except: here.session.idHash })
  t.same(
    await Promise.all(
      [thief, here, byPassword].map(async ({ cookie }) => (await findSession(users, cookie)) !== undefined),
    ),
    [false, true, true],
  )
})
