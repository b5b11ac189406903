// Deleted applications at the portal: why somebody may not restore one, what comes back, and the question before
// credentials and consents do.

import t, { type Test } from 'tap'
import { textOf } from '../../support/browser/scripted-browser.js'
import { openPortal } from '../../support/rooms/portal.js'

const list = '/portal/deleted-applications'

async function open(t: Test) {
  const testApp = await openPortal(t)
  const browser = await testApp.as('administrator')
  const redirectUris = ['https://reports.test/back']
  const trust = { name: 'pipeline', issuer: 'https://ci.test', subject: 'repo:reports' }
  const made = async (name: string) => {
    const { registration } = await testApp.registerDemo({ name, tenantId: testApp.tenantId, redirectUris })
    testApp.caller.principal = { kind: 'local' }
    await testApp.manage('POST', `/applications/${registration.applicationId}/federatedCredentials`, trust)
    return registration.applicationId
  }
  return { testApp, browser, made }
}

t.test('the list says why something is not restored; what an operator deleted is for operators', async (t) => {
  const { testApp, browser, made } = await open(t)
  const id = await made('Reports')
  await testApp.manage('DELETE', `/applications/${id}`)
  const shown = await browser.open(list)
  t.match(textOf(shown, `deleted-${id}`), /An operator of this server deleted it: only operators restore it/)
  t.notMatch(shown.body, `${id}/restore`)
  for (const page of ['restore', 'purge']) t.equal((await browser.get(`${list}/${id}/${page}`)).status, 403, page)
})

t.test('the page says what comes back, and asks before credentials and consents do', async (t) => {
  const { browser, made } = await open(t)
  const id = await made('Reports')
  const removal = await browser.open(`/portal/applications/${id}/delete`)
  await browser.submit(removal, 'confirm-form', { typed: 'Reports' })
  const page = await browser.open(`${list}/${id}/restore`)
  const returns = textOf(page, 'returns')
  t.match(returns, /assets_read.*consented for everybody here/s)
  t.match(returns, /https:\/\/reports\.test\/back/)
  t.match(returns, /Owners.*none: administrators look after it/s)
  t.match(textOf(page, 'credential-list'), /Client secret.*good until.*repo:reports.*of https:\/\/ci\.test/s)
  t.match(page.body, /confirm its redirect addresses for everybody/)
  const question = await browser.submit(page, 'restore-form', { credentials: 'yes', consents: 'yes' })
  t.match(question.body, /Restore it with its credentials, and consent to what it had\?/)
  t.match((await browser.open(list)).body, `${id}/restore`, 'nothing is done yet')
  const done = await browser.submit(question, 'confirm-form')
  t.equal(done.status, 200)
  t.match(done.path, `/portal/applications/${id}`)
  t.notMatch((await browser.open(list)).body, `${id}/restore`)
})
