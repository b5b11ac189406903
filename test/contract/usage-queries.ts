// The queries of usage and of warnings about secrets, one after the other, with what each answered.

import { countUserConsents } from '../../src/storage/sql/consents/consent-counts.js'
import { insertUserConsents } from '../../src/storage/sql/consents/user-consents.js'
import { insertUser } from '../../src/storage/sql/people/users.js'
import { insertSecret } from '../../src/storage/sql/registrations/application-secrets.js'
import { insertApplication } from '../../src/storage/sql/registrations/applications.js'
import {
  listEndingSecrets,
  listSecretWarnings,
  noteSecretWarning,
} from '../../src/storage/sql/registrations/secret-warnings.js'
import { insertTenant } from '../../src/storage/sql/registrations/tenants.js'
import type { Statements, Store } from '../../src/storage/sql/store.js'
import { addUsage, type PermissionUsageRow, type RouteUsageRow } from '../../src/storage/sql/usage/usage.js'
import { sumPermissionUsage, sumRouteUsage, usageCountedSince } from '../../src/storage/sql/usage/usage-reads.js'
import {
  deletePermissionUsage,
  deleteRouteUsage,
  deleteUsageFlushes,
} from '../../src/storage/sql/usage/usage-upkeep.js'
import { applicationRow, userRow } from '../support/storage/rows.js'
import { tenantRow } from '../support/storage/temporary-store.js'

const use = (permission_id: string, day: number, uses: number, at: number, tenant_id = 't1'): PermissionUsageRow => ({
  ...{ application_id: 'a1', tenant_id, kind: 'application', resource: 'r', permission_id, day, uses },
  ...{ first_used_at: at, last_used_at: at },
})
const calls = (route: string, day: number, allowed: number, tenant_id = 't1'): RouteUsageRow => ({
  ...{ application_id: 'a1', tenant_id, day, route, allowed },
  ...{ not_permitted: 1, limited: 2, token_refused: 5, client_errors: 3, server_errors: 4 },
})
const batch = (
  instanceId: string,
  sequence: number,
  permissions: readonly PermissionUsageRow[],
  routes: readonly RouteUsageRow[] = [],
) => ({ instanceId, sequence, permissions, routes, pkce: [] })
/** A row of a secret of that application; `ends_at` in epoch ms. */
export const usageSecret = (key_id: string, ends_at: number) => ({
  ...{ key_id, application_id: 'a1', label: `of ${key_id}`, hint: 'abc', hash: 'h', pepper_id: 'p' },
  ...{ starts_at: 1, ends_at, last_used_at: null, created_at: 1 },
})
/** An application of tenant t1. */
export const usageApplication = applicationRow('a1', { public_key: 'k', name: 'n', audience: 'home' })
const consent = (user_id: string, tenant_id: string, permission_id: string, granted_at: number) => ({
  ...{ user_id, application_id: 'a1', tenant_id, resource: 'r', permission_id, granted_at },
})
const sums = { applicationId: 'a1', recentFrom: 20, quarterFrom: 10 }
const all = { from: 0, to: 100 }

const queries: readonly ((tx: Statements) => Promise<unknown>)[] = [
  (tx) => addUsage(tx, batch('i1', 1, [use('read', 20, 5, 2_000), use('write', 9, 1, 900)], [calls('me', 20, 5)]), 1),
  (tx) => addUsage(tx, batch('i1', 1, [use('read', 20, 5, 2_000)]), 2),
  (tx) => addUsage(tx, batch('i2', 1, [use('read', 20, 7, 1_500)], [calls('me', 20, 7), calls('me', 21, 1)]), 3),
  (tx) => addUsage(tx, batch('i1', 2, [use('read', 21, 1, 2_100), use('read', 20, 1, 1, 't2')]), 4),
  (tx) => addUsage(tx, batch('i1', 1, [use('read', 21, 9, 9_000)]), 5),
  (tx) => addUsage(tx, batch('i3', 1, []), 6),
  (tx) => sumPermissionUsage(tx, sums),
  (tx) => sumPermissionUsage(tx, { ...sums, tenantId: 't2' }),
  (tx) => sumPermissionUsage(tx, { ...sums, applicationId: 'a2' }),
  (tx) => addUsage(tx, batch('i3', 2, [], [calls('other', 20, 1), calls('me', 20, 1, 't2')]), 7),
  (tx) => sumRouteUsage(tx, all, 'day', 100),
  (tx) => sumRouteUsage(tx, { ...all, tenantId: 't1' }, 'route', 100),
  (tx) => sumRouteUsage(tx, all, 'application_id', 100),
  (tx) => sumRouteUsage(tx, { ...all, applicationId: 'a1', tenantId: 't1', from: 21 }, 'day', 100),
  (tx) => sumRouteUsage(tx, { ...all, to: 19 }, 'route', 100),
  (tx) => sumRouteUsage(tx, all, 'route', 1),
  async (tx) => (await usageCountedSince(tx)) > 0,
  (tx) => deletePermissionUsage(tx, 9, 10),
  (tx) => deletePermissionUsage(tx, 20, 10),
  (tx) => deletePermissionUsage(tx, 100, 1),
  (tx) => deletePermissionUsage(tx, 100, 10),
  (tx) => deleteRouteUsage(tx, 20, 10),
  (tx) => deleteRouteUsage(tx, 100, 2),
  (tx) => deleteRouteUsage(tx, 100, 10),
  (tx) => deleteUsageFlushes(tx, 6),
  async (tx) => (await tx.selectFrom('usage_flushes').select('instance_id').execute()).length,
  (tx) => insertTenant(tx, tenantRow('t1')),
  (tx) => insertApplication(tx, usageApplication),
  (tx) => insertTenant(tx, tenantRow('t2')),
  (tx) => insertUser(tx, userRow('u1')),
  (tx) => insertUser(tx, userRow('u2')),
  (tx) => insertUserConsents(tx, [consent('u1', 't1', 'read', 9), consent('u2', 't1', 'read', 7)]),
  (tx) => insertUserConsents(tx, [consent('u1', 't2', 'read', 5), consent('u1', 't1', 'write', 8)]),
  (tx) => countUserConsents(tx, { applicationId: 'a1' }),
  (tx) => countUserConsents(tx, { applicationId: 'a1', tenantId: 't1' }),
  (tx) => countUserConsents(tx, { applicationId: 'a2' }),
  (tx) => insertSecret(tx, usageSecret('k1', 100)),
  (tx) => insertSecret(tx, usageSecret('k2', 200)),
  (tx) => listEndingSecrets(tx, { nowMs: 50, untilMs: 199 }, 10),
  (tx) => listEndingSecrets(tx, { nowMs: 100, untilMs: 200 }, 10),
  (tx) => listEndingSecrets(tx, { nowMs: 0, untilMs: 500 }, 1),
  (tx) => noteSecretWarning(tx, { key_id: 'k1', days: 30, at: 1 }),
  (tx) => noteSecretWarning(tx, { key_id: 'k1', days: 30, at: 2 }),
  (tx) => noteSecretWarning(tx, { key_id: 'k1', days: 7, at: 3 }),
  (tx) => listSecretWarnings(tx, ['k1', 'k2']),
  (tx) => listSecretWarnings(tx, []),
  (tx) => tx.deleteFrom('application_secrets').where('key_id', '=', 'k1').execute(),
  (tx) => listSecretWarnings(tx, ['k1']),
  (tx) => tx.updateTable('applications').set({ state: 'disabled' }).execute(),
  (tx) => listEndingSecrets(tx, { nowMs: 0, untilMs: 500 }, 10),
]

/** Runs each query in a transaction of its own on an empty Store; their answers as JSON. */
export async function answersOfUsageQueries(store: Store): Promise<string[]> {
  const answers: string[] = []
  for (const query of queries) {
    answers.push(JSON.stringify((await store.transaction(query, 'first-lock')) ?? 'nothing', plainNumbers))
  }
  return answers
}

/** How many rows a statement touched is a bigint. */
function plainNumbers(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value
}
