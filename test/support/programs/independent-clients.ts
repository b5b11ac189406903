// Three OAuth clients that know nothing of Portcullis, as their users would write them. Run as a process of its own, so
// that the development authority is trusted the way a user trusts it: NODE_EXTRA_CA_CERTS. Prints one JSON object.
// Arguments: base URL, client identifier, secret.

import { createRequire } from 'node:module'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'

const [baseUrl = '', clientId = '', clientSecret = ''] = process.argv.slice(2)
const issuer = new URL(baseUrl)

interface SimpleOAuth2 {
  ClientCredentials: new (
    config: unknown,
  ) => { getToken(params: unknown): Promise<{ token: { access_token: string } }> }
}
const simple = createRequire(import.meta.url)('simple-oauth2') as SimpleOAuth2

async function withOpenidClient(authentication: openid.ClientAuth): Promise<string> {
  const config = await openid.discovery(issuer, clientId, undefined, authentication, { algorithm: 'oauth2' })
  const answer = await openid.clientCredentialsGrant(config, { scope: 'User.Read.All' })
  const introspection = await openid.tokenIntrospection(config, answer.access_token)
  if (introspection.active !== true) throw new Error('the token is not active')
  return answer.access_token
}

async function withOauth4webapi(authentication: oauth.ClientAuth): Promise<string> {
  const client: oauth.Client = { client_id: clientId }
  const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2' })
  const server = await oauth.processDiscoveryResponse(issuer, found)
  const response = await oauth.clientCredentialsGrantRequest(server, client, authentication, { scope: 'User.Read.All' })
  const answer = await oauth.processClientCredentialsResponse(server, client, response)
  const request = new Request(`${baseUrl}/api/v2/me`, { headers: { authorization: `Bearer ${answer.access_token}` } })
  const claims = await oauth.validateJwtAccessToken(server, request, `${baseUrl}/api/v2`)
  if (claims.client_id === undefined) throw new Error('not an RFC 9068 token')
  return answer.access_token
}

async function withSimpleOauth2(authorizationMethod: 'header' | 'body'): Promise<string> {
  const client = new simple.ClientCredentials({
    client: { id: clientId, secret: clientSecret },
    auth: { tokenHost: baseUrl, tokenPath: '/api/v2/oauth2/v2.0/token' },
    options: { authorizationMethod },
  })
  return (await client.getToken({ scope: ['User.Read.All'] })).token.access_token
}

async function call(token: string): Promise<number> {
  const answer = await fetch(`${baseUrl}/api/v2/me`, { headers: { authorization: `Bearer ${token}` } })
  await answer.arrayBuffer()
  return answer.status
}

const ways: Record<string, () => Promise<string>> = {
  'openid-client, body': () => withOpenidClient(openid.ClientSecretPost(clientSecret)),
  'openid-client, Basic': () => withOpenidClient(openid.ClientSecretBasic(clientSecret)),
  'oauth4webapi, body': () => withOauth4webapi(oauth.ClientSecretPost(clientSecret)),
  'oauth4webapi, Basic': () => withOauth4webapi(oauth.ClientSecretBasic(clientSecret)),
  'simple-oauth2, body': () => withSimpleOauth2('body'),
  'simple-oauth2, Basic': () => withSimpleOauth2('header'),
}
const results: Record<string, number | string> = {}
for (const [name, take] of Object.entries(ways)) {
  results[name] = await take().then(call, (error: unknown) => String(error))
}
console.log(JSON.stringify(results))
