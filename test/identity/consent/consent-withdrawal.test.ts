// Apps with access: what is shown there, and what withdrawing ends.

import t from 'tap'
import { changeApplication } from '../../../src/directory/applications/application-changes.js'
import { listConsents } from '../../../src/directory/consents/consents.js'
import { withdrawTenantConsent } from '../../../src/directory/consents/withdrawal.js'
import { configurePermissions } from '../../../src/directory/permissions/permissions.js'
import { revocable } from '../../../src/identity/issued-tokens/own-token.js'
import type { AccessTokenClaims } from '../../../src/tokens/claims.js'
import { formOf, type ScriptedBrowser, textOf } from '../../support/browser/scripted-browser.js'
import { type AuthorizeApp, delegated, openAuthorize } from '../../support/rooms/authorize.js'
import { makeCode, makePerson, redemption, type Tokens } from '../../support/rooms/delegation.js'
import { ownResource } from '../../support/rooms/directory.js'
import { introspectPath, readToken, tokenPath } from '../../support/rooms/identity.js'

async function tokensFor(testApp: AuthorizeApp, userId = testApp.user.userId): Promise<Tokens> {
  const { deps, registration, tenantId, secret } = testApp
  const { applicationId } = registration
  const made = await makeCode(deps, { userId, applicationId, tenantId, permissions: ['User.Read', 'assets_read'] })
  const form = redemption(made, { client_id: applicationId, client_secret: secret })
  return (await testApp.post(tokenPath, form)).json()
}

function refresh({ post, registration, secret }: AuthorizeApp, refresh_token: string) {
  const client = { client_id: registration.applicationId, client_secret: secret }
  return post(tokenPath, { grant_type: 'refresh_token', refresh_token, ...client })
}

/** What an instance that follows the same log says of the access token now. */
function refusalOf({ view, clock }: AuthorizeApp, token: string) {
  return view.refusal(revocable(readToken(token).claims as unknown as AccessTokenClaims), clock.nowMs)
}

const idOf = ({ registration, tenantId }: AuthorizeApp, whose: string) =>
  `${whose}-${registration.applicationId}-${tenantId}`

async function withdraw(testApp: AuthorizeApp, browser: ScriptedBrowser) {
  return browser.submit(await browser.open('/account/apps'), `form-${idOf(testApp, 'own')}`)
}

t.test('C9 a person withdraws: refresh tokens die, access tokens are refused, others keep theirs', async (t) => {
  const testApp = await openAuthorize(t, { registration: { consentBy: undefined } })
  const { store, user, registration, secret, post } = testApp
  const colleague = await testApp.person()
  await testApp.consent({ userId: colleague.userId })
  const [mine, theirs] = [await tokensFor(testApp), await tokensFor(testApp, colleague.userId)]
  t.equal(refusalOf(testApp, mine.access_token), undefined)
  const browser = await testApp.signedIn()
  const page = await browser.open('/account/apps')
  t.match(textOf(page, `permissions-${idOf(testApp, 'own')}`), /Allows User\.Read\.[\s\S]*Keep this access/)
  t.match(page.body, /last used/)

  const done = await withdraw(testApp, browser)
  t.match(textOf(done, 'done'), /Withdrawn/)
  t.match(textOf(done, 'none'), /have not allowed any/)
  t.same(await listConsents(store.reader, { userId: user.userId }), [])
  t.ok(refusalOf(testApp, mine.access_token))
  t.match((await refresh(testApp, mine.refresh_token)).json(), { error: 'invalid_grant' })
  const client = { client_id: registration.applicationId, client_secret: secret }
  t.same((await post(introspectPath, { token: mine.access_token, ...client })).json(), { active: false })
  t.equal(refusalOf(testApp, theirs.access_token), undefined)
  t.equal((await refresh(testApp, theirs.refresh_token)).statusCode, 200)
  t.match(
    (await browser.open(testApp.address({ scope: 'User.Read' }))).path,
    /^\/consent|^\/api/,
    'and is prompted again',
  )
  const rows = await store.reader.selectFrom('ledger').selectAll().where('event', '=', 'consent.withdrawn').execute()
  t.match(
    rows.map((row) => [row.user_id, JSON.parse(row.actor)]),
    [[user.userId, { kind: 'user', userId: user.userId }]],
  )
})

t.test('C9 a code that was not redeemed yet dies with the consent', async (t) => {
  const testApp = await openAuthorize(t)
  const { deps, registration, user, tenantId, secret, post } = testApp
  const { applicationId } = registration
  const made = await makeCode(deps, { userId: user.userId, applicationId, tenantId })
  await withdraw(testApp, await testApp.signedIn())
  const answer = await post(tokenPath, redemption(made, { client_id: applicationId, client_secret: secret }))
  t.match(answer.json(), { error: 'invalid_grant' })
})

t.test(
  'C9 an administrator withdraws for everybody: what everybody allowed, and what the application has itself',
  async (t) => {
    const testApp = await openAuthorize(t, {
      registration: {
        permissions: [delegated('User.Read'), { kind: 'application', resource: ownResource, id: 'User.Read.All' }],
        consentBy: 'test',
      },
    })
    const { store, registration, tenantId, secret, post } = testApp
    const client = { client_id: registration.applicationId, client_secret: secret }
    const params = { grant_type: 'client_credentials', scope: 'default', ...client }
    const own = (await post(tokenPath, params)).json()
    const mine = await tokensFor(testApp)
    const admin = await testApp.signedIn((await testApp.person({ role: 'administrator' })).userId)
    const page = await admin.open('/account/apps')
    const { applicationId } = registration
    t.match(page.body, `href="/portal/consents/apps/${applicationId}?tenant=${tenantId}"`, 'the portal asks first')
    await withdrawTenantConsent(testApp.writes, applicationId, { tenantId, permissions: 'all' })
    t.ok(refusalOf(testApp, mine.access_token))
    t.ok(refusalOf(testApp, own.access_token))
    t.match((await refresh(testApp, mine.refresh_token)).json(), { error: 'invalid_grant' })
    t.match((await post(tokenPath, params)).json(), { suberror: 'admin_consent_required' })
    t.same(await listConsents(store.reader, { tenantId }), [])
    const events = (await store.reader.selectFrom('ledger').select('event').execute()).map(({ event }) => event)
    for (const event of ['consent.withdrawn', 'admin-consent.withdrawn', 'grant.ended'])
      t.ok(events.includes(event), event)
  },
)

t.test(
  'C6 C9 what is configured no longer is forgotten, and refused at once: configured again, it needs consent again',
  async (t) => {
    const testApp = await openAuthorize(t, { registration: { consentBy: undefined } })
    const { registration, store, user, writes } = testApp
    const { access_token } = await tokensFor(testApp)
    await configurePermissions(writes, registration.applicationId, [delegated('assets_read')])
    t.ok(refusalOf(testApp, access_token))
    const left = (await listConsents(store.reader, { userId: user.userId })).map(({ id }) => id)
    t.notOk(left.includes('User.Read'))
    t.ok(left.includes('assets_read') && left.includes('openid'))
    await configurePermissions(writes, registration.applicationId, registration.configured)
    const browser = await testApp.signedIn()
    t.match((await browser.open(testApp.address({ scope: 'User.Read' }))).path, /^\/consent/)
  },
)

t.test('C2 C3 C7 U2 nobody withdraws for others, and no form of another page does', async (t) => {
  const testApp = await openAuthorize(t)
  const { ask, registration, tenantId, user, store } = testApp
  const browser = await testApp.signedIn()
  const page = await browser.open('/account/apps')
  const { fields } = formOf(page, `form-${idOf(testApp, 'own')}`)
  t.equal((await browser.post('/account/apps', { ...fields, form_token: 'x' })).status, 403)
  t.equal((await browser.post('/account/apps', fields, { 'sec-fetch-site': 'cross-site' })).status, 403)
  t.equal((await browser.get(`/account/apps?${new URLSearchParams(fields)}`)).status, 200)
  const other = await testApp.signedIn((await makePerson(testApp.deps, tenantId)).userId)
  t.equal((await other.post('/account/apps', fields)).status, 403, 'another session')
  t.equal((await ask({ method: 'POST', url: '/account/apps', payload: '' })).statusCode, 415)
  const left = await listConsents(store.reader, { userId: user.userId, applicationId: registration.applicationId })
  t.ok(left.length > 0)
  t.match((await testApp.browser().open('/account/apps')).path, /^\/sign-in\?request=/)
})

t.test('U4 a stored payload in a name is inert here too', async (t) => {
  const testApp = await openAuthorize(t)
  const name = '\u202e"><script>alert(1)</script>'
  await testApp.store.transaction((tx) => tx.updateTable('applications').set({ name, publisher: name }).execute())
  await changeApplication(testApp.writes, testApp.registration.applicationId, { state: 'enabled' })
  const admin = await testApp.person({ role: 'owner' })
  await testApp.consent({ userId: admin.userId })
  const page = await (await testApp.signedIn(admin.userId)).open('/account/apps')
  t.match(page.body, /&lt;script/)
  t.notMatch(page.body, /<script(?! src="\/assets\/[0-9a-f]+\.js" defer>)|\u202e/)
})

t.test('an administrator of hundreds of applications sees the first, and where the others are', async (t) => {
  const testApp = await openAuthorize(t)
  const { tenantId } = testApp
  const permissions = [delegated('User.Read')]
  for (const number of [...Array(25).keys()]) {
    await testApp.register({ ...{ name: `App ${number}`, type: 'web', tenantId, permissions }, consentBy: 'test' })
  }
  const admin = await testApp.signedIn((await testApp.person({ role: 'administrator' })).userId)
  const page = await admin.open('/account/apps')
  const names = [...page.body.matchAll(/>App (\d+)</g)].map(([, number]) => Number(number))
  t.same(names.slice(0, 12), [...Array(12).keys()], 'numbers by what they are worth')
  t.equal(page.body.match(/href="\/portal\/consents\/apps\//g)?.length, 20)
  t.match(textOf(page, 'more-for-everybody'), /And \d more: Consents at the portal/)
})
