// The refusal of a request that came in clear, for a person: a page with the address to use instead. Programs get the
// error body. Never a redirect: a credential that was sent in clear would be sent again, and nobody would notice.

import type { IncomingMessage } from 'node:http'
import type { RequestContext } from './request-context.js'
import { pageHeaders } from './security-headers.js'

/** The page, or undefined when the client did not ask for one. `headers` lack HSTS, which browsers ignore in clear. */
export function httpsRequiredPage(
  request: IncomingMessage,
  facts: RequestContext,
  baseUrl: string,
): { headers: Readonly<Record<string, string>>; body: string } | undefined {
  if (!/\btext\/html\b/i.test(request.headers.accept ?? '') || !facts.target.ok) return undefined
  // A canonical path has no character that means something in HTML but `&` and `'`.
  const address = `${baseUrl}${facts.target.path}`.replaceAll('&', '&amp;').replaceAll("'", '&#39;')
  const { 'strict-transport-security': _, ...headers } = pageHeaders()
  const body = `<!doctype html><html lang="en"><title>HTTPS required</title><p>This server speaks HTTPS only: <a id="https" href="${address}">${address}</a></p></html>`
  return { headers: { ...headers, 'content-type': 'text/html; charset=utf-8' }, body }
}
