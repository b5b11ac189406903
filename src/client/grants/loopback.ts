// A redirect URI of a program on this machine (RFC 8252 §7.3): a listener on the loopback address, on whatever port is
// free, for one answer. Node only, and for that reason an entry of its own: `portcullis/client/loopback`.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** More wrong answers than that at once are somebody's game. */
const mostWaiting = 20

export interface LoopbackListener {
  /** For the authorization request: `http://127.0.0.1:<port>/callback`. */
  redirectUri: string
  /** The address that the browser was sent to. Rejects with the signal's reason. */
  callback(options?: { signal?: AbortSignal | undefined }): Promise<URL>
  /** Ends it; nobody else is listened to. */
  close(): Promise<void>
}

export interface LoopbackOptions {
  /** The path of the registered redirect URI. */
  path?: string
  /** What the person reads afterwards, plain text. */
  message?: string
}

/**
 * Listens on 127.0.0.1 alone. Any program on the machine may call; only an answer with the request's state is taken, by
 * the code that redeems it, so a wrong one does not end the waiting here: it is for the caller to wait again.
 */
export async function listenForCallback({
  path = '/callback',
  message = 'You can close this window and go back to the program.',
}: LoopbackOptions = {}): Promise<LoopbackListener> {
  const arrived: URL[] = []
  let wake: (() => void) | undefined
  let origin = ''
  const server = createServer((request, response) => {
    const url = URL.canParse(request.url ?? '', origin) ? new URL(request.url ?? '', origin) : undefined
    const isCallback = request.method === 'GET' && url?.pathname === path && url.searchParams.has('state')
    const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', connection: 'close' }
    response.writeHead(isCallback ? 200 : 404, headers).end(isCallback ? `${message}\n` : 'There is nothing here.\n')
    if (!isCallback || url === undefined) return
    if (arrived.length < mostWaiting) arrived.push(url)
    wake?.()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    redirectUri: `${origin}${path}`,
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
