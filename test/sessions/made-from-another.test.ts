// A session that is made from another one: what it keeps of it, and what ends it (C14). A second factor, a password or a
// passkey adds to how somebody came; it hides nothing of it and gives no longer session.

import t, { type Test } from 'tap'
import { linkProvider, unlinkProvider } from '../../src/users/accounts/external-identities.js'
import { setUserState } from '../../src/users/accounts/user-state.js'
import { addPasskey } from '../../src/users/credentials/passkeys.js'
import { removePasskey } from '../../src/users/credentials/remove-passkey.js'
import { removeSecondFactor } from '../../src/users/credentials/second-factor.js'
import { signOutEverywhere } from '../../src/users/sessions/end-access.js'
import { renewSession } from '../../src/users/sessions/renew-session.js'
import { createSession, endSession, findSession, listSessions } from '../../src/users/sessions/sessions.js'
import type { ScriptedBrowser, Shown } from '../support/browser/scripted-browser.js'
import { giveCodes } from '../support/people/second-factor.js'
import { openSignIn, password, sessionCookie } from '../support/people/sign-in.js'
import { createSoftAuthenticator } from '../support/people/webauthn.js'
import { baseUrl } from '../support/rooms/directory.js'

const issuer = 'https://corp.example'
const corp = {
  ...{ name: 'corp', label: 'Corp ID', issuer, clientId: 'portcullis', scope: 'openid', createUsers: false },
  ...{ role: 'member' as const, tenantId: undefined, clientSecret: undefined, ca: undefined, roles: undefined },
}
const hourMs = 3_600_000

const required = new Set(['member'] as const) as never
const signIn = () => ({
  ...{ providers: new Map([['corp', corp]]) as never, secondFactor: { required, graceMs: 1000 * hourMs } },
})
const shared = await openSignIn(t, { signIn: signIn() })
let people = 0

/**
 * Somebody with a password, codes and a passkey, who came by the provider five minutes ago and is to show more. `own`:
 * in an application of their own.
 */
async function open(t: Test, own = false) {
  const testApp = own ? await openSignIn(t, { signIn: signIn() }) : shared
  const { users } = testApp.deps
  people += 1
  const ada = await testApp.person(`Ada${people}`)
  const { userId } = ada
  const identity = { issuer, subject: `ada${people}-at-corp` }
  await linkProvider(users, { userId, provider: 'corp', ...identity })
  const code = await giveCodes(users, testApp.clock, ada)
  const authenticator = await createSoftAuthenticator(baseUrl)
  // The options of a page are what the authenticator answers to; its key comes from a registration like any other.
  const come = async () => {
    const browser = testApp.browser()
    const { session, cookie } = await createSession(users, {
      ...{ userId, acr: '1', amr: ['fed', 'pwd'], way: 'provider:corp', userAgent: 'test', address: '192.0.2.1' },
    })
    browser.cookies.set(sessionCookie, cookie)
    return { browser, session }
  }
  const passkey = async () => {
    const { browser } = await come()
    const page = await browser.open('/account/passkeys')
    await browser.submit(page, 'passkey-form', { passkey: authenticator.create(optionsOf(page)), name: 'Phone' })
    await endSession(users, (await listSessions(users, userId))[0] ?? { idHash: '' })
  }
  await passkey()
  const { browser, session } = await come()
  testApp.clock.nowMs += hourMs / 12
  const sessions = () => testApp.store.reader.selectFrom('sessions').selectAll().where('user_id', '=', userId).execute()
  const steppingUp = () => browser.open('/sign-in?demanded=yes')
  const begunCode = async () => browser.submit(await steppingUp(), 'step-up-form')
  return {
    ...testApp,
    users,
    ada,
    userId,
    identity,
    code,
    authenticator,
    browser,
    session,
    sessions,
    ...{ steppingUp, begunCode, come },
  }
}

type Opened = Awaited<ReturnType<typeof open>>

function optionsOf(page: Shown): { challenge: string } {
  const text = /data-passkey-(?:get|create)="([^"]*)"/.exec(page.body)?.[1] ?? ''
  return JSON.parse(text.replaceAll('&quot;', '"'))
}

/** Shows the page of the act; what comes back carries it out. */
type Act = (opened: Opened) => Promise<() => Promise<Shown>>

const byCode: Act = async ({ browser, begunCode, code }) => {
  const page = await begunCode()
  return () => browser.submit(page, 'code-form', { code: code() })
}
const byPasskey: Act = async ({ browser, steppingUp, authenticator }) => {
  const page = await steppingUp()
  return () => browser.submit(page, 'passkey-form', { passkey: authenticator.get(optionsOf(page)) })
}
const goingOn: Act = async ({ browser }) => {
  const page = await browser.open('/sign-in')
  return () => browser.submit(page, 'continue-form')
}
const newPassword: Act = async ({ browser }) => {
  const page = await browser.open('/account/password')
  return () => browser.submit(page, 'password-form', { current: password, password: 'seven loud orange kettles' })
}
const newCodes: Act = async ({ browser }) => {
  const page = await browser.open('/account/second-factor')
  return () => browser.submit(page, 'renew-form')
}
const codesOff: Act = async ({ browser }) => {
  const page = await browser.open('/account/second-factor')
  return () => browser.submit(page, 'off-form')
}
const anotherPasskey: Act = async ({ browser }) => {
  const another = await createSoftAuthenticator(baseUrl)
  const page = await browser.open('/account/passkeys')
  return () => browser.submit(page, 'passkey-form', { passkey: another.create(optionsOf(page)), name: 'Key' })
}

/** What makes a session from another: with which `acr` and `amr`, and whether it is proved anew by it. */
const made: Record<string, { act: Act; acr: string; amr: readonly string[]; isAnew?: boolean }> = {
  'going on as who they are': { act: goingOn, acr: '1', amr: ['fed', 'pwd'] },
  'a code as second factor': { act: byCode, acr: '2', amr: ['fed', 'pwd', 'otp', 'mfa'] },
  'a passkey as second factor': { act: byPasskey, acr: '2', amr: ['fed', 'pwd', 'hwk', 'user', 'mfa'], isAnew: true },
  'a new password': { act: newPassword, acr: '1', amr: ['fed', 'pwd'] },
  'new recovery codes': { act: newCodes, acr: '1', amr: ['fed', 'pwd'] },
  'one factor of two removed': { act: codesOff, acr: '1', amr: ['fed', 'pwd'] },
  'another passkey': { act: anotherPasskey, acr: '2', amr: ['fed', 'pwd', 'hwk', 'user', 'mfa'] },
}

/** What ends it, whatever it was made by. */
const ends: Record<string, (opened: Opened) => Promise<unknown>> = {
  'the provider is unlinked': ({ users, userId }) => unlinkProvider(users, { userId, issuer }),
  'everything is ended': ({ users, userId }) => signOutEverywhere(users, userId),
  'the account is disabled': ({ users, userId }) => setUserState(users, userId, 'disabled'),
  'an administrator ends it': async ({ users, userId, sessions }) => {
    for (const { id_hash: idHash } of await sessions()) await endSession(users, { idHash, userId })
  },
  'its absolute end comes': async ({ clock, session }) => {
    clock.nowMs = session.expiresAt
  },
  'the provider is taken out of the configuration': async ({ users }) =>
    void (users.settings.providers as Map<string, unknown>).clear(),
}

for (const [what, { act, acr, amr, isAnew }] of Object.entries(made)) {
  t.test(`C14 ${what}: the session keeps its end, its way and what was proved, under a new id`, async (t) => {
    const opened = await open(t)
    const { session, sessions, browser, clock } = opened
    const carryOut = await act(opened)
    const answer = await carryOut()
    t.ok([200, 303].includes(answer.status), String(answer.status))
    const [row, ...others] = await sessions()
    t.same(others, [])
    t.not(row?.id_hash, session.idHash)
    const kept = { expires_at: session.expiresAt, created_at: session.createdAt, sign_in_way: 'provider:corp' }
    t.match({ ...row, amr: JSON.parse(row?.amr ?? '[]') }, { ...kept, acr, amr: [...amr] })
    t.equal(row?.authenticated_at, isAnew === true ? clock.nowMs : session.authenticatedAt)
    await unlinkProvider(opened.users, { userId: opened.userId, issuer })
    t.match((await browser.get('/account')).location, /^\/sign-in/)
    t.same(await sessions(), [], 'it ends with the provider that it began with')
  })
}

for (const [why, end] of Object.entries(ends)) {
  t.test(`C14 ${why}: a session with a second factor ends, and half a step-up makes none`, async (t) => {
    const opened = await open(t, why.includes('configuration'))
    const { browser, users, userId } = opened
    const isOut = async (where: ScriptedBrowser) =>
      (await findSession(users, where.cookies.get(sessionCookie) ?? '')) === undefined
    const acts = [await byCode(opened), await byPasskey(opened)]
    await (await byPasskey(opened))()
    t.notOk(await isOut(browser), 'before')
    await end(opened)
    t.ok(await isOut(browser))
    for (const act of acts) {
      t.ok((await act()).status >= 400)
      t.ok(await isOut(browser))
    }
    t.same(await listSessions(users, userId), [])
  })
}

t.test('C14 signing out in another window, or as somebody else there, ends half a step-up', async (t) => {
  for (const leave of ['sign-out', 'another'] as const) {
    const opened = await open(t)
    const { browser, sessions } = opened
    const acts = [await byCode(opened), await byPasskey(opened)]
    if (leave === 'sign-out') await browser.submit(await browser.open('/sign-out'), 'sign-out-form')
    else {
      const bob = await opened.person(`Bob${people}`)
      await browser.submit(await browser.open('/sign-in?another=yes'), 'sign-in-form', { email: bob.email, password })
    }
    for (const act of acts) t.ok((await act()).status >= 400, leave)
    t.same(await sessions(), [], leave)
  }
})

t.test('whatever ends it while the form is on its way: no session is left behind the end', async (t) => {
  for (const act of [byCode, byPasskey]) {
    for (const end of ['the provider is unlinked', 'everything is ended', 'an administrator ends it']) {
      const opened = await open(t)
      const carryOut = await act(opened)
      const [answer] = await Promise.all([carryOut(), ends[end]?.(opened)])
      const left = await opened.sessions()
      // Whichever came first: an end by its id alone does not know the new one, all others leave nothing.
      if (end !== 'an administrator ends it') t.same(left, [], `${end}, ${answer.status}`)
      else t.ok(left.length === 0 || answer.status === 303)
    }
  }
})

t.test('what was shown and is taken away before the session is written makes none', async (t) => {
  const opened = await open(t)
  const { users, userId, session, identity, sessions, authenticator } = opened
  const where = { userAgent: 'test', address: '192.0.2.1' }
  const passkey = authenticator.credentialId
  const bases = [{ codes: true }, { passkey }, { identity }]
  const fresh = (basis: object) => createSession(users, { userId, acr: '2', amr: ['mfa'], ...where, basis })
  const raised = (basis: object) =>
    renewSession(users, { ...where, idHash: session.idHash, proof: { acr: '2', amr: ['mfa'], basis } })
  for (const basis of bases) t.ok(await fresh(basis), 'while it is there')
  await removeSecondFactor(users, userId, session.idHash)
  await removePasskey(users, userId, passkey, session.idHash).catch(() => {})
  await users.store.transaction((tx) => tx.deleteFrom('passkeys').where('user_id', '=', userId).execute())
  await unlinkProvider(users, { userId, issuer, except: session.idHash })
  for (const basis of bases) {
    await t.rejects(fresh(basis), { code: 'ProofOvertaken' })
    await t.rejects(raised(basis), { code: 'ProofOvertaken' })
  }
  t.match(await sessions(), [{ id_hash: session.idHash, acr: '1' }], 'and the session is as it was')
  await endSession(users, session)
  await t.rejects(raised({}), { code: 'SessionNotFound' })
})

t.test(
  'a page that was requested with the id of before leaves the browser the new one, in whatever order they come',
  async (t) => {
    const opened = await open(t)
    const { browser, session } = opened
    const late = shared.browser()
    for (const [name, value] of browser.cookies) late.cookies.set(name, value)
    await (await byCode(opened))()
    t.not((await opened.sessions())[0]?.id_hash, session.idHash)
    const answer = await late.get('/account')
    t.match(answer.location, /^\/sign-in/, 'the id of before opens nothing')
    t.ok(late.cookies.has(sessionCookie), 'and the answer takes no cookie away: by now it may be the new one')
  },
)

t.test('a passkey that is gone before the session is written raises nothing', async (t) => {
  const opened = await open(t, true)
  const { users, session, sessions } = opened
  const { store } = users
  const carryOut = await anotherPasskey(opened)
  let isSaved = false
  const transaction = store.transaction.bind(store)
  const isThere = async () =>
    (await store.reader.selectFrom('passkeys').select('name').where('name', '=', 'Key').execute()).length > 0
  // Between adding it and going on with the session somebody else takes it away.
  store.transaction = async (work) => {
    if (!isSaved && (await isThere())) {
      isSaved = true
      await transaction((tx) => tx.deleteFrom('passkeys').where('name', '=', 'Key').execute())
    }
    return transaction(work)
  }
  t.teardown(() => {
    store.transaction = transaction
  })
  const answer = await carryOut()
  t.ok(isSaved)
  t.ok(answer.status >= 400, String(answer.status))
  t.match(await sessions(), [{ id_hash: session.idHash, acr: '1' }])
})

t.test('somebody else with the same basis is nobody', async (t) => {
  const { users, identity, authenticator, person } = await open(t)
  const bob = await person('Bob')
  await addPasskey(users, {
    ...{ credentialId: 'bobs', userId: bob.userId, publicKey: 'AA', counter: 0, transports: [], name: 'Phone' },
  })
  const who = { userId: bob.userId, acr: '2', amr: ['mfa'], userAgent: 'test', address: '192.0.2.1' }
  for (const basis of [{ passkey: authenticator.credentialId }, { identity }, { codes: true }])
    await t.rejects(createSession(users, { ...who, basis }), { code: 'ProofOvertaken' })
  t.ok(await createSession(users, { ...who, basis: { passkey: 'bobs' } }))
})

t.test(
  'C14 a session that goes on under another id while its person looks at the list ends all the same',
  async (t) => {
    const opened = await open(t)
    const { browser, come, clock, sessions, session } = opened
    clock.nowMs += 1000
    const { browser: other, session: own } = await come()
    const list = await other.open('/account/sessions')
    for (let at = 0; at < 2; at += 1) await (await goingOn(opened))()
    await (await byPasskey(opened))()
    const end = `end-${session.idHash.slice(0, 12)}`
    const token = { session: session.idHash, begun: '' }
    await other.submit(list, end, token)
    t.equal((await browser.get('/account')).status, 200, 'a form without it says only the id')
    await other.submit(list, end)
    t.match((await browser.get('/account')).location, /^\/sign-in/)
    t.match(await sessions(), [{ id_hash: own.idHash }], 'and no other session')
  },
)
