// A body that is read before it goes on: within a size, a time and the memory that was set aside for it, into one
// piece.

import type { IncomingMessage } from 'node:http'
import type { BodyHold } from '../../http/requests/body-budget.js'
import { BodyRefused } from './request-body.js'

/** What is held in memory for one request at most, whatever the route's limit says. */
export const mostWholeBytes = 4 * 1024 * 1024

const firstBytes = 16_384

/** There is no memory for more of it. */
export class NoRoomForBody extends Error {}

/** How a body may come. */
export interface WholeBodyLimits {
  limitBytes: number
  /** For all of it, or, where `leastBytes` come in every such time, for as many of them as it takes. */
  idleMs: number
  leastBytes?: number
  /** A body that goes on beyond so many bytes is not read further. */
  enoughBytes?: number
}

/** The body of a request, and what was set aside for it in memory. */
export interface HeldBody {
  request: IncomingMessage
  hold: BodyHold
  heldBytes: number
}

/**
 * Calls `done` once with the bytes as they came; undefined when there are more than `enoughBytes`: then the request is
 * as it was, and unread. Or with BodyRefused: too large, too slow, or ended too early; or with NoRoomForBody.
 */
export function readWholeBody(
  { request, hold, heldBytes }: HeldBody,
  limits: WholeBodyLimits,
  done: (read: Buffer | BodyRefused | NoRoomForBody | undefined) => void,
): void {
  const { limitBytes, idleMs, leastBytes = Number.POSITIVE_INFINITY, enoughBytes = limitBytes } = limits
  // One growing piece: many small chunks would each weigh more than their bytes.
  let bytes = Buffer.allocUnsafe(Math.min(firstBytes, Math.max(heldBytes, 1)))
  let held = Math.max(heldBytes, bytes.length)
  let length = 0
  let lately = 0
  const timer = setTimeout(
    () => fail(new BodyRefused(408, 'RequestTimeout', 'The request body did not arrive in time.')),
    idleMs,
  )
  function onData(chunk: Buffer) {
    const next = length + chunk.length
    lately += chunk.length
    if (lately >= leastBytes) onProgress()
    if (next > limitBytes) return fail(new BodyRefused(413, 'BodyTooLarge', 'The request body is too large.'))
    if (next > bytes.length && !enlarge(next)) return fail(new NoRoomForBody('no memory is left for bodies'))
    chunk.copy(bytes, length)
    length = next
    if (length > enoughBytes) giveBack()
  }
  function enlarge(needed: number): boolean {
    const size = Math.max(needed, bytes.length * 2)
    if (size > held) {
      if (!hold.grow(size - held)) return false
      held = size
    }
    const larger = Buffer.allocUnsafe(size)
    bytes.copy(larger, 0, 0, length)
    bytes = larger
    return true
  }
  function onProgress() {
    lately = 0
    timer.refresh()
  }
  function giveBack() {
    detach()
    request.unshift(bytes.subarray(0, length))
    done(undefined)
  }
  function onEnd() {
    detach()
    done(bytes.subarray(0, length))
  }
  function onClose() {
    fail(new BodyRefused(400, 'IncompleteBody', 'The request body ended too early.'))
  }
  function fail(error: BodyRefused | NoRoomForBody) {
    detach()
    done(error)
  }
  function detach() {
    clearTimeout(timer)
    request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose).pause()
  }
  request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
  request.resume()
}
