// A host of client ID metadata documents, over https with a certificate of its own authority, that answers as a test
// wants it to.

import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { ownCertificate } from '../upstreams/own-certificate.js'

/**
 * What stands at a path: a document as JSON, an answer as it is, something that answers by itself, or nothing for as long
 * as anybody waits.
 */
export type Hosted =
  | Record<string, unknown>
  | { status?: number; body?: string | Buffer; headers?: Record<string, string> }
  | ((response: ServerResponse) => void)
  | 'silent'

export interface DocumentHost {
  /** `https://localhost:<port>` */
  origin: string
  ca: string
  /** Paths that were fetched, in order, and the fields of the last request. */
  requests: string[]
  lastHeaders: Record<string, unknown>
  /** The URL of a document; its `client_id` and what a plain client says stand in it, unless `members` says otherwise. */
  host(path: string, members?: Record<string, unknown>): string
  /** Answers at this path with that. */
  answer(path: string, hosted: Hosted): string
  /** Ends and begins it again, on the same port: nobody answers meanwhile. */
  stop(): Promise<void>
  start(): Promise<void>
}

interface Test {
  teardown(work: () => unknown): void
}

export const loopbackCallback = 'http://127.0.0.1/callback'
export const webCallback = 'https://agent.test/callback'

/** Starts one; it ends with the test. */
export async function startDocumentHost(t: Test): Promise<DocumentHost> {
  const { ca, ...tls } = await ownCertificate()
  const hosted = new Map<string, Hosted>()
  const server = createServer(tls, (request, response) => {
    host.requests.push(request.url ?? '')
    host.lastHeaders = { ...request.headers }
    const found = hosted.get(request.url ?? '')
    if (found === 'silent') return
    if (typeof found === 'function') return found(response)
    const isAnswer = found !== undefined && ('status' in found || 'body' in found || 'headers' in found)
    const answer = (isAnswer ? found : { body: JSON.stringify(found) }) as {
      status?: number
      body?: string | Buffer
      headers?: object
    }
    const headers = { 'content-type': 'application/json', ...(answer.headers as object | undefined) }
    response.writeHead(found === undefined ? 404 : Number(answer.status ?? 200), headers)
    response.end(answer.body ?? '')
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.address() as AddressInfo
  const stop = async () => {
    server.closeAllConnections()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const host: DocumentHost = {
    origin: `https://localhost:${port}`,
    ca,
    requests: [],
    lastHeaders: {},
    host(path, members = {}) {
      const url = `${host.origin}${path}`
      const plain = { client_id: url, client_name: 'Agent', redirect_uris: [webCallback, loopbackCallback] }
      hosted.set(path, { ...plain, token_endpoint_auth_method: 'none', ...members })
      return url
    },
    answer(path, what) {
      hosted.set(path, what)
      return `${host.origin}${path}`
    },
    stop,
    start: () => listen(port),
  }
  return host
}
