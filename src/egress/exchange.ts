// The one way out to servers that are not the gate's upstreams: documents of issuers, providers that people sign in
// with, receivers of webhooks, responders that tell the status of a certificate. Over https with the certificate
// verified, unless the answer itself is signed; on a connection of its own, nothing followed, with an end in time, and
// of an answer no more than fits. Each caller brings its limits, and which addresses a name may have.

import { type IncomingMessage, type OutgoingHttpHeaders, request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import type { LookupFunction } from 'node:net'

export interface Outgoing {
  method: string
  headers: OutgoingHttpHeaders
  body?: string | undefined
  /** Which addresses a name may have: operator-names.ts or public-address.ts. It is what is connected to. */
  lookup: LookupFunction
  /** PEM of the authorities to trust instead of the system's. */
  ca: string | undefined
  /** Ends the whole exchange, its answer's body included. */
  signal: AbortSignal
  /** Loopback may be called without TLS. */
  plainOnLoopback?: boolean
  /** What comes carries a signature that the caller checks, and nothing that is sent is secret: no TLS is needed. */
  signedAnswer?: boolean
}

const loopback = ['127.0.0.1', '[::1]', 'localhost']

/** The head of the answer, of any status: a redirect is one that says so. Throws Error when there is none. */
export async function exchange(url: string, outgoing: Outgoing): Promise<IncomingMessage> {
  const { method, body, lookup, ca, signal } = outgoing
  const target = new URL(url)
  const mayBePlain =
    outgoing.signedAnswer === true || (outgoing.plainOnLoopback === true && loopback.includes(target.hostname))
  const isPlain = mayBePlain && target.protocol === 'http:'
  if (target.protocol !== 'https:' && !isPlain) throw new Error(`${target.origin} is neither https nor loopback`)
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const headers = { ...outgoing.headers, ...length }
  const options = { method, headers, agent: false, lookup, signal, ...(ca === undefined ? {} : { ca }) }
  return new Promise((resolve, reject) => {
    const request = isPlain ? plainRequest(target, options, resolve) : secureRequest(target, options, resolve)
    request.on('error', reject)
    request.end(body)
  })
}

/** Lets a body that nobody reads run out, up to `mostBytes`; then the connection ends. */
export function discardBody(response: IncomingMessage, mostBytes: number): void {
  let left = mostBytes
  response.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) response.destroy()
  })
  response.on('error', () => undefined)
}
