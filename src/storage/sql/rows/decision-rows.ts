// The table of recorded decisions: what became of an application's last token requests and refused calls. For its
// owners; capped, not chained. tables.ts takes this in.

interface RecordedDecisionTable {
  id: string
  /** Epoch ms. */
  at: number
  application_id: string
  /**
   * 1: the application had proved that it is itself; others could push its own rows out if they were counted together.
   */
  proved: number
  /** token | call */
  what: string
  /** granted | refused */
  outcome: string
  /** Stable id, as in the log. */
  reason: string
  /** HTTP status. */
  status: number
  /** `error_codes[0]` of a refused token request. */
  number: number | null
  /** Of the answer: its `request-id`. */
  request_id: string
  tenant_id: string | null
  user_id: string | null
  /** Route id of the configuration, or of the endpoint. */
  route: string | null
  method: string | null
  /** Of a token request. */
  grant_type: string | null
  /** Ids of permissions: granted, requested, or, of a call, the one that was missing. */
  permissions: string
}

/** Its part of the tables. */
export interface DecisionTables {
  recorded_decisions: RecordedDecisionTable
}
