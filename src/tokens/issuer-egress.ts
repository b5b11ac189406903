// The way out to outside issuers. Whoever registers one names an address, so this server asks public addresses only, and those
// that its operator allows: over https, nothing followed, nothing slow, nothing large (fetch-document.ts).

import { publicLookup } from '../http/public-address.js'
import { domainOf } from '../http/tenant-names.js'
import { fetchDocument } from './fetch-document.js'

/**
 * Fetches a document's text. `fetch` false: never; `allow`: names and addresses, in lower case, that need not be public; `ca`:
 * PEM to trust instead of the system's authorities. What it answers with throws Error, and AddressNotPublic.
 */
export function issuerEgress(options: {
  fetch: boolean
  allow: readonly string[]
  ca: string | undefined
}): (url: string) => Promise<string> {
  const allowed = new Set(options.allow)
  return async (url) => {
    if (!options.fetch) throw new Error('federation.fetch is off')
    const { protocol, hostname } = new URL(url)
    if (protocol !== 'https:') throw new Error('an issuer is asked over https only')
    return fetchDocument(url, options.ca, publicLookup(hostname, { allowed, tenant: domainOf(hostname) }))
  }
}
