// Registering and changing applications and tenants: every rule of contract §2 that is decided here.

import t from 'tap'
import { changeApplication } from '../../src/directory/applications/application-changes.js'
import { ensureCommandLineApplication } from '../../src/directory/applications/command-line-application.js'
import { registerApplication } from '../../src/directory/applications/registration.js'
import { changeTenant, createTenant } from '../../src/directory/tenants/tenants.js'
import { commandLineClient } from '../../src/oauth/command-line-client.js'
import { replaceConfiguredPermissions } from '../../src/storage/sql/registrations/application-lists.js'
import { listApplications, readApplications } from '../../src/storage/sql/registrations/applications.js'
import { baseUrl, openDirectory, otherResource, ownResource } from '../support/rooms/directory.js'

const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const nobody = '00000000-0000-4000-8000-000000000000'

t.test('K6 a registration gets both identifiers from the server, different each time', async (t) => {
  const { registerDemo, tenantId } = await withTenant(t)
  const made = [await registerDemo({ tenantId }), await registerDemo({ tenantId })]
  const [one, two] = made.map(({ registration }) => registration)
  for (const each of [one, two]) {
    t.match(each?.applicationId, guid)
    t.match(each?.publicKey, /^pcl_pk_[0-9A-Za-z]{22}$/)
  }
  t.not(one?.applicationId, two?.applicationId)
  t.not(one?.publicKey, two?.publicKey)
})

t.test('K6 a developer cannot choose an identifier', async (t) => {
  const { registerDemo, tenantId } = await withTenant(t)
  const chosen = { applicationId: nobody, id: nobody, publicKey: 'pcl_pk_0000000000000000000000', tenantId }
  const { registration } = await registerDemo(chosen)
  t.not(registration.applicationId, nobody)
  t.not(registration.publicKey, chosen.publicKey)
})

t.test('a web application is there as a whole: secret, lists, permissions, installation, consent', async (t) => {
  const { writes, directory, tenantId, clock } = await withTenant(t)
  const { registration, secret } = await registerApplication(writes, {
    name: '  Lager Süd  ',
    type: 'web',
    tenantId,
    audience: 'any',
    redirectUris: ['https://app.test/cb', 'https://app.test/cb', 'http://localhost:3000/cb'],
    adminConsentRedirectUris: ['https://app.test/admin'],
    logoutRedirectUris: ['https://app.test/out'],
    permissions: [
      { kind: 'application', resource: ownResource, id: 'assets_read' },
      { kind: 'application', resource: ownResource, id: 'assets_read' },
      { kind: 'delegated', resource: ownResource, id: 'User.Read' },
    ],
    consentBy: 'anna',
    secret: { label: 'ci' },
  })
  t.match(secret, { secret: /^pcl_sk_/, endsAt: clock.nowMs + 180 * 86_400_000 })
  t.same(await directory.findRegistration(registration.publicKey), registration)
  t.match(registration, { name: 'Lager Süd', state: 'enabled', audience: 'any', type: 'web', tenantId })
  t.same(registration.redirectUris, ['http://localhost:3000/cb', 'https://app.test/cb'])
  t.same(registration.adminConsentRedirectUris, ['https://app.test/admin'])
  t.same(registration.logoutRedirectUris, ['https://app.test/out'])
  t.same(
    registration.configured.map(({ kind, id }) => `${kind} ${id}`),
    ['delegated User.Read', 'application assets_read'],
  )
  t.match(registration.secrets, [{ keyId: secret?.keyId, label: 'ci', lastUsedAt: null }])
  const installation = await directory.findInstallation(registration.applicationId, tenantId)
  t.match(installation?.granted, [
    { kind: 'delegated', id: 'User.Read', grantedBy: 'anna', grantedAt: clock.nowMs },
    { kind: 'application', id: 'assets_read', grantedBy: 'anna' },
  ])
})

t.test('an application is installed in its home tenant, and nothing is consented unless somebody did', async (t) => {
  const { registerDemo, directory, tenantId } = await withTenant(t)
  const { registration } = await registerDemo({ tenantId, consentBy: undefined })
  t.same((await directory.findInstallation(registration.applicationId, tenantId))?.granted, [])
  t.equal(registration.configured.length, 2)
})

t.test('T16 a native application has neither secret nor application permissions', async (t) => {
  const { registerDemo, writes, tenantId } = await withTenant(t)
  const { registration, secret } = await registerDemo({
    tenantId,
    type: 'native',
    redirectUris: ['com.example.app:/cb'],
  })
  t.equal(secret, '')
  t.same(registration.secrets, [])
  const native = { name: 'app', type: 'native' as const, tenantId }
  const application = [{ kind: 'application' as const, resource: ownResource, id: 'assets_read' }]
  await t.rejects(registerApplication(writes, { ...native, permissions: application }), { code: 'NativeApplication' })
  await t.rejects(registerApplication(writes, { ...native, secret: {} }), { code: 'NativeApplication' })
})

t.test('C1 names: 1 to 120 characters, nothing invisible, nothing that looks like an identifier', async (t) => {
  const { registerDemo, writes, tenantId } = await withTenant(t)
  for (const name of ['a', 'ä'.repeat(120), '🚀'.repeat(120), 'Ünï <b>&"\'', 'می‌خواهم', 'Zoë — 東京']) {
    const { registration } = await registerDemo({ tenantId, name })
    t.equal(registration.name, name.normalize('NFC'))
  }
  const bad = [
    '',
    '   ',
    'a'.repeat(121),
    'a\0b',
    'a\nb',
    'a\u001b[31m',
    'evil\u202egpj',
    'a\u2066b',
    'a\u200bb',
    'a\u2028b',
    '\ufeffa',
    'a\ud800',
  ]
  for (const name of [...bad, nobody, nobody.toUpperCase(), 'pcl_pk_0123456789012345678901']) {
    await t.rejects(registerDemo({ tenantId, name }), { code: 'InvalidName', target: 'name' })
    await t.rejects(createTenant(writes, { name }), { code: 'InvalidName' })
    await t.rejects(registerDemo({ tenantId, secret: { label: name } }), { code: 'InvalidName', target: 'label' })
  }
})

t.test(
  'R3 redirect URIs are checked in each of the three lists, and nothing is registered when one is bad',
  async (t) => {
    const { registerDemo, store, tenantId } = await withTenant(t)
    const bad = [
      'http://app.test/cb',
      'https://app.test/cb#x',
      'javascript:alert(1)',
      'https://*.app.test/',
      'https://u@app.test/',
      '/cb',
      'https://app.test/?code=1',
    ]
    for (const uri of bad) {
      for (const list of ['redirectUris', 'adminConsentRedirectUris', 'logoutRedirectUris']) {
        await t.rejects(registerDemo({ tenantId, [list]: ['https://app.test/', uri] }), {
          code: 'InvalidRedirectUri',
          target: list,
        })
      }
    }
    const many = Array.from({ length: 101 }, (_, i) => `https://app.test/${i}`)
    await t.rejects(registerDemo({ tenantId, redirectUris: many }), { code: 'InvalidRedirectUri' })
    t.same(await listApplications(store.reader, { after: undefined, limit: 9 }), [])
  },
)

t.test('R4 a private-use scheme is for native applications, with a dot', async (t) => {
  const { registerDemo, tenantId } = await withTenant(t)
  const uris = (type: 'web' | 'native', uri: string) => registerDemo({ tenantId, type, redirectUris: [uri] })
  t.same((await uris('native', 'com.example.app:/cb')).registration.redirectUris, ['com.example.app:/cb'])
  await t.rejects(uris('web', 'com.example.app:/cb'), { code: 'InvalidRedirectUri' })
  await t.rejects(uris('native', 'myapp:/cb'), { code: 'InvalidRedirectUri' })
})

t.test('permissions exist in the catalogue, in that kind and resource', async (t) => {
  const { registerDemo, tenantId } = await withTenant(t)
  const one = (kind: 'application' | 'delegated', id: string, resource = ownResource) =>
    registerDemo({ tenantId, consentBy: undefined, permissions: [{ kind, resource, id }] })
  t.equal((await one('application', 'things_read', otherResource)).registration.configured.length, 1)
  for (const refused of [
    one('application', 'User.Read'),
    one('delegated', 'things_read', otherResource),
    one('application', 'things_read'),
    one('application', 'assets_read', `${baseUrl}/api/v2/`),
    one('application', 'user.read.all'),
    one('application', 'assets_read\0'),
  ]) {
    await t.rejects(refused, { code: 'UnknownPermission', target: 'permissions' })
  }
})

t.test('a registration that fails leaves nothing, and no change', async (t) => {
  const { registerDemo, store, feed, tenantId } = await withTenant(t)
  const before = feed.seq
  const tables = ['applications', 'application_secrets', 'configured_permissions', 'installations'] as const
  const rows = () => Promise.all(tables.map((table) => store.reader.selectFrom(table).selectAll().execute()))
  const were = await rows()
  // Consent is checked last, inside the transaction: there is nothing to consent to.
  await t.rejects(registerDemo({ tenantId, permissions: [] }), { code: 'PermissionNotConfigured' })
  await t.rejects(registerDemo({ tenantId: nobody }), { code: 'TenantNotFound' })
  await t.rejects(registerDemo({ tenantId: 'Contoso\0' }), { code: 'TenantNotFound' })
  t.equal(feed.seq, before)
  t.same(await rows(), were)
})

t.test('a disabled tenant gets no new applications', async (t) => {
  const { registerDemo, writes, tenantId } = await withTenant(t)
  await changeTenant(writes, tenantId, { state: 'disabled' })
  await t.rejects(registerDemo({ tenantId }), { code: 'NotInstallable' })
  await changeTenant(writes, tenantId, { state: 'enabled' })
  t.equal((await registerDemo({ tenantId })).registration.tenantId, tenantId)
  await t.rejects(changeTenant(writes, nobody, { state: 'disabled' }), { code: 'TenantNotFound' })
})

t.test('an application is renamed, disabled and enabled, and its lists are replaced', async (t) => {
  const { registerDemo, writes, clock, tenantId } = await withTenant(t)
  const { registration } = await registerDemo({
    tenantId,
    redirectUris: ['https://a.test/'],
    logoutRedirectUris: ['https://b.test/'],
  })
  clock.nowMs += 1_000
  const { applicationId } = registration
  const changed = await changeApplication(writes, applicationId, {
    name: 'new',
    state: 'disabled',
    redirectUris: ['https://c.test/'],
  })
  t.match(changed, {
    name: 'new',
    state: 'disabled',
    redirectUris: ['https://c.test/'],
    logoutRedirectUris: ['https://b.test/'],
  })
  t.equal(changed.updatedAt, registration.createdAt + 1_000)
  t.same(
    (await changeApplication(writes, applicationId, { logoutRedirectUris: [], state: 'enabled' })).logoutRedirectUris,
    [],
  )
  await t.rejects(changeApplication(writes, applicationId, { name: '\u202e' }), { code: 'InvalidName' })
  await t.rejects(changeApplication(writes, applicationId, { redirectUris: ['com.example:/x'] }), {
    code: 'InvalidRedirectUri',
  })
  await t.rejects(changeApplication(writes, nobody, { name: 'x' }), { code: 'ApplicationNotFound' })
  await t.rejects(changeApplication(writes, 'new', { name: 'x' }), { code: 'ApplicationNotFound' })
})

async function withTenant(t: Parameters<typeof openDirectory>[0]) {
  const testApp = await openDirectory(t)
  const { tenantId } = await createTenant(testApp.writes, { name: 'Contoso' })
  return { ...testApp, tenantId }
}

t.test('the command line’s application is in the oldest tenant, once, and is fixed', async (t) => {
  const { store, writes, catalogue, feed } = await openDirectory(t)
  const read = async () => (await readApplications(store.reader, 'id', commandLineClient.applicationId))[0]
  await ensureCommandLineApplication(writes, store)
  t.equal(await read(), undefined, 'where there is no tenant there is no home for it')
  const { tenantId } = await createTenant(writes, { name: 'Contoso' })
  const made = await read()
  t.match(made?.application, { tenant_id: tenantId, type: 'native', audience: 'any', state: 'enabled' })
  t.same(
    made?.redirectUris.map(({ uri }) => uri),
    ['http://127.0.0.1/callback'],
  )
  const permissions = made?.configured.map(({ permission_id: id }) => id) ?? []
  t.ok(permissions.includes('Application.ReadWrite.All') && permissions.includes('Server.Read'))
  t.ok(permissions.every((id) => catalogue.find('delegated', ownResource, id)?.adminConsent === true))
  await createTenant(writes, { name: 'Fabrikam' })
  const { seq } = feed
  await ensureCommandLineApplication(writes, store)
  t.equal(feed.seq, seq, 'nothing is written when it is as it should be')
  t.same(await read(), made)
  await store.transaction((tx) => replaceConfiguredPermissions(tx, commandLineClient.applicationId, []))
  await Promise.all([ensureCommandLineApplication(writes, store), ensureCommandLineApplication(writes, store)])
  t.equal((await read())?.configured.length, permissions.length)
  t.same(await listApplications(store.reader, { after: undefined, limit: 9 }), [], 'nobody registered it')
})
