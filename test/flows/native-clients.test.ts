// Native clients against a running server, with openid-client: a loopback redirect on whatever port is free, a
// private-use scheme, and a device without a browser. Each calls GET and PATCH /api/v2/me for its person.
// full: native clients, against a program
// run: apart

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as client from 'openid-client'
import t from 'tap'
import { signInAndAccept, startWithPeople } from '../support/programs/people-program.js'
import { trustingFetch } from '../support/programs/trusting-fetch.js'

t.setTimeout(120_000)
const { program, manage, person, browse, authorize, ask } = await startWithPeople(t)
const fetching = trustingFetch(t, program)
const scope = 'openid profile email offline_access User.ReadWrite'
const profileType = 'application/json;odata.metadata=minimal;odata.streaming=true;IEEE754Compatible=false;charset=utf-8'

t.test('a loopback redirect on a random port (RFC 8252 §7.3), refresh, revocation, logout', async (t) => {
  const { config, applicationId } = await register(['http://127.0.0.1/callback'], ['http://127.0.0.1/out'])
  const arrived: string[] = []
  const server = createServer((request, response) => {
    response.end('You can close this window.')
    arrived.push(request.url ?? '')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const redirectUri = `http://127.0.0.1:${port}/callback`
  const { url, checks } = await authorizationUrl(config, redirectUri)
  const sentTo = await authorize(url.href)
  // What the browser would do with the Location: the program's own listener takes it.
  await fetch(sentTo)
  const callback = new URL(arrived[0] ?? '', redirectUri)
  const tokens = await client.authorizationCodeGrant(config, callback, checks)
  t.match(tokens.claims(), { aud: applicationId, name: person.name, email: person.email })
  t.match(await callMe(tokens.access_token), { status: 200, email: person.email, idProvider: 'local' })
  const info = await client.fetchUserInfo(config, tokens.access_token, tokens.claims()?.sub ?? '')
  t.match(info, { email: person.email, name: person.name })

  const next = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
  t.not(next.refresh_token, tokens.refresh_token)
  t.match(await callMe(next.access_token), { status: 200 })
  await client.tokenRevocation(config, next.refresh_token ?? '')
  t.match(await callMe(next.access_token), { status: 401 }, 'V3 the grant has ended, and its access tokens with it')
  await t.rejects(client.refreshTokenGrant(config, next.refresh_token ?? ''))

  const end = client.buildEndSessionUrl(config, {
    id_token_hint: tokens.id_token ?? '',
    post_logout_redirect_uri: 'http://127.0.0.1/out',
    state: 'bye',
  })
  const browser = browse()
  await browser.open('/sign-in')
  await signInAndAccept(browser, person)
  t.equal((await browser.open(end.pathname + end.search)).left, 'http://127.0.0.1/out?state=bye')
  t.equal((await browser.open('/account')).url.startsWith('/sign-in'), true, 'C12 and the person is signed out')
})

t.test('a private-use scheme (RFC 8252 §7.1), with a prompt each time', async (t) => {
  const { config } = await register(['com.example.phone:/signed-in'])
  for (const round of [1, 2]) {
    const { url, checks } = await authorizationUrl(config, 'com.example.phone:/signed-in')
    const browser = browse()
    await browser.open(url.pathname + url.search)
    await browser.submit({ email: person.email, password: person.password }, { form: 'sign-in-form' })
    t.ok(browser.page.body.includes('id="accept"'), `C10 round ${round}`)
    t.match(String(browser.page.headers['content-security-policy']), /form-action 'self' com\.example\.phone:;/)
    await browser.submit({}, { form: 'consent', button: 'accept' })
    t.match(browser.page.left, /^com\.example\.phone:\/signed-in\?code=pcl_ac_/)
    const tokens = await client.authorizationCodeGrant(config, new URL(browser.page.left ?? ''), checks)
    t.match(await callMe(tokens.access_token), { status: 200, email: person.email })
  }
})

t.test('PATCH /api/v2/me changes the person’s profile, and nothing that is not theirs to change', async (t) => {
  const { config } = await register(['http://localhost/cb'])
  const { url, checks } = await authorizationUrl(config, 'http://localhost:8400/cb')
  const tokens = await client.authorizationCodeGrant(config, await authorize(url.href), checks)
  t.match(await callMe(tokens.access_token, { publicName: 'Ada L.', currencyID: 'GBP.GB' }), {
    ...{ status: 200, publicName: 'Ada L.', currencyISO: 'GBP', email: person.email },
  })
  t.match(await callMe(tokens.access_token), { publicName: 'Ada L.' })
  t.match(await callMe(tokens.access_token, { email: 'x@evil.test' }), {
    status: 400,
    error: { code: 'ReadOnlyProperty' },
  })

  const reading = await authorizationUrl(config, 'http://localhost:8400/cb', 'User.Read')
  const reader = await client.authorizationCodeGrant(config, await authorize(reading.url.href), reading.checks)
  t.equal(reader.scope, 'User.Read')
  t.match(await callMe(reader.access_token), { status: 200 }, 'User.Read is enough to read')
  t.match(await callMe(reader.access_token, { publicName: 'no' }), {
    status: 403,
    error: { code: 'InsufficientPermission' },
  })
})

t.test('a device without a browser gets tokens once its person allowed it (RFC 8628)', async (t) => {
  const { config } = await register([])
  const started = await client.initiateDeviceAuthorization(config, { scope })
  t.match(started, { interval: 5, expires_in: 900, verification_uri: `${program.baseUrl}/device` })
  const polling = client.pollDeviceAuthorizationGrant(config, started)
  const browser = browse()
  const link = new URL(started.verification_uri_complete ?? '')
  await browser.open(link.pathname + link.search)
  await browser.submit()
  await signInAndAccept(browser, person)
  t.equal(browser.page.title, 'Allow this device?')
  t.equal((await browser.submit({}, { form: 'decision-form', button: 'allow' })).title, 'Device connected')
  const tokens = await polling
  t.match(await callMe(tokens.access_token), { status: 200, email: person.email })
  t.match(tokens.claims(), { email: person.email })
  t.ok((await client.refreshTokenGrant(config, tokens.refresh_token ?? '')).access_token)
})

async function register(redirectUris: string[], logoutRedirectUris: string[] = []) {
  const permissions = ['User.Read', 'User.ReadWrite'].map((id) => ({ kind: 'delegated' as const, id }))
  const made = await manage.createApplication({
    name: 'Phone',
    type: 'native',
    redirectUris,
    logoutRedirectUris,
    permissions,
  })
  const { applicationId } = made
  const options = { [client.customFetch]: fetching as never }
  const config = await client.discovery(new URL(program.baseUrl), applicationId, undefined, client.None(), options)
  return { config, applicationId }
}

async function authorizationUrl(config: client.Configuration, redirectUri: string, requestedScope = scope) {
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const expectedState = client.randomState()
  const expectedNonce = requestedScope.includes('openid') ? client.randomNonce() : undefined
  const url = client.buildAuthorizationUrl(config, {
    ...{ redirect_uri: redirectUri, scope: requestedScope, state: expectedState },
    ...(expectedNonce === undefined ? {} : { nonce: expectedNonce }),
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  const checks = { pkceCodeVerifier, expectedState, ...(expectedNonce === undefined ? {} : { expectedNonce }) }
  return { url, checks }
}

async function callMe(token: string, change?: object): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const patch = change === undefined ? {} : { method: 'PATCH', body: JSON.stringify(change) }
  const answer = await ask('/api/v2/me', { headers, ...patch })
  if (answer.status === 200 && answer.headers['content-type'] !== profileType) throw new Error('another Content-Type')
  return { status: answer.status, ...JSON.parse(answer.body) }
}
