// The chain: each row carries an HMAC over itself and over the mac of the row before, so that none can be changed,
// taken out, put in or moved by somebody who has the database and not the key. What it does not prove is in decision
// 0006.

import { createHash } from 'node:crypto'
import { appendLedgerRow, type LedgerRow, lockLedgerHead } from '../storage/sql/ledger/ledger-head.js'
import { insertLedgerMembers } from '../storage/sql/ledger/member-rows.js'
import { type Ledger, type LedgerEvent, memberEvents } from './ledger.js'
import { hexMac, type LedgerKeys } from './ledger-keys.js'

const eventName = /^[a-z][a-z-]*\.[a-z][a-z-]*$/

/**
 * The ledger as those who do things see it. `now`: epoch milliseconds, for people; the order is that of the positions.
 */
export function createLedger({ keys, now }: { keys: LedgerKeys; now: () => number }): Ledger {
  return {
    async append(tx, event) {
      const written = contentOf(event)
      const head = await lockLedgerHead(tx)
      const row = { ...written, position: head.position + 1, at: now(), key_id: keys.current.id }
      const mac = chainMac(keys.current.chain, head.mac, row)
      await appendLedgerRow(tx, { ...row, mac, previous_mac: head.mac })
      if (row.tenant_id === null && row.user_id !== null && memberEvents.has(row.event)) {
        const { position, event: name, user_id: userId } = row
        await insertLedgerMembers(tx, { position, event: name, userId, tenantIds: event.formerTenantIds })
      }
    },
  }
}

/** The mac of a row after one with `previousMac` (empty for the first). */
export function chainMac(key: Uint8Array, previousMac: string, row: ChainedContent): string {
  return hexMac(key, `portcullis-ledger-v1\n${previousMac}\n${canonicalRow(row)}`)
}

type ChainedContent = Omit<LedgerRow, 'mac' | 'previous_mac'>

/**
 * The row as a JSON list in a fixed order: every text keeps its bounds, and both engines give back exactly the text and
 * the whole numbers that they were given.
 */
function canonicalRow(row: ChainedContent): string {
  return JSON.stringify([
    ...[row.position, row.at, row.event, row.tenant_id, row.actor, row.application_id, row.user_id],
    ...[row.request_id, row.address, row.details, row.key_id],
  ])
}

/**
 * Adds a row to what an export and a beginning of the chain have in common: hex SHA-256 of all rows with their macs.
 */
export function rowsDigest() {
  const hash = createHash('sha256')
  return {
    add: (row: LedgerRow) => void hash.update(`${canonicalRow(row)}\n${row.mac}\n`),
    hex: () => hash.digest('hex'),
  }
}

/** JSON escapes what the engines would not keep alike (NUL, halves of surrogate pairs); plain columns refuse it. */
function contentOf(event: LedgerEvent): Omit<LedgerRow, 'position' | 'at' | 'key_id' | 'mac' | 'previous_mac'> {
  if (!eventName.test(event.event)) throw new RangeError(`${event.event} is no name of an event`)
  return {
    event: event.event,
    tenant_id: event.tenantId ?? null,
    actor: JSON.stringify(event.actor),
    application_id: event.applicationId ?? (event.actor.kind === 'application' ? event.actor.applicationId : null),
    user_id: event.userId ?? (event.actor.kind === 'user' ? event.actor.userId : null),
    request_id: event.requestId ?? null,
    address: event.address ?? null,
    details: JSON.stringify(event.details ?? {}),
  }
}
