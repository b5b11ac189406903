// Decision 97: what an administrator consents to on a page asks for a recent sign-in, as it does through the API.

import t, { type Test } from 'tap'
import { listRequests } from '../../src/directory/consents/consent-requests.js'
import type { ScriptedBrowser, Shown } from '../support/browser/scripted-browser.js'
import { type AuthorizeApp, answerOf, delegated, openAuthorize } from '../support/rooms/authorize.js'

async function open(t: Test) {
  const permissions = [delegated('assets_delete')]
  const testApp = await openAuthorize(t, { consented: false, registration: { permissions, consentBy: undefined } })
  const { userId } = await testApp.person({ role: 'administrator' })
  return { testApp, userId, browser: await testApp.signedIn(userId) }
}

const later = (testApp: AuthorizeApp) => {
  testApp.clock.nowMs += 11 * 60_000
}

/** As if the person had signed in once more. */
async function signInAgain({ store, clock }: AuthorizeApp, userId: string) {
  const authenticated_at = clock.nowMs
  await store.transaction((tx) =>
    tx.updateTable('sessions').set({ authenticated_at }).where('user_id', '=', userId).execute(),
  )
}

/** The page that asks for it; answers where it goes on afterwards. */
function expectConfirmation(t: Test, page: Shown): string {
  t.match(page.path, /^\/sign-in\?request=pcl_rq_/)
  t.match(page.body, /Confirm it’s you/)
  return page.path
}

async function granted({ directory, registration, tenantId }: AuthorizeApp): Promise<number> {
  return (await directory.findInstallation(registration.applicationId, tenantId))?.granted.length ?? 0
}

/** Goes on from the sign-in page as the same person, who has just signed in. */
async function goOn(browser: ScriptedBrowser, path: string): Promise<Shown> {
  return browser.submit(await browser.open(path), 'continue-form')
}

t.test('decision 97: the admin consent endpoint', async (t) => {
  const { testApp, userId, browser } = await open(t)
  const address = `/api/v2/oauth2/v2.0/adminconsent?client_id=${testApp.registration.applicationId}`
  later(testApp)
  const page = await browser.open(address)
  const path = expectConfirmation(t, await browser.submit(page, 'admin-consent', { decision: 'grant' }))
  t.equal(await granted(testApp), 0)
  await signInAgain(testApp, userId)
  const back = await goOn(browser, path)
  t.match((await browser.submit(back, 'admin-consent', { decision: 'grant' })).body, /Consent granted/)
  t.equal(await granted(testApp), 1)
})

t.test('decision 97: the consent page, for everybody and for what takes an administrator', async (t) => {
  const { testApp, userId, browser } = await open(t)
  const asks = testApp.address({ scope: 'assets_delete' })
  later(testApp)
  for (const more of [{}, { for_everybody: 'yes' }]) {
    const page = await browser.open(asks)
    expectConfirmation(t, await browser.submit(page, 'consent', { decision: 'accept', ...more }))
  }
  t.equal(await granted(testApp), 0)
  const page = await browser.open(asks)
  const path = expectConfirmation(
    t,
    await browser.submit(page, 'consent', { decision: 'accept', for_everybody: 'yes' }),
  )
  await signInAgain(testApp, userId)
  const back = await browser.open(decodeURIComponent(path).replace('/sign-in?request=', '/consent?request='))
  const answer = await browser.submit(back, 'consent', { decision: 'accept', for_everybody: 'yes' })
  t.match(answerOf(answer), { code: /./ })
  t.equal(await granted(testApp), 1)
})

t.test('decision 97: the inbox of requests; declining asks for nothing', async (t) => {
  const { testApp, userId, browser } = await open(t)
  const member = await testApp.signedIn()
  const asks = testApp.address({ scope: 'assets_delete' })
  const ask = async () => {
    await member.submit(await member.open(asks), 'consent', { decision: 'ask', reason: 'please' })
    const [request] = await listRequests(testApp.store.reader, { tenantIds: [testApp.tenantId], state: 'pending' })
    return `decide-${request?.requestId}`
  }
  const form = await ask()
  later(testApp)
  const decide = async (id: string, decision: string) =>
    browser.submit(await browser.open('/consent-requests'), id, { decision })
  expectConfirmation(t, await decide(form, 'approved'))
  t.equal(await granted(testApp), 0)
  t.match((await decide(form, 'declined')).path, /done=declined/)
  const another = await ask()
  await signInAgain(testApp, userId)
  t.match((await decide(another, 'approved')).path, /done=approved/)
  t.equal(await granted(testApp), 1)
})
