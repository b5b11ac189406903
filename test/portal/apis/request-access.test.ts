// Request access at the portal: from an API to an application, its permissions and a reason; the inbox of the
// administrators has it, and the application says what became of it.

import t, { type Test } from 'tap'
import { readInstallations } from '../../../src/storage/sql/registrations/installations.js'
import { checkRefusals } from '../../support/browser/portal-refusals.js'
import { textOf } from '../../support/browser/scripted-browser.js'
import { openPortal } from '../../support/rooms/portal.js'
import { postsRules, postsService, servedDocument } from '../../support/settings/served-document.js'

const path = '/portal/apis/posts/request'
const reasons = 'The trips <b>of</b> spring'

async function open(t: Test) {
  const { document } = servedDocument(t, postsRules, { 'posts.json': postsService })
  const testApp = await openPortal(t, { document })
  const { tenantId } = testApp
  const made = await testApp.registerDemo({ name: 'Travel', tenantId, permissions: [], consentBy: undefined as never })
  const { applicationId } = made.registration
  const choice = `application ${testApp.catalogue.own.id} User.Read.All`
  return { testApp, applicationId, choice, at: `${path}?application=${applicationId}` }
}

t.test('a developer requests, the inbox has it, and the application says what became of it', async (t) => {
  const { testApp, applicationId, choice, at } = await open(t)
  const developer = await testApp.as('developer')
  const api = await developer.get('/portal/apis/posts')
  t.match(api.body, `href="${path}"`)
  const first = await developer.get(path)
  t.match(first.body, 'id="application-form"')
  t.notMatch(first.body, 'id="request-form"', 'of several applications one is chosen first')
  const page = await developer.get(at)
  t.match(page.body, 'An administrator decides')
  const nothing = await developer.submit(page, 'request-form', { reason: reasons })
  t.equal(nothing.status, 400)
  t.match(nothing.body, 'Choose at least one permission')
  t.match(nothing.body, 'The trips &lt;b>of&lt;/b> spring', 'what was typed stays')
  const done = await developer.submit(page, 'request-form', { permission: choice, reason: reasons })
  t.equal(done.path, `/portal/applications/${applicationId}/permissions?done=requested`)
  t.match(textOf(done, 'requests'), /User\.Read\.All.*by you: The trips <b>of<\/b> spring.*Waits/s)
  const administrator = await testApp.as('administrator')
  const inbox = await administrator.get('/portal/consents')
  t.match(inbox.body, 'The trips &lt;b>of&lt;/b> spring')
  const [, form = ''] = /id="(decide-[^"]+)"/.exec(inbox.body) ?? []
  await administrator.submit(inbox, form, { decision: 'approved' })
  t.match(textOf(await developer.get(`/portal/applications/${applicationId}/permissions`), 'requests'), /Approved/)
  t.match((await developer.get(at)).body, /disabled[^>]*>|Granted/)
  const installed = await testApp.store.snapshot((tx) => readInstallations(tx, applicationId, testApp.tenantId))
  t.same(
    installed.flatMap(({ grants }) => grants.map((grant) => grant.permission_id)),
    ['User.Read.All'],
  )
})

t.test('who requested takes it back on the page of the application; what is decided says so', async (t) => {
  const { testApp, applicationId, choice, at } = await open(t)
  const developer = await testApp.as('developer')
  const administrator = await testApp.as('administrator')
  const file = async () => developer.submit(await developer.get(at), 'request-form', { permission: choice })
  const formIn = (body: string) => /id="(take-back-[0-9a-f-]{36})"/.exec(body)?.[1] ?? ''
  const page = await file()
  const permissions = `/portal/applications/${applicationId}/permissions`
  t.equal(formIn((await administrator.get(permissions)).body), '', 'only for one’s own')
  const done = await developer.submit(page, formIn(page.body))
  t.equal(done.path, `${permissions}?done=withdrawn`)
  t.match(done.body, 'The request is taken back')
  t.notMatch(done.body, 'id="requests"')
  t.notMatch((await administrator.get('/portal/consents')).body, 'id="decide-')
  const gone = await developer.submit(page, formIn(page.body))
  t.equal(gone.status, 404)
  t.match(gone.body, 'That request is not there any more')
  const again = await file()
  const inbox = await administrator.get('/portal/consents')
  const [, decide = ''] = /id="(decide-[^"]+)"/.exec(inbox.body) ?? []
  await administrator.submit(inbox, decide, { decision: 'declined' })
  const late = await developer.submit(again, formIn(again.body))
  t.equal(late.status, 409)
  t.match(late.body, 'An administrator has decided this request already')
  t.match(textOf(late, 'requests'), /Declined/)
})

t.test('an administrator adds, and goes on to the page where they consent themselves', async (t) => {
  const { testApp, applicationId, choice, at } = await open(t)
  const administrator = await testApp.as('administrator')
  const page = await administrator.get(at)
  t.notMatch(page.body, 'id="reason"')
  const done = await administrator.submit(page, 'request-form', { permission: choice })
  t.equal(done.path, `/portal/applications/${applicationId}/permissions/consent`)
  const events = (await testApp.events()).map(({ event }) => event)
  t.notOk(events.includes('admin-consent.requested'), 'nobody asks themselves')
})

t.test('U1 U2 who does not own the application gets no form, members and other tenants get nothing', async (t) => {
  const { testApp, choice, at } = await open(t)
  const form = { id: 'request-form', fields: { permission: choice } }
  await checkRefusals(t, testApp, { path: at, form })
  const member = await testApp.as('member')
  t.equal((await member.get(path)).status, 403)
  t.notMatch((await member.get('/portal/apis/posts')).body, path)
})
