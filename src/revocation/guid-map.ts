// An expiring map for what has a GUID and may be many, such as grants and people: its entries are packed as revoked
// tokens are (token-table.ts), some 43 to 85 bytes each instead of about 200.

import { type Clocks, createExpiringMap, type ExpiringMap } from './expiring-map.js'
import { createTokenTable, readGuid } from './token-table.js'

/** As createExpiringMap. A key that is no GUID is kept as it is written, and as exactly. */
export function createGuidMap(lifeMs: number, clocks: Clocks): ExpiringMap & { readonly bytes: number } {
  const packed = createTokenTable(clocks, { withValues: true })
  const others = createExpiringMap(lifeMs, clocks)
  return {
    get: (key) => (readGuid(key) ? packed.get(key) : others.get(key)),
    set(key, value, endsAt) {
      if (readGuid(key)) packed.add(key, endsAt, lifeMs, value)
      else others.set(key, value, endsAt)
    },
    holds: (key) => (readGuid(key) ? packed.holds(key) : others.holds(key)),
    sweep() {
      packed.sweep()
      others.sweep()
    },
    get size() {
      return packed.size + others.size
    },
    get bytes() {
      return packed.bytes
    },
  }
}
