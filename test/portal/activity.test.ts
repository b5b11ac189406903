// Activity of an application: its token requests and refusals with their reasons, found by request-id, and what was
// decided then beside what would be decided now.

import { randomUUID } from 'node:crypto'
import t from 'tap'
import { createTenant } from '../../src/directory/tenants/tenants.js'
import { What } from '../../src/portal/activity/decision-table.js'
import { checkRefusals } from '../support/browser/portal-refusals.js'
import { textOf } from '../support/browser/scripted-browser.js'
import { tokenPath } from '../support/rooms/identity.js'
import { openPortal, type PortalApp } from '../support/rooms/portal.js'

const at = ({ registration }: PortalApp, query = '') =>
  `/portal/applications/${registration.applicationId}/activity${query}`

/** A token request; the request-id of its answer. */
async function ask({ post, registration, secret }: PortalApp, fields: Record<string, string> = {}): Promise<string> {
  const client = { client_id: registration.applicationId, client_secret: secret }
  const answer = await post(tokenPath, { grant_type: 'client_credentials', scope: 'default', ...client, ...fields })
  return String(answer.headers['request-id'])
}

t.test('the last token requests and refusals, each with its reason and a way to the explanation', async (t) => {
  const testApp = await openPortal(t)
  const browser = await testApp.as('developer')
  t.match((await browser.get(at(testApp))).body, 'id="no-activity"', 'nothing yet')
  const granted = await ask(testApp)
  const refused = await ask(testApp, { scope: 'assets_delete' })
  const strange = await ask(testApp, { client_secret: 'pcl_sk_wrong' })
  const page = await browser.get(at(testApp))
  const rows = textOf(page, 'decisions')
  t.match(rows, /Token request\s*client_credentials\s*Granted/)
  t.match(rows, /Refused, 400\s*\S*\s*assets_delete/)
  t.match(rows, /Refused, 401\s*did not prove to be the application/)
  for (const id of [granted, refused, strange]) t.match(page.body, `/portal/explain?request=${id}"`, id)
  t.match(textOf(page, 'tokens-out'), /^1 token that was issued in the last 1 hour may still be out/)
  t.match(page.body, 'id="revoke-all"')
  t.match((await browser.get(at(testApp, '?show=granted'))).body, granted)
  t.notMatch((await browser.get(at(testApp, '?show=granted'))).body, refused)
  t.notMatch((await browser.get(at(testApp, '?show=refused'))).body, granted)
  const found = await browser.get(at(testApp, `?request=${refused.toUpperCase()}`))
  t.match(found.body, refused)
  t.notMatch(found.body, granted)
  t.match((await browser.get(at(testApp, `?request=${randomUUID()}`))).body, 'id="nothing-found"')
  t.match((await browser.get(at(testApp, '?request=%22%3E%3Cscript%3Ealert(1)'))).body, 'id="nothing-found"')
  t.notMatch((await browser.get(at(testApp, '?request=%22%3E%3Cscript%3Ealert(1)'))).body, '<script>alert', 'U4')
  t.equal((await browser.get(at(testApp, '?after=forged.token'))).status, 400, 'U3 a forged page token')
  testApp.clock.nowMs += 3_700_000
  t.match(
    textOf(await browser.get(at(testApp)), 'tokens-out'),
    /^No token is known to have been issued in the last 1 hour/,
  )
  await checkRefusals(t, testApp, { path: at(testApp) })
})

t.test('a call is shown with its method, also where the route takes all of them', (t) => {
  const shown = (more: { route: string | null; method: string | null }) => {
    const decision = { what: 'call', grantType: null, ...more } as Parameters<typeof What>[0]['decision']
    return What({ decision }).props.children
  }
  t.equal(shown({ route: 'GET /api/v2/me', method: 'GET' }), 'GET /api/v2/me')
  t.equal(shown({ route: '/wiki/**', method: 'DELETE' }), 'DELETE /wiki/**')
  t.equal(shown({ route: '/wiki/**', method: null }), '/wiki/**')
  t.equal(shown({ route: null, method: 'POST' }), 'POST')
  t.equal(shown({ route: null, method: null }), 'Call')
  t.end()
})

t.test('fifty at a time', async (t) => {
  const testApp = await openPortal(t)
  const browser = await testApp.as('developer')
  for (let index = 0; index < 51; index += 1) {
    testApp.clock.nowMs += 1000
    await ask(testApp, { scope: 'assets_delete' })
  }
  const page = await browser.get(at(testApp, '?show=refused'))
  t.equal((page.body.match(/id="decision-\d+"/g) ?? []).length, 50)
  const older = /id="older" href="([^"]*)"/.exec(page.body)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const rest = await browser.get(older)
  t.equal((rest.body.match(/id="decision-\d+"/g) ?? []).length, 1)
  t.notMatch(rest.body, 'id="older"')
})

t.test('a request-id leads to what was decided, and to what would be decided now', async (t) => {
  const testApp = await openPortal(t)
  const browser = await testApp.as('developer')
  const refused = await ask(testApp, { scope: 'assets_delete' })
  const granted = await ask(testApp)
  const explained = (id: string) => browser.get(`/portal/explain?request=${id}`)
  const page = await explained(refused)
  t.equal(page.status, 200)
  t.match(textOf(page, 'recorded'), /It was refused with 400.*Permissions\s*assets_delete.*request-id/s)
  t.match(textOf(page, 'now'), /It would get a token with User\.Read\.All, assets_read/)
  t.match(textOf(await explained(granted), 'recorded'), /It was granted/)
  for (const nothing of [randomUUID(), 'nonsense', '%3Cscript%3Ealert(1)']) {
    const none = await explained(nothing)
    t.equal(none.status, 404, nothing)
    t.match(textOf(none, 'request-error'), /No decision is recorded/)
    t.notMatch(none.body, '<script>alert', 'U4')
  }
  const { tenantId } = await createTenant(testApp.writes, { name: 'Elsewhere' })
  const otherTenants = await (await testApp.as('owner', tenantId)).get(`/portal/explain?request=${refused}`)
  t.equal(otherTenants.status, 404, 'U2')
  t.notMatch(otherTenants.body, 'assets_delete')
})
