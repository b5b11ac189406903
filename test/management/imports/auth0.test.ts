// What an export of Auth0 becomes, field by field, and how it is told from others.

import t from 'tap'
import { acceptableOnes } from '../../../src/management/imports/acceptable.js'
import type { Conversion } from '../../../src/management/imports/sources/conversion.js'
import { detectSource } from '../../../src/management/imports/sources/detect-source.js'
import { convert } from '../../../src/management/imports/sources/sources.js'

const one = (conversion: Conversion) => {
  const [found] = acceptableOnes(conversion.imported)
  if (found === undefined) throw new Error('there is none')
  return found
}
const fieldsOf = ({ notes }: { notes: { field: string }[] }) => notes.map(({ field }) => field)
const client = (more: object) => one(convert('auth0', [{ client_id: 'c', name: 'Shop', ...more }]))
const addresses = { callbacks: ['https://shop.example/cb'], allowed_logout_urls: ['https://shop.example/bye'] }

t.test('a client becomes a registration of its kind', async (t) => {
  t.match(client({ app_type: 'regular_web', token_endpoint_auth_method: 'client_secret_post', ...addresses }), {
    ...{ sourceId: 'c', name: 'Shop', type: 'web', requirePkce: false, notes: [] },
    ...{ redirectUris: addresses.callbacks, logoutRedirectUris: addresses.allowed_logout_urls },
  })
  for (const app_type of ['spa', 'native'])
    t.match(client({ app_type, ...addresses }), { type: 'native', requirePkce: true, notes: [] })
  t.match(client({ app_type: 'regular_web', token_endpoint_auth_method: 'none' }), { type: 'native' })
  t.same(fieldsOf(client({ app_type: 'spa', token_endpoint_auth_method: 'client_secret_post' })), [
    'token_endpoint_auth_method',
  ])
  const machine = client({ app_type: 'non_interactive', ...addresses })
  t.same([machine.type, machine.redirectUris, fieldsOf(machine)], ['web', [], ['callbacks']])
  t.equal(one(convert('auth0', { client_id: 'x' })).name, 'Auth0 application x')
  t.equal(one(convert('auth0', { name: 'Without an identifier' })).sourceId, 'Without an identifier')
})

t.test('what has no place here is named, and no secret is anywhere', async (t) => {
  const odd = client({
    ...{ app_type: 'regular_web', client_secret: 'hidden-word', is_first_party: true, oidc_conformant: false },
    ...{ grant_types: ['authorization_code', 'implicit', 'password', 'urn:x'], web_origins: ['https://a.example'] },
    ...{ jwt_configuration: { alg: 'HS256', lifetime_in_seconds: 36_000, secret_encoded: true, scopes: { a: 1 } } },
    ...{ refresh_token: { rotation_type: 'rotating' }, addons: { samlp: { audience: 'x' } }, mobile: { ios: {} } },
    ...{ client_authentication_methods: { private_key_jwt: { credentials: [{ id: 'k' }] } }, brand_new: 1 },
    callbacks: ['https://user:hidden-word@a.example/', 'https://*.a.example/', 'http://a.example/{organization_name}'],
  })
  t.same(
    new Set(fieldsOf(odd).map((field) => field.split(' ')[0])),
    new Set([
      ...['client_secret', 'is_first_party', 'oidc_conformant', 'grant_types', 'web_origins', 'jwt_configuration.alg'],
      ...['jwt_configuration.lifetime_in_seconds', 'jwt_configuration.scopes', 'refresh_token', 'addons', 'brand_new'],
      ...['client_authentication_methods', 'redirect'],
    ]),
  )
  t.same(odd.redirectUris, [])
  t.equal(odd.idTokenAlg, undefined)
  t.notMatch(JSON.stringify(odd.notes), 'hidden-word')
  t.match(JSON.stringify(odd.notes), 'https://…@a.example/')
  const filled = client({ callbacks: '@@CALLBACKS@@', web_origins: '##ORIGINS##' })
  t.same(fieldsOf(filled), ['callbacks', 'web_origins'])
  t.throws(() => convert('auth0', [{ client_id: 'c', callbacks: 'https://a.example' }]), /callbacks is not a list/)
  t.throws(() => convert('auth0', [{}]), /client_id is missing/)
})

t.test('settings of the tenant are no client, integrations are left out, client grants are permissions', async (t) => {
  const { imported, left } = convert('auth0', {
    ...{ start: 0, total: 4 },
    clients: [
      { client_id: 'all', name: 'All Applications', global: true },
      { client_id: 's', name: 'Sales', app_type: 'salesforce' },
      { client_id: 'm', name: 'Nightly', app_type: 'non_interactive' },
      { client_id: 'm', name: 'Nightly', app_type: 'non_interactive' },
    ],
    clientGrants: [
      { client_id: 'm', audience: 'https://orders.example', scope: ['orders.read', 'openid'] },
      { client_id: 'Nightly', audience: 'https://people.example', scope: ['me'], subject_type: 'user' },
      { client_id: 'm', audience: 'https://acme.eu.auth0.com/api/v2/', scope: ['read:users'] },
    ],
  })
  t.same(
    left.map(({ sourceId }) => sourceId),
    ['s'],
  )
  t.same(imported[0]?.permissions, [
    { name: 'orders.read', aliases: ['https://orders.example/orders.read'], kinds: ['application'] },
    { name: 'me', aliases: ['https://people.example/me'], kinds: ['delegated'] },
  ])
  t.match(imported[0]?.notes, [{ field: 'clientGrants' }])
  t.same(imported[1]?.permissions, [], 'what is granted is given once')
})

t.test('an export is told by its fields', async (t) => {
  const marked = { client_id: 'c', app_type: 'spa', callbacks: [] }
  for (const document of [marked, [marked], { clients: [marked], total: 1 }, { name: 'S', callbacks: [] }])
    t.equal(detectSource(document), 'auth0')
  t.equal(detectSource([{ client_id: 'c', redirect_uris: [] }]), 'hydra')
  t.equal(detectSource({ realm: 'r', clients: [{ clientId: 'c' }] }), 'keycloak')
  t.equal(detectSource({ realm: 'r', clients: [] }), 'keycloak')
  t.equal(detectSource([{ __proto__: { callbacks: [] }, client_id: 'c' }]), 'hydra', 'its own fields')
})
