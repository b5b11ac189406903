// API permissions of an application: the list, adding, removing, consent with its difference, what is not used.

import t from 'tap'
import type { RouteSettings } from '../../src/config/settings/route-settings.js'
import { createTenant } from '../../src/directory/tenants/tenants.js'
import { addMembership } from '../../src/users/memberships/memberships.js'
import { checkRefusals } from '../support/browser/portal-refusals.js'
import { type ScriptedBrowser, textOf } from '../support/browser/scripted-browser.js'
import { ownResource } from '../support/rooms/directory.js'
import { openPortal, type PortalApp } from '../support/rooms/portal.js'
import { upstreamSettings } from '../support/settings/upstream-settings.js'

const key = (id: string, kind = 'application', resource = ownResource) => `${kind} ${resource} ${id}`
const at = ({ registration }: PortalApp, rest = '') =>
  `/portal/applications/${registration.applicationId}/permissions${rest}`
const removal = (testApp: PortalApp, permission: string) =>
  at(testApp, `/remove?permission=${encodeURIComponent(permission)}`)

const dayMs = 86_400_000
const position = { file: 'portcullis.yaml', line: 1, column: 1 }
const target = { kind: 'url', origin: 'http://127.0.0.1:1', basePath: '' } as const
const upstream = upstreamSettings('backend', { target, identity: 'none', position })
const upstreams = new Map([['backend', upstream]])
const routeFor = (id: string): RouteSettings => ({
  ...{ id, path: `/api/v2/${id}`, methods: new Map([['GET', { anyOf: [[id]] }]]), resource: ownResource },
  ...{ upstream: 'backend', limits: [], bodyBytes: 1000, stream: false, onStale: 'refuse', position },
})

/** What is configured and what is granted, as the operator sees it. */
async function state(testApp: PortalApp): Promise<{ configured: string[]; granted: string[] }> {
  testApp.caller.principal = { kind: 'local' }
  const { permissions, consents } = (
    await testApp.manage('GET', `/applications/${testApp.registration.applicationId}`)
  ).json()
  const ids = (refs: { kind: string; id: string }[]) => refs.map(({ kind, id }) => `${kind} ${id}`).sort()
  return { configured: ids(permissions), granted: ids(consents[0]?.permissions ?? []) }
}

async function add(browser: ScriptedBrowser, testApp: PortalApp, ...keys: string[]) {
  const page = await browser.get(at(testApp, '/add'))
  const body = new URLSearchParams([
    ['form_token', /name="form_token" value="([^"]*)"/.exec(page.body)?.[1] ?? ''],
    ...keys.map((each) => ['permission', each]),
  ])
  const headers = { origin: 'null', 'sec-fetch-site': 'same-origin' }
  return browser.follow(await browser.post(at(testApp, '/add'), body.toString(), headers))
}

t.test('the list has exactly the columns of the specification, and who granted what', async (t) => {
  const testApp = await openPortal(t)
  const browser = await testApp.as('administrator')
  const page = await browser.get(at(testApp))
  t.equal(page.status, 200)
  const headings = [...page.body.matchAll(/<th scope="col"[^>]*>([^<]*)</g)].map(([, text]) => text)
  t.same(headings, ['API / permission', 'Type', 'Description', 'Admin consent required', 'Status', 'Last used'])
  t.match(
    textOf(page, 'configured-0'),
    /User\.Read\.All.*Portcullis.*Application.*Allows User\.Read\.All\..*Yes.*Granted for Contoso.*21 Nov 2026/s,
  )
  t.match(page.body, /id="add-permission"[^>]*>Add permission</)
  t.match(page.body, 'requested_scopes=default', 'default is explained')
  t.match(textOf(page, 'consent'), /Everything on this list is granted for Contoso/)
  t.notMatch(page.body, 'id="grant"')
  await checkRefusals(t, testApp, { path: at(testApp) })
})

t.test('Add permission: one kind at a time, searched, what is there is marked', async (t) => {
  const testApp = await openPortal(t)
  const browser = await testApp.as('developer')
  const page = await browser.get(at(testApp, '/add'))
  t.match(page.body, /id="kind-application"[^>]*aria-current="page"[^>]*>Application permissions</)
  t.match(page.body, /id="kind-delegated"[^>]*>Delegated permissions</)
  t.match(page.body, /value="application [^"]* assets_read" checked disabled/)
  t.notMatch(page.body, ' User.Read"', 'delegated ones are on their own tab')
  t.match(page.body, 'https://things.test')
  const delegated = await browser.get(at(testApp, '/add?type=delegated'))
  t.match(delegated.body, `value="${key('User.Read', 'delegated')}"`)
  t.notMatch(delegated.body, 'things_read')
  const found = await browser.get(at(testApp, '/add?type=application&search=ALLOWS+delete'))
  t.same(
    [...found.body.matchAll(/name="permission" value="[^"]* ([^" ]+)"/g)].map(([, id]) => id),
    ['assets_delete'],
  )
  const nothing = await browser.get(at(testApp, '/add?search=%3Cscript%3Ealert(1)%3C/script%3E'))
  t.match(nothing.body, 'id="nothing-found"')
  t.notMatch(nothing.body, '<script>alert', 'U4 what is looked for is text')
  const done = await add(
    browser,
    testApp,
    key('assets_create'),
    key('things_read', 'application', 'https://things.test'),
  )
  t.equal(done.path, at(testApp, '?done=added'))
  t.match(textOf(done, 'consent'), /2 permissions wait for an administrator of Contoso/)
  t.match(done.body, `client_id=${testApp.registration.applicationId}`, 'the link for the administrator')
  t.match(done.body, 'id="ask-administrator"')
  t.notMatch(done.body, 'id="grant"')
  await checkRefusals(t, testApp, {
    path: at(testApp, '/add'),
    form: { id: 'add-form', fields: { permission: key('assets_delete') } },
  })
})

t.test(
  'a search keeps what is ticked, however often, and so does a refusal; the button stands above the rows',
  async (t) => {
    const testApp = await openPortal(t)
    const browser = await testApp.as('developer')
    const first = await browser.get(at(testApp, '/add'))
    t.ok(first.body.indexOf('id="add"') < first.body.indexOf('name="permission"'), 'above the rows')
    t.ok(first.body.indexOf('id="find"') < first.body.indexOf('id="add"'), 'Enter in the field searches')
    const boxes = (body: string) =>
      [...body.matchAll(/name="permission" value="[^"]* ([^" ]+)"( checked)?( disabled)?/g)]
        .filter(([, , , configured]) => configured === undefined)
        .map(([, id, ticked]) => `${id}${ticked ?? ''}`)
    const search = { do: 'search', permission: key('assets_create') }
    const found = await browser.submit(first, 'add-form', { ...search, search: 'ALLOWS delete' })
    t.equal(found.status, 200)
    t.same(boxes(found.body), ['assets_create checked', 'assets_delete'])
    t.match(found.body, 'value="ALLOWS delete"')
    const nothing = await browser.submit(found, 'add-form', { ...search, search: 'no such words' })
    t.match(nothing.body, 'id="nothing-found"')
    t.same(boxes(nothing.body), ['assets_create checked'], 'also where nothing else is found')
    const all = await browser.submit(nothing, 'add-form', { ...search, search: '' })
    t.ok(boxes(all.body).includes('assets_create checked') && boxes(all.body).includes('assets_delete'))
    const mixed = await browser.submit(first, 'add-form', { permission: key('User.Read'), search: 'assets' })
    t.equal(mixed.status, 400)
    t.match(mixed.body, 'value="assets"')
    const before = await state(testApp)
    t.notOk(before.configured.includes('application assets_create'), 'a search adds nothing')
    const done = await browser.submit(found, 'add-form', { permission: key('assets_create'), search: 'ALLOWS delete' })
    t.equal(done.path, at(testApp, '?done=added'))
    t.ok((await state(testApp)).configured.includes('application assets_create'))
  },
)

t.test('Add permission refuses what does not exist, what is none, and nothing', async (t) => {
  const testApp = await openPortal(t)
  const browser = await testApp.as('developer')
  const cases: [string, string[], RegExp][] = [
    ['nothing', [], /Choose at least one/],
    ['no permission', ['nonsense'], /Choose at least one/],
    ['one that is none among others', [key('assets_create'), 'application x'], /Choose at least one/],
    ['one that the catalogue does not have', [key('Everything.All')], /not in the catalogue/],
    ['one of the other kind', [key('User.Read')], /exists only as a delegated permission/],
  ]
  const before = await state(testApp)
  for (const [title, keys, expected] of cases) {
    const page = await add(browser, testApp, ...keys)
    t.equal(page.status, 400, title)
    t.match(textOf(page, 'problem'), expected, title)
  }
  t.same(await state(testApp), before)
})

t.test('a native application has delegated permissions only', async (t) => {
  const testApp = await openPortal(t)
  const { tenantId } = testApp
  const { registration } = await testApp.registerDemo({ type: 'native', tenantId, consentBy: undefined })
  const own = { ...testApp, registration }
  const browser = await testApp.as('developer')
  const page = await browser.get(at(own, '/add?type=application'))
  t.match(page.body, 'id="native"')
  t.notMatch(page.body, 'id="kind-application"')
  t.notMatch(page.body, 'value="application ')
  const refused = await add(browser, own, key('assets_create'))
  t.equal(refused.status, 400)
  t.match(textOf(refused, 'problem'), /has no application permissions/)
})

t.test('removing a permission says what that means, and takes its consent along', async (t) => {
  const testApp = await openPortal(t)
  const browser = await testApp.as('developer')
  const path = removal(testApp, key('assets_read'))
  const page = await browser.get(path)
  t.match(textOf(page, 'about-permission'), /Granted for Contoso/)
  t.match(page.body, 'refused at once')
  await checkRefusals(t, testApp, { path, form: { id: 'remove-form', fields: {} } })
  const done = await browser.submit(page, 'remove-form')
  t.match(textOf(done, 'done'), /^Removed/)
  t.same(await state(testApp), { configured: ['application User.Read.All'], granted: ['application User.Read.All'] })
  for (const gone of [key('assets_read'), 'nonsense', '']) {
    t.equal(
      (await browser.get(removal(testApp, gone))).location,
      at(testApp),
      'what is not there needs no confirmation',
    )
  }
})

t.test('Grant admin consent shows the difference, and grants what was on the page and nothing else', async (t) => {
  const testApp = await openPortal(t)
  const developer = await testApp.as('developer')
  await add(developer, testApp, key('assets_create'))
  const administrator = await testApp.as('administrator')
  const path = at(testApp, '/consent')
  t.match((await administrator.get(at(testApp))).body, /id="grant"[^>]*>Grant admin consent/)
  const page = await administrator.get(path)
  t.match(textOf(page, 'new-permissions'), /Allows assets_create\./)
  t.notMatch(textOf(page, 'new-permissions'), 'assets_read')
  t.match(textOf(page, 'kept-permissions'), /assets_read/)
  await add(developer, testApp, key('assets_delete'))
  const done = await administrator.submit(page, 'grant-form')
  t.equal(done.path, at(testApp, '?done=granted'))
  t.match(textOf(done, 'configured'), /Granted for Contoso.*by you/s)
  const { granted } = await state(testApp)
  t.same(granted, ['application User.Read.All', 'application assets_create', 'application assets_read'])
  const [last] = (await testApp.events()).slice(-1)
  t.match(last, {
    event: 'admin-consent.granted',
    actor: { kind: 'user' },
    details: { added: [{ id: 'assets_create' }] },
  })
  await checkRefusals(t, testApp, { path, form: { id: 'grant-form', fields: {} } })
})

t.test('a developer does not consent: the page leads back, and a form of theirs is refused', async (t) => {
  const testApp = await openPortal(t)
  const developer = await testApp.as('developer')
  await add(developer, testApp, key('assets_create'))
  t.equal((await developer.get(at(testApp, '/consent'))).location, at(testApp))
  const before = await state(testApp)
  const { userId } = await testApp.person('Ada', 'administrator')
  const turned = testApp.browser()
  await testApp.signIn(turned, userId)
  const page = await turned.get(at(testApp, '/consent'))
  await testApp.store.transaction((tx) =>
    tx.updateTable('memberships').set({ role: 'developer' }).where('user_id', '=', userId).execute(),
  )
  t.equal((await turned.submit(page, 'grant-form')).status, 403, 'an administrator who is none any more')
  t.same(await state(testApp), before)
})

t.test('administrators see who granted by name, and others that it was one', async (t) => {
  const testApp = await openPortal(t)
  const ada = await testApp.person('Ada', 'administrator')
  await testApp.store.transaction((tx) => tx.updateTable('permission_grants').set({ granted_by: ada.userId }).execute())
  const statusFor = async (role: 'administrator' | 'developer') =>
    textOf(await (await testApp.as(role)).get(at(testApp)), 'configured-0')
  t.match(await statusFor('administrator'), /by Ada Example,/)
  t.match(await statusFor('developer'), /by an administrator,/)
  t.notMatch(await statusFor('developer'), 'Ada')
})

t.test('somebody of two tenants stays in the one that the application belongs to', async (t) => {
  const testApp = await openPortal(t)
  const { tenantId: other } = await createTenant(testApp.writes, { name: 'Fabrikam' })
  const both = await testApp.person('Ada', 'owner', other)
  await addMembership(testApp.deps.users, { userId: both.userId, tenantId: testApp.tenantId, role: 'administrator' })
  const browser = testApp.browser()
  await testApp.signIn(browser, both.userId)
  const page = await browser.get(at(testApp, '/add'))
  t.equal(page.status, 200, 'the tenant of the application, though it is not the first one')
  const searched = await browser.submit(page, 'add-form', { do: 'search', search: 'assets' })
  t.match(searched.body, `/add?type=delegated&amp;tenant=${testApp.tenantId}`, 'a search stays in it')
  const keys = [key('assets_create')]
  t.equal((await add(browser, testApp, ...keys)).path, at(testApp, `?done=added&tenant=${testApp.tenantId}`))
  t.equal((await browser.get(at(testApp, `?tenant=${other}`))).status, 404, 'in the other tenant it is not there')
  t.equal((await browser.get(at(testApp, '?tenant=nonsense'))).status, 404)
})

t.test('what was granted and is not configured stands apart, and can be removed', async (t) => {
  const testApp = await openPortal(t)
  const { applicationId } = testApp.registration
  await testApp.store.transaction((tx) =>
    tx
      .insertInto('permission_grants')
      .values({
        ...{ application_id: applicationId, tenant_id: testApp.tenantId, kind: 'delegated', resource: 'openid' },
        ...{ permission_id: 'profile', granted_at: testApp.now(), granted_by: 'local' },
      })
      .execute(),
  )
  const browser = await testApp.as('administrator')
  const page = await browser.get(at(testApp))
  t.match(page.body, 'Other permissions granted')
  t.match(textOf(page, 'others'), /profile.*OpenID Connect.*See the names and languages of people.*by the operator/s)
  const path = removal(testApp, 'delegated openid profile')
  const removalPage = await browser.get(path)
  t.match(removalPage.body, 'The consent for Contoso is withdrawn')
  const developer = await testApp.as('developer')
  const theirs = await developer.get(path)
  t.equal((await developer.submit(theirs, 'remove-form')).status, 403, 'withdrawing is for administrators')
  await browser.submit(removalPage, 'remove-form')
  t.notMatch((await browser.get(at(testApp))).body, 'Other permissions granted')
})

t.test('what is not used for 30 days is said, and one button removes it; what is in use stays', async (t) => {
  const testApp = await openPortal(t, { routes: [routeFor('User.Read.All'), routeFor('assets_read')], upstreams })
  const { applicationId } = testApp.registration
  await testApp.store.transaction((tx) => tx.updateTable('schema_migrations').set({ applied_at: 0 }).execute())
  const browser = await testApp.as('developer')
  t.notMatch((await browser.get(at(testApp))).body, 'id="unused"', 'nothing is unused on its first day')
  testApp.clock.nowMs += 31 * dayMs
  const nextDay = await testApp.as('developer')
  const used = (id: string) =>
    testApp.store.transaction((tx) =>
      tx
        .insertInto('permission_usage')
        .values({
          ...{ application_id: applicationId, tenant_id: testApp.tenantId, kind: 'application', resource: ownResource },
          ...{ permission_id: id, day: Math.floor(testApp.now() / dayMs), uses: 3 },
          ...{ first_used_at: testApp.now(), last_used_at: testApp.now() },
        })
        .execute(),
    )
  await used('User.Read.All')
  const page = await nextDay.get(at(testApp))
  t.match(textOf(page, 'configured-0'), /22 Dec 2026/)
  t.match(textOf(page, 'configured-1'), /Never.*unused for 30 days: remove\?/s)
  t.match(textOf(page, 'unused'), /not used for 30 days or more:\s+assets_read/)
  await checkRefusals(t, testApp, { path: at(testApp), form: { id: 'remove-unused-form', fields: {} } })
  await used('assets_read')
  const refused = await nextDay.submit(page, 'remove-unused-form')
  t.equal(refused.status, 409, 'used since the page was shown')
  t.match(textOf(refused, 'problem'), /not known to be unused/)
  testApp.clock.nowMs += 31 * dayMs
  const later = await testApp.as('developer')
  await used('User.Read.All')
  const done = await later.submit(await later.get(at(testApp)), 'remove-unused-form')
  t.equal(done.path, at(testApp, '?done=unused'))
  t.same(await state(testApp), { configured: ['application User.Read.All'], granted: ['application User.Read.All'] })
})

t.test('of an agent the page says which tools it does not use', async (t) => {
  const need = (id: string) => ({ needs: { anyOf: [[id]] } })
  const mcp: NonNullable<RouteSettings['mcp']> = {
    versions: new Set(['2026-07-28'] as const),
    list: 'acquirable',
    first: { anyOf: [['User.Read.All']] },
    tools: new Map([
      ['find', need('User.Read.All')],
      ['<close>', need('assets_read')],
      ['other', need('User.ReadWrite.All')],
    ]),
    prompts: new Map(),
    resources: new Map(),
  }
  const desk = { ...routeFor('User.Read.All'), id: '/desk/mcp', methods: new Map([['POST', mcp.first]]), mcp }
  const testApp = await openPortal(t, { routes: [desk], upstreams })
  const ids = { application_id: testApp.registration.applicationId, tenant_id: testApp.tenantId }
  const none = { not_permitted: 0, limited: 0, token_refused: 0, client_errors: 0, server_errors: 0 }
  const counted = {
    ...ids,
    ...none,
    day: Math.floor(testApp.now() / dayMs),
    route: '/desk/mcp tools/call:find',
    allowed: 3,
  }
  await testApp.store.transaction((tx) => tx.insertInto('route_usage').values(counted).execute())
  const page = await (await testApp.as('developer')).get(at(testApp))
  t.match(textOf(page, 'operations'), /1\s+of the\s+2\s+tools/)
  t.match(page.body, '<code>/desk/mcp tools/call:&lt;close></code> with <code>assets_read</code>')
  t.notMatch(page.body, 'tools/call:other', 'what it has no permission for is not its business')
  t.notMatch((await (await (await openPortal(t)).as('developer')).get(at(testApp))).body, 'id="operations"')
})

t.test('U2 the list of permissions has the tenant’s own APIs, and no other tenant’s', async (t) => {
  const testApp = await openPortal(t)
  const other = await createTenant(testApp.writes, { name: 'Elsewhere' })
  testApp.caller.principal = { kind: 'local' }
  for (const [tenantId, id] of [
    [testApp.tenantId, 'ours.read'],
    [other.tenantId, 'theirs.read'],
  ] as const) {
    const permissions = [{ id, describe: `What ${id} allows`, kinds: ['application'] }]
    await testApp.manage('POST', '/apis', { shortName: 'orders', name: 'Orders', permissions, tenantId })
  }
  const path = `/portal/applications/${testApp.registration.applicationId}/permissions/add`
  const page = await (await testApp.as('developer')).get(path)
  t.match(page.body, 'ours.read')
  t.notMatch(page.body, 'theirs')
  t.notMatch(page.body, other.tenantId)
})
