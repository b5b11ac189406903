// Where the chain begins. Rows at its beginning can be taken away (prune.ts); the last of them is then sealed as the
// start, under the key of checkpoints, and a row of the chain says who took how many. So a beginning that was taken
// away by order is told from one that somebody cut off, and an older start that is put back is missed by the row that
// came after it.

import type { LedgerRow } from '../storage/sql/ledger/ledger-head.js'
import type { LedgerStartRow } from '../storage/sql/ledger/start.js'
import { hexMac, type LedgerKeys, sameMac } from './ledger-keys.js'

/** The event of the row that says it. */
export const prunedEvent = 'ledger.pruned'

/** Rows up to `position` are gone; the last of them had `mac`. */
export interface LedgerStart {
  position: number
  mac: string
  /** Which row of the chain says so; undefined: none was taken away. */
  recorded?: number | undefined
  /** Of an archive, which is a part of the chain and may begin anywhere. */
  isPart?: true
}

/** The start of a whole chain. */
const firstRow: LedgerStart = { position: 0, mac: '' }

/** What the Store's row says: a start, and what is wrong with it. */
export function openStart(
  keys: LedgerKeys,
  row: LedgerStartRow | undefined,
): { start: LedgerStart; wrong?: 'start-forged' | 'start-unknown-key' } {
  if (row === undefined || (row.position === 0 && row.seal === '')) return { start: firstRow }
  const { position, mac, recorded } = row
  const key = keys.find(row.key_id)
  // Nothing can be said of it; what follows is verified all the same.
  if (key === undefined) return { start: { position, mac, recorded }, wrong: 'start-unknown-key' }
  const isOurs = sameMac(row.seal, sealOf(key.checkpoint, row))
  return isOurs ? { start: { position, mac, recorded } } : { start: firstRow, wrong: 'start-forged' }
}

/** The row that says so, under the newest key. `at`: epoch milliseconds. */
export function sealedStart(
  keys: LedgerKeys,
  start: { position: number; mac: string; recorded: number; at: number },
): LedgerStartRow {
  const row = { ...start, key_id: keys.current.id }
  return { ...row, seal: sealOf(keys.current.checkpoint, row) }
}

/** What a row of the chain says of rows that were taken away; undefined when it is about something else. */
export function prunedBy(row: LedgerRow): { last: number; head: string } | undefined {
  if (row.event !== prunedEvent) return undefined
  try {
    const { last, head } = JSON.parse(row.details)
    return Number.isSafeInteger(last) && typeof head === 'string' ? { last, head } : undefined
  } catch {
    return undefined
  }
}

function sealOf(key: Uint8Array, { position, mac, recorded, at, key_id }: Omit<LedgerStartRow, 'seal'>): string {
  return hexMac(key, `portcullis-start-v1\n${JSON.stringify([position, mac, recorded, at, key_id])}`)
}
