// Where a bearer token may be: in one Authorization header and nowhere else (RFC 6750 §2.1; §2.2 and §2.3 are not
// supported, RFC 9700 §4.3.2). This file finds it; whether it is any good is for tokens/ and access/.

import { BearerError } from '../errors/errors.js'
import { authorizationValues } from './basic.js'

/** No token of ours comes near it; what is longer is refused before anybody decodes it. */
const longestToken = 8192

const scheme = /^bearer(?: |$)/i
const tokenPattern = /^[A-Za-z0-9\-._~+/]+=*$/

/**
 * The bearer token of a request, from its raw headers (name, value, …) and its query without `?`. Throws BearerError:
 * `invalid_request` for two Authorization headers or a token in the query, `no_token` when no header has the scheme,
 * `invalid_token` for one that is too long. Of which characters it is made is looked at when it is not known already.
 */
export function readBearer(rawHeaders: readonly string[], query: string | undefined): string {
  if (query !== undefined && hasTokenParameter(query)) {
    throw new BearerError('invalid_request', 'token_in_query', 'An access token must not be sent in the query.')
  }
  const values = authorizationValues(rawHeaders)
  if (values.length > 1) {
    throw new BearerError(
      'invalid_request',
      'two_authorization_headers',
      'More than one Authorization header was sent.',
    )
  }
  const value = values[0]?.trim()
  if (value === undefined || !scheme.test(value)) {
    throw new BearerError('no_token', 'no_token', 'A bearer token is required.')
  }
  const token = value.slice(6).trimStart()
  if (token === '') throw new BearerError('no_token', 'no_token', 'A bearer token is required.')
  if (token.length > longestToken) {
    throw new BearerError('invalid_token', 'token_too_long', 'The access token is too long.')
  }
  return token
}

/**
 * Throws BearerError `invalid_token` for what cannot be a token (RFC 6750 §2.1 b64token). Before anybody decodes it.
 */
export function checkTokenSyntax(token: string): void {
  if (tokenPattern.test(token)) return
  throw new BearerError('invalid_token', 'token_malformed', 'The access token is malformed.')
}

/** Also in another letter case or percent-encoded: an upstream might read it, and logs would have it. */
function hasTokenParameter(query: string): boolean {
  if (!/access|%/i.test(query)) return false
  for (const name of new URLSearchParams(query).keys()) if (name.toLowerCase() === 'access_token') return true
  return false
}
