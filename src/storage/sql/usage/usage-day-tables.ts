// Migration 33: up to which day each instance has written its counts, and which ended day is told of next. Migration 40:
// the order in which a day of a tenant is read. They only add.

import type { Migration } from '../schema/schema-history.js'

/** Up to where an instance has written what it counted. */
interface UsageWrittenTable {
  /** As in `instances`. */
  instance_id: string
  /** Days since 1970: all that it counted on days before this one is in route_usage. */
  day: number
}

/** One row: which days have ended for counting, and up to where events tell of them. Days since 1970 in UTC. */
interface UsageDaysTable {
  id: number
  /** The first day that still takes counts; what comes for an earlier one counts for this. 0: not begun. */
  open_day: number
  /** The day that is told of next; it waits until it is before `open_day`. */
  next_day: number
  /** Tenants up to this one were told of it; empty: none. */
  next_tenant: string
  /** The part for the tenant that comes next. */
  next_part: number
}

/** Their part of the tables. */
export interface UsageDayTables {
  usage_written: UsageWrittenTable
  usage_days: UsageDaysTable
}

/** Creates them; days that ended before are told of to nobody. */
export const usageDayTables: Migration = {
  version: 33,
  name: 'usage days',
  statements: [
    'create table usage_written (instance_id text primary key, day bigint not null)',
    `create table usage_days (
      id bigint primary key check (id = 1), open_day bigint not null, next_day bigint not null,
      next_tenant text not null, next_part bigint not null)`,
    "insert into usage_days (id, open_day, next_day, next_tenant, next_part) values (1, 0, 0, '', 1)",
  ],
}

/** A stretch of a tenant's day costs a stretch, however long the day is. */
export const usageOrderIndex: Migration = {
  version: 40,
  name: 'usage in its order',
  statements: ['create index route_usage_by_tenant_in_order on route_usage (tenant_id, day, application_id, route)'],
}
