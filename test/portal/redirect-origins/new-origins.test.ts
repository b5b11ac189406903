// identity H3: administrators see at the portal which redirect origins are new, until they say that they know them
// (decision 84).

import t, { type Test } from 'tap'
import { checkRefusals } from '../../support/browser/portal-refusals.js'
import { textOf } from '../../support/browser/scripted-browser.js'
import { openPortal, type PortalApp } from '../../support/rooms/portal.js'

const path = '/portal/redirect-origins'
const fresh = 'https://dora.example/steal'

async function open(t: Test): Promise<PortalApp & { at: string }> {
  const testApp = await openPortal(t)
  return { ...testApp, at: `/portal/applications/${testApp.registration.applicationId}` }
}

async function add({ registration, caller, manage }: PortalApp, redirectUris: string[]) {
  caller.principal = { kind: 'local' }
  const answer = await manage('PATCH', `/applications/${registration.applicationId}`, { redirectUris })
  if (answer.statusCode !== 200) throw new Error(answer.body)
}

t.test(
  'identity H3: a new origin is on the list, and said on the pages of applications, until it is dismissed',
  async (t) => {
    const testApp = await open(t)
    const { applicationId } = testApp.registration
    const browser = await testApp.as('administrator')
    const said = async (page: string) => (await browser.get(page)).body.includes('id="new-origins"')
    const pages = ['/portal/applications', testApp.at, `${testApp.at}/redirect-uris`]
    for (const page of pages) t.notOk(await said(page), page)
    t.match((await browser.get(path)).body, 'id="no-new-origins"')
    const developer = await testApp.as('developer')
    const form = await developer.get(`${testApp.at}/redirect-uris`)
    const added = await developer.submit(form, 'redirectUris-add', { redirectUris: fresh })
    t.equal(added.status, 200)
    for (const page of pages) t.ok(await said(page), page)
    t.match(textOf(await browser.get(testApp.at), 'new-origins'), /There is one new redirect origin .* Look at it/)
    const list = await browser.get(path)
    t.match(textOf(list, `origins-${applicationId}`), /https:\/\/dora\.example.*UTCdeveloper-\d Example/)
    testApp.clock.nowMs += 1000
    await add(testApp, [fresh, 'https://later.example/back'])
    const after = await browser.submit(list, `dismiss-${applicationId}`, {})
    t.equal(after.path, `${path}?done=dismissed`)
    t.match(after.body, 'id="done"')
    t.match(textOf(after, `origins-${applicationId}`), /https:\/\/later\.example.*the operator of this server/)
    t.notMatch(textOf(after, `origins-${applicationId}`), 'dora.example', 'what came after the page was shown stays')
    const rest = await browser.submit(after, `dismiss-${applicationId}`, {})
    t.match(rest.body, 'id="no-new-origins"')
    for (const page of pages) t.notOk(await said(page), page)
  },
)

t.test('identity H3: others than administrators are not shown it, and dismiss nothing', async (t) => {
  const testApp = await open(t)
  await add(testApp, [fresh])
  const { applicationId } = testApp.registration
  const own = `${path}?tenant=${testApp.tenantId}`
  await checkRefusals(t, testApp, { path: own, form: { id: `dismiss-${applicationId}`, fields: {} } })
  const developer = await testApp.as('developer')
  for (const page of ['/portal/applications', testApp.at]) {
    t.notMatch((await developer.get(page)).body, 'id="new-origins"', page)
  }
  t.equal((await developer.get(path)).status, 403)
  const administrator = await testApp.as('administrator')
  const listed = await administrator.get(path)
  for (const [forged, status] of [
    [{ until: 'x' }, 400],
    [{ application: 'x' }, 404],
  ] as const) {
    const answer = await administrator.submit(listed, `dismiss-${applicationId}`, forged)
    t.equal(answer.status, status, JSON.stringify(forged))
  }
  t.match((await administrator.get(path)).body, 'https://dora.example', 'it is still there')
})

t.test('U4 the name of an application with a new origin is shown as text', async (t) => {
  const testApp = await open(t)
  testApp.caller.principal = { kind: 'local' }
  await testApp.manage('PATCH', `/applications/${testApp.registration.applicationId}`, {
    name: '<script>alert(1)</script>',
  })
  await add(testApp, [fresh])
  const page = await (await testApp.as('administrator')).get(path)
  t.match(page.body, 'https://dora.example')
  t.notMatch(page.body, '<script>alert')
})
