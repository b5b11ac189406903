// What a key is, to those who sign and those who verify. Types only; keyring.ts holds the keys.

import type { KeyObject } from 'node:crypto'
import type { JWK } from 'jose'

export type SigningAlgorithm = 'ES256' | 'RS256' | 'EdDSA'

/** What may verify: ours, and what issuers outside sign with besides. */
export type VerificationAlgorithm = SigningAlgorithm | 'PS256'

/**
 * Access and ID tokens are signed with `token` keys; assertions to upstreams with `assertion` keys. Never the other.
 */
export type KeyPurpose = 'token' | 'assertion'

/** Published before it signs, signs, published after it signed, gone (contract §3). */
export type KeyState = 'pending' | 'active' | 'retiring' | 'removed'

export interface SigningKey {
  kid: string
  alg: SigningAlgorithm
  privateKey: KeyObject
}

export interface VerificationKey {
  kid: string
  alg: VerificationAlgorithm
  publicKey: KeyObject
}

export interface KeyDescription {
  kid: string
  purpose: KeyPurpose
  alg: SigningAlgorithm
  state: KeyState
  createdAt: number
  activatesAt: number
  removesAt: number | null
}

export interface JsonWebKeySet {
  keys: JWK[]
}

/** The keys in memory. Synchronous, because the hot path asks it. */
export interface Keyring {
  /** The key that signs now, of the configured algorithm. Throws when there is none. */
  signingKey(purpose: KeyPurpose, alg?: SigningAlgorithm): SigningKey
  /** A published key, whatever its state; undefined for unknown and removed ones. */
  verificationKey(purpose: KeyPurpose, kid: string): VerificationKey | undefined
  /** Grows whenever the set changes; part of the verified-token cache's key. */
  readonly generation: number
  /** Public members only, pending keys included. */
  publicKeys(purpose: KeyPurpose): JsonWebKeySet
  describe(): readonly KeyDescription[]
}
