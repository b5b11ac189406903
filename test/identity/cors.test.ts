// Cross-origin requests to token, revocation and userinfo (contract §1): the client's own origins, and nobody else's.

import t from 'tap'
import { changeApplication } from '../../src/directory/applications/application-changes.js'
import { type Delegation, delegate, redemption } from '../support/rooms/delegation.js'
import { type IdentityApp, introspectPath, openIdentity, revokePath, tokenPath } from '../support/rooms/identity.js'

const userinfoPath = '/api/v2/oauth2/v2.0/userinfo'
const spa = 'https://spa.test'
const untrustedParties = [
  'https://evil.test',
  'null',
  'https://spa.test.evil.test',
  'http://spa.test',
  'https://spa.test:8443',
  'https://SPA.test',
]

function browserApplication(testApp: IdentityApp): Promise<Delegation> {
  const redirectUris = [`${spa}/callback`, 'http://localhost/cb', 'com.example.app:/cb']
  return delegate(testApp, { registration: { type: 'native', redirectUris } })
}

const allowed = (answer: { headers: Record<string, unknown> }) => answer.headers['access-control-allow-origin']

t.test('X1 a browser application redeems, refreshes, asks userinfo and revokes from its own origin', async (t) => {
  const testApp = await openIdentity(t)
  const { code, client } = await browserApplication(testApp)
  const headers = { origin: spa }
  const redeemed = await testApp.post(tokenPath, redemption(await code(), client), headers)
  t.equal(redeemed.statusCode, 200)
  const { access_token, refresh_token } = redeemed.json()
  const form = { grant_type: 'refresh_token', refresh_token, ...client }
  const answers = [
    redeemed,
    await testApp.post('/API/V2/oauth/TOKEN', form, headers),
    await testApp.ask({ url: userinfoPath, headers: { ...headers, authorization: `Bearer ${access_token}` } }),
    await testApp.post(tokenPath, { ...form, refresh_token: 'x' }, headers),
    await testApp.post(revokePath, { token: access_token, ...client }, headers),
  ]
  t.same(
    answers.map(({ statusCode }) => statusCode),
    [200, 200, 200, 400, 200],
    'a refusal can be read too',
  )
  for (const answer of answers) {
    t.equal(allowed(answer), spa)
    t.match(answer.headers['vary'], /origin/i)
    t.match(answer.headers['access-control-expose-headers'], /request-id/)
    t.equal(answer.headers['access-control-allow-credentials'], undefined, 'credentials never')
  }
})

t.test('X1 that a token at userinfo is not good is read by the origins of applications, and by no other', async (t) => {
  const testApp = await openIdentity(t)
  const { code, client } = await browserApplication(testApp)
  const { access_token } = (await testApp.post(tokenPath, redemption(await code(), client))).json()
  await testApp.post(revokePath, { token: access_token, ...client })
  for (const token of [access_token, 'not-a-token']) {
    const ask = (origin: string) =>
      testApp.ask({ url: userinfoPath, headers: { origin, authorization: `Bearer ${token}` } })
    const answer = await ask(spa)
    t.equal(answer.statusCode, 401)
    t.equal(allowed(answer), spa)
    t.match(answer.headers['access-control-expose-headers'], /www-authenticate/)
    for (const origin of untrustedParties) t.equal(allowed(await ask(origin)), undefined, origin)
  }
})

t.test('X1 a page under development redeems and refreshes on loopback, at the port that is registered', async (t) => {
  const testApp = await openIdentity(t)
  const redirectUris = [
    ...['http://localhost:5173/', 'http://127.0.0.1:8600/callback', 'http://[::1]:5173?x=1'],
    ...['http://localhost/cb', 'http://127.0.0.1/cb', 'com.example.app:/cb'],
  ]
  const { code, client, registration } = await delegate(testApp, { registration: { type: 'native', redirectUris } })
  const preflight = (origin: string) =>
    testApp.ask({
      method: 'OPTIONS',
      url: tokenPath,
      headers: { origin, 'access-control-request-method': 'POST' },
    })
  for (const origin of ['http://localhost:5173', 'http://127.0.0.1:8600', 'http://[::1]:5173']) {
    t.equal(allowed(await preflight(origin)), origin)
    const redeemed = await testApp.post(tokenPath, redemption(await code(), client), { origin })
    t.equal(redeemed.statusCode, 200)
    t.equal(allowed(redeemed), origin)
    t.equal(redeemed.headers['access-control-allow-credentials'], undefined)
    const { access_token, refresh_token } = redeemed.json()
    const authorization = `Bearer ${access_token}`
    const renewed = await testApp.post(tokenPath, { grant_type: 'refresh_token', refresh_token, ...client }, { origin })
    t.same([renewed.statusCode, allowed(renewed)], [200, origin])
    t.equal(allowed(await testApp.ask({ url: userinfoPath, headers: { origin, authorization } })), origin)
  }
  const others = [
    ...['http://localhost:8600', 'http://127.0.0.1:5173', 'http://localhost', 'http://127.0.0.1', 'http://[::1]'],
    ...['https://localhost:5173', 'http://localhost:51733', 'http://localhost.evil.test:5173', 'http://127.0.0.2:8600'],
  ]
  for (const origin of others) {
    t.equal(allowed(await preflight(origin)), undefined, origin)
    t.equal(allowed(await testApp.post(tokenPath, redemption(await code(), client), { origin })), undefined, origin)
  }
  await changeApplication(testApp.writes, registration.applicationId, { redirectUris: ['http://localhost:4000/'] })
  t.equal(allowed(await preflight('http://localhost:5173')), undefined, 'nor one that was registered before')
})

t.test('X1 an application with a server of its own gets no tokens in a page on loopback', async (t) => {
  const testApp = await openIdentity(t)
  const origin = 'http://localhost:3000'
  const redirectUris = [`${origin}/callback`]
  const { code, client } = await delegate(testApp, { registration: { type: 'web', redirectUris } })
  const answer = await testApp.post(tokenPath, redemption(await code(), client), { origin })
  t.same([answer.statusCode, allowed(answer)], [200, undefined])
})

t.test("X1 no other origin reads an answer, another application's neither, and null is nobody", async (t) => {
  const testApp = await openIdentity(t)
  const { code, client } = await browserApplication(testApp)
  const other = await delegate(testApp, { registration: { redirectUris: ['https://other.test/cb'] } })
  for (const origin of [...untrustedParties, 'https://other.test', 'http://localhost']) {
    const answer = await testApp.post(tokenPath, redemption(await code(), client), { origin })
    t.equal(allowed(answer), undefined, origin)
    t.match(answer.headers['vary'], /origin/i)
  }
  const { access_token } = await other.tokens()
  const authorization = `Bearer ${access_token}`
  const userinfo = await testApp.ask({ url: userinfoPath, headers: { origin: spa, authorization } })
  t.equal(userinfo.statusCode, 200)
  t.equal(allowed(userinfo), undefined, "the token is another application's")
  const wrong = await testApp.post(tokenPath, { grant_type: 'refresh_token', client_id: 'nobody' }, { origin: spa })
  t.equal(wrong.statusCode, 401)
  t.equal(allowed(wrong), undefined, 'no client, no origin')
})

t.test('X2 a preflight needs no token, and is for origins of enabled applications', async (t) => {
  const testApp = await openIdentity(t)
  const { registration } = await browserApplication(testApp)
  const preflight = (url: string, origin?: string) => {
    const headers = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' }
    return testApp.ask({ method: 'OPTIONS', url, headers: origin === undefined ? headers : { ...headers, origin } })
  }
  for (const url of [tokenPath, '/API/v2/OAuth/token', revokePath, userinfoPath]) {
    const answer = await preflight(url, spa)
    t.equal(answer.statusCode, 204, url)
    t.equal(allowed(answer), spa)
    t.match(answer.headers['access-control-allow-methods'], url === userinfoPath ? 'GET, POST' : 'POST')
    t.match(answer.headers['access-control-allow-headers'], /authorization/)
    t.equal(answer.headers['access-control-allow-credentials'], undefined)
    t.match(answer.headers['vary'], /origin/i)
    for (const origin of [...untrustedParties, undefined]) {
      const strange = await preflight(url, origin)
      t.equal(strange.statusCode, 204)
      t.equal(allowed(strange), undefined, String(origin))
      t.equal(strange.headers['access-control-allow-methods'], undefined)
    }
  }
  t.equal((await preflight(introspectPath, spa)).statusCode, 405, 'resource servers have no pages')
  await changeApplication(testApp.writes, registration.applicationId, { state: 'disabled' })
  t.equal(allowed(await preflight(tokenPath, spa)), undefined, 'a disabled application has no origin')
  await changeApplication(testApp.writes, registration.applicationId, {
    state: 'enabled',
    redirectUris: ['https://new.test/'],
  })
  t.equal(allowed(await preflight(tokenPath, spa)), undefined)
  t.equal(allowed(await preflight(tokenPath, 'https://new.test')), 'https://new.test')
})

t.test('X1 the authorization endpoint and its pages answer no origin', async (t) => {
  const testApp = await openIdentity(t)
  await browserApplication(testApp)
  for (const url of ['/api/v2/oauth2/v2.0/authorize', '/API/v2/OAuth/authorize', '/sign-in', '/consent', '/errors']) {
    for (const method of ['GET', 'OPTIONS'] as const) {
      const answer = await testApp.ask({
        method,
        url,
        headers: { origin: spa, 'access-control-request-method': 'GET' },
      })
      const fields = Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))
      t.same(fields, [], `${method} ${url}`)
    }
  }
})
