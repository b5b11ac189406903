// RFC 8414, OAuth 2.0 Authorization Server Metadata.

import * as oauth from 'oauth4webapi'
import t from 'tap'
import { baseUrl } from '../support/rooms/directory.js'
import { openIdentity } from '../support/rooms/identity.js'

const path = '/.well-known/oauth-authorization-server'

t.test('§3.1 the document is at the well-known path of the issuer, by GET', async (t) => {
  const testApp = await openIdentity(t)
  t.equal((await testApp.ask({ url: path })).statusCode, 200)
  t.equal((await testApp.ask({ url: `${path}/` })).statusCode, 404)
  t.equal((await testApp.ask({ url: `${path}/tenant` })).statusCode, 404)
})

t.test('§3.2 the answer is JSON', async (t) => {
  const testApp = await openIdentity(t)
  const answer = await testApp.ask({ url: path })
  t.equal(answer.headers['content-type'], 'application/json')
  t.type(answer.json(), 'object')
})

t.test('§2 what is required is there, and every URL is https of the issuer', async (t) => {
  const testApp = await openIdentity(t)
  const metadata = (await testApp.ask({ url: path })).json()
  for (const name of ['issuer', 'token_endpoint', 'jwks_uri']) t.match(metadata[name], /^https:\/\//, name)
  t.ok(Array.isArray(metadata.response_types_supported))
  t.match(metadata.authorization_endpoint, /^https:\/\//, 'there is a grant that needs it')
})

t.test('§3.3 the issuer is the one that was queried, by an independent client', async (t) => {
  const testApp = await openIdentity(t)
  const answer = await testApp.ask({ url: path })
  const response = () => new Response(answer.body, { headers: { 'content-type': 'application/json' } })
  const server = await oauth.processDiscoveryResponse(new URL(baseUrl), response())
  t.equal(server.issuer, baseUrl)
  await t.rejects(oauth.processDiscoveryResponse(new URL('https://other.example'), response()))
})
