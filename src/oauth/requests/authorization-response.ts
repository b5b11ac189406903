// The answer to an authorization request (RFC 6749 §4.1.2, RFC 9207): its fields, and the address that carries them. An
// address can only be made from a verified redirect URI.

import type { VerifiedRedirectUri } from './redirect-uri.js'

/** Names and values in the order in which they are sent. */
export type ResponseFields = readonly (readonly [name: string, value: string])[]

/** A code, and what the client needs to know whose it is. `state` comes back byte by byte. */
export function codeFields(answer: { code: string; state: string | undefined; issuer: string }): ResponseFields {
  return [['code', answer.code], ...rest(answer)]
}

/** A refusal (RFC 6749 §4.1.2.1). `description` and `errorUri` are for the developer. */
export function errorFields(answer: {
  error: string
  description: string
  errorUri: string
  state: string | undefined
  issuer: string
}): ResponseFields {
  return [
    ['error', answer.error],
    ['error_description', answer.description],
    ['error_uri', answer.errorUri],
    ...rest(answer),
  ]
}

/**
 * The redirect URI with the fields behind its own query, which is kept as it is (RFC 6749 §3.1.2). A registered query
 * has none of our names, so each of them is there once (R8).
 */
export function responseLocation(redirectUri: VerifiedRedirectUri, fields: ResponseFields): string {
  const query = fields.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')
  const mark = redirectUri.indexOf('?')
  if (mark === -1) return `${redirectUri}?${query}`
  const joined = mark === redirectUri.length - 1 || redirectUri.endsWith('&')
  return `${redirectUri}${joined ? '' : '&'}${query}`
}

/**
 * What a page's Content-Security-Policy has to allow as `form-action`, so that a form of ours may end in this redirect:
 * its origin, or its private-use scheme. A host-source cannot name an IPv6 address or an underscore (CSP3 §2.3.1), so
 * there it is all of the scheme.
 */
export function redirectSource(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri)
  if (protocol !== 'https:' && protocol !== 'http:') return protocol
  return /^[a-z0-9.:-]+$/.test(host) ? `${protocol}//${host}` : protocol
}

function rest({ state, issuer }: { state: string | undefined; issuer: string }): ResponseFields {
  return [...(state === undefined ? [] : [['state', state] as const]), ['iss', issuer]]
}
