// The types and ranges of claims. A claim of another type is refused, never converted.

import { BearerError } from '../oauth/errors/errors.js'

/** No access token lives longer, whatever is configured: revocations are kept just as long. */
export const longestTokenSeconds = 86_400

/** The end of the year 9999. What lies behind it is a mistake, and would not fit a date. */
const latestSeconds = 253_402_300_799

const longestText = 2048

export interface TimeClaims {
  /** Epoch seconds. */
  iat: number
  nbf: number
  exp: number
}

/**
 * Whether a token is current: not over, already valid, and not from the future, each with the leeway (RFC 7519
 * §4.1.4–6). Throws BearerError `invalid_token`: a missing claim, a fraction and a string are refused like a wrong
 * time.
 */
export function checkTimes(
  claims: { iat: unknown; nbf: unknown; exp: unknown },
  clock: { nowMs: number; leewaySeconds: number },
): TimeClaims {
  const { iat, nbf, exp } = claims
  if (!isNumericDate(iat) || !isNumericDate(nbf) || !isNumericDate(exp) || exp < iat) throw refused('claims')
  const nowSeconds = clock.nowMs / 1000
  if (nowSeconds >= exp + clock.leewaySeconds) {
    throw new BearerError('invalid_token', 'expired', 'The access token has expired.')
  }
  const latest = nowSeconds + clock.leewaySeconds
  if (nbf > latest || iat > latest) throw refused('not_yet_valid')
  return { iat, nbf, exp }
}

/** A claim that names something: a string that is neither empty nor boundless. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= longestText
}

/** A list of names. */
export function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText)
}

function isNumericDate(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= latestSeconds
}

function refused(reason: string): BearerError {
  return new BearerError('invalid_token', reason, 'The access token is not valid.')
}
