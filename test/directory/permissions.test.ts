// Configured and consented permissions. What is taken away is taken from tokens that are out as well.

import t from 'tap'
import { changeApplication } from '../../src/directory/applications/application-changes.js'
import { configurePermissions, grantConsent } from '../../src/directory/permissions/permissions.js'
import type { PermissionRef, Registration } from '../../src/directory/records.js'
import { changeTenant, createTenant } from '../../src/directory/tenants/tenants.js'
import { createRevocationView, type RevocationFollower } from '../../src/revocation/revocation-view.js'
import { openDirectory, otherResource, ownResource, withdrawConsent } from '../support/rooms/directory.js'

const nobody = '00000000-0000-4000-8000-000000000000'
const application = (id: string, resource = ownResource): PermissionRef => ({ kind: 'application', resource, id })
const delegated = (id: string): PermissionRef => ({ kind: 'delegated', resource: ownResource, id })

t.test('what is configured is replaced as a whole', async (t) => {
  const { writes, applicationId, configured } = await open(t)
  await configurePermissions(writes, applicationId, [
    application('assets_read'),
    delegated('assets_read'),
    application('assets_read'),
  ])
  t.same(await configured(), ['application assets_read', 'delegated assets_read'])
  await configurePermissions(writes, applicationId, [])
  t.same(await configured(), [])
})

t.test('what cannot be configured is refused and changes nothing', async (t) => {
  const { writes, applicationId, configured, registerDemo } = await open(t)
  const before = await configured()
  const refused = (refs: PermissionRef[]) => configurePermissions(writes, applicationId, refs)
  await t.rejects(refused([application('assets_create'), application('nothing')]), { code: 'UnknownPermission' })
  await t.rejects(refused([application('User.Read')]), { code: 'UnknownPermission', message: /only as a delegated/ })
  await t.rejects(refused([application('assets_read', otherResource)]), { code: 'UnknownPermission' })
  t.same(await configured(), before)
  const native = await registerDemo({ type: 'native' })
  await t.rejects(configurePermissions(writes, native.registration.applicationId, [application('assets_read')]), {
    code: 'NativeApplication',
  })
  await t.rejects(configurePermissions(writes, nobody, []), { code: 'ApplicationNotFound' })
})

t.test('only configured permissions can be consented to', async (t) => {
  const { writes, applicationId, granted } = await open(t, { consentBy: undefined })
  const consent = (permissions: readonly PermissionRef[] | 'all') =>
    grantConsent(writes, applicationId, { permissions, by: 'anna' })
  await t.rejects(consent([application('assets_create')]), {
    code: 'PermissionNotConfigured',
    message: /assets_create/,
  })
  await t.rejects(consent([delegated('assets_read')]), { code: 'PermissionNotConfigured' }, 'the kind counts')
  await t.rejects(consent([application('assets_read'), application('nothing')]), { code: 'UnknownPermission' })
  await t.rejects(consent([]), { code: 'PermissionNotConfigured' })
  t.same(await granted(), [])
  await consent([application('assets_read')])
  t.same(await granted(), ['assets_read'])
  await consent('all')
  t.same(await granted(), ['User.Read.All', 'assets_read'])
})

t.test('T19 consent is to what is configured at that moment, not to what is configured later', async (t) => {
  const { writes, applicationId, granted } = await open(t)
  const all = [application('User.Read.All'), application('assets_read'), application('assets_delete')]
  await configurePermissions(writes, applicationId, all)
  t.same(await granted(), ['User.Read.All', 'assets_read'])
})

t.test('a consent keeps its time and author when it is given again', async (t) => {
  const { writes, applicationId, clock, directory, tenantId } = await open(t)
  const first = await directory.findInstallation(applicationId, tenantId)
  clock.nowMs += 60_000
  t.same(await grantConsent(writes, applicationId, { permissions: 'all', by: 'somebody else' }), first)
})

t.test('an application for its home tenant is installed nowhere else; one for any tenant is, by consent', async (t) => {
  const { writes, applicationId, directory, registerDemo } = await open(t)
  const { tenantId } = await createTenant(writes, { name: 'Fabrikam' })
  const consent = { tenantId, permissions: 'all' as const, by: 'anna' }
  await t.rejects(grantConsent(writes, applicationId, consent), { code: 'NotInstallable' })
  t.equal(await directory.findInstallation(applicationId, tenantId), undefined)

  const { registration } = await registerDemo({ audience: 'any' })
  t.equal(await directory.findInstallation(registration.applicationId, tenantId), undefined)
  await grantConsent(writes, registration.applicationId, consent)
  t.equal((await directory.findInstallation(registration.applicationId, tenantId))?.granted.length, 2)
  await changeTenant(writes, tenantId, { state: 'disabled' })
  await t.rejects(grantConsent(writes, registration.applicationId, consent), { code: 'NotInstallable' })
  await t.rejects(grantConsent(writes, registration.applicationId, { ...consent, tenantId: nobody }), {
    code: 'TenantNotFound',
  })
})

t.test('C9 a withdrawn consent refuses the tokens that are out, and only what was withdrawn is gone', async (t) => {
  const { writes, applicationId, granted, refusal } = await open(t)
  const token = refusal()
  await withdrawConsent(writes, applicationId, { permissions: [application('assets_read')] })
  t.same(await granted(), ['User.Read.All'])
  t.equal(token.refusedFor(), 'application_revoked')
  t.equal(refusal().refusedFor(), undefined, 'a token that is issued now is good')
})

t.test('withdrawing what was not granted refuses nothing', async (t) => {
  const { writes, applicationId, granted, refusal, registration } = await open(t)
  const token = refusal()
  await withdrawConsent(writes, applicationId, {
    permissions: [delegated('assets_read'), application('assets_create')],
  })
  const { tenantId } = await createTenant(writes, { name: 'Fabrikam' })
  await withdrawConsent(writes, applicationId, { tenantId, permissions: 'all' })
  t.equal(token.refusedFor(), undefined)
  t.same(await granted(), ['User.Read.All', 'assets_read'])
  await t.rejects(withdrawConsent(writes, applicationId, { tenantId: nobody, permissions: 'all' }), {
    code: 'TenantNotFound',
  })
  await t.rejects(withdrawConsent(writes, registration.name, { permissions: 'all' }), { code: 'ApplicationNotFound' })
})

t.test('what is configured no longer loses its consent: configuring it again asks again', async (t) => {
  const { writes, applicationId, granted, refusal } = await open(t)
  const token = refusal()
  await configurePermissions(writes, applicationId, [application('User.Read.All')])
  t.same(await granted(), ['User.Read.All'])
  t.equal(token.refusedFor(), 'application_revoked')
  await configurePermissions(writes, applicationId, [application('User.Read.All'), application('assets_read')])
  t.same(await granted(), ['User.Read.All'])
})

t.test('V9 an issuer that has heard of the withdrawal has read what led to it', async (t) => {
  // A change is applied entry by entry. If the revocation came first, a token signed with its number, but with the
  // consents of before, would outlive it.
  const order: string[] = []
  const follower = {
    name: 'witness',
    load: async () => {},
    apply: ({ entry }: { entry: { kind: string } }) => {
      order.push(entry.kind)
    },
  }
  const { writes, registerDemo } = await openDirectory(t, { followers: () => [follower] })
  const { registration } = await registerDemo()
  order.length = 0
  await withdrawConsent(writes, registration.applicationId, { permissions: 'all' })
  t.same(order, ['application', 'revoked'])
})

t.test('a disabled application is refused while it is disabled', async (t) => {
  const { writes, applicationId, refusal } = await open(t)
  const token = refusal()
  await changeApplication(writes, applicationId, { state: 'disabled' })
  t.equal(token.refusedFor(), 'application_disabled')
  await grantConsent(writes, applicationId, { permissions: 'all', by: 'anna' })
  t.equal(token.refusedFor(), 'application_disabled', 'another change does not enable it')
  await changeApplication(writes, applicationId, { state: 'enabled' })
  t.equal(token.refusedFor(), undefined)
})

async function open(t: Parameters<typeof openDirectory>[0], more: { consentBy?: undefined } = {}) {
  let view: RevocationFollower | undefined
  const testApp = await openDirectory(t, {
    followers: ({ feed }) => {
      view = createRevocationView({ feed, staleAfterMs: 60_000, horizonMs: 86_400_000 })
      return [view]
    },
  })
  const { registration, tenantId, keyId } = await testApp.registerDemo(more)
  const { applicationId } = registration
  const granted = async () =>
    ((await testApp.directory.findInstallation(applicationId, tenantId))?.granted ?? []).map(({ id }) => id)
  const configured = async () => refsOf(await testApp.directory.findRegistration(applicationId))
  /** A token issued now, and why it is refused later. */
  const refusal = () => {
    const token = { jti: 'j', credentialId: keyId, applicationId, tenantId, seq: view?.seq ?? 0 }
    return { refusedFor: () => view?.refusal(token, testApp.clock.nowMs) }
  }
  return { ...testApp, registration, applicationId, tenantId, granted, configured, refusal }
}

function refsOf(registration: Registration | undefined): string[] {
  return (registration?.configured ?? []).map(({ kind, id }) => `${kind} ${id}`)
}
