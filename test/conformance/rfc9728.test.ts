// RFC 9728, OAuth 2.0 Protected Resource Metadata.

import * as oauth from 'oauth4webapi'
import t from 'tap'
import { baseUrl, ownResource } from '../support/rooms/directory.js'
import { openIdentity } from '../support/rooms/identity.js'

const path = '/.well-known/oauth-protected-resource/api/v2'

t.test('§3.1 the well-known part stands between host and path of the resource identifier', async (t) => {
  const testApp = await openIdentity(t)
  t.equal((await testApp.ask({ url: path })).statusCode, 200)
  t.equal(
    (await testApp.ask({ url: '/.well-known/oauth-protected-resource' })).statusCode,
    404,
    'no resource is at the root',
  )
  t.equal((await testApp.ask({ url: '/api/v2/.well-known/oauth-protected-resource' })).statusCode, 404)
})

t.test('§2 the resource is named exactly, with its authorization server and the way to send a token', async (t) => {
  const testApp = await openIdentity(t)
  const metadata = (await testApp.ask({ url: path })).json()
  t.equal(metadata.resource, ownResource)
  t.same(metadata.authorization_servers, [baseUrl])
  t.same(metadata.bearer_methods_supported, ['header'])
  for (const value of Object.values(metadata)) t.notSame(value, [], 'empty lists are omitted (§3.2)')
})

t.test('§3.3 an independent client finds the resource that it named', async (t) => {
  const testApp = await openIdentity(t)
  const answer = await testApp.ask({ url: path })
  const response = () => new Response(answer.body, { headers: { 'content-type': 'application/json' } })
  const found = await oauth.processResourceDiscoveryResponse(new URL(ownResource), response())
  t.equal(found.resource, ownResource)
  await t.rejects(oauth.processResourceDiscoveryResponse(new URL('https://other.example/api/v2'), response()))
})

t.test('§4 the authorization server lists its protected resources', async (t) => {
  const testApp = await openIdentity(t)
  const server = (await testApp.ask({ url: '/.well-known/oauth-authorization-server' })).json()
  t.same(server.protected_resources, [ownResource])
})
