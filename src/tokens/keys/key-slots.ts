// Each purpose and algorithm is a slot with one key that signs. Which slots there must be, and which keys are in one.

import type { SigningKeyRow } from '../../storage/sql/revocation/signing-keys.js'
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

/**
 * The slots that must always have an active key: ES256 and RS256 for tokens whatever is configured, one for assertions.
 */
export function neededSlots(settings: KeySettings): readonly KeySlot[] {
  const algorithms = new Set<SigningAlgorithm>(['ES256', 'RS256', settings.algorithm])
  return [...[...algorithms].map((alg) => ({ purpose: 'token' as const, alg })), { purpose: 'assertion', alg: 'ES256' }]
}

/**
 * The slots whose keys get successors: the needed ones, and those in which a key still signs. An algorithm that is
 * configured no longer stays in use where applications have registered it for their ID tokens.
 */
export function livingSlots(rows: readonly SigningKeyRow[], settings: KeySettings): readonly KeySlot[] {
  const needed = neededSlots(settings)
  const signing = rows.filter(({ state }) => state === 'active').map(({ purpose, alg }) => ({ purpose, alg }))
  const others = signing.filter((slot, at) => [...needed, ...signing.slice(0, at)].every((one) => !isSame(one, slot)))
  return [...needed, ...others]
}

/** The keys of a slot in one state. */
export function keysOf(rows: readonly SigningKeyRow[], slot: KeySlot, state: SigningKeyRow['state']): SigningKeyRow[] {
  return rows.filter((row) => row.purpose === slot.purpose && row.alg === slot.alg && row.state === state)
}

function isSame(one: KeySlot, other: KeySlot): boolean {
  return one.purpose === other.purpose && one.alg === other.alg
}
