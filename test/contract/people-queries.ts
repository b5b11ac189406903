// Every query of people, one after the other, with what each answered: the same on every engine.

import {
  deleteDeadEmailChanges,
  deleteEmailChange,
  putEmailChange,
  readEmailChanges,
} from '../../src/storage/sql/people/email-changes.js'
import { putEmailVoucher, readEmailVoucher } from '../../src/storage/sql/people/email-vouchers.js'
import {
  deleteExternalIdentity,
  insertExternalIdentity,
  listExternalIdentities,
  readExternalIdentity,
} from '../../src/storage/sql/people/external-identities.js'
import {
  deleteMailAllowances,
  moveMailAllowance,
  readMailAllowances,
} from '../../src/storage/sql/people/mail-allowances.js'
import { countOwners, putMembership, readMemberships } from '../../src/storage/sql/people/memberships.js'
import { deleteLinks, insertLink, readLinks, takeLink } from '../../src/storage/sql/people/one-time-links.js'
import { renamePasskey } from '../../src/storage/sql/people/passkey-names.js'
import { deletePasskey, insertPasskey, notePasskeyUse, readPasskeys } from '../../src/storage/sql/people/passkeys.js'
import {
  countRecoveryCodes,
  replaceRecoveryCodes,
  takeRecoveryCode,
} from '../../src/storage/sql/people/recovery-codes.js'
import { deleteSessions, insertSession, readSessions, touchSession } from '../../src/storage/sql/people/sessions.js'
import { deleteDeadLinks, deleteDeadSessions } from '../../src/storage/sql/people/sign-in-upkeep.js'
import { takeTotpStep } from '../../src/storage/sql/people/totp-steps.js'
import { deleteFromTenant, deleteUser, deleteWaysIn } from '../../src/storage/sql/people/user-removal.js'
import { insertUser, listUsers, readUser, updateUser } from '../../src/storage/sql/people/users.js'
import { insertTenant } from '../../src/storage/sql/registrations/tenants.js'
import { blankProfile } from '../../src/storage/sql/resources/blank-profile.js'
import { findProfile, insertProfile, updateProfiles } from '../../src/storage/sql/resources/profiles.js'
import type { Store } from '../../src/storage/sql/store.js'
import { userRow } from '../support/storage/rows.js'
import { tenantRow } from '../support/storage/temporary-store.js'
import { answersOf, type Query, refusedByCode } from './answers.js'

/**
 * Runs each query in a transaction of its own on a Store without people; their answers as JSON, refusals by their code.
 */
export function answersOfPeopleQueries(store: Store): Promise<string[]> {
  return answersOf(store, [...people, ...proofs, ...links, ...browsers, ...leaving], refusedByCode)
}

/** A person `ada` with one of each proof that works once: `link`, `code`, a seed, `key`. */
export async function prepareProofs(store: Store): Promise<void> {
  await store.transaction(async (tx) => {
    await insertTenant(tx, tenantRow('p1'))
    await insertUser(tx, user('ada', { totp_secret: 'sealed' }))
    await insertLink(tx, link('link'))
    await replaceRecoveryCodes(tx, 'ada', ['code'])
    await insertPasskey(tx, passkey('key', 'ada'))
  })
}

const user = (id: string, more: Partial<Parameters<typeof insertUser>[1]> = {}) =>
  userRow(id, { email: `${id}@Example.test`, ...more })
const member = (user_id: string, tenant_id: string, role: string, at = 1) => ({
  ...{ user_id, tenant_id, role, created_at: at, updated_at: at },
})

const people: readonly Query[] = [
  (tx) => insertTenant(tx, tenantRow('p1')),
  (tx) => insertTenant(tx, tenantRow('p2', 'later', 1_700_000_000_001)),
  (tx) => insertUser(tx, user('u1', { name: 'b' })),
  (tx) => insertUser(tx, user('u2', { name: 'a' })),
  (tx) => insertUser(tx, user('u3', { name: 'b' })),
  (tx) => insertUser(tx, user('u4', { email_key: 'u1@example.test' })),
  (tx) => insertUser(tx, user('u5', { email: '', email_key: null })),
  (tx) => insertUser(tx, user('u6', { email: '', email_key: null })),
  (tx) => readUser(tx, 'id', 'u1'),
  (tx) => readUser(tx, 'email_key', 'u2@example.test'),
  (tx) => readUser(tx, 'id', 'nobody'),
  (tx) => updateUser(tx, 'u5', { state: 'disabled', totp_secret: 'sealed', updated_at: 7 }),
  (tx) => updateUser(tx, 'u6', { email_key: 'u1@example.test' }),
  (tx) => updateUser(tx, 'nobody', { updated_at: 7 }),
  (tx) => listUsers(tx, { limit: 2 }),
  (tx) => listUsers(tx, { limit: 10, after: { name: 'b', id: 'u1' } }),
  (tx) => putMembership(tx, member('u1', 'p1', 'owner')),
  (tx) => putMembership(tx, member('u1', 'p2', 'member', 2)),
  (tx) => putMembership(tx, member('u2', 'p1', 'member', 3)),
  (tx) => putMembership(tx, member('u5', 'p1', 'owner', 4)),
  (tx) => putMembership(tx, member('u2', 'p1', 'administrator', 5)),
  (tx) => readMemberships(tx, { userId: 'u1' }),
  (tx) => readMemberships(tx, { tenantId: 'p1' }),
  (tx) => readMemberships(tx, { userId: 'u2', tenantId: 'p2' }),
  (tx) => countOwners(tx, {}),
  (tx) => countOwners(tx, { tenantId: 'p2' }),
  (tx) => countOwners(tx, { tenantId: 'p1', except: 'u1' }),
  (tx) => listUsers(tx, { limit: 10, tenantId: 'p1' }),
  (tx) => listUsers(tx, { limit: 10, tenantId: 'p1', search: '2@EXAMPLE' }),
  (tx) => listUsers(tx, { limit: 10, search: "%_\\' or 1=1" }),
]

const passkey = (id: string, userId: string) => ({
  ...{ credential_id: id, user_id: userId, public_key: 'k', counter: 0, transports: '[]', name: id },
  ...{ created_at: 1, last_used_at: null },
})
const identity = { issuer: 'https://i.test', subject: 's', user_id: 'u1', provider: 'p', created_at: 1 }

const proofs: readonly Query[] = [
  (tx) => takeTotpStep(tx, 'u1', 5),
  (tx) => takeTotpStep(tx, 'u5', 5),
  (tx) => takeTotpStep(tx, 'u5', 5),
  (tx) => takeTotpStep(tx, 'u5', 4),
  (tx) => takeTotpStep(tx, 'u5', 6),
  (tx) => replaceRecoveryCodes(tx, 'u1', ['h1', 'h2']),
  (tx) => takeRecoveryCode(tx, 'u1', ['h0', 'h1'], 9),
  (tx) => takeRecoveryCode(tx, 'u1', ['h0', 'h1'], 10),
  (tx) => takeRecoveryCode(tx, 'u2', ['h2'], 10),
  (tx) => takeRecoveryCode(tx, 'u1', [], 10),
  (tx) => countRecoveryCodes(tx, 'u1'),
  (tx) => replaceRecoveryCodes(tx, 'u1', ['h3']),
  (tx) => countRecoveryCodes(tx, 'u1'),
  (tx) => insertPasskey(tx, passkey('c2', 'u1')),
  (tx) => insertPasskey(tx, passkey('c1', 'u1')),
  (tx) => insertPasskey(tx, passkey('c1', 'u2')),
  (tx) => renamePasskey(tx, { userId: 'u1', credentialId: 'c1', name: 'Phone' }),
  (tx) => renamePasskey(tx, { userId: 'u9', credentialId: 'c1', name: 'Stolen' }),
  (tx) => readPasskeys(tx, { userId: 'u1' }),
  (tx) => notePasskeyUse(tx, { credentialId: 'c1', counter: 0, atMs: 5 }),
  (tx) => notePasskeyUse(tx, { credentialId: 'c1', counter: 3, atMs: 6 }),
  (tx) => notePasskeyUse(tx, { credentialId: 'c1', counter: 3, atMs: 7 }),
  (tx) => notePasskeyUse(tx, { credentialId: 'c1', counter: 0, atMs: 8 }),
  (tx) => readPasskeys(tx, { credentialId: 'c1' }),
  (tx) => deletePasskey(tx, 'u2', 'c1'),
  (tx) => deletePasskey(tx, 'u1', 'c1'),
  (tx) => insertExternalIdentity(tx, identity),
  (tx) => insertExternalIdentity(tx, { ...identity, user_id: 'u2' }),
  (tx) => readExternalIdentity(tx, 'https://i.test', 's'),
  (tx) => readExternalIdentity(tx, 'https://other.test', 's'),
  (tx) => listExternalIdentities(tx, 'u1'),
  (tx) => deleteExternalIdentity(tx, 'u2', 'https://i.test'),
]

const link = (hash: string, more: Partial<Parameters<typeof insertLink>[1]> = {}) => ({
  ...{ hash, purpose: 'invitation', tenant_id: 'p1', user_id: null, email: `${hash}@x.test`, role: 'member' },
  ...{ created_by: 'operator', created_at: 1, expires_at: 100, used_at: null },
  ...more,
})

const links: readonly Query[] = [
  (tx) => insertLink(tx, link('l1')),
  (tx) => insertLink(tx, link('l2', { expires_at: 50 })),
  (tx) => insertLink(tx, link('l3', { purpose: 'password-reset', user_id: 'u2', tenant_id: null, email: null })),
  (tx) => readLinks(tx, 10, { purpose: 'invitation', tenantId: 'p1' }),
  (tx) => readLinks(tx, 50, { purpose: 'invitation', tenantId: 'p1' }),
  (tx) => readLinks(tx, 10, { hash: 'l3' }),
  (tx) => readLinks(tx, 10, { purpose: 'password-reset', userId: 'u2' }),
  (tx) => deleteLinks(tx, { purpose: 'password-reset', userId: 'u2', createdBy: 'nobody' }),
  (tx) => takeLink(tx, 'l2', 50),
  (tx) => takeLink(tx, 'l1', 20),
  (tx) => takeLink(tx, 'l1', 20),
  (tx) => deleteLinks(tx, { purpose: 'invitation', tenantId: 'p1', email: 'l1@x.test' }),
  (tx) => deleteLinks(tx, { purpose: 'invitation', tenantId: 'p1', email: 'l2@x.test' }),
  (tx) => deleteLinks(tx, { purpose: 'password-reset', userId: 'u2', hash: 'l3' }),
  (tx) => insertLink(tx, link('l4', { expires_at: 60 })),
  (tx) => deleteDeadLinks(tx, 61, 10),
  (tx) => deleteDeadLinks(tx, 61, 10),
]

const session = (id_hash: string, user_id: string, lastSeenAt: number) => ({
  ...{ id_hash, user_id, created_at: 1, last_seen_at: lastSeenAt, expires_at: 1000, authenticated_at: 1, acr: '1' },
  ...{ amr: '["pwd"]', sign_in_way: 'password', user_agent: 'a', address: '::1' },
})

const browsers: readonly Query[] = [
  (tx) => insertSession(tx, session('s1', 'u1', 10)),
  (tx) => insertSession(tx, session('s2', 'u1', 20)),
  (tx) => insertSession(tx, session('s3', 'u5', 30)),
  (tx) => insertSession(tx, session('s4', 'u1', 40)),
  (tx) => readSessions(tx, { userId: 'u1' }),
  (tx) => readSessions(tx, { idHash: 's3' }),
  (tx) => touchSession(tx, 's1', 50),
  (tx) => touchSession(tx, 's1', 45),
  (tx) => readSessions(tx, { idHash: 's1' }),
  (tx) => deleteDeadSessions(tx, { endedBefore: 1000, idleBefore: 30 }, 10),
  (tx) => deleteSessions(tx, { idHash: 's1', userId: 'u2' }),
  (tx) => deleteSessions(tx, { userId: 'u1', except: 's4' }),
  (tx) => deleteSessions(tx, { idHash: 's3' }),
  (tx) => readSessions(tx, { userId: 'u1' }),
]

const profile = (tenantId: string) => {
  const made: string[] = []
  const newId = () => `${tenantId}-${made.push('id')}`
  const facts = { publicName: 'One', idProvider: 'local', email: 'one@x.test' }
  return blankProfile({ tenantId, userId: 'u1' }, facts, 1, newId)
}

const change = (email: string, expiresAt: number) => ({
  ...{ user_id: 'u1', email, hash: `hash of ${email}`, created_at: 1, expires_at: expiresAt },
})

const addresses: readonly Query[] = [
  (tx) => putEmailChange(tx, change('first@x.test', 50)),
  (tx) => putEmailChange(tx, { ...change('second@x.test', 60), hash: null }),
  (tx) => readEmailChanges(tx, ['u1', 'nobody'], 59),
  (tx) => readEmailChanges(tx, ['u1'], 60),
  (tx) => readEmailChanges(tx, [], 1),
  (tx) => deleteDeadEmailChanges(tx, 60, 10),
  (tx) => deleteDeadEmailChanges(tx, 61, 10),
  (tx) => deleteEmailChange(tx, 'u1'),
  (tx) => putEmailVoucher(tx, 'u1', { tenantId: 'p2', atMs: 1 }),
  (tx) => readEmailVoucher(tx, 'u1'),
  (tx) => updateProfiles(tx, { userId: 'u1', tenantId: 'p1' }, { email: 'one@x.test' }),
  (tx) => moveMailAllowance(tx, 'a', 10),
  (tx) => moveMailAllowance(tx, 'a', 20),
  (tx) => moveMailAllowance(tx, 'b', 30),
  async (tx) => [...(await readMailAllowances(tx, ['a', 'b', 'c']))].sort(),
  (tx) => deleteMailAllowances(tx, 25, 10),
  async (tx) => [...(await readMailAllowances(tx, ['a', 'b']))],
]

const leaving: readonly Query[] = [
  (tx) => insertProfile(tx, profile('p1')),
  (tx) => insertProfile(tx, profile('p2')),
  (tx) => updateProfiles(tx, { userId: 'u1' }, { email: 'new@x.test', enrollments_count: 2 }),
  (tx) => findProfile(tx, { tenantId: 'p2', userId: 'u1' }),
  ...addresses,
  (tx) => deleteFromTenant(tx, 'u1', 'p2'),
  (tx) => readEmailVoucher(tx, 'u1'),
  (tx) => deleteFromTenant(tx, 'u1', 'p2'),
  (tx) => findProfile(tx, { tenantId: 'p2', userId: 'u1' }),
  (tx) => insertPasskey(tx, passkey('last', 'u1')),
  (tx) => deleteWaysIn(tx, 'u1'),
  (tx) => deleteWaysIn(tx, 'u1'),
  (tx) => deleteUser(tx, 'u1'),
  (tx) => deleteUser(tx, 'u1'),
  (tx) => readMemberships(tx, {}),
  (tx) => readSessions(tx, { userId: 'u1' }),
]
