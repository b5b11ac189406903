// The TLS port answers those who speak plain HTTP to it, instead of dropping them: the first byte of a connection tells
// a TLS handshake (22, RFC 8446 §5.1) from a request line. What speaks plain HTTP reaches the same handler, which
// refuses it, because its socket is not encrypted. The second server is one in everything else: its connections have
// the same time, their malformed bytes the same answer, and the end of the first is theirs.

import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http'
import {
  createServer as createTlsServer,
  type Server as TlsServer,
  type ServerOptions as TlsServerOptions,
} from 'node:https'
import type { Socket } from 'node:net'
import type { TakeTurn } from '../connections/turns.js'
import { plainAddress } from '../requests/client-address.js'
import { isPartialHello } from './client-hello.js'
import { announceAddress, readProxyHeader } from './proxy-protocol.js'
import { type ResumptionOptions, shareSessions } from './resumption.js'
import { type Certificates, createServerNames, rememberServerNames, type ServerNames } from './server-names.js'
import { type Staples, sendStaples } from './stapling/staples.js'
import type { TicketKeys } from './ticket-keys.js'
import { servingContext } from './tls-suites.js'

const handshake = 22
/** Of the first message of a handshake. */
const mostPieces = 8

export interface TlsPortOptions {
  server: ServerOptions
  certificates: Certificates
  /** Of sessions that are resumed elsewhere too; undefined: in this process alone. */
  tickets?: TicketKeys | undefined
  /** The status of the certificates, sent along; undefined: never. */
  staples?: Staples | undefined
  /** How long a connection may stay silent, and how long a handshake may take. */
  firstByteMs: number
  /** Whose PROXY header is believed, and demanded; undefined: nobody sends one. */
  announces: ((address: string) => boolean) | undefined
  /** Hears of each client that was announced; false: the connection has ended. */
  onAnnounced?: ((socket: Socket, address: string) => boolean) | undefined
  /** Handshakes take turns. */
  takeTurn: TakeTurn<Socket>
}

/**
 * An https server whose port also takes plain connections, through a second server that never listens. Closing the
 * connections of the first server closes the plain ones too.
 */
export function createTlsPort(
  { server: options, certificates, tickets, staples, firstByteMs, announces, onAnnounced, takeTurn }: TlsPortOptions,
  handler: RequestListener,
): { server: TlsServer; plain: Server } {
  const names = (certificates.more ?? []).length === 0 ? undefined : createServerNames(certificates)
  const tls = { ...tlsOptions(certificates, names), handshakeTimeout: firstByteMs }
  const server = createTlsServer({ ...options, ...tls }, handler)
  const plain = createServer(options, handler)
  if (staples !== undefined) sendStaples(server, staples, certificates)
  const keys = certificates.clientAuthorities === undefined ? tickets : undefined
  const startTls = tlsStarter(server, keys && { keys, tls, certificateOf: names?.certificateOf })
  const open = beAsOne(server, plain)
  server.on('connection', (socket: Socket) => {
    const silent = setTimeout(() => socket.destroy(), firstByteMs)
    open.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => {
      clearTimeout(silent)
      open.delete(socket)
    })
    const start = (bytes: Buffer) => {
      if (socket.destroyed) return
      clearTimeout(silent)
      if (bytes[0] === handshake) startTls(socket, bytes)
      else plain.emit('connection', socket)
      process.nextTick(() => socket.resume())
    }
    const begin = (bytes: Buffer) => {
      socket.pause()
      socket.unshift(bytes)
      takeTurn(socket, () => start(bytes))
    }
    const whole = (bytes: Buffer) => afterWholeHello(socket, bytes, begin)
    if (announces === undefined) socket.once('data', whole)
    else afterAnnouncement(socket, { isBalancer: announces, onAnnounced, begin: whole })
  })
  if (names !== undefined) rememberServerNames(server, names)
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  return { server, plain }
}

/** What begins a handshake on the port, whose server then begins none by itself. */
function tlsStarter(
  server: TlsServer,
  sharing: ResumptionOptions | undefined,
): (socket: Socket, bytes: Buffer) => void {
  const own = server.listeners('connection') as ((socket: Socket) => void)[]
  server.removeAllListeners('connection')
  if (sharing !== undefined) return shareSessions(server, sharing).take
  return (socket) => {
    for (const each of own) each.call(server, socket)
  }
}

/** A first message that comes in pieces is waited for, in a few of them and within the time of the first byte. */
function afterWholeHello(socket: Socket, bytes: Buffer, begin: (bytes: Buffer) => void, pieces = 1): void {
  if (pieces === mostPieces || !isPartialHello(bytes)) begin(bytes)
  else socket.once('data', (more: Buffer) => afterWholeHello(socket, Buffer.concat([bytes, more]), begin, pieces + 1))
}

function tlsOptions(
  { cert, key, clientAuthorities: ca }: Certificates,
  names: ServerNames | undefined,
): TlsServerOptions {
  return {
    ...servingContext({ cert, key, ca }),
    ...(names === undefined ? {} : { SNICallback: names.SNICallback }),
    ...(ca === undefined ? {} : { requestCert: true, rejectUnauthorized: true }),
  }
}

/**
 * Goes on with what follows the balancer's word about whose connection it is; without that word the connection ends.
 */
function afterAnnouncement(
  socket: Socket,
  {
    isBalancer,
    onAnnounced,
    begin,
  }: {
    isBalancer: (address: string) => boolean
    onAnnounced: TlsPortOptions['onAnnounced']
    begin: (bytes: Buffer) => void
  },
): void {
  let bytes: Buffer = Buffer.alloc(0)
  let isAnnounced = false
  socket.on('data', function take(piece: Buffer) {
    bytes = Buffer.concat([bytes, piece])
    if (!isAnnounced) {
      const read = readProxyHeader(bytes)
      if (read.kind === 'unfinished') return
      if (read.kind === 'wrong' || !isBalancer(plainAddress(socket.remoteAddress ?? ''))) {
        socket.destroy()
        return
      }
      // Of a connection that it knows nothing of, no field is believed either: what is in there may be anybody's.
      const client = read.address ?? plainAddress(socket.remoteAddress ?? '')
      announceAddress(socket, client)
      if (onAnnounced?.(socket, client) === false) return void socket.off('data', take)
      bytes = bytes.subarray(read.bytes)
      isAnnounced = true
    }
    if (bytes.length === 0) return
    socket.off('data', take)
    begin(bytes)
  })
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
