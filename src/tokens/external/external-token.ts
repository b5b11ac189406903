// Is this access token one that an issuer outside made for this gate (RFC 9068 §4, RFC 8725)? Each issuer has keys,
// algorithms and audiences of its own, so a token that one of them made is nothing to another.

import { BearerError } from '../../oauth/errors/errors.js'
import { checkTimes, isText, longestTokenSeconds, type TimeClaims } from '../claim-rules.js'
import { type CompactJws, longestToken, readCompactJws } from '../compact-jws.js'
import type { VerificationAlgorithm, VerificationKey } from '../keys/keys.js'
import { isSignatureValid } from '../keys/verification-key.js'
import { readExternalJson } from './external-json.js'

export interface ExternalTokenRules {
  /** The exact `iss`. */
  issuer: string
  /** One of these is in `aud`, exactly. */
  audiences: readonly string[]
  algorithms: readonly VerificationAlgorithm[]
  /** In lower case; undefined: `JWT`, `at+jwt` or none. */
  typ: string | undefined
  leewaySeconds: number
}

export interface ExternalClaims extends TimeClaims {
  readonly [claim: string]: unknown
}

const mostAudiences = 32
const usualTypes = new Set(['', 'jwt', 'at+jwt'])

/** Who says to have made it, before anything is verified; undefined for what is no such token. Believe nothing. */
export function claimedIssuer(token: string): string | undefined {
  if (token.length > longestToken) return undefined
  const [, payload] = token.split('.', 2)
  try {
    const { iss } = readExternalJson(Buffer.from(payload ?? '', 'base64url'))
    return isText(iss) ? iss : undefined
  } catch {
    return undefined
  }
}

/** Takes the token apart, so that its key can be looked for. Throws BearerError `invalid_token`. */
export function readExternalToken(token: string, { algorithms, typ }: ExternalTokenRules): CompactJws {
  const jws = readCompactJws(token, typ ?? usualTypes, readExternalJson)
  // RFC 8725 §3.1: before any key is looked for, and again with the key's own.
  if (!algorithms.some((alg) => alg === jws.alg)) throw refused('algorithm_mismatch')
  return jws
}

/** The claims under this key of the issuer. Throws BearerError `invalid_token` whatever is wrong. */
export function verifyExternalToken(
  jws: CompactJws,
  key: VerificationKey,
  rules: ExternalTokenRules,
  nowMs: number,
): ExternalClaims {
  if (jws.alg !== key.alg || jws.kid !== key.kid) throw refused('algorithm_mismatch')
  if (!isSignatureValid(key, jws.signingInput, jws.signature)) throw refused('bad_signature')
  const claims = readExternalJson(jws.payload)
  if (claims['iss'] !== rules.issuer) throw refused('wrong_issuer')
  checkAudience(claims['aud'], rules.audiences)
  // RFC 7800: it is only for the holder of a key. Nobody asks for the proof here, so it is not taken without.
  if (claims['cnf'] !== undefined) throw refused('bound_token')
  const { iat, nbf = iat, exp } = claims
  const times = checkTimes({ iat, nbf, exp }, { nowMs, leewaySeconds: rules.leewaySeconds })
  if (times.exp - times.iat > longestTokenSeconds) throw refused('lifetime')
  return { ...claims, ...times }
}

/** Others may be meant too (RFC 7519 §4.1.3); that we are has to stand there exactly. */
function checkAudience(aud: unknown, wanted: readonly string[]): void {
  const given: unknown[] = Array.isArray(aud) ? aud : [aud]
  if (given.length > mostAudiences || !given.every(isText)) throw refused('claims')
  if (!wanted.some((audience) => given.includes(audience))) throw refused('wrong_audience')
}

function refused(reason: string): BearerError {
  return new BearerError('invalid_token', reason, 'The access token is not valid.')
}
