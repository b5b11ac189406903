// A tenant's own APIs: defined by its developers, in a resource of their own; their permissions are configured,
// consented to and put into tokens like any other, and are nobody else's.

import { decodeJwt } from 'jose'
import t, { type Test } from 'tap'
import { createTenant } from '../../src/directory/tenants/tenants.js'
import { atPortal } from '../support/models/isolation.js'
import { openManagement, refusal } from '../support/rooms/management.js'

const read = { id: 'orders.read', describe: 'Read orders', kinds: ['application', 'delegated'] }
const all = { id: 'orders.write.All', describe: 'Change orders', kinds: ['application'], role: 'administrator' }

async function open(t: Test) {
  const testApp = await openManagement(t)
  const { registration, secret, tenantId } = await testApp.registerDemo()
  const other = await createTenant(testApp.writes, { name: 'Fabrikam' })
  const create = (more: object = {}) =>
    testApp.manage('POST', '/apis', {
      shortName: 'orders',
      name: 'Orders',
      permissions: [read, all],
      tenantId,
      ...more,
    })
  const app = `/applications/${registration.applicationId}`
  const client = { client_id: registration.applicationId, client_secret: secret, grant_type: 'client_credentials' }
  const token = (form: Record<string, string>) => testApp.post('/api/v2/oauth2/v2.0/token', { ...client, ...form })
  return { ...testApp, app, token, create, tenantId, otherTenantId: other.tenantId }
}

t.test('an API is defined, shown, changed and deleted; its identifier is made here', async (t) => {
  const { manage, create, tenantId, catalogue } = await open(t)
  const made = await create()
  t.equal(made.statusCode, 201)
  const { apiId, identifier, permissions } = made.json()
  t.equal(identifier, `api://${tenantId}/orders`)
  t.equal(made.headers.location, `/api/v2/apis/${apiId}`)
  t.match(permissions, [
    { id: 'orders.read', kinds: ['application', 'delegated'], adminConsent: false, role: 'member' },
    { id: 'orders.write.All', kinds: ['application'], adminConsent: true, role: 'administrator' },
  ])
  t.ok(catalogue.find('application', identifier, 'orders.read'), 'it is in the catalogue at once')
  t.notOk(catalogue.find('delegated', identifier, 'orders.write.All'))
  const shown = await manage('GET', `/apis/${apiId}`)
  const tag = { 'if-match': String(shown.headers.etag) }
  const changed = await manage('PATCH', `/apis/${apiId}`, { name: 'Orders 2', permissions: [read] }, tag)
  t.match(changed.json(), { name: 'Orders 2', permissions: [{ id: 'orders.read' }] })
  t.equal((await manage('PATCH', `/apis/${apiId}`, { name: 'Orders 3' }, tag)).statusCode, 412)
  t.notOk(catalogue.find('application', identifier, 'orders.write.All'))
  t.match((await manage('GET', `/apis?tenantId=${tenantId}`)).json().value, [{ apiId, name: 'Orders 2' }])
  t.equal((await manage('DELETE', `/apis/${apiId}`)).statusCode, 204)
  t.notOk(catalogue.resources.has(identifier))
  t.match(refusal(await manage('GET', `/apis/${apiId}`)), { status: 404, code: 'ApiNotFound' })
  t.match(refusal(await manage('DELETE', `/apis/${apiId}`)), { status: 404, code: 'ApiNotFound' })
})

t.test(
  'permissions are described in the languages of pages, within a bound, and every rewording is kept',
  async (t) => {
    const { manage, create, catalogue, tenantId } = await open(t)
    const described = (descriptions: object, more: object = {}) => ({ ...read, descriptions, ...more })
    const made = await create({ permissions: [described({ ja: 'APIの注文を読みます', de: ' Bestellungen lesen ' })] })
    const { apiId, identifier, permissions } = made.json()
    const [de, ja] = ['Bestellungen lesen', 'APIの注文を読みます']
    t.same(permissions[0].descriptions, { de, ja })
    t.same(catalogue.find('delegated', identifier, read.id)?.descriptions, { de, ja })
    const inCatalogue = (await manage('GET', '/permissions')).json().value
    t.match(
      inCatalogue.find((each: { resource: string }) => each.resource === identifier),
      { description: 'Read orders', descriptions: { de, ja } },
    )
    const change = (list: object[]) => manage('PATCH', `/apis/${apiId}`, { permissions: list })
    for (const [tag, meant] of [
      ['de-AT', ' Did you mean de?'],
      ['DE', ' Did you mean de?'],
      ['ej', ''],
      ['dd', ' Did you mean de?'],
      ['__proto__x', ''],
      ['<b>', ''],
    ] as const) {
      const refused = refusal(await change([described({ [tag]: 'x' })]))
      t.match(refused, { status: 400, code: 'InvalidPermission', target: 'permissions' }, tag)
      t.match(refused.message, `none of the languages en, de, fr, es, ja.${meant}`, tag)
    }
    t.match(refusal(await change([described({ de: '' })])), { status: 400, code: 'InvalidName' })
    t.match(refusal(await change([described({ de: 'Lesen\u202eneseL' })])), { status: 400, code: 'InvalidName' })
    t.match(refusal(await change([described({ de: 3 })])), { status: 400 })
    t.match(refusal(await change([described({ constructor: { de: 'x' } })])), { status: 400 })
    const long = Object.fromEntries(['en', 'de', 'fr', 'es', 'ja'].map((each) => [each, 'x'.repeat(120)]))
    const many = Array.from({ length: 60 }, (_, index) => described(long, { id: `orders.${index}` }))
    t.match(refusal(await change([described({ de }), ...many])), { status: 400, code: 'InvalidPermission' })
    t.same((await manage('GET', `/apis/${apiId}`)).json().permissions[0].descriptions, { de, ja }, 'nothing changed')
    t.same((await change([described({ de: 'Bestellungen löschen' })])).json().permissions[0].descriptions, {
      de: 'Bestellungen löschen',
    })
    t.same((await change([read])).json().permissions[0].descriptions, {}, 'the list is the whole list')
    const { value } = (await manage('GET', `/auditEvents?tenantId=${tenantId}`)).json()
    const all = (value as { event: string; details: { reworded?: string[] } }[]).reverse()
    t.same(
      all.filter(({ event }) => event.startsWith('api.')).map(({ details }) => details.reworded),
      [
        ['orders.read: Read orders', `orders.read (de): ${de}`, `orders.read (ja): ${ja}`],
        ['orders.read (de): Bestellungen löschen'],
        undefined,
      ],
    )
  },
)

t.test('its permissions are configured, consented to and issued like any other', async (t) => {
  const { manage, create, app, token } = await open(t)
  const { identifier } = (await create()).json()
  const permission = { kind: 'application', resource: identifier, id: 'orders.read' }
  t.equal((await manage('PUT', `${app}/permissions`, { permissions: [permission] })).statusCode, 200)
  const before = await token({ scope: `${identifier}/orders.read` })
  t.match(before.json(), { error: 'invalid_scope' })
  t.equal((await manage('POST', `${app}/consents`, {})).statusCode, 200)
  for (const form of [
    { scope: `${identifier}/orders.read` },
    { scope: `${identifier}/.default` },
    { scope: 'default', resource: identifier },
  ]) {
    const answer = await token(form)
    t.equal(answer.statusCode, 200, JSON.stringify(form))
    t.match(decodeJwt(answer.json().access_token), { aud: identifier, roles: ['orders.read'] })
  }
  const bare = await token({ scope: 'orders.read' })
  t.match(bare.json(), { error: 'invalid_scope' }, 'without its resource it is nobody’s word')
})

t.test('no tenant’s word makes a word of everybody’s ambiguous', async (t) => {
  const { create, app, manage, token } = await open(t)
  const twin = { id: 'assets_read', describe: 'Another thing of that name', kinds: ['application'] }
  const { identifier } = (await create({ permissions: [twin] })).json()
  const own = { kind: 'application', id: 'assets_read' }
  const permissions = [own, { ...own, resource: identifier }]
  await manage('PUT', `${app}/permissions`, { permissions })
  await manage('POST', `${app}/consents`, {})
  const answer = await token({ scope: 'assets_read' })
  t.match(decodeJwt(answer.json().access_token), { aud: 'https://portcullis.test/api/v2', roles: ['assets_read'] })
})

t.test('U2 another tenant can neither see nor configure it', async (t) => {
  const { manage, create, otherTenantId, registerDemo, caller, deps } = await open(t)
  const { identifier } = (await create()).json()
  const { registration } = await registerDemo({ name: 'theirs', tenantId: otherTenantId })
  const permission = { kind: 'application', resource: identifier, id: 'orders.read' }
  const path = `/applications/${registration.applicationId}/permissions`
  const answer = refusal(await manage('PUT', path, { permissions: [permission] }))
  t.match(answer, { status: 400, code: 'UnknownPermission' })
  const { createUser } = await import('../../src/users/accounts/users.js')
  const membership = { tenantId: otherTenantId, role: 'owner' as const }
  const { userId } = await createUser(deps.users, { email: 'o@x.test', name: 'Owner', membership })
  caller.principal = atPortal(userId, otherTenantId)
  const shown = (await manage('GET', '/permissions')).body
  t.notMatch(shown, identifier)
  t.match(shown, 'assets_read')
})

t.test('what an application has is not taken away behind its back', async (t) => {
  const { manage, create, app } = await open(t)
  const { apiId, identifier } = (await create()).json()
  const permission = { kind: 'application', resource: identifier, id: 'orders.read' }
  await manage('PUT', `${app}/permissions`, { permissions: [permission] })
  for (const [method, body] of [
    ['DELETE', undefined],
    ['PATCH', { permissions: [all] }],
    ['PATCH', { permissions: [{ ...read, kinds: ['delegated'] }] }],
  ] as const) {
    const answer = refusal(await manage(method, `/apis/${apiId}`, body))
    t.match(answer, { status: 409, code: 'PermissionInUse' }, JSON.stringify(body))
  }
  t.equal((await manage('PATCH', `/apis/${apiId}`, { permissions: [read] })).statusCode, 200, 'the other may go')
  await manage('PUT', `${app}/permissions`, { permissions: [] })
  t.equal((await manage('DELETE', `/apis/${apiId}`)).statusCode, 204)
})

t.test('nor is what a deleted application would come back with', async (t) => {
  const { manage, create, app } = await open(t)
  const { apiId, identifier } = (await create()).json()
  const permissions = [{ kind: 'application', resource: identifier, id: 'orders.read' }]
  await manage('PUT', `${app}/permissions`, { permissions })
  t.equal((await manage('DELETE', app)).statusCode, 204)
  for (const [method, body] of [
    ['DELETE', undefined],
    ['PATCH', { permissions: [all] }],
  ] as const) {
    const answer = refusal(await manage(method, `/apis/${apiId}`, body))
    t.match(answer, { status: 409, code: 'PermissionInUse', message: /Deleted applications/ })
  }
  t.equal((await manage('PATCH', `/apis/${apiId}`, { permissions: [read] })).statusCode, 200, 'the other may go')
  const [waiting] = (await manage('GET', '/deletedApplications')).json().value
  t.equal((await manage('DELETE', `/deletedApplications/${waiting.applicationId}`)).statusCode, 204)
  t.equal((await manage('DELETE', `/apis/${apiId}`)).statusCode, 204)
})

t.test('what is no API is refused with the field that is wrong', async (t) => {
  const { manage, create } = await open(t)
  await create()
  const permissions = (one: object) => ({ permissions: [{ ...read, ...one }] })
  for (const [body, status, code, target] of [
    [{}, 409, 'ApiExists', 'shortName'],
    [{ shortName: 'Orders' }, 400, 'InvalidName', 'shortName'],
    [{ shortName: '-x' }, 400, 'InvalidName', 'shortName'],
    [{ shortName: 'a/b' }, 400, 'InvalidName', 'shortName'],
    [{ shortName: 'n1', name: ' ' }, 400, 'InvalidName', 'name'],
    [{ shortName: 'n1', ...permissions({ id: 'a b' }) }, 400, 'InvalidPermission', 'permissions'],
    [{ shortName: 'n1', ...permissions({ id: 'a,b' }) }, 400, 'InvalidPermission', 'permissions'],
    [{ shortName: 'n1', ...permissions({ id: 'openid' }) }, 400, 'InvalidPermission', 'permissions'],
    [{ shortName: 'n1', ...permissions({ id: '.default' }) }, 400, 'InvalidPermission', 'permissions'],
    [
      { shortName: 'n1', ...permissions({ id: 'x.All', adminConsent: false }) },
      400,
      'InvalidPermission',
      'permissions',
    ],
    [{ shortName: 'n1', permissions: [read, read] }, 400, 'InvalidPermission', 'permissions'],
    [{ shortName: 'n1', ...permissions({ describe: '' }) }, 400, 'InvalidName', 'permissions'],
    [{ shortName: 'n1', ...permissions({ kinds: [] }) }, 400, 'InvalidRequest', undefined],
    [{ tenantId: undefined }, 400, 'InvalidRequest', 'tenantId'],
  ] as const) {
    const answer = refusal(await create(body))
    t.match(answer, { status, code, ...(target === undefined ? {} : { target }) }, JSON.stringify(body))
  }
  const many = Array.from({ length: 101 }, (_, i) => ({ ...read, id: `p${i}` }))
  t.match(refusal(await create({ shortName: 'n1', permissions: many })), { status: 400, code: 'InvalidPermission' })
  for (let i = 1; i < 50; i += 1) await create({ shortName: `n${i}`, permissions: [] })
  t.match(refusal(await create({ shortName: 'n50' })), { status: 409, code: 'TooManyApis' })
  t.equal((await manage('GET', '/apis')).json().value.length, 50)
})
