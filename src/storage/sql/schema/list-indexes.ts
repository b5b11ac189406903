// Migration 16: an index for every order in which something of a tenant is listed, so that a page costs a page, however
// much there is. It only adds.

import type { Migration } from './schema-history.js'

/** Creates the indexes of the lists. */
export const listIndexes: Migration = {
  version: 16,
  name: 'indexes of the lists',
  statements: [
    'create index subscriptions_by_creation on subscriptions (tenant_id, created_at, id)',
    'create index subscriptions_by_name on subscriptions (tenant_id, display_name, id)',
    'create index subscriptions_by_name_and_state on subscriptions (tenant_id, display_name, state, id)',
    'create index subscriptions_by_state on subscriptions (tenant_id, state, id)',
    'create index subscriptions_by_state_and_name on subscriptions (tenant_id, state, display_name, id)',
    'create index applications_by_tenant_and_name on applications (tenant_id, name, id)',
    'create index recorded_decisions_by_newest on recorded_decisions (application_id, at, id)',
    'create index ledger_by_tenant_and_event on ledger (tenant_id, event, position)',
    'create index ledger_by_event on ledger (event, position)',
    'create index ledger_by_user on ledger (user_id, position)',
    'create index consent_requests_by_creation on consent_requests (tenant_id, created_at desc, id)',
  ],
}
