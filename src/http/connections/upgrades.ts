// Requests that ask for another protocol on their connection (RFC 9110 §7.8). Node hands such a connection over bare;
// here it gets an answer of its own again, so that the request goes the way of every other one: facts, hooks, decision,
// log. The handler of a permitted switch takes the connection; else the answer is the last thing on it.

import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export interface Upgrade {
  /**
   * The connection, paused, with the bytes that came after the request's head; from now on it is the caller's alone.
   */
  take(): { socket: Socket; early: Buffer }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route decides itself on requests that ask for another protocol; elsewhere they are refused. */
    upgrades?: boolean
  }
}

/** What Node keeps on a socket while an answer is owed. */
type AnsweringSocket = Socket & { _httpMessage?: ServerResponse | null }

/**
 * A client has to wait for the answer before it speaks the other protocol (RFC 6455 §4.1); what came with it is kept.
 */
const earlyBytes = 16_384
/** How long a connection whose answer was sent may still send what nobody reads. */
const lingerMs = 1_000

const known = new WeakMap<IncomingMessage, Upgrade>()

/** Whether the connection of a request is free for another protocol, which is more than that its fields ask for one. */
export function isUpgrade(request: object): boolean {
  return (request as { upgrade?: boolean | null }).upgrade === true
}

/** The connection of such a request. */
export function upgradeOf(request: IncomingMessage): Upgrade | undefined {
  return known.get(request)
}

/** Whether a request asks for another protocol, as far as its fields say so. */
export function asksForUpgrade({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers.upgrade !== undefined && /(?:^|,)\s*upgrade\s*(?:,|$)/i.test(headers.connection ?? '')
}

/** Makes the server treat such requests like others. */
export function answerUpgrades(server: Server): void {
  server.on('upgrade', (request: IncomingMessage, socket: AnsweringSocket, head: Buffer) => {
    // Node has taken its own listeners off.
    socket.on('error', () => socket.destroy())
    // Answers to requests before this one are still owed, and would come in the middle of the other protocol.
    if (socket._httpMessage != null) {
      socket.destroy()
      return
    }
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket)
    known.set(request, waiting(socket, response, head))
    server.emit('request', request, response)
  })
}

/** Reads on while the answer is made, because a client that leaves is not noticed otherwise. */
function waiting(socket: Socket, response: ServerResponse, head: Buffer): Upgrade {
  let early = head
  const keep = (bytes: Buffer) => {
    early = Buffer.concat([early, bytes])
    if (early.length > earlyBytes) socket.pause()
  }
  const leave = () => socket.destroy()
  const drained = () => response.emit('drain')
  const answered = () => {
    socket.off('data', keep)
    socket.end()
    // Unread bytes would turn the end into a reset, which can take the answer with it.
    socket.resume()
    const timer = setTimeout(leave, lingerMs)
    socket.once('close', () => clearTimeout(timer))
  }
  response.once('finish', answered)
  socket.on('data', keep).on('end', leave).on('drain', drained)
  return {
    take() {
      response.off('finish', answered)
      socket.pause().off('data', keep).off('end', leave).off('drain', drained)
      return { socket, early }
    },
  }
}
