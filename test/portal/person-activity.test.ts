// A person's page for administrators: where they are signed in, what acts for them, how they signed in; and what of it
// stays hidden.

import t from 'tap'
import { createTenant } from '../../src/directory/tenants/tenants.js'
import { addMembership } from '../../src/users/memberships/memberships.js'
import { createSession } from '../../src/users/sessions/sessions.js'
import { formOf, textOf } from '../support/browser/scripted-browser.js'
import { consentTo } from '../support/rooms/delegation.js'
import { openPortal, type PortalApp } from '../support/rooms/portal.js'

const path = '/portal/people'
const headers = { origin: 'null', 'sec-fetch-site': 'same-origin' }
const chrome = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/131.0 Safari/537.36'

async function signInAs(testApp: PortalApp, userId: string, userAgent: string, address: string): Promise<void> {
  const proof = { acr: '2', amr: ['pwd', 'otp', 'mfa'] }
  await createSession(testApp.deps.users, { userId, userAgent, address, ...proof })
}

t.test('administrators see sessions, applications and sign-ins of a person, and end each', async (t) => {
  const testApp = await openPortal(t)
  const { userId } = await testApp.person('Mia', 'member')
  const { applicationId, tenantId } = testApp.registration
  await signInAs(testApp, userId, chrome, '203.0.113.9')
  await signInAs(testApp, userId, 'curl/8.5', '198.51.100.4')
  await consentTo(testApp.deps, { userId, applicationId, tenantId, permissions: ['User.Read'] })
  const browser = await testApp.as('administrator')
  const page = await browser.get(`${path}/${userId}`)
  t.match(textOf(page, 'sessions'), /Chrome on Windows.*203\.0\.113\.9.*with two factors/s)
  t.match(textOf(page, 'sessions'), /curl/)
  t.match(textOf(page, 'apps'), /User\.Read, since/)
  t.match(textOf(page, 'sign-ins'), /Signed in.*password, code/s)
  for (const id of ['to-sign-ins', 'to-failures', 'to-audit']) {
    const href = new RegExp(`id="${id}"[^>]*href="([^"]+)"`).exec(page.body)?.[1]?.replace(/&amp;/g, '&') ?? ''
    t.equal((await browser.get(href)).status, 200, href)
  }
  const sessionForm = /id="(session-[0-9a-f]{12})"/.exec(page.body)?.[1] ?? ''
  const ended = await browser.submit(page, sessionForm)
  t.match(textOf(ended, 'done'), 'That session has ended')
  t.notMatch(ended.body, `id="${sessionForm}"`)
  const left = await testApp.store.reader.selectFrom('sessions').selectAll().where('user_id', '=', userId).execute()
  t.equal(left.length, 1)
  const question = await browser.submit(ended, `app-${applicationId}`)
  const withdrawn = await browser.submit(question, 'confirm-form')
  t.match(textOf(withdrawn, 'done'), 'withdrawn')
  t.match(textOf(withdrawn, 'no-apps'), 'no application')
  t.match(
    (await testApp.events()).map(({ event }) => event),
    /session\.ended/,
  )
})

t.test('of a person of several tenants sessions, addresses and what they allowed elsewhere stay hidden', async (t) => {
  const testApp = await openPortal(t)
  const { userId } = await testApp.person('Mia', 'member')
  const { tenantId: other } = await createTenant(testApp.writes, { name: 'Fabrikam' })
  await addMembership(testApp.deps.users, { userId, tenantId: other, role: 'member' })
  const elsewhere = await testApp.registerDemo({ name: 'Their other app', tenantId: other })
  const { applicationId } = elsewhere.registration
  await consentTo(testApp.deps, { userId, applicationId, tenantId: other, permissions: ['User.Read'] })
  await signInAs(testApp, userId, chrome, '203.0.113.9')
  const browser = await testApp.as('owner')
  const page = await browser.get(`${path}/${userId}`)
  t.match(textOf(page, 'no-sessions'), /look after their account themselves/)
  t.match(textOf(page, 'sign-ins'), /Signed in.*not shown/s)
  for (const hidden of ['203.0.113.9', 'Their other app', 'Fabrikam', other]) t.notMatch(page.body, hidden)
  const [session] = await testApp.store.reader
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .execute()
  const token = /name="form_token" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
  const fields = { form_token: token, do: 'end-session', session: session?.id_hash ?? '' }
  t.equal((await browser.post(`${path}/${userId}`, fields, headers)).status, 403, 'nor is a session ended by its id')
  t.equal((await testApp.as('owner', other)).cookies.size > 0, true)
  const outsider = await testApp.as('owner', other)
  t.equal((await outsider.get(`${path}/${(await testApp.person('Ada', 'member')).userId}`)).status, 404)
})

t.test('what an application of another tenant may do is withdrawn for this tenant alone', async (t) => {
  const testApp = await openPortal(t)
  const { userId } = await testApp.person('Mia', 'member')
  const browser = await testApp.as('administrator')
  const page = await browser.get(`${path}/${userId}`)
  const { fields } = formOf(page, 'sign-out-form')
  const nothing = { ...fields, do: 'withdraw', application: '00000000-0000-4000-8000-000000000000' }
  const question = await browser.post(`${path}/${userId}`, nothing, headers)
  t.equal((await browser.submit(question, 'confirm-form')).status, 404)
})
