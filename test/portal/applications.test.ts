// Applications at the portal: the list, registering one, what it is, and its end.

import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { promisify } from 'node:util'
import t from 'tap'
import { createTenant } from '../../src/directory/tenants/tenants.js'
import type { Answer } from '../../src/management/schemas.js'
import { setRole } from '../../src/users/memberships/memberships.js'
import { checkRefusals } from '../support/browser/portal-refusals.js'
import { formOf, type ScriptedBrowser, textOf } from '../support/browser/scripted-browser.js'
import { ownResource } from '../support/rooms/directory.js'
import { openPortal, type PortalApp } from '../support/rooms/portal.js'

const run = promisify(execFile)
const at = ({ registration }: PortalApp, rest = '') => `/portal/applications/${registration.applicationId}${rest}`
const newPath = (kind: string) => `/portal/applications/new?kind=${kind}`
const nasty = `"><script>alert(1)</script><img src=x onerror=alert(1)>`
/** What would be a tag or an attribute if it had not been escaped. */
const live = /<script>alert|<img src=x/

async function register(browser: ScriptedBrowser, kind: string, fields: Record<string, string>) {
  return browser.submit(await browser.get(newPath(kind)), 'register-form', fields)
}

/** The application with that name, as the operator sees it; undefined when there is none. */
async function find(testApp: PortalApp, name: string): Promise<Answer<'application'> | undefined> {
  testApp.caller.principal = { kind: 'local' }
  const found = await testApp.manage('GET', `/applications/${encodeURIComponent(name)}`)
  return found.statusCode === 200 ? found.json() : undefined
}

t.test('with nothing registered there is one thing to do, and three cards say what there is', async (t) => {
  const testApp = await openPortal(t)
  const browser = await testApp.as('developer')
  testApp.caller.principal = { kind: 'local' }
  await testApp.manage('DELETE', `/applications/${testApp.registration.applicationId}`)
  const page = await browser.get('/portal/applications')
  t.match(textOf(page, 'register'), /^Register an application$/)
  t.equal([...page.body.matchAll(/class="button"/g)].length, 1, 'one primary action')
  t.match(page.body, /id="kind-server".*id="kind-web".*id="kind-native"/s)
  t.notMatch(page.body, 'id="search-form"')
  t.match(textOf(await browser.get('/portal'), 'register'), 'Register an application')
})

t.test('the list is of this tenant alone, searched by name and identifier, and goes on', async (t) => {
  const testApp = await openPortal(t)
  const browser = await testApp.as('developer')
  for (const name of ['Billing', 'Reports & Co']) await register(browser, 'server', { name })
  await testApp.registerDemo({ name: 'of another tenant' })
  const page = await browser.get('/portal/applications')
  t.match(textOf(page, 'applications'), /Billing.*demo.*Reports & Co/s, 'by name, whatever the case of its letters')
  t.notMatch(page.body, 'of another tenant')
  const names = (found: { body: string }) =>
    [...found.body.matchAll(/id="application-[^>]*>[\s\S]*?<a[^>]*>([^<]*)</g)].map(([, name]) => name)
  t.same(names(await browser.get('/portal/applications?search=bIll')), ['Billing'])
  t.same(names(await browser.get('/portal/applications?search=11111111-1111-4111-8111-111111111111')), [])
  const theirs = (await find(testApp, 'of another tenant'))?.applicationId
  t.same(names(await browser.get(`/portal/applications?search=${theirs}`)), [], 'U2 of another tenant there is nothing')
  t.same(names(await browser.get(`/portal/applications?search=${testApp.registration.applicationId}`)), ['demo'])
  t.same(names(await browser.get(`/portal/applications?search=${testApp.registration.publicKey}`)), ['demo'])
  t.same(names(await browser.get('/portal/applications?search=of+another+tenant')), [])
  const nothing = await browser.get(`/portal/applications?search=${encodeURIComponent(nasty)}`)
  t.match(nothing.body, 'id="nothing-found"')
  t.notMatch(nothing.body, live, 'U4 what is looked for is text')
  t.match((await browser.get('/portal/applications?page=forged')).body, 'id="shown"', 'no page is the first one')
  t.equal((await (await testApp.as('member')).get('/portal/applications')).status, 403)
  t.match((await testApp.browser().get('/portal/applications')).location, /^\/sign-in\?/)
})

t.test('more applications than a page has are on the next one', async (t) => {
  const testApp = await openPortal(t)
  testApp.caller.principal = { kind: 'local' }
  for (let n = 10; n < 62; n += 1) {
    await testApp.manage('POST', '/applications', { name: `app ${n}`, type: 'native', tenantId: testApp.tenantId })
  }
  const browser = await testApp.as('developer')
  const first = await browser.get('/portal/applications')
  t.equal([...first.body.matchAll(/id="application-/g)].length, 50)
  t.equal(textOf(first, 'shown'), '1–50 of 53')
  t.notMatch(first.body, 'id="previous"')
  const names = (page: { body: string }) => [...page.body.matchAll(/>(app \d+|demo)</g)].map(([, name]) => name)
  const addressOf = (page: { body: string }, id: string) =>
    new RegExp(`id="${id}" href="([^"]*)"`).exec(page.body)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const second = await browser.get(addressOf(first, 'next'))
  t.same(names(second), ['app 60', 'app 61', 'demo'])
  t.equal(textOf(second, 'shown'), '51–53 of 53')
  t.notMatch(second.body, 'id="next"')
  t.same(names(await browser.get(addressOf(second, 'previous'))), names(first), 'and back')
  const searched = await browser.get('/portal/applications?search=APP')
  t.same(names(await browser.get(addressOf(searched, 'next'))), ['app 60', 'app 61'])
  t.equal(textOf(await browser.get('/portal/applications?page=77'), 'shown'), '51–53 of 53', 'no page beyond the last')
})

t.test('each says its state, kind, owners, last use, the end of its secret and what waits for consent', async (t) => {
  const testApp = await openPortal(t)
  const browser = await testApp.as('developer')
  const { tenantId, clock } = testApp
  const local = async (body: Record<string, unknown>) => {
    testApp.caller.principal = { kind: 'local' }
    return (await testApp.manage('POST', '/applications', { type: 'web', tenantId, ...body })).json<{
      applicationId: string
    }>().applicationId
  }
  const permissions = [{ kind: 'application', id: 'User.Read.All' }]
  const waits = await local({ name: 'waits', permissions, secretExpiresInDays: 12 })
  const site = await local({ name: 'Site', redirectUris: ['https://site.example/callback'] })
  const tool = await local({ name: 'tool', type: 'native' })
  await testApp.manage('PATCH', `/applications/${tool}`, { state: 'disabled' })
  const own = testApp.registration.applicationId
  const principal = { kind: 'application', applicationId: own, tenantId, resource: ownResource } as never
  testApp.usage.allowed(principal, { id: 'GET /users' }, ['User.Read.All'])
  await testApp.usage.flush()
  const page = await browser.get('/portal/applications')
  t.match(
    textOf(page, `application-${waits}`),
    /waits.*A permission waits for consent.*Server.*Administrators.*Never.*3 Dec 2026in 12 days/s,
  )
  t.match(textOf(page, `application-${site}`), /Site.*Web app.*Never/s)
  t.match(textOf(page, `application-${tool}`), /tool.*Disabled.*Native, mobile or single-page.*Has none/s)
  t.match(textOf(page, `application-${own}`), /demo.*Server.*developer-1 Example.*21 Nov 2026/s)
  const ids = (shown: { body: string }) =>
    [...shown.body.matchAll(/<tr[^>]*id="application-([^"]*)"/g)].map(([, id]) => id)
  t.same(ids(page), [own, site, tool, waits])
  t.same(ids(await browser.get('/portal/applications?state=disabled')), [tool])
  t.same(ids(await browser.get('/portal/applications?state=enabled&search=it')), [site, waits])
  t.match((await browser.get('/portal/applications?state=disabled&search=waits')).body, 'id="nothing-found"')
  clock.nowMs += 13 * 86_400_000
  const later = await testApp.as('developer')
  t.match(textOf(await later.get('/portal/applications'), `application-${waits}`), /It has ended/)
})

t.test(
  'a server needs a name; the answer has its identifiers, its private key, and programs to begin with',
  async (t) => {
    const testApp = await openPortal(t)
    const browser = await testApp.as('developer')
    const form = await browser.get(newPath('server'))
    t.notMatch(form.body, 'id="redirectUri"', 'a server has nobody who comes back')
    const page = await browser.submit(form, 'register-form', { name: 'Billing' })
    t.equal(page.status, 201)
    const application = await find(testApp, 'Billing')
    t.match(application, { type: 'web', redirectUris: [], secrets: [{ lastUsedAt: null }] })
    t.equal(textOf(page, 'application-id'), application?.applicationId)
    t.equal(textOf(page, 'public-key'), application?.publicKey)
    t.match(page.body, /Application ID<span class="goes-into">send as <code>client_id</)
    t.match(page.body, /Second ID \(public key\)<span class="goes-into">means the same <code>client_id</)
    t.match(page.body, /Send as <code>client_secret</)
    for (const id of ['curl', 'node', 'python', 'go', 'java'].map((language) => `snippet-${language}`)) {
      t.match(textOf(page, id), String(application?.applicationId), id)
      t.match(textOf(page, id), 'https://portcullis.test/api/v2/', id)
      t.notMatch(textOf(page, id), 'pcl_sk_', 'the private key is in no program')
    }
    t.match(textOf(page, 'snippet-curl'), 'grant_type=client_credentials')
    t.match(textOf(page, 'snippet-curl'), 'requested_scopes=default')
    t.match(textOf(page, 'snippet-node'), 'await fetch(', 'nothing can be installed from here')
    t.notMatch(page.body, /npm install|from 'portcullis/, 'no package is named that somebody else could register')
    t.notMatch(
      page.body,
      /ca\.pem|snippet-\w+-prepare"[^>]*>curl|development mode/,
      'nor what is for development alone',
    )
    const secret = /id="client-secret"[^>]* value="([^"]*)"/.exec(page.body)?.[1] ?? ''
    const { body, statusCode } = await testApp.post('/api/v2/oauth2/v2.0/token', {
      ...{ grant_type: 'client_credentials', client_id: application?.applicationId ?? '', client_secret: secret },
      scope: 'default',
    })
    t.equal(statusCode, 400)
    t.match(body, 'admin_consent_required', 'the private key is right; only consent is missing')
  },
)

t.test('U9 the private key is on that page once: not stored, not filled in again, nowhere else', async (t) => {
  const testApp = await openPortal(t)
  const browser = await testApp.as('developer')
  const page = await register(browser, 'server', { name: 'Billing' })
  t.equal(page.headers['cache-control'], 'no-store')
  const input = /<input id="client-secret"[^>]*>/.exec(page.body)?.[0] ?? ''
  t.match(input, 'autocomplete="off"')
  t.match(input, 'readonly')
  t.notMatch(input, ' name=', 'it is part of no form')
  const secret = /value="(pcl_sk_[^"]*)"/.exec(input)?.[1] ?? ''
  t.match(/<textarea id="env"[^>]*autocomplete="off"[^>]*>([^<]*)</.exec(page.body)?.[1], `CLIENT_SECRET=${secret}`)
  const { applicationId } = (await find(testApp, 'Billing')) ?? {}
  for (const rest of ['', '/credentials', '/redirect-uris', '/proof', '/delete']) {
    t.notMatch((await browser.get(`/portal/applications/${applicationId}${rest}`)).body, secret, rest)
  }
  t.notMatch((await browser.get(newPath('server'))).body, 'pcl_sk_')
  t.notMatch(testApp.managementLog.join('\n') + testApp.logged.join('\n'), secret)
})

t.test('a web app says where people come back to; what is wrong is corrected by one press', async (t) => {
  const testApp = await openPortal(t)
  const browser = await testApp.as('developer')
  const typed = { name: 'Shop', redirectUri: 'http://shop.example.com/back' }
  const wrong = await register(browser, 'web', typed)
  t.equal(wrong.status, 400)
  t.match(textOf(wrong, 'redirectUri-error'), /uses https/)
  t.match(wrong.body, 'value="Shop"', 'what was typed is kept')
  t.match(wrong.body, 'value="http://shop.example.com/back"')
  t.equal(textOf(wrong, 'use-corrected'), 'Use https://shop.example.com/back')
  const corrected = { ...typed, corrected: 'https://shop.example.com/back' }
  const page = await browser.submit(wrong, 'register-form', corrected)
  t.equal(page.status, 201)
  t.match(await find(testApp, 'Shop'), { type: 'web', redirectUris: ['https://shop.example.com/back'] })
  const refused: [string, Record<string, string>, string][] = [
    ['none', { name: 'Other' }, 'redirectUri-error'],
    ['a fragment and nothing else', { name: 'Other', redirectUri: '#top' }, 'redirectUri-error'],
    ['a wildcard', { name: 'Other', redirectUri: 'https://*.example.com/' }, 'redirectUri-error'],
    ['no name', { name: '', redirectUri: 'https://other.example/' }, 'name-error'],
    ['a name that turns around', { name: 'O\u202ether', redirectUri: 'https://other.example/' }, 'name-error'],
    ['a name like an identifier', { name: testApp.registration.applicationId }, 'redirectUri-error'],
  ]
  for (const [title, fields, error] of refused) {
    const answer = await register(browser, 'web', fields)
    t.equal(answer.status, 400, title)
    t.ok(textOf(answer, error).length > 10, `${title}: ${error}`)
  }
  t.equal(await find(testApp, 'Other'), undefined)
})

t.test('where the client library can be installed from here, the program for Node begins with that', async (t) => {
  const clientDownload = {
    name: 'portcullis-client',
    version: '1.2.3',
    file: 'portcullis-client-1.2.3.tgz',
    bytes: Buffer.alloc(0),
    integrity: 'sha512-',
    digest: '',
  }
  const fingerprint = Array(32).fill('AB').join(':')
  const authority = { pem: 'PEM', fingerprint }
  const testApp = await openPortal(t, { clientDownload, authority })
  const browser = await testApp.as('developer')
  const server = await register(browser, 'server', { name: 'Billing' })
  const prepare = textOf(server, 'snippet-node-prepare')
  t.match(prepare, /^curl -fsSk https:\/\/portcullis\.test\/downloads\/development-ca\.pem -o ca\.pem\n/)
  t.match(prepare, fingerprint)
  t.match(
    prepare,
    /^npm install --no-audit --cafile=ca\.pem https:\/\/portcullis\.test\/downloads\/portcullis-client-1\.2\.3\.tgz$/m,
  )
  t.match(textOf(server, 'snippet-node-run'), 'NODE_EXTRA_CA_CERTS=ca.pem node --env-file=portcullis.env main.mjs')
  t.notMatch(server.body, 'data/tls', 'no path of the server’s disk')
  t.match(textOf(server, 'snippet-node'), "import { createClient, createFetch } from 'portcullis-client'")
  t.match(server.body, 'href="/downloads"', 'and leads to its integrity value')
  const native = await register(browser, 'native', { name: 'Phone', redirectUri: 'http://127.0.0.1/callback' })
  t.match(textOf(native, 'snippet-node'), "import { listenForCallback } from 'portcullis-client/loopback'")
  t.notMatch(native.body, 'portcullis/client')
  const certified = await openPortal(t, { clientDownload })
  const page = await register(await certified.as('developer'), 'server', { name: 'Billing' })
  t.match(textOf(page, 'snippet-node-prepare'), /^npm install https:/)
  t.notMatch(page.body, 'ca.pem', 'in development with a certificate of one’s own there is no such file')
})

t.test('a native application has PKCE and no private key', async (t) => {
  const testApp = await openPortal(t)
  const browser = await testApp.as('developer')
  const page = await register(browser, 'native', { name: 'Phone', redirectUri: 'http://127.0.0.1/callback' })
  t.equal(page.status, 201)
  t.notMatch(page.body, 'pcl_sk_')
  t.notMatch(page.body, 'client-secret')
  t.match(textOf(page, 'snippet-node'), 'server.listen(0, "127.0.0.1"', 'at any port')
  t.match(await find(testApp, 'Phone'), { type: 'native', requirePkce: true, secrets: [] })
  const { applicationId } = (await find(testApp, 'Phone')) ?? {}
  const credentials = await browser.get(`/portal/applications/${applicationId}/credentials`)
  t.match(credentials.body, 'id="no-credentials"')
  t.notMatch(credentials.body, 'rotate-form')
})

t.test('U1 registering: only from the page, and only by who may', async (t) => {
  const testApp = await openPortal(t)
  const developer = await testApp.as('developer')
  const page = await developer.get(newPath('server'))
  const { action, fields } = formOf(page, 'register-form')
  const own = { origin: 'null', 'sec-fetch-site': 'same-origin' }
  const sent = { ...fields, name: 'Forged' }
  const other = await testApp.as('developer')
  await other.get('/portal/applications')
  const { userId } = await testApp.person('Once', 'developer')
  const member = testApp.browser()
  await testApp.signIn(member, userId)
  // A member is shown no form: this one was a developer when they saw it.
  const asMember = formOf(await member.get(newPath('server')), 'register-form')
  await setRole(testApp.deps.users, { userId, tenantId: testApp.tenantId, role: 'member' })
  const cases: [string, ScriptedBrowser, Record<string, string>, Record<string, string>, number][] = [
    ['without the token', developer, { ...sent, form_token: '' }, own, 403],
    ['with the token of somebody else', other, sent, own, 403],
    ['from another site', developer, sent, { 'sec-fetch-site': 'cross-site' }, 403],
    ['with a foreign origin', developer, sent, { origin: 'https://evil.test' }, 403],
    ['as text', developer, sent, { ...own, 'content-type': 'text/plain' }, 415],
    ['a member', member, { ...asMember.fields, name: 'Forged' }, own, 403],
  ]
  for (const [title, browser, body, headers, status] of cases) {
    t.equal((await browser.post(action, body, headers)).status, status, title)
  }
  t.equal(await find(testApp, 'Forged'), undefined)
  const noKind = await developer.get(newPath('everything'))
  t.match(noKind.body, 'id="kind-server"')
  t.notMatch(noKind.body, 'register-form')
})

t.test('somebody of two tenants stays in the one that they are in', async (t) => {
  const testApp = await openPortal(t)
  const there = await createTenant(testApp.writes, { name: 'Fabrikam' })
  const { userId } = await testApp.person('Ada', 'developer')
  await testApp.store.transaction((tx) =>
    tx
      .insertInto('memberships')
      .values({
        user_id: userId,
        tenant_id: there.tenantId,
        role: 'developer',
        created_at: testApp.now() + 1,
        updated_at: 0,
      })
      .execute(),
  )
  const browser = testApp.browser()
  await testApp.signIn(browser, userId)
  t.match((await browser.get('/portal/applications')).body, 'demo', 'the oldest membership first')
  const inThere = `tenant=${there.tenantId}`
  const empty = await browser.get(`/portal/applications?${inThere}`)
  t.match(empty.body, 'id="no-applications"')
  t.match(empty.body, `href="/portal/applications/new?kind=server&amp;${inThere}"`)
  const page = await browser.get(`${newPath('server')}&${inThere}`)
  t.equal((await browser.submit(page, 'register-form', { name: 'Theirs' })).status, 201)
  const theirs = await find(testApp, 'Theirs')
  t.equal(theirs?.tenantId, there.tenantId)
  const own = await browser.get(`/portal/applications/${theirs?.applicationId}`)
  t.equal(own.status, 200, 'its address says where it is')
  t.match(own.body, `/credentials?${inThere}"`)
  const saved = await browser.submit(own, 'details-form', { name: 'Theirs', publisher: 'Fabrikam' })
  t.equal(saved.path, `/portal/applications/${theirs?.applicationId}?done=details&${inThere}`)
  t.equal((await browser.get(`${at(testApp)}?${inThere}`)).status, 404, 'U2 the other tenant’s is not there')
  t.equal((await browser.get('/portal/applications?tenant=22222222-2222-4222-8222-222222222222')).status, 404)
})

t.test('the overview: identifiers, programs, details that can be changed', async (t) => {
  const testApp = await openPortal(t)
  await checkRefusals(t, testApp, { path: at(testApp), form: { id: 'details-form', fields: { name: 'Forged' } } })
  const browser = await testApp.as('administrator')
  const page = await browser.get(at(testApp))
  t.equal(textOf(page, 'application-id'), testApp.registration.applicationId)
  for (const tab of ['credentials', 'redirect-uris', 'permissions', 'try-it', 'activity', 'usage']) {
    t.match(page.body, `href="${at(testApp, `/${tab}`)}"`, tab)
  }
  t.match(page.body, /id="tab-overview"[^>]*aria-current="page"/)
  const wrong = await browser.submit(page, 'details-form', { name: ' ', publisher: 'Contoso Ltd' })
  t.equal(wrong.status, 400)
  t.match(textOf(wrong, 'name-error'), /1 to 120/)
  t.match(wrong.body, 'value="Contoso Ltd"', 'what was typed is kept')
  const done = await browser.submit(page, 'details-form', { name: 'Renamed', publisher: 'Contoso Ltd' })
  t.equal(done.path, at(testApp, '?done=details'))
  t.match(done.body, /<h1>Renamed</)
  t.match(await find(testApp, 'Renamed'), { publisher: 'Contoso Ltd' })
  t.equal((await browser.get('/portal/applications/11111111-1111-4111-8111-111111111111')).status, 404)
  t.equal((await browser.get('/portal/applications/no%20such%20name')).status, 404)
})

t.test('disabling and enabling, each said', async (t) => {
  const testApp = await openPortal(t)
  const browser = await testApp.as('administrator')
  const question = await browser.submit(await browser.get(at(testApp)), 'state-form')
  t.match(textOf(question, 'consequences'), /Calls in the last hour/)
  const off = await browser.submit(question, 'confirm-form')
  t.match(textOf(off, 'done'), /disabled/)
  t.match(off.body, 'id="is-disabled"')
  t.match(await find(testApp, 'demo'), { state: 'disabled' })
  t.match((await browser.get('/portal/applications')).body, '>Disabled<')
  const developer = await testApp.as('developer')
  const on = await developer.submit(await developer.get(at(testApp)), 'state-form')
  t.match(textOf(on, 'done'), /enabled again/)
  t.match(await find(testApp, 'demo'), { state: 'enabled' })
})

t.test('signing out everywhere refuses every token, and says when', async (t) => {
  const testApp = await openPortal(t)
  const path = at(testApp, '/sign-out-everywhere')
  await checkRefusals(t, testApp, { path, form: { id: 'confirm-form', fields: {} } })
  const client = { client_id: testApp.registration.applicationId, client_secret: testApp.secret }
  const ask = () =>
    testApp.post('/api/v2/oauth2/v2.0/token', { grant_type: 'client_credentials', ...client, scope: 'default' })
  const token = (await ask()).json().access_token
  const introspect = async () =>
    (await testApp.post('/api/v2/oauth2/v2.0/introspect', { ...client, token })).json().active
  t.equal(await introspect(), true)
  const browser = await testApp.as('developer')
  const page = await browser.get(path)
  t.match(page.body, 'within a')
  t.equal(await introspect(), true, 'looking changes nothing')
  const done = await browser.submit(page, 'confirm-form')
  t.match(textOf(done, 'done'), /refused from now on/)
  t.equal(await introspect(), false)
  t.equal((await ask()).statusCode, 200, 'it may ask anew')
})

t.test('deleting asks for the name', async (t) => {
  const testApp = await openPortal(t)
  const path = at(testApp, '/delete')
  await checkRefusals(t, testApp, { path, form: { id: 'confirm-form', fields: { typed: 'demo' } } })
  const browser = await testApp.as('administrator')
  const page = await browser.get(path)
  for (const typed of ['', 'Demo', 'dem']) {
    const wrong = await browser.submit(page, 'confirm-form', { typed })
    t.equal(wrong.status, 400)
    t.match(textOf(wrong, 'typed-error'), /not what stands above/)
  }
  t.ok(await find(testApp, 'demo'))
  const done = await browser.submit(page, 'confirm-form', { typed: ' demo ' })
  t.match(textOf(done, 'done'), /is deleted/)
  t.equal(await find(testApp, 'demo'), undefined)
  t.equal((await browser.get(at(testApp))).status, 404)
})

t.test('U4 what somebody stored is text on every page: name, publisher, label, redirect URI, key', async (t) => {
  const testApp = await openPortal(t)
  testApp.caller.principal = { kind: 'local' }
  const uri = "https://a.example/?q=%3Cscript%3Ealert(1)%3C/script%3E&x='onmouseover=alert(1)"
  const made = await testApp.manage('POST', '/applications', {
    ...{ name: nasty, type: 'web', tenantId: testApp.tenantId, publisher: nasty, secretLabel: nasty },
    ...{ redirectUris: [uri], adminConsentRedirectUris: [uri], logoutRedirectUris: [uri] },
  })
  t.equal(made.statusCode, 201)
  const { applicationId, secret } = made.json()
  const browser = await testApp.as('administrator')
  const paths = ['', '/credentials', '/redirect-uris', '/proof', '/delete', '/sign-out-everywhere']
  paths.push(`/secrets/${secret.keyId}/end`)
  for (const path of [...paths.map((rest) => `/portal/applications/${applicationId}${rest}`), '/portal/applications']) {
    const page = await browser.get(path)
    t.equal(page.status, 200, path)
    t.notMatch(page.body, live, path)
    t.match(page.body, '&lt;script>alert(1)', `${path} says it as it is`)
  }
  const again = await register(browser, 'web', { name: nasty, redirectUri: nasty })
  t.equal(again.status, 400)
  t.notMatch(again.body, live, 'what is typed')
  const registered = await register(browser, 'web', { name: nasty, redirectUri: uri })
  t.equal(registered.status, 201)
  t.notMatch(registered.body, live, 'the page after registration')
})

t.test('U4 a redirect URI is text in programs to copy, whatever it looks like to a shell or a compiler', async (t) => {
  const testApp = await openPortal(t)
  const browser = await testApp.as('developer')
  const uri = "https://a.example/';touch$IFS./owned;'$(touch$IFS./owned)&x='+process.exit(7)+'"
  const folder = t.testdir()
  for (const [kind, start] of [
    ['web', 'https://a.example/'],
    ['native', 'http://127.0.0.1/'],
  ] as const) {
    const redirectUri = uri.replace('https://a.example/', start)
    const page = await register(browser, kind, { name: kind, redirectUri })
    t.equal(page.status, 201, textOf(page, 'redirectUri-error'))
    const curl = textOf(page, 'snippet-curl')
    const line = /'redirect_uri=.*(?= \\$)/m.exec(curl)?.[0] ?? ''
    const { stdout } = await run('sh', ['-c', `printf %s ${line}`], { cwd: folder })
    t.equal(stdout, `redirect_uri=${redirectUri}`)
    t.same(readdirSync(folder), [], 'and nothing was run')
    const opened = /echo "(https:.*)"$/m.exec(curl)?.[1] ?? ''
    t.equal(new URL(opened).searchParams.get('redirect_uri'), redirectUri)
    t.equal((await run('sh', ['-c', `echo "${opened}"`], { cwd: folder })).stdout.split('?')[0], opened.split('?')[0])
    t.same(readdirSync(folder), [])
    const written = kind === 'web' ? redirectUri : new URL(redirectUri).pathname
    for (const language of ['node', 'python', 'go', 'java']) {
      t.ok(textOf(page, `snippet-${language}`).includes(JSON.stringify(written)), `${kind}, ${language}: ${written}`)
    }
  }
})

t.test('gateway L12: U5 every page says what it may not do', async (t) => {
  const testApp = await openPortal(t)
  const browser = await testApp.as('developer')
  const rests = ['', '/credentials', '/redirect-uris', '/proof', '/delete', '/sign-out-everywhere']
  for (const path of ['/portal/applications', newPath('web'), ...rests.map((rest) => at(testApp, rest))]) {
    const { headers } = await browser.get(path)
    const policy = String(headers['content-security-policy'])
    t.match(policy, "default-src 'none'", path)
    t.match(policy, /script-src https:\/\/[^ ;]+\/assets\//, 'of this origin, and of assets only')
    t.notMatch(policy, /unsafe|blob:|\*/)
    t.match(headers, {
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-store',
    })
    t.ok(headers['permissions-policy'])
  }
})
