// How the backend verifies its caller's assertion: with the gate's published assertion keys, for its own name as
// audience.

import { fetchDocument } from '../tokens/external/fetch-document.js'
import { createRemoteKeys } from '../tokens/external/remote-keys.js'
import type { VerificationKey } from '../tokens/keys/keys.js'
import { assertionKeyId, verifyAssertion } from '../tokens/verify-assertion.js'
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

/**
 * A verifier for createBackend where the keys are in memory; `audiences` are the names of the service at the moment.
 */
export function createAssertionVerifier(
  options: Omit<VerifierOptions, 'audience'> & { audiences: () => readonly string[] },
): AssertionVerifier {
  const { audiences, ...rest } = options
  return (assertion, nowMs) => verifyAssertion(assertion, { ...rest, audience: audiences(), nowMs })
}

/**
 * A verifier that fetches the gate's keys from `keysUrl` (https, or http on loopback; `ca`: PEM to trust instead of the
 * system's). Throws what is not `invalid_token` when a key is unknown and the gate did not answer: that decides
 * nothing.
 */
export function createRemoteVerifier(
  options: Omit<VerifierOptions, 'findKey'> & {
    keysUrl: string
    ca: string | undefined
    onError: (error: unknown) => void
  },
): AssertionVerifier {
  let answered = false
  const fetch = async (url: string): Promise<string> => {
    answered = false
    const text = await fetchDocument(url, options.ca)
    answered = true
    return text
  }
  const keys = createRemoteKeys({ url: options.keysUrl, fetch, onError: options.onError })
  const { audience, issuer, leewaySeconds } = options
  return async (assertion, nowMs) => {
    const kid = assertionKeyId(assertion)
    await keys.prepare(kid)
    if (!answered && keys.findKey(kid) === undefined)
      throw new Error('the assertion keys of the gate cannot be fetched')
    return verifyAssertion(assertion, { findKey: keys.findKey, audience, issuer, leewaySeconds, nowMs })
  }
}
