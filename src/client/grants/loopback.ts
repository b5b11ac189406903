// A redirect URI of a program on this machine (RFC 8252 §7.3): a listener on the loopback address, on whatever port is
// free or the one that is registered, for one answer. Node only, and for that reason an entry of its own:
// `portcullis/client/loopback`.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ClientError } from '../errors.js'

/** More wrong answers than that at once are somebody's game. */
const mostWaiting = 20

export interface LoopbackListener {
  /** For the authorization request: `http://127.0.0.1:<port>/callback`, or the registered one with the port. */
  redirectUri: string
  /** The address that the browser was sent to. Rejects with the signal's reason. */
  callback(options?: { signal?: AbortSignal | undefined }): Promise<URL>
  /** Ends it; nobody else is listened to. */
  close(): Promise<void>
}

export interface LoopbackOptions {
  /** The registered redirect URI: `http` on 127.0.0.1, [::1] or localhost. Without a port, any that is free. */
  redirectUri?: string
  /** Its path, where the rest is `http://127.0.0.1`; not both. */
  path?: string
  /** What the person reads afterwards, plain text. */
  message?: string
}

/**
 * Listens on this machine alone. Throws ClientError `wrong_use` for a redirect URI elsewhere; rejects with the system's
 * error when its port is taken. Any program on the machine may call; only an answer with the request's state is taken, by
 * the code that redeems it, so a wrong one does not end the waiting here: it is for the caller to wait again.
 */
export async function listenForCallback({
  path = '/callback',
  redirectUri = `http://127.0.0.1${path}`,
  message = 'You can close this window and go back to the program.',
}: LoopbackOptions = {}): Promise<LoopbackListener> {
  const registered = loopbackOf(redirectUri)
  const arrived: URL[] = []
  let wake: (() => void) | undefined
  let origin = ''
  const server = createServer((request, response) => {
    const url = URL.canParse(request.url ?? '', origin) ? new URL(request.url ?? '', origin) : undefined
    const isCallback =
      request.method === 'GET' && url?.pathname === registered.pathname && url.searchParams.has('state')
    const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', connection: 'close' }
    response.writeHead(isCallback ? 200 : 404, headers).end(isCallback ? `${message}\n` : 'There is nothing here.\n')
    if (!isCallback || url === undefined) return
    if (arrived.length < mostWaiting) arrived.push(url)
    wake?.()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(Number(registered.port), registered.hostname.replace(/^\[|\]$/g, ''), resolve)
  })
  origin = `http://${registered.hostname}:${(server.address() as AddressInfo).port}`
  return {
    redirectUri: `${origin}${registered.rest}`,
    async callback({ signal } = {}) {
      for (;;) {
        const next = arrived.shift()
        if (next !== undefined) return next
        signal?.throwIfAborted()
        await new Promise<void>((resolve) => {
          wake = resolve
          signal?.addEventListener('abort', () => resolve(), { once: true })
        })
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A path that is absent stays absent: redirect URIs are compared letter by letter. */
function loopbackOf(redirectUri: string): { hostname: string; port: string; pathname: string; rest: string } {
  const found = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::(\d{1,5}))?([/?][^#]*)?$/.exec(redirectUri)
  if (found === null || !URL.canParse(redirectUri)) {
    throw new ClientError('wrong_use', `${redirectUri} is not a redirect URI on this machine`)
  }
  const [, hostname = '', port = '0', rest = ''] = found
  return { hostname, port, rest, pathname: new URL(redirectUri).pathname }
}
