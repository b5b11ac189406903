// One request at a time on a connection, and answers in the order of requests (RFC 9112 §9.3.2). Node hands over every request
// of a pipeline at once: one connection could hold as many places at an upstream as requests fit into its bytes. Here what
// comes behind an unanswered request waits, the connection is not read meanwhile, and only a few of them are kept.

import type { RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** What waits for its turn: a request, or undefined for the end of the connection. */
interface Waiting {
  response: ServerResponse | undefined
  proceed: () => void
}

const line = Symbol('portcullis.line')
/** `_httpMessage` is what Node keeps on a socket while an answer is owed. */
type OrderedSocket = Socket & { _httpMessage?: ServerResponse | null; [line]?: Waiting[] }

/**
 * Requests that may wait on one connection. The bytes of one read can hold thousands of them, each some kilobytes once it
 * is parsed; whoever sends more at once has to send them again on another connection (RFC 9112 §9.3.2).
 */
const mostWaiting = 64

/** The handler, called for a request when every answer before it has been sent. For clients that wait, it costs a comparison. */
export function oneAtATime(handler: RequestListener): RequestListener {
  return (request, response) => {
    const socket = request.socket as OrderedSocket
    if (socket._httpMessage === response) handler(request, response)
    else enqueue(socket, { response, proceed: () => handler(request, response) })
  }
}

/** Calls `end`, which ends the connection, when every answer that is owed on it has been sent; at once where none is. */
export function afterOwedAnswers(socket: Socket, end: () => void): void {
  if (owesAnswer(socket)) enqueue(socket, { response: undefined, proceed: end })
  else end()
}

/** Whether a request that came whole waits for its answer, or for its turn. */
export function owesAnswer(socket: object): boolean {
  const { _httpMessage: response, [line]: waiting } = socket as OrderedSocket
  if (waiting !== undefined && waiting.length > 0) return true
  return response?.req.complete === true
}

/** Drops the request that came last when it did not come whole: its bytes were none. */
export function dropUnfinished(socket: Socket): void {
  const { [line]: waiting } = socket as OrderedSocket
  if (waiting?.at(-1)?.response?.req.complete === false) waiting.pop()
}

function enqueue(socket: OrderedSocket, next: Waiting): void {
  socket[line] ??= beginLine(socket)
  const waiting = socket[line]
  // Behind the end of the connection nothing is read.
  if (waiting.length > 0 && waiting.at(-1)?.response === undefined) return
  if (waiting.length >= mostWaiting) {
    socket.destroy()
    return
  }
  waiting.push(next)
  if (waiting.length === 1) socket._httpMessage?.once('finish', () => advance(socket, waiting))
  socket.pause()
}

/** Node reads on after each request that came whole, and when a body is asked for. */
function beginLine(socket: OrderedSocket): Waiting[] {
  const waiting: Waiting[] = []
  socket.on('resume', () => {
    if (waiting.length > 0) socket.pause()
  })
  socket.once('close', () => {
    waiting.length = 0
  })
  return waiting
}

/** Node has given the connection to the next answer, or ended it because the last one said so. */
function advance(socket: OrderedSocket, waiting: Waiting[]): void {
  const next = waiting.shift()
  if (next === undefined || !socket.writable || socket.destroyed) {
    waiting.length = 0
    return
  }
  if (waiting.length > 0) next.response?.once('finish', () => advance(socket, waiting))
  else if (next.response !== undefined) socket.resume()
  next.proceed()
}
