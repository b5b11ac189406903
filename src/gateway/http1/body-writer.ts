// A request's body on its way to a target, at the target's pace: its head goes with the first piece, so that a body that
// fails before it has begun leaves no half request behind.

import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { errors } from 'undici'

export interface BodyWriterOptions {
  socket: Socket
  body: Readable
  /** Lines with their ends, up to what frames the body. */
  head: string
  /** Bytes of the body; undefined: it is sent in chunks. */
  length: number | undefined
  /** Whether a body without a byte is said to be empty. */
  isExpected: boolean
  /** All of it was written. */
  onEnd(): void
  /** A piece of it was taken. */
  onProgress(): void
  onError(error: Error): void
}

/** A class, because it holds how far the body has come. */
export class BodyWriter {
  readonly #options: BodyWriterOptions
  #written = 0
  #isOver = false

  constructor(options: BodyWriterOptions) {
    this.#options = options
  }

  start(): void {
    const { body } = this.#options
    body.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onClose)
    if (body.readableEnded) this.#onEnd()
    else if (body.destroyed) this.#onClose()
  }

  /** The target takes more. */
  drained(): void {
    if (this.#isOver) return
    this.#options.onProgress()
    this.#options.body.resume()
  }

  /** No more of it is sent. */
  stop(): void {
    this.#finish()
    this.#options.body.destroy()
  }

  #finish(): void {
    this.#isOver = true
    this.#options.body.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose)
  }

  readonly #onData = (chunk: Buffer): void => {
    const { socket, body, head, length, onProgress } = this.#options
    if (this.#isOver || chunk.length === 0) return
    const isFirst = this.#written === 0
    this.#written += chunk.length
    if (length !== undefined && this.#written > length) return void this.#fail(mismatch())
    socket.cork()
    if (length === undefined) {
      const size = `${chunk.length.toString(16)}\r\n`
      socket.write(isFirst ? `${head}transfer-encoding: chunked\r\n\r\n${size}` : size, 'latin1')
    } else if (isFirst) socket.write(`${head}content-length: ${length}\r\n\r\n`, 'latin1')
    let mayGoOn = socket.write(chunk)
    if (length === undefined) mayGoOn = socket.write('\r\n', 'latin1')
    socket.uncork()
    onProgress()
    if (!mayGoOn) body.pause()
  }

  readonly #onEnd = (): void => {
    const { socket, head, length, isExpected, onEnd } = this.#options
    if (this.#isOver) return
    if (length !== undefined && this.#written !== length) return void this.#fail(mismatch())
    this.#finish()
    if (this.#written > 0) {
      if (length === undefined) socket.write('0\r\n\r\n', 'latin1')
    } else socket.write(isExpected ? `${head}content-length: 0\r\n\r\n` : `${head}\r\n`, 'latin1')
    onEnd()
  }

  /** Its error comes by itself, where there is one. */
  readonly #onClose = (): void => {
    if (this.#isOver) return
    process.nextTick(() => {
      if (!this.#isOver) this.#fail(this.#options.body.errored ?? new errors.RequestAbortedError())
    })
  }

  #fail(error: Error): void {
    this.#finish()
    this.#options.onError(error)
  }
}

function mismatch(): Error {
  return new errors.RequestContentLengthMismatchError()
}
