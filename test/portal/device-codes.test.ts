// identity M2: device codes of an application are switched off and on at the portal (decision 95).

import t from 'tap'
import { checkRefusals } from '../support/browser/portal-refusals.js'
import { textOf } from '../support/browser/scripted-browser.js'
import { openPortal } from '../support/rooms/portal.js'

t.test('identity M2: its owners and administrators switch device codes of an application off and on', async (t) => {
  const testApp = await openPortal(t)
  const { applicationId } = testApp.registration
  const path = `/portal/applications/${applicationId}`
  const now = async () => (await testApp.directory.findRegistration(applicationId))?.deviceCodes
  for (const role of ['developer', 'administrator'] as const) {
    const browser = await testApp.as(role)
    const before = await browser.get(path)
    t.equal(textOf(before, 'change-device-codes'), 'Switch off')
    const off = await browser.submit(await browser.submit(before, 'device-codes-form'), 'confirm-form')
    t.equal(off.path, `${path}?done=codes-off`)
    t.match(off.body, 'id="done"')
    t.equal(await now(), 'off', role)
    t.equal(textOf(off, 'change-device-codes'), 'Allow')
    const on = await browser.submit(off, 'device-codes-form')
    t.equal(on.path, `${path}?done=codes-allowed`)
    t.equal(await now(), 'allowed', role)
  }
  const page = await (await testApp.as('administrator')).get(path)
  const forged = await (await testApp.as('developer')).submit(page, 'device-codes-form')
  t.equal(forged.status, 403, 'U1 with the token of somebody else')
  await checkRefusals(t, testApp, { path, form: { id: 'device-codes-form', fields: {} } })
  t.equal(await now(), 'allowed')
})

t.test('identity M2: a developer who does not own it changes nothing', async (t) => {
  const testApp = await openPortal(t)
  const { applicationId } = testApp.registration
  const { userId } = await testApp.person('Dora')
  const browser = testApp.browser()
  await testApp.signIn(browser, userId)
  const path = `/portal/applications/${applicationId}`
  const owned = await browser.get(path)
  testApp.caller.principal = { kind: 'local' }
  await testApp.manage('DELETE', `/applications/${applicationId}/owners/${userId}`)
  t.notMatch((await browser.get(path)).body, 'id="device-codes-form"')
  const refused = await browser.submit(owned, 'device-codes-form', { confirmed: 'yes' })
  t.equal(refused.status, 403)
  t.match(refused.body, /owners of the application/)
})
