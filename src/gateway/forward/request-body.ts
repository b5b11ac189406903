// A request's body on its way to the upstream: counted, because neither framing nor Fastify limits a streamed body
// (P8), timed, because a client may stop in the middle, and kept apart from the request itself, because the upstream's
// client destroys what it reads from, and the connection to our client must survive that to carry the answer.

import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { ReadTurn } from '../http1/read-turn.js'

export interface StreamedBody {
  stream: Readable
  /** Stops reading the request; what is left of it stays unread. */
  detach(): void
  /** Fails it when it has come too slowly of late while others wait (`isCrowded`); called now and then. */
  hurry(nowMs: number, isCrowded: boolean): void
}

/** What must come in every such time while others wait: what a slow telephone line brings. */
const hurryMs = 10_000
const hurriedBytes = 65_536

/** Why a body was not passed on to its end; `status` is the answer. */
export class BodyRefused extends Error {
  readonly status: 400 | 408 | 413
  readonly code: string

  constructor(status: 400 | 408 | 413, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

export interface BodyLimits {
  limitBytes: number
  /** In every such time, unless the upstream is the slow one, so many bytes come at least. */
  idleMs: number
  leastBytes: number
}

/** A stream of the request's body that fails with BodyRefused beyond `limitBytes`, or when it comes too slowly. */
export function streamBody(request: IncomingMessage, limits: BodyLimits): StreamedBody {
  // `isTheirs`: the client is the slow one, and not the upstream.
  const pace = { since: performance.now(), bytes: 0, isTheirs: false }
  let isWanted = false
  const readOn = () => {
    if (isWanted && !turn.isOver) request.resume()
  }
  const turn = new ReadTurn(readOn)
  const stream = new Readable({
    read() {
      isWanted = true
      readOn()
    },
  })
  let left = limits.limitBytes
  let lately = 0
  const timer = setTimeout(onIdle, limits.idleMs)
  function onIdle() {
    // Paused means that the upstream is slow, which is its own time-out's business.
    if (request.isPaused()) onProgress()
    else fail(new BodyRefused(408, 'RequestTimeout', 'The request body did not arrive in time.'))
  }
  function onProgress() {
    lately = 0
    timer.refresh()
  }
  function onData(chunk: Buffer) {
    left -= chunk.length
    lately += chunk.length
    pace.bytes += chunk.length
    if (lately >= limits.leastBytes) onProgress()
    if (left < 0) return fail(new BodyRefused(413, 'BodyTooLarge', 'The request body is too large.'))
    // Before it is pushed: who reads it may ask for more at once.
    const mayGoOn = turn.read(chunk.length)
    isWanted = false
    if (stream.push(chunk)) isWanted = true
    else if (!isWanted) pace.isTheirs = false
    if (!isWanted || !mayGoOn) request.pause()
  }
  function onEnd() {
    detach()
    stream.push(null)
  }
  function onClose() {
    fail(new BodyRefused(400, 'IncompleteBody', 'The request body ended too early.'))
  }
  function fail(error: BodyRefused) {
    detach()
    stream.destroy(error)
  }
  function detach() {
    clearTimeout(timer)
    isWanted = false
    request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose).pause()
  }
  function hurry(nowMs: number, isCrowded: boolean) {
    if (nowMs - pace.since < hurryMs || request.complete || stream.destroyed) return
    const isSlow = pace.isTheirs && pace.bytes < hurriedBytes
    pace.since = nowMs
    pace.bytes = 0
    pace.isTheirs = !request.isPaused()
    if (isSlow && isCrowded) fail(new BodyRefused(408, 'RequestTimeout', 'The request body comes too slowly.'))
  }
  request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose).pause()
  return { stream, detach, hurry }
}

/** A body that is here already, for an upstream that is sent it in chunks as it came. */
export function heldBody(bytes: Buffer): StreamedBody {
  const stream = Readable.from([bytes], { objectMode: false })
  return { stream, detach: () => undefined, hurry: () => undefined }
}

/**
 * Throws a body away that the route does not read, and the connection with it when the body goes on beyond
 * `limitBytes`.
 */
export function dropBody(request: IncomingMessage, limitBytes: number): void {
  let left = limitBytes
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) request.socket.destroy()
  })
}
