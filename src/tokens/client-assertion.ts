// A client that proves who it is with a key of its own (private_key_jwt: RFC 7523 §2.2 and §3, OpenID Connect Core §9).
// Only keys that are registered count: nothing in the assertion says which key to trust, and nothing is fetched (K5).

import { decodeJwt, errors, importJWK, type JWTHeaderParameters, jwtVerify } from 'jose'
import { isText } from './claim-rules.js'
import { hasOneSpelling } from './compact-jws.js'
import { readExternalJson } from './external/external-json.js'

/** What the algorithms may be, for the metadata. Each key signs with its own only (RFC 8725 §3.1). */
export const clientAssertionAlgorithms: readonly string[] = ['ES256', 'RS256', 'EdDSA']

/** No assertion lives longer: its identifier is remembered as long. */
const longestSeconds = 300
const leewaySeconds = 30

export interface ClientAssertion {
  jti: string
  /** Epoch milliseconds: after it no clock takes the assertion any more. */
  usableUntilMs: number
  /** Of the key that signed it. */
  kid: string
}

export interface ClientAssertionOptions {
  jwks: { keys: readonly Record<string, unknown>[] }
  /** The client's identifiers: `iss` and `sub` are the same one of them. */
  identifiers: readonly string[]
  /** The `aud` has to be one of them, and nothing else beside it: the issuer, or the token endpoint. */
  isAudience: (audience: string) => boolean
  /** Epoch milliseconds. */
  nowMs: number
}

/**
 * The client identifier that an assertion claims to be of, unverified: only to find the keys with. Undefined when there
 * is none.
 */
export function assertedClient(assertion: string): string | undefined {
  try {
    const { iss } = decodeJwt(assertion)
    return isText(iss) ? iss : undefined
  } catch {
    return undefined
  }
}

/** The assertion, verified but for its single use; or why not, a stable id for the log. */
export async function verifyClientAssertion(
  assertion: string,
  options: ClientAssertionOptions,
): Promise<ClientAssertion | { reason: string }> {
  const { jwks, nowMs } = options
  if (!hasOneSpelling(assertion, readExternalJson)) return { reason: 'assertion_malformed' }
  let kid = ''
  try {
    const findKey = async (header: JWTHeaderParameters) => {
      const key = registeredKey(jwks.keys, header)
      if (key === undefined) throw new errors.JWKSNoMatchingKey()
      kid = key.kid
      return importJWK(key.jwk, header.alg)
    }
    const { payload } = await jwtVerify(assertion, findKey, {
      algorithms: [...clientAssertionAlgorithms],
      clockTolerance: leewaySeconds,
      currentDate: new Date(nowMs),
      requiredClaims: ['iss', 'sub', 'aud', 'exp', 'jti'],
    })
    const { iss, sub, jti, exp = 0 } = payload
    if (iss !== sub || !isText(iss) || !options.identifiers.includes(iss)) return { reason: 'assertion_client' }
    if (!isMeantForUs(payload.aud, options.isAudience)) return { reason: 'assertion_audience' }
    if (exp * 1000 > nowMs + (longestSeconds + leewaySeconds) * 1000) return { reason: 'assertion_lifetime' }
    if (!isText(jti)) return { reason: 'assertion_identifier' }
    return { jti, kid, usableUntilMs: (exp + leewaySeconds) * 1000 }
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) return { reason: 'assertion_malformed' }
    return { reason: error.code === 'ERR_JWT_EXPIRED' ? 'assertion_expired' : 'assertion_invalid' }
  }
}

/** The key that the header names, or the only one for its algorithm; its own `alg` has to be that of the header. */
export function registeredKey(
  keys: readonly Record<string, unknown>[],
  header: JWTHeaderParameters,
): { jwk: Record<string, unknown>; kid: string } | undefined {
  const fitting = keys.filter(
    (key) => key['alg'] === header.alg && (header.kid === undefined || key['kid'] === header.kid),
  )
  const [jwk, another] = fitting
  return jwk === undefined || another !== undefined ? undefined : { jwk, kid: String(jwk['kid']) }
}

/** An assertion for several is one that another of them could use here (RFC 7523 §3, rfc7523bis §4). */
function isMeantForUs(aud: string | string[] | undefined, isAudience: (audience: string) => boolean): boolean {
  const [audience, another] = Array.isArray(aud) ? aud : [aud]
  return audience !== undefined && another === undefined && isAudience(audience)
}
