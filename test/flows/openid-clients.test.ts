// openid-client as the application of somebody else uses it, against a running server, with a person in Chromium: a web
// application with its secret and a native one that listens on a loopback port. One browser for both.
// full: the client libraries of others, against a program
// run: apart

import { readFileSync } from 'node:fs'
import { createServer as createPlainServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import * as client from 'openid-client'
import type { BrowserContext, Page } from 'playwright-core'
import t from 'tap'
import { startBrowser } from '../support/browser/browser.js'
import { startWithPeople } from '../support/programs/people-program.js'
import { trustingFetch } from '../support/programs/trusting-fetch.js'

t.setTimeout(120_000)
const { program, manage, person } = await startWithPeople(t)
const fetching = trustingFetch(t, program)
const scope = 'openid profile email offline_access User.Read'
const browser = await startBrowser()
t.teardown(() => browser.close())

interface Test {
  teardown(work: () => unknown): void
}

interface Application {
  config: client.Configuration
  /** Where it receives the answer. */
  redirectUri: string
  signedOutUri: string
  /** The addresses that its person was sent back to. */
  arrived: string[]
}

/** Its server: a page for everything, and a list of what was opened. */
async function listen(t: Test, type: 'web' | 'native'): Promise<{ origin: string; port: number; arrived: string[] }> {
  const arrived: string[] = []
  const answer: RequestListener = (request, response) => {
    if (request.url !== '/favicon.ico') arrived.push(request.url ?? '')
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>app</title><h1>The application</h1>')
  }
  const [cert, key] = ['localhost.pem', 'localhost.key'].map((name) => readFileSync(join(program.folder, 'tls', name)))
  const server = type === 'web' ? createTlsServer({ cert, key }, answer) : createPlainServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { origin: type === 'web' ? `https://localhost:${port}` : `http://127.0.0.1:${port}`, port, arrived }
}

async function register(t: Test, type: 'web' | 'native'): Promise<Application> {
  const { origin, arrived } = await listen(t, type)
  // RFC 8252 §7.3: a native application does not know its port when it is registered. For signing out it names one.
  const registered = type === 'web' ? origin : 'http://127.0.0.1'
  const { applicationId, clientSecret } = await manage.createApplication({
    ...{ name: `Photos (${type})`, type, redirectUris: [`${registered}/callback`] },
    logoutRedirectUris: [`${origin}/signed-out`],
    permissions: [{ kind: 'delegated', id: 'User.Read' }],
  })
  const proof = type === 'web' ? client.ClientSecretBasic(clientSecret ?? '') : client.None()
  const config = await client.discovery(new URL(program.baseUrl), applicationId, undefined, proof, {
    [client.customFetch]: fetching as unknown as client.CustomFetch,
    execute: [client.enableNonRepudiationChecks],
  })
  return { config, redirectUri: `${origin}/callback`, signedOutUri: `${origin}/signed-out`, arrived }
}

async function openPage(t: Test): Promise<{ page: Page; context: BrowserContext; problems: string[] }> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true })
  t.teardown(() => context.close())
  const page = await context.newPage()
  const problems: string[] = []
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  return { page, context, problems }
}

/** The authorization request of an application that does everything that openid-client offers. */
async function authorizationRequest({ config, redirectUri }: Application, more: Record<string, string> = {}) {
  const verifier = client.randomPKCECodeVerifier()
  const [state, nonce] = [client.randomState(), client.randomNonce()]
  const url = client.buildAuthorizationUrl(config, {
    ...{ redirect_uri: redirectUri, scope, state, nonce },
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...more,
  })
  const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true }
  return { url: url.href, checks }
}

async function callMe(token: string): Promise<number> {
  const { status } = await fetching(`${program.baseUrl}/api/v2/me`, { headers: { authorization: `Bearer ${token}` } })
  return status
}

for (const type of ['web', 'native'] as const) {
  t.test(`openid-client as a ${type} application, from discovery to logout`, async (t) => {
    const application = await register(t, type)
    const { config, redirectUri, signedOutUri, arrived } = application
    t.equal(config.serverMetadata().issuer, program.baseUrl, 'discovery')
    const { page, problems } = await openPage(t)

    const { url, checks } = await authorizationRequest(application)
    await page.goto(url)
    t.match(await page.textContent('#application'), `Photos (${type})`)
    await page.fill('#email', person.email)
    await page.fill('#password', person.password)
    await page.click('#sign-in')
    await page.click('#accept')
    await page.waitForURL(`${redirectUri}?**`)
    const callback = new URL(arrived.at(-1) ?? '', redirectUri)
    t.equal(callback.href, page.url())
    t.equal(callback.searchParams.get('iss'), program.baseUrl, 'RFC 9207')
    await t.rejects(
      client.authorizationCodeGrant(config, callback, { ...checks, expectedState: client.randomState() }),
      { code: 'OAUTH_INVALID_RESPONSE' },
      'another state is refused by the client, and the code is still good',
    )
    const tokens = await client.authorizationCodeGrant(config, callback, checks)
    const claims = tokens.claims()
    t.match(claims, { iss: program.baseUrl, name: person.name, email: person.email, amr: ['pwd'], acr: '1' })
    t.equal(tokens.scope, 'User.Read openid profile email offline_access')
    const info = await client.fetchUserInfo(config, tokens.access_token, claims?.sub ?? '')
    t.match(info, { email: person.email, name: person.name })
    t.equal(await callMe(tokens.access_token), 200)

    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
    t.equal(refreshed.claims()?.sub, claims?.sub, 'OpenID Connect Core §12.2')
    t.not(refreshed.refresh_token, tokens.refresh_token, 'S1 the refresh token rotates')
    t.equal(await callMe(refreshed.access_token), 200)

    const silent = await authorizationRequest(application, { prompt: 'none' })
    await page.goto(silent.url)
    await page.waitForURL(`${redirectUri}?**`)
    const back = new URL(arrived.at(-1) ?? '', redirectUri)
    if (type === 'web') {
      const again = await client.authorizationCodeGrant(config, back, silent.checks)
      t.equal(again.claims()?.sub, claims?.sub, 'prompt=none: signed in and consented')
    } else {
      const error = { name: 'AuthorizationResponseError', error: 'consent_required' }
      await t.rejects(client.authorizationCodeGrant(config, back, silent.checks), error, 'RFC 8252 §8.6')
    }

    await client.tokenRevocation(config, refreshed.refresh_token ?? '')
    const ended = { name: 'ResponseBodyError', error: 'invalid_grant' }
    await t.rejects(client.refreshTokenGrant(config, refreshed.refresh_token ?? ''), ended)
    t.equal(await callMe(refreshed.access_token), 401, 'V3 and the access tokens of the grant with it')

    const out = client.buildEndSessionUrl(config, {
      ...{ id_token_hint: tokens.id_token ?? '', post_logout_redirect_uri: signedOutUri, state: 'bye' },
    })
    await page.goto(out.href)
    t.equal(page.url(), `${signedOutUri}?state=bye`)
    const nobody = await authorizationRequest(application, { prompt: 'none' })
    await page.goto(nobody.url)
    const refused = new URL(arrived.at(-1) ?? '', redirectUri)
    const error = { name: 'AuthorizationResponseError', error: 'login_required' }
    await t.rejects(
      client.authorizationCodeGrant(config, refused, nobody.checks),
      error,
      'C12 nobody is signed in any more',
    )
    t.same(problems, [], 'the console is quiet: nothing is against the policy')
  })
}
