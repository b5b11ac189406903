// Migration 44: what a tenant says of single tools of MCP servers, and how long a person lets an agent act (decision
// 156). It only adds: of a tool without a row a tenant says nothing, and what has no end lasts until it is withdrawn.

import type { Migration } from '../../schema/schema-history.js'

interface ToolRulesTable {
  tenant_id: string
  /** The id of the route, as the configuration says it. */
  route: string
  tool: string
  /** approval | second_factor | never */
  rule: string
  updated_at: number
}

/** Its part of the tables. */
export interface ToolRuleTables {
  tool_rules: ToolRulesTable
}

/** Creates the table. */
export const toolRuleTables: Migration = {
  version: 44,
  name: 'rules for tools, ends of consents',
  statements: [
    `create table tool_rules (
      tenant_id text not null references tenants (id) on delete cascade, route text not null, tool text not null,
      rule text not null, updated_at bigint not null, primary key (tenant_id, route, tool))`,
    'alter table user_consents add column ends_at bigint',
    'alter table user_consents add column lasts text',
    'create index user_consents_by_end on user_consents (ends_at)',
    'alter table grants add column ends_at bigint',
  ],
}
