// The keys of the ledger. They are derived from the master keys, so they are in no database: an attacker who can write
// there, but does not have the master key, can change rows and not their macs.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { deriveKey } from '../oauth/secrets/derived-key.js'
import { hmacKey } from '../oauth/secrets/hmac-key.js'

/** The keys of one master key. */
export interface LedgerKey {
  /** Tells master keys apart without saying anything about them. */
  id: string
  /** Authenticates rows. */
  chain: Uint8Array
  /** Authenticates checkpoints; another one, so that no row can be passed off as a checkpoint. */
  checkpoint: Uint8Array
}

export interface LedgerKeys {
  /** The one for what is written now. */
  current: LedgerKey
  find(id: string): LedgerKey | undefined
}

/** `masterKeys`: 32 bytes or more each; the first one writes, all verify. Throws RangeError when there is none. */
export function createLedgerKeys(masterKeys: readonly Uint8Array[]): LedgerKeys {
  const keys = masterKeys.map((master) => ({
    id: Buffer.from(deriveKey(master, 'ledger-id')).subarray(0, 6).toString('base64url'),
    chain: deriveKey(master, 'ledger'),
    checkpoint: deriveKey(master, 'ledger-checkpoint'),
  }))
  const [current] = keys
  if (current === undefined) throw new RangeError('a master key is needed to keep the ledger')
  return { current, find: (id) => keys.find((key) => key.id === id) }
}

/** Hex HMAC-SHA-256. */
export function hexMac(key: Uint8Array, text: string): string {
  return createHmac('sha256', hmacKey(key)).update(text, 'utf8').digest('hex')
}

/** Whether two macs are the same, without telling how far they are. */
export function sameMac(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
