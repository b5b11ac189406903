// The link to the next page (RFC 8288 §3). Built from the public base URL, never from the Host of the request.

import type { QueryOption } from './options.js'

/** A Link header value with rel="next". `url` is the list's public address; options are encoded in the order given. */
export function nextLink(url: string, options: Partial<Record<QueryOption, string>>): string {
  const query = Object.entries(options).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return `<${url}?${query.join('&')}>; rel="next"`
}
