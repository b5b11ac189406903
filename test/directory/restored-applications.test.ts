// K9. A deleted application is gone at once and everywhere, and can be restored for a time: the registration, never its
// tokens; credentials and consents only when they are chosen.

import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { changeApplication } from '../../src/directory/applications/application-changes.js'
import { deleteApplication } from '../../src/directory/applications/delete-application.js'
import { addOwner } from '../../src/directory/applications/owners.js'
import { listOwners } from '../../src/directory/applications/owners-in-transaction.js'
import { registerApplication } from '../../src/directory/applications/registration.js'
import { addFederatedCredential } from '../../src/directory/credentials/federated-credentials.js'
import { purgeDeleted, purgeOverdue } from '../../src/directory/deleted/keep-deleted.js'
import { restoreApplication } from '../../src/directory/deleted/restore-application.js'
import { createTenant } from '../../src/directory/tenants/tenants.js'
import { createRevocationView, type RevocationFollower } from '../../src/revocation/revocation-view.js'
import { endedTables, keptTables } from '../../src/storage/sql/registrations/deleted/kept-rows.js'
import { putApplicationPlan } from '../../src/storage/sql/registrations/plans/plans.js'
import { declaredTables } from '../support/databases/declared-tables.js'
import { type DirectoryApp, openDirectory, ownResource } from '../support/rooms/directory.js'

const dayMs = 86_400_000

async function open(t: Test) {
  const views: RevocationFollower[] = []
  const testApp = await openDirectory(t, {
    followers: ({ feed }) => {
      views.push(createRevocationView({ feed, staleAfterMs: 600_000, horizonMs: dayMs }))
      return views
    },
  })
  const writes = { ...testApp.writes, restorableMs: 30 * dayMs }
  return { ...testApp, writes, view: () => views[0] as RevocationFollower }
}

const ofHome = (id: string, tenantId: string) => ({ id, tenantId, credentials: false, consent: undefined })
const events = async ({ store }: DirectoryApp, applicationId: string) => {
  const rows = await store.reader.selectFrom('ledger').selectAll().orderBy('position').execute()
  return rows.filter((row) => row.application_id === applicationId).map(({ event }) => event)
}
const tokenOf = (applicationId: string, tenantId: string, seq: number) => ({
  ...{ jti: randomUUID(), credentialId: applicationId, applicationId, tenantId, seq },
})

t.test('the registration comes back as it was; tokens of before stay refused, new ones are good', async (t) => {
  const testApp = await open(t)
  const { writes, directory, view, clock, store } = testApp
  const { registration, tenantId } = await testApp.registerDemo({
    redirectUris: ['https://app.example/callback'],
    publisher: 'Contoso Ltd',
  })
  const { applicationId, publicKey } = registration
  const friend = await testApp.registerDemo({ tenantId, name: 'friend' })
  const leaver = await testApp.registerDemo({ tenantId, name: 'leaver' })
  for (const { registration: owner } of [friend, leaver])
    await addOwner(writes, applicationId, { kind: 'application', ownerId: owner.applicationId })
  const plan = { application_id: applicationId, plan: 'gold', overrides: '', updated_at: 1 }
  await store.transaction((tx) => putApplicationPlan(tx, plan))
  const before = await directory.findRegistration(applicationId)
  const old = tokenOf(applicationId, tenantId, view().seq)
  await deleteApplication(writes, applicationId)
  await deleteApplication({ ...writes, restorableMs: 0 }, leaver.registration.applicationId)
  t.equal(await directory.findRegistration(applicationId), undefined)
  t.equal(await directory.findRegistration(publicKey), undefined)
  t.equal(await directory.findInstallation(applicationId, tenantId), undefined)
  t.notOk(await directory.isBrowserOrigin('https://app.example'))

  clock.nowMs += 29 * dayMs
  const restored = await restoreApplication(writes, ofHome(publicKey, tenantId))
  const { secrets: _, updatedAt, ...rest } = before ?? registration
  t.match(restored, { ...rest, secrets: [] }, 'by its public key too')
  t.ok(restored.updatedAt > updatedAt)
  t.same(await directory.findRegistration(publicKey), restored)
  t.same((await directory.findInstallation(applicationId, tenantId))?.granted, [], 'nothing is consented to')
  const owners = await listOwners(store.reader, applicationId)
  t.same(
    owners.map(({ ownerId }) => ownerId),
    [friend.registration.applicationId],
    'who is gone owns nothing',
  )
  t.equal(testApp.assignedPlans.of(applicationId)?.plan, 'gold')
  t.type(view().refusal(old, clock.nowMs), 'string', 'a token of before')
  t.equal(view().refusal(tokenOf(applicationId, tenantId, view().seq), clock.nowMs), undefined, 'a new one')
  t.same((await events(testApp, applicationId)).slice(-2), ['application.deleted', 'application.restored'])
  await t.rejects(restoreApplication(writes, ofHome(applicationId, tenantId)), { code: 'ApplicationNotFound' })
})

t.test('K9: credentials and consents come back by choice only', async (t) => {
  const testApp = await open(t)
  const { writes, directory } = testApp
  const { registration, keyId, tenantId } = await testApp.registerDemo()
  const { applicationId } = registration
  const trust = { name: 'ci', issuer: 'https://issuer.example', subject: 'a', audience: 'b' }
  await addFederatedCredential(writes, applicationId, trust)
  const other = await createTenant(writes, { name: 'Elsewhere' })
  const keys = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', kid: 'one' }
  await changeApplication(writes, applicationId, { jwks: { keys: [keys] }, authMethod: 'private_key_jwt' })
  await deleteApplication(writes, applicationId)
  const bare = await restoreApplication(writes, ofHome(applicationId, tenantId))
  t.match(bare, { secrets: [], federated: [], authMethod: 'private_key_jwt', jwks: { keys: [] } })

  const second = await testApp.registerDemo({ tenantId, name: 'second' })
  const { applicationId: id } = second.registration
  await addFederatedCredential(writes, id, trust)
  await deleteApplication(writes, id)
  await t.rejects(
    restoreApplication(writes, ofHome(id, other.tenantId)),
    { code: 'ApplicationNotFound' },
    'of home only',
  )
  const consent = { by: 'somebody', byOperator: false, byRole: undefined }
  const whole = await restoreApplication(writes, { ...ofHome(id, tenantId), credentials: true, consent })
  t.same(whole.secrets, second.registration.secrets)
  t.equal(whole.federated.length, 1)
  const granted = (await directory.findInstallation(id, tenantId))?.granted ?? []
  t.same(granted.map((one) => [one.id, one.grantedBy]).sort(), [
    ['User.Read.All', 'somebody'],
    ['assets_read', 'somebody'],
  ])
  const written = (await events(testApp, id)).slice(-2)
  t.same(written, ['application.restored', 'admin-consent.granted'])
  t.type(keyId, 'string')
})

t.test('what only an operator may consent to is not consented to by restoring', async (t) => {
  const { writes, registerDemo } = await open(t)
  const permissions = [{ kind: 'delegated' as const, resource: ownResource, id: 'Server.Read' }]
  const { registration, tenantId } = await registerDemo({ permissions, consentBy: 'op', consentByOperator: true })
  await deleteApplication(writes, registration.applicationId)
  const restoring = { ...ofHome(registration.applicationId, tenantId), credentials: true }
  const consent = { by: 'somebody', byOperator: false, byRole: undefined }
  await t.rejects(restoreApplication(writes, { ...restoring, consent }), { code: 'OperatorRequired' })
  await restoreApplication(writes, restoring)
})

t.test('after its time it leaves for good, and at once where nothing is kept', async (t) => {
  const testApp = await open(t)
  const { writes, clock, store, registerDemo } = testApp
  const { registration, tenantId } = await registerDemo()
  const { applicationId } = registration
  await deleteApplication(writes, applicationId)
  const other = await registerDemo({ tenantId, name: 'other' })
  await deleteApplication({ ...writes, restorableMs: 0 }, other.registration.applicationId)
  await t.rejects(restoreApplication(writes, ofHome(other.registration.applicationId, tenantId)), {
    code: 'ApplicationNotFound',
  })
  clock.nowMs += 30 * dayMs - 1
  await purgeOverdue(writes, store)
  const rows = () => store.reader.selectFrom('deleted_applications').select('id').execute()
  t.equal((await rows()).length, 1, 'not a moment early')
  clock.nowMs += 1
  await t.rejects(restoreApplication(writes, ofHome(applicationId, tenantId)), { code: 'ApplicationNotFound' }, 'over')
  await purgeOverdue({ ...writes, actor: { kind: 'system' } }, store)
  t.same(await rows(), [])
  t.equal((await events(testApp, applicationId)).at(-1), 'application.purged')
})

t.test('it is deleted for good when somebody says so, once', async (t) => {
  const testApp = await open(t)
  const { writes, registerDemo } = testApp
  const { registration, tenantId } = await registerDemo()
  const id = registration.applicationId
  await deleteApplication(writes, id)
  await t.rejects(purgeDeleted(writes, { id, tenantId: randomUUID() }), { code: 'ApplicationNotFound' })
  await purgeDeleted(writes, { id, tenantId })
  await t.rejects(purgeDeleted(writes, { id, tenantId }), { code: 'ApplicationNotFound' })
  t.equal((await events(testApp, id)).at(-1), 'application.purged')
})

t.test('of a tenant the newest so many are kept, and it needs room to come back', async (t) => {
  const { writes, store, clock } = await open(t)
  const { tenantId } = await createTenant(writes, { name: 'one' })
  // One is the command line, which the oldest tenant has.
  const deps = { ...writes, quotas: { applications: 3, people: 9 } }
  const register = () => registerApplication(deps, { name: `app ${randomUUID()}`, type: 'native', tenantId })
  const ids: string[] = []
  for (let at = 0; at < 4; at += 1) {
    const { applicationId } = (await register()).registration
    ids.push(applicationId)
    clock.nowMs += 1
    await deleteApplication(deps, applicationId)
  }
  const rows = await store.reader.selectFrom('deleted_applications').select('id').execute()
  t.same(rows.map(({ id }) => id).sort(), ids.slice(1).sort(), 'the oldest has left')
  await register()
  await register()
  await t.rejects(restoreApplication(deps, ofHome(ids[3] ?? '', tenantId)), { code: 'TooManyApplications' })
})

t.test('its name stays its own as long as it can be restored', async (t) => {
  const { writes, clock, store, registerDemo } = await open(t)
  const { registration, tenantId } = await registerDemo({ name: 'Payroll' })
  const [ada, ben] = [randomUUID(), randomUUID()]
  await deleteApplication({ ...writes, actor: { kind: 'user', userId: ada } }, registration.applicationId)
  const as = (userId: string) => ({ ...writes, actor: { kind: 'user' as const, userId } })
  const register = (userId: string) => registerApplication(as(userId), { name: 'Payro11', type: 'native', tenantId })
  await t.rejects(register(ben), { code: 'NameTaken' })
  await register(ada)
  await t.rejects(restoreApplication(as(ben), ofHome(registration.applicationId, tenantId)), { code: 'NameTaken' })
  clock.nowMs += 30 * dayMs
  await purgeOverdue(writes, store)
  await registerApplication(writes, { name: 'Payroll', type: 'native', tenantId })
})

t.test('every table that names applications either waits or ends', (t) => {
  const named = Object.entries(declaredTables()).filter(([, columns]) =>
    columns.some((column) => column.startsWith('application_id ')),
  )
  t.ok(named.length > 20)
  const known: readonly string[] = [...keptTables, ...Object.keys(endedTables)]
  t.same(
    named.map(([name]) => name).filter((name) => !known.includes(name)),
    [],
  )
  t.end()
})
