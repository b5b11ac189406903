// HTTP Basic as OAuth uses it (RFC 6749 §2.3.1): both parts are form-encoded first, then joined and put into base64.
// Clients differ in how much they percent-encode (some even `_` and `-`), so both parts are always decoded.

import { decodeFormText } from './form-decoding.js'

/** What the Authorization headers of a request to an OAuth endpoint say about the client. */
export type BasicCredentials =
  | { kind: 'absent' }
  /** Another scheme, or a Basic value that cannot be read. */
  | { kind: 'malformed' }
  /** More than one Authorization header. */
  | { kind: 'repeated' }
  /** `clientSecret` may be empty, which counts as absent. */
  | { kind: 'credentials'; clientId: string; clientSecret: string }

const scheme = /^basic +([A-Za-z0-9+/]+={0,2})$/i

/**
 * Reads the client's credentials from raw headers (name, value, name, value, …), where a repeated header still shows.
 */
export function readBasic(rawHeaders: readonly string[]): BasicCredentials {
  const values = authorizationValues(rawHeaders)
  if (values.length > 1) return { kind: 'repeated' }
  const [value] = values
  if (value === undefined) return { kind: 'absent' }
  const encoded = scheme.exec(value.trim())?.[1]
  if (encoded === undefined) return { kind: 'malformed' }
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 0) return { kind: 'malformed' }
  const clientId = decodeFormText(text.slice(0, colon))
  const clientSecret = decodeFormText(text.slice(colon + 1))
  if (clientId === undefined || clientSecret === undefined) return { kind: 'malformed' }
  return { kind: 'credentials', clientId, clientSecret }
}

/** The values of every Authorization header, in order. */
export function authorizationValues(rawHeaders: readonly string[]): string[] {
  const values: string[] = []
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name !== undefined && name.length === 13 && name.toLowerCase() === 'authorization') {
      values.push(rawHeaders[i + 1] ?? '')
    }
  }
  return values
}
