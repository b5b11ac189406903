// Rows that do not fit where they stand: were they written like this and moved, or changed? A row says which position
// its mac was made for, if one tries those that are in question; so a report can say what happened and not only where.

import type { LedgerRow } from '../storage/sql/ledger/ledger-head.js'
import { chainMac } from './chain.js'
import { type LedgerKeys, sameMac } from './ledger-keys.js'

/** More than these are not searched: the number of trials grows with the third power. */
export const mostSuspects = 24

/** A row whose mac does not fit `previousMac`, the one that stands before it. */
export interface Suspect {
  row: LedgerRow
  previousMac: string
}

/**
 * For each suspect's position, the position that it was written for; its own when it is only its predecessor that is
 * another one now. Suspects that are in neither case were changed, and are not in the answer.
 */
export function findOrigins(keys: LedgerKeys, suspects: readonly Suspect[]): Map<number, number> {
  const origins = new Map<number, number>()
  if (suspects.length > mostSuspects) return origins
  const macs = suspects.map(({ row }) => row.mac)
  for (const { row } of suspects) {
    const key = keys.find(row.key_id)
    if (key === undefined) continue
    const origin = suspects.find((place) =>
      [place.previousMac, ...macs].some((previous) =>
        sameMac(row.mac, chainMac(key.chain, previous, { ...row, position: place.row.position })),
      ),
    )
    if (origin !== undefined) origins.set(row.position, origin.row.position)
  }
  return origins
}
