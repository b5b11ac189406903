// The open connections of a server, remembered for its end: Node closes those that are idle, but it knows neither those
// on which no request was ever sent, nor how to tell the others that their connection ends with the answer.

import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** What Node keeps on a socket while an answer is owed. */
type AnsweringSocket = Socket & { _httpMessage?: ServerResponse | null }

export interface OpenConnections {
  /**
   * From now on every answer whose head is not yet written says `Connection: close`, and its connection ends with it.
   */
  announceClose(): void
  /** Ends the connections on which nobody has sent a request yet. */
  closeSilent(): void
  /** Ends all of them, those too that speak another protocol by now. */
  cutAll(): void
}

const remembered = new WeakMap<object, OpenConnections>()

/** Call it before the server listens; `siblings` are servers that get some of its connections. */
export function rememberConnections(server: Server, siblings: readonly Server[]): void {
  const servers = [server, ...siblings]
  /** With the bytes that each had received when it was given to us: a handshake is no request. */
  const open = new Map<AnsweringSocket, number>()
  const remember = (socket: Socket) => {
    // A plain connection on the TLS port comes by twice, the second time with bytes that were read to tell what it is.
    if (open.has(socket)) return
    open.set(socket, socket.bytesRead)
    socket.once('close', () => open.delete(socket))
  }
  for (const one of servers) one.on('connection', remember).on('secureConnection', remember)
  let announced = false
  remembered.set(server, {
    announceClose() {
      if (announced) return
      announced = true
      for (const one of servers) one.prependListener('request', (_request, response) => endWith(response))
      for (const { _httpMessage: response } of open.keys()) if (response != null) endWith(response)
    },
    closeSilent() {
      for (const [socket, before] of open) {
        // The first request may come in one piece with the end of the handshake.
        if (socket.bytesRead === before && socket._httpMessage == null) socket.destroy()
      }
    },
    cutAll() {
      for (const socket of open.keys()) socket.destroy()
    },
  })
}

/** The connections of a server that were remembered; of others nothing is known and nothing is done. */
export function connectionsOf(server: object): OpenConnections | undefined {
  return remembered.get(server)
}

/** Node writes `Connection: close` in the head of an answer that is not kept alive, no matter who writes it. */
function endWith(response: ServerResponse): void {
  if (!response.headersSent) response.shouldKeepAlive = false
}
