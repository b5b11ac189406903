// Migration 45: single calls of tools that a person has to approve (decision 157). It only adds.

import type { Migration } from '../schema/schema-history.js'

interface CallApprovalsTable {
  /** Random; it names the request in its address. */
  id: string
  /** Hex HMAC-SHA-256 over the call and whose it is; null once it was used. Of two at once there is one. */
  call_key: string | null
  /** pending | allowed | refused | used */
  state: string
  user_id: string
  tenant_id: string
  application_id: string
  grant_id: string
  /** Of the operation, such as `/desk/mcp tools/call:close_ticket`. */
  operation: string
  /** Tool and arguments, encrypted under a derived key; empty once it is decided. */
  body: string
  created_at: number
  /** Pending: the person can decide until then. Allowed: the call can be made until then. */
  expires_at: number
  decided_at: number | null
}

/** Its part of the tables. */
export interface CallApprovalTables {
  call_approvals: CallApprovalsTable
}

/** Creates the table. */
export const callApprovalTables: Migration = {
  version: 45,
  name: 'call approvals',
  statements: [
    `create table call_approvals (
      id text primary key, call_key text unique,
      state text not null check (state in ('pending', 'allowed', 'refused', 'used')), user_id text not null,
      tenant_id text not null, application_id text not null, grant_id text not null, operation text not null,
      body text not null, created_at bigint not null, expires_at bigint not null, decided_at bigint)`,
    'create index call_approvals_by_end on call_approvals (expires_at)',
    'create index call_approvals_by_person on call_approvals (user_id, application_id, state)',
    'create index call_approvals_by_tenant on call_approvals (tenant_id, state)',
  ],
}
