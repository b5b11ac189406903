// Every query of consents and of requests for them, one after the other, with what each answered: the same on every
// engine.

import {
  countMembers,
  listGrantees,
  listUsableConsents,
  listUsableGrants,
} from '../../src/storage/sql/consents/access-grants.js'
import { deleteEndedConsents, replaceUserConsents } from '../../src/storage/sql/consents/consent-ends.js'
import { deleteDecidedConsentRequests } from '../../src/storage/sql/consents/consent-request-upkeep.js'
import {
  decideConsentRequest,
  insertConsentRequest,
  listConsentRequests,
  renewConsentRequest,
} from '../../src/storage/sql/consents/consent-requests.js'
import {
  deleteUserConsents,
  insertUserConsents,
  listUserConsents,
} from '../../src/storage/sql/consents/user-consents.js'
import { insertGrant } from '../../src/storage/sql/grants/grants.js'
import { listHeldGrants } from '../../src/storage/sql/grants/held-grants.js'
import { putMembership } from '../../src/storage/sql/people/memberships.js'
import { insertUser } from '../../src/storage/sql/people/users.js'
import { replaceConfiguredPermissions } from '../../src/storage/sql/registrations/application-lists.js'
import { insertApplication } from '../../src/storage/sql/registrations/applications.js'
import { insertGrants, insertInstallation } from '../../src/storage/sql/registrations/installations.js'
import { deletePermissionConsents, listTenantGrants } from '../../src/storage/sql/registrations/tenant-consents.js'
import { insertTenant } from '../../src/storage/sql/registrations/tenants.js'
import type { Store } from '../../src/storage/sql/store.js'
import { applicationRow, userRow } from '../support/storage/rows.js'
import { tenantRow } from '../support/storage/temporary-store.js'
import { answersOf, type Query } from './answers.js'

/** Runs each query in a transaction of its own on an empty Store; their answers as JSON. */
export function answersOfConsentQueries(store: Store): Promise<string[]> {
  // The engines have codes of their own for a constraint.
  return answersOf(store, [...ground, ...consents, ...requests, ...held, ...usable], () => 'refused')
}

const ground: readonly Query[] = [
  (tx) => insertTenant(tx, tenantRow('t1')),
  (tx) => insertTenant(tx, tenantRow('t2')),
  (tx) => insertUser(tx, userRow('u1')),
  (tx) => insertUser(tx, userRow('u2')),
  (tx) => insertApplication(tx, applicationRow('a1')),
  (tx) => insertApplication(tx, applicationRow('a2')),
]

const consent = (user_id: string, application_id: string, permission_id: string, granted_at = 1_800_000_000_000) => ({
  ...{ user_id, application_id, tenant_id: 't1', resource: 'openid', permission_id, granted_at },
})
const consents: readonly Query[] = [
  (tx) => insertUserConsents(tx, []),
  (tx) => insertUserConsents(tx, [consent('u1', 'a1', 'openid'), consent('u1', 'a1', 'Profile')]),
  (tx) => insertUserConsents(tx, [consent('u1', 'a1', 'openid', 7), consent('u2', 'a1', 'email')]),
  (tx) => insertUserConsents(tx, [consent('u1', 'a2', 'openid')]),
  (tx) => insertUserConsents(tx, [consent('nobody', 'a2', 'openid')]),
  (tx) => replaceUserConsents(tx, [{ ...consent('u2', 'a1', 'email', 8), ends_at: 9, lasts: 'day' }]),
  (tx) => replaceUserConsents(tx, [{ ...consent('u1', 'a1', 'email', 8), ends_at: 5, lasts: 'once' }]),
  (tx) => deleteEndedConsents(tx, 9),
  (tx) => listUserConsents(tx, {}, 10),
  (tx) => listUserConsents(tx, {}, 2),
  (tx) => listUserConsents(tx, { user_id: 'u1', application_id: 'a1' }, 10),
  (tx) => listUserConsents(tx, { tenant_id: 't2' }, 10),
  (tx) => deleteUserConsents(tx, { application_id: 'a1', tenant_id: 't1', user_id: 'u1' }),
  (tx) => deleteUserConsents(tx, { application_id: 'a1', tenant_id: 't2' }),
  (tx) => deleteUserConsents(tx, { application_id: 'a1', tenant_id: 't1' }),
  (tx) => listUserConsents(tx, { user_id: 'u1' }, 10),
  (tx) => deletePermissionConsents(tx, { application_id: 'a2', resource: 'r', permission_id: 'openid' }),
  (tx) => deletePermissionConsents(tx, { application_id: 'a2', resource: 'openid', permission_id: 'openid' }),
]

const request = (id: string, requested_by: string, tenant_id: string, created_at: number) => ({
  ...{ id, application_id: 'a1', tenant_id, requested_by, permissions: '[]', reason: 'because' },
  ...{ state: 'pending', created_at, decided_at: null, decided_by: null },
})
const decision = { state: 'approved', decided_at: 9, decided_by: 'u2' } as const
const requests: readonly Query[] = [
  (tx) => insertConsentRequest(tx, request('r1', 'u1', 't1', 1_800_000_000_000)),
  (tx) => insertConsentRequest(tx, request('r2', 'u2', 't2', 1_800_000_000_001)),
  (tx) => insertConsentRequest(tx, { ...request('r3', 'u2', 't2', 1), state: 'perhaps' }),
  (tx) => listConsentRequests(tx, { id: 'r1' }, 10),
  (tx) => listConsentRequests(tx, { id: 'nobody' }, 10),
  (tx) => renewConsentRequest(tx, 'r1', { id: 'r0', permissions: '[1]', reason: 'again' }),
  (tx) => listConsentRequests(tx, {}, 10),
  (tx) => listConsentRequests(tx, {}, 1),
  (tx) => listConsentRequests(tx, { tenantIds: [] }, 10),
  (tx) => listConsentRequests(tx, { tenantIds: ['t1'], applicationId: 'a1', requestedBy: 'u1', state: 'pending' }, 10),
  (tx) => decideConsentRequest(tx, 'r0', decision),
  (tx) => decideConsentRequest(tx, 'r0', { ...decision, state: 'declined' }),
  (tx) => decideConsentRequest(tx, 'nobody', decision),
  (tx) => renewConsentRequest(tx, 'r0', { id: 'r4', permissions: '[]', reason: '' }),
  (tx) => listConsentRequests(tx, { state: 'approved' }, 10),
  (tx) => deleteDecidedConsentRequests(tx, decision.decided_at, 10),
  (tx) => deleteDecidedConsentRequests(tx, decision.decided_at + 1, 10),
  (tx) => deleteDecidedConsentRequests(tx, 9_000_000_000_000, 10),
  (tx) => listConsentRequests(tx, {}, 10),
]

const grant = (id: string, created_at: number, state = 'active') => ({
  ...{ id, origin: 'code', user_id: 'u1', application_id: 'a1', tenant_id: 't1', resource: 'r', permissions: '' },
  ...{ openid_scopes: '', client_identifier: '', authentication: '{}', state, created_at, ended_at: null },
  ...{ refresh_sequence: 0, idle_expires_at: 0, expires_at: 0 },
})
const permission = (kind: string, permission_id: string) => ({
  ...{ application_id: 'a1', tenant_id: 't1', kind, resource: 'r', permission_id, granted_at: 5, granted_by: 'u2' },
})
const held: readonly Query[] = [
  (tx) => listHeldGrants(tx, 'u1', 1),
  (tx) => insertGrant(tx, grant('g1', 1_800_000_000_000)),
  (tx) => insertGrant(tx, grant('g2', 1_800_000_000_500)),
  (tx) => insertGrant(tx, grant('g3', 1, 'ended')),
  (tx) => listHeldGrants(tx, 'u1', 1),
  async (tx) => {
    const row = { hash: 'h', grant_id: 'g1', sequence: 1, created_at: 1_800_000_000_900, used_at: null }
    await tx.insertInto('refresh_tokens').values(row).execute()
  },
  (tx) => listHeldGrants(tx, 'u1', 1),
  (tx) => insertInstallation(tx, { application_id: 'a1', tenant_id: 't1', created_at: 1 }),
  (tx) =>
    insertGrants(tx, [permission('delegated', 'b'), permission('application', 'b'), permission('delegated', 'a')]),
  (tx) => listTenantGrants(tx, ['t1', 't2'], 10),
  (tx) => listTenantGrants(tx, ['t1'], 1),
  (tx) => listTenantGrants(tx, [], 10),
]

const configured = (kind: string, permission_id: string) => ({ kind, resource: 'r', permission_id })
const member = (user_id: string, role: string) => ({ user_id, tenant_id: 't1', role, created_at: 1, updated_at: 1 })
const usable: readonly Query[] = [
  (tx) => listGrantees(tx, { limit: 10 }),
  (tx) => listGrantees(tx, { after: 'a1', limit: 10 }),
  (tx) => listUsableGrants(tx, 'a1'),
  (tx) => replaceConfiguredPermissions(tx, 'a1', [configured('delegated', 'a'), configured('application', 'b')]),
  (tx) => listUsableGrants(tx, 'a1'),
  (tx) => putMembership(tx, member('u1', 'owner')),
  (tx) => putMembership(tx, member('u2', 'member')),
  (tx) => countMembers(tx, 't1'),
  (tx) => insertUserConsents(tx, [{ ...consent('u2', 'a1', 'a'), resource: 'r' }]),
  (tx) => insertUserConsents(tx, [{ ...consent('u1', 'a1', 'a'), resource: 'r' }, consent('u1', 'a1', 'b')]),
  (tx) => listUsableConsents(tx, 'a1', { after: undefined, limit: 10 }),
  (tx) => listUsableConsents(tx, 'a1', { after: { tenant_id: 't1', user_id: 'u1' }, limit: 10 }),
  (tx) => listUsableConsents(tx, 'a1', { after: undefined, limit: 1 }),
]
