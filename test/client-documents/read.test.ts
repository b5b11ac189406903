// What a client's metadata document may say (decision 152), and what its developer is told.

import t from 'tap'
import { DocumentRefused } from '../../src/client-documents/document-refused.js'
import { readDocument } from '../../src/client-documents/read-document.js'
import { documentDigest, documentLabel } from '../../src/directory/documents/client-document.js'
import { newKeyPair } from '../support/tokens/key-pair.js'

const url = 'https://agent.example/client.json'
const pair = await newKeyPair('ec', { namedCurve: 'P-256' })
const jwk = { ...pair.publicKey.export({ format: 'jwk' }), kid: 'k1' }
const plain = { client_id: url, redirect_uris: ['https://agent.example/callback'] }

const read = (members: object) => readDocument(url, Buffer.from(JSON.stringify({ ...plain, ...members })), 1)

function whyNot(members: object): string {
  try {
    read(members)
    return 'taken'
  } catch (error) {
    return error instanceof DocumentRefused ? error.message : String(error)
  }
}

t.test('identity: the least that a document says, and all that is read of it', async (t) => {
  t.same(read({}), {
    url,
    clientName: '',
    type: 'native',
    redirectUris: ['https://agent.example/callback'],
    jwks: undefined,
    grantTypes: ['authorization_code'],
    fetchedAt: 1,
  })
  const keys = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [jwk] } }
  t.match(read(keys), { type: 'web', jwks: { keys: [{ kid: 'k1', alg: 'ES256', use: 'sig' }] } })
  const grants = [
    'refresh_token',
    'authorization_code',
    'client_credentials',
    'urn:ietf:params:oauth:grant-type:device_code',
  ]
  t.same(read({ grant_types: grants }).grantTypes, ['authorization_code', 'refresh_token'])
  const ignored = { scope: 'x', logo_uri: 'http://a', contacts: [1], software_statement: 'x', unknown: {} }
  t.same(read(ignored), read({}))
  const preferred = { token_endpoint_auth_method: 'tls_client_auth', token_endpoint_auth_methods_supported: ['none'] }
  t.equal(read(preferred).type, 'native', 'of what it offers, what is served')
  t.equal(read({ token_endpoint_auth_methods_supported: ['private_key_jwt', 'none'] }).type, 'native')
})

t.test('identity: its keys may be at an address of its own origin, in one spelling, and nowhere else', async (t) => {
  const at = (jwks_uri: unknown) => ({ token_endpoint_auth_method: 'private_key_jwt', jwks_uri })
  t.match(read(at('https://agent.example/keys')), {
    type: 'web',
    jwks: undefined,
    jwksUri: 'https://agent.example/keys',
  })
  t.equal(
    read({ jwks_uri: 'https://evil.example/' }).jwksUri,
    undefined,
    'of one that proves nothing nothing is fetched',
  )
  const elsewhere = [
    'https://evil.example/keys',
    'https://agent.example.evil.example/keys',
    'https://sub.agent.example/keys',
    'https://agent.example:8443/keys',
    'http://agent.example/keys',
    'https://agent.example@evil.example/keys',
    'https://agent.example/a/../keys',
    'https://agent.example/keys?a=b',
    'https://agent.example/keys#a',
    'https://AGENT.example/keys',
    'https://agent.example',
    'file:///etc/passwd',
    '/keys',
    7,
    null,
  ]
  for (const address of elsewhere) t.match(whyNot(at(address)), 'jwks_uri is no address of the same', String(address))
  const digest = (members: object) => documentDigest(read(members))
  t.equal(digest(at('https://agent.example/keys')), digest(at('https://agent.example/keys')))
  t.not(digest(at('https://agent.example/keys')), digest(at('https://agent.example/other')))
  t.not(digest(at('https://agent.example/keys')), digest({}))
})

t.test('identity: its developer is told which member is wrong', async (t) => {
  const cases: [object, string | RegExp][] = [
    [{ client_id: `${url}/` }, 'client_id is not the URL'],
    [{ client_id: 'https://AGENT.example/client.json' }, 'client_id is not the URL'],
    [{ client_id: undefined }, 'client_id is not the URL'],
    [{ client_secret: 'x' }, 'client_secret stands in it'],
    [{ client_secret_expires_at: 0 }, 'client_secret_expires_at stands in it'],
    [{ token_endpoint_auth_method: 'client_secret_basic' }, 'shares no secret'],
    [{ token_endpoint_auth_method: 'client_secret_jwt' }, 'shares no secret'],
    [{ token_endpoint_auth_method: 'tls_client_auth' }, 'is not served'],
    [{ token_endpoint_auth_method: 7 }, 'is not a text'],
    [{ token_endpoint_auth_method: 'private_key_jwt' }, 'needs the public keys'],
    [{ token_endpoint_auth_method: 'private_key_jwt', jwks: {} }, 'JSON Web Key Set'],
    [
      { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [pair.privateKey.export({ format: 'jwk' })] } },
      'private member d',
    ],
    [
      { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [jwk] }, jwks_uri: 'https://agent.example/k' },
      'jwks_uri stands beside jwks',
    ],
    [{ redirect_uris: undefined }, 'redirect_uris is missing'],
    [{ redirect_uris: [] }, 'redirect_uris is missing'],
    [{ redirect_uris: 'https://a.example/' }, 'redirect_uris is not a list'],
    [{ redirect_uris: ['https://a.example/', 'http://a.example/'] }, 'redirect_uris[1]: '],
    [{ redirect_uris: ['https://a.example/*'] }, 'wildcard'],
    [{ redirect_uris: ['javascript:alert(1)'] }, 'redirect_uris[0]: '],
    [{ redirect_uris: Array(21).fill('https://a.example/') }, 'more than 20'],
    [{ grant_types: ['client_credentials'] }, 'grant_types does not have authorization_code'],
    [{ grant_types: 'authorization_code' }, 'grant_types is not a list'],
    [{ response_types: ['token'] }, 'response_types does not have code'],
    [{ client_name: 7 }, 'client_name is not a text'],
  ]
  for (const [members, why] of cases) t.match(whyNot(members), why, JSON.stringify(members))
  const bytes = [Buffer.from('[]'), Buffer.from('{'), Buffer.from([0xff, 0xfe]), Buffer.from('{"a":1,"a":2}')]
  for (const one of bytes) t.throws(() => readDocument(url, one, 1), DocumentRefused)
})

t.test('identity: its name is one plain line', async (t) => {
  const nameOf = (client_name: string) => read({ client_name }).clientName
  t.equal(nameOf('  Ag\u202eent\n\u0000 \u200bOne '), 'Agent One')
  t.equal([...nameOf('x'.repeat(500))].length, 64)
  t.equal(nameOf('\u200b'), '')
})

t.test('identity: consent rests on where answers go and on the keys, not on names or order', async (t) => {
  const digest = (members: object) => documentDigest(read(members))
  const keys = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [jwk] } }
  const two = { redirect_uris: ['https://a.test/', 'https://b.test/'] }
  t.equal(digest({ client_name: 'A' }), digest({ client_name: 'B', contacts: [] }))
  t.equal(digest(two), digest({ redirect_uris: [...two.redirect_uris].reverse() }))
  t.not(digest({}), digest(two))
  t.not(digest({}), digest(keys))
  t.not(digest(keys), digest({ ...keys, jwks: { keys: [{ ...jwk, kid: 'k2' }] } }))
  t.equal(documentLabel(url), 'agent.example/client.json')
  t.equal(documentLabel(`${url}${'a'.repeat(300)}`).length, 120)
})
