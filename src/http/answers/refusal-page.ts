// Refusals before routing for a person: a page instead of the error body that programs get. Of a request that came in
// clear it has the address to use instead, never a redirect: a credential that was sent in clear would be sent again,
// and nobody would notice. Of a target that cannot be read it leads on.

import type { IncomingMessage } from 'node:http'
import type { RequestContext } from '../requests/request-context.js'
import type { ApiError } from './api-error.js'
import { pageHeaders } from './security-headers.js'

interface Page {
  headers: Readonly<Record<string, string>>
  body: string
}

const unreadable: Readonly<Record<string, string>> = {
  InvalidTarget:
    'This address holds characters that no page of this server has. It may have been cut or changed on its way.',
  TargetTooLong: 'This address is longer than that of any page of this server.',
}

/** The page, or undefined for other refusals and for clients that did not ask for a page. */
export function refusalPage(
  request: IncomingMessage,
  facts: RequestContext,
  { refusal, baseUrl }: { refusal: ApiError; baseUrl: string },
): Page | undefined {
  if (!/\btext\/html\b/i.test(request.headers.accept ?? '')) return undefined
  if (refusal.code === 'HttpsRequired') return facts.target.ok ? httpsRequired(facts.target.path, baseUrl) : undefined
  const text = unreadable[refusal.code]
  return text === undefined ? undefined : unreadableTarget(text, facts.requestId, baseUrl)
}

/** Without HSTS, which browsers ignore in clear. */
function httpsRequired(path: string, baseUrl: string): Page {
  // A canonical path has no character that means something in HTML but `&` and `'`.
  const address = `${baseUrl}${path}`.replaceAll('&', '&amp;').replaceAll("'", '&#39;')
  const { 'strict-transport-security': _, ...headers } = pageHeaders()
  const body = `<!doctype html><html lang="en"><title>HTTPS required</title><p>This server speaks HTTPS only: <a id="https" href="${address}">${address}</a></p></html>`
  return { headers: { ...headers, 'content-type': 'text/html; charset=utf-8' }, body }
}

function unreadableTarget(text: string, requestId: string, baseUrl: string): Page {
  const title = 'This address cannot be opened'
  const onward = `<p><a id="home" href="${baseUrl}/portal">Go to the start page</a></p>`
  const body = `<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1><p id="error">${text}</p>${onward}<p>Request id: <code id="request-id">${requestId}</code></p></html>`
  return {
    headers: { ...pageHeaders(), 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
    body,
  }
}
