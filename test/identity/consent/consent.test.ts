// The consent page and what it remembers, between an authorization request and its code.

import t from 'tap'
import { changeApplication } from '../../../src/directory/applications/application-changes.js'
import { listRequests } from '../../../src/directory/consents/consent-requests.js'
import { listConsents } from '../../../src/directory/consents/consents.js'
import { withdrawUserConsent } from '../../../src/directory/consents/withdrawal.js'
import { configurePermissions, grantConsent } from '../../../src/directory/permissions/permissions.js'
import { changeTenant, createTenant } from '../../../src/directory/tenants/tenants.js'
import type { IdentityDependencies } from '../../../src/identity/dependencies.js'
import type { LedgerEvent } from '../../../src/ledger/ledger.js'
import { addMembership, setRole } from '../../../src/users/memberships/memberships.js'
import type { ScriptedBrowser, Shown } from '../../support/browser/scripted-browser.js'
import { formOf, textOf } from '../../support/browser/scripted-browser.js'
import { type AuthorizeApp, answerOf, callback, delegated, openAuthorize, pair } from '../../support/rooms/authorize.js'

type Options = Parameters<typeof openAuthorize>[1]
const scope = 'User.Read openid offline_access'
const native = { code_challenge: pair.challenge, code_challenge_method: 'S256' }

function open(t: Parameters<typeof openAuthorize>[0], options: Options = {}): Promise<AuthorizeApp> {
  const permissions = ['User.Read', 'assets_delete'].map(delegated)
  const registration = { permissions, consentBy: undefined, ...options?.registration }
  return openAuthorize(t, { consented: false, ...options, registration })
}

/** Collects what is noted of refused attempts. */
function noting(): { noted: Pick<LedgerEvent, 'event' | 'userId'>[]; replace: () => Partial<IdentityDependencies> } {
  const noted: Pick<LedgerEvent, 'event' | 'userId'>[] = []
  const activity = { note: (event: Pick<LedgerEvent, 'event' | 'userId'>) => void noted.push(event), async flush() {} }
  return { noted, replace: () => ({ activity }) }
}

const accept = (browser: ScriptedBrowser, page: Shown, more: Record<string, string> = {}) =>
  browser.submit(page, 'consent', { decision: 'accept', ...more })

async function storedIds({ store, user }: AuthorizeApp, userId = user.userId): Promise<string[]> {
  return (await listConsents(store.reader, { userId })).map(({ id }) => id).sort()
}

async function ledgerOf({ store }: AuthorizeApp, event: string) {
  const rows = await store.reader.selectFrom('ledger').selectAll().where('event', '=', event).execute()
  return rows.map((row) => ({ actor: JSON.parse(row.actor), userId: row.user_id, details: JSON.parse(row.details) }))
}

t.test('C1 the page says who asks, as whom, where, for what, and where one goes on to', async (t) => {
  const testApp = await open(t, { registration: { name: 'Fabrikam Reports', publisher: 'Fabrikam GmbH' } })
  const page = await (await testApp.signedIn()).open(testApp.address({ scope }))
  t.equal(page.status, 200)
  t.match(page.path, /^\/consent\?request=pcl_rq_/)
  t.equal(textOf(page, 'application-name'), 'Fabrikam Reports')
  t.match(textOf(page, 'publisher'), /^Fabrikam GmbH\s+Unverified/)
  t.match(page.body, 'class="tag" id="verified"', 'no warning about what one’s own organisation registered')
  t.equal(textOf(page, 'as'), testApp.user.email)
  t.equal(textOf(page, 'tenant'), 'Contoso')
  t.equal(textOf(page, 'destination'), 'app.test')
  const permissions = textOf(page, 'permissions')
  t.match(permissions, /Allows User\.Read\./)
  t.match(permissions, /Sign you in/)
  t.match(permissions, /Keep this access while you are away/, 'offline_access in words')
  t.notMatch(permissions, /New/, 'nothing is new to somebody who was never prompted')
  t.match(page.body, /href="\/account\/apps"/, 'where it can be taken back')
  const [, cancel, given] = /<button id="cancel"([^>]*)>.*<button id="accept"([^>]*)>/s.exec(page.body) ?? []
  const weight = (attributes = '') => /class="([^"]*)"/.exec(attributes)?.[1]
  t.equal(weight(cancel), weight(given), 'accepting and refusing look alike')
})

t.test('C1 U4 names that would mislead or run are shown as harmless text', async (t) => {
  const testApp = await open(t)
  const { applicationId } = testApp.registration
  const name = '\u202egnp.<script>alert(1)</script>"><img src=x onerror=alert(2)>\u200b'
  await testApp.store.transaction((tx) =>
    tx
      .updateTable('applications')
      .set({ name, publisher: `</p>${name}` })
      .where('id', '=', applicationId)
      .execute(),
  )
  await changeApplication(testApp.writes, applicationId, { state: 'enabled' })
  const page = await (await testApp.signedIn()).open(testApp.address({ scope }))
  t.equal(page.status, 200)
  t.notMatch(page.body, /<script(?! src="\/assets\/[0-9a-f]+\.js" defer>)|<img/i)
  t.notMatch(page.body, /[\u202e\u200b]/)
  t.match(page.body, /gnp\.&lt;script/)
  const lookalike = await testApp.register({ name: 'Known before', tenantId: testApp.tenantId })
  const { applicationId: id } = lookalike.registration
  // From before such names were refused.
  await testApp.store.transaction((tx) =>
    tx.updateTable('applications').set({ name: 'Pаypal' }).where('id', '=', id).execute(),
  )
  const other = await (await testApp.signedIn()).open(
    testApp.address({ scope, client_id: lookalike.registration.applicationId }),
  )
  t.match(textOf(other, 'lookalikes'), /mixes alphabets/)
})

t.test('C1 a program on the device is called that, not a host', async (t) => {
  const testApp = await open(t)
  const cases = [
    ['http://127.0.0.1/done', 'http://127.0.0.1:49152/done', 'A program on this device (127.0.0.1:49152)'],
    ['com.example.app:/done', 'com.example.app:/done', 'A program on this device (com.example.app:)'],
  ] as const
  for (const [registered, redirect_uri, said] of cases) {
    const { registration } = await testApp.register({
      ...{ type: 'native', tenantId: testApp.tenantId, redirectUris: [registered] },
      ...{ permissions: [delegated('User.Read')] },
    })
    const page = await (await testApp.signedIn()).open(
      testApp.address({ client_id: registration.applicationId, redirect_uri, scope, ...native }),
    )
    t.equal(textOf(page, 'destination'), said)
  }
})

t.test(
  'C4 U5 the page cannot be framed, runs no code but ours, and its form leads here or to the client only',
  async (t) => {
    const testApp = await open(t)
    const page = await (await testApp.signedIn()).open(testApp.address({ scope }))
    const policy = String(page.headers['content-security-policy'])
    t.match(policy, /default-src 'none'/)
    t.match(policy, /frame-ancestors 'none'/)
    t.match(policy, /form-action 'self' https:\/\/app\.test(;|$)/)
    t.match(policy, /; script-src https:\/\/[^ ;]+\/assets\/$/)
    t.notMatch(policy, /unsafe/)
    t.match(page.body.match(/<script[^>]*>/g), [/^<script src="\/assets\/[0-9a-f]+\.js" defer>$/], 'the one of forms')
    t.equal(page.headers['x-frame-options'], 'DENY')
    t.equal(page.headers['cache-control'], 'no-store')
  },
)

t.test('C3 only a POST of the form grants: no GET, no HEAD', async (t) => {
  const testApp = await open(t)
  const browser = await testApp.signedIn()
  const page = await browser.open(testApp.address({ scope }))
  const { fields } = formOf(page, 'consent')
  const again = await browser.get(`${page.path}&${new URLSearchParams({ ...fields, decision: 'accept' })}`)
  t.equal(again.status, 200)
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  t.equal((await testApp.ask({ method: 'HEAD', url: page.path, headers: { cookie } })).statusCode, 200)
  t.same(await storedIds(testApp), [])
})

t.test('C2 a form works once, for its own request, browser and session', async (t) => {
  const testApp = await open(t)
  const browser = await testApp.signedIn()
  const [first, second] = [
    await browser.open(testApp.address({ scope })),
    await browser.open(testApp.address({ scope })),
  ]
  const send = (who: ScriptedBrowser, path: string, fields: Record<string, string>, headers = {}) =>
    who.post(path, { ...fields, decision: 'accept' }, { 'sec-fetch-site': 'same-origin', ...headers })
  const { fields } = formOf(first, 'consent')
  t.equal((await send(browser, first.path, {})).status, 403, 'no token')
  t.equal((await send(browser, second.path, fields)).status, 403, 'the token of another request')
  t.equal((await send(browser, first.path, fields, { 'sec-fetch-site': 'cross-site' })).status, 403, 'another site')
  t.equal((await send(await testApp.signedIn(), first.path, fields)).status, 400, 'another browser')
  t.same(await storedIds(testApp), [])
  await testApp.signIn(browser, testApp.user.userId)
  t.equal((await send(browser, first.path, fields)).status, 403, 'another session')
  const done = await accept(browser, await browser.open(first.path))
  t.match(answerOf(done), { code: /^pcl_ac_/ })
  t.equal((await send(browser, first.path, formOf(second, 'consent').fields)).status, 400, 'the request is over')
})

t.test('C2 C6 a form allows what it showed: in another tenant, or for more, it is none', async (t) => {
  const testApp = await open(t, { registration: { audience: 'any' } })
  const { userId } = await testApp.person({ role: 'administrator' })
  const { tenantId } = await createTenant(testApp.writes, { name: 'Northwind' })
  await addMembership(testApp.deps.users, { userId, tenantId, role: 'administrator' })
  const browser = await testApp.signedIn(userId)
  const tenants = await browser.open(testApp.address({ scope }))
  const first = await browser.submit(tenants, 'choose-tenant', { tenant: testApp.tenantId })
  const second = await browser.submit(tenants, 'choose-tenant', { tenant: tenantId })
  t.same([textOf(first, 'tenant'), textOf(second, 'tenant')], ['Contoso', 'Northwind'])
  const { fields } = formOf(first, 'consent')
  const answer = { ...fields, decision: 'accept', for_everybody: 'yes' }
  const swapped = await browser.post(second.path, answer, { 'sec-fetch-site': 'same-origin' })
  t.equal(swapped.status, 403, 'the person chose another tenant in another tab')
  t.same(await storedIds(testApp, userId), [])
  t.equal(await testApp.directory.findInstallation(testApp.registration.applicationId, tenantId), undefined)
  t.match(answerOf(await accept(browser, second)), { code: /./ })
  t.equal((await accept(browser, first)).status, 400, 'of the two tabs one is answered')
})

t.test('what is withdrawn between the answer and the code needs consent once more', async (t) => {
  const testApp = await open(t)
  const browser = await testApp.signedIn()
  const page = await browser.open(testApp.address({ scope }))
  const { action, fields } = formOf(page, 'consent')
  const given = await browser.post(action, { ...fields, decision: 'accept' })
  const { applicationId } = testApp.registration
  const whose = { userId: testApp.user.userId, applicationId, tenantId: testApp.tenantId }
  await withdrawUserConsent(testApp.writes, whose)
  const again = await browser.follow(given)
  t.equal(again.status, 200)
  t.match(again.path, /^\/consent/)
  t.match(answerOf(await accept(browser, again)), { code: /./ })
})

t.test('C5 refusing sends access_denied to the client, and nothing is stored', async (t) => {
  const testApp = await open(t)
  const browser = await testApp.signedIn()
  const page = await browser.open(testApp.address({ scope, state: 'x y+z' }))
  const done = await browser.submit(page, 'consent', { decision: 'cancel' })
  t.ok(done.location?.startsWith(`${callback}?`))
  const answer = answerOf(done)
  t.match(answer, { error: 'access_denied', state: 'x y+z', iss: 'https://portcullis.test' })
  t.notOk('code' in answer)
  t.same(await storedIds(testApp), [])
  t.same(await testApp.store.reader.selectFrom('grants').selectAll().execute(), [])
  t.same(await ledgerOf(testApp, 'consent.granted'), [])
})

t.test('C6 consent is remembered exactly; the prompt lists what is new and marks it', async (t) => {
  const testApp = await open(t)
  const { registration, tenantId, writes } = testApp
  const browser = await testApp.signedIn()
  t.match(answerOf(await accept(browser, await browser.open(testApp.address({ scope })))), { code: /./ })
  t.same(await storedIds(testApp), ['User.Read', 'offline_access', 'openid'])
  t.match(
    answerOf(await browser.open(testApp.address({ scope: 'openid User.Read' }))),
    { code: /./ },
    'less needs nothing',
  )
  t.match(await ledgerOf(testApp, 'consent.granted'), [
    {
      actor: { kind: 'user', userId: testApp.user.userId },
      userId: testApp.user.userId,
      details: { installed: false },
    },
  ])

  const more = await browser.open(testApp.address({ scope: `${scope} email` }))
  t.match(more.path, /^\/consent/)
  t.match(textOf(more, 'permissions'), /e-mail address\.\s*New/)
  t.match(textOf(more, 'permissions'), /Allows User\.Read\.\s*Allowed already/)
  t.match(answerOf(await browser.open(testApp.address({ scope: `${scope} email`, prompt: 'none' }))), {
    error: 'consent_required',
  })

  const somebody = await testApp.signedIn((await testApp.person()).userId)
  t.match((await somebody.open(testApp.address({ scope }))).path, /^\/consent/, 'another person')
  const other = await testApp.register({ tenantId, permissions: [delegated('User.Read')] })
  const another = testApp.address({ scope, client_id: other.registration.applicationId })
  t.match((await browser.open(another)).path, /^\/consent/, 'another application')
  await configurePermissions(writes, registration.applicationId, [])
  t.match(
    answerOf(await browser.open(testApp.address({ scope }))),
    { error: 'invalid_scope' },
    'not configured any more',
  )
})

t.test('C6 prompt=consent asks again, and what was allowed stays', async (t) => {
  const testApp = await open(t)
  const browser = await testApp.signedIn()
  await accept(browser, await browser.open(testApp.address({ scope })))
  const again = await browser.open(testApp.address({ scope, prompt: 'consent' }))
  t.match(again.path, /^\/consent/)
  t.match(answerOf(await accept(browser, again)), { code: /./ })
  t.equal((await storedIds(testApp)).length, 3)
  t.equal((await ledgerOf(testApp, 'consent.granted')).length, 1, 'nothing new, nothing recorded')
})

t.test('C10 C11 native clients on loopback and private-use schemes always ask', async (t) => {
  const testApp = await open(t)
  const redirectUris = ['http://127.0.0.1/done', 'com.example.app:/done', 'https://spa.test/done']
  const { registration } = await testApp.register({
    ...{ type: 'native', tenantId: testApp.tenantId, redirectUris, permissions: [delegated('User.Read')] },
  })
  const browser = await testApp.signedIn()
  const request = (redirect_uri: string, more = {}) =>
    testApp.address({ client_id: registration.applicationId, redirect_uri, scope, ...native, ...more })
  t.match(answerOf(await accept(browser, await browser.open(request('http://127.0.0.1:1234/done')))), { code: /./ })
  for (const uri of ['http://127.0.0.1:1234/done', 'com.example.app:/done']) {
    t.match((await browser.open(request(uri))).path, /^\/consent/, uri)
    t.match(answerOf(await browser.open(request(uri, { prompt: 'none' }))), { error: 'consent_required' })
  }
  t.match(answerOf(await browser.open(request('https://spa.test/done'))), { code: /./ }, 'https is verified')
})

t.test('C7 what needs an administrator is not a member’s to give: they ask, once', async (t) => {
  const { noted, replace } = noting()
  const testApp = await open(t, { replace })
  const { registration, tenantId, user, store } = testApp
  const browser = await testApp.signedIn()
  const asks = testApp.address({ scope: 'User.Read assets_delete' })
  const page = await browser.open(asks)
  t.match(page.body, /Administrator approval required/)
  t.notMatch(page.body, /id="accept"/)

  const forged = await accept(browser, page)
  t.equal(forged.status, 403)
  t.match(noted, [{ event: 'admin-consent.refused', userId: user.userId }])
  t.same(await storedIds(testApp), [])

  const reason = 'For the\u200b quarterly\u202e report <b>'
  const waitingPage = await browser.submit(page, 'consent', { decision: 'ask', reason })
  t.match(textOf(waitingPage, 'request-state'), /is waiting for an administrator/)
  const stored = () => listRequests(store.reader, { requestedBy: user.userId })
  t.match(await stored(), [{ reason: 'For the quarterly report <b>' }])
  await browser.submit(page, 'consent', { decision: 'ask', reason: 'again' })
  const [request, ...others] = await stored()
  t.match(request, { state: 'pending', reason: 'again', tenantId, applicationId: registration.applicationId })
  t.same(others, [])
  t.match(await ledgerOf(testApp, 'admin-consent.requested'), [{ userId: user.userId }, { userId: user.userId }])
  const back = await browser.submit(waitingPage, 'consent', { decision: 'cancel' })
  t.match(answerOf(back), { error: 'access_denied' })

  await grantConsent(testApp.writes, registration.applicationId, { tenantId, permissions: 'all', by: 'test' })
  t.match(answerOf(await browser.open(asks)), { code: /./ }, 'consented to for everybody: nobody is prompted')
})

t.test('an administrator may allow it alone, or for everybody', async (t) => {
  const testApp = await open(t)
  const admin = await testApp.person({ role: 'administrator' })
  const browser = await testApp.signedIn(admin.userId)
  const asks = testApp.address({ scope: 'assets_delete openid' })
  const page = await browser.open(asks)
  t.match(page.body, /name="for_everybody"/)
  t.match(answerOf(await accept(browser, page)), { code: /./ })
  t.same(await storedIds(testApp, admin.userId), ['assets_delete', 'openid'])

  const another = await testApp.signedIn((await testApp.person({ role: 'owner' })).userId)
  const all = await accept(another, await another.open(asks), { for_everybody: 'yes' })
  t.match(answerOf(all), { code: /./ })
  t.match(answerOf(await (await testApp.signedIn()).open(asks)), { code: /./ }, 'a member is not prompted any more')
})

t.test('C7 a role that is taken away while the form is on its way grants nothing', async (t) => {
  let meanwhile = async (): Promise<unknown> => undefined
  const testApp = await open(t, {
    replace: ({ users }) => {
      const commit: typeof users.feed.commit = async (work) => {
        await meanwhile()
        return users.feed.commit(work)
      }
      return { users: { ...users, feed: { commit } } }
    },
  })
  const { tenantId, registration } = testApp
  for (const more of [{}, { for_everybody: 'yes' }]) {
    const { userId } = await testApp.person({ role: 'administrator' })
    const browser = await testApp.signedIn(userId)
    const page = await browser.open(testApp.address({ scope: 'assets_delete openid' }))
    meanwhile = async () => {
      meanwhile = async () => undefined
      await setRole(testApp.deps.users, { userId, tenantId, role: 'member' })
    }
    await accept(browser, page, more)
    t.same(await storedIds(testApp, userId), [])
  }
  t.same((await testApp.directory.findInstallation(registration.applicationId, tenantId))?.granted ?? [], [])
})

t.test('C7 what an administrator allowed themselves does not outlast the role', async (t) => {
  const testApp = await open(t)
  const { userId } = await testApp.person({ role: 'administrator' })
  const browser = await testApp.signedIn(userId)
  const asks = testApp.address({ scope: 'assets_delete' })
  t.match(answerOf(await accept(browser, await browser.open(asks))), { code: /./ })
  t.match(answerOf(await browser.open(asks)), { code: /./ })
  await setRole(testApp.deps.users, { userId, tenantId: testApp.tenantId, role: 'member' })
  t.match((await browser.open(asks)).body, /Administrator approval required/)
})

t.test('C7 a member who ticks “for everybody” by hand grants nothing', async (t) => {
  const { noted, replace } = noting()
  const testApp = await open(t, { replace })
  const browser = await testApp.signedIn()
  const page = await browser.open(testApp.address({ scope }))
  t.notMatch(page.body, /for_everybody/)
  t.equal((await accept(browser, page, { for_everybody: 'yes' })).status, 403)
  t.match(noted, [{ event: 'admin-consent.refused' }])
  t.same(await storedIds(testApp), [])
})

t.test('where the tenant leaves consent to administrators, people ask them for everything', async (t) => {
  const testApp = await open(t)
  await changeTenant(testApp.writes, testApp.tenantId, { userConsent: 'administrators' })
  const page = await (await testApp.signedIn()).open(testApp.address({ scope }))
  t.match(page.body, /Administrator approval required/)
})

t.test('consent installs an application of another tenant, where the policy there allows it', async (t) => {
  const testApp = await open(t, { registration: { audience: 'any' } })
  const { tenantId } = await createTenant(testApp.writes, { name: 'Northwind' })
  const person = await testApp.person({ tenantId })
  const browser = await testApp.signedIn(person.userId)
  await changeTenant(testApp.writes, tenantId, { userConsent: 'allowed' })
  const { applicationId } = testApp.registration
  t.equal(await testApp.directory.findInstallation(applicationId, tenantId), undefined)
  t.match(answerOf(await accept(browser, await browser.open(testApp.address({ scope })))), { code: /./ })
  t.match(await testApp.directory.findInstallation(applicationId, tenantId), { tenantId })
  t.match(await ledgerOf(testApp, 'consent.granted'), [{ details: { installed: true } }])
})

t.test(
  'identity L1: people let in untrusted parties’ applications only of verified publishers, and read whose they are',
  async (t) => {
    const testApp = await open(t, { registration: { audience: 'any' } })
    const { tenantId } = await createTenant(testApp.writes, { name: 'Northwind' })
    const person = await testApp.person({ tenantId })
    const { applicationId } = testApp.registration
    const asks = async (words = scope) =>
      (await testApp.signedIn(person.userId)).open(testApp.address({ scope: words }))
    for (const words of [scope, 'openid', 'offline_access openid profile email']) {
      const page = await asks(words)
      t.match(page.body, /Administrator approval required/, words)
      t.match(page.body, /id="registered-by"[^<]*>Registered by another organisation, <bdi>/)
      t.match(page.body, 'class="tag warn" id="verified"', 'of another organisation it is a warning')
      t.equal(answerOf(await accept(await testApp.signedIn(person.userId), page))['code'], undefined)
    }
    t.equal(await testApp.directory.findInstallation(applicationId, tenantId), undefined)
    await changeApplication(testApp.writes, applicationId, { publisher: 'Contoso Ltd', verified: true })
    const page = await asks()
    t.match(page.body, /Allow this application\?/)
    t.match(page.body, /another organisation/)
    await changeApplication(testApp.writes, applicationId, { verified: false })
    const browser = await testApp.signedIn(person.userId)
    t.equal((await accept(browser, page)).body.includes('code='), false, 'what is no longer verified is not let in')
    t.match(
      (await (await testApp.signedIn()).open(testApp.address({ scope }))).body,
      /Registered by your organisation, <bdi>/,
    )
  },
)

t.test('what one person or tenant answered is no answer for another', async (t) => {
  const testApp = await open(t)
  const browser = await testApp.signedIn()
  const page = await browser.open(testApp.address({ scope, prompt: 'consent' }))
  const other = await testApp.person()
  await testApp.signIn(browser, other.userId)
  const moved = await browser.open(page.path)
  t.match(moved.path, /^\/consent/)
  t.equal(textOf(moved, 'as'), other.email)
  await addMembership(testApp.deps.users, {
    userId: other.userId,
    tenantId: (await createTenant(testApp.writes, { name: 'Northwind' })).tenantId,
    role: 'member',
  })
  t.match(answerOf(await accept(browser, moved)), { code: /./ })
  t.same(await storedIds(testApp), [], 'nothing in the name of the first')
})

t.test('R17 a consent page that is over, unknown or another’s says so', async (t) => {
  const testApp = await open(t)
  const browser = await testApp.signedIn()
  for (const path of ['/consent', '/consent?request=x', `/consent?request=pcl_rq_${'a'.repeat(43)}`]) {
    t.equal((await browser.open(path)).status, 400, path)
  }
})
