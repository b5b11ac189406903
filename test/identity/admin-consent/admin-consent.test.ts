// The admin consent endpoint: who may finish it, what it changes, where its answer goes; requests for it and their
// inbox.

import t from 'tap'
import { changeApplication } from '../../../src/directory/applications/application-changes.js'
import { listRequests } from '../../../src/directory/consents/consent-requests.js'
import { configurePermissions, grantConsent } from '../../../src/directory/permissions/permissions.js'
import type { PermissionRef } from '../../../src/directory/records.js'
import { createTenant } from '../../../src/directory/tenants/tenants.js'
import type { IdentityDependencies } from '../../../src/identity/dependencies.js'
import type { LedgerEvent } from '../../../src/ledger/ledger.js'
import { addMembership, setRole } from '../../../src/users/memberships/memberships.js'
import type { ScriptedBrowser, Shown } from '../../support/browser/scripted-browser.js'
import { formOf, textOf } from '../../support/browser/scripted-browser.js'
import { type AuthorizeApp, answerOf, delegated, openAuthorize } from '../../support/rooms/authorize.js'
import { baseUrl, otherResource, ownResource } from '../../support/rooms/directory.js'
import { tokenPath, unknownGuid } from '../../support/rooms/identity.js'

const path = '/api/v2/oauth2/v2.0/adminconsent'
const back = 'https://app.test/consented'
const asItself = (id: string, resource = ownResource): PermissionRef => ({ kind: 'application', resource, id })
/** In the order of the Store. */
const permissions = [
  delegated('User.Read'),
  asItself('User.Read.All'),
  asItself('assets_read'),
  delegated('assets_read'),
]

interface Noting extends AuthorizeApp {
  noted: Pick<LedgerEvent, 'event' | 'userId'>[]
  admin: ScriptedBrowser
  adminId: string
  consentAddress(more?: Record<string, string | undefined>): string
}

async function open(t: Parameters<typeof openAuthorize>[0], registration: object = {}): Promise<Noting> {
  const noted: Noting['noted'] = []
  const activity = { note: (event: Noting['noted'][number]) => void noted.push(event), async flush() {} }
  const replace = (): Partial<IdentityDependencies> => ({ activity })
  const testApp = await openAuthorize(t, {
    ...{ consented: false, replace },
    registration: { permissions, consentBy: undefined, adminConsentRedirectUris: [back], ...registration },
  })
  const { userId } = await testApp.person({ role: 'administrator' })
  return {
    ...{ ...testApp, noted, adminId: userId },
    admin: await testApp.signedIn(userId),
    consentAddress(more = {}) {
      const fields = { client_id: testApp.registration.applicationId, redirect_uri: back, ...more }
      const present = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined)
      return `${path}?${new URLSearchParams(present)}`
    },
  }
}

const decide = (browser: ScriptedBrowser, page: Shown, decision: string, more: Record<string, string> = {}) =>
  browser.submit(page, 'admin-consent', { decision, ...more })

async function grantedIds({ directory, registration, tenantId }: AuthorizeApp): Promise<string[]> {
  const installation = await directory.findInstallation(registration.applicationId, tenantId)
  return (installation?.granted ?? []).map(({ kind, id }) => `${kind} ${id}`).sort()
}

async function ledgerOf({ store }: AuthorizeApp, event: string) {
  const rows = await store.reader.selectFrom('ledger').selectAll().where('event', '=', event).execute()
  return rows.map((row) => ({
    actor: JSON.parse(row.actor),
    tenantId: row.tenant_id,
    details: JSON.parse(row.details),
  }))
}

t.test(
  'an administrator consents: the answer of the contract, the grants, the ledger with difference and actor',
  async (t) => {
    const testApp = await open(t)
    const { admin, adminId, registration, tenantId, post, secret } = testApp
    const credentials = { client_id: registration.applicationId, client_secret: secret }
    const tokenFor = (scope: string) => post(tokenPath, { grant_type: 'client_credentials', scope, ...credentials })
    const refused = (await tokenFor('default')).json()
    t.match(refused, { error: 'invalid_scope', suberror: 'admin_consent_required' })

    const page = await admin.open(testApp.consentAddress({ scope: `${ownResource}/.default`, state: 'a b+c&d' }))
    t.equal(page.status, 200)
    t.match(textOf(page, 'added-application'), /Allows User\.Read\.All/)
    t.match(textOf(page, 'added-delegated'), /Allows User\.Read/)
    t.match(String(page.headers['content-security-policy']), /form-action 'self' https:\/\/app\.test(;|$)/)
    const done = await decide(admin, page, 'grant')
    t.equal(done.status, 302)
    t.ok(done.location?.startsWith(`${back}?`))
    t.same(answerOf(done), {
      admin_consent: 'True',
      tenant: tenantId,
      scope: 'User.Read User.Read.All assets_read',
      state: 'a b+c&d',
      iss: baseUrl,
    })
    t.equal((await grantedIds(testApp)).length, 4)
    t.match(await ledgerOf(testApp, 'admin-consent.granted'), [
      { actor: { kind: 'user', userId: adminId }, tenantId, details: { added: permissions, removed: [], by: adminId } },
    ])
    t.equal((await tokenFor('default')).statusCode, 200)
    const member = await testApp.signedIn()
    t.match(answerOf(await member.open(testApp.address({ scope: 'User.Read' }))), { code: /./ }, 'covers all users')
    t.equal((await decide(admin, page, 'grant')).status, 400, 'the request is over')
  },
)

t.test('the consent_uri of a refusal opens the page, and ends with a page', async (t) => {
  const testApp = await open(t)
  const { registration, secret, post, admin } = testApp
  const credentials = { client_id: registration.applicationId, client_secret: secret }
  const refusal = await post(tokenPath, { grant_type: 'client_credentials', scope: 'User.Read.All', ...credentials })
  const uri = new URL(refusal.json().consent_uri)
  t.equal(uri.origin, baseUrl)
  const page = await admin.open(uri.pathname + uri.search)
  t.match(textOf(page, 'added-application'), /User\.Read\.All/)
  t.notMatch(String(page.headers['content-security-policy']), /app\.test/)
  const done = await decide(admin, page, 'grant')
  t.equal(done.status, 200)
  t.match(done.body, /Consent granted/)
})

t.test('C8 the answer goes only to a registered admin consent URL, by exact match', async (t) => {
  const testApp = await open(t, { redirectUris: ['https://app.test/callback'] })
  const wrong = [
    'https://app.test/callback',
    `${back}/`,
    `${back}?x=1`,
    'https://app.test/Consented',
    'https://evil.test/',
  ]
  for (const redirect_uri of wrong) {
    const page = await testApp.admin.get(testApp.consentAddress({ redirect_uri }))
    t.equal(page.status, 400, redirect_uri)
    t.equal(page.location, undefined)
    t.notMatch(page.body, /href="https:\/\/(?:app|evil)/)
  }
  t.equal((await testApp.admin.get(testApp.consentAddress({ client_id: 'nobody' }))).status, 400)
  t.equal(
    (await testApp.admin.get(`${testApp.consentAddress()}&state=1&state=2`)).status,
    400,
    'R7 a repeated parameter',
  )
  const native = await testApp.register({
    ...{ type: 'native', tenantId: testApp.tenantId, permissions: [delegated('User.Read')] },
    adminConsentRedirectUris: ['http://127.0.0.1/consented'],
  })
  const other = { client_id: native.registration.applicationId, redirect_uri: 'http://127.0.0.1:99/consented' }
  t.equal((await testApp.admin.get(testApp.consentAddress(other))).status, 400, 'also for loopback')

  const page = await testApp.admin.open(testApp.consentAddress())
  await changeApplication(testApp.writes, testApp.registration.applicationId, { adminConsentRedirectUris: [] })
  const gone = await decide(testApp.admin, page, 'decline')
  t.equal(gone.status, 400, 'one that was removed meanwhile')
  t.equal(gone.location, undefined)
})

t.test('R6 other errors reach the client, but not before somebody has signed in', async (t) => {
  const testApp = await open(t)
  const cases = [
    [{ scope: 'Nothing.Read' }, 'invalid_scope'],
    [{ scope: 'assets_delete' }, 'invalid_scope'],
    [{ scope: `${otherResource}/.default` }, 'invalid_scope'],
    [{ scope: 'https://unknown.test/.default' }, 'invalid_target'],
    [{ tenant: 'contoso' }, 'invalid_request'],
  ] as const
  for (const [more, error] of cases) {
    const address = testApp.consentAddress({ state: 's', ...more })
    t.match((await testApp.browser().open(address)).path, /^\/sign-in\?request=/)
    t.match(answerOf(await testApp.admin.open(address)), { admin_consent: 'False', error, state: 's', iss: baseUrl })
    const page = await testApp.admin.open(testApp.consentAddress({ redirect_uri: undefined, ...more }))
    t.equal(page.status, 400, 'a page where there is no address')
  }
})

t.test('declined: nothing is granted, and the ledger knows who declined', async (t) => {
  const testApp = await open(t)
  const done = await decide(testApp.admin, await testApp.admin.open(testApp.consentAddress({ state: 's' })), 'decline')
  t.match(answerOf(done), { admin_consent: 'False', error: 'access_denied', tenant: testApp.tenantId, state: 's' })
  t.same(await grantedIds(testApp), [])
  t.match(await ledgerOf(testApp, 'admin-consent.declined'), [{ actor: { userId: testApp.adminId } }])
  const page = await testApp.admin.open(testApp.consentAddress({ redirect_uri: undefined }))
  const end = await decide(testApp.admin, page, 'decline')
  t.match(end.body, /Nothing was granted/)
  t.match(end.body, /id="apps" href="\/account\/apps"/, 'a way on')
})

t.test('the page shows the difference; default replaces what was granted, names only add', async (t) => {
  const testApp = await open(t)
  const { registration, tenantId, admin, writes } = testApp
  const { applicationId } = registration
  await grantConsent(writes, applicationId, { permissions: [asItself('User.Read.All')], by: 'test' })
  await testApp.store.transaction((tx) =>
    tx
      .insertInto('permission_grants')
      .values({
        ...{ application_id: applicationId, tenant_id: tenantId, kind: 'application', resource: ownResource },
        ...{ permission_id: 'Left.Over', granted_at: 1, granted_by: 'test' },
      })
      .execute(),
  )
  await changeApplication(writes, applicationId, { state: 'enabled' })
  const named = await admin.open(testApp.consentAddress({ scope: 'assets_read openid' }))
  t.match(textOf(named, 'added-application'), /assets_read/)
  t.match(textOf(named, 'added-delegated'), /Sign people in/)
  t.equal(textOf(named, 'removed'), '')
  const all = await admin.open(testApp.consentAddress({ scope: '.default' }))
  t.match(textOf(all, 'removed'), /Left\.Over/)
  t.match(textOf(all, 'kept'), /User\.Read\.All/)
  await decide(admin, named, 'grant')
  t.equal((await decide(admin, all, 'grant')).status, 403, 'C2 what it showed is not what it would do now')
  const again = await admin.open(all.path)
  t.match(textOf(again, 'kept'), /assets_read/)
  t.match(answerOf(await decide(admin, again, 'grant')), { admin_consent: 'True' })
  const granted = await grantedIds(testApp)
  t.notOk(granted.includes('application Left.Over'))
  t.ok(granted.includes('delegated openid'), 'words stay')
})

t.test('C2 a permission that the developer adds meanwhile is not granted by a form that did not show it', async (t) => {
  const testApp = await open(t, { permissions: permissions.slice(0, 2) })
  const page = await testApp.admin.open(testApp.consentAddress())
  await configurePermissions(testApp.writes, testApp.registration.applicationId, permissions)
  t.equal((await decide(testApp.admin, page, 'grant')).status, 403)
  t.same(await grantedIds(testApp), [])
})

t.test('C2 C3 C7 nobody but an administrator of the tenant grants, however the form is sent', async (t) => {
  const testApp = await open(t)
  const { noted, user, admin } = testApp
  const member = await testApp.signedIn()
  const page = await member.open(testApp.consentAddress())
  t.match(page.body, /Administrator approval required/)
  t.notMatch(page.body, /id="grant"/)
  t.equal((await decide(member, page, 'grant')).status, 403)
  t.match(noted, [{ event: 'admin-consent.refused', userId: user.userId }])
  const developer = await testApp.signedIn((await testApp.person({ role: 'developer' })).userId)
  t.equal((await decide(developer, await developer.open(testApp.consentAddress()), 'grant')).status, 403)

  const consentPage = await admin.open(testApp.consentAddress())
  const { action, fields } = formOf(consentPage, 'admin-consent')
  const grant = { ...fields, decision: 'grant' }
  t.equal((await admin.get(`${action}?${new URLSearchParams(grant)}`)).status, 200, 'a GET shows')
  t.equal((await admin.post(action, { decision: 'grant' })).status, 403, 'no token')
  t.equal((await admin.post(action, grant, { 'sec-fetch-site': 'cross-site' })).status, 403)
  t.equal((await admin.post(action, grant, { origin: 'https://evil.test' })).status, 403)
  t.equal((await member.post(action, grant)).status, 400, 'another browser')
  await setRole(testApp.deps.users, { userId: testApp.adminId, tenantId: testApp.tenantId, role: 'member' })
  t.equal((await decide(admin, consentPage, 'grant')).status, 403, 'who was an administrator')
  t.same(await grantedIds(testApp), [])
})

t.test('an administrator of another tenant decides nothing here', async (t) => {
  const testApp = await open(t)
  const { tenantId } = await createTenant(testApp.writes, { name: 'Northwind' })
  const untrusted = await testApp.signedIn((await testApp.person({ tenantId, role: 'owner' })).userId)
  for (const more of [{}, { tenant: testApp.tenantId }, { tenant: unknownGuid() }]) {
    t.equal((await untrusted.open(testApp.consentAddress(more))).status, 403)
  }
})

t.test('who administers several tenants chooses one; the application is installed there', async (t) => {
  const testApp = await open(t, { audience: 'any' })
  const { admin, adminId, deps, registration } = testApp
  const { tenantId } = await createTenant(testApp.writes, { name: 'Northwind' })
  await addMembership(deps.users, { userId: adminId, tenantId, role: 'owner' })
  const page = await admin.open(testApp.consentAddress())
  t.match(page.body, /For which organisation\?/)
  const consentPage = await admin.submit(page, 'choose', { tenant: tenantId })
  t.match(answerOf(await decide(admin, consentPage, 'grant')), { admin_consent: 'True', tenant: tenantId })
  t.ok((await testApp.directory.findInstallation(registration.applicationId, tenantId))?.granted.length)
  t.same(await grantedIds(testApp), [])
  const named = await admin.open(testApp.consentAddress({ tenant: testApp.tenantId }))
  t.match(named.body, /Consent for Contoso\?/)
})

t.test('a member files a request, once; an administrator finds it and approves; the requester sees it', async (t) => {
  const testApp = await open(t)
  const { store, user, tenantId, admin, adminId } = testApp
  const member = await testApp.signedIn()
  const page = await member.open(testApp.consentAddress({ redirect_uri: undefined }))
  const reason = '<script>alert(1)</script>\u202e please'
  const waitingPage = await decide(member, page, 'ask', { reason })
  t.match(textOf(waitingPage, 'request-state'), /is waiting for an administrator/)
  t.match(waitingPage.body, /id="requests" href="\/consent-requests"/, 'a way on where the application gave no address')
  const withAddress = await decide(member, await member.open(testApp.consentAddress({ state: 's' })), 'ask')
  t.match(textOf(withAddress, 'decline'), /Back to the application/)
  t.match(answerOf(await decide(member, withAddress, 'decline')), { admin_consent: 'False', state: 's' })
  const [request, ...others] = await listRequests(store.reader, { tenantIds: [tenantId] })
  t.same(others, [], 'repeated requests are one')
  t.match(request, { state: 'pending', requestedBy: user.userId, permissions })
  const id = request?.requestId ?? ''

  const own = await member.open('/consent-requests')
  t.match(textOf(own, `own-${id}`), /Waiting/)
  t.notMatch(own.body, /id="approve-/, 'only their own, and nothing to decide')
  const inbox = await admin.open('/consent-requests')
  t.notMatch(inbox.body, /<script(?! src="\/assets\/[0-9a-f]+\.js" defer>)/)
  t.match(textOf(inbox, `requester-${id}`), /Ada Lovelace/)
  t.match(textOf(inbox, `added-application-${id}`), /User\.Read\.All/)
  const done = await admin.submit(inbox, `decide-${id}`, { decision: 'approved' })
  t.match(done.path, /done=approved/)
  t.equal((await grantedIds(testApp)).length, 4)
  t.match(await ledgerOf(testApp, 'admin-consent.granted'), [
    { actor: { kind: 'user', userId: adminId }, details: { added: permissions, consentRequest: id } },
  ])
  t.match(textOf(await member.open('/consent-requests'), `own-${id}`), /Approved/)
  t.match((await member.open(testApp.consentAddress())).body, /Nothing is missing/)
  const late = await admin.submit(inbox, `decide-${id}`, { decision: 'declined' })
  t.equal(late.status, 409, 'it is decided once')
})

t.test('who requested takes it back on the page while it waits, and nobody else does', async (t) => {
  const testApp = await open(t)
  const { store, tenantId, admin } = testApp
  const member = await testApp.signedIn()
  await decide(member, await member.open(testApp.consentAddress({ redirect_uri: undefined })), 'ask')
  const [{ requestId: id = '' } = {}] = await listRequests(store.reader, { tenantIds: [tenantId] })
  const own = await member.open('/consent-requests')
  const inbox = await admin.open('/consent-requests')
  t.notMatch(inbox.body, `take-back-${id}`, 'administrators decline it instead')
  const forged = await admin.submit(inbox, `decide-${id}`, { decision: 'taken-back' })
  t.equal(forged.status, 400)
  t.equal((await listRequests(store.reader, { tenantIds: [tenantId] })).length, 1)
  const done = await member.submit(own, `take-back-${id}`, { decision: 'taken-back' })
  t.match(textOf(done, 'done'), /Taken back/)
  t.same(await listRequests(store.reader, { tenantIds: [tenantId] }), [])
  const late = await admin.submit(inbox, `decide-${id}`, { decision: 'approved' })
  t.equal(late.status, 400, 'nothing is left to approve')
})

t.test('C2 C7 what the requester adds after an administrator has looked is not approved with the rest', async (t) => {
  const testApp = await open(t)
  const { admin, store } = testApp
  const member = await testApp.signedIn()
  const ask = async (scope: string) => decide(member, await member.open(testApp.consentAddress({ scope })), 'ask')
  await ask(`${ownResource}/User.Read`)
  const inbox = await admin.open('/consent-requests')
  const [early] = await listRequests(store.reader, {})
  await ask('default')
  const late = await admin.submit(inbox, `decide-${early?.requestId}`, { decision: 'approved' })
  t.equal(late.status, 400)
  t.same(await grantedIds(testApp), [])
  const [request, ...others] = await listRequests(store.reader, {})
  t.same(others, [], 'it is still one request')
  t.match(request, { state: 'pending', permissions: { length: 4 } })
  const anew = await admin.open('/consent-requests')
  await admin.submit(anew, `decide-${request?.requestId}`, { decision: 'approved' })
  t.equal((await grantedIds(testApp)).length, 4)
})

t.test('declined requests grant nothing; the requester sees it and may ask again', async (t) => {
  const testApp = await open(t)
  const { admin, store, user } = testApp
  const member = await testApp.signedIn()
  await decide(member, await member.open(testApp.consentAddress()), 'ask')
  const inbox = await admin.open('/consent-requests')
  const [request] = await listRequests(store.reader, { requestedBy: user.userId })
  await admin.submit(inbox, `decide-${request?.requestId}`, { decision: 'declined' })
  t.same(await grantedIds(testApp), [])
  t.match(await ledgerOf(testApp, 'admin-consent.declined'), [{ actor: { userId: testApp.adminId } }])
  const again = await member.open(testApp.consentAddress())
  t.match(textOf(again, 'request-state'), /declined/)
  await decide(member, again, 'ask')
  t.equal((await listRequests(store.reader, { requestedBy: user.userId, state: 'pending' })).length, 1)
})

t.test('of two administrators at once one decides', async (t) => {
  const testApp = await open(t)
  const { admin, store } = testApp
  const second = await testApp.signedIn((await testApp.person({ role: 'owner' })).userId)
  const member = await testApp.signedIn()
  await decide(member, await member.open(testApp.consentAddress()), 'ask')
  const [request] = await listRequests(store.reader, {})
  const form = `decide-${request?.requestId}`
  const [one, two] = [await admin.open('/consent-requests'), await second.open('/consent-requests')]
  const answers = await Promise.all([
    admin.submit(one, form, { decision: 'approved' }),
    second.submit(two, form, { decision: 'declined' }),
  ])
  t.same(answers.map(({ status }) => status).sort(), [200, 409])
  const [decided] = await listRequests(store.reader, {})
  t.equal((await grantedIds(testApp)).length, decided?.state === 'approved' ? 4 : 0)
})

t.test('C7 U2 a request is decided by administrators of its own tenant only', async (t) => {
  const testApp = await open(t)
  const { tenantId } = await createTenant(testApp.writes, { name: 'Northwind' })
  const member = await testApp.signedIn()
  await decide(member, await member.open(testApp.consentAddress()), 'ask')
  const [request] = await listRequests(testApp.store.reader, {})
  const id = request?.requestId ?? ''
  const untrusted = await testApp.person({ tenantId, role: 'owner' })
  await addMembership(testApp.deps.users, { userId: testApp.user.userId, tenantId, role: 'owner' })
  const elsewhere = await testApp.register({ tenantId, permissions, consentBy: undefined })
  const more = { client_id: elsewhere.registration.applicationId, redirect_uri: undefined }
  const northwind = await testApp.signedIn((await testApp.person({ tenantId })).userId)
  await decide(northwind, await northwind.open(testApp.consentAddress(more)), 'ask')
  const own = (await listRequests(testApp.store.reader, { tenantIds: [tenantId] }))[0]?.requestId
  for (const browser of [await testApp.signedIn(untrusted.userId), member]) {
    const inbox = await browser.open('/consent-requests')
    t.notMatch(inbox.body, new RegExp(`decide-${id}`))
    const forged = await browser.submit(inbox, `decide-${own}`, { id, decision: 'approved' })
    t.equal(forged.status, 403)
  }
  t.match(testApp.noted, [{ event: 'admin-consent.refused' }, { event: 'admin-consent.refused' }])
  t.match(await listRequests(testApp.store.reader, { tenantIds: [testApp.tenantId] }), [{ state: 'pending' }])
})

t.test('nobody fills the inbox: twenty requests of a person wait, no more', async (t) => {
  const testApp = await open(t)
  const member = await testApp.signedIn()
  for (let made = 0; made < 20; made += 1) {
    const { registration } = await testApp.register({ tenantId: testApp.tenantId, permissions, consentBy: undefined })
    const more = { client_id: registration.applicationId, redirect_uri: undefined }
    await decide(member, await member.open(testApp.consentAddress(more)), 'ask')
  }
  t.equal((await decide(member, await member.open(testApp.consentAddress()), 'ask')).status, 409)
})
