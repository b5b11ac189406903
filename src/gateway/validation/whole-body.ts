// A body that is judged before it goes on: read whole, within a size and a time, into one piece of memory.

import type { IncomingMessage } from 'node:http'
import { BodyRefused } from '../forward/request-body.js'

/** What is held in memory for one request at most, whatever the route's limit says. */
export const mostWholeBytes = 4 * 1024 * 1024

const firstBytes = 16_384

export interface WholeBodyLimits {
  limitBytes: number
  /** For all of it. */
  wholeMs: number
}

/** Resolves with the bytes as they came. Rejects with BodyRefused: too large, too slow, or ended too early. */
export function readWholeBody(request: IncomingMessage, { limitBytes, wholeMs }: WholeBodyLimits): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // One growing piece: many small chunks would each weigh more than their bytes.
    let bytes = Buffer.allocUnsafe(firstBytes)
    let length = 0
    const timer = setTimeout(
      () => fail(new BodyRefused(408, 'RequestTimeout', 'The request body did not arrive in time.')),
      wholeMs,
    )
    function onData(chunk: Buffer) {
      const next = length + chunk.length
      if (next > limitBytes) {
        fail(new BodyRefused(413, 'BodyTooLarge', 'The request body is too large.'))
        return
      }
      if (next > bytes.length) {
        const larger = Buffer.allocUnsafe(Math.max(next, bytes.length * 2))
        bytes.copy(larger, 0, 0, length)
        bytes = larger
      }
      chunk.copy(bytes, length)
      length = next
    }
    function onEnd() {
      detach()
      resolve(bytes.subarray(0, length))
    }
    function onClose() {
      fail(new BodyRefused(400, 'IncompleteBody', 'The request body ended too early.'))
    }
    function fail(error: BodyRefused) {
      detach()
      reject(error)
    }
    function detach() {
      clearTimeout(timer)
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose).pause()
    }
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
    request.resume()
  })
}
