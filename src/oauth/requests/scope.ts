// The scope list on the wire (RFC 6749 §3.3, contract §3): one parameter with two names and three separators in,
// a space-separated list out. What the entries mean is scope-request.ts.

import { errorNumber } from '../errors/error-numbers.js'
import { OAuthError } from '../errors/errors.js'

/** The entries of a list: split on commas and white space, without empties and repetitions, in their order. */
export function parseScopeList(text: string): string[] {
  return [...new Set(text.split(/[,\s]+/).filter((entry) => entry !== ''))]
}

/**
 * The requested list from `scope` and `requested_scopes`, which are one parameter; empty when neither says anything.
 * Throws OAuthError `invalid_request` when both are present and differ as sets.
 */
export function readScopeList(scope: string | undefined, requestedScopes: string | undefined): string[] {
  const first = parseScopeList(scope ?? '')
  const second = parseScopeList(requestedScopes ?? '')
  if (first.length === 0) return second
  if (second.length > 0 && !isSameSet(first, second)) {
    throw new OAuthError('invalid_request', 'scope and requested_scopes are one parameter but have different values.', {
      number: errorNumber.invalidParameter,
    })
  }
  return first
}

/** Whether two lists without repetitions have the same entries; order does not count. */
export function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  const members = new Set(b)
  return a.length === b.length && a.every((entry) => members.has(entry))
}
