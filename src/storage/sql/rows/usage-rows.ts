// The tables of usage: how often which permission opened a route, how often which route was called, how often a sign-in
// came with PKCE, and of which secrets it was said that they end soon. Counts only; no person is in them. tables.ts
// takes these in.

/** A permission of an application in a tenant on one day: how often it opened a route. */
interface PermissionUsageTable {
  application_id: string
  tenant_id: string
  /** application | delegated */
  kind: string
  resource: string
  permission_id: string
  /** Days since 1970 in UTC. */
  day: number
  uses: number
  /** Epoch ms, as coarse as the time between two flushes. */
  first_used_at: number
  last_used_at: number
}

/** The calls of an application in a tenant on one day to one route. */
interface RouteUsageTable {
  application_id: string
  tenant_id: string
  day: number
  /** The route's id; `_other` for what was too much to be told apart. */
  route: string
  /** Calls that the gate let pass; what was refused is not among them. */
  allowed: number
  /** Refused for a permission that the token did not have. */
  not_permitted: number
  /** Refused by a limit. */
  limited: number
  /** Refused for their token: it had ended or was revoked, or is for another API. */
  token_refused: number
  /** Of those let pass: answered with a 4xx, or the client left before the answer. */
  client_errors: number
  /** Of those let pass: answered with a 5xx. */
  server_errors: number
}

/** The authorization requests of an application on one day that got a code. */
interface PkceUsageTable {
  application_id: string
  day: number
  with_challenge: number
  without_challenge: number
  /** Epoch ms; 0: none came without. */
  last_without_at: number
}

/** The last batch of counts of each instance, so that one whose answer was lost is not counted twice. */
interface UsageFlushesTable {
  instance_id: string
  sequence: number
  at: number
}

/** What the ledger was told: this secret ends within so many days. */
interface SecretWarningsTable {
  key_id: string
  days: number
  at: number
}

/** What one instance counted in one slot of time; replaced as a whole while it changes. */
interface HistoryTable {
  /** How long the slot is. */
  slot_seconds: number
  /** When it began; epoch ms. */
  at: number
  /** Of one process and one start. */
  instance_id: string
  /** JSON; its shape is history/slot-text.ts. */
  body: string
}

/** Their part of the tables. */
export interface UsageTables {
  permission_usage: PermissionUsageTable
  route_usage: RouteUsageTable
  pkce_usage: PkceUsageTable
  usage_flushes: UsageFlushesTable
  secret_warnings: SecretWarningsTable
  history: HistoryTable
}
