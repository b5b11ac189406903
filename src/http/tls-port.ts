// The TLS port answers those who speak plain HTTP to it, instead of dropping them: the first byte of a connection tells
// a TLS handshake (22, RFC 8446 §5.1) from a request line. What speaks plain HTTP reaches the same handler, which
// refuses it, because its socket is not encrypted. The second server is one in everything else: its connections have the
// same time, their malformed bytes the same answer, and the end of the first is theirs.

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
 * is how long a connection may stay silent, and how long a handshake may take. Closing the connections of the first
 * server closes the plain ones too.
 */
export function createTlsPort(
  options: TlsServerOptions & ServerOptions,
  handler: RequestListener,
  firstByteMs: number,
): { server: TlsServer; plain: Server } {
  const server = createTlsServer({ ...options, minVersion: 'TLSv1.2', handshakeTimeout: firstByteMs }, handler)
  const plain = createServer(options, handler)
  const startTls = server.listeners('connection') as ((socket: Socket) => void)[]
  server.removeAllListeners('connection')
  const open = beAsOne(server, plain)
  server.on('connection', (socket: Socket) => {
    const silent = setTimeout(() => socket.destroy(), firstByteMs)
    open.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => {
      clearTimeout(silent)
      open.delete(socket)
    })
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

/**
 * Makes the second server share the life of the first. The answer holds every connection of the port, also those that
 * neither server knows because they are silent or in their handshake.
 */
function beAsOne(server: TlsServer, plain: Server): Set<Socket> {
  const open = new Set<Socket>()
  const closeIdle = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {
    closeIdle()
    plain.closeIdleConnections()
  }
  server.closeAllConnections = () => {
    for (const socket of open) socket.destroy()
  }
  // Node begins to time heads when a server listens, and this one never does.
  server.once('listening', () => plain.emit('listening'))
  server.once('close', () => plain.close())
  plain.on('clientError', (error, socket) => server.emit('clientError', error, socket))
  return open
}
