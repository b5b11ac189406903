// Web origins (RFC 6454 §7) as far as cross-origin requests are concerned: which ones a list of redirect URIs stands
// for.

/** The origins of the https URIs of a list. Loopback and private-use schemes have no page of their own that asks. */
export function browserOrigins(redirectUris: readonly string[]): Set<string> {
  const https = redirectUris.filter((uri) => uri.startsWith('https://') && URL.canParse(uri))
  return new Set(https.map((uri) => new URL(uri).origin))
}
