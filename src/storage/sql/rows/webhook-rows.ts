// The tables of events: who wants to hear of what, what is on its way to them, and how far the ledger has been
// followed. tables.ts takes these in.

/** Where a tenant wants its events to be sent. */
interface WebhooksTable {
  /** GUID. */
  id: string
  tenant_id: string
  /** https; may have a secret of the receiver in it, so it is shown to administrators and written nowhere else. */
  url: string
  /** JSON list of types, `application.*`, or `*`. */
  events: string
  /** The signing secret, AES-256-GCM under a key derived from the master key, bound to the id. */
  secret: string
  /** 0: nothing is sent; what happens meanwhile is not kept for it. */
  enabled: number
  /** gone | failing: why the server disabled it; null when people did, or when it is enabled. */
  disabled_because: string | null
  /** The id of the person or application that made it; empty: the local socket. */
  created_by: string
  created_at: number
  updated_at: number
  /** Since when every attempt has failed; null: the last one did not. */
  failing_since: number | null
  /** The secret before the last rotation, sealed likewise: it signs too until `earlier_until`. */
  earlier_secret: string | null
  earlier_until: number | null
}

/** One event on its way to one webhook. */
interface EventDeliveriesTable {
  id: string
  webhook_id: string
  /** Of the row in the ledger that it tells of; one delivery of it to a webhook. */
  position: number
  /** The same for every receiver and at every attempt. */
  event_id: string
  type: string
  /** The CloudEvent as it is sent, JSON. */
  body: string
  created_at: number
  /** waiting | delivered | dead */
  state: string
  /** Begun so far. */
  attempts: number
  /** When the next one may begin; during one, when it counts as lost. */
  next_at: number
  last_at: number | null
  /** HTTP status of the last attempt; null when there was no answer. */
  last_status: number | null
  /** Stable id of why the last attempt failed. */
  last_reason: string | null
  /** How long the last attempt took, milliseconds. */
  last_ms: number | null
}

/**
 * One row: the last position of the ledger whose events are in event_deliveries. Its row lock makes that happen once.
 */
interface EventCursorTable {
  id: number
  position: number
}

/** Their part of the tables. */
export interface WebhookTables {
  webhooks: WebhooksTable
  event_deliveries: EventDeliveriesTable
  event_cursor: EventCursorTable
}
