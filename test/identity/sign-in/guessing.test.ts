// Guessing the password of one account from everywhere (NIST SP 800-63B-4 §3.2.2), and its owner meanwhile.

import t from 'tap'
import { createSignInThrottle } from '../../../src/limits/sign-in-throttle.js'
import { createInProcessCounters } from '../../../src/storage/counters/in-process.js'
import { askForPasswordReset } from '../../../src/users/mail/send-link.js'
import type { Shown } from '../../support/browser/scripted-browser.js'
import {
  browserCookie,
  openSignIn,
  password,
  type SignInApp,
  sessionCookie,
  signInWith,
} from '../../support/people/sign-in.js'
import { createSoftAuthenticator } from '../../support/people/webauthn.js'
import { baseUrl } from '../../support/rooms/directory.js'

t.setTimeout(240_000)

const guess = async (testApp: SignInApp, email: string, n: number) =>
  (await signInWith(testApp.browser(`198.51.${n >> 8}.${n & 255}`), email, `wrong ${n}`)).status

function options(page: Shown): { challenge: string } {
  const text = /data-passkey-(?:get|create)="([^"]*)"/.exec(page.body)?.[1] ?? ''
  return JSON.parse(text.replaceAll('&quot;', '"').replaceAll('&amp;', '&'))
}

t.test('identity M4: guesses at an account end, and its owner is not locked out', async (t) => {
  const testApp = await openSignIn(t)
  const ada = await testApp.person('Ada')
  const own = await testApp.signedIn(ada)
  const authenticator = await createSoftAuthenticator(baseUrl)
  const keys = await own.open('/account/passkeys')
  await own.submit(keys, 'passkey-form', { passkey: authenticator.create(options(keys)), name: 'Phone' })
  own.cookies.delete(sessionCookie)
  const checkedUsers: string[] = []
  const mayTell = testApp.deps.users.mayTell
  testApp.deps.users.mayTell = async (userId) => {
    checkedUsers.push(userId)
    return mayTell(userId)
  }
  const statuses = { ada: [] as number[], nobody: [] as number[] }
  for (let n = 0; n < 110; n += 1) {
    statuses.ada.push(await guess(testApp, ada.email, n))
    statuses.nobody.push(await guess(testApp, 'nobody@example.test', n))
  }
  t.same(statuses.ada, [...Array(100).fill(400), ...Array(10).fill(429)], 'a hundred wrong ones')
  t.same(statuses.nobody, statuses.ada, 'U7 who does not exist is answered alike')
  const unknown = testApp.browser('203.0.113.1')
  t.equal(
    (await signInWith(unknown, ada.email, password)).status,
    429,
    'the right one from an unknown browser waits too',
  )
  t.equal((await signInWith(own, ada.email, 'wrong')).status, 400, 'a browser that she has used is looked at')
  t.equal((await signInWith(own, ada.email, password)).path, '/account', 'and signs in')
  const page = await unknown.open('/sign-in')
  const answer = authenticator.get(options(page), { counter: 1 })
  t.equal((await unknown.submit(page, 'passkey-form', { passkey: answer })).path, '/account', 'so does a passkey')
  unknown.cookies.delete(sessionCookie)
  t.equal((await signInWith(unknown, ada.email, password)).path, '/account', 'from then on this browser is known too')
  const { users } = testApp.deps
  const reset = await askForPasswordReset(users, { email: ada.email, address: '203.0.113.2' }, (error) =>
    t.error(error),
  )
  t.equal(reset, undefined, 'a link for a new password can be requested')
  const delayed = testApp.noted.filter(({ event, userId }) => event === 'user.sign-in-delayed' && userId === ada.userId)
  t.ok(delayed.length > 0, 'it is in the activity log')
})

t.test('identity M4: what says that a browser is known fits one person, and cannot be made up', async (t) => {
  const testApp = await openSignIn(t)
  const [ada, eve] = [await testApp.person('Ada'), await testApp.person('Eve')]
  const hers = await testApp.signedIn(eve)
  const device = '__Host-portcullis-device'
  const cookie = hers.cookies.get(device) ?? ''
  t.match(cookie, /^[\w-]{67}$/)
  t.notMatch(cookie, eve.userId)
  for (let n = 0; n < 100; n += 1) await guess(testApp, ada.email, n)
  const tries = {
    'of another person': cookie,
    'with a bit changed': `${cookie.slice(0, -2)}${cookie.endsWith('AA') ? 'BB' : 'AA'}`,
    'too short': cookie.slice(0, 20),
    'a lot of nothing': '.'.repeat(3000),
    none: '',
  }
  for (const [what, value] of Object.entries(tries)) {
    const browser = testApp.browser('203.0.113.9')
    browser.cookies.set(device, value)
    t.equal((await signInWith(browser, ada.email, password)).status, 429, what)
  }
  const shared = testApp.browser('203.0.113.9')
  shared.cookies.set(device, cookie)
  await signInWith(shared, eve.email, password)
  t.match(shared.cookies.get(device), /^[\w-]{67}$/, 'one entry for each person')
  t.not(shared.cookies.get(browserCookie), undefined)
})

t.test('identity M4: a known browser has an end too, and takes nothing from the account', async (t) => {
  const clock = { ms: 0 }
  const many = { limit: 1_000, periodMs: 3_600_000 }
  const throttle = createSignInThrottle({
    ...{ counters: createInProcessCounters(), monotonic: () => clock.ms },
    settings: { perAccount: many, perAddress: many, overall: { limit: 10_000, periodMs: 60_000 } },
  })
  const fail = async (attempt: Partial<Parameters<typeof throttle.begin>[0]>) => {
    const turn = await throttle.begin({ address: '192.0.2.1', account: 'ada', proof: 'password', ...attempt })
    return turn.allowed ? (await turn.end('failed')).isFull : undefined
  }
  for (let n = 0; n < 30; n += 1) t.equal(await fail({ device: 'one' }), false)
  t.equal(await fail({ device: 'one' }), undefined, 'this browser')
  t.equal(await fail({ device: 'two' }), false, 'another one')
  for (let n = 1; n < 100; n += 1) await fail({ address: `192.0.2.${n}` })
  t.equal(await fail({ address: '203.0.113.1' }), true, 'the hundredth says that it was the last')
  t.equal(await fail({ address: '203.0.113.2' }), undefined)
  t.equal(await fail({ account: 'bob' }), false, 'another account')
  t.equal(await fail({ proof: 'other' }), false, 'what cannot be guessed is not shut')
  clock.ms += 2 * 3_600_000
  t.equal(await fail({ address: '203.0.113.2' }), false, 'an hour later')
})

t.test('identity M4: all of an IPv6 /48 has an end, not only each /64', async (t) => {
  const throttle = createSignInThrottle({
    ...{ counters: createInProcessCounters(), monotonic: () => 0 },
    settings: {
      perAccount: { limit: 10, periodMs: 60_000 },
      perAddress: { limit: 60, periodMs: 60_000 },
      overall: { limit: 100_000, periodMs: 60_000 },
    },
  })
  let passed = 0
  for (let n = 0; n < 1_000; n += 1) {
    const address = `2001:db8:1:${n.toString(16)}::1`
    const turn = await throttle.begin({ address, account: `account ${n}`, proof: 'password' })
    if (turn.allowed) {
      passed += 1
      await turn.end('failed')
    }
  }
  t.equal(passed, 240)
  t.match(await throttle.begin({ address: '2001:db8:2::1', account: 'x', proof: 'password' }), { allowed: true })
})
