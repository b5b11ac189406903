// K9. What happens while a deleted application waits: people leave, permissions and plans change, the tenant is disabled,
// settings are shortened. A restore gives what is right by then.

import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { deleteApplication } from '../../src/directory/applications/delete-application.js'
import { addOwner } from '../../src/directory/applications/owners.js'
import { listOwners } from '../../src/directory/applications/owners-in-transaction.js'
import { purgeDeleted, purgeOverdue } from '../../src/directory/deleted/keep-deleted.js'
import { restoreApplication } from '../../src/directory/deleted/restore-application.js'
import { changeTenant } from '../../src/directory/tenants/tenants.js'
import { putMembership } from '../../src/storage/sql/people/memberships.js'
import { deleteFromTenant } from '../../src/storage/sql/people/user-removal.js'
import { insertUser } from '../../src/storage/sql/people/users.js'
import type { Statements } from '../../src/storage/sql/store.js'
import { type DirectoryApp, openDirectory, otherResource, ownResource } from '../support/rooms/directory.js'
import { userRow } from '../support/storage/rows.js'

const dayMs = 86_400_000
const open = (t: Test) => openDirectory(t)
const ofHome = (id: string, tenantId: string) => ({ id, tenantId, credentials: false, consent: undefined })
const events = async ({ store }: DirectoryApp, applicationId: string) => {
  const rows = await store.reader.selectFrom('ledger').selectAll().orderBy('position').execute()
  return rows.filter((row) => row.application_id === applicationId).map(({ event }) => event)
}

t.test('the shorter time holds: of what was said, and of what the setting says now', async (t) => {
  const testApp = await open(t)
  const { writes, clock, store, registerDemo } = testApp
  const shorter = { ...writes, restorableMs: 7 * dayMs }
  const longer = { ...writes, restorableMs: 90 * dayMs }
  const said = await registerDemo()
  const { tenantId } = said
  const { applicationId } = said.registration
  await deleteApplication(writes, applicationId)
  clock.nowMs += 7 * dayMs
  await t.rejects(restoreApplication(shorter, ofHome(applicationId, tenantId)), { code: 'ApplicationNotFound' })
  await t.rejects(purgeDeleted(shorter, { id: applicationId, tenantId }), { code: 'ApplicationNotFound' })
  await restoreApplication(writes, ofHome(applicationId, tenantId))
  await deleteApplication(writes, applicationId)
  clock.nowMs += 30 * dayMs
  await t.rejects(restoreApplication(longer, ofHome(applicationId, tenantId)), { code: 'ApplicationNotFound' })
  await purgeOverdue(longer, store)
  t.equal((await events(testApp, applicationId)).at(-1), 'application.purged', 'it was promised to be gone')
  const other = await registerDemo({ tenantId, name: 'other' })
  await deleteApplication(writes, other.registration.applicationId)
  clock.nowMs += 7 * dayMs
  await purgeOverdue(shorter, store)
  t.equal((await events(testApp, other.registration.applicationId)).at(-1), 'application.purged')
})

t.test('a sweep that looked earlier does not take what was restored and deleted again', async (t) => {
  const { writes, clock, store, registerDemo } = await open(t)
  const { registration, tenantId } = await registerDemo()
  const { applicationId } = registration
  await deleteApplication(writes, applicationId)
  const end = clock.nowMs + 30 * dayMs
  let again = 0
  const behind = { ...writes, now: () => end - 1 }
  // The instance that sweeps has looked; before it writes, one whose clock is behind restores it and deletes it again.
  const feed = {
    commit: async (...of: Parameters<typeof writes.feed.commit>) => {
      again += 1
      await restoreApplication(behind, ofHome(applicationId, tenantId))
      await deleteApplication(behind, applicationId)
      return writes.feed.commit(...of)
    },
  } as typeof writes.feed
  await purgeOverdue({ ...writes, now: () => end, feed }, store)
  t.equal(again, 1)
  t.ok(await store.reader.selectFrom('deleted_applications').select('id').executeTakeFirst(), 'it waits again')
})

t.test('who left the tenant meanwhile is no owner, though they are there again', async (t) => {
  const { writes, store, registerDemo } = await open(t)
  const { registration, tenantId } = await registerDemo()
  const { applicationId } = registration
  const other = await registerDemo({ tenantId, name: 'other' })
  const [ada, ben] = [randomUUID(), randomUUID()]
  const membership = { tenant_id: tenantId, role: 'developer', created_at: 1, updated_at: 1 }
  const people = (write: (tx: Statements) => Promise<unknown>) =>
    store.transaction(async (tx) => void (await write(tx)))
  for (const id of [ada, ben]) {
    await people((tx) => insertUser(tx, { ...userRow(id), email: `${id}@contoso.test` }))
    await people((tx) => putMembership(tx, { ...membership, user_id: id }))
    await addOwner(writes, applicationId, { kind: 'user', ownerId: id })
  }
  await addOwner(writes, applicationId, { kind: 'application', ownerId: other.registration.applicationId })
  await deleteApplication(writes, applicationId)
  await people((tx) => deleteFromTenant(tx, ada, tenantId))
  await people((tx) => putMembership(tx, { ...membership, user_id: ada }))
  await deleteApplication(writes, other.registration.applicationId)
  await restoreApplication(writes, ofHome(other.registration.applicationId, tenantId))
  await restoreApplication(writes, ofHome(applicationId, tenantId))
  const owners = await listOwners(store.reader, applicationId)
  t.same(
    owners.map(({ ownerId }) => ownerId),
    [ben],
  )
})

t.test('a permission that is for others by then, or is gone, is not consented to by restoring', async (t) => {
  const { writes, catalogue, directory, store, registerDemo } = await open(t)
  const membership = { role: 'administrator', created_at: 1, updated_at: 1 }
  const [ada, ref] = [randomUUID(), (id: string) => ({ kind: 'application' as const, resource: ownResource, id })]
  const { registration, tenantId } = await registerDemo()
  const { applicationId } = registration
  await store.transaction(async (tx) => {
    await insertUser(tx, userRow(ada))
    await putMembership(tx, { ...membership, user_id: ada, tenant_id: tenantId })
  })
  const wanted = { ...ofHome(applicationId, tenantId), consent: { by: ada, byOperator: false, byRole: undefined } }
  await deleteApplication(writes, applicationId)
  const find = catalogue.find
  const raised: typeof find = (kind, resource, id) => {
    const definition = find(kind, resource, id)
    return id === 'assets_read' && definition !== undefined ? { ...definition, role: 'owner' } : definition
  }
  const raising = { ...writes, catalogue: { ...catalogue, find: raised } }
  await t.rejects(restoreApplication(raising, wanted), { code: 'RoleRequired' }, 'for owners by then')
  const gone: typeof find = (kind, resource, id) => (id === 'assets_read' ? undefined : find(kind, resource, id))
  const restored = await restoreApplication({ ...writes, catalogue: { ...catalogue, find: gone } }, wanted)
  t.same(restored.configured.length, 2, 'it stays on the list, as on that of an application that was there')
  const granted = (await directory.findInstallation(applicationId, tenantId))?.granted
  t.match(granted, [{ ...ref('User.Read.All'), grantedBy: ada }])
  t.equal(granted?.length, 1)
})

t.test('what people and other tenants had allowed is over', async (t) => {
  const testApp = await open(t)
  const { writes, store, directory, registerDemo } = testApp
  const { registration, tenantId } = await registerDemo({ audience: 'any' })
  const { applicationId } = registration
  const { tenantId: elsewhere } = (await registerDemo({ name: 'other' })).registration
  const [ada, at] = [randomUUID(), { application_id: applicationId, granted_at: 1 }]
  await store.transaction(async (tx) => {
    await insertUser(tx, userRow(ada))
    const allowed = { ...at, user_id: ada, tenant_id: tenantId, resource: otherResource, permission_id: 'things_read' }
    await tx.insertInto('user_consents').values(allowed).execute()
    const installed = { application_id: applicationId, tenant_id: elsewhere, created_at: 1, redirect_epoch: 0 }
    await tx.insertInto('installations').values(installed).execute()
    const granted = { ...at, tenant_id: elsewhere, kind: 'application', granted_by: 'them' }
    await tx
      .insertInto('permission_grants')
      .values({ ...granted, resource: ownResource, permission_id: 'assets_read' })
      .execute()
  })
  await deleteApplication(writes, applicationId)
  const { kept } = await store.reader.selectFrom('deleted_applications').select('kept').executeTakeFirstOrThrow()
  t.match(JSON.parse(kept).held, {
    granted: [
      { permission_id: 'User.Read.All', tenants: 1 },
      { permission_id: 'assets_read', tenants: 2 },
    ],
    allowed: [{ permission_id: 'things_read', people: 1 }],
  })
  const consent = { by: 'somebody', byOperator: false, byRole: undefined }
  await restoreApplication(writes, { ...ofHome(applicationId, tenantId), credentials: true, consent })
  t.same(await store.reader.selectFrom('user_consents').selectAll().execute(), [])
  t.equal(await directory.findInstallation(applicationId, elsewhere), undefined)
})

t.test('into a disabled tenant nothing comes back, and a failed restore leaves it waiting', async (t) => {
  const { writes, registerDemo } = await open(t)
  const { registration, tenantId } = await registerDemo()
  await deleteApplication(writes, registration.applicationId)
  await changeTenant(writes, tenantId, { state: 'disabled' })
  const restore = () => restoreApplication(writes, ofHome(registration.applicationId, tenantId))
  await t.rejects(restore(), { code: 'NotInstallable' })
  await changeTenant(writes, tenantId, { state: 'enabled' })
  t.equal((await restore()).applicationId, registration.applicationId)
})
