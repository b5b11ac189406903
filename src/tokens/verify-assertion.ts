// What a service behind the gate believes about its caller: only what an assertion for exactly this service says.

import { BearerError } from '../oauth/errors/errors.js'
import { assertionType } from './assertion.js'
import { checkTimes, isText } from './claim-rules.js'
import type { AssertionClaims } from './claims.js'
import { readCompactJws } from './compact-jws.js'
import { checkAssertedDelegation } from './delegation.js'
import type { VerificationKey } from './keys/keys.js'
import { verifyJws } from './verify.js'

/** Far above the minute that an assertion lives. */
const longestAssertionSeconds = 600

export interface AssertionOptions {
  /** A published assertion key of the gate; RemoteKeys.findKey, or the keyring's. */
  findKey: (kid: string) => VerificationKey | undefined
  /** This service's name, the exact `aud`; or the names that it has. */
  audience: string | readonly string[]
  issuer: string
  leewaySeconds: number
  /** Epoch milliseconds. */
  nowMs: number
}

/** The claims of an assertion. Synchronous. Throws BearerError `invalid_token` whatever is wrong. */
export function verifyAssertion(token: string, options: AssertionOptions): AssertionClaims {
  const claims = verifyJws(token, assertionType, options.findKey)
  const { iss, aud, sub, client_id, iat, exp, jti, tid, idtyp, scope } = claims
  if (iss !== options.issuer) throw refused('wrong_issuer')
  if (!isText(aud) || ![options.audience].flat().includes(aud)) throw refused('wrong_audience')
  if (!isText(sub) || !isText(client_id) || !isText(jti) || !isText(tid)) throw refused('claims')
  if ((idtyp !== 'app' && idtyp !== 'user') || typeof scope !== 'string') throw refused('claims')
  const times = checkTimes({ iat, nbf: iat, exp }, options)
  if (times.exp - times.iat > longestAssertionSeconds) throw refused('lifetime')
  return {
    iss: options.issuer,
    aud,
    sub,
    client_id,
    iat: times.iat,
    exp: times.exp,
    jti,
    tid,
    idtyp,
    scope,
    ...checkAssertedDelegation(claims, client_id),
  }
}

/**
 * The key id that an assertion names, so that a key not yet known can be fetched. Believe nothing. Throws BearerError.
 */
export function assertionKeyId(token: string): string {
  return readCompactJws(token, assertionType).kid
}

function refused(reason: string): BearerError {
  return new BearerError('invalid_token', reason, 'The assertion is not valid.')
}
