// Migration 13: whose a revoked token or grant is. It only adds, and what was revoked before is nobody's: it ends by
// itself.

import type { Migration } from './schema-history.js'

/** Extends the revocations. */
export const revocationColumns: Migration = {
  version: 13,
  name: 'holders of revoked tokens',
  statements: [
    'alter table revocations add column tenant_id text',
    'alter table revocations add column application_id text',
    'alter table revocations add column user_id text',
    'create index revocations_by_holder on revocations (application_id, tenant_id, what, user_id, expires_at)',
  ],
}
