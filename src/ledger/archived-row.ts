// A row of the ledger as people and programs get it: in the management API, and as a line of an archive.

import type { ActivityRow } from '../storage/sql/ledger/activity.js'
import type { LedgerRow } from '../storage/sql/ledger/ledger-head.js'

/** What a row of the ledger or of the activity log tells of; somebody may have changed it to anything. */
type Entry = Omit<ActivityRow, 'id'>

/** What the row tells of, as people and programs get it. */
export function entryFacts(row: Entry) {
  return {
    at: new Date(row.at).toISOString(),
    event: row.event,
    tenantId: row.tenant_id,
    applicationId: row.application_id,
    userId: row.user_id,
    requestId: row.request_id,
    address: row.address,
    details: parsed(row.details),
  }
}

/** A row of the ledger as people and programs get it. */
export function archivedRow(row: LedgerRow) {
  return {
    position: row.position,
    ...entryFacts(row),
    actor: parsed(row.actor),
    keyId: row.key_id,
    mac: row.mac,
    previousMac: row.previous_mac,
  }
}

/** The row of a line; undefined when it is none, such as the checkpoint. */
export function rowOfLine(line: string): LedgerRow | undefined {
  const said = parsed(line) as Partial<ReturnType<typeof archivedRow>> | string | null
  if (typeof said !== 'object' || said === null || !Number.isSafeInteger(said.position)) return undefined
  const { position = 0, at, event, keyId, mac } = said
  if (![at, event, keyId, mac].every((text) => typeof text === 'string')) return undefined
  const text = (value: unknown) => (typeof value === 'string' ? value : null)
  return {
    position,
    at: Date.parse(String(at)),
    event: String(event),
    tenant_id: text(said.tenantId),
    application_id: text(said.applicationId),
    user_id: text(said.userId),
    request_id: text(said.requestId),
    address: text(said.address),
    details: JSON.stringify(said.details),
    actor: JSON.stringify(said.actor),
    key_id: String(keyId),
    mac: String(mac),
    previous_mac: text(said.previousMac),
  }
}

/** The text itself where it is no JSON. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}
