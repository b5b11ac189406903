// One request at a time on a connection, and answers in the order of requests (RFC 9112 §9.3.2). Node hands over every
// request of a pipeline at once: one connection could hold as many places at an upstream as requests fit into its
// bytes. Here what comes behind an unanswered request waits, the connection is not read meanwhile, and only a few of
// them are kept.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { TakeTurn } from './turns.js'

/** What waits for its turn: a request, or neither of both for the end of the connection. */
interface Waiting {
  request?: IncomingMessage
  response: ServerResponse | undefined
  proceed: () => void
}

const line = Symbol('portcullis.line')
/** `_httpMessage` is what Node keeps on a socket while an answer is owed, `parser` what reads requests from it. */
type OrderedSocket = Socket & {
  _httpMessage?: ServerResponse | null
  parser?: { onIncoming?: unknown } | null
  [line]?: Waiting[]
}

/**
 * Requests that may wait on one connection. The bytes of one read can hold thousands of them, each some kilobytes once
 * it is parsed; a client that sends more at once has to send them again on another connection (RFC 9112 §9.3.2).
 */
const mostWaiting = 64

/**
 * The handler, called for a request when every answer before it has been sent; one that had to wait for that takes its
 * turn among those of other clients. For clients that wait themselves, it costs a comparison.
 */
export function oneAtATime(handler: RequestListener, takeTurn: TakeTurn<Socket> = atOnce): RequestListener {
  return (request, response) => {
    const socket = request.socket as OrderedSocket
    if (socket._httpMessage === response) return void handler(request, response)
    const begin = () => {
      if (socket.writable && !socket.destroyed) handler(request, response)
    }
    enqueue(socket, { request, response, proceed: () => takeTurn(socket, begin) })
  }
}

const atOnce: TakeTurn<Socket> = (_socket, begin) => begin()

/**
 * Calls `end`, which ends the connection, when every answer that is owed on it has been sent; at once where none is.
 */
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
    readNoFurther(socket)
    next.request?.destroy()
    socket.destroy()
    return
  }
  waiting.push(next)
  if (waiting.length === 1) socket._httpMessage?.once('finish', () => advance(socket, waiting))
  socket.pause()
}

/** Node reads on after each request that came whole, and when a body is read. */
function beginLine(socket: OrderedSocket): Waiting[] {
  const waiting: Waiting[] = []
  socket.on('resume', () => {
    if (waiting.length > 0) socket.pause()
  })
  // Before Node's own listener, which makes an error, with its stack, for every request that is not over yet.
  socket.prependOnceListener('close', () => {
    for (const { request } of waiting.splice(0)) request?.destroy()
  })
  return waiting
}

/**
 * What else came in the same piece is not made into requests: a piece can hold hundreds. 2 tells Node's parser to stop.
 */
function readNoFurther({ parser }: OrderedSocket): void {
  if (parser?.onIncoming !== undefined) parser.onIncoming = () => 2
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
