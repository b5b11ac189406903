// RFC 8707, Resource Indicators for OAuth 2.0.

import t, { type Test } from 'tap'
import { otherResource, ownResource } from '../support/rooms/directory.js'
import { openIdentity, readToken, tokenPath } from '../support/rooms/identity.js'

async function open(test: Test) {
  const testApp = await openIdentity(test)
  const permissions = [
    { kind: 'application' as const, resource: ownResource, id: 'assets_read' },
    { kind: 'application' as const, resource: otherResource, id: 'things_read' },
  ]
  const { registration, secret } = await testApp.registerDemo({ permissions })
  const fields = { client_id: registration.applicationId, client_secret: secret, grant_type: 'client_credentials' }
  return (more: string) => testApp.post(tokenPath, `${new URLSearchParams({ ...fields, scope: 'default' })}&${more}`)
}

const resource = (value: string) => `resource=${encodeURIComponent(value)}`

t.test('§2 the token is for the named resource and for no other', async (t) => {
  const ask = await open(t)
  for (const [name, scope] of [
    [ownResource, 'assets_read'],
    [otherResource, 'things_read'],
  ] as const) {
    const { claims } = readToken((await ask(resource(name))).json().access_token)
    t.equal(claims['aud'], name)
    t.equal(claims['scope'], scope, '§2.2: only what belongs to it')
  }
})

t.test('§2 an unknown, malformed or fragment-bearing resource is invalid_target', async (t) => {
  const ask = await open(t)
  for (const value of [
    'https://unknown.example',
    'relative/path',
    `${ownResource}#x`,
    `${ownResource}/`,
    ownResource.toUpperCase(),
  ]) {
    const answer = await ask(resource(value))
    t.equal(answer.statusCode, 400)
    t.match(answer.json(), { error: 'invalid_target' }, value)
  }
})

t.test(
  '§2 several resources in one request: here one token is for one, so distinct ones are invalid_target',
  async (t) => {
    const ask = await open(t)
    t.match((await ask(`${resource(ownResource)}&${resource(otherResource)}`)).json(), { error: 'invalid_target' })
    t.equal(
      (await ask(`${resource(ownResource)}&${resource(ownResource)}`)).statusCode,
      200,
      'the same one twice is one',
    )
  },
)

t.test('§2 an empty resource counts as absent', async (t) => {
  const ask = await open(t)
  t.equal(readToken((await ask('resource=')).json().access_token).claims['aud'], ownResource)
})
