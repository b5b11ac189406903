// The one way to the document of a client that nobody registered. Anybody who sends a request here names the address,
// before somebody has signed in: so it leads to public addresses only, judged in the look-up of the connection itself; nothing
// is followed, nothing that says who asks is sent, and nothing is slow or large (draft-ietf-oauth-client-id-metadata-document-00
// §6.1 and §6.2).

import { AnswerTooLarge, readBytes } from '../egress/answer-body.js'
import { exchange } from '../egress/exchange.js'
import { publicLookup } from '../egress/public-address.js'
import { type createTenantNames, domainOf } from '../egress/tenant-names.js'
import { DocumentRefused } from './document-refused.js'

/** Milliseconds for all of a document. */
export const timeoutMs = 5_000
const mostBytes = 10_240
const jsonType = /^application\/(?:json|[a-z0-9!#$&^_.+-]+\+json)(?:[ \t]*;.*)?$/i

export interface FetchedDocument {
  bytes: Buffer
  /** `Cache-Control` as it came; empty when there was none. */
  cacheControl: string
}

/**
 * Answers the document at a URL that clientIdentifierUrlProblem took. `allow`: names and addresses, in lower case, that
 * need not be public; `ca`: PEM to trust instead of the system's authorities; `names`, `timeoutMs`: a test's own. What
 * it answers with throws DocumentRefused for anything but a 200 of JSON, at most 10 KiB within five seconds, or within
 * `withinMs` where that is less.
 */
export function documentFetch(options: {
  allow: readonly string[]
  ca: string | undefined
  names?: ReturnType<typeof createTenantNames>
  timeoutMs?: number
}): (url: string, withinMs?: number) => Promise<FetchedDocument> {
  const allowed = new Set(options.allow)
  return async (url, withinMs = timeoutMs) => {
    const { hostname } = new URL(url)
    const owner = domainOf(hostname)
    const resolve = options.names?.(owner)
    try {
      const response = await exchange(url, {
        method: 'GET',
        headers: { accept: 'application/json' },
        lookup: publicLookup(hostname, { allowed, tenant: owner, ...(resolve === undefined ? {} : { resolve }) }),
        ca: options.ca,
        signal: AbortSignal.timeout(Math.min(withinMs, options.timeoutMs ?? timeoutMs)),
      })
      const { statusCode = 0, headers } = response
      if (statusCode !== 200 || !jsonType.test(headers['content-type'] ?? '')) {
        response.destroy()
        throw statusCode === 200 ? notJson() : refused(statusCode)
      }
      return { bytes: await readBytes(response, mostBytes), cacheControl: headers['cache-control'] ?? '' }
    } catch (error) {
      if (error instanceof DocumentRefused) throw error
      if (error instanceof AnswerTooLarge) {
        throw new DocumentRefused('document_large', `It is larger than ${mostBytes} bytes.`, { cause: error })
      }
      // Why not is for the log: in the answer it would say what stands in the network behind this server.
      const what = 'It could not be fetched: a public https address has to answer within five seconds.'
      throw new DocumentRefused('document_unreachable', what, { cause: error, isPassing: true })
    }
  }
}

function refused(status: number): DocumentRefused {
  const more = status >= 300 && status < 400 ? ', and redirects are not followed' : ''
  const isPassing = status === 429 || status >= 500
  return new DocumentRefused('document_status', `Its address answered ${status}; only 200 counts${more}.`, {
    isPassing,
  })
}

function notJson(): DocumentRefused {
  return new DocumentRefused(
    'document_type',
    'Its Content-Type is neither application/json nor one that ends in +json.',
  )
}
