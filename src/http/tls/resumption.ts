// Which TLS server of a port takes a connection. Node gives a server one key for session tickets, so the key before
// has a server of its own; and who cannot speak TLS 1.3 has another one, whose key is random and stays in this process:
// in TLS 1.2 a ticket gives away the whole session to who has its key later.

import type { Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import { createServer, type TlsOptions, type Server as TlsServer } from 'node:tls'
import { readClientHello } from './client-hello.js'
import { hasMade, sessionSeconds, type TicketKeys } from './ticket-keys.js'

/** Answers begin with this protocol, and nothing else is announced (RFC 7301). */
const spoken = ['http/1.1']
const lookEveryMs = 60_000

export interface ResumptionOptions {
  keys: TicketKeys
  /** Those of the port's own server. */
  tls: TlsOptions
  /** Which certificate a name leads to, of a server that has several (server-names.ts). */
  certificateOf?: ((name: string) => string) | undefined
  now?: () => number
}

export interface Resumption {
  /** Has a server begin the handshake; these are its first bytes, which the socket still holds. */
  take(socket: Socket, bytes: Buffer): void
  /** Moves on to the keys of the present, which happens each minute by itself. */
  turn(): void
}

/** Those that share the sessions of one certificate: by the key of the present, and by the one before. */
interface Sharing {
  current: TlsServer
  former: TlsServer
  formerKey: Buffer
}

/**
 * Shares the sessions of `server`, an https server that others hand connections to, as long as it lives; a new secure
 * context becomes that of all.
 */
export function shareSessions(server: HttpsServer, options: ResumptionOptions): Resumption {
  const { keys, tls, certificateOf = () => '', now = Date.now } = options
  const session = { sessionIdContext: keys.context, sessionTimeout: sessionSeconds }
  const sharing = new Map<string, Sharing>()
  let latest: TlsOptions = {}
  const make = () => {
    const made = createServer({ ...tls, ...latest, ...session, ALPNProtocols: spoken })
    made.on('secureConnection', (socket) => server.emit('secureConnection', socket))
    // Who listens to this makes each handshake wait for an answer.
    if (server.listenerCount('OCSPRequest') > 0)
      made.on('OCSPRequest', (...given) => server.emit('OCSPRequest', ...given))
    made.on('tlsClientError', (error, socket) => server.emit('tlsClientError', error, socket))
    return made
  }
  const alone = make()
  const putKeys = (certificate: string, own: Sharing) => {
    own.formerKey = keys.at(now(), -1, certificate)
    own.current.setTicketKeys(keys.at(now(), 0, certificate))
    own.former.setTicketKeys(own.formerKey)
  }
  /** As many as there are certificates: names of clients make none. */
  const sharingOf = (certificate: string): Sharing => {
    const known = sharing.get(certificate)
    if (known !== undefined) return known
    const made = { current: make(), former: make(), formerKey: Buffer.alloc(0) }
    putKeys(certificate, made)
    sharing.set(certificate, made)
    return made
  }
  const turn = () => {
    for (const [certificate, own] of sharing) putKeys(certificate, own)
  }
  const put = server.setSecureContext.bind(server)
  server.setSecureContext = (next) => {
    put(next)
    latest = next
    alone.setSecureContext({ ...next, ...session })
    // Those of certificates that are no more go with the rest.
    sharing.clear()
  }
  const timer = setInterval(turn, lookEveryMs).unref()
  server.once('close', () => clearInterval(timer))
  return {
    turn,
    take(socket, bytes) {
      const hello = readClientHello(bytes)
      if (hello?.offersTls13 !== true) return void alone.emit('connection', socket)
      const { current, former, formerKey } = sharingOf(certificateOf(hello.name))
      const isFormer = hello.ticket !== undefined && hasMade(formerKey, hello.ticket)
      return void (isFormer ? former : current).emit('connection', socket)
    },
  }
}
