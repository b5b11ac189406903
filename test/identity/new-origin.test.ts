// identity H3: a redirect URI on a new origin asks everybody once more before anything goes there (contract §8).

import t from 'tap'
import { changeApplication } from '../../src/directory/applications/application-changes.js'
import { grantConsent } from '../../src/directory/permissions/permissions.js'
import { type AuthorizeApp, answerOf, callback, openAuthorize } from '../support/rooms/authorize.js'

const fresh = 'https://dora.example/steal'

/** Where a request for this redirect URI ends without a page: a code, or the error. */
async function silently(testApp: AuthorizeApp, redirectUri: string, userId?: string): Promise<string> {
  const browser = await testApp.signedIn(userId)
  const address = testApp.address({ redirect_uri: redirectUri, scope: 'User.Read', prompt: 'none' })
  const { code, error = 'none' } = answerOf(await browser.open(address))
  return code === undefined ? error : 'code'
}

const add = ({ writes, registration }: AuthorizeApp, redirectUris: string[]) =>
  changeApplication(writes, registration.applicationId, { redirectUris })

t.test(
  'identity H3: who consented is prompted once more where the answer goes to a new origin, and once only',
  async (t) => {
    const testApp = await openAuthorize(t)
    t.equal(await silently(testApp, callback), 'code')
    await add(testApp, [callback, 'https://app.test/another', fresh])
    t.equal(await silently(testApp, callback), 'code', 'as before')
    t.equal(await silently(testApp, 'https://app.test/another'), 'code', 'another path of the same origin is none')
    t.equal(await silently(testApp, fresh), 'consent_required')
    const browser = await testApp.signedIn()
    const page = await browser.open(testApp.address({ redirect_uri: fresh, scope: 'User.Read' }))
    t.match(page.path, /^\/consent/, 'with a page')
    const left = await browser.submit(page, 'consent', { decision: 'accept' })
    t.match(left.location, /^https:\/\/dora\.example\/steal\?code=/)
    t.equal(await silently(testApp, fresh), 'code', 'one prompt is enough')
    const other = await testApp.person()
    await testApp.consent({ userId: other.userId })
    t.equal(await silently(testApp, fresh, other.userId), 'consent_required', 'everybody for themselves')
    t.equal(await silently(testApp, callback, other.userId), 'code')
  },
)

t.test('identity H3: one new origin that was allowed allows no other, nor the same one added again', async (t) => {
  const testApp = await openAuthorize(t)
  const second = 'https://second.example/back'
  const accept = async (redirectUri: string) => {
    const browser = await testApp.signedIn()
    const page = await browser.open(testApp.address({ redirect_uri: redirectUri, scope: 'User.Read' }))
    await browser.submit(page, 'consent', { decision: 'accept' })
  }
  await add(testApp, [callback, fresh])
  await add(testApp, [callback, fresh, second])
  await accept(second)
  t.equal(await silently(testApp, second), 'code')
  t.equal(await silently(testApp, fresh), 'consent_required', 'that was there when the other one was allowed')
  await accept(fresh)
  t.equal(await silently(testApp, fresh), 'code')
  await add(testApp, [callback])
  await add(testApp, [callback, fresh])
  t.equal(await silently(testApp, fresh), 'consent_required', 'gone and come again')
})

t.test('identity H3: an administrator’s consent for everybody is for the origins of its time', async (t) => {
  const testApp = await openAuthorize(t, { consented: false })
  const { registration, tenantId, writes } = testApp
  const grant = () => grantConsent(writes, registration.applicationId, { tenantId, permissions: 'all', by: 'adam' })
  await grant()
  t.equal(await silently(testApp, callback), 'code')
  await add(testApp, [callback, fresh])
  t.equal(await silently(testApp, fresh), 'consent_required')
  await grant()
  t.equal(await silently(testApp, fresh), 'code', 'consented to again, it is for all of them')
})

t.test('identity H3: a new origin is recorded in the ledger', async (t) => {
  const testApp = await openAuthorize(t)
  await add(testApp, [callback, fresh])
  await add(testApp, [callback, fresh, 'https://dora.example/two'])
  const rows = await testApp.store.reader
    .selectFrom('ledger')
    .select('details')
    .where('event', '=', 'application.redirect-origin-added')
    .execute()
  t.same(
    rows.map(({ details }) => JSON.parse(details)),
    [{ origins: ['https://dora.example'] }],
  )
})
