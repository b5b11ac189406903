// The consents of a tenant at the portal: requests that wait, what approving would change, apps with access, and
// withdrawing.

import t from 'tap'
import { changeApplicationBrand } from '../../src/directory/brands/application-brand.js'
import { fileConsentRequest } from '../../src/directory/consents/consent-requests.js'
import { rememberInTransaction } from '../../src/directory/consents/consents.js'
import type { PermissionRef } from '../../src/directory/records.js'
import { changeTenant, createTenant } from '../../src/directory/tenants/tenants.js'
import { write } from '../../src/directory/writes.js'
import { readInstallations } from '../../src/storage/sql/registrations/installations.js'
import { pngFile } from '../support/brands/pictures.js'
import { checkRefusals } from '../support/browser/portal-refusals.js'
import { formOf, textOf } from '../support/browser/scripted-browser.js'
import { openPortal, type PortalApp } from '../support/rooms/portal.js'

const inbox = '/portal/consents'
const apps = '/portal/consents/apps'
const payload = '<img src=x onerror=alert(1)>'
const headers = { origin: 'null', 'sec-fetch-site': 'same-origin' }

async function open(...[t, options]: Parameters<typeof openPortal>) {
  const testApp = await openPortal(t, options)
  const resource = testApp.catalogue.own.id
  const ref = (kind: PermissionRef['kind'], id: string): PermissionRef => ({ kind, resource, id })
  const grace = await testApp.person('Grace', 'member')
  const ask = async (
    permissions: PermissionRef[],
    more: { tenantId?: string; reason?: string; name?: string } = {},
  ) => {
    const { tenantId = testApp.tenantId, reason = 'For the quarterly report', name = 'Reports' } = more
    // Of another tenant, for everybody: its administrators decide about their own.
    const home = (await createTenant(testApp.writes, { name: 'Publisher' })).tenantId
    const input = { name, tenantId: home, audience: 'any' as const, permissions, publisher: 'Fabrikam' }
    const { registration } = await testApp.registerDemo({ ...input, consentBy: undefined as never })
    const { applicationId } = registration
    const filed = { applicationId, tenantId, requestedBy: grace.userId, permissions, reason }
    return fileConsentRequest(testApp.writes, filed)
  }
  return { testApp, ref, ask, grace }
}

async function grantsOf({ store, tenantId }: PortalApp, applicationId: string): Promise<string[]> {
  const installed = await store.snapshot((tx) => readInstallations(tx, applicationId, tenantId))
  return installed.flatMap(({ grants }) => grants.map((grant) => grant.permission_id)).sort()
}

t.test('U1 U2 what every page about consents refuses, and to whom', async (t) => {
  const { testApp, ask, ref } = await open(t)
  const { requestId, applicationId } = await ask([ref('application', 'assets_read')])
  const own = testApp.registration.applicationId
  const decide = { id: `decide-${requestId}`, fields: { decision: 'approved' } }
  await checkRefusals(t, testApp, { path: `${inbox}?tenant=${testApp.tenantId}`, form: decide })
  await checkRefusals(t, testApp, { path: `${apps}?tenant=${testApp.tenantId}` })
  await checkRefusals(t, testApp, { path: `${apps}/${own}`, form: { id: 'withdraw-form', fields: {} } })
  const developer = await testApp.as('developer')
  for (const path of [inbox, apps, `${apps}/${own}`]) {
    const refused = await developer.get(path)
    t.equal(refused.status, 403, `${path} as developer`)
    t.notMatch(refused.body, 'Reports')
  }
  const elsewhere = await testApp.as('owner', (await createTenant(testApp.writes, { name: 'Third' })).tenantId)
  const empty = await elsewhere.get(inbox)
  t.match(textOf(empty, 'nobody-waits'), 'Nobody is waiting')
  t.match((await elsewhere.get(apps)).body, 'No application has access')
  const administrator = await testApp.as('administrator')
  const { fields } = formOf(await administrator.get(inbox), decide.id)
  for (const [id, status] of [
    ['00000000-0000-4000-8000-000000000000', 404],
    ['../revocations', 400],
  ] as const) {
    t.equal((await administrator.post(inbox, { ...fields, id, decision: 'approved' }, headers)).status, status, id)
  }
  t.equal((await administrator.post(inbox, { ...fields, decision: 'perhaps' }, headers)).status, 303)
  t.equal((await administrator.get(`${apps}/${applicationId}`)).status, 404, 'it has no access yet')
  t.same(await grantsOf(testApp, applicationId), [])
})

t.test('a request says who asks for what and why, and what would change; approving does that', async (t) => {
  const { testApp, ask, ref, grace } = await open(t)
  const wanted = [ref('application', 'assets_read'), ref('delegated', 'User.Read')]
  const request = await ask(wanted)
  const administrator = await testApp.as('administrator')
  const page = await administrator.get(inbox)
  const { requestId, applicationId } = request
  const count = /class="count">1<span class="unseen"> waiting/
  t.match((await administrator.get('/portal/people')).body, count, 'every page says that one waits')
  t.notMatch((await (await testApp.as('developer')).get('/portal/applications')).body, count, 'to those who decide')
  t.match(textOf(page, `application-name-${requestId}`), 'Reports')
  t.match(textOf(page, `verified-${requestId}`), 'Unverified')
  t.match(textOf(page, `requester-${requestId}`), 'Grace Example')
  t.match(textOf(page, `reason-${requestId}`), 'For the quarterly report')
  t.match(textOf(page, `added-application-${requestId}`), /Allows assets_read\..*assets_read/s)
  t.match(textOf(page, `added-delegated-${requestId}`), /Allows User\.Read\./)
  const done = await administrator.submit(page, `decide-${requestId}`, { decision: 'approved' })
  t.match(textOf(done, 'done'), 'Approved')
  t.notMatch(done.body, count, 'and no longer when it is decided')
  t.match(textOf(done, `decided-${requestId}`), /Reports.*assets_read, User\.Read.*by Grace Example.*Approved.*by you/s)
  t.same(await grantsOf(testApp, applicationId), ['User.Read', 'assets_read'])
  const again = await administrator.submit(page, `decide-${requestId}`, { decision: 'declined' })
  t.equal(again.status, 409, 'decided already')
  t.match(textOf(again, 'problem'), /decided/)
  const more = [...wanted, ref('application', 'assets_read')]
  await fileConsentRequest(testApp.writes, {
    ...{ applicationId, tenantId: testApp.tenantId, requestedBy: grace.userId, permissions: more, reason: '' },
  })
  const known = await administrator.get(inbox)
  t.match(known.body, 'Nothing is added: all of this is granted already')
  const [granted] = (await testApp.events()).filter(({ event }) => event === 'admin-consent.granted').slice(-1)
  t.equal(granted?.actor['kind'], 'user', 'X6 in the name of the administrator')
})

t.test('declining grants nothing', async (t) => {
  const { testApp, ask, ref } = await open(t)
  const { requestId, applicationId } = await ask([ref('application', 'assets_delete')])
  const administrator = await testApp.as('administrator')
  const page = await administrator.get(inbox)
  const done = await administrator.submit(page, `decide-${requestId}`, { decision: 'declined' })
  t.match(textOf(done, 'done'), 'Declined')
  t.match(textOf(done, `decided-${requestId}`), 'Declined')
  t.same(await grantsOf(testApp, applicationId), [])
  t.match(done.body, 'href="/consent-requests"', 'the way to one’s own requests')
  t.match((await administrator.get('/consent-requests')).body, 'href="/portal/consents"', 'and back')
})

t.test('apps with access: by application, for everybody and by people, and all of it withdrawn at once', async (t) => {
  const { testApp, ask, ref, grace } = await open(t)
  const { applicationId } = await ask([ref('delegated', 'User.Read')], { name: 'Travel' })
  const { tenantId, writes } = testApp
  await changeTenant(writes, tenantId, { userConsent: 'allowed' })
  for (const userId of [grace.userId, (await testApp.person('Hopper', 'member')).userId]) {
    const consent = { userId, applicationId, tenantId, permissions: [ref('delegated', 'User.Read')] }
    await write(writes, (writing) => rememberInTransaction(writes, writing, { ...consent, byAdministrator: false }))
  }
  const administrator = await testApp.as('administrator')
  const page = await administrator.get(apps)
  t.match(textOf(page, `app-${applicationId}`), /Travel.*Fabrikam, unverified.*Nothing.*2 people/s)
  t.match(textOf(page, `app-${testApp.registration.applicationId}`), /Registered here.*2 permissions.*Nobody/s)
  const one = await administrator.get(`${apps}/${applicationId}`)
  t.match(textOf(one, 'by-people'), '2 people')
  t.match(textOf(one, 'allowed'), /Allows User\.Read\..*for signed-in people/s)
  const gone = await administrator.submit(await administrator.submit(one, 'withdraw-form'), 'confirm-form')
  t.match(textOf(gone, 'done'), 'Withdrawn')
  t.notMatch(gone.body, 'Travel')
  t.equal((await administrator.get(`${apps}/${applicationId}`)).status, 404)
  t.equal((await testApp.store.reader.selectFrom('user_consents').selectAll().execute()).length, 0)
  const own = await administrator.get(`${apps}/${testApp.registration.applicationId}`)
  t.match(textOf(own, 'granted'), /assets_read.*as itself/s)
  t.match(own.body, `/portal/applications/${testApp.registration.applicationId}/permissions`)
  await administrator.submit(await administrator.submit(own, 'withdraw-form'), 'confirm-form')
  t.same(await grantsOf(testApp, testApp.registration.applicationId), [])
})

t.test('U4 C1 names and reasons are text', async (t) => {
  const { testApp, ask, ref } = await open(t)
  await ask([ref('application', 'assets_read')], { name: payload, reason: payload })
  const administrator = await testApp.as('administrator')
  const page = await administrator.get(inbox)
  t.notMatch(page.body, payload)
  t.match(page.body, /<blockquote[^>]*><bdi>&lt;img src=x/)
  const form = /id="(decide-[^"]+)"/.exec(page.body)?.[1] ?? ''
  const decided = await administrator.submit(page, form, { decision: 'approved' })
  t.notMatch(decided.body, payload)
  t.notMatch((await administrator.get(apps)).body, payload)
})

t.test(
  'apps with access: a page at a time, with the way back, searched by name, publisher and identifier',
  async (t) => {
    const testApp = await openPortal(t)
    const browser = await testApp.as('administrator')
    for (let n = 1; n <= 60; n += 1) await testApp.registerDemo({ name: `app ${n}`, tenantId: testApp.tenantId })
    const first = await browser.get(apps)
    t.equal([...first.body.matchAll(/id="app-/g)].length, 50)
    t.equal(textOf(first, 'shown'), '1–50 of 61')
    t.match(first.body, `id="next" href="${apps}?page=2"`)
    t.notMatch(first.body, 'id="previous"')
    const second = await browser.get(`${apps}?page=2`)
    t.equal(textOf(second, 'shown'), '51–61 of 61')
    t.match(second.body, `id="previous" href="${apps}"`)
    t.notMatch(second.body, 'id="next"')
    t.equal(textOf(await browser.get(`${apps}?page=900`), 'shown'), '51–61 of 61', 'no page beyond the last')
    t.equal(textOf(await browser.get(`${apps}?page=-1`), 'shown'), '1–50 of 61')
    const found = await browser.get(`${apps}?search=APP+1`)
    t.equal(textOf(found, 'shown'), '1–11 of 11')
    t.equal(textOf(await browser.get(`${apps}?search=${testApp.registration.publicKey}`), 'shown'), '1 of 1')
    t.match((await browser.get(`${apps}?search=%3Cb%3E`)).body, 'id="nothing-found"')
  },
)

t.test('requests and apps with access show the logo of the application, or its first letter', async (t) => {
  const { testApp, ref, ask } = await open(t)
  const { applicationId, requestId } = await ask([ref('application', 'User.Read.All')], { name: 'Reports' })
  const browser = await testApp.as('administrator')
  const card = ({ body }: { body: string }) => body.slice(body.indexOf(`id="request-${requestId}"`)).slice(0, 600)
  t.match(card(await browser.get(inbox)), '<span class="app-mark" aria-hidden="true">R</span>')
  await changeApplicationBrand(testApp.writes, applicationId, { logo: pngFile(48, 24).toString('base64') })
  const logo = (kind: string) =>
    new RegExp(`<img class="${kind}" src="/brand/[0-9a-f]{40}\\.png" width="48" height="24"`)
  const page = await browser.get(inbox)
  t.match(card(page), logo('app-logo'))
  const decided = await browser.submit(page, `decide-${requestId}`, { decision: 'approved' })
  t.match(decided.body.slice(decided.body.indexOf(`id="decided-${requestId}"`)).slice(0, 500), logo('app-icon'))
  const all = (await browser.get(apps)).body
  t.match(all.slice(all.indexOf(`id="app-${applicationId}"`)).slice(0, 500), logo('app-icon'))
  t.match(all, /<span class="app-icon" aria-hidden="true">/, 'others have none')
})
