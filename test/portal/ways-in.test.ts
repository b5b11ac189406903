// How people get to the portal: from the account page, by an address while signed out, and where /portal itself leads.

import t from 'tap'
import { createTenant } from '../../src/directory/tenants/tenants.js'
import { addMembership } from '../../src/users/memberships/memberships.js'
import { textOf } from '../support/browser/scripted-browser.js'
import { openPortal } from '../support/rooms/portal.js'

const signIn = { email: 'ada@example.test', password: 'nine quiet purple lanterns' }

t.test('who is signed out signs in and comes back to the very page, with its query', async (t) => {
  const testApp = await openPortal(t)
  const { userId } = await testApp.person('Ada', 'administrator')
  const { tenantId } = await createTenant(testApp.writes, { name: 'Elsewhere' })
  await addMembership(testApp.deps.users, { userId, tenantId, role: 'administrator' })
  const id = testApp.registration.applicationId
  for (const path of [
    `/portal/audit?tenant=${tenantId}&event=tenant.created`,
    `/portal/applications/${id}/permissions/add?kind=delegated&search=user%20read`,
    `/portal/applications/${id}`,
    '/portal/people',
  ]) {
    const page = await testApp.browser().open(path)
    t.match(page.path, /^\/sign-in\?request=/, path)
  }
  for (const path of [
    `/portal/audit?tenant=${tenantId}&event=tenant.created`,
    `/portal/applications/${id}/usage?days=7`,
  ]) {
    const browser = testApp.browser()
    const back = await browser.submit(await browser.open(path), 'sign-in-form', signIn)
    t.equal(back.path, path)
    t.equal(back.status, 200)
  }
  const browser = testApp.browser()
  const bent = await browser.submit(
    await browser.open('/portal/people?next=https://evil.test/'),
    'sign-in-form',
    signIn,
  )
  t.equal(bent.path, '/account', 'R5 a query that might be more than one is not gone back to')
})

t.test('the account page leads to the portal of each tenant, and the portal back', async (t) => {
  const testApp = await openPortal(t)
  const { userId } = await testApp.person('Ada', 'developer')
  const { tenantId } = await createTenant(testApp.writes, { name: 'Elsewhere' })
  // The oldest membership is where one begins.
  testApp.clock.nowMs += 1_000
  await addMembership(testApp.deps.users, { userId, tenantId, role: 'member' })
  const browser = testApp.browser()
  await testApp.signIn(browser, userId)
  const account = await browser.get('/account')
  t.match(account.body, `href="/portal?tenant=${testApp.tenantId}"`)
  const there = await browser.open(`/portal?tenant=${tenantId}`)
  t.equal(there.path, `/portal/tenant?tenant=${tenantId}`, 'members begin at their tenant')
  t.match(textOf(there, 'person'), 'Ada Example')
  t.match(there.body, 'id="person" href="/account"')
  t.equal((await browser.open('/portal')).path, '/portal')
  const nobody = testApp.browser()
  await testApp.signIn(nobody, (await testApp.person('Zoe', 'member', tenantId)).userId)
  t.equal((await nobody.get(`/portal?tenant=${testApp.tenantId}`)).status, 404, 'U2')
})
