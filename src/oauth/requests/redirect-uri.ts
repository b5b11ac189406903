// Redirect URIs (RFC 6749 §3.1.2, RFC 8252 §7, RFC 9700 §2.1 and §4.1): which ones may be registered, and the one place
// that says whether a presented one is registered. Only what comes out of here may be redirected to.

declare const verified: unique symbol

/** A redirect URI that matched a registered one. Nothing else may be put into a Location header. */
export type VerifiedRedirectUri = string & { readonly [verified]: true }

const reservedParameters = ['code', 'state', 'iss', 'error']
const privateUseScheme = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:\/(?:[^\s]*)$/i
/** A loopback authority, its port apart: `http://localhost`, `:8080`, the rest. */
const loopbackUri = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(:\d{1,5})?((?:[/?].*)?)$/

/**
 * Why this URI may not be registered for a client of that type, as a sentence for the developer; undefined when it may.
 */
export function redirectUriProblem(uri: string, type: 'web' | 'native'): string | undefined {
  if (uri.length === 0 || uri.length > 2048) return 'A redirect URI has 1 to 2048 characters.'
  if (!/^[\x21-\x7e]+$/.test(uri)) return 'A redirect URI has no white space, control or non-ASCII characters.'
  if (/[*\\<>"`{}|^]/.test(uri)) return 'A redirect URI has no wildcard, backslash or other character to be escaped.'
  if (uri.includes('#')) return 'A redirect URI has no fragment.'
  if (!URL.canParse(uri)) return 'A redirect URI is an absolute URI.'
  const url = new URL(uri)
  return schemeProblem(uri, url, type) ?? queryProblem(url)
}

/**
 * The presented URI, verified, when it is registered: by exact string, and for a native client's loopback URI with any
 * port or none (RFC 8252 §7.3). undefined when it is not.
 */
export function findRedirectUri(
  registered: readonly string[],
  presented: string,
  type: 'web' | 'native',
): VerifiedRedirectUri | undefined {
  const matches = registered.some((uri) => uri === presented || (type === 'native' && isSameLoopback(uri, presented)))
  return matches ? (presented as VerifiedRedirectUri) : undefined
}

function schemeProblem(uri: string, url: URL, type: 'web' | 'native'): string | undefined {
  if (url.protocol === 'https:' || url.protocol === 'http:') {
    // A URL parser also takes `https:host`, `https:/host` and encoded hosts; what is stored must read as what it is.
    if (!/^https?:\/\/[a-z0-9[]/.test(uri)) return 'Write the scheme in lower case, then // and the host.'
    if (/^https?:\/\/[^/?]*@/.test(uri)) return 'A redirect URI has no user information.'
    if (!/^https?:\/\/[a-z0-9.\-_[\]:]+(?:[/?]|$)/i.test(uri)) return 'The host of a redirect URI is plain ASCII.'
    if (/\/(?:\.|%2e){1,2}(?:[/?;]|$)/i.test(uri)) return 'A redirect URI has no dot segments.'
    if (url.protocol === 'https:' || loopbackUri.test(uri)) return undefined
    return 'A redirect URI uses https; http only on 127.0.0.1, [::1] or localhost.'
  }
  if (type === 'web') return 'A web application has https redirect URIs, or http on loopback.'
  if (!privateUseScheme.test(uri)) {
    return 'A private-use scheme is a domain name in reverse, such as com.example.app:/callback.'
  }
  return uri.includes('@') ? 'A redirect URI has no user information.' : undefined
}

function queryProblem(url: URL): string | undefined {
  const reserved = reservedParameters.find((name) => url.searchParams.has(name))
  return reserved === undefined ? undefined : `The query of a redirect URI may not contain ${reserved}.`
}

/** Path exact, and an absent path stays absent. */
function isSameLoopback(registered: string, presented: string): boolean {
  const known = loopbackUri.exec(registered)
  const given = loopbackUri.exec(presented)
  if (known === null || given === null) return false
  const port = given[2]
  if (port !== undefined && Number(port.slice(1)) > 65_535) return false
  return known[1] === given[1] && known[3] === given[3]
}
