// Signing in through another OpenID provider (decision 0055): what is requested there, what is believed of the answer,
// whose account it is, and every refusal. The provider is a server on this machine that can be made to answer wrongly.

import t from 'tap'
import type { ProviderSettings, Role } from '../../../src/config/settings/settings.js'
import { createGuardedFetch } from '../../../src/identity/external/guarded-fetch.js'
import { beginPending, takePending } from '../../../src/identity/pending/pending-request.js'
import { linkProvider, unlinkProvider } from '../../../src/users/accounts/external-identities.js'
import { setUserState } from '../../../src/users/accounts/user-state.js'
import { createUser, findUserByEmail } from '../../../src/users/accounts/users.js'
import { removeMembership } from '../../../src/users/memberships/leave-tenant.js'
import { findMembership, setRole } from '../../../src/users/memberships/memberships.js'
import { type ScriptedBrowser, type Shown, textOf } from '../../support/browser/scripted-browser.js'
import { giveCodes } from '../../support/people/second-factor.js'
import {
  browserCookie,
  openSignIn,
  password,
  type SignInApp,
  sessionCookie,
  signInWith,
} from '../../support/people/sign-in.js'
import { makeGrant } from '../../support/people/sign-in-grant.js'
import { type FakeProvider, startFakeProvider } from '../../support/providers/fake-provider.js'

t.setTimeout(120_000)

interface Test {
  testdir(): string
  teardown(work: () => unknown): void
}
type Changes = Partial<ProviderSettings> & { join?: boolean }

/** A test app with one provider, `fake`. With `join`, people whom nobody knows get an account in its tenant. */
async function open(t: Test, { join = false, ...changes }: Changes = {}) {
  const provider = await startFakeProvider(t, changes)
  const providers = new Map([['fake', provider.settings]])
  const testApp = await openSignIn(t, { signIn: { providers } })
  // The provider lives in real time.
  testApp.clock.nowMs = Date.now()
  if (join) Object.assign(provider.settings, { createUsers: true, tenantId: testApp.tenantId })
  return { testApp, provider }
}

/**
 * A test app with several providers, `p0` and so on, none of which is right. What it remembers for a while, it
 * remembers.
 */
async function openWrong(t: Test, many: readonly Partial<FakeProvider['next']>[]) {
  const wrongs = await Promise.all(
    many.map(async (next, index) => {
      const provider = await startFakeProvider(t, { name: `p${index}` })
      Object.assign(provider.next, next)
      return provider
    }),
  )
  const providers = new Map(wrongs.map(({ settings }) => [settings.name, settings]))
  const replace = () => ({ monotonic: () => 0 })
  return { testApp: await openSignIn(t, { signIn: { providers }, replace }), wrongs }
}

/** To the provider and back. */
async function startSignIn(browser: ScriptedBrowser, provider: FakeProvider, path = '/sign-in/external/fake') {
  const sent = await browser.open(path)
  return { sent, back: await browser.open(provider.answer(sent.location ?? '')) }
}

async function linked(testApp: SignInApp, provider: FakeProvider, userId: string) {
  const link = { userId, provider: 'fake', issuer: provider.issuer, subject: 'ada-at-provider' }
  await linkProvider(testApp.deps.users, link)
}

async function lastSession(testApp: SignInApp, userId: string) {
  return testApp.store.reader
    .selectFrom('sessions')
    .select(['acr', 'amr'])
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .executeTakeFirst()
}

t.test('the request: code flow with PKCE S256, state and nonce, each new, and our own redirect URI', async (t) => {
  const { testApp, provider } = await open(t)
  const browser = testApp.browser()
  t.match((await browser.open('/sign-in')).body, /href="\/sign-in\/external\/fake"[^>]*>Fake ID</)
  const [one, two] = [await browser.open('/sign-in/external/fake'), await browser.open('/sign-in/external/fake')]
  t.equal(one.status, 303)
  const authorizeRequest = new URL(one.location ?? '')
  t.equal(authorizeRequest.origin, provider.issuer)
  const query = authorizeRequest.searchParams
  t.match(Object.fromEntries(query), {
    ...{ response_type: 'code', client_id: 'portcullis', scope: 'openid profile email' },
    ...{ code_challenge_method: 'S256', redirect_uri: 'https://portcullis.test/sign-in/external/fake/callback' },
  })
  for (const name of ['state', 'nonce', 'code_challenge']) {
    t.match(query.get(name), /^[\w-]{43,}$/, name)
    t.not(query.get(name), new URL(two.location ?? '').searchParams.get(name), `${name} is new each time`)
  }
  t.notMatch(
    JSON.stringify(await testApp.store.reader.selectFrom('pending_requests').selectAll().execute()),
    query.get('nonce') ?? '',
  )
  t.equal(provider.requests.filter((each) => each.includes('well-known')).length, 1, 'discovery is cached')
})

t.test(
  'a linked account is signed in: amr fed, a new session, and the code redeemed with verifier and secret',
  async (t) => {
    const { testApp, provider } = await open(t)
    const ada = await testApp.person('Ada')
    await linked(testApp, provider, ada.userId)
    const browser = testApp.browser()
    const { back } = await startSignIn(browser, provider)
    t.equal(back.path, '/account')
    t.match(back.body, /Ada Example/)
    t.match(Object.fromEntries(provider.redeemed), { grant_type: 'authorization_code', client_secret: 's3cret' })
    t.match(provider.redeemed.get('code_verifier'), /^[\w-]{43}$/)
    t.same(await lastSession(testApp, ada.userId), { acr: '1', amr: '["fed"]' })
    const session = await testApp.store.reader.selectFrom('sessions').select('sign_in_way').executeTakeFirst()
    t.equal(session?.sign_in_way, 'provider:fake')
    t.same((await testApp.events(ada.userId)).slice(-2), ['user.provider-linked', 'user.signed-in'])
  },
)

t.test('acr is 2 only when the provider says mfa; what it invents is left out', async (t) => {
  const { testApp, provider } = await open(t)
  const ada = await testApp.person('Ada')
  await linked(testApp, provider, ada.userId)
  provider.next.claims = { amr: ['pwd', 'mfa', 'pwd', '<b>', 7], acr: 'high' }
  await startSignIn(testApp.browser(), provider)
  t.same(await lastSession(testApp, ada.userId), { acr: '2', amr: '["fed","pwd","mfa"]' })
  provider.next.claims = { amr: 'mfa', acr: '2' }
  testApp.clock.nowMs += 1000
  await startSignIn(testApp.browser(), provider)
  t.same(await lastSession(testApp, ada.userId), { acr: '1', amr: '["fed"]' })
})

t.test('C14 who has a second step here must take it, unless the provider had one', async (t) => {
  const { testApp, provider } = await open(t)
  const ada = await testApp.person('Ada')
  await linked(testApp, provider, ada.userId)
  await testApp.store.transaction((tx) =>
    tx.updateTable('users').set({ totp_secret: 'sealed' }).where('id', '=', ada.userId).execute(),
  )
  const { back } = await startSignIn(testApp.browser(), provider)
  t.match(back.path, /^\/sign-in\/second-factor\?step=/)
  provider.next.claims = { amr: ['mfa'] }
  t.equal((await startSignIn(testApp.browser(), provider)).back.path, '/account')
})

t.test(
  'C14 a provider that is unlinked while its half sign-in waits for the second step gives no session',
  async (t) => {
    const { testApp, provider } = await open(t)
    const ada = await testApp.person('Ada')
    await linked(testApp, provider, ada.userId)
    const code = await giveCodes(testApp.deps.users, testApp.clock, ada)
    const [kept, cut] = [testApp.browser(), testApp.browser()]
    const { back: good } = await startSignIn(kept, provider)
    t.equal((await kept.submit(good, 'code-form', { code: code() })).path, '/account')
    const { back } = await startSignIn(cut, provider)
    await unlinkProvider(testApp.deps.users, { userId: ada.userId, issuer: provider.issuer })
    testApp.clock.nowMs += 30_000
    t.equal((await cut.submit(back, 'code-form', { code: code() })).status, 400)
    t.notOk(cut.cookies.has(sessionCookie))
    t.equal(await lastSession(testApp, ada.userId), undefined, 'nor is one left of before')
  },
)

t.test('unknown: a page that helps, and no account by e-mail address', async (t) => {
  const { testApp, provider } = await open(t)
  await testApp.person('Ada')
  provider.next.claims = { email: 'ada@example.test', email_verified: true, name: 'Ada' }
  const browser = testApp.browser()
  const { back } = await startSignIn(browser, provider)
  t.equal(back.status, 403)
  t.equal(textOf(back, 'content').includes('No account is linked'), true)
  t.match(textOf(back, 'remedy'), /link Fake ID on your account page/)
  t.match(back.body, /id="go-on" href="\/sign-in"/)
  t.notOk(browser.cookies.has(sessionCookie))
  t.match(testApp.noted.at(-1), {
    event: 'user.sign-in-failed',
    details: { provider: 'fake', reason: 'external_no_account' },
  })
})

t.test('a disabled account is refused like an unknown one', async (t) => {
  const { testApp, provider } = await open(t)
  const ada = await testApp.person('Ada')
  await linked(testApp, provider, ada.userId)
  await setUserState(testApp.deps.users, ada.userId, 'disabled')
  const browser = testApp.browser()
  const { back } = await startSignIn(browser, provider)
  t.equal(back.status, 403)
  t.match(back.body, /No account is linked/)
  t.notOk(browser.cookies.has(sessionCookie))
})

t.test('createUsers: an account with what the provider knows, idProvider, role and profile; once', async (t) => {
  const { testApp, provider } = await open(t, { join: true, role: 'developer' })
  provider.next.userinfo = { name: 'Ada Lovelace', email: 'Ada@Contoso.test', email_verified: true }
  const browser = testApp.browser()
  t.equal((await startSignIn(browser, provider)).back.path, '/account')
  const ada = await findUserByEmail(testApp.store.reader, 'ada@contoso.test')
  t.match(ada, { name: 'Ada Lovelace', emailVerified: true, idProvider: 'fake', hasPassword: false })
  const userId = ada?.userId ?? ''
  t.match(await findMembership(testApp.store.reader, userId, testApp.tenantId), { role: 'developer' })
  const profile = await testApp.store.reader
    .selectFrom('profiles')
    .selectAll()
    .where('user_id', '=', userId)
    .executeTakeFirst()
  t.match(profile, { id_provider: 'fake', email: 'Ada@Contoso.test' })
  t.same(await testApp.events(userId), ['user.created', 'membership.added', 'user.provider-linked', 'user.signed-in'])
  await startSignIn(testApp.browser(), provider)
  t.equal((await testApp.store.reader.selectFrom('users').selectAll().execute()).length, 1)
})

t.test('an address that is taken, not verified or none at all is left out of a new account', async (t) => {
  const { testApp, provider } = await open(t, { join: true })
  const eve = await testApp.person('Eve')
  const tries: [string, Record<string, unknown>][] = [
    ['taken', { email: eve.email, email_verified: true }],
    ['unverified', { email: 'new@example.test', email_verified: false }],
    ['text', { email: 'new@example.test', email_verified: 'true' }],
    ['nonsense', { email: 'no address', email_verified: true, name: '\u202eevil' }],
  ]
  for (const [sub, claims] of tries) {
    provider.next.claims = { sub, name: 'New', ...claims }
    provider.next.userinfo = { sub }
    t.equal((await startSignIn(testApp.browser(), provider)).back.path, '/account', sub)
  }
  const made = await testApp.store.reader.selectFrom('users').selectAll().where('id_provider', '=', 'fake').execute()
  t.same(
    made.map(({ email, email_key, name }) => [email, email_key, name]),
    [
      ['', null, 'New'],
      ['', null, 'New'],
      ['', null, 'New'],
      ['', null, 'Somebody from Fake ID'],
    ],
  )
})

t.test('of two browsers that come for the first time at once, both are the same account', async (t) => {
  const { testApp, provider } = await open(t, { join: true })
  provider.next.claims = { name: 'Ada', email: 'ada@contoso.test', email_verified: true }
  const browsers = [testApp.browser(), testApp.browser(), testApp.browser()]
  const backs = await Promise.all(browsers.map((browser) => startSignIn(browser, provider)))
  t.same(
    backs.map(({ back }) => back.path),
    ['/account', '/account', '/account'],
  )
  for (const document of ['/.well-known/openid-configuration', '/jwks']) {
    t.equal(provider.requests.filter((each) => each === `GET ${document}`).length, 1, `${document} was fetched once`)
  }
  t.equal((await testApp.store.reader.selectFrom('users').selectAll().execute()).length, 1)
})

t.test('a tenant that is not there: a page, and nobody is made', async (t) => {
  const { testApp, provider } = await open(t, { join: true, label: 'Fake ID' })
  Object.assign(provider.settings, { tenantId: '00000000-0000-4000-8000-000000000000' })
  provider.next.claims = { name: 'Ada', email: 'ada@contoso.test', email_verified: true }
  const { back } = await startSignIn(testApp.browser(), provider)
  t.equal(back.status, 503)
  t.match(back.body, /We could not create an account/)
  t.same(await testApp.store.reader.selectFrom('users').selectAll().execute(), [])
})

t.test(
  'roles are read again at each sign-in: a lower one ends grants, owners and who left stay as they are',
  async (t) => {
    const values = new Map<string, Role>([
      ['admins', 'administrator'],
      ['devs', 'developer'],
    ])
    const { testApp, provider } = await open(t, { join: true, roles: { claim: 'groups', values } })
    const { reader } = testApp.store
    provider.next.claims = {
      name: 'Ada',
      email: 'ada@contoso.test',
      email_verified: true,
      groups: ['devs', 'admins', 'x'],
    }
    await startSignIn(testApp.browser(), provider)
    const userId = (await findUserByEmail(reader, 'ada@contoso.test'))?.userId ?? ''
    const roleNow = async () => (await findMembership(reader, userId, testApp.tenantId))?.role
    t.equal(await roleNow(), 'administrator', 'of several the highest')
    const grant = await grantIn(testApp, userId)
    provider.next.claims = { groups: 'devs' }
    await startSignIn(testApp.browser(), provider)
    t.equal(await roleNow(), 'developer')
    t.equal(await grant(), 'ended')
    provider.next.claims = {}
    await startSignIn(testApp.browser(), provider)
    t.equal(await roleNow(), 'member', 'no value: the role of new people')
    await setRole(testApp.deps.users, { userId, tenantId: testApp.tenantId, role: 'owner' })
    await startSignIn(testApp.browser(), provider)
    t.equal(await roleNow(), 'owner')
    await createUser(testApp.deps.users, {
      name: 'Other',
      email: 'o@contoso.test',
      membership: { tenantId: testApp.tenantId, role: 'owner' },
    })
    await removeMembership(testApp.deps.users, { userId, tenantId: testApp.tenantId })
    t.equal((await startSignIn(testApp.browser(), provider)).back.path, '/account')
    t.equal(await roleNow(), undefined, 'who was removed stays out of the tenant')
  },
)

/** A grant of this person in the test app's tenant; how it stands. */
async function grantIn(testApp: SignInApp, userId: string) {
  const grant = await makeGrant(testApp, userId)
  const { tenantId } = testApp
  await testApp.store.transaction((tx) =>
    tx.updateTable('grants').set({ tenant_id: tenantId }).where('user_id', '=', userId).execute(),
  )
  return () => grant.state()
}

t.test('R17 the state: of this browser, of this provider, once; everything else is a page', async (t) => {
  const { testApp, provider } = await open(t)
  const ada = await testApp.person('Ada')
  await linked(testApp, provider, ada.userId)
  const browser = testApp.browser()
  const { sent } = await startSignIn(browser, provider)
  const ended = (shown: Shown, message: string) => {
    t.equal(shown.status, 400, message)
    t.match(shown.body, /This sign-in has expired/, message)
    t.match(shown.body, /id="go-on" href="\/sign-in"/, message)
  }
  ended(await browser.open(provider.answer(sent.location ?? '')), 'replayed')
  const fresh = (await browser.open('/sign-in/external/fake')).location ?? ''
  const other = testApp.browser()
  await other.open('/sign-in')
  ended(await other.open(provider.answer(fresh)), 'another browser')
  ended(
    await browser.open(provider.answer(fresh, { state: `${new URL(fresh).searchParams.get('state')}.x` })),
    'with more',
  )
  ended(await browser.open(provider.answer(fresh, { state: 'x' })), 'invented')
  ended(await browser.open('/sign-in/external/fake/callback'), 'none')
  ended(await browser.open(`${provider.answer(fresh)}&state=two`), 'two')
  const before = provider.requests.length
  testApp.clock.nowMs += 16 * 60_000
  ended(await browser.open(provider.answer(fresh)), 'too late')
  t.equal(provider.requests.length, before, 'the provider gets no request at all')
  const nobody = await testApp.browser().open(provider.answer(fresh))
  t.equal(nobody.status, 403)
  t.match(nobody.body, /Cookies are blocked/)
})

t.test('R17 of two answers with one state at once, one signs in', async (t) => {
  const { testApp, provider } = await open(t)
  const ada = await testApp.person('Ada')
  await linked(testApp, provider, ada.userId)
  const browser = testApp.browser()
  const answer = provider.answer((await browser.open('/sign-in/external/fake')).location ?? '')
  const backs = await Promise.all([browser.get(answer), browser.get(answer), browser.get(answer)])
  t.same(backs.map(({ status }) => status).sort(), [303, 400, 400])
  t.equal(provider.requests.filter((each) => each === 'POST /token').length, 1, 'and the code is redeemed once')
})

t.test('HEAD uses nothing up; POST is no way in', async (t) => {
  const { testApp, provider } = await open(t)
  const ada = await testApp.person('Ada')
  await linked(testApp, provider, ada.userId)
  const browser = testApp.browser()
  const back = provider.answer((await browser.open('/sign-in/external/fake')).location ?? '')
  const cookie = `${browserCookie}=${browser.cookies.get(browserCookie)}`
  t.equal((await testApp.ask({ method: 'HEAD', url: back, headers: { cookie } })).statusCode, 200)
  t.equal((await testApp.post(back, {}, { cookie })).statusCode, 405)
  t.equal((await browser.open(back)).path, '/account')
})

interface Wrong {
  /** Instead of what the provider sends the browser back with. */
  answer?: Record<string, string>
  claims?: Record<string, unknown>
  signature?: FakeProvider['next']['signature']
  /** What the token endpoint answers. */
  token?: { status: number; body: string; headers?: Record<string, string> }
}

const wrong: Record<string, Wrong> = {
  'iss of the answer (RFC 9207)': { answer: { iss: 'https://evil.test' } },
  'no iss although it is announced': { answer: { iss: '' } },
  'issuer of the ID token': { claims: { iss: 'https://evil.test' } },
  audience: { claims: { aud: 'somebody-else' } },
  'authorized party': { claims: { aud: ['portcullis', 'x'], azp: 'x' } },
  nonce: { claims: { nonce: 'of another attempt' } },
  expired: { claims: { exp: 1_700_000_000, iat: 1_699_999_000 } },
  'no subject': { claims: { sub: '' } },
  'a subject of 256': { claims: { sub: 'a'.repeat(256) } },
  'a key that is not published': { signature: 'foreign' },
  'alg none': { signature: 'none' },
  'no ID token': { token: { status: 200, body: '{"access_token":"at","token_type":"Bearer"}' } },
  'a code that it does not know': {
    token: { status: 400, body: '{"error":"invalid_grant","error_description":"<b>boo</b>"}' },
  },
  'a redirect': { token: { status: 307, body: '{}', headers: { location: 'https://127.0.0.1:1/' } } },
  'no JSON': { token: { status: 200, body: '<b>boo</b>' } },
}

t.test(
  'R17 what is wrong with an answer is refused with a page, without a session or a word of its text',
  async (t) => {
    const { testApp, provider } = await open(t)
    const ada = await testApp.person('Ada')
    await linked(testApp, provider, ada.userId)
    for (const [what, { answer, claims = {}, signature = 'right', token }] of Object.entries(wrong)) {
      Object.assign(provider.next, { claims, signature, instead: token === undefined ? {} : { '/token': token } })
      const browser = testApp.browser()
      const sent = await browser.open('/sign-in/external/fake')
      const back = await browser.open(provider.answer(sent.location ?? '', answer))
      t.equal(back.status, 502, what)
      t.match(back.body, /We could not verify the answer of Fake ID/, what)
      t.notMatch(back.body, /boo|evil|Bearer|invalid_grant/, 'nothing of the provider’s text')
      t.notOk(browser.cookies.has(sessionCookie), what)
      t.match(testApp.noted.at(-1)?.details, { reason: 'external_not_proven' }, what)
    }
    t.notMatch(testApp.logged.join(''), /s3cret|eyJ|evil\.test/, 'nor in the log')
  },
)

t.test('U7 wrong answers are throttled for the address, not for others', async (t) => {
  const provider = await startFakeProvider(t)
  const signIn = { providers: new Map([['fake', provider.settings]]), perAddress: { limit: 3, periodMs: 60_000 } }
  const testApp = await openSignIn(t, { signIn })
  testApp.clock.nowMs = Date.now()
  provider.next.signature = 'foreign'
  const statuses: number[] = []
  for (let each = 0; each < 5; each += 1) statuses.push((await startSignIn(testApp.browser(), provider)).back.status)
  t.same(statuses, [502, 502, 502, 429, 429])
  t.equal((await startSignIn(testApp.browser('198.51.100.9'), provider)).back.status, 502)
})

t.test('an error of the provider: cancelled there, in our words', async (t) => {
  const { testApp, provider } = await open(t)
  const browser = testApp.browser()
  const sent = (await browser.open('/sign-in/external/fake')).location ?? ''
  const error = { code: '', error: 'access_denied', error_description: '<img src=x onerror=1>' }
  const back = await browser.open(provider.answer(sent, error))
  t.equal(back.status, 400)
  t.match(back.body, /You were not signed in at Fake ID/)
  t.notMatch(back.body, /onerror|access_denied/)
  t.match((await browser.open(provider.answer(sent, error))).body, /This sign-in has expired/, 'used up by it')
})

t.test('a provider that is down, slow, wrong or too large: a page with the password form a click away', async (t) => {
  const cases: [string, FakeProvider['next']['instead'][string], number][] = [
    ['down', { status: 503 }, 503],
    ['too large', { status: 200, body: `{"issuer":"${'x'.repeat(300_000)}"}` }, 503],
    ['a redirect', { status: 302, headers: { location: 'https://127.0.0.1:1/' } }, 502],
    ['no JSON', { status: 200, body: 'boo' }, 502],
    ['slow, a byte now and then', 'drops', 503],
  ]
  const document = '/.well-known/openid-configuration'
  const { testApp, wrongs } = await openWrong(
    t,
    cases.map(([, answer]) => ({ instead: { [document]: answer } })),
  )
  const browser = testApp.browser()
  for (const [index, [what, , status]] of cases.entries()) {
    const shown = await browser.open(`/sign-in/external/p${index}`)
    t.equal(shown.status, status, what)
    t.match(shown.body, /id="go-on" href="\/sign-in"/, what)
    await browser.open(`/sign-in/external/p${index}`)
    t.equal(wrongs[index]?.requests.length, status === 503 ? 1 : 2, 'that it is away is remembered for a while')
  }
  t.equal((await signInWith(browser, (await testApp.person('Ada')).email, password)).path, '/account')
})

t.test('egress: another issuer in the document, or an endpoint without TLS, is not used', async (t) => {
  const documents = [
    { issuer: 'https://evil.test' },
    { token_endpoint: 'http://169.254.169.254/' },
    { jwks_uri: 'http://localhost/' },
    { authorization_endpoint: 'javascript:alert(1)' },
    { token_endpoint: undefined },
    { userinfo_endpoint: 'http://localhost/' },
  ]
  const { testApp, wrongs } = await openWrong(
    t,
    documents.map((metadata) => ({ metadata })),
  )
  for (const [index, metadata] of documents.entries()) {
    const shown = await testApp.browser().open(`/sign-in/external/p${index}`)
    t.equal(shown.status, 502, JSON.stringify(metadata))
    t.equal(shown.location, undefined)
    t.same(wrongs[index]?.requests, ['GET /.well-known/openid-configuration'])
  }
})

t.test('egress: nothing is fetched but what the configuration leads to', async (t) => {
  const { issuer, settings, requests } = await startFakeProvider(t)
  const guarded = createGuardedFetch({ issuer, ca: settings.ca, monotonic: () => performance.now() })
  const ask = (path: string) =>
    guarded.fetch(issuer + path, { method: 'GET', headers: {}, body: null, redirect: 'manual' })
  t.equal((await ask('/.well-known/openid-configuration')).status, 200)
  await t.rejects(ask('/jwks'), { name: 'ProviderUnreachable' })
  guarded.allow([`${issuer}/jwks`])
  t.equal((await ask('/jwks')).status, 200)
  await t.rejects(ask('/token'), { name: 'ProviderUnreachable' })
  t.same(requests, ['GET /.well-known/openid-configuration', 'GET /jwks'])
  t.throws(() => guarded.allow(['http://localhost/token']), /not https/)
})

t.test('egress: the certificate is verified, by the configured authorities only', async (t) => {
  const { testApp } = await open(t, { ca: undefined })
  const shown = await testApp.browser().open('/sign-in/external/fake')
  t.equal(shown.status, 503)
})

t.test('discovery and keys are fetched once for many sign-ins', async (t) => {
  const { testApp, provider } = await open(t, { join: true })
  provider.next.claims = { name: 'Ada', email: 'ada@contoso.test', email_verified: true }
  await startSignIn(testApp.browser(), provider)
  await startSignIn(testApp.browser(), provider)
  t.equal(provider.requests.filter((each) => each === 'GET /jwks').length, 1)
  t.equal(provider.requests.filter((each) => each === 'GET /.well-known/openid-configuration').length, 1)
})

t.test('an unknown provider or request is a page', async (t) => {
  const { testApp } = await open(t)
  const browser = testApp.browser()
  t.equal((await browser.open('/sign-in/external/other')).status, 404)
  t.equal((await browser.open('/sign-in/external/__proto__')).status, 404)
  t.equal((await browser.open('/sign-in/external/other/callback')).status, 404)
  t.match((await browser.open('/sign-in/external/fake?request=nothing')).body, /This sign-in has expired/)
})

t.test('R18 each tab goes on with its own request, and a finished one is a page', async (t) => {
  const { testApp, provider } = await open(t)
  const ada = await testApp.person('Ada')
  await linked(testApp, provider, ada.userId)
  const browser = testApp.browser()
  await browser.open('/sign-in')
  const key = { key: browser.cookies.get(browserCookie) ?? '' }
  const begin = (path: string) => beginPending(testApp.deps, key, { kind: 'page', body: { path } })
  const [one, two] = [begin('/account/passkeys'), begin('/account/sessions')]
  const sent = [one, two].map(({ id }) => browser.open(`/sign-in/external/fake?request=${id}`))
  const [first, second] = (await Promise.all(sent)).map(({ location }) => provider.answer(location ?? ''))
  t.equal((await browser.open(second ?? '')).headers['refresh'], '0; url=/account/sessions')
  const mixed = (first ?? '').replace(one.id, two.id)
  t.match((await browser.open(mixed)).body, /This sign-in has expired/, 'a request that was not begun with it')
  t.equal((await browser.open(first ?? '')).headers['refresh'], '0; url=/account/passkeys')
  const late = provider.answer((await browser.open(`/sign-in/external/fake?request=${one.id}`)).location ?? '')
  await testApp.store.transaction((tx) => takePending(tx, one))
  t.match((await browser.open(late)).body, /This sign-in has expired/)
})

t.test('who must prove it anew is prompted anew there, and the proof is checked', async (t) => {
  const { testApp, provider } = await open(t)
  const ada = await testApp.person('Ada')
  await linked(testApp, provider, ada.userId)
  const browser = await testApp.signedIn(ada)
  testApp.clock.nowMs += 11 * 60_000
  const page = await browser.open('/account/providers')
  t.match(page.body, /Confirm it’s you/)
  const way = /href="(\/sign-in\/external\/fake\?request=[^"]+)"/.exec(page.body)?.[1] ?? ''
  const sent = await browser.open(way)
  t.match(Object.fromEntries(new URL(sent.location ?? '').searchParams), { prompt: 'login', max_age: '0' })
  provider.next.claims = { auth_time: Math.floor(testApp.clock.nowMs / 1000) - 3600 }
  t.equal((await browser.open(provider.answer(sent.location ?? ''))).status, 502, 'it did not ask')
  const again = await browser.open(way)
  provider.next.claims = { auth_time: Math.floor(testApp.clock.nowMs / 1000) }
  const back = await browser.open(provider.answer(again.location ?? ''))
  t.equal(back.headers['refresh'], '0; url=/account/providers', 'and goes on where it was begun')
})

t.test('decision 97: an old sign-in at the provider is no recent one here', async (t) => {
  const { testApp, provider } = await open(t)
  const ada = await testApp.person('Ada')
  await linked(testApp, provider, ada.userId)
  const nowSeconds = Math.floor(testApp.clock.nowMs / 1000)
  const pageOf = async (claims: Record<string, unknown>) => {
    provider.next.claims = claims
    const browser = testApp.browser()
    const { sent } = await startSignIn(browser, provider)
    t.match(new URL(sent.location ?? '').searchParams.get('max_age'), /^[1-9]\d*$/, 'it is requested')
    return (await browser.open('/account/providers')).body
  }
  const again = /Confirm it’s you/
  t.match(await pageOf({ auth_time: nowSeconds - 3600 }), again)
  t.match(await pageOf({ auth_time: 0 }), again)
  t.notMatch(await pageOf({ auth_time: nowSeconds - 30.5 }), again)
  t.notMatch(await pageOf({ auth_time: nowSeconds + 3600 }), again, 'a clock that is ahead')
  t.notMatch(await pageOf({ auth_time: 'yesterday' }), again, 'what says nothing')
  const rows = await testApp.store.reader.selectFrom('sessions').select('authenticated_at').execute()
  t.ok(rows.every((row) => Number(row.authenticated_at) <= testApp.clock.nowMs))
})

t.test('linking: begun by a form of ours (C2), for the person who is signed in, one account each', async (t) => {
  const { testApp, provider } = await open(t)
  const [ada, eve] = [await testApp.person('Ada'), await testApp.person('Eve')]
  const browser = await testApp.signedIn(ada)
  t.match((await browser.open('/account')).body, /id="providers-link"/)
  const page = await browser.open('/account/providers')
  t.equal((await browser.post('/account/providers', { link: 'fake' })).status, 403, 'C2 without the token')
  const go = await browser.submit(page, 'link-fake-form')
  const sentTo = (/id="go-there" href="([^"]+)"/.exec(go.body)?.[1] ?? '').replaceAll('&amp;', '&')
  t.ok(sentTo.startsWith(`${provider.issuer}/authorize?`))
  const done = await browser.open(provider.answer(sentTo))
  t.match(done.path, /^\/account\/providers\?done=provider-linked/)
  t.ok((await testApp.events(ada.userId)).includes('user.provider-linked'))
  t.equal((await startSignIn(testApp.browser(), provider)).back.path, '/account')

  const other = await testApp.signedIn(eve)
  const hers = await other.submit(await other.open('/account/providers'), 'link-fake-form')
  const herWay = (/id="go-there" href="([^"]+)"/.exec(hers.body)?.[1] ?? '').replaceAll('&amp;', '&')
  const refused = await other.open(provider.answer(herWay))
  t.equal(refused.status, 409)
  t.match(refused.body, /linked with another account/)
  provider.next.claims = { sub: 'another-at-provider' }
  const link = { provider: 'fake', issuer: provider.issuer }
  await t.rejects(linkProvider(testApp.deps.users, { ...link, userId: ada.userId, subject: 'two' }), {
    code: 'ProviderLinked',
  })
})

t.test('linking ends with the session that began it', async (t) => {
  const { testApp, provider } = await open(t)
  const [ada, eve] = [await testApp.person('Ada'), await testApp.person('Eve')]
  const browser = await testApp.signedIn(ada)
  const go = await browser.submit(await browser.open('/account/providers'), 'link-fake-form')
  const sentTo = (/id="go-there" href="([^"]+)"/.exec(go.body)?.[1] ?? '').replaceAll('&amp;', '&')
  await signInWith(browser, eve.email, password, '/sign-in?another=yes')
  t.match((await browser.open(provider.answer(sentTo))).body, /This sign-in has expired/)
  t.same(await testApp.store.reader.selectFrom('external_identities').selectAll().execute(), [])
})

t.test('unlinking, unless it is the only way in', async (t) => {
  const { testApp, provider } = await open(t, { join: true })
  provider.next.claims = { name: 'Ada', email: 'ada@contoso.test', email_verified: true }
  const browser = testApp.browser()
  await startSignIn(browser, provider)
  const only = await browser.submit(await browser.open('/account/providers'), 'unlink-fake-form')
  t.equal(only.status, 409)
  t.match(only.body, /only way you can sign in/)
  const bob = await testApp.person('Bob')
  const none = { userId: bob.userId, issuer: provider.issuer }
  await t.rejects(unlinkProvider(testApp.deps.users, none), { code: 'ProviderNotLinked' })
  const his = { userId: bob.userId, provider: 'fake', issuer: provider.issuer, subject: 'bob' }
  await linkProvider(testApp.deps.users, his)
  const second = await testApp.signedIn(bob)
  const done = await second.submit(await second.open('/account/providers'), 'unlink-fake-form')
  t.match(done.path, /done=provider-unlinked/)
  t.ok((await testApp.events(bob.userId)).includes('user.provider-unlinked'))
  provider.next.claims = { sub: 'bob' }
  const settings = { createUsers: false }
  Object.assign(provider.settings, settings)
  t.equal((await startSignIn(testApp.browser(), provider)).back.status, 403)
})
