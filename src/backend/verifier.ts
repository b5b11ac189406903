// How the backend verifies its caller's assertion: with the gate's published assertion keys, for its own name as audience.

import type { VerificationKey } from '../tokens/keys.js'
import { verifyAssertion } from '../tokens/verify-assertion.js'
import type { AssertionVerifier } from './caller.js'

export interface VerifierOptions {
  /** A published assertion key of the gate: the keyring's, inside `serve`. */
  findKey: (kid: string) => VerificationKey | undefined
  /** The name of this upstream in the gate's configuration; the exact `aud`. */
  audience: string
  /** The gate's base URL. */
  issuer: string
  /** For clocks that differ; 0 in one process. */
  leewaySeconds: number
}

/** A verifier for createBackend. */
export function createAssertionVerifier(options: VerifierOptions): AssertionVerifier {
  return (assertion, nowMs) => verifyAssertion(assertion, { ...options, nowMs })
}
