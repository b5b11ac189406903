// Answers written past Fastify: by the gate, whose replies are hijacked, and before a request is routed. Their special
// duty is a request whose body has not been read: the connection must not be used again, because what is left of the
// body would be read as the next request.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { addressOf } from '../requests/request-context.js'
import { createDroppedBodies } from './dropped-bodies.js'
import { noteWritten } from './whole-answers.js'

export interface RawAnswer {
  status: number
  /** Flat name, value, name, value …; Content-Length, Connection and Date are added here. */
  headers: readonly string[]
  body: string
}

/** How much of an unread body is thrown away, and for how long, before the connection is closed. */
const lingerBytes = 262_144
const lingerMs = 1_000
/** Bodies beyond these are not read at all. */
const dropped = createDroppedBodies(64)

/** Whether the request announces a body (RFC 9112 §6.3). */
export function announcesBody(request: Pick<IncomingMessage, 'headers'>): boolean {
  const { headers } = request
  if (headers['transfer-encoding'] !== undefined) return true
  const length = headers['content-length']
  return length !== undefined && !/^0+$/.test(length)
}

/** Whether body bytes may still come, so that the connection cannot carry another request. */
export function hasUnreadBody(request: IncomingMessage): boolean {
  return !request.complete && !request.readableEnded && announcesBody(request)
}

/**
 * Sends a whole small answer; with an unread body the connection is closed after it. Does nothing once the head is out.
 */
export function answerRaw(request: IncomingMessage, response: ServerResponse, answer: RawAnswer): void {
  if (response.headersSent || response.destroyed) return
  const unread = hasUnreadBody(request)
  const headers = [...answer.headers, 'content-length', String(Buffer.byteLength(answer.body))]
  if (unread) headers.push('connection', 'close')
  response.writeHead(answer.status, headers)
  const body = request.method === 'HEAD' ? '' : answer.body
  // A client that waits for 100 Continue sends nothing more (RFC 9110 §10.1.1).
  if (!unread || request.headers.expect !== undefined) response.end(body)
  else endAfterBody(request, response, body)
}

/**
 * Ends an answer that came before the end of the request's body. Closing at once would reset the connection, and a
 * reset can destroy the answer before the client has read it; so a little of the body is read and dropped first, or,
 * while many are, left unread for as long.
 */
export function endAfterBody(request: IncomingMessage, response: ServerResponse, body: string): void {
  if (body !== '') response.write(body)
  noteWritten(response)
  let left = lingerBytes
  const endDropping = dropped.begin(addressOf(request))
  const finish = () => {
    clearTimeout(timer)
    endDropping?.()
    request.off('data', drop).off('end', finish).off('close', finish)
    response.end()
  }
  const drop = (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) finish()
  }
  const timer = setTimeout(finish, lingerMs)
  request.on('end', finish).on('close', finish)
  if (endDropping !== undefined) request.on('data', drop).resume()
}
