// A client that nobody registered (decision 152), from its first request to its refresh token, with its document on a
// host of the test.

import t from 'tap'
import { documentApplicationId } from '../../../src/oauth/secrets/document-application-id.js'
import { loopbackCallback, webCallback } from '../../support/providers/document-host.js'
import { answerOf, authorizePath } from '../../support/rooms/authorize.js'
import { otherResource } from '../../support/rooms/directory.js'
import { type DocumentApp, eventsOf, openDocuments } from '../../support/rooms/documents.js'
import { introspectPath, readToken, revokePath } from '../../support/rooms/identity.js'

const textOf = ({ body }: { body: string }) => body.replace(/<[^>]+>/g, '')

t.test(
  'identity: a client that nobody registered goes the whole way, and is an application from consent on',
  async (t) => {
    const { testApp, url, address, codeFor, redeem, refresh, rows } = await openDocuments(t)
    const browser = await testApp.signedIn()
    const page = await browser.open(address())
    t.equal(page.status, 200)
    t.match(page.body, 'id="application-name"')
    const text = textOf(page)
    t.ok(text.indexOf('localhost:') < text.indexOf('Agent'), 'its host before its name')
    t.match(text, 'It calls itself “Agent”. Nobody has checked that name.')
    t.match(text, 'Not registered here')
    t.match(text, 'agent.test', 'where it goes on to')
    t.notMatch(page.body, 'id="loopback"')
    t.notMatch(text, 'Verified')
    t.equal(await rows(), 0, 'nothing is written before somebody allows it')
    const { code, location } = await codeFor(address())
    t.match(location, `${webCallback}?code=`)
    t.equal(await rows(), 1)
    const first = await redeem(code)
    t.equal(first.status, 200, JSON.stringify(first.body))
    const { claims } = readToken(first.body['access_token'])
    const applicationId = documentApplicationId(url, testApp.tenantId)
    t.match(claims, { client_id: url, aud: otherResource, scope: 'desk.read', tid: testApp.tenantId })
    t.match(await testApp.directory.findRegistration(applicationId), {
      tenantId: testApp.tenantId,
      type: 'native',
      deviceCodes: 'off',
      configured: ['desk.read', 'desk.write'].map((id) => ({ kind: 'delegated', resource: otherResource, id })),
    })
    const second = await refresh(first.body['refresh_token'])
    t.equal(second.status, 200, JSON.stringify(second.body))
    t.equal(readToken(second.body['access_token']).claims['client_id'], url)
    const again = await browser.open(address())
    t.match(again.location, `${webCallback}?code=`, 'what was allowed is remembered')
    t.equal(await rows(), 1)
    const apps = await browser.open('/account/apps')
    t.match(apps.body, `own-${applicationId}`)
    t.match(textOf(apps), 'Not registered here')
    const events = (await eventsOf(testApp)).filter(({ event }) => event === 'application.registered')
    t.match(events.at(-1)?.details, url)
  },
)

t.test(
  'identity: a token of such a client is verified as that of its application, and is revoked like any other',
  async (t) => {
    const { testApp, url, address, codeFor, redeem, refresh } = await openDocuments(t)
    const { body } = await redeem((await codeFor(address())).code)
    const token = String(body['access_token'])
    const principal = await testApp.deps.authenticator.authenticate(
      ['authorization', `Bearer ${token}`],
      '',
      otherResource,
    )
    t.match(principal, { applicationId: documentApplicationId(url, testApp.tenantId), kind: 'delegated' })
    const answer = await testApp.post(introspectPath, { client_id: url, token })
    t.equal(answer.statusCode, 400, 'a client that proves nothing asks about nothing')
    t.equal((await testApp.post(revokePath, { client_id: url, token })).statusCode, 200)
    await t.rejects(async () =>
      testApp.deps.authenticator.authenticate(['authorization', `Bearer ${token}`], '', otherResource),
    )
    const foreign = await testApp.post(revokePath, { client_id: `${url}x`, token: String(body['refresh_token']) })
    t.equal(foreign.statusCode, 401)
    const next = await refresh(body['refresh_token'])
    t.equal(next.status, 200)
    t.equal(
      (await testApp.post(revokePath, { client_id: url, token: String(next.body['refresh_token']) })).statusCode,
      200,
    )
    t.match(await refresh(next.body['refresh_token']), { status: 400, body: { error: 'invalid_grant' } })
  },
)

t.test('identity: it asks for what the resource opens to such clients, and for nothing else', async (t) => {
  const { testApp, address, codeFor, rows } = await openDocuments(t)
  const browser = await testApp.signedIn()
  const cases: [Record<string, string | undefined>, string][] = [
    [{ scope: 'desk.admin' }, 'Permission desk.admin is not open to clients that nobody registered here.'],
    [
      { scope: 'User.Read', resource: undefined },
      'Permission User.Read is not open to clients that nobody registered here.',
    ],
    [{ scope: 'Application.ReadWrite.All', resource: undefined }, 'is not open to clients'],
    [{ scope: 'nothing' }, 'Permission nothing is unknown.'],
  ]
  for (const [more, why] of cases) {
    const page = await browser.open(address(more))
    t.match([page.status, page.location], [400, undefined], 'nobody is sent on to an address that anybody wrote')
    t.match(textOf(page), why)
  }
  t.equal(await rows(), 0)
  await codeFor(address())
  for (const [more, why] of cases) {
    const answer = answerOf(await browser.open(address(more)))
    t.match(answer, { error: 'invalid_scope', state: 's' }, 'its client is told once it is allowed')
    t.match(answer['error_description'], why)
  }
  const without = address({ code_challenge: undefined })
  t.match(answerOf(await browser.open(without)), { error: 'invalid_request' })
  t.equal((await testApp.browser().open(`${without}&prompt=none`)).location, undefined, 'not of somebody unknown')
})

t.test('G11 identity: a code goes to a program on the device only after a page that warns', async (t) => {
  const { testApp, address, codeFor } = await openDocuments(t)
  const local = { redirect_uri: loopbackCallback.replace('/callback', ':49152/callback') }
  const browser = await testApp.signedIn()
  const page = await browser.open(address(local))
  t.match(page.body, 'id="loopback"')
  t.match(textOf(page), 'A program on this device (127.0.0.1:49152)')
  await codeFor(address(local))
  t.equal((await browser.open(address(local))).status, 200, 'and again, though it is allowed')
  t.match(answerOf(await browser.open(address({ ...local, prompt: 'none' }))), { error: 'consent_required' })
  t.match(answerOf(await browser.open(address({ prompt: 'none' }))), { state: 's' }, 'https is another matter')
})

t.test('G11 identity: with prompt=none nothing is allowed that nobody has seen, and nobody is sent on', async (t) => {
  const { testApp, address, codeFor, rows } = await openDocuments(t)
  const browser = await testApp.signedIn()
  for (const scope of ['desk.read', 'address']) {
    for (const one of [browser, testApp.browser()]) {
      const page = await one.open(address({ prompt: 'none', scope }))
      t.match([page.status, page.location], [400, undefined])
      t.match(textOf(page), 'that nobody registered here has sent you')
    }
  }
  t.equal(await rows(), 0)
  const page = await browser.open(address())
  const declined = await browser.submit(page, 'consent', { decision: 'cancel' })
  t.match(answerOf(declined), { error: 'access_denied', state: 's' }, 'who says no goes where the page said')
  await codeFor(address())
  t.match(answerOf(await browser.open(address({ prompt: 'none', scope: 'desk.write' }))), { error: 'consent_required' })
})

t.test('identity: a redirect URI is one of the document, exactly', async (t) => {
  const { testApp, address, rows } = await openDocuments(t)
  const browser = await testApp.signedIn()
  const wrong = [
    'https://evil.test/callback',
    `${webCallback}/`,
    `${webCallback}?a=b`,
    'http://127.0.0.1/other',
    'https://agent.test./callback',
  ]
  for (const redirect_uri of wrong) {
    const page = await browser.open(address({ redirect_uri }))
    t.equal(page.status, 400, redirect_uri)
    t.equal(page.location, undefined)
    t.match(page.body, 'It sent')
  }
  t.equal(await rows(), 0)
})

t.test('identity: a document that is wrong is a page that says what, and never a redirect', async (t) => {
  const { testApp, host, address } = await openDocuments(t)
  const browser = testApp.browser()
  const other = host.host('/other.json', { client_id: `${host.origin}/client.json` })
  const secret = host.host('/secret.json', { client_secret: 'x' })
  const moved = host.answer('/moved.json', { status: 302, headers: { location: '/client.json' } })
  const cases = [
    [other, 'client_id is not the URL of the document'],
    [secret, 'a document that everybody can read holds no secret'],
    [moved, 'Its address answered 302; only 200 counts, and redirects are not followed.'],
    [`${host.origin}/absent.json`, 'Its address answered 404'],
    [`${host.origin}/client.json?a=b`, 'has no query'],
    ['https://10.1.2.3/client.json', 'It could not be fetched'],
  ] as const
  for (const [client_id, why] of cases) {
    const page = await browser.open(address({ client_id }))
    t.equal(page.status, 400, client_id)
    t.match(textOf(page), why)
    t.match(page.body, 'misconfigured')
    t.equal(page.location, undefined)
  }
  const requests = host.requests.length
  const posted = await browser.post(authorizePath, address({ client_id: secret }).split('?')[1] ?? '')
  t.equal(posted.status, 400, 'by POST too')
  t.equal(host.requests.length, requests, 'a failure is known for some seconds')
})

t.test(
  'identity: whose documents are taken is the configuration’s, and what is not taken is not announced',
  async (t) => {
    const off = await openDocuments(t, { documents: { trust: 'off' } })
    const listed = await openDocuments(t, { documents: { trust: ['agent.example'] } })
    const any = await openDocuments(t)
    const announced = async ({ testApp }: DocumentApp, path: string) =>
      (await testApp.ask({ method: 'GET', url: `/.well-known/${path}` })).json().client_id_metadata_document_supported
    for (const path of ['oauth-authorization-server', 'openid-configuration']) {
      t.equal(await announced(off, path), undefined)
      t.equal(await announced(listed, path), true)
      t.equal(await announced(any, path), true)
    }
    const page = await off.testApp.browser().open(off.address())
    t.match(page.body, 'No application is registered here under the client_id')
    const other = await listed.testApp.browser().open(listed.address())
    t.match(textOf(other), 'Applications of localhost:')
    t.same([...off.host.requests, ...listed.host.requests], [])
  },
)

t.test('identity: an outage of its host ends nothing, and the token endpoint waits for none', async (t) => {
  const { testApp, host, address, codeFor, redeem, refresh } = await openDocuments(t)
  const { code } = await codeFor(address())
  await host.stop()
  testApp.clock.nowMs += 30_000
  const first = await redeem(code)
  t.equal(first.status, 200, JSON.stringify(first.body))
  t.equal((await refresh(first.body['refresh_token'])).status, 200)
})

t.test('G13 identity: a flood of invented URLs writes nothing', async (t) => {
  const { testApp, host, address, rows } = await openDocuments(t)
  const before = await eventsOf(testApp)
  const statuses = new Set<number>()
  for (let i = 0; i < 60; i += 1) {
    const client_id = i % 2 === 0 ? host.host(`/made-${i}.json`) : `${host.origin}/absent-${i}.json`
    statuses.add((await testApp.browser().open(address({ client_id }))).status)
  }
  t.same([...statuses].sort(), [200, 400, 503], 'the sign-in page, wrong, and too many')
  t.equal(host.requests.length, 20)
  t.equal(await rows(), 0)
  t.equal((await eventsOf(testApp)).length, before.length)
})
