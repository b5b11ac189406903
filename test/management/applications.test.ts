// Applications over the management API: registered, listed, shown, changed; and all the ways in which that is refused.

import t from 'tap'
import { changeTenant, createTenant } from '../../src/directory/tenants/tenants.js'
import { listApplications } from '../../src/storage/sql/registrations/applications.js'
import { openManagement, refusal } from '../support/rooms/management.js'
import { newKeyPair } from '../support/tokens/key-pair.js'

const nobody = '00000000-0000-4000-8000-000000000000'
const web = { name: 'Lager', type: 'web' }
const read = { kind: 'application', id: 'assets_read' }

t.test('POST /applications registers a web application with everything that belongs to it', async (t) => {
  const { manage, ownResource, tenantId, clock } = await open(t)
  const response = await manage('POST', '/applications', {
    ...web,
    redirectUris: ['https://app.test/cb'],
    permissions: [read, { kind: 'delegated', id: 'User.Read' }],
    consent: true,
    secretLabel: 'ci',
    secretExpiresInDays: 30,
  })
  t.equal(response.statusCode, 201)
  t.equal(response.headers['cache-control'], 'no-store')
  const body = response.json()
  t.equal(response.headers.location, `/api/v2/applications/${body.applicationId}`)
  const endsAt = new Date(clock.nowMs + 30 * 86_400_000).toISOString()
  t.match(body, {
    name: 'Lager',
    type: 'web',
    state: 'enabled',
    audience: 'home',
    tenantId,
    publicKey: /^pcl_pk_/,
    clientSecret: /^pcl_sk_/,
    secret: { endsAt },
    secrets: [{ keyId: body.secret.keyId, label: 'ci', hint: /^.{3}$/, endsAt, lastUsedAt: null }],
    redirectUris: ['https://app.test/cb'],
    adminConsentRedirectUris: [],
    logoutRedirectUris: [],
    permissions: [
      { kind: 'delegated', resource: ownResource, id: 'User.Read' },
      { kind: 'application', resource: ownResource, id: 'assets_read' },
    ],
    consents: [{ tenantId, permissions: [{ id: 'User.Read', grantedBy: 'local' }, { id: 'assets_read' }] }],
  })
})

t.test('the registered client gets a token with the secret that was shown', async (t) => {
  const { manage, post } = await open(t)
  const made = (await manage('POST', '/applications', { ...web, permissions: [read], consent: true })).json()
  const token = await post('/api/v2/oauth2/v2.0/token', {
    grant_type: 'client_credentials',
    client_id: made.publicKey,
    client_secret: made.clientSecret,
    scope: 'default',
  })
  t.equal(token.statusCode, 200)
})

t.test('a native application is registered without a secret', async (t) => {
  const { manage } = await open(t)
  const body = { name: 'Phone', type: 'native', redirectUris: ['com.example.app:/cb'] }
  const response = await manage('POST', '/applications', body)
  t.equal(response.statusCode, 201)
  t.notHas(response.json(), { clientSecret: '' })
  t.notOk('clientSecret' in response.json() || 'secret' in response.json())
  t.match(refusal(await manage('POST', '/applications', { ...body, secretLabel: 'x' })), {
    status: 400,
    code: 'NativeApplication',
  })
  t.match(refusal(await manage('POST', '/applications', { ...body, permissions: [read] })), {
    status: 400,
    code: 'NativeApplication',
    target: 'permissions',
  })
})

t.test('K6 a body with fields of its own is refused, naming them: no identifier is chosen', async (t) => {
  const { manage } = await open(t)
  for (const field of ['applicationId', 'publicKey', 'id', 'state', 'secrets', 'consents', 'constructor']) {
    const { status, code, details } = refusal(await manage('POST', '/applications', { ...web, [field]: nobody }))
    t.same([status, code, details], [400, 'InvalidRequest', [{ code: 'InvalidValue', message: `unknown: ${field}` }]])
  }
})

t.test('values of the wrong type or size are refused, never coerced', async (t) => {
  const { manage, store } = await open(t)
  const bad: [string, unknown][] = [
    ['name', 5],
    ['name', null],
    ['name', 'x'.repeat(600)],
    ['type', 'service'],
    ['tenantId', ''],
    ['audience', 'all'],
    ['consent', 'true'],
    ['secretExpiresInDays', '30'],
    ['secretExpiresInDays', 0],
    ['secretExpiresInDays', 731],
    ['secretExpiresInDays', 1.5],
    ['redirectUris', 'https://app.test/'],
    ['redirectUris', [1]],
    ['redirectUris', Array.from({ length: 101 }, (_, i) => `https://app.test/${i}`)],
    ['permissions', [{ id: 'assets_read' }]],
    ['permissions', [{ ...read, extra: 1 }]],
    ['permissions', { ...read }],
  ]
  for (const [field, value] of bad) {
    const { status, code, details } = refusal(await manage('POST', '/applications', { ...web, [field]: value }))
    t.same([status, code], [400, 'InvalidRequest'], field)
    t.match(details?.[0]?.target, new RegExp(`^${field}`))
  }
  for (const body of [{}, { name: 'x' }, { type: 'web' }, [], [web], 'null', '"x"', '5']) {
    t.match(refusal(await manage('POST', '/applications', body)), { status: 400, code: 'InvalidRequest' })
  }
  t.same(await listApplications(store.reader, { after: undefined, limit: 9 }), [])
})

t.test('what the directory refuses is answered with its code and target', async (t) => {
  const { manage } = await open(t)
  const cases: [object, object][] = [
    [{ name: 'a\u0000b' }, { status: 400, code: 'InvalidName', target: 'name' }],
    [{ name: '\u202egpj' }, { status: 400, code: 'InvalidName', target: 'name' }],
    [{ name: '' }, { status: 400, code: 'InvalidName' }],
    [{ secretLabel: '\u0007' }, { status: 400, code: 'InvalidName', target: 'label' }],
    [{ redirectUris: ['https://app.test/#x'] }, { status: 400, code: 'InvalidRedirectUri', target: 'redirectUris' }],
    [{ redirectUris: ['https://app.test/\u0000'] }, { status: 400, code: 'InvalidRedirectUri' }],
    [
      { logoutRedirectUris: ['http://app.test/'] },
      { status: 400, code: 'InvalidRedirectUri', target: 'logoutRedirectUris' },
    ],
    [{ permissions: [{ kind: 'application', id: 'nothing' }] }, { status: 400, code: 'UnknownPermission' }],
    [{ permissions: [{ kind: 'application', id: 'a\u0000' }] }, { status: 400, code: 'UnknownPermission' }],
    [{ permissions: [{ ...read, resource: 'https://nowhere.test' }] }, { status: 400, code: 'UnknownPermission' }],
    [{ consent: true }, { status: 400, code: 'PermissionNotConfigured' }],
    [{ tenantId: nobody }, { status: 404, code: 'TenantNotFound', target: 'tenantId' }],
    [{ tenantId: 'Contoso' }, { status: 404, code: 'TenantNotFound' }],
    [{ tenantId: 'x\u0000' }, { status: 404, code: 'TenantNotFound' }],
  ]
  for (const [more, expected] of cases)
    t.match(refusal(await manage('POST', '/applications', { ...web, ...more })), expected)
})

t.test('without a tenant there is no application', async (t) => {
  const { manage, writes, tenantId } = await open(t)
  await changeTenant(writes, tenantId, { state: 'disabled' })
  t.match(refusal(await manage('POST', '/applications', web)), { status: 400, code: 'NotInstallable' })
  const empty = await openManagement(t)
  t.match(refusal(await empty.manage('POST', '/applications', web)), { status: 404, code: 'TenantNotFound' })
})

t.test('U1 only JSON is read, and only when it is said to be JSON', async (t) => {
  const { manage } = await open(t)
  const send = (type: string, body: string = JSON.stringify(web)) =>
    manage('POST', '/applications', body, { 'content-type': type })
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json2',
    'text/json',
    'application/jsonp',
    'application/ json',
    'x application/json',
    'multipart/form-data; boundary=x',
  ]) {
    t.match(refusal(await send(type)), { status: 415, code: 'UnsupportedMediaType' }, type)
  }
  t.equal((await send('application/json; charset=utf-8')).statusCode, 201)
  for (const body of ['', '{', '{"name":"x",}', "{'name':'x'}", '{"name":"x"', 'name=x', '\u0000']) {
    t.match(refusal(await send('application/json', body)), { status: 400, code: 'InvalidJson' })
  }
  for (const body of [
    '{"name":"x","type":"web","__proto__":{"consent":true}}',
    '{"name":"x","type":"web","constructor":{"prototype":{}}}',
  ]) {
    t.equal((await send('application/json', body)).statusCode, 400)
  }
  t.match(refusal(await send('application/json', `{"name":"${'x'.repeat(1_100_000)}"}`)), {
    status: 413,
    code: 'BodyTooLarge',
  })
})

t.test('GET /applications/{id} takes identifier, public key or exact name', async (t) => {
  const { manage } = await open(t)
  const { applicationId, publicKey, clientSecret } = (
    await manage('POST', '/applications', { ...web, name: 'Lager & Süd' })
  ).json()
  for (const id of [applicationId, applicationId.toUpperCase(), publicKey, 'Lager & Süd', 'Lager & Su\u0308d']) {
    const response = await manage('GET', `/applications/${encodeURIComponent(id)}`)
    t.equal(response.json().applicationId, applicationId)
    t.notOk(response.body.includes(clientSecret))
  }
  for (const id of [nobody, 'lager & süd', 'Lager', `${publicKey}x`, "' or 1=1 --", 'x'.repeat(500), '%', '*']) {
    t.match(
      refusal(await manage('GET', `/applications/${encodeURIComponent(id)}`)),
      { status: 404, code: 'ApplicationNotFound' },
      id,
    )
  }
  t.equal((await manage('GET', '/applications/a%00b')).statusCode, 400)
  const second = (await manage('POST', '/applications', { ...web, name: 'Lager & Süd' })).json().applicationId
  const ambiguous = async () => refusal(await manage('GET', `/applications/${encodeURIComponent('Lager & Süd')}`))
  const refused = await ambiguous()
  t.match(refused, { status: 409, code: 'AmbiguousName' })
  for (const id of [applicationId, second]) t.match(refused.message, id)
  for (let n = 3; n <= 7; n++) await manage('POST', '/applications', { ...web, name: 'Lager & Süd' })
  t.match(
    (await ambiguous()).message,
    /^Several .*: use an application identifier \((?:[0-9a-f-]{36}, ){4}[0-9a-f-]{36} and more\)\.$/,
  )
})

t.test('answers are an allow-list: no hash, no pepper, no plain secret', async (t) => {
  const { manage, directory } = await open(t)
  const { applicationId, clientSecret } = (await manage('POST', '/applications', web)).json()
  const [stored] = (await directory.findRegistration(applicationId))?.secrets ?? []
  for (const path of ['/applications', `/applications/${applicationId}`]) {
    const { body } = await manage('GET', path)
    for (const secret of [clientSecret, stored?.hash ?? '', stored?.pepperId ?? '']) t.notOk(body.includes(secret))
  }
})

t.test('GET /applications pages through all of them by name, each once', async (t) => {
  const { manage } = await open(t)
  const names = ['b', 'a', 'Z', 'ä', 'a', '🚀', 'a', 'c']
  for (const name of names) await manage('POST', '/applications', { ...web, name })
  const all = (await manage('GET', '/applications')).json()
  t.notOk('nextLink' in all)
  t.same(
    all.value.map((each: { name: string }) => each.name),
    ['Z', 'a', 'a', 'a', 'b', 'c', 'ä', '🚀'],
    'by code point',
  )
  const paged: unknown[] = []
  let path: string | undefined = '/applications?$top=3'
  let pages = 0
  while (path !== undefined) {
    const page: { value: unknown[]; nextLink?: string } = (await manage('GET', path)).json()
    paged.push(...page.value)
    path = page.nextLink?.replace('/api/v2', '')
    pages += 1
  }
  t.same(paged, all.value)
  t.equal(pages, 3)
})

t.test('the list is narrowed by type, state and a part of the name, page by page', async (t) => {
  const { manage } = await open(t)
  for (const name of ['Billing 100%', 'billing_two', 'Bill%ing', 'Other']) {
    await manage('POST', '/applications', { name, type: name === 'Other' ? 'native' : 'web', redirectUris: [] })
  }
  const names = async (query: string) =>
    (await manage('GET', `/applications?${query}`)).json().value.map(({ name }: { name: string }) => name)
  t.same(await names('search=BILLING'), ['Billing 100%', 'billing_two'])
  t.same(await names('search=%25'), ['Bill%ing', 'Billing 100%'], 'no pattern: each character is itself')
  t.same(await names('search=_'), ['billing_two'])
  await manage('POST', '/applications', { name: 'ÉTÉ', type: 'web' })
  t.same(await names('search=%C3%A9t%C3%A9'), ['ÉTÉ'])
  t.same(await names('type=native'), ['Other'])
  t.same(await names('state=disabled'), [])
  const first = (await manage('GET', '/applications?search=billing&$top=1')).json()
  t.same(first.value.length, 1)
  const second = (await manage('GET', first.nextLink.replace('/api/v2', ''))).json()
  t.same(
    [...first.value, ...second.value].map(({ name }) => name),
    ['Billing 100%', 'billing_two'],
  )
  t.notOk('nextLink' in second)
  const token = new URL(first.nextLink, 'http://x').searchParams.get('$skiptoken')
  for (const query of [
    `$skiptoken=${token}`,
    `search=other&$skiptoken=${token}`,
    'type=x',
    'state=',
    'search=',
    'q=1',
  ]) {
    t.equal((await manage('GET', `/applications?${query}`)).statusCode, 400, query)
  }
})

t.test('U3 a page token that this server did not make is refused, and so is any other query', async (t) => {
  const { manage } = await open(t)
  for (const name of ['a', 'b']) await manage('POST', '/applications', { ...web, name })
  const { nextLink } = (await manage('GET', '/applications?$top=1')).json()
  const token = String(new URL(nextLink, 'http://x').searchParams.get('$skiptoken'))
  const [payload, seal] = token.split('.')
  const forged = Buffer.from(JSON.stringify(["' or 1=1 --", nobody])).toString('base64url')
  for (const bad of [
    `${forged}.${seal}`,
    `${payload}.`,
    `${payload}`,
    `${payload}.${seal}.x`,
    `${payload}.${String(seal).slice(1)}`,
    '.',
    'x',
  ]) {
    t.match(refusal(await manage('GET', `/applications?$skiptoken=${bad}`)), { status: 400, target: '$skiptoken' }, bad)
  }
  for (const query of [
    '$top=0',
    '$top=201',
    '$top=x',
    '$top=-1',
    '$top=1&$top=2',
    '$filter=x',
    'top=1',
    '$skiptoken=',
  ]) {
    t.equal((await manage('GET', `/applications?${query}`)).statusCode, 400, query)
  }
  t.equal((await manage('GET', `/applications?$top=200&$skiptoken=${token}`)).statusCode, 200)
})

t.test('PATCH /applications/{id} renames, disables, enables, replaces lists', async (t) => {
  const { manage } = await open(t)
  const { applicationId } = (await manage('POST', '/applications', web)).json()
  const patch = (body: unknown) => manage('PATCH', `/applications/${applicationId}`, body)
  t.match((await patch({ name: 'Neu', state: 'disabled' })).json(), { applicationId, name: 'Neu', state: 'disabled' })
  t.match((await patch({ state: 'enabled', redirectUris: ['https://a.test/'] })).json(), {
    state: 'enabled',
    redirectUris: ['https://a.test/'],
  })
  for (const body of [
    {},
    { state: 'deleted' },
    { type: 'native' },
    { tenantId: nobody },
    { audience: 'any' },
    { name: null },
  ]) {
    t.match(refusal(await patch(body)), { status: 400, code: 'InvalidRequest' })
  }
  t.match(refusal(await patch({ name: '\u200b' })), { status: 400, code: 'InvalidName' })
  t.match(refusal(await patch({ redirectUris: ['com.example:/x'] })), { status: 400, code: 'InvalidRedirectUri' })
  t.match(refusal(await manage('PATCH', `/applications/${nobody}`, { name: 'x' })), {
    status: 404,
    code: 'ApplicationNotFound',
  })
  t.match((await manage('GET', `/applications/${applicationId}`)).json(), {
    name: 'Neu',
    redirectUris: ['https://a.test/'],
  })
})

t.test('options of a registration come in, are shown, and are changed', async (t) => {
  const { manage } = await open(t)
  const made = (await manage('POST', '/applications', { ...web, requirePkce: true, publisher: 'Contoso' })).json()
  t.match(made, { requirePkce: true, authMethod: 'secret', jwks: null, idTokenAlg: 'RS256', verified: false })
  const path = `/applications/${made.applicationId}`
  const key = await newKeyPair('ec', { namedCurve: 'prime256v1' })
  const jwks = { keys: [{ ...key.publicKey.export({ format: 'jwk' }), kid: 'a' }] }
  const changes = { jwks, authMethod: 'private_key_jwt', idTokenAlg: 'ES256', verified: true, requirePkce: false }
  t.match((await manage('PATCH', path, changes)).json(), {
    authMethod: 'private_key_jwt',
    jwks: { keys: [{ kid: 'a', alg: 'ES256' }] },
    idTokenAlg: 'ES256',
    publisher: 'Contoso',
    verified: true,
    requirePkce: false,
  })
  const secret = { keys: [{ ...key.privateKey.export({ format: 'jwk' }), kid: 'a' }] }
  const refused = await manage('PATCH', path, { jwks: secret })
  t.match(refusal(refused), { status: 400, code: 'InvalidKeys', target: 'jwks' })
  t.notOk(
    refused.body.includes(String(key.privateKey.export({ format: 'jwk' }).d)),
    'K8 the private key is not repeated',
  )
  t.match(refusal(await manage('PATCH', path, { jwks: null })), { status: 400, code: 'InvalidKeys' })
  t.match(refusal(await manage('PATCH', path, { idTokenAlg: 'EdDSA' })), { status: 400, code: 'UnsupportedAlgorithm' })
  for (const body of [{ idTokenAlg: 'none' }, { authMethod: 'none' }, { jwks: [] }, { requirePkce: 'yes' }]) {
    t.match(refusal(await manage('PATCH', path, body)), { status: 400, code: 'InvalidRequest' })
  }
})

t.test('R3 a refused redirect URI is answered with its reason and with the one that was probably meant', async (t) => {
  const { manage } = await open(t)
  const refused = refusal(await manage('POST', '/applications', { ...web, redirectUris: ['http://app.test/cb#x'] }))
  t.match(refused, { status: 400, code: 'InvalidRedirectUri', target: 'redirectUris' })
  t.equal(refused.message, 'A redirect URI has no fragment. Did you mean https://app.test/cb?')
})

t.test('PATCH /tenants/{id} says who may consent there', async (t) => {
  const { manage, tenantId } = await open(t)
  const patch = (body: unknown) => manage('PATCH', `/tenants/${tenantId}`, body)
  t.match((await patch({ userConsent: 'administrators' })).json(), { userConsent: 'administrators', state: 'enabled' })
  t.match((await manage('GET', '/tenants')).json(), { value: [{ tenantId, userConsent: 'administrators' }] })
  for (const body of [{}, { userConsent: 'nobody' }, { userConsent: true }]) {
    t.match(refusal(await patch(body)), { status: 400, code: 'InvalidRequest' })
  }
  t.match(refusal(await patch({ name: '' })), { status: 400, code: 'InvalidName' })
})

async function open(t: Parameters<typeof openManagement>[0]) {
  const testApp = await openManagement(t)
  const { tenantId } = await createTenant(testApp.writes, { name: 'Contoso' })
  return { ...testApp, tenantId, ownResource: testApp.catalogue.own.id }
}
