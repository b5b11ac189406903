// The TLS port answers those who speak plain HTTP to it, instead of dropping them: the first byte of a connection tells
// a TLS handshake (22, RFC 8446 §5.1) from a request line. What speaks plain HTTP reaches the same handler, which
// refuses it, because its socket is not encrypted.

import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http'
import {
  createServer as createTlsServer,
  type Server as TlsServer,
  type ServerOptions as TlsServerOptions,
} from 'node:https'
import type { Socket } from 'node:net'

const handshake = 22

/**
 * An https server whose port also takes plain connections, through a second server that never listens. `firstByteMs`
 * is how long a connection may stay silent. Closing the first one closes the plain connections too.
 */
export function createTlsPort(
  options: TlsServerOptions & ServerOptions,
  handler: RequestListener,
  firstByteMs: number,
): { server: TlsServer; plain: Server } {
  const server = createTlsServer({ ...options, minVersion: 'TLSv1.2' }, handler)
  const plain = createServer(options, handler)
  const startTls = server.listeners('connection') as ((socket: Socket) => void)[]
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const silent = setTimeout(() => socket.destroy(), firstByteMs)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => clearTimeout(silent))
    socket.once('data', (bytes) => {
      clearTimeout(silent)
      socket.pause()
      socket.unshift(bytes)
      if (bytes[0] === handshake) for (const start of startTls) start.call(server, socket)
      else plain.emit('connection', socket)
      process.nextTick(() => socket.resume())
    })
  })
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  return { server, plain }
}
