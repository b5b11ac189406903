// Migration 22: an index for every order in which people, their sessions, invitations and tenants are listed. It only
// adds.

import type { Migration } from '../schema/schema-history.js'

/** Creates the indexes of people-lists.ts, and of the list of tenants. */
export const peopleIndexes: Migration = {
  version: 22,
  name: 'indexes of the lists of people',
  statements: [
    'create index memberships_by_creation on memberships (tenant_id, created_at, user_id)',
    'create index one_time_links_by_creation on one_time_links (tenant_id, purpose, created_at, hash)',
    'create index sessions_by_creation on sessions (user_id, created_at, id_hash)',
    'create index tenants_by_creation on tenants (created_at, id)',
  ],
}
