// Names of answer fields by which a service would speak to somebody else than its caller: to a web server, balancer or
// cache in front of the gate, or to a browser about this whole origin, which one service among many must not. All in
// lower case; with a hyphen at their end the beginning of names.

/** A route may let these cross (allowResponseHeaders), where the service is meant to say them. */
const optional = new Set([
  // Where a server in front sends a file instead, from its own disk or another address, and how it sends and keeps
  // answers.
  ...[
    'x-accel-',
    'x-sendfile',
    'x-sendfile-',
    'x-lighttpd-send-file',
    'x-lighttpd-send-tempfile',
    'x-reproxy-',
    'x-litespeed-',
  ],
  ...[
    'x-proxy-cache-',
    'x-lsadc-',
    'x-envoy-',
    'x-mod-pagespeed',
    'esi-',
    'edge-control',
    'surrogate-control',
    'surrogate-key',
  ],
  // What a browser sends to this origin from now on, fetches ahead of need, or thinks of who is signed in here.
  ...[
    'accept-ch',
    'accept-ch-lifetime',
    'critical-ch',
    'speculation-rules',
    'no-vary-search',
    'use-as-dictionary',
    'set-login',
  ],
  ...[
    'activate-storage-access',
    'observe-browsing-topics',
    'attribution-reporting-',
    'shared-storage-write',
    'expect-ct',
  ],
  ...['origin-trial', 'origin-agent-cluster', 'x-dns-prefetch-control', 'x-permitted-cross-domain-policies'],
  ...[
    'ad-auction-',
    'supports-loading-mode',
    'sec-session-',
    'secure-session-',
    'sec-purpose',
    'large-allocation',
    'dpr',
    'content-dpr',
  ],
])

/** Whether a field stays here unless its route lets it cross. `lower` is its name. */
export function isKeptBack(lower: string): boolean {
  if (optional.has(lower)) return true
  // RFC 9213: CDN-Cache-Control and its kind speak to caches in front, which never see the token.
  if (lower.endsWith('-cache-control')) return true
  for (let end = lower.indexOf('-'); end !== -1; end = lower.indexOf('-', end + 1)) {
    if (optional.has(lower.slice(0, end + 1))) return true
  }
  return false
}

/** Schemes for which a browser asks the person for a password, or proves who they are by itself, on this origin. */
const promptsBrowser = /(?:^|,)\s*(?:basic|digest|ntlm|negotiate|mutual)(?:\s*$|\s*,|\s+(?!=))/i

/** Whether a WWW-Authenticate would make a browser do that. No such credential crosses the gate. */
export function promptsForPassword(challenges: string): boolean {
  return promptsBrowser.test(challenges)
}
