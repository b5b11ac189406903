// identity H3: owners of an application at the portal (decision 84).

import t from 'tap'
import { setUserState } from '../../src/users/accounts/user-state.js'
import { checkRefusals } from '../support/browser/portal-refusals.js'
import { textOf } from '../support/browser/scripted-browser.js'
import { openPortal } from '../support/rooms/portal.js'

t.test(
  'identity H3: owners are listed, added by address and removed; without any it is the administrators’',
  async (t) => {
    const testApp = await openPortal(t)
    const { applicationId } = testApp.registration
    const at = `/portal/applications/${applicationId}`
    const path = `${at}/owners`
    const administrator = await testApp.as('administrator')
    const empty = await administrator.get(path)
    t.match(textOf(empty, 'no-owners'), /only administrators change it/)
    const dora = await testApp.person('Dora')
    await testApp.person('Max', 'member')
    testApp.caller.principal = { kind: 'local' }
    const page = await administrator.get(path)
    t.match(textOf(page, 'owners'), /Dora Example.*Person/)
    for (const owner of ['nobody@example.test', 'max@example.test', 'x', '']) {
      const refused = await administrator.submit(page, 'owner-form', { owner })
      t.equal(refused.status, 400, owner)
      t.match(refused.body, 'id="problem"', owner)
    }
    const browser = testApp.browser()
    await testApp.signIn(browser, dora.userId)
    const owned = await browser.get(path)
    const removed = await browser.submit(owned, `remove-${dora.userId}`)
    t.match(removed.body, 'id="no-owners"', 'also the last one, also by themselves')
    t.notMatch(removed.body, 'id="owner-form"', 'and then they change nothing')
    const refused = await browser.submit(owned, 'owner-form', { owner: 'dora@example.test' })
    t.equal(refused.status, 403, 'from a page of before neither')
    const added = await administrator.submit(await administrator.get(path), 'owner-form', {
      owner: 'dora@example.test',
    })
    t.equal(added.path, `${path}?done=added`)
    t.match(textOf(added, 'owners'), 'Dora Example')
    await checkRefusals(t, testApp, { path, form: { id: 'owner-form', fields: { owner: 'dora@example.test' } } })
  },
)

t.test('identity H3: an owner who is disabled changes nothing; the administrators still do', async (t) => {
  const testApp = await openPortal(t)
  const { applicationId } = testApp.registration
  const dora = await testApp.person('Dora')
  const browser = testApp.browser()
  await testApp.signIn(browser, dora.userId)
  const path = `/portal/applications/${applicationId}/redirect-uris`
  const page = await browser.get(path)
  await setUserState(testApp.deps.users, dora.userId, 'disabled')
  const answer = await browser.submit(page, 'redirectUris-add', { redirectUris: 'https://dora.example/steal' })
  t.notMatch(answer.path, 'done=added')
  const registration = await testApp.directory.findRegistration(applicationId)
  t.notOk(registration?.redirectUris.includes('https://dora.example/steal'))
  const administrator = await testApp.as('administrator')
  const form = await administrator.get(path)
  const added = await administrator.submit(form, 'redirectUris-add', { redirectUris: 'https://diary.example/back' })
  t.match(added.path, 'done=added')
})
