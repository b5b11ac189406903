// The tables of the ledger: what was done that somebody may have to account for, and what was tried. tables.ts takes
// these in; the rules of the chain are in src/ledger.

/** Append-only: each row authenticates itself and the one before. */
interface LedgerTable {
  /** From 1, without gaps. */
  position: number
  at: number
  /** Such as `consent.granted`. */
  event: string
  tenant_id: string | null
  /** JSON of who did it. */
  actor: string
  application_id: string | null
  user_id: string | null
  request_id: string | null
  address: string | null
  /** JSON: what changed. Never a secret. */
  details: string
  /** Names the key of `mac`. */
  key_id: string
  /** Hex HMAC-SHA-256 over the row and the mac before it, under a key that is not in the database. */
  mac: string
  /** The mac before it; so a row can be verified when the one before is gone. Null in rows of before this was kept. */
  previous_mac: string | null
}

/** One row: how long the chain is, and its last mac. Its row lock makes the chain a chain. */
interface LedgerHeadTable {
  id: number
  position: number
  mac: string
}

/** One row: where the chain begins since rows were taken away there; position 0 when none were. */
interface LedgerStartTable {
  id: number
  /** The last position that was taken away. */
  position: number
  mac: string
  /** The position of the row that says so. */
  recorded: number
  at: number
  key_id: string
  /** Hex HMAC-SHA-256 over all this; empty when nothing was taken away. */
  seal: string
}

/** What failed or was refused; capped, not chained. */
interface ActivityTable {
  id: string
  at: number
  event: string
  tenant_id: string | null
  application_id: string | null
  user_id: string | null
  request_id: string | null
  address: string | null
  details: string
}

/**
 * Which rows of the ledger that are of no tenant are about a person who belonged to one when they were written. Beside
 * the chain, not in it: a row here shows nothing that the ledger does not have.
 */
interface LedgerMembersTable {
  tenant_id: string
  position: number
  /** As in the ledger, so that a filter needs one index. */
  event: string
  user_id: string
  /** 1: the person belonged to other tenants too, so this one sees less of the row. */
  limited: number
}

/** The same for the activity log. */
interface ActivityMembersTable {
  tenant_id: string
  at: number
  id: string
  limited: number
}

/** Their part of the tables. */
export interface LedgerTables {
  ledger_members: LedgerMembersTable
  activity_members: ActivityMembersTable
  ledger: LedgerTable
  ledger_head: LedgerHeadTable
  ledger_start: LedgerStartTable
  activity: ActivityTable
}
