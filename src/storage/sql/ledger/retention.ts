// How long the rows of each table stay, in one place. A table that is not here does not compile; a test compares this
// with what the migrations make. A developer who adds a table says here what ends its rows, or what keeps them few.

import type { Tables } from '../rows/tables.js'

/**
 * `sweep`: rows leave by themselves, `after` says when. `bounded`: they stay until somebody deletes them, and `after`
 * says what keeps them few. `kept`: they are the record itself, or a few rows for ever.
 */
export interface Retention {
  kind: 'sweep' | 'bounded' | 'kept'
  after: string
}

const sweep = (after: string): Retention => ({ kind: 'sweep', after })
const bounded = (after: string): Retention => ({ kind: 'bounded', after })
const kept = (after: string): Retention => ({ kind: 'kept', after })
const withApplication = bounded('leaves with its application, of which quotas.applications bounds how many there are')
const withPerson = bounded('leaves with its person, of whom quotas.people bounds how many there are')

/** By table. */
export const retention: { readonly [Table in keyof Tables]: Retention } = {
  schema_migrations: kept('one row for each migration'),
  feed_head: kept('one row'),
  feed_gaps: sweep('three days; no token lives so long'),
  changes: sweep('26 hours; who was away longer loads everything anew'),
  tenants: bounded('operators make them'),
  applications: bounded('quotas.applications for each tenant'),
  application_secrets: withApplication,
  redirect_uris: withApplication,
  configured_permissions: withApplication,
  installations: withApplication,
  permission_grants: withApplication,
  application_plans: withApplication,
  tenant_brands: bounded('one for each tenant'),
  application_brands: withApplication,
  tool_rules: bounded('one for each tenant and tool that a configuration names, or named'),
  brand_logos: bounded('at most two for each tenant and one for each application'),
  deleted_applications: sweep('applications.restorable; of a tenant the newest quotas.applications'),
  plan_requests: bounded('one for each application, of which quotas.applications bounds how many there are'),
  revocations: sweep('a single token: its end and an hour; others: two days after no token of theirs can live'),
  signing_keys: kept('a few for each rotation, without their private parts once they are removed'),
  profiles: withPerson,
  subscriptions: bounded('quotas.subscriptions for each tenant'),
  resource_groups: bounded('one for each subscription'),
  instances: sweep('an hour after an instance was last seen'),
  leases: kept('one row for each kind of periodic work'),
  apis: bounded('so many for each tenant (directory/permissions/apis.ts)'),
  api_permissions: bounded('so many for each API'),
  recorded_decisions: sweep('so many for each application and over all; the oldest leave'),
  user_consents: bounded(
    'one for each permission of a person and an application, of which quotas.applications bounds how many',
  ),
  token_exchanges: bounded('one for each API that an application calls for a person, and application that called it'),
  consent_requests: sweep('90 days after they were decided; so many wait for each tenant'),
  grants: sweep('a day after nothing of them lives; quotas.grants for each person'),
  authorization_codes: sweep('with their grant'),
  refresh_tokens: sweep(
    'with their grant; of those that were exchanged the last thousand, older ones say themselves what they are',
  ),
  device_codes: sweep('an hour after their end'),
  call_approvals: sweep('ten minutes after their end; so many wait for each person and application'),
  ledger: kept(
    'what was done stays, unless operators take its beginning away: ledger.retention, or portcullis audit prune',
  ),
  ledger_head: kept('one row'),
  ledger_start: kept('one row'),
  notice_cursor: kept('one row'),
  waiting_notices: sweep('when they are sent; three days at most, and so many for each person'),
  ledger_members: kept('with their row of the ledger'),
  activity_members: sweep('with their row of the activity log'),
  activity: sweep('the newest ledger.activity entries stay'),
  users: bounded('quotas.people for each tenant'),
  memberships: bounded('quotas.people for each tenant'),
  passkeys: withPerson,
  recovery_codes: withPerson,
  external_identities: withPerson,
  one_time_links: sweep('an hour after their end'),
  sessions: sweep('an hour after their end, or after they were idle for too long'),
  pending_requests: sweep('an hour after their end; so many for each person'),
  registration_tokens: sweep('an hour after their end; so many for each tenant'),
  client_registrations: withApplication,
  client_documents: withApplication,
  tool_definitions: sweep('90 days after the configuration named the tool last'),
  federated_credentials: withApplication,
  permission_usage: sweep('usage.keep'),
  route_usage: sweep('usage.keep'),
  pkce_usage: sweep('31 days: what is said of it is said of thirty'),
  usage_flushes: sweep('seven days'),
  usage_written: sweep('seven days after an instance wrote last'),
  usage_days: kept('one row'),
  history: sweep('minutes: two hours; quarters of an hour: 26 hours'),
  secret_warnings: withApplication,
  webhooks: bounded('so many for each tenant (events/webhooks.ts)'),
  event_deliveries: sweep('a week when they arrived, else a month'),
  event_cursor: kept('one row'),
  single_uses: sweep('after what they remember could be repeated, and a margin'),
  email_changes: sweep('an hour after their end'),
  email_vouchers: bounded('one for each person and tenant'),
  mail_allowances: sweep('an hour after nothing is left of them'),
  application_owners: withApplication,
  redirect_confirmations: withApplication,
  new_redirect_origins: bounded('the newest hundred of each application, until an administrator dismisses them'),
}
