// A token of an outside issuer that proves who a client is (RFC 7523 §2.2 and §3; decision 0061). Whose it has to be is
// registered: nothing in the token says whom or which key to trust.

import { decodeJwt, errors, importJWK, type JWTHeaderParameters, type JWTPayload, jwtVerify } from 'jose'
import { isText } from './claim-rules.js'
import { clientAssertionAlgorithms, registeredKey } from './client-assertion.js'
import { hasOneSpelling } from './compact-jws.js'
import { readForeignJson } from './foreign-json.js'
import type { VerificationKey } from './keys.js'

/** However long an issuer lets its tokens live: one that is older proves nothing here. */
const oldestSeconds = 86_400
const leewaySeconds = 30

/** Whose token it has to be: each exactly. */
export interface Trust {
  issuer: string
  subject: string
  audience: string
}

/** Whose a token claims to be, unverified: only to find out whether anybody trusts it. Undefined for what is no token. */
export function assertedTrust(assertion: string): Trust | undefined {
  try {
    const { iss, sub, aud } = decodeJwt(assertion)
    const audience = onlyAudience(aud)
    return isText(iss) && isText(sub) && isText(audience) ? { issuer: iss, subject: sub, audience } : undefined
  } catch {
    return undefined
  }
}

/**
 * Undefined when the token is one that `trust` names, whole and current; else why it is not, a stable id for the log. It may
 * come more than once: its holder is handed one token for its lifetime, and sends it each time. `federated_issuer_away` says
 * nothing of the token: its issuer could not be asked.
 */
export async function federatedAssertionProblem(
  assertion: string,
  options: {
    trust: Trust
    /** The issuer's keys as they were configured; undefined: `findKey` is asked. */
    jwks: { keys: readonly Record<string, unknown>[] } | undefined
    /** The key that the issuer publishes under this id now; `away` when the issuer does not answer. */
    findKey: (kid: string) => Promise<VerificationKey | 'away' | undefined>
    /** Epoch milliseconds. */
    nowMs: number
  },
): Promise<string | undefined> {
  const { trust, nowMs } = options
  if (!hasOneSpelling(assertion, readForeignJson)) return 'federated_malformed'
  try {
    const { payload, protectedHeader } = await jwtVerify(assertion, (header) => keyFor(header, options), {
      algorithms: [...clientAssertionAlgorithms],
      clockTolerance: leewaySeconds,
      currentDate: new Date(nowMs),
      requiredClaims: ['iss', 'sub', 'aud', 'exp', 'iat'],
    })
    // RFC 8725 §3.11: an access token or a logout token of the same issuer is for somebody else.
    if (!isPlainType(protectedHeader.typ)) return 'federated_type'
    return claimProblem(payload, trust, nowMs / 1000)
  } catch (error) {
    if (error instanceof IssuerAway) return 'federated_issuer_away'
    if (!(error instanceof errors.JOSEError)) return 'federated_malformed'
    if (error.code === 'ERR_JWKS_NO_MATCHING_KEY') return 'federated_key'
    return error.code === 'ERR_JWT_EXPIRED' ? 'federated_expired' : 'federated_invalid'
  }
}

class IssuerAway extends Error {}

/** A key of the issuer for its own algorithm (RFC 8725 §3.1). Throws JOSEError when there is none. */
async function keyFor(
  header: JWTHeaderParameters,
  { jwks, findKey }: Pick<Parameters<typeof federatedAssertionProblem>[1], 'jwks' | 'findKey'>,
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
