// One master key, many uses: each use gets a key of its own, so that none can be turned into another.

import { hkdfSync } from 'node:crypto'

/**
 * HKDF-SHA-256 (RFC 5869) of the master key: 32 bytes for the use that `label` names (`client-secret-pepper`, …).
 * The same master key and label give the same key; nothing about one label's key follows from another's.
 * Throws a RangeError for a master key of less than 32 bytes.
 */
export function deriveKey(master: Uint8Array, label: string): Uint8Array {
  if (master.byteLength < 32) throw new RangeError('a master key has at least 32 bytes')
  return new Uint8Array(hkdfSync('sha256', master, new Uint8Array(0), `portcullis/${label}`, 32))
}
