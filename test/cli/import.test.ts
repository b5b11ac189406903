// What becomes of other products' files, field by field, and files that are none. No server gets a request here.

import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { ManagementCalls } from '../../src/cli/calls/management-calls.js'
import { packageRoot } from '../../src/config/read/package-root.js'
import { managementPermissions } from '../../src/config/routes/management-permissions.js'
import { acceptableOnes } from '../../src/management/imports/acceptable.js'
import { mapPermissions } from '../../src/management/imports/permission-map.js'
import type { Conversion } from '../../src/management/imports/sources/conversion.js'
import { convert } from '../../src/management/imports/sources/sources.js'
import { readCatalogue } from '../../src/management/registrations/catalogue.js'
import { runCommand } from '../support/rooms/cli.js'

/** RFC 8037 appendix A.3. */
const thumbprint = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'

const samples = join(String(packageRoot()), 'test/cli/samples')
const sample = (name: string): unknown => JSON.parse(readFileSync(join(samples, name), 'utf8'))
const fieldsOf = ({ notes }: { notes: { field: string }[] }) => notes.map(({ field }) => field)
const one = (conversion: Conversion, at = 0) => {
  const found = acceptableOnes(conversion.imported)[at]
  if (found === undefined) throw new Error('there is none')
  return found
}

t.test('Keycloak: what a client says becomes what a registration says', async (t) => {
  const client = (more: object) => one(convert('keycloak', { clientId: 'c', ...more }))
  const attributes = (more: object) => client({ redirectUris: ['https://c.example/cb'], attributes: more })
  t.match(client({}), {
    name: 'c',
    type: 'web',
    requirePkce: false,
    disabled: false,
    redirectUris: [],
    audience: 'home',
  })
  t.match(client({ publicClient: true }), { type: 'native', requirePkce: true })
  t.match(client({ name: 'Called so' }), { name: 'Called so' })
  t.match(client({ name: '${client_account}' }), { name: 'c' })
  t.equal(client({ enabled: false }).disabled, true)
  t.same(client({ rootUrl: 'https://c.example/', redirectUris: ['/cb'] }).redirectUris, ['https://c.example/cb'])
  t.same(fieldsOf(client({ rootUrl: '${authBaseUrl}', redirectUris: ['/cb'] })), ['redirect URI /cb'])
  t.same(client({ standardFlowEnabled: false, redirectUris: ['https://c.example/cb'] }).redirectUris, [])
  t.equal(attributes({ 'pkce.code.challenge.method': 'S256' }).requirePkce, true)
  t.match(attributes({ 'pkce.code.challenge.method': 'plain' }), {
    requirePkce: true,
    notes: [{ message: /only S256/ }],
  })
  t.same(attributes({ 'post.logout.redirect.uris': '+' }).logoutRedirectUris, ['https://c.example/cb'])
  t.same(attributes({ 'post.logout.redirect.uris': '-' }).logoutRedirectUris, [])
  t.same(attributes({ 'post.logout.redirect.uris': 'https://a.example/##https://b.example/*' }).logoutRedirectUris, [
    'https://a.example/',
  ])
  t.equal(attributes({ 'id.token.signed.response.alg': 'ES256' }).idTokenAlg, 'ES256')
  t.match(attributes({ 'id.token.signed.response.alg': 'PS256' }), { idTokenAlg: undefined, notes: { length: 1 } })
  t.same(fieldsOf(attributes({ 'some.new.thing': 'true' })), ['attributes.some.new.thing'])
  t.same(fieldsOf(client({ someNewThing: { deep: [1] } })), ['someNewThing'])
  t.same(fieldsOf(client({ webOrigins: ['+'] })), [])
  for (const field of ['implicitFlowEnabled', 'directAccessGrantsEnabled'])
    t.same(fieldsOf(client({ [field]: true })), [field])
  t.match(one(convert('keycloak', sample('keycloak-client.json'))), {
    keys: { keys: [{ kid: 'signer-1' }] },
    notes: [],
  })
  const jwt = { clientAuthenticatorType: 'client-jwt' }
  t.match(client({ ...jwt, attributes: { 'use.jwks.url': 'true', 'jwks.url': 'https://c.example/jwks' } }), {
    keys: undefined,
    notes: [{ field: 'attributes.jwks.url', message: /not fetched/ }],
  })
  t.match(client({ ...jwt, attributes: { 'jwks.string': '{' } }), { keys: undefined, notes: { length: 2 } })
  const set = JSON.stringify({
    keys: [{ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }],
  })
  const twoProofs = { keys: { keys: [{ kid: thumbprint }] }, provesByKey: false, notes: [] }
  t.match(client({ attributes: { 'jwks.string': set } }), twoProofs, 'keys beside a secret, named by their thumbprint')
  t.match(client({ clientAuthenticatorType: 'client-x509' }).notes, [{ message: /not served/ }])
})

t.test('Keycloak: what is no client of ours is reported, but for what every realm has', async (t) => {
  const { imported, left } = convert('keycloak', sample('keycloak-realm.json'))
  t.same(
    imported.map(({ sourceId }) => sourceId),
    ['shop-web', 'shop-backend', 'shop-app'],
  )
  t.same(
    left.map(({ sourceId }) => sourceId),
    ['https://saml.example/sp', 'stock'],
  )
  const backend = imported[1]
  t.same(
    backend?.permissions.map(({ name, aliases, kinds }) => [name, aliases, kinds]),
    [
      ['User.Read.All', [], ['application']],
      ['Subscription.Read.All', [], ['application']],
      ['stock-read', ['stock/stock-read'], ['application']],
      ['stock-write', ['stock/stock-write'], ['application']],
    ],
  )
  t.same(
    imported[0]?.permissions.map(({ name, kinds }) => [name, kinds]),
    [
      ['User.Read', ['delegated']],
      ['loyalty', ['delegated']],
    ],
  )
})

t.test('Keycloak: an export of all realms, and a list of clients', async (t) => {
  const account = { serviceAccountClientId: 'c', realmRoles: ['reader'] }
  const client = { clientId: 'c', serviceAccountsEnabled: true, standardFlowEnabled: false }
  const both = convert('keycloak', [
    { realm: 'master', clients: [{ clientId: 'shop-realm', bearerOnly: true }, { clientId: 'account' }, client] },
    { realm: 'shop', users: [{ username: 'alice' }, account], clients: [client] },
  ])
  t.same(both.left, [])
  t.match(both.imported, [
    { sourceId: 'master/c', name: 'c', permissions: { length: 0 } },
    { sourceId: 'shop/c', name: 'c', permissions: [{ name: 'reader' }] },
  ])
  t.same(
    acceptableOnes(both.imported).map(({ name }) => name),
    ['c (master/c)', 'c (shop/c)'],
  )
  t.same(
    convert('keycloak', [{ clientId: 'a' }, { clientId: 'b' }]).imported.map(({ sourceId }) => sourceId),
    ['a', 'b'],
  )
})

t.test('Hydra: grants, scopes, methods and keys', async (t) => {
  const client = (more: object) => one(convert('hydra', { client_id: 'c', client_name: 'C', ...more }))
  t.match(client({}), { name: 'C', type: 'web', jwks: undefined })
  t.equal(client({ client_name: '' }).name, 'Hydra client c')
  t.match(client({ token_endpoint_auth_method: 'none' }), { type: 'native', requirePkce: true })
  t.match(client({ token_endpoint_auth_method: 'tls_client_auth' }).notes, [{ message: /not served/ }])
  t.same(
    client({ redirect_uris: ['https://c.example/cb'] }).redirectUris,
    ['https://c.example/cb'],
    'code is the default',
  )
  const machine = { grant_types: ['client_credentials'], scope: 'a b openid a' }
  t.same(
    client(machine).permissions.map(({ name, kinds }) => [name, kinds]),
    [
      ['a', ['application']],
      ['b', ['application']],
    ],
  )
  t.same(fieldsOf(client({ ...machine, redirect_uris: ['https://c.example/cb'] })), ['redirect_uris'])
  const both = { grant_types: ['client_credentials', 'authorization_code'], scope: 'a' }
  t.same(client(both).permissions[0]?.kinds, ['application', 'delegated'])
  t.match(client({ grant_types: ['implicit', 'urn:x'] }).notes, [{ message: /implicit/ }, { message: /urn:x/ }])
  t.same(fieldsOf(client({ response_types: ['code', 'id_token'] })), ['response_types'])
  const jwt = { token_endpoint_auth_method: 'private_key_jwt' }
  const key = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', kid: 'k' }
  t.match(client({ ...jwt, jwks: { keys: [key] } }), { keys: { keys: [{ kid: 'k' }] }, notes: [] })
  t.match(client({ jwks: { keys: [{ ...key, kid: undefined }] } }), {
    ...{ keys: { keys: [{ kid: thumbprint }] }, provesByKey: false, notes: [] },
  })
  t.match(client({ jwks: {} }), { keys: undefined, notes: [] })
  t.match(client({ ...jwt, jwks: { keys: [{ ...key, d: 'secret-part' }] } }), {
    keys: undefined,
    notes: [{ field: 'jwks' }],
  })
  t.notMatch(JSON.stringify(client({ ...jwt, jwks: { keys: [{ ...key, d: 'secret-part' }] } }).notes), 'secret-part')
  t.match(client({ ...jwt, jwks: {} }), { keys: undefined, notes: [{ field: 'jwks' }] })
  t.match(client({ ...jwt, jwks_uri: 'https://c.example/jwks' }).notes, [{ message: /not fetched/ }])
  t.equal(convert('hydra', { items: [{ client_id: 'a' }, { client_id: 'b' }], is_last_page: true }).imported.length, 2)
})

t.test('Entra: platforms, audiences and permissions, in both forms', async (t) => {
  const all = (more: object) => acceptableOnes(convert('entra', { appId: 'a', displayName: 'A', ...more }).imported)
  const shapes = (more: object) => all(more).map(({ type, redirectUris }) => [type, redirectUris])
  t.same(shapes({}), [['web', []]])
  t.same(shapes({ web: { redirectUris: ['https://a.example/'] } }), [['web', ['https://a.example/']]])
  t.same(shapes({ spa: { redirectUris: ['https://a.example/'] } }), [['native', ['https://a.example/']]])
  t.same(shapes({ isFallbackPublicClient: true }), [['native', []]])
  t.same(shapes({ publicClient: true, replyUrls: ['http://localhost'] }), [['native', ['http://localhost']]])
  t.same(shapes({ replyUrls: ['https://a.example/'] }), [['web', ['https://a.example/']]])
  t.same(shapes({ replyUrlsWithType: [{ url: 'https://a.example/', type: 'Spa' }], passwordCredentials: [{}] }), [
    ['web', []],
    ['native', ['https://a.example/']],
  ])
  const pages = [
    'https://login.microsoftonline.com/common/oauth2/nativeclient',
    'https://login.live.com/oauth20_desktop.srf',
  ]
  t.match(all({ publicClient: { redirectUris: pages } }), [{ redirectUris: [], notes: { length: 2 } }])
  for (const [named, expected] of [
    ['AzureADMyOrg', 'home'],
    ['AzureADMultipleOrgs', 'any'],
    ['AzureADandPersonalMicrosoftAccount', 'any'],
  ]) {
    t.equal(all({ signInAudience: named })[0]?.audience, expected)
  }
  t.equal(all({ availableToOtherTenants: true })[0]?.audience, 'any')
  const needs = (id: string, type: string, resourceAppId = '00000003-0000-0000-c000-000000000000') => ({
    requiredResourceAccess: [{ resourceAppId, resourceAccess: [{ id, type }] }],
  })
  const names = (more: object) =>
    all(more).flatMap(({ permissions }) => permissions.map(({ name, kinds }) => [name, ...kinds]))
  t.same(names(needs('37f7f235-527c-4136-accd-4a02d197296e', 'Scope')), [], 'openid permits nothing')
  t.same(names(needs('DF021288-bdef-4463-88db-98f22de89214', 'Role')), [['User.Read.All', 'application']])
  t.same(names(needs('00000000-1111-4222-8333-444444444444', 'Scope')), [
    ['00000000-1111-4222-8333-444444444444', 'delegated'],
  ])
  const own = { appRoles: [{ id: '00000000-1111-4222-8333-444444444444', value: 'Orders.Read' }] }
  t.same(names({ ...own, ...needs('00000000-1111-4222-8333-444444444444', 'Role', 'a') }), [
    ['Orders.Read', 'application'],
  ])
  t.same(fieldsOf(all(own)[0] ?? { notes: [] }), ['api'])
  t.match(one(convert('entra', sample('entra-older.json'))), {
    name: 'Field phone',
    type: 'native',
    publisher: 'contoso.example',
  })
  t.equal(convert('entra', { value: [{ appId: 'a' }, { appId: 'b' }] }).imported.length, 2)
})

t.test('what the rules refuse costs what it is in, and names are made distinct', async (t) => {
  const uris = [
    'https://*.a.example/',
    'http://a.example/',
    'https://a.example/#x',
    'javascript:alert(1)',
    '*',
    'https://a.example/',
  ]
  const got = one(convert('hydra', { client_id: 'c', client_name: 'C', redirect_uris: uris }))
  t.same(got.redirectUris, ['https://a.example/'])
  t.equal(got.notes.length, 5)
  const alike = convert(
    'hydra',
    ['a', 'b', 'b'].map((client_id) => ({ client_id, client_name: 'Same' })),
  )
  t.same(
    acceptableOnes(alike.imported).map(({ name }) => name),
    ['Same (a)', 'Same (b)', 'Same (b) 2'],
  )
  for (const name of ['\u202ehidden', 'x'.repeat(121), '7a1c1c3e-0000-4000-8000-00000000000a']) {
    t.type(one(convert('hydra', { client_id: 'c', client_name: name })).refused, 'string')
  }
})

t.test('permissions are found by a map, then by an equal id, and never those of management by accident', async (t) => {
  const resource = 'https://gate.example/api/v2'
  const entry = (id: string, kinds: string[], of = resource) => ({ id, resource: of, kinds })
  const entries = [
    ...managementPermissions(resource),
    ...[entry('User.Read.All', ['application', 'delegated']), entry('User.Read', ['delegated'])],
    ...[entry('twice', ['application'], 'https://a.example'), entry('twice', ['application'], 'https://b.example')],
  ]
  const catalogue = await readCatalogue({ listPermissions: async () => entries } as unknown as ManagementCalls)
  const ask = (
    name: string,
    kinds: ('application' | 'delegated')[],
    map: Record<string, string> = {},
    type: 'web' | 'native' = 'web',
  ) => {
    const declared = { permissions: [{ name, aliases: [`r/${name}`], kinds }], type }
    const { permissions, notes } = mapPermissions(declared, new Map(Object.entries(map)), catalogue)
    return { got: permissions.map(({ kind, resource: of, id }) => `${kind}:${of}/${id}`), notes: notes.length }
  }
  const all = `application:${resource}/User.Read.All`
  t.same(ask('User.Read.All', ['application']), { got: [all], notes: 0 })
  t.same(ask('User.Read', ['application']), { got: [], notes: 1 }, 'it exists for people only')
  t.same(ask('User.Read.All', ['application'], {}, 'native'), { got: [], notes: 1 })
  t.same(ask('Application.ReadWrite.All', ['application']), { got: [], notes: 1 })
  t.same(ask('twice', ['application']), { got: [], notes: 1 }, 'nobody knows which')
  t.same(ask('legacy', ['application'], { legacy: 'User.Read.All' }), { got: [all], notes: 0 })
  t.same(ask('legacy', ['application'], { 'r/legacy': `${resource}/User.Read.All` }), { got: [all], notes: 0 })
  t.same(ask('legacy', ['application'], { legacy: 'delegated:User.Read' }), {
    got: [`delegated:${resource}/User.Read`],
    notes: 0,
  })
  t.same(ask('legacy', ['application'], { legacy: '-' }), { got: [], notes: 0 })
  t.same(ask('legacy', ['application'], { legacy: 'https://b.example/twice' }).got, [
    'application:https://b.example/twice',
  ])
  t.throws(
    () => ask('legacy', ['application'], { legacy: 'Nothing.Read' }),
    /no application permission "Nothing\.Read"/,
  )
})

t.test('a file that is none ends with 2, a sentence, and nothing of what is in it', async (t) => {
  const cwd = t.testdir()
  const run = async (source: string, content: string | Buffer, ...more: string[]) => {
    writeFileSync(join(cwd, 'file.json'), content)
    const { code, out, err } = await runCommand(['import', source, 'file.json', ...more], { cwd })
    t.same({ code, out }, { code: 2, out: '' }, err)
    t.notMatch(err, 'hidden-word')
    return err
  }
  t.match(await run('hydra', ''), /it is not JSON/)
  t.match(await run('hydra', '{"client_secret": "hidden-word" '), /it is not JSON/)
  t.match(await run('hydra', randomBytes(1000)), /not UTF-8|not JSON/)
  t.match(await run('hydra', Buffer.alloc(33 * 1024 * 1024, 0x20)), /larger than 32 MiB/)
  t.match(await run('keycloak', '['.repeat(1_000_000)), /nested too deeply/)
  t.match(await run('entra', `{"a":${'{"a":'.repeat(64)}1${'}'.repeat(65)}`), /nested too deeply/)
  t.match(await run('hydra', '"[[[[" '), /the whole is not an object/)
  t.match(await run('hydra', '{}'), /client_id is missing/)
  t.match(await run('keycloak', '{"clients": {}}'), /clients is not a list/)
  t.match(
    await run('keycloak', '{"clients": [{"clientId": "c", "redirectUris": "hidden-word"}]}'),
    /clients\[0\]\.redirectUris is not a list/,
  )
  t.match(await run('keycloak', '[{"clientId": 7}]'), /\[0\]\.clientId is not a text/)
  const roles =
    '[{"clientId":"c","serviceAccountsEnabled":true}],"users":[{"serviceAccountClientId":"c","clientRoles":{"\\u001b[31m":5}}]'
  t.match(
    await run('keycloak', `{"clients":${roles}}`),
    /clientRoles\.\\u\{1b\}\[31m is not a list/,
    'X4 nothing that a terminal obeys',
  )
  t.match(await run('entra', '{"displayName": "x"}'), /appId is missing/)
  t.match(await run('entra', '{"appId": "x", "web": []}'), /web is not an object/)
  const good = '{"client_id": "c"}'
  t.match(await run('hydra', good, '--only', 'd'), /no application d/)
  t.match(await run('hydra', good, '--map', 'nothing'), /write name=permission/)
  t.match(await run('hydra', good, '--map-file', 'absent.json'), /absent\.json cannot be read/)
  writeFileSync(join(cwd, 'map.json'), '{"a": 1}')
  t.match(await run('hydra', good, '--map-file', 'map.json'), /not a map of permissions/)
  t.match(await runCommand(['import', 'hydra', 'absent.json'], { cwd }), { code: 2, err: /cannot be read: ENOENT/ })
  t.match(await runCommand(['import', 'hydra', '/dev/zero'], { cwd }), { code: 2, err: /larger than 32 MiB/ })
  t.match(await runCommand(['import', 'hydra', '-'], { cwd, input: '[1]' }), { code: 2, err: /\[0\] is not an object/ })
  t.equal((await runCommand(['import', 'okta', 'file.json'], { cwd })).code, 2)
})
