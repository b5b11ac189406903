// API permissions of an application: the list, adding, removing, consent with its difference, what is not used.

import t from 'tap'
import type { RouteSettings } from '../../src/config/settings/route-settings.js'
import { createTenant } from '../../src/directory/tenants/tenants.js'
import { addMembership } from '../../src/users/memberships/memberships.js'
import { checkRefusals } from '../support/browser/portal-refusals.js'
import { type ScriptedBrowser, textOf } from '../support/browser/scripted-browser.js'
import { ownResource } from '../support/rooms/directory.js'
import { openPortal, type PortalHouse } from '../support/rooms/portal.js'
import { upstreamSettings } from '../support/settings/upstream-settings.js'

const key = (id: string, kind = 'application', resource = ownResource) => `${kind} ${resource} ${id}`
const at = ({ registration }: PortalHouse, rest = '') =>
  `/portal/applications/${registration.applicationId}/permissions${rest}`
const removal = (house: PortalHouse, permission: string) =>
  at(house, `/remove?permission=${encodeURIComponent(permission)}`)

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
async function state(house: PortalHouse): Promise<{ configured: string[]; granted: string[] }> {
  house.caller.principal = { kind: 'local' }
  const { permissions, consents } = (
    await house.manage('GET', `/applications/${house.registration.applicationId}`)
  ).json()
  const ids = (refs: { kind: string; id: string }[]) => refs.map(({ kind, id }) => `${kind} ${id}`).sort()
  return { configured: ids(permissions), granted: ids(consents[0]?.permissions ?? []) }
}

async function add(browser: ScriptedBrowser, house: PortalHouse, ...keys: string[]) {
  const page = await browser.get(at(house, '/add'))
  const body = new URLSearchParams([
    ['form_token', /name="form_token" value="([^"]*)"/.exec(page.body)?.[1] ?? ''],
    ...keys.map((each) => ['permission', each]),
  ])
  const headers = { origin: 'null', 'sec-fetch-site': 'same-origin' }
  return browser.follow(await browser.post(at(house, '/add'), body.toString(), headers))
}

t.test('the list has exactly the columns of the specification, and who granted what', async (t) => {
  const house = await openPortal(t)
  const browser = await house.as('administrator')
  const page = await browser.get(at(house))
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
  await checkRefusals(t, house, { path: at(house) })
})

t.test('Add permission: one kind at a time, searched, what is there is marked', async (t) => {
  const house = await openPortal(t)
  const browser = await house.as('developer')
  const page = await browser.get(at(house, '/add'))
  t.match(page.body, /id="kind-application"[^>]*aria-current="page"[^>]*>Application permissions</)
  t.match(page.body, /id="kind-delegated"[^>]*>Delegated permissions</)
  t.match(page.body, /value="application [^"]* assets_read" checked disabled/)
  t.notMatch(page.body, ' User.Read"', 'delegated ones are on their own tab')
  t.match(page.body, 'https://things.test')
  const delegated = await browser.get(at(house, '/add?type=delegated'))
  t.match(delegated.body, `value="${key('User.Read', 'delegated')}"`)
  t.notMatch(delegated.body, 'things_read')
  const found = await browser.get(at(house, '/add?type=application&search=ALLOWS+delete'))
  t.same(
    [...found.body.matchAll(/name="permission" value="[^"]* ([^" ]+)"/g)].map(([, id]) => id),
    ['assets_delete'],
  )
  const nothing = await browser.get(at(house, '/add?search=%3Cscript%3Ealert(1)%3C/script%3E'))
  t.match(nothing.body, 'id="nothing-found"')
  t.notMatch(nothing.body, '<script>alert', 'U4 what is looked for is text')
  const done = await add(browser, house, key('assets_create'), key('things_read', 'application', 'https://things.test'))
  t.equal(done.path, at(house, '?done=added'))
  t.match(textOf(done, 'consent'), /2 permissions wait for an administrator of Contoso/)
  t.match(done.body, `client_id=${house.registration.applicationId}`, 'the link for the administrator')
  t.match(done.body, 'id="ask-administrator"')
  t.notMatch(done.body, 'id="grant"')
  await checkRefusals(t, house, {
    path: at(house, '/add'),
    form: { id: 'add-form', fields: { permission: key('assets_delete') } },
  })
})

t.test('Add permission refuses what does not exist, what is none, and nothing', async (t) => {
  const house = await openPortal(t)
  const browser = await house.as('developer')
  const cases: [string, string[], RegExp][] = [
    ['nothing', [], /Choose at least one/],
    ['no permission', ['nonsense'], /Choose at least one/],
    ['one that is none among others', [key('assets_create'), 'application x'], /Choose at least one/],
    ['one that the catalogue does not have', [key('Everything.All')], /not in the catalogue/],
    ['one of the other kind', [key('User.Read')], /exists only as a delegated permission/],
  ]
  const before = await state(house)
  for (const [title, keys, expected] of cases) {
    const page = await add(browser, house, ...keys)
    t.equal(page.status, 400, title)
    t.match(textOf(page, 'problem'), expected, title)
  }
  t.same(await state(house), before)
})

t.test('a native application has delegated permissions only', async (t) => {
  const house = await openPortal(t)
  const { tenantId } = house
  const { registration } = await house.registerDemo({ type: 'native', tenantId, consentBy: undefined })
  const own = { ...house, registration }
  const browser = await house.as('developer')
  const page = await browser.get(at(own, '/add?type=application'))
  t.match(page.body, 'id="native"')
  t.notMatch(page.body, 'id="kind-application"')
  t.notMatch(page.body, 'value="application ')
  const refused = await add(browser, own, key('assets_create'))
  t.equal(refused.status, 400)
  t.match(textOf(refused, 'problem'), /has no application permissions/)
})

t.test('removing a permission says what that means, and takes its consent along', async (t) => {
  const house = await openPortal(t)
  const browser = await house.as('developer')
  const path = removal(house, key('assets_read'))
  const page = await browser.get(path)
  t.match(textOf(page, 'about-permission'), /Granted for Contoso/)
  t.match(page.body, 'refused at once')
  await checkRefusals(t, house, { path, form: { id: 'remove-form', fields: {} } })
  const done = await browser.submit(page, 'remove-form')
  t.match(textOf(done, 'done'), /^Removed/)
  t.same(await state(house), { configured: ['application User.Read.All'], granted: ['application User.Read.All'] })
  for (const gone of [key('assets_read'), 'nonsense', '']) {
    t.equal((await browser.get(removal(house, gone))).location, at(house), 'what is not there is not asked about')
  }
})

t.test('Grant admin consent shows the difference, and grants what was on the page and nothing else', async (t) => {
  const house = await openPortal(t)
  const developer = await house.as('developer')
  await add(developer, house, key('assets_create'))
  const administrator = await house.as('administrator')
  const path = at(house, '/consent')
  t.match((await administrator.get(at(house))).body, /id="grant"[^>]*>Grant admin consent/)
  const page = await administrator.get(path)
  t.match(textOf(page, 'new-permissions'), /Allows assets_create\./)
  t.notMatch(textOf(page, 'new-permissions'), 'assets_read')
  t.match(textOf(page, 'kept-permissions'), /assets_read/)
  await add(developer, house, key('assets_delete'))
  const done = await administrator.submit(page, 'grant-form')
  t.equal(done.path, at(house, '?done=granted'))
  t.match(textOf(done, 'configured'), /Granted for Contoso.*by you/s)
  const { granted } = await state(house)
  t.same(granted, ['application User.Read.All', 'application assets_create', 'application assets_read'])
  const [last] = (await house.events()).slice(-1)
  t.match(last, {
    event: 'admin-consent.granted',
    actor: { kind: 'user' },
    details: { added: [{ id: 'assets_create' }] },
  })
  await checkRefusals(t, house, { path, form: { id: 'grant-form', fields: {} } })
})

t.test('a developer does not consent: the page leads back, and a form of theirs is refused', async (t) => {
  const house = await openPortal(t)
  const developer = await house.as('developer')
  await add(developer, house, key('assets_create'))
  t.equal((await developer.get(at(house, '/consent'))).location, at(house))
  const before = await state(house)
  const { userId } = await house.person('Ada', 'administrator')
  const turned = house.browser()
  await house.signIn(turned, userId)
  const page = await turned.get(at(house, '/consent'))
  await house.store.transaction((tx) =>
    tx.updateTable('memberships').set({ role: 'developer' }).where('user_id', '=', userId).execute(),
  )
  t.equal((await turned.submit(page, 'grant-form')).status, 403, 'an administrator who is none any more')
  t.same(await state(house), before)
})

t.test('who granted is told by name to administrators, and to others that it was one', async (t) => {
  const house = await openPortal(t)
  const ada = await house.person('Ada', 'administrator')
  await house.store.transaction((tx) => tx.updateTable('permission_grants').set({ granted_by: ada.userId }).execute())
  const statusFor = async (role: 'administrator' | 'developer') =>
    textOf(await (await house.as(role)).get(at(house)), 'configured-0')
  t.match(await statusFor('administrator'), /by Ada Example,/)
  t.match(await statusFor('developer'), /by an administrator,/)
  t.notMatch(await statusFor('developer'), 'Ada')
})

t.test('somebody of two tenants stays in the one that the application belongs to', async (t) => {
  const house = await openPortal(t)
  const { tenantId: other } = await createTenant(house.writes, { name: 'Fabrikam' })
  const both = await house.person('Ada', 'owner', other)
  await addMembership(house.deps.users, { userId: both.userId, tenantId: house.tenantId, role: 'administrator' })
  const browser = house.browser()
  await house.signIn(browser, both.userId)
  const page = await browser.get(at(house, '/add'))
  t.equal(page.status, 200, 'the tenant of the application, though it is not the first one')
  t.match(page.body, `<input type="hidden" name="tenant" value="${house.tenantId}"/>`)
  const keys = [key('assets_create')]
  t.equal((await add(browser, house, ...keys)).path, at(house, `?done=added&tenant=${house.tenantId}`))
  t.equal((await browser.get(at(house, `?tenant=${other}`))).status, 404, 'in the other tenant it is not there')
  t.equal((await browser.get(at(house, '?tenant=nonsense'))).status, 404)
})

t.test('what was granted and is not configured stands apart, and can be removed', async (t) => {
  const house = await openPortal(t)
  const { applicationId } = house.registration
  await house.store.transaction((tx) =>
    tx
      .insertInto('permission_grants')
      .values({
        ...{ application_id: applicationId, tenant_id: house.tenantId, kind: 'delegated', resource: 'openid' },
        ...{ permission_id: 'profile', granted_at: house.now(), granted_by: 'local' },
      })
      .execute(),
  )
  const browser = await house.as('administrator')
  const page = await browser.get(at(house))
  t.match(page.body, 'Other permissions granted')
  t.match(textOf(page, 'others'), /profile.*OpenID Connect.*See the names of people.*by the operator/s)
  const path = removal(house, 'delegated openid profile')
  const asked = await browser.get(path)
  t.match(asked.body, 'The consent for Contoso is withdrawn')
  const developer = await house.as('developer')
  const theirs = await developer.get(path)
  t.equal((await developer.submit(theirs, 'remove-form')).status, 403, 'withdrawing is for administrators')
  await browser.submit(asked, 'remove-form')
  t.notMatch((await browser.get(at(house))).body, 'Other permissions granted')
})

t.test('what is not used for 30 days is said, and one button removes it; what is in use stays', async (t) => {
  const house = await openPortal(t, { routes: [routeFor('User.Read.All'), routeFor('assets_read')], upstreams })
  const { applicationId } = house.registration
  await house.store.transaction((tx) => tx.updateTable('schema_migrations').set({ applied_at: 0 }).execute())
  const browser = await house.as('developer')
  t.notMatch((await browser.get(at(house))).body, 'id="unused"', 'nothing is unused on its first day')
  house.clock.nowMs += 31 * dayMs
  const nextDay = await house.as('developer')
  const used = (id: string) =>
    house.store.transaction((tx) =>
      tx
        .insertInto('permission_usage')
        .values({
          ...{ application_id: applicationId, tenant_id: house.tenantId, kind: 'application', resource: ownResource },
          ...{ permission_id: id, day: Math.floor(house.now() / dayMs), uses: 3 },
          ...{ first_used_at: house.now(), last_used_at: house.now() },
        })
        .execute(),
    )
  await used('User.Read.All')
  const page = await nextDay.get(at(house))
  t.match(textOf(page, 'configured-0'), /22 Dec 2026/)
  t.match(textOf(page, 'configured-1'), /Never.*unused for 30 days: remove\?/s)
  t.match(textOf(page, 'unused'), /not used for 30 days or more:\s+assets_read/)
  await checkRefusals(t, house, { path: at(house), form: { id: 'remove-unused-form', fields: {} } })
  await used('assets_read')
  const refused = await nextDay.submit(page, 'remove-unused-form')
  t.equal(refused.status, 409, 'used since the page was shown')
  t.match(textOf(refused, 'problem'), /not known to be unused/)
  house.clock.nowMs += 31 * dayMs
  const later = await house.as('developer')
  await used('User.Read.All')
  const done = await later.submit(await later.get(at(house)), 'remove-unused-form')
  t.equal(done.path, at(house, '?done=unused'))
  t.same(await state(house), { configured: ['application User.Read.All'], granted: ['application User.Read.All'] })
})

t.test('U2 the list of permissions has the tenant’s own APIs, and no other tenant’s', async (t) => {
  const house = await openPortal(t)
  const other = await createTenant(house.writes, { name: 'Elsewhere' })
  house.caller.principal = { kind: 'local' }
  for (const [tenantId, id] of [
    [house.tenantId, 'ours.read'],
    [other.tenantId, 'theirs.read'],
  ] as const) {
    const permissions = [{ id, describe: `What ${id} allows`, kinds: ['application'] }]
    await house.manage('POST', '/apis', { shortName: 'orders', name: 'Orders', permissions, tenantId })
  }
  const path = `/portal/applications/${house.registration.applicationId}/permissions/add`
  const page = await (await house.as('developer')).get(path)
  t.match(page.body, 'ours.read')
  t.notMatch(page.body, 'theirs')
  t.notMatch(page.body, other.tenantId)
})
