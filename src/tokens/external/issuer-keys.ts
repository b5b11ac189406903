// The public keys of outside issuers, found as OpenID Connect Discovery 1.0 §4 says: the issuer's document names where
// they are. Only issuers that a tenant registered are ever called, each at its own pace, and none of another tenant's
// waits or is forgotten for it.

import { isText } from '../claim-rules.js'
import type { VerificationKey } from '../keys/keys.js'
import { createRemoteKeys, type RemoteKeys } from './remote-keys.js'

/** Ten minutes like the providers of people; an issuer that is down is tried once in five minutes in the end. */
const pace = { freshMs: 600_000, pauseMs: 5_000, longestPauseMs: 300_000 }
/**
 * Issuers that are remembered. One too many: of the tenant with most of them the one that was used longest ago is
 * forgotten.
 */
const mostIssuers = 1_000

export interface IssuerKeys {
  /**
   * The key of that id of an issuer that the tenant registered; undefined when it has none, `away` when nobody can tell
   * now. Never throws.
   */
  find(issuer: string, kid: string, tenantId: string): Promise<VerificationKey | 'away' | undefined>
}

/**
 * `fetch` answers with a document's text, for the tenant that chose it, and decides which addresses it asks;
 * `monotonic` is milliseconds; `onError` hears why an issuer's keys could not be had.
 */
export function createIssuerKeys(options: {
  fetch: (url: string, tenantId: string) => Promise<string>
  monotonic: () => number
  onError?: (issuer: string, error: unknown) => void
}): IssuerKeys {
  const { fetch, monotonic } = options
  const tenants = new Map<string, Map<string, RemoteKeys>>()
  let count = 0

  function keysOf(issuer: string, tenantId: string): RemoteKeys {
    const issuers = tenants.get(tenantId) ?? new Map<string, RemoteKeys>()
    tenants.set(tenantId, issuers)
    const known = issuers.get(issuer)
    const keys =
      known ??
      createRemoteKeys({
        url: issuer,
        monotonic,
        pace,
        withoutAlg: true,
        fetch: (url) => fetchKeySet(url, (each) => fetch(each, tenantId)),
        onError: (error) => options.onError?.(issuer, error),
      })
    // The newest last: the first of the map is the one to forget.
    issuers.delete(issuer)
    issuers.set(issuer, keys)
    if (known === undefined) count += 1
    if (count > mostIssuers) forgetOne()
    return keys
  }

  function forgetOne(): void {
    let [most, issuers] = ['', new Map<string, RemoteKeys>()]
    for (const [tenantId, its] of tenants) if (its.size > issuers.size) [most, issuers] = [tenantId, its]
    for (const oldest of [...issuers.keys()].slice(0, 1)) issuers.delete(oldest)
    if (issuers.size === 0) tenants.delete(most)
    count -= 1
  }

  return {
    async find(issuer, kid, tenantId) {
      const keys = keysOf(issuer, tenantId)
      await keys.prepare(kid)
      return keys.findKey(kid) ?? (keys.isAway ? 'away' : undefined)
    },
  }
}

/**
 * The key set of an issuer, by way of its discovery document. Throws Error when the document is another issuer's, or
 * names no https address.
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
