// What a browser gets where there is nothing: from the bare address of the server to where people begin, elsewhere a page
// with ways on. Programs get the error body (contract §5), and so does everybody below /api and on a host for APIs.

import type { IncomingMessage } from 'node:http'
import type { RequestContext } from '../http/requests/request-context.js'
import { Page } from './pages/layout.js'
import { renderPage } from './pages/send-page.js'

/** Stands in the page that is rendered once; no identifier of a request is written like it. */
const placeholder = '{request-id}'

/** An answer past Fastify; `headers` without the fields that every answer has. */
export interface PageAnswer {
  status: number
  headers: Readonly<Record<string, string>>
  body: string
}

/** Builds the function that answers; undefined for a request that wants no page. `publicOrigin` as for renderPage. */
export function createNothingHere(publicOrigin: string) {
  const { headers, body } = renderPage(<NothingHere />, { forms: false, headers: { vary: 'accept' } }, publicOrigin)
  const [before = '', after = ''] = body.split(placeholder)
  return (request: IncomingMessage, facts: RequestContext): PageAnswer | undefined => {
    const { target, requestId, entry } = facts
    if (!target.ok || entry.apiHost !== undefined || /^\/api(?:\/|$)/i.test(target.path)) return undefined
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
    if (!/\btext\/html\b/i.test(request.headers.accept ?? '')) return undefined
    if (target.path !== '/') return { status: 404, headers, body: `${before}${requestId}${after}` }
    return { status: 303, headers: { location: '/portal', vary: 'accept', 'cache-control': 'no-store' }, body: '' }
  }
}

function NothingHere() {
  return (
    <Page title="Page not found" home="/portal">
      <div class="card" id="error">
        <p id="what">There is nothing at this address.</p>
        <p id="remedy">Check how it is spelled, or go on from one of these pages.</p>
        <p>
          <a class="button" id="go-on" href="/portal">
            Go to the start page
          </a>
        </p>
        <p>
          <a href="/account">Your account</a> · <a href="/docs">Documentation</a> · <a href="/errors">Error numbers</a>
        </p>
      </div>
      <p class="fine">
        Request <code id="request-id">{placeholder}</code>
      </p>
    </Page>
  )
}
