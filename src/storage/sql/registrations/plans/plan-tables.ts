// Migrations 26 and 27: which plan an application was given, and which one was requested for it. It only adds: an application
// without a row has the default plan. tables.ts takes the tables in.

import type { Migration } from '../../schema/schema-history.js'

/** What somebody said about an application. */
interface ApplicationPlansTable {
  application_id: string
  /** A plan of the configuration, or one that it had; empty: nobody said. */
  plan: string
  /** JSON: numbers that an operator gave instead (limits/effective-plan.ts). */
  overrides: string
  updated_at: number
}

/** One for each application: a plan that its developers may not choose themselves. */
interface PlanRequestsTable {
  /** Another one whenever it reads otherwise, so that nobody approves what they have not seen. */
  id: string
  application_id: string
  /** Its home tenant. */
  tenant_id: string
  plan: string
  /** In the requester's words; may be empty. */
  reason: string
  /** The id of the person or application; empty: the local socket. */
  requested_by: string
  requested_at: number
  /** 0: nobody decided yet. What was approved has no row. */
  declined_at: number
  /** Why it was declined, for those who requested it; may be empty. */
  answer: string
}

/** Their part of the tables. */
export interface PlanTables {
  application_plans: ApplicationPlansTable
  plan_requests: PlanRequestsTable
}

/** Creates the tables. */
export const planTables: Migration = {
  version: 26,
  name: 'plans',
  statements: [
    `create table application_plans (
      application_id text primary key references applications (id) on delete cascade, plan text not null,
      overrides text not null, updated_at bigint not null)`,
    `create table plan_requests (
      id text primary key, application_id text not null unique references applications (id) on delete cascade,
      tenant_id text not null, plan text not null, reason text not null, requested_by text not null,
      requested_at bigint not null)`,
    'create index plan_requests_by_tenant on plan_requests (tenant_id, requested_at)',
    'create index plan_requests_by_time on plan_requests (requested_at)',
  ],
}

/** What was declined stays until the next request, so that those who wait hear of it. */
export const planDecisions: Migration = {
  version: 27,
  name: 'plan decisions',
  statements: [
    'alter table plan_requests add column declined_at bigint not null default 0',
    "alter table plan_requests add column answer text not null default ''",
    'create index application_plans_by_plan on application_plans (plan, application_id)',
  ],
}
