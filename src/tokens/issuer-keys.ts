// The public keys of outside issuers, found as OpenID Connect Discovery 1.0 §4 says: the issuer's document names where they
// are. Only issuers that somebody registered are ever asked, and each at its own pace.

import { isText } from './claim-rules.js'
import type { VerificationKey } from './keys.js'
import { createRemoteKeys, type RemoteKeys } from './remote-keys.js'

/** Ten minutes like the providers of people; an issuer that is down is asked every five minutes at the end. */
const pace = { freshMs: 600_000, pauseMs: 5_000, longestPauseMs: 300_000 }
/** Issuers that are remembered; whoever was used longest ago is forgotten first. */
const mostIssuers = 1_000

export interface IssuerKeys {
  /** The issuer's key of that id; undefined when it has none, `away` when nobody can tell now. Never throws. */
  find(issuer: string, kid: string): Promise<VerificationKey | 'away' | undefined>
}

/**
 * `fetch` answers with a document's text and decides which addresses it asks; `monotonic` is milliseconds; `onError` hears
 * why an issuer's keys could not be had.
 */
export function createIssuerKeys(options: {
  fetch: (url: string) => Promise<string>
  monotonic: () => number
  onError?: (issuer: string, error: unknown) => void
}): IssuerKeys {
  const { fetch, monotonic } = options
  const issuers = new Map<string, RemoteKeys>()

  function keysOf(issuer: string): RemoteKeys {
    const known = issuers.get(issuer)
    const keys =
      known ??
      createRemoteKeys({
        ...{ url: issuer, monotonic, pace, withoutAlg: true },
        fetch: (url) => fetchKeySet(url, fetch),
        onError: (error) => options.onError?.(issuer, error),
      })
    // The newest last: the first of the map is the one to forget.
    issuers.delete(issuer)
    issuers.set(issuer, keys)
    const [oldest] = issuers.keys()
    if (issuers.size > mostIssuers && oldest !== undefined) issuers.delete(oldest)
    return keys
  }

  return {
    async find(issuer, kid) {
      const keys = keysOf(issuer)
      await keys.prepare(kid)
      return keys.findKey(kid) ?? (keys.isAway ? 'away' : undefined)
    },
  }
}

/**
 * The key set of an issuer, by way of its discovery document. Throws Error when the document is another issuer's, or names no
 * https address.
 */
export async function fetchKeySet(issuer: string, fetch: (url: string) => Promise<string>): Promise<string> {
  const text = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
  const { issuer: named, jwks_uri } = JSON.parse(text) as Record<string, unknown>
  if (named !== issuer) throw new Error('the discovery document is of another issuer')
  if (!isText(jwks_uri) || !URL.canParse(jwks_uri) || new URL(jwks_uri).protocol !== 'https:') {
    throw new Error('the discovery document names no https address of keys')
  }
  return fetch(jwks_uri)
}
