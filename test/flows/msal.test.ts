// MSAL Node against a running server (`protocolMode: OIDC`): as a confidential client, as a public client with PKCE,
// and with its client credentials, which come from its cache the second time.
// full: the client library of somebody else, against a program
// run: apart

import {
  ConfidentialClientApplication,
  CryptoProvider,
  type INetworkModule,
  type NetworkRequestOptions,
  type NodeAuthOptions,
  ProtocolMode,
  PublicClientApplication,
} from '@azure/msal-node'
import t, { type Test } from 'tap'
import { startWithPeople } from '../support/programs/people-program.js'

t.setTimeout(120_000)
const { program, manage, person, authorize, ask, browse } = await startWithPeople(t)
const tokenPath = '/api/v2/oauth2/v2.0/token'
const redirectUri = 'https://app.test/callback'
const delegated = (id: string) => ({ kind: 'delegated' as const, id })

t.test('MSAL’s client credentials with {resource}/.default: one token request, then its cache', async (t) => {
  const { applicationId, clientSecret = '' } = await manage.createApplication({
    ...{ name: 'Daemon', type: 'web', consent: true },
    permissions: [{ kind: 'application', id: 'User.Read.All' }],
  })
  const { network, requestLines } = openNetwork()
  const app = new ConfidentialClientApplication({
    auth: { ...authority(applicationId), clientSecret },
    ...system(network),
  })
  const request = { scopes: [`${program.baseUrl}/api/v2/.default`] }
  const first = await app.acquireTokenByClientCredential(request)
  const second = await app.acquireTokenByClientCredential(request)
  t.equal(first?.fromCache, false)
  t.equal(second?.fromCache, true)
  t.equal(second?.accessToken, first?.accessToken)
  t.equal(requestLines.filter((line) => line === `POST ${tokenPath}`).length, 1, 'one token request')
  t.equal(await me(first?.accessToken), 200)
})

t.test('MSAL as a confidential client: code, cache, refresh', async (t) => {
  const { applicationId, clientSecret = '' } = await manage.createApplication({
    ...{ name: 'Web app', type: 'web', redirectUris: [redirectUri], permissions: [delegated('User.Read')] },
  })
  const { network, requestLines } = openNetwork()
  const app = new ConfidentialClientApplication({
    auth: { ...authority(applicationId), clientSecret },
    ...system(network),
  })
  await throughTheBrowser(t, app, requestLines)
})

t.test('MSAL as a public client with PKCE: code, cache, refresh', async (t) => {
  const { applicationId } = await manage.createApplication({
    ...{ name: 'Desktop app', type: 'native', redirectUris: [redirectUri], permissions: [delegated('User.Read')] },
  })
  const { network, requestLines } = openNetwork()
  const app = new PublicClientApplication({ auth: authority(applicationId), ...system(network) })
  await throughTheBrowser(t, app, requestLines)
})

t.test('MSAL’s device code flow', async (t) => {
  const { applicationId } = await manage.createApplication({
    ...{ name: 'Tool', type: 'native', permissions: [delegated('User.Read')] },
  })
  const { network } = openNetwork()
  const app = new PublicClientApplication({ auth: authority(applicationId), ...system(network) })
  const result = await app.acquireTokenByDeviceCode({
    scopes: ['User.Read'],
    deviceCodeCallback: ({ userCode, message, verificationUri }) => {
      t.match(message, userCode)
      t.equal(verificationUri, `${program.baseUrl}/device`)
      void allow(userCode)
    },
  })
  t.equal(result?.account?.name, person.name)
  t.equal(await me(result?.accessToken), 200)
})

async function throughTheBrowser(
  t: Test,
  app: ConfidentialClientApplication | PublicClientApplication,
  requestLines: readonly string[],
): Promise<void> {
  const { verifier, challenge } = await new CryptoProvider().generatePkceCodes()
  const url = await app.getAuthCodeUrl({
    ...{ redirectUri, scopes: ['User.Read'], state: 'a state', nonce: 'a-nonce' },
    ...{ codeChallenge: challenge, codeChallengeMethod: 'S256' },
  })
  const { searchParams } = await authorize(url)
  t.equal(searchParams.get('state'), 'a state')
  const code = searchParams.get('code') ?? ''
  const checks = { state: 'a state', nonce: 'a-nonce' }
  const redemption = { redirectUri, scopes: ['User.Read'], code, codeVerifier: verifier, ...checks }
  const result = await app.acquireTokenByCode(redemption, { code, ...checks })
  t.match(result, { fromCache: false, account: { name: person.name } })
  t.match(result.idTokenClaims, { nonce: 'a-nonce', name: person.name })
  t.equal(await me(result.accessToken), 200)
  const account = result.account
  if (account === null) throw new Error('no account')
  const requests = () => requestLines.filter((line) => line === `POST ${tokenPath}`).length
  const before = requests()
  const cached = await app.acquireTokenSilent({ account, scopes: ['User.Read'] })
  t.match(cached, { fromCache: true, accessToken: result.accessToken })
  t.equal(requests(), before)
  const refreshed = await app.acquireTokenSilent({ account, scopes: ['User.Read'], forceRefresh: true })
  t.equal(refreshed.fromCache, false)
  t.not(refreshed.accessToken, result.accessToken)
  t.equal(requests(), before + 1)
  t.equal(await me(refreshed.accessToken), 200)
}

async function allow(userCode: string): Promise<void> {
  const browser = browse()
  await browser.open('/device')
  await browser.submit({ user_code: userCode })
  await browser.submit({ email: person.email, password: person.password }, { form: 'sign-in-form' })
  await browser.submit({}, { form: 'decision-form', button: 'allow' })
}

async function me(token: string | undefined): Promise<number> {
  return (await ask('/api/v2/me', { headers: { authorization: `Bearer ${token}` } })).status
}

function authority(clientId: string): NodeAuthOptions {
  const { host } = new URL(program.baseUrl)
  return { clientId, authority: program.baseUrl, knownAuthorities: [host] }
}

function system(networkClient: INetworkModule) {
  return { system: { networkClient, protocolMode: ProtocolMode.OIDC } }
}

/** MSAL's own seam for the network: it trusts the development authority of the program, and counts. */
function openNetwork(): { network: INetworkModule; requestLines: string[] } {
  const requestLines: string[] = []
  const send = async <T>(method: 'GET' | 'POST', url: string, options: NetworkRequestOptions = {}) => {
    const { pathname, search } = new URL(url)
    requestLines.push(`${method} ${pathname}`)
    const { headers = {}, body } = options
    const answer = await ask(pathname + search, { method, headers, ...(body === undefined ? {} : { body }) })
    return {
      status: answer.status,
      headers: answer.headers as Record<string, string>,
      body: JSON.parse(answer.body) as T,
    }
  }
  const network: INetworkModule = {
    sendGetRequestAsync: (url, options) => send('GET', url, options),
    sendPostRequestAsync: (url, options) => send('POST', url, options),
  }
  return { network, requestLines }
}
