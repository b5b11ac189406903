// A form is carried out once for each time that it was shown: loading the page again that shows a private key makes
// nothing twice and ends nothing twice.

import t from 'tap'
import { formOf } from '../../support/browser/scripted-browser.js'
import { openPortal, type PortalApp } from '../../support/rooms/portal.js'

const browserHeaders = { origin: 'null', 'sec-fetch-site': 'same-origin' }

const applicationsNamed = async ({ store }: PortalApp, name: string) =>
  (await store.reader.selectFrom('applications').select('id').where('name', '=', name).execute()).length
const secretsOf = async ({ store, registration }: PortalApp) =>
  store.reader
    .selectFrom('application_secrets')
    .select(['key_id', 'ends_at'])
    .where('application_id', '=', registration.applicationId)
    .orderBy('key_id')
    .execute()

t.test('loading the page again that says “It is registered” registers nothing more', async (t) => {
  const testApp = await openPortal(t)
  const browser = await testApp.as('developer')
  const page = await browser.get('/portal/applications/new?kind=server')
  const nameless = await browser.submit(page, 'register-form', { name: '' })
  t.equal(nameless.status, 400)
  const { action, fields } = formOf(page, 'register-form')
  const sent = { ...fields, name: 'Billing' }
  const made = await browser.post(action, sent, browserHeaders)
  t.equal(made.status, 201, 'what was refused before may be sent again')
  const again = await browser.post(action, sent, browserHeaders)
  t.equal(again.status, 409)
  t.match(again.body, /This was done already/)
  t.notMatch(again.body, /pcl_sk_/)
  t.equal(await applicationsNamed(testApp, 'Billing'), 1)
  const fresh = await browser.submit(await browser.get(action), 'register-form', { name: 'Billing' })
  t.equal(fresh.status, 201, 'a form that is opened anew is another one')
  const other = await browser.post(action, { ...sent, name: 'Invoices' }, browserHeaders)
  t.equal(other.status, 201, 'and so is another content')
})

t.test('of clicks at the same moment one is carried out', async (t) => {
  const testApp = await openPortal(t)
  const browser = await testApp.as('developer')
  const { action, fields } = formOf(await browser.get('/portal/applications/new?kind=server'), 'register-form')
  const clicks = Array.from({ length: 5 }, () => browser.post(action, { ...fields, name: 'Twice' }, browserHeaders))
  const answers = await Promise.all(clicks)
  t.same(answers.map(({ status }) => status).sort(), [201, 409, 409, 409, 409])
  t.equal(await applicationsNamed(testApp, 'Twice'), 1)
})

t.test('loading the page again that shows a rotated key does not end the key that was just copied', async (t) => {
  const testApp = await openPortal(t)
  const browser = await testApp.as('developer')
  const path = `/portal/applications/${testApp.registration.applicationId}/credentials`
  const page = await browser.get(path)
  const { action, fields } = formOf(page, 'rotate-form')
  const sent = { ...fields, 'rotate-days': '180', 'rotate-overlap': '3600' }
  t.equal((await browser.post(action, sent, browserHeaders)).status, 201)
  const before = await secretsOf(testApp)
  t.equal((await browser.post(action, sent, browserHeaders)).status, 409)
  t.same(await secretsOf(testApp), before)
})

t.test('a form that does not say which showing it is makes nothing', async (t) => {
  const testApp = await openPortal(t)
  const browser = await testApp.as('developer')
  const { action, fields } = formOf(await browser.get('/portal/applications/new?kind=server'), 'register-form')
  const token = (fields['form_token'] ?? '').split('.')[0] ?? ''
  for (const forged of [token, `${token}.`, `${token}.x`, `${token}.${'x'.repeat(40)}`]) {
    const refused = await browser.post(action, { ...fields, form_token: forged, name: 'Bare' }, browserHeaders)
    t.equal(refused.status, 403, forged)
  }
  t.equal(await applicationsNamed(testApp, 'Bare'), 0)
})
