// Web origins (RFC 6454 §7) as far as cross-origin requests are concerned: which ones a list of redirect URIs stands
// for.

/** http on this machine, at a port that stands there: where somebody develops a page (decision 52). */
const developedAt = /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost):\d{1,5}(?:[/?]|$)/

/**
 * The origins of the https URIs of a list and, of a native client, of its loopback URIs that name a port. A private-use
 * scheme has no page that asks, and a web client asks from its server.
 */
export function browserOrigins(redirectUris: readonly string[], type: 'web' | 'native'): Set<string> {
  const ofPages = redirectUris.filter(
    (uri) => (uri.startsWith('https://') || (type === 'native' && developedAt.test(uri))) && URL.canParse(uri),
  )
  return new Set(ofPages.map((uri) => new URL(uri).origin))
}
