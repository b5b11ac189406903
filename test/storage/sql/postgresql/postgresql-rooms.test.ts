// The rooms above, on PostgreSQL: every query answers as on SQLite, and whole stories come out the same.
// full: every room on PostgreSQL
// run: apart

import t from 'tap'
import { changeApplication } from '../../../../src/directory/applications/application-changes.js'
import { registerApplication } from '../../../../src/directory/applications/registration.js'
import { addSecret, endSecret, rotateSecret } from '../../../../src/directory/credentials/secrets.js'
import { createDirectory } from '../../../../src/directory/directory.js'
import { configurePermissions, grantConsent } from '../../../../src/directory/permissions/permissions.js'
import { changeTenant, createTenant } from '../../../../src/directory/tenants/tenants.js'
import type { DirectoryWrites } from '../../../../src/directory/writes.js'
import { createLedger } from '../../../../src/ledger/chain.js'
import { createLedgerKeys } from '../../../../src/ledger/ledger-keys.js'
import { createRevocationView } from '../../../../src/revocation/revocation-view.js'
import { revoke } from '../../../../src/revocation/revoke.js'
import { createEmbeddedFeed } from '../../../../src/storage/changes/embedded-feed.js'
import { takeLink } from '../../../../src/storage/sql/people/one-time-links.js'
import { notePasskeyUse } from '../../../../src/storage/sql/people/passkeys.js'
import { takeRecoveryCode } from '../../../../src/storage/sql/people/recovery-codes.js'
import { takeTotpStep } from '../../../../src/storage/sql/people/totp-steps.js'
import type { Statements, Store } from '../../../../src/storage/sql/store.js'
import { sourceContract } from '../../../backend/source-contract.js'
import { answersOfApprovalQueries } from '../../../contract/approval-queries.js'
import { answersOfConsentQueries } from '../../../contract/consent-queries.js'
import { answersOfDecisionQueries } from '../../../contract/decision-queries.js'
import { answersOfDeviceQueries } from '../../../contract/device-queries.js'
import { answersOfGrantQueries } from '../../../contract/grant-queries.js'
import { answersOfPendingQueries } from '../../../contract/pending-queries.js'
import { answersOfPeopleQueries, prepareProofs } from '../../../contract/people-queries.js'
import { answersOfQueries } from '../../../contract/store-queries.js'
import { startPostgres } from '../../../support/databases/postgresql.js'
import { openPostgresTestStore } from '../../../support/databases/postgresql-store.js'
import { withProfiles } from '../../../support/rooms/backend-app.js'
import { ownResource, testCatalogue, withdrawConsent } from '../../../support/rooms/directory.js'
import { openTemporaryStore, type TestScope } from '../../../support/storage/temporary-store.js'

t.setTimeout(120_000)
const server = await startPostgres(t)
const startMs = 1_800_000_000_000
const dayMs = 86_400_000

t.test('every query answers as on SQLite', async (t) => {
  const { store } = await openTemporaryStore(t)
  const expected = await answersOfQueries(store)
  const { store: postgres } = await openPostgresTestStore(t, server)
  t.same(await answersOfQueries(postgres), expected)
  t.ok(expected.length > 80, `${expected.length} answers`)
})

t.test('every query of consents answers as on SQLite', async (t) => {
  const { store } = await openTemporaryStore(t)
  const expected = await answersOfConsentQueries(store)
  const { store: postgres } = await openPostgresTestStore(t, server)
  t.same(await answersOfConsentQueries(postgres), expected)
  t.equal(expected.filter((answer) => answer.includes('refused')).length, 2, 'nobody, and a state that there is not')
  t.match(expected.slice(-13).join(), /a1.*"b".*"people":1.*"user_id":"u1".*"user_id":"u2"/, 'who could get a token')
})

t.test('every query of recorded decisions answers as on SQLite', async (t) => {
  const { store } = await openTemporaryStore(t)
  const expected = await answersOfDecisionQueries(store)
  const { store: postgres } = await openPostgresTestStore(t, server)
  t.same(await answersOfDecisionQueries(postgres), expected)
  t.same(expected.slice(10, 16), ['[]', '1', '["x"]', '0', '1', '1'], 'who has too many, and how many go')
})

t.test('every query of grants answers as on SQLite', async (t) => {
  const { store } = await openTemporaryStore(t)
  const expected = await answersOfGrantQueries(store)
  const { store: postgres } = await openPostgresTestStore(t, server)
  t.same(await answersOfGrantQueries(postgres), expected)
  t.equal(expected.filter((answer) => answer.includes('refused')).length, 4, 'what must be unique, and a filter')
  t.same(JSON.parse(expected.at(-1) ?? ''), ['http://localhost/', 'https://a.test/x', 'https://b.test/'])
  t.equal(expected.filter((answer) => answer === 'true').length, 1, 'T8 a code is consumed once')
})

t.test('every query of people answers as on SQLite', async (t) => {
  const { store } = await openTemporaryStore(t)
  const expected = await answersOfPeopleQueries(store)
  const { store: postgres } = await openPostgresTestStore(t, server)
  t.same(await answersOfPeopleQueries(postgres), expected)
  t.equal(expected.filter((answer) => answer.includes('refused')).length, 4, 'what must be unique')
})

t.test('every query of device codes answers as on SQLite', async (t) => {
  const { store } = await openTemporaryStore(t)
  const expected = await answersOfDeviceQueries(store)
  const { store: postgres } = await openPostgresTestStore(t, server)
  t.same(await answersOfDeviceQueries(postgres), expected)
  t.equal(expected.filter((answer) => answer.includes('refused')).length, 1, 'what must be unique')
})

t.test('every query of approvals answers as on SQLite', async (t) => {
  const { store } = await openTemporaryStore(t)
  const expected = await answersOfApprovalQueries(store)
  const { store: postgres } = await openPostgresTestStore(t, server)
  t.same(await answersOfApprovalQueries(postgres), expected)
  const made = expected.filter((answer) => answer === 'true').length
  t.equal(made, 8, 'made, decided and used once each')
})

t.test('every query of pending requests answers as on SQLite', async (t) => {
  const { store } = await openTemporaryStore(t)
  const expected = await answersOfPendingQueries(store)
  const { store: postgres } = await openPostgresTestStore(t, server)
  t.same(await answersOfPendingQueries(postgres), expected)
  t.equal(expected.filter((answer) => answer === 'true').length, 2, 'one change and one end')
})

t.test('of many uses of one link, code or step at once, by two instances, one is the first', async (t) => {
  const { store, another } = await openPostgresTestStore(t, server)
  const stores = [store, await another()]
  await prepareProofs(store)
  const uses: ((tx: Statements) => Promise<unknown>)[] = [
    (tx) => takeLink(tx, 'link', 10),
    (tx) => takeRecoveryCode(tx, 'ada', ['code'], 10),
    (tx) => takeTotpStep(tx, 'ada', 7),
    (tx) => notePasskeyUse(tx, { credentialId: 'key', counter: 5, atMs: 10 }),
  ]
  for (const use of uses) {
    const crowd = Array.from({ length: 20 }, (_, i) => (stores[i % 2] as Store).transaction(use))
    const taken = (await Promise.all(crowd)).filter((one) => one !== undefined && one !== false)
    t.equal(taken.length, 1, String(use))
  }
})

t.test('the SQL source of the backend', async (t) =>
  sourceContract(t, async (scope) => withProfiles((await openPostgresTestStore(scope, server)).store)),
)

/** One instance: a directory and a revocation view that follow the log of `store`. */
async function openInstance(t: TestScope, store: Store) {
  const now = () => startMs
  const monotonic = () => performance.now()
  const feed = createEmbeddedFeed({ store, pollMs: 10, now, monotonic })
  const directory = createDirectory({ store })
  const view = createRevocationView({ feed, staleAfterMs: 60_000, horizonMs: 7_200_000, now, monotonic })
  feed.follow(directory)
  feed.follow(view)
  t.teardown(() => feed.stop())
  await feed.start()
  const writes: DirectoryWrites = {
    ledger: createLedger({ keys: createLedgerKeys([new Uint8Array(32)]), now }),
    actor: { kind: 'operator' },
    feed,
    now,
    catalogue: testCatalogue(),
    peppers: [new Uint8Array(32)],
    tokenLifetimeMs: 3_600_000,
  }
  return { feed, directory, view, writes, now }
}

t.test('what one instance writes of applications, consents and revocations, another one knows', async (t) => {
  const { store, another } = await openPostgresTestStore(t, server)
  const [one, other] = [await openInstance(t, store), await openInstance(t, await another())]
  const { tenantId } = await createTenant(one.writes, { name: 'Contoso' })
  const permissions = ['User.Read.All', 'assets_read'].map((id) => ({
    kind: 'application' as const,
    resource: ownResource,
    id,
  }))
  const { registration, secret } = await registerApplication(one.writes, {
    name: 'demo',
    type: 'web',
    tenantId,
    permissions,
    consentBy: 'test',
  })
  const { applicationId } = registration
  const keyId = secret?.keyId ?? ''
  const token = { jti: 'j', credentialId: keyId, applicationId, tenantId }

  await other.feed.catchUp()
  const issuedAt = other.feed.seq
  t.equal((await other.directory.findRegistration(applicationId))?.name, 'demo')
  t.equal((await other.directory.findInstallation(applicationId, tenantId))?.granted.length, 2)
  await changeApplication(other.writes, applicationId, { name: 'renamed', redirectUris: ['https://a.test/'] })
  await one.feed.catchUp()
  t.equal((await one.directory.findRegistration(applicationId))?.name, 'renamed')
  await configurePermissions(one.writes, applicationId, permissions.slice(0, 1))
  await grantConsent(one.writes, applicationId, { permissions: 'all', by: 'again' })
  await addSecret(one.writes, applicationId, { label: 'second', lifetimeMs: dayMs })
  const rotated = await rotateSecret(other.writes, applicationId, {
    label: 'third',
    lifetimeMs: dayMs,
    overlapMs: 60_000,
  })
  await endSecret(one.writes, { applicationId, keyId: rotated.keyId })
  await withdrawConsent(one.writes, applicationId, { permissions: 'all' })
  await revoke(one.writes, { what: 'token', id: 'j' })
  await changeTenant(one.writes, tenantId, { state: 'disabled' })
  await other.feed.catchUp()
  t.equal(other.feed.seq, one.feed.seq)
  t.equal(other.view.refusal({ ...token, seq: issuedAt }, startMs), 'token_revoked')
  const sibling = { ...token, jti: 'k', seq: issuedAt }
  t.ok(other.view.refusal(sibling, startMs), 'a token of the application, whose consent was withdrawn')
  t.equal(other.view.refusal(sibling, startMs), one.view.refusal(sibling, startMs))
  t.equal((await other.directory.findTenant(tenantId))?.state, 'disabled')
  t.equal((await other.directory.findInstallation(applicationId, tenantId))?.granted.length, 0)
})
