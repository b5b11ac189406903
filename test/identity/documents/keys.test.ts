// Clients that nobody registered and whose keys are at an address (decision 158): the keys are fetched with the document,
// change without anybody being prompted, and the token endpoint waits for none of that.

import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import t from 'tap'
import { checkClientAssertion } from '../../../src/identity/client/client-assertion.js'
import { documentApplicationId } from '../../../src/oauth/secrets/document-application-id.js'
import { webCallback } from '../../support/providers/document-host.js'
import { baseUrl, otherResource } from '../../support/rooms/directory.js'
import { eventsOf, openDocuments } from '../../support/rooms/documents.js'
import { newKeyPair } from '../../support/tokens/key-pair.js'
import { until } from '../../support/traffic/until.js'

const minuteMs = 60_000
const [first, second] = await Promise.all(
  ['k1', 'k2'].map(async (kid) => {
    const { publicKey, privateKey } = await newKeyPair('ec', { namedCurve: 'P-256' })
    return { kid, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid } }
  }),
)
if (first === undefined || second === undefined) throw new Error('no keys')
type Key = typeof first

async function open(t: Parameters<typeof openDocuments>[0]) {
  const clock = { ms: 0 }
  const app = await openDocuments(t, { monotonic: () => clock.ms })
  const { host, testApp } = app
  const publish = (...keys: Key[]) =>
    host.answer('/keys', { body: JSON.stringify({ keys: keys.map(({ jwk }) => jwk) }) })
  const jwks_uri = publish(first as Key)
  const describe = (members: object = {}) =>
    host.host('/client.json', {
      ...{ token_endpoint_auth_method: 'private_key_jwt', jwks_uri, redirect_uris: [webCallback] },
      ...{ grant_types: ['authorization_code', 'refresh_token'], ...members },
    })
  const url = describe()
  const pass = (ms: number) => {
    clock.ms += ms
    testApp.clock.nowMs += ms
  }
  const proof = async ({ kid, privateKey }: Key) => {
    const now = Math.floor(testApp.now() / 1000)
    const claims = { iss: url, sub: url, aud: baseUrl, iat: now, exp: now + 60, jti: `${Math.random()}` }
    return {
      client_assertion: await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid }).sign(privateKey),
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    }
  }
  const redeem = async (code: string, key: Key) => app.redeem(code, await proof(key))
  const refresh = async (token: unknown, key: Key) =>
    app.redeem('', { ...(await proof(key)), grant_type: 'refresh_token', refresh_token: String(token), code: '' })
  const applicationId = documentApplicationId(url, testApp.tenantId)
  const kids = async () =>
    ((await testApp.directory.findRegistration(applicationId))?.jwks?.keys ?? []).map(({ kid }) => kid)
  return { ...app, publish, describe, pass, redeem, refresh, kids, url, proof, applicationId }
}

t.test('identity: keys at an address change without another consent, and what the old ones got ends', async (t) => {
  const { testApp, host, publish, address, codeFor, pass, redeem, refresh, kids } = await open(t)
  const { code } = await codeFor(address())
  t.same(host.requests, ['/client.json', '/keys'], 'fetched together, once')
  t.same(await kids(), ['k1'])
  t.equal((await redeem(code, second)).status, 401, 'not by a key that is not there')
  const before = await redeem(code, first)
  t.equal(before.status, 200, JSON.stringify(before.body))
  publish(second)
  t.equal((await refresh(before.body['refresh_token'], second)).status, 401, 'its copy is fresh, and nobody waits')
  t.equal(host.requests.length, 2, 'and it is not fetched again at once')
  pass(2 * minuteMs)
  t.equal((await refresh(before.body['refresh_token'], second)).status, 401)
  const known = () => testApp.deps.documents.known(`${host.origin}/client.json`)?.jwks?.keys[0]?.['kid']
  await until('the new key is known', () => known() === 'k2')
  t.equal((await refresh(before.body['refresh_token'], first)).status, 401, 'the old key is none any more')
  const after = await refresh(before.body['refresh_token'], second)
  t.equal(after.status, 200, JSON.stringify(after.body))
  t.same(await kids(), ['k2'], 'and is kept')
  const authenticate = async (token: unknown) =>
    testApp.deps.authenticator.authenticate(['authorization', `Bearer ${token}`], '', otherResource)
  await t.rejects(authenticate(before.body['access_token']), 'what the old key got')
  await authenticate(after.body['access_token'])
  const browser = await testApp.signedIn()
  t.match((await browser.open(address())).location, `${webCallback}?code=`, 'nobody is prompted')
  const events = await eventsOf(testApp)
  t.notOk(events.some(({ event }) => event === 'client.document-changed'))
  t.match(events.find(({ event }) => event === 'application.changed')?.details, '"k2"')
})

t.test(
  'identity: an assertion counts once, also for the application that its client is in another tenant',
  async (t) => {
    const { testApp, address, codeFor, proof, applicationId, url } = await open(t)
    await codeFor(address())
    const registration = await testApp.directory.findRegistration(applicationId)
    if (registration === undefined) throw new Error('nobody allowed it')
    const tenantId = randomUUID()
    const elsewhere = { ...registration, tenantId, applicationId: documentApplicationId(url, tenantId) }
    const { client_assertion: assertion } = await proof(first)
    t.match(await checkClientAssertion(testApp.deps, registration, assertion), { credential: {} })
    t.same(await checkClientAssertion(testApp.deps, elsewhere, assertion), { reason: 'assertion_replayed' })
  },
)

t.test('identity: without the address a client has what was kept, until it answers again', async (t) => {
  const { host, address, codeFor, pass, redeem, refresh } = await open(t)
  const before = await redeem((await codeFor(address())).code, first)
  await host.stop()
  pass(30 * minuteMs)
  const later = await refresh(before.body['refresh_token'], first)
  t.equal(later.status, 200, JSON.stringify(later.body))
  pass(25 * 60 * minuteMs)
  t.equal((await refresh(later.body['refresh_token'], first)).status, 200, 'of the row, when no copy is left')
})

t.test('identity: another address of its keys is another client', async (t) => {
  const { host, describe, address, codeFor, pass, redeem, refresh, testApp } = await open(t)
  const before = await redeem((await codeFor(address())).code, first)
  host.answer('/other-keys', { body: JSON.stringify({ keys: [first.jwk] }) })
  describe({ jwks_uri: `${host.origin}/other-keys` })
  pass(70 * minuteMs)
  const browser = await testApp.signedIn()
  t.match((await browser.open(address())).body, 'id="consent"')
  t.match(await refresh(before.body['refresh_token'], first), { status: 400, body: { error: 'invalid_grant' } })
})

t.test('identity: keys that are none, or not to be had, make no document', async (t) => {
  const { testApp, host, address } = await open(t)
  const { privateKey } = await newKeyPair('ec', { namedCurve: 'P-256' })
  const cases = [
    [{ status: 404 }, 'jwks_uri: Its address answered 404'],
    [{ status: 302, headers: { location: '/keys' } }, 'redirects are not followed'],
    [{ body: '{"keys":[]}' }, 'jwks_uri: A key set has 1 to 10 keys.'],
    [{ body: '{"keys":1,"keys":[]}' }, 'jwks_uri: It is not one JSON object'],
    [{ body: JSON.stringify({ keys: [privateKey.export({ format: 'jwk' })] }) }, 'private member d'],
    [{ body: ' '.repeat(10_241) }, 'jwks_uri: It is larger than 10240 bytes.'],
    [{ body: '{}', headers: { 'content-type': 'text/plain' } }, 'jwks_uri: Its Content-Type'],
  ] as const
  for (const [at, [answer, why]] of cases.entries()) {
    const jwks_uri = host.answer(`/keys-${at}`, answer)
    const client_id = host.host(`/client-${at}.json`, {
      ...{ token_endpoint_auth_method: 'private_key_jwt', jwks_uri, redirect_uris: [webCallback] },
    })
    const page = await testApp.browser().open(address({ client_id }))
    t.match([page.status, page.location], [400, undefined], why)
    t.match(page.body.replace(/<[^>]+>/g, ''), why)
  }
  const elsewhere = host.host('/elsewhere.json', {
    ...{ token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://169.254.169.254/keys' },
  })
  const before = host.requests.length
  t.match((await testApp.browser().open(address({ client_id: elsewhere }))).body, 'jwks_uri is no address of the same')
  t.equal(host.requests.length, before + 1, 'only the document was fetched')
})
