// The way out to outside issuers. The person who registers one names an address, so this server calls public addresses
// only, and those that its operator allows: over https, nothing followed, nothing slow, nothing large
// (fetch-document.ts).

import { publicLookup } from '../../egress/public-address.js'
import { type createTenantNames, domainOf } from '../../egress/tenant-names.js'
import { fetchDocument } from './fetch-document.js'

/**
 * Fetches a document's text. `fetch` false: never; `allow`: names and addresses, in lower case, that need not be
 * public; `ca`: PEM to trust instead of the system's authorities; `names`: a test's own. What it answers with takes the
 * tenant that chose the name, or none for a name of the operator's, and throws Error, and AddressNotPublic.
 */
export function issuerEgress(options: {
  fetch: boolean
  allow: readonly string[]
  ca: string | undefined
  names?: ReturnType<typeof createTenantNames>
}): (url: string, tenantId?: string) => Promise<string> {
  const allowed = new Set(options.allow)
  return async (url, tenantId) => {
    if (!options.fetch) throw new Error('federation.fetch is off')
    const { protocol, hostname } = new URL(url)
    if (protocol !== 'https:') throw new Error('an issuer is called over https only')
    const tenant = tenantId ?? domainOf(hostname)
    const resolve = options.names?.(tenant)
    const lookup = publicLookup(hostname, { allowed, tenant, ...(resolve === undefined ? {} : { resolve }) })
    return fetchDocument(url, options.ca, lookup)
  }
}
