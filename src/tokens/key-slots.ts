// Each purpose and algorithm is a slot with one key that signs. Which slots there must be, and which keys are in one.

import type { SigningKeyRow } from '../memory/store/signing-keys.js'
import type { KeyPurpose, SigningAlgorithm } from './keys.js'

export interface KeySettings {
  /** What tokens are signed with by default. */
  algorithm: SigningAlgorithm
  /** How long a token lives. */
  lifetimeSeconds: number
  publishBeforeMs: number
  rotateEveryMs: number
}

export interface KeySlot {
  purpose: KeyPurpose
  alg: SigningAlgorithm
}

/** The slots that must always have an active key: ES256 and RS256 for tokens whatever is configured, one for assertions. */
export function neededSlots(settings: KeySettings): readonly KeySlot[] {
  const algorithms = new Set<SigningAlgorithm>(['ES256', 'RS256', settings.algorithm])
  return [...[...algorithms].map((alg) => ({ purpose: 'token' as const, alg })), { purpose: 'assertion', alg: 'ES256' }]
}

/** The keys of a slot in one state. */
export function keysOf(rows: readonly SigningKeyRow[], slot: KeySlot, state: SigningKeyRow['state']): SigningKeyRow[] {
  return rows.filter((row) => row.purpose === slot.purpose && row.alg === slot.alg && row.state === state)
}
