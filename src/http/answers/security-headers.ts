// Headers that tell a browser what an answer of this origin may not do. One origin serves the sign-in pages and other
// people's services, so a proxied answer must never run, be framed as ours, or be sniffed into something that runs.

/** For answers of upstreams (contract §1): flat name, value list. */
export const proxiedAnswerHeaders: readonly string[] = [
  'x-content-type-options',
  'nosniff',
  'content-security-policy',
  "sandbox; default-src 'none'",
]

/** For pages of upstreams, at a host that has nothing else (`pages: true`). */
export const proxiedPageHeaders: readonly string[] = ['x-content-type-options', 'nosniff']

/**
 * For pages of ours. `styleSource` is a CSP source expression for the page's own style, such as a hash; without it a
 * page has none. HSTS stands on pages only: it speaks to browsers (RFC 6797 §7.1).
 */
export function pageHeaders(styleSource?: string): Readonly<Record<string, string>> {
  const policy = ["default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]
  if (styleSource !== undefined) policy.push(`style-src ${styleSource}`)
  return {
    'content-security-policy': policy.join('; '),
    'strict-transport-security': 'max-age=31536000',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  }
}
