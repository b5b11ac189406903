// Every query of the Store, one after the other, with what each answered: the same on every engine.

import { appendChanges, pruneChanges } from '../../src/storage/sql/cluster/change-log.js'
import { lockHead, readChanges, readHead } from '../../src/storage/sql/cluster/changes.js'
import { insertGap, listGaps, pruneGaps } from '../../src/storage/sql/cluster/feed-gaps.js'
import { listInstances, noteInstance, pruneInstances, removeInstance } from '../../src/storage/sql/cluster/instances.js'
import { type Lease, readLease, releaseLease, takeLease } from '../../src/storage/sql/cluster/leases.js'
import { permissionsInUse, readApis } from '../../src/storage/sql/registrations/apis.js'
import {
  replaceConfiguredPermissions,
  replaceRedirectUris,
} from '../../src/storage/sql/registrations/application-lists.js'
import {
  insertSecret,
  readLiveSecrets,
  readSecret,
  shortenSecret,
} from '../../src/storage/sql/registrations/application-secrets.js'
import {
  insertApplication,
  listApplications,
  readApplications,
  updateApplication,
} from '../../src/storage/sql/registrations/applications.js'
import {
  deleteGrant,
  insertGrants,
  insertInstallation,
  readInstallations,
} from '../../src/storage/sql/registrations/installations.js'
import { deleteSecretsEndedBefore, recordSecretUse } from '../../src/storage/sql/registrations/secret-upkeep.js'
import { insertTenant, listTenants, readTenant, updateTenant } from '../../src/storage/sql/registrations/tenants.js'
import { listCredentialEnds, listDisabled } from '../../src/storage/sql/revocation/revocable-states.js'
import { countRevocations, isRevoked } from '../../src/storage/sql/revocation/revocation-counts.js'
import { readRevocations } from '../../src/storage/sql/revocation/revocation-pages.js'
import {
  deleteRevocation,
  listExpiredRevocations,
  listRevocations,
  putRevocation,
} from '../../src/storage/sql/revocation/revocations.js'
import { insertSigningKey, listSigningKeys, updateSigningKey } from '../../src/storage/sql/revocation/signing-keys.js'
import type { Statements, Store } from '../../src/storage/sql/store.js'
import { applicationRow } from '../support/storage/rows.js'
import { tenantRow } from '../support/storage/temporary-store.js'
import { answersOf, type Query } from './answers.js'
import { ledgerQueries } from './ledger-queries.js'
import { registrationQueries } from './registration-queries.js'
import { webhookQueries } from './webhook-queries.js'

/** Runs each query in a transaction of its own on an empty Store; their answers as JSON. */
export function answersOfQueries(store: Store): Promise<string[]> {
  const all = [...registrations, ...registrationQueries, ...webhookQueries, ...secrets, ...log, ...members]
  return answersOf(store, [...all, ...ledgerQueries])
}

const grant = (id: string) => ({
  application_id: 'a1',
  tenant_id: 't1',
  kind: 'application',
  resource: 'r',
  permission_id: id,
})
/** In order of code points, which is neither that of UTF-16 nor that of a language. */
const names = ['B', 'a', 'é', '\u{ff5e}', '\u{1f600}']

const registrations: readonly Query[] = [
  (tx) => insertTenant(tx, tenantRow('t1')),
  (tx) => insertTenant(tx, tenantRow('t2', 'later', 1_700_000_000_001)),
  (tx) => updateTenant(tx, 't2', { state: 'disabled', updated_at: 5 }),
  (tx) => updateTenant(tx, 'nobody', { user_consent: 'administrators', updated_at: 5 }),
  (tx) => readTenant(tx, 't2'),
  (tx) => readTenant(tx, 'nobody'),
  (tx) => listTenants(tx, 10),
  ...names.map((name, i) => (tx: Statements) => insertApplication(tx, applicationRow(`a${i}`, { name }))),
  (tx) => readApis(tx),
  (tx) => readApis(tx, { tenantId: 't1', id: 'x' }),
  (tx) => permissionsInUse(tx, 'urn:x'),
  (tx) => listApplications(tx, { after: undefined, limit: 3 }),
  (tx) => listApplications(tx, { after: undefined, limit: 3, type: 'web', state: 'enabled' }),
  (tx) => listApplications(tx, { after: { name: 'é', id: 'a2' }, limit: 3 }),
  (tx) => listApplications(tx, { after: { name: '\u{ff5e}', id: 'a0' }, limit: 3 }),
  (tx) => updateApplication(tx, 'a1', { state: 'disabled', updated_at: 9 }),
  (tx) => updateApplication(tx, 'nobody', { updated_at: 9 }),
  (tx) => replaceRedirectUris(tx, 'a1', 'redirect', ['https://b.test/', 'https://a.test/']),
  (tx) => replaceRedirectUris(tx, 'a1', 'logout', []),
  (tx) => replaceConfiguredPermissions(tx, 'a1', [{ kind: 'application', resource: 'r', permission_id: 'p' }]),
  (tx) => insertInstallation(tx, { application_id: 'a1', tenant_id: 't1', created_at: 1 }),
  (tx) => insertInstallation(tx, { application_id: 'a1', tenant_id: 't1', created_at: 2 }),
  (tx) =>
    insertGrants(
      tx,
      ['p', 'q'].map((id) => ({ ...grant(id), granted_at: 1, granted_by: 'x' })),
    ),
  (tx) =>
    insertGrants(
      tx,
      ['q', 's'].map((id) => ({ ...grant(id), granted_at: 2, granted_by: 'y' })),
    ),
  (tx) => deleteGrant(tx, grant('p')),
  (tx) => deleteGrant(tx, grant('p')),
  (tx) => readInstallations(tx, 'a1', 't1'),
  (tx) => readInstallations(tx, 'a1'),
]

const secret = (id: string, endsAt: number) => ({
  key_id: id,
  application_id: 'a1',
  label: id,
  hint: 'abc',
  hash: 'h',
  pepper_id: 'p',
  starts_at: 1,
  ends_at: endsAt,
  last_used_at: null,
  created_at: 1,
})

const secrets: readonly Query[] = [
  (tx) => insertSecret(tx, secret('s2', 100)),
  (tx) => insertSecret(tx, secret('s1', 200)),
  (tx) => readLiveSecrets(tx, 'a1', 100),
  (tx) => shortenSecret(tx, 's1', 150),
  (tx) => shortenSecret(tx, 's1', 300),
  (tx) => shortenSecret(tx, 'nobody', 1),
  (tx) =>
    recordSecretUse(
      tx,
      new Map([
        ['s2', 7],
        ['s1', 9],
        ['nobody', 1],
      ]),
    ),
  (tx) => recordSecretUse(tx, new Map([['s1', 8]])),
  (tx) => readSecret(tx, 's1'),
  (tx) => listCredentialEnds(tx, 99, 151),
  (tx) => listDisabled(tx),
  (tx) => readApplications(tx, 'id', 'a1'),
  (tx) => readApplications(tx, 'public_key', 'key of a1'),
  (tx) => readApplications(tx, 'name', 'a'),
  (tx) => deleteSecretsEndedBefore(tx, 'a1', 101),
  (tx) => readLiveSecrets(tx, 'a1', 0),
]

const revocation = (id: string, expiresAt: number, seq = 1) => ({ what: 'token' as const, id, seq, at: 1, expiresAt })
const key = { kid: 'k', purpose: 'token', alg: 'ES256', publicJwk: '{}', createdAt: 1, activatesAt: 2 } as const

const log: readonly Query[] = [
  (tx) => lockHead(tx),
  (tx) => appendChanges(tx, []),
  (tx) =>
    appendChanges(
      tx,
      [1, 2, 3, 4].map((seq) => ({ seq, at: seq === 2 ? 90 : seq, body: '{}' })),
    ),
  (tx) => readHead(tx),
  (tx) => readChanges(tx, 1, 2),
  (tx) => insertGap(tx, { after: 3, until: 30 }, 10),
  (tx) => insertGap(tx, { after: 33, until: 60 }, 60),
  (tx) => listGaps(tx),
  (tx) => pruneGaps(tx, 50, 10),
  (tx) => listGaps(tx),
  (tx) => pruneChanges(tx, 50, 10),
  (tx) => pruneChanges(tx, 50, 10),
  (tx) => readChanges(tx, 0, 10),
  (tx) => putRevocation(tx, revocation('one', 10)),
  (tx) => putRevocation(tx, revocation('two', 20)),
  (tx) => putRevocation(tx, revocation('one', 30, 2)),
  (tx) => putRevocation(tx, revocation('one', 5, 3)),
  (tx) => listRevocations(tx, 25),
  (tx) => listExpiredRevocations(tx, { beforeMs: 25 }, 5),
  (tx) => listExpiredRevocations(tx, { beforeMs: 0, tokens: { afterMs: 5, beforeMs: 25 } }, 5),
  (tx) => putRevocation(tx, { ...revocation('three', 40), what: 'token', holder: ofPerson }),
  (tx) => putRevocation(tx, { ...revocation('four', 40), what: 'token', holder: { ...ofPerson, userId: null } }),
  (tx) => countRevocations(tx, { what: 'token', holder: ofPerson, nowMs: 20 }, { ofHolder: 9, ofApplication: 9 }),
  (tx) => countRevocations(tx, { what: 'token', holder: ofPerson, nowMs: 20 }, { ofHolder: 9, ofApplication: 1 }),
  (tx) => countRevocations(tx, { what: 'grant', holder: ofPerson, nowMs: 20 }, { ofHolder: 9, ofApplication: 9 }),
  (tx) => isRevoked(tx, 'token', 'three'),
  (tx) => isRevoked(tx, 'token', 'five'),
  (tx) => everyRevocation(tx, { tokensAfterMs: 30, afterMs: 25 }),
  (tx) => deleteRevocation(tx, revocation('two', 20)),
  (tx) => deleteRevocation(tx, revocation('one', 20)),
  (tx) => listRevocations(tx, 0),
  (tx) => insertSigningKey(tx, { ...key, state: 'pending', sealedPrivateJwk: 'sealed', removesAt: null }),
  (tx) => updateSigningKey(tx, { ...key, state: 'removed', sealedPrivateJwk: '', removesAt: 9 }),
  (tx) => listSigningKeys(tx),
]

const ofPerson = { tenantId: 'tenant', applicationId: 'application', userId: 'person' }

async function everyRevocation(tx: Statements, span: { tokensAfterMs: number; afterMs: number }) {
  const entries = []
  for await (const entry of readRevocations(tx, span)) entries.push(entry)
  return entries
}

const instance = (id: string, seenAt: number) => ({ id, name: `name of ${id}`, startedAt: 1, seenAt, appliedSeq: 4 })
const lease = (holder: string, endsAt: number, over?: Lease) => ({ name: 'lead', holder, endsAt, over })

const members: readonly Query[] = [
  (tx) => noteInstance(tx, instance('i2', 10)),
  (tx) => noteInstance(tx, instance('i1', 20)),
  (tx) => noteInstance(tx, { ...instance('i2', 30), appliedSeq: 5 }),
  (tx) => listInstances(tx, 0),
  (tx) => listInstances(tx, 20),
  (tx) => pruneInstances(tx, 20, 5),
  (tx) => pruneInstances(tx, 31, 1),
  (tx) => removeInstance(tx, 'i2'),
  (tx) => removeInstance(tx, 'nobody'),
  (tx) => listInstances(tx, 0),
  (tx) => readLease(tx, 'lead'),
  (tx) => takeLease(tx, lease('i1', 100)),
  (tx) => takeLease(tx, lease('i2', 105)),
  (tx) => takeLease(tx, lease('i1', 105)),
  (tx) => takeLease(tx, lease('i2', 114, { holder: 'i1', endsAt: 100 })),
  (tx) => takeLease(tx, lease('i2', 114, { holder: 'i3', endsAt: 105 })),
  (tx) => takeLease(tx, lease('i2', 50, { holder: 'i1', endsAt: 105 })),
  (tx) => releaseLease(tx, { name: 'lead', holder: 'i1' }),
  (tx) => tx.selectFrom('leases').selectAll().execute(),
  (tx) => readLease(tx, 'lead'),
  (tx) => releaseLease(tx, { name: 'lead', holder: 'i2' }),
  (tx) => readLease(tx, 'lead'),
  (tx) => takeLease(tx, lease('i3', 1, { holder: 'i2', endsAt: 50 })),
]
