// Migration 46: what a person took away from a grant later. What was granted stays beside it, because a client may go on
// naming it (RFC 6749 §6). It only adds.

import type { Migration } from '../schema/schema-history.js'

/** Extends the grants. */
export const withdrawnColumn: Migration = {
  version: 46,
  name: 'permissions withdrawn from grants',
  statements: [`alter table grants add column withdrawn text not null default ''`],
}
