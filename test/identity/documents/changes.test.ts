// What becomes of clients that nobody registered (decision 152): their documents change, they prove themselves by keys,
// tenants look at them as at other applications, and the unused ones leave.

import { SignJWT } from 'jose'
import t from 'tap'
import { changeApplication } from '../../../src/directory/applications/application-changes.js'
import { deleteApplication } from '../../../src/directory/applications/delete-application.js'
import { addFederatedCredential } from '../../../src/directory/credentials/federated-credentials.js'
import { addSecret } from '../../../src/directory/credentials/secrets.js'
import { deleteUnusedDocuments } from '../../../src/directory/documents/unused-documents.js'
import { configurePermissions } from '../../../src/directory/permissions/permissions.js'
import { changeTenant } from '../../../src/directory/tenants/tenants.js'
import { toEvent } from '../../../src/events/event-types.js'
import { documentApplicationId } from '../../../src/oauth/secrets/document-application-id.js'
import { listLedger } from '../../../src/storage/sql/ledger/ledger-entries.js'
import { loopbackCallback, webCallback } from '../../support/providers/document-host.js'
import { answerOf, authorizePath } from '../../support/rooms/authorize.js'
import { baseUrl, otherResource } from '../../support/rooms/directory.js'
import { eventsOf, openDocuments } from '../../support/rooms/documents.js'
import { readToken, tokenPath } from '../../support/rooms/identity.js'
import { newKeyPair } from '../../support/tokens/key-pair.js'
import { until } from '../../support/traffic/until.js'

const dayMs = 86_400_000
const textOf = ({ body }: { body: string }) => body.replace(/<[^>]+>/g, '')

/** With a clock of its own for what is kept; `pass` moves both clocks. */
async function open(t: Parameters<typeof openDocuments>[0], options: Parameters<typeof openDocuments>[1] = {}) {
  const clock = { ms: 0 }
  const opened = await openDocuments(t, { monotonic: () => clock.ms, ...options })
  const pass = (ms: number) => {
    clock.ms += ms
    opened.testApp.clock.nowMs += ms
  }
  return { ...opened, pass, applicationId: documentApplicationId(opened.url, opened.testApp.tenantId) }
}

t.test(
  'G15 identity: another document is another client: everybody is prompted again, and what it had ends',
  async (t) => {
    const { testApp, host, address, codeFor, redeem, refresh, pass, applicationId } = await open(t)
    const other = await testApp.person()
    const [one, two] = [(await codeFor(address())).code, (await codeFor(address(), other.userId)).code]
    const [mine, theirs] = [await redeem(one), await redeem(two)]
    t.same([mine.status, theirs.status], [200, 200])
    const redirect_uris = [webCallback, loopbackCallback, 'https://new.test/callback']
    host.host('/client.json', { grant_types: ['authorization_code', 'refresh_token'], redirect_uris })
    pass(10 * 60_000)
    const browser = await testApp.signedIn()
    const page = await browser.open(address())
    t.match(page.body, 'id="consent"', 'prompted again, though it goes to where it went before')
    t.match(await refresh(mine.body['refresh_token']), { status: 400, body: { error: 'invalid_grant' } })
    t.match(await refresh(theirs.body['refresh_token']), { status: 400, body: { error: 'invalid_grant' } })
    await t.rejects(async () =>
      testApp.deps.authenticator.authenticate(
        ['authorization', `Bearer ${mine.body['access_token']}`],
        '',
        otherResource,
      ),
    )
    const theirPage = await (await testApp.signedIn(other.userId)).open(address())
    t.match(theirPage.body, 'id="consent"')
    const changes = (await eventsOf(testApp)).filter(({ event }) => event === 'client.document-changed')
    t.equal(changes.length, 1)
    t.match(changes[0]?.details, 'https://new.test/callback')
    const rows = await listLedger(testApp.store.reader, { filter: {}, limit: 50, order: 'newest' })
    const row = rows.find(({ event }) => event === 'client.document-changed')
    const { tenantId } = testApp
    t.match(row === undefined ? undefined : toEvent(row), {
      ...{ type: 'client.document_changed', tenantId, subject: `applications/${applicationId}` },
      data: { tenantId, applicationId, changed: ['redirectUris'] },
    })
    t.notMatch(JSON.stringify(row === undefined ? row : toEvent(row)), 'new.test', 'webhooks hear no addresses')
    t.match(await testApp.directory.findRegistration(applicationId), { redirectUris: [...redirect_uris].sort() })
    const done = await browser.submit(page, 'consent', { decision: 'accept' })
    t.match(done.location, `${webCallback}?code=`)
    t.equal((await redeem(String(answerOf(done)['code']))).status, 200)
  },
)

t.test('identity: the token endpoint hears of another document by itself, and does not wait for it', async (t) => {
  const { testApp, host, address, codeFor, redeem, refresh, pass } = await open(t)
  const first = await redeem((await codeFor(address())).code)
  host.host('/client.json', { redirect_uris: ['https://new.test/callback'] })
  const before = host.requests.length
  pass(10 * 60_000)
  const second = await refresh(first.body['refresh_token'])
  t.equal(second.status, 200, 'it is fetched meanwhile')
  const isKnown = () => testApp.deps.documents.known(`${host.origin}/client.json`)?.redirectUris.length === 1
  await until('the newer document is known', () => host.requests.length > before && isKnown())
  t.match(await refresh(second.body['refresh_token']), {
    status: 400,
    body: { error: 'invalid_grant', error_description: /document of the client has changed/ },
  })
  const events = (await eventsOf(testApp)).map(({ event }) => event)
  t.ok(events.includes('client.document-changed'))
  t.ok(events.includes('grant.ended'))
})

t.test('identity: another name is told, and is no other client', async (t) => {
  const { testApp, host, address, codeFor, redeem, refresh, pass } = await open(t)
  const first = await redeem((await codeFor(address())).code)
  const grant_types = ['authorization_code', 'refresh_token']
  host.host('/client.json', { grant_types, client_name: 'Your Bank' })
  pass(10 * 60_000)
  const browser = await testApp.signedIn()
  t.match((await browser.open(address())).location, `${webCallback}?code=`)
  const page = await browser.open(address({ prompt: 'consent' }))
  t.match(textOf(page), 'It calls itself “Your Bank”')
  t.match(textOf(page), 'When it was last allowed here it called itself “Agent”.')
  t.equal((await refresh(first.body['refresh_token'])).status, 200)
  await browser.submit(page, 'consent', { decision: 'accept' })
  t.notMatch(textOf(await browser.open(address({ prompt: 'consent' }))), 'When it was last allowed')
})

t.test('identity: a form agrees to the document that it showed', async (t) => {
  const { testApp, host, address, pass, rows } = await open(t)
  const browser = await testApp.signedIn()
  const page = await browser.open(address())
  host.host('/client.json', { redirect_uris: [webCallback, 'https://evil.test/callback'] })
  pass(10 * 60_000)
  const after = await browser.submit(page, 'consent', { decision: 'accept' })
  t.equal(after.status, 403)
  t.equal(await rows(), 0)
})

t.test('identity: a client that has keys proves itself by them, under its URL', async (t) => {
  const { publicKey, privateKey } = await newKeyPair('ec', { namedCurve: 'P-256' })
  const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1' }] }
  const members = {
    ...{ token_endpoint_auth_method: 'private_key_jwt', jwks },
    ...{ redirect_uris: [webCallback], grant_types: ['authorization_code', 'refresh_token'] },
  }
  const { testApp, url, address, codeFor, redeem, applicationId } = await open(t, { members })
  const { code } = await codeFor(address())
  t.match(await redeem(code), { status: 401, body: { error: 'invalid_client' } })
  const assertion = (claims: object = {}) => {
    const now = Math.floor(testApp.now() / 1000)
    const all = { iss: url, sub: url, aud: baseUrl, iat: now, exp: now + 60, jti: `${Math.random()}`, ...claims }
    return new SignJWT(all).setProtectedHeader({ alg: 'ES256', kid: 'k1' }).sign(privateKey)
  }
  const proof = (client_assertion: string) => ({
    ...{ client_assertion, client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer' },
  })
  const named = await assertion({ iss: applicationId, sub: applicationId })
  t.equal((await redeem(code, proof(named))).status, 401, 'not under the name that it has inside')
  t.equal((await redeem(code, { client_secret: 'x' })).status, 401)
  const right = await redeem(code, proof(await assertion()))
  t.equal(right.status, 200, JSON.stringify(right.body))
  t.equal(readToken(right.body['access_token']).claims['client_id'], url)
  const own = { grant_type: 'client_credentials', scope: 'default', client_id: url, ...proof(await assertion()) }
  t.equal((await testApp.post(tokenPath, own)).statusCode, 401, 'it has no identity of its own')
})

t.test('identity: inside it has other names, by which nobody asks', async (t) => {
  const { testApp, address, codeFor, redeem, applicationId } = await open(t)
  const { code } = await codeFor(address())
  const { publicKey = '' } = (await testApp.directory.findRegistration(applicationId)) ?? {}
  const browser = await testApp.signedIn()
  for (const client_id of [applicationId, publicKey]) {
    const page = await browser.open(address({ client_id }))
    t.equal(page.status, 400)
    t.match(page.body, 'No application is registered here under the client_id')
    t.equal((await redeem(code, { client_id })).status, 401)
  }
  t.equal((await redeem(code)).status, 200)
})

t.test('identity: what its document says is not changed here', async (t) => {
  const { testApp, codeFor, address, applicationId } = await open(t)
  await codeFor(address())
  const { writes } = testApp
  const code = 'DescribedByDocument'
  await t.rejects(changeApplication(writes, applicationId, { redirectUris: ['https://evil.test/callback'] }), { code })
  await t.rejects(changeApplication(writes, applicationId, { name: 'Your Bank' }), { code })
  await t.rejects(changeApplication(writes, applicationId, { verified: true, publisher: 'Your Bank' }), { code })
  await t.rejects(configurePermissions(writes, applicationId, []), { code })
  await t.rejects(addSecret(writes, applicationId, { label: 'x', lifetimeMs: dayMs }), { code })
  const trust = { name: 'x', issuer: 'https://issuer.example', subject: 's' }
  await t.rejects(addFederatedCredential(writes, applicationId, trust), { code })
  t.match(await changeApplication(writes, applicationId, { state: 'disabled' }), { state: 'disabled' })
})

t.test('identity: of each tenant it is another application', async (t) => {
  const { testApp, url, address, codeFor, redeem, refresh, rows, applicationId } = await open(t)
  const { tenantId } = await testApp.register({})
  const theirs = await testApp.person({ tenantId })
  const other = documentApplicationId(url, tenantId)
  const mine = await redeem((await codeFor(address())).code)
  const second = await redeem((await codeFor(address(), theirs.userId)).code)
  t.equal(await rows(), 2)
  t.equal(readToken(second.body['access_token']).claims['tid'], tenantId)
  await changeApplication(testApp.writes, applicationId, { state: 'disabled' })
  t.equal((await refresh(mine.body['refresh_token'])).status, 401)
  const browser = await testApp.signedIn()
  t.match(textOf(await browser.open(address())), 'The application is disabled.')
  t.equal((await refresh(second.body['refresh_token'])).status, 200, 'nobody else’s matter')
  t.match(await testApp.directory.findRegistration(other), { state: 'enabled' })
  const requested = await (await testApp.signedIn(theirs.userId)).open(
    address({ requested_enrollment: testApp.tenantId }),
  )
  t.match(answerOf(requested), { error: 'access_denied' })
})

t.test('identity: a tenant takes fewer clients than the server, at once and for those that it has', async (t) => {
  const { testApp, address, codeFor, redeem, refresh } = await open(t)
  const first = await redeem((await codeFor(address())).code)
  const browser = await testApp.signedIn()
  await changeTenant(testApp.writes, testApp.tenantId, { clientHosts: ['agent.example'] })
  const page = await browser.open(address())
  t.equal(page.status, 403)
  t.equal(page.location, undefined)
  t.match(answerOf(await browser.open(address({ requested_enrollment: testApp.tenantId }))), {
    error: 'unauthorized_client',
  })
  t.match(answerOf(await browser.open(address({ prompt: 'none' }))), { error: 'access_denied' })
  t.equal((await refresh(first.body['refresh_token'])).status, 401)
  await changeTenant(testApp.writes, testApp.tenantId, { clientHosts: ['localhost'] })
  t.match((await browser.open(address())).location, `${webCallback}?code=`)
  t.equal((await refresh(first.body['refresh_token'])).status, 200)
  await changeTenant(testApp.writes, testApp.tenantId, { clientHosts: [] })
  t.equal((await browser.open(address())).status, 403)
  await changeTenant(testApp.writes, testApp.tenantId, { clientHosts: null })
  t.match((await browser.open(address())).location, `${webCallback}?code=`)
})

t.test('identity: one that was deleted comes back when somebody allows it again, with nothing of before', async (t) => {
  const { testApp, address, codeFor, redeem, refresh, rows, applicationId } = await open(t)
  const before = await redeem((await codeFor(address())).code)
  await deleteApplication(testApp.writes, applicationId)
  t.equal(await rows(), 0)
  t.equal((await refresh(before.body['refresh_token'])).status, 401)
  const browser = await testApp.signedIn()
  const page = await browser.open(address())
  t.match(page.body, 'id="consent"')
  const done = await browser.submit(page, 'consent', { decision: 'accept' })
  const after = await redeem(String(answerOf(done)['code']))
  t.equal(after.status, 200)
  t.equal((await refresh(before.body['refresh_token'])).status, 400)
  await t.rejects(async () =>
    testApp.deps.authenticator.authenticate(
      ['authorization', `Bearer ${before.body['access_token']}`],
      '',
      otherResource,
    ),
  )
})

t.test('identity: where administrators decide, such a client needs one like any other', async (t) => {
  const { testApp, address, rows, applicationId } = await open(t)
  await changeTenant(testApp.writes, testApp.tenantId, { userConsent: 'administrators' })
  const browser = await testApp.signedIn()
  const page = await browser.open(address())
  t.match(page.body, 'name="reason"')
  t.match(textOf(page), 'Not registered here')
  t.equal(await rows(), 0)
  await browser.submit(page, 'consent', { decision: 'ask', reason: 'For my tickets' })
  t.equal(await rows(), 1, 'administrators can look at it')
  const requests = await testApp.store.reader.selectFrom('consent_requests').select('application_id').execute()
  t.same(requests, [{ application_id: applicationId }])
})

t.test('identity: a posted request is taken up by the browser that comes with it', async (t) => {
  const { testApp, address } = await open(t)
  const browser = await testApp.signedIn()
  const posted = await browser.post(authorizePath, address().split('?')[1] ?? '')
  t.equal(posted.status, 303)
  t.match((await browser.follow(posted)).body, 'id="consent"')
  const newcomer = testApp.browser()
  const signIn = await newcomer.open(address())
  t.match(signIn.path, '/sign-in')
  t.match(textOf(signIn), '/client.json')
  t.match(textOf(signIn), 'Not registered here')
})

t.test('identity: one that nobody uses leaves after thirty days, and not while it is disabled', async (t) => {
  const { testApp, host, address, codeFor, redeem, rows, pass, applicationId } = await open(t)
  const unused = host.host('/unused.json')
  const disabled = host.host('/disabled.json')
  const browser = await testApp.signedIn()
  for (const client_id of [unused, disabled]) {
    await changeTenant(testApp.writes, testApp.tenantId, { userConsent: 'administrators' })
    await browser.submit(await browser.open(address({ client_id })), 'consent', { decision: 'ask', reason: '' })
    await changeTenant(testApp.writes, testApp.tenantId, { userConsent: 'allowed' })
  }
  await redeem((await codeFor(address())).code)
  await changeApplication(testApp.writes, documentApplicationId(disabled, testApp.tenantId), { state: 'disabled' })
  const { writes, store } = testApp
  t.equal(await deleteUnusedDocuments(writes, store), 0)
  t.equal(await rows(), 3)
  pass(30 * dayMs + 1)
  t.equal(await deleteUnusedDocuments(writes, store), 1)
  t.equal(await rows(), 2)
  t.ok(await testApp.directory.findRegistration(applicationId), 'it has a grant')
  t.equal(await testApp.directory.findRegistration(documentApplicationId(unused, testApp.tenantId)), undefined)
})
