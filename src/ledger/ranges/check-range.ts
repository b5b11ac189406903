// A part of the chain by itself: whether each row in it follows the one before it, from a row that is taken as it
// stands. Whether that one is in order is what the range before it says: ranges are joined by what both read there.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { readLedger } from '../../storage/sql/ledger/ledger-entries.js'
import type { LedgerRow } from '../../storage/sql/ledger/ledger-head.js'
import type { Statements } from '../../storage/sql/store.js'
import { chainMac } from '../chain.js'
import { type LedgerKeys, sameMac } from '../ledger-keys.js'
import { prunedBy } from '../start.js'

/** The rows after `after` up to `until`; plain data, for a thread. */
export interface LedgerRange {
  after: number
  until: number
  /** The mac of row `after` where that row is gone, or never was; undefined: it is read. */
  mac: string | undefined
  /** The macs that checkpoints knew in it. */
  known: readonly { position: number; mac: string }[]
}

/** What is in a range that is whole. */
export interface WholeRange {
  /** The macs of row `after`, as it was read, and of row `until`. */
  before: string
  last: string
  /** Rows that say that others were taken away. */
  pruned: readonly { position: number; last: number; head: string }[]
}

/** Undefined: something in it is not as it was written, whatever it is. */
export type FoundRange = WholeRange | undefined

const pageRows = 1_000

/** Reads and checks it. Throws StoreUnavailable. */
export async function checkRange(reader: Statements, keys: LedgerKeys, range: LedgerRange): Promise<FoundRange> {
  const known = new Map<number, string[]>()
  for (const { position, mac } of range.known) known.set(position, [...(known.get(position) ?? []), mac])
  const pruned: WholeRange['pruned'][number][] = []
  let { mac: previous } = range
  if (previous === undefined) {
    const [row] = await readLedger(reader, range.after - 1, 1)
    if (row?.position !== range.after) return undefined
    previous = row.mac
  }
  const before = previous
  const follows = (row: LedgerRow, position: number): boolean => {
    const key = keys.find(row.key_id)
    if (key === undefined || row.position !== position) return false
    if (!sameMac(row.mac, chainMac(key.chain, previous as string, row))) return false
    return (known.get(position) ?? []).every((mac) => sameMac(mac, row.mac))
  }
  for (let position = range.after; position < range.until; ) {
    const rows = await readLedger(reader, position, Math.min(pageRows, range.until - position))
    if (rows.length === 0) return undefined
    for (const row of rows) {
      if (!follows(row, position + 1)) return undefined
      const said = prunedBy(row)
      if (said !== undefined) pruned.push({ position: row.position, last: said.last, head: said.head })
      previous = row.mac
      position = row.position
    }
    await nextTurn()
  }
  return { before, last: previous, pruned }
}
