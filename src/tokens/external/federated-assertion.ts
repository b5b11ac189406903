// A token of an outside issuer that proves who a client is (RFC 7523 §2.2 and §3; decision 0061). Whose it has to be is
// registered: nothing in the token says whom or which key to trust.

import { createHash } from 'node:crypto'
import { decodeJwt, errors, importJWK, type JWTHeaderParameters, type JWTPayload, jwtVerify } from 'jose'
import { isText } from '../claim-rules.js'
import { clientAssertionAlgorithms, registeredKey } from '../client-assertion.js'
import { hasOneSpelling } from '../compact-jws.js'
import type { VerificationKey } from '../keys/keys.js'
import { readExternalJson } from './external-json.js'

/** However long an issuer lets its tokens live: one that is older proves nothing here. */
const oldestSeconds = 3_600
const leewaySeconds = 30

/** Whose token it has to be: each exactly. */
export interface Trust {
  issuer: string
  subject: string
  audience: string
}

/**
 * Whose a token claims to be, unverified: only to find out whether anybody trusts it. Undefined for what is no token.
 */
export function assertedTrust(assertion: string): Trust | undefined {
  try {
    const { iss, sub, aud } = decodeJwt(assertion)
    const audience = onlyAudience(aud)
    return isText(iss) && isText(sub) && isText(audience) ? { issuer: iss, subject: sub, audience } : undefined
  } catch {
    return undefined
  }
}

/** A token that is whole and current, but for its single use. */
export interface FederatedAssertion {
  /** Its `jti`, else a hash of what was signed: ECDSA lets anybody write a second signature, but not a second text. */
  id: string
  /** Epoch milliseconds: after it no clock takes the token any more. */
  usableUntilMs: number
}

/**
 * The token, when it is one that `trust` names, whole and current; else why it is not, a stable id for the log.
 * `federated_issuer_away` says nothing of the token: its issuer could not be reached.
 */
export async function verifyFederatedAssertion(
  assertion: string,
  options: {
    trust: Trust
    /** The issuer's keys as they were configured; undefined: `findKey` is called. */
    jwks: { keys: readonly Record<string, unknown>[] } | undefined
    /** The key that the issuer publishes under this id now; `away` when the issuer does not answer. */
    findKey: (kid: string) => Promise<VerificationKey | 'away' | undefined>
    /** Epoch milliseconds. */
    nowMs: number
  },
): Promise<FederatedAssertion | { reason: string }> {
  const { trust, nowMs } = options
  if (!hasOneSpelling(assertion, readExternalJson)) return { reason: 'federated_malformed' }
  try {
    const { payload, protectedHeader } = await jwtVerify(assertion, (header) => keyFor(header, options), {
      algorithms: [...clientAssertionAlgorithms],
      clockTolerance: leewaySeconds,
      currentDate: new Date(nowMs),
      requiredClaims: ['iss', 'sub', 'aud', 'exp', 'iat'],
    })
    // RFC 8725 §3.11: an access token or a logout token of the same issuer is for somebody else.
    if (!isPlainType(protectedHeader.typ)) return { reason: 'federated_type' }
    const reason = claimProblem(payload, trust, nowMs / 1000)
    return reason === undefined ? once(assertion, payload) : { reason }
  } catch (error) {
    return { reason: reasonOf(error) }
  }
}

function once(assertion: string, { jti, iat = 0, exp = 0 }: JWTPayload): FederatedAssertion {
  const signed = assertion.slice(0, assertion.lastIndexOf('.'))
  const id = isText(jti) ? `jti:${jti}` : `signed:${createHash('sha256').update(signed).digest('base64url')}`
  return { id, usableUntilMs: (Math.min(exp, iat + oldestSeconds) + leewaySeconds) * 1000 }
}

function reasonOf(error: unknown): string {
  if (error instanceof IssuerAway) return 'federated_issuer_away'
  if (!(error instanceof errors.JOSEError)) return 'federated_malformed'
  if (error.code === 'ERR_JWKS_NO_MATCHING_KEY') return 'federated_key'
  return error.code === 'ERR_JWT_EXPIRED' ? 'federated_expired' : 'federated_invalid'
}

class IssuerAway extends Error {}

/** A key of the issuer for its own algorithm (RFC 8725 §3.1). Throws JOSEError when there is none. */
async function keyFor(
  header: JWTHeaderParameters,
  { jwks, findKey }: Pick<Parameters<typeof verifyFederatedAssertion>[1], 'jwks' | 'findKey'>,
) {
  if (jwks !== undefined) {
    const configured = registeredKey(jwks.keys, header)
    if (configured !== undefined) return importJWK(configured.jwk, header.alg)
  } else if (header.kid !== undefined) {
    const published = await findKey(header.kid)
    if (published === 'away') throw new IssuerAway()
    if (published?.alg === header.alg) return published.publicKey
  }
  throw new errors.JWKSNoMatchingKey()
}

function claimProblem({ iss, sub, aud, iat = 0 }: JWTPayload, trust: Trust, nowSeconds: number): string | undefined {
  if (iss !== trust.issuer || sub !== trust.subject) return 'federated_subject'
  if (onlyAudience(aud) !== trust.audience) return 'federated_audience'
  if (iat > nowSeconds + leewaySeconds) return 'federated_invalid'
  return nowSeconds > iat + oldestSeconds + leewaySeconds ? 'federated_age' : undefined
}

/** A token for several is one that another of them could use here. */
function onlyAudience(aud: string | string[] | undefined): string | undefined {
  const [audience, another] = Array.isArray(aud) ? aud : [aud]
  return another === undefined ? audience : undefined
}

function isPlainType(typ: string | undefined): boolean {
  return typ === undefined || /^(?:application\/)?jwt$/i.test(typ)
}
