// What applications are given: client secrets, codes, tokens, device codes, and what stands for a half-finished request
// in an address. Made over the wire by a client and the person who allows it.

import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import { formOf } from '../browser/scripted-browser.js'
import { call } from '../cluster/checking-client.js'
import { clusterHost } from '../cluster/cluster-configuration.js'
import type { PlainAnswer } from '../cluster/cluster-instance.js'
import {
  browserCookie,
  managedBy,
  type PeopleSecrets,
  type SecretsApp,
  sessionCookie,
} from '../people/people-secrets.js'
import { pkcePair, redemption, redirectUri, type Tokens } from '../rooms/delegation.js'
import { newKeyPair } from '../tokens/key-pair.js'

export interface ClientSecrets {
  clientId: string
  /** All of these work still. */
  live: {
    clientSecret: string
    token: string
    refreshToken: string
    code: { code: string; verifier: string }
    deviceCode: string
    pending: string
    formToken: string
    browser: string
    session: string
  }
}

/** A form to an OAuth endpoint; its status and JSON. */
export async function askEndpoint(port: number, form: Record<string, string>, path = 'token') {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const body = new URLSearchParams(form).toString()
  const answer = await call(port, { path: `/api/v2/oauth2/v2.0/${path}`, method: 'POST', headers, body })
  const json = answer.body.startsWith('{') ? JSON.parse(answer.body) : {}
  return { status: answer.status, json: json as Tokens & Record<string, string> }
}

/**
 * Registers applications, sends a person and an administrator through every grant, and leaves one live secret of each
 * kind.
 */
export async function makeClientSecrets(testApp: SecretsApp, people: PeopleSecrets): Promise<ClientSecrets> {
  const { instance, known } = testApp
  const { port } = instance
  const { ada, bob, tenantId } = people
  const keep = (name: string, value: string | undefined) => {
    if (value === undefined || value === '') throw new Error(`no ${name}`)
    known.set(name, value)
    return value
  }
  const permissions = [
    { kind: 'delegated', id: 'User.Read' },
    { kind: 'application', id: 'User.Read.All' },
  ]
  const made = await managedBy(instance, 'POST', '/applications', {
    ...{ name: 'Reports', type: 'web', tenantId, permissions, redirectUris: [redirectUri] },
    adminConsentRedirectUris: [redirectUri],
  })
  const clientId: string = made.applicationId
  keep('first client secret', made.clientSecret)
  const added = await managedBy(instance, 'POST', `/applications/${clientId}/secrets`, { label: 'Second' })
  const clientSecret = keep('client secret', added.clientSecret)
  const client = { client_id: clientId, client_secret: clientSecret }

  const scope = 'User.Read openid profile email offline_access'
  const authorize = async (name: string, more: Record<string, string> = {}) => {
    const { verifier, challenge } = pkcePair()
    const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }
    const query = { response_type: 'code', client_id: clientId, redirect_uri: redirectUri, scope, ...pkce, ...more }
    await bob.open(`/api/v2/oauth2/v2.0/authorize?${new URLSearchParams(query)}`)
    if (bob.page.body.includes('id="accept"')) {
      keep(`${name}: id of the request`, requestOf(bob.page.url))
      keep(`${name}: form token`, formOf(bob.page, 'consent').fields['form_token'])
      await bob.submit({}, { form: 'consent', button: 'accept' })
    }
    if (bob.page.left === undefined) return { code: '', verifier, redirectUri }
    const code = new URL(bob.page.left).searchParams.get('code') ?? ''
    return { code: keep(`${name}: code`, code), verifier: keep(`${name}: verifier`, verifier), redirectUri }
  }
  const tokens = await granted(port, redemption(await authorize('first'), client))
  keep('first access token of a user', tokens.access_token)
  keep('first refresh token', tokens.refresh_token)
  keep('ID token', tokens.id_token)
  const params = new URLSearchParams({ client_id: clientId, redirect_uri: redirectUri, state: 'a' })
  await ada.open(`/api/v2/oauth2/v2.0/adminconsent?${params}`)
  keep('id of an admin consent', requestOf(ada.page.url))
  await ada.submit({}, { form: 'admin-consent', button: 'grant' })
  if (ada.page.left === undefined) throw new Error(ada.page.body)
  const credentials = { grant_type: 'client_credentials', scope: 'default' }
  const token = await granted(port, { ...credentials, ...client })
  keep('token of the application itself', token.access_token)
  keep('operator token', (await managedBy(instance, 'POST', `/applications/${clientId}/token`, {})).access_token)
  for (const path of ['introspect', 'revoke']) {
    const other = await granted(port, { ...credentials, ...client })
    await askEndpoint(port, { ...client, token: keep(`token for ${path}`, other.access_token) }, path)
  }
  await makeAssertion(testApp, tenantId, keep)

  const refreshed = await granted(port, {
    ...{ grant_type: 'refresh_token', refresh_token: tokens.refresh_token, ...client },
  })
  const live = {
    token: keep('access token', refreshed.access_token),
    refreshToken: keep('refresh token', refreshed.refresh_token),
    code: await authorize('live'),
  }
  await call(port, { path: '/api/v2/userinfo', headers: { authorization: `Bearer ${live.token}` } })
  await call(port, { path: `/api/v2/oauth2/v2.0/logout?id_token_hint=${refreshed.id_token}` })

  const device = async (name: string) => {
    const started = (await askEndpoint(port, { ...client, scope: 'User.Read' }, 'devicecode')).json
    keep(`${name}: device code`, started['device_code'])
    keep(`${name}: user code`, started['user_code'])
    return { deviceCode: started['device_code'] ?? '', userCode: started['user_code'] ?? '' }
  }
  await device('waiting')
  const { deviceCode, userCode } = await device('allowed')
  await bob.open(`/device?user_code=${userCode}`)
  await bob.submit({ user_code: userCode }, { form: 'code-form' })
  keep('id of a device request', requestOf(bob.page.url))
  await bob.submit({}, { form: 'decision-form', button: 'allow' })

  await authorize('waiting', { prompt: 'login' })
  const pending = keep('id of a request that waits for sign-in', requestOf(bob.page.url))
  await bob.open('/sign-out')
  const formToken = keep('form token of signing out', formOf(bob.page, 'sign-out-form').fields['form_token'])
  const [browser, session] = [bob.cookies.get(browserCookie) ?? '', bob.cookies.get(sessionCookie) ?? '']
  return { clientId, live: { ...live, clientSecret, deviceCode, pending, formToken, browser, session } }
}

/** Secrets in the wrong places, as clients and people put them there: each is refused, and some of it is logged. */
export async function misplace({ instance, known }: SecretsApp): Promise<void> {
  const { port } = instance
  const send = (path: string, headers: Record<string, string> = {}): Promise<PlainAnswer> =>
    call(port, { path, headers })
  for (const secret of [...known.values()].filter((value) => /^(?:pcl_|eyJ)/.test(value))) {
    const query = encodeURIComponent(secret)
    await send(`/${secret}`)
    await send(`/api/v2/${secret}/x?token=${query}`)
    await send(`/api/v2/me?access_token=${query}&password=${query}`)
    await send(`/p%63l_${secret.slice(4)}`)
    await send(`/sign-in?request=${query}`)
    await send('/api/v2/me', { authorization: `Basic ${secret}`, cookie: `a=${secret}`, 'x-request-id': secret })
    await askEndpoint(port, {
      grant_type: secret,
      client_id: secret,
      client_secret: secret,
      scope: secret,
      code: secret,
    })
  }
}

async function makeAssertion(
  { instance }: SecretsApp,
  tenantId: string,
  keep: (name: string, value: string) => string,
) {
  const { publicKey, privateKey } = await newKeyPair('ec', { namedCurve: 'P-256' })
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'its-key', alg: 'ES256' }
  const { applicationId } = await managedBy(instance, 'POST', '/applications', {
    ...{ name: 'Keyed', type: 'web', tenantId, authMethod: 'private_key_jwt', jwks: { keys: [jwk] } },
    ...{ permissions: [{ kind: 'application', id: 'User.Read.All' }], consent: true },
  })
  const assertion = await new SignJWT({ jti: randomUUID() })
    .setProtectedHeader({ alg: 'ES256', kid: 'its-key' })
    .setIssuer(applicationId)
    .setSubject(applicationId)
    .setAudience(`https://${clusterHost}`)
    .setExpirationTime('60s')
    .sign(privateKey)
  const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
  const form = { client_assertion: keep('client assertion', assertion), client_assertion_type: type }
  await granted(instance.port, { grant_type: 'client_credentials', scope: 'default', ...form })
}

async function granted(port: number, form: Record<string, string>): Promise<Tokens> {
  const { status, json } = await askEndpoint(port, form)
  if (status !== 200) throw new Error(JSON.stringify(json))
  return json
}

/** The id of a request in an address: in its query, or at its end. */
function requestOf(url: string): string {
  return /pcl_rq_[0-9A-Za-z]+/.exec(url)?.[0] ?? ''
}
