// A connection to a target that carries one request at a time. It is used again only after an answer that ended where
// it said it would, with nothing behind it; whatever else a target says ends the connection, and never reaches another
// request.

import type { Socket } from 'node:net'
import { errors } from 'undici'
import type { AnswerHead } from './answer-grammar.js'
import { type AnswerParts, AnswerReader } from './answer-reader.js'
import { BodyWriter } from './body-writer.js'
import type { ConnectionOwner } from './connection-owner.js'
import type { Carrier, Exchange } from './exchange.js'
import { lostConnection } from './lost-connection.js'
import { ReadTurn } from './read-turn.js'
import { expectsBody, requestHead } from './request-head.js'

/** Bodies up to this size are written with their head, as one text. */
const mostJoinedBytes = 16_384
/** How long a connection waits for its next request where the target says nothing of it. */
const idleMs = 4_000
const mostIdleMs = 600_000
/** A target closes a moment after it said; a request must not meet that. */
const idleMarginMs = 2_000

type Phase = 'idle' | 'assigned' | 'head' | 'body' | 'closed'

/** A class, because it holds a socket. */
export class Connection implements AnswerParts, Carrier {
  readonly #socket: Socket
  readonly #owner: ConnectionOwner<Connection>
  readonly #reader = new AnswerReader(this)
  readonly #turn = new ReadTurn(() => this.#readOn())
  #phase: Phase = 'idle'
  #exchange: Exchange | undefined
  #writer: BodyWriter | undefined
  /** The tick at which the phase has lasted too long; 0: it may last. */
  #dueAt = 0
  #isKept = true
  #idleMs = idleMs
  #hasEnded = false

  /** `socket` stands, and nobody else reads from it; `take` is handed what it reads, see socket-reads.ts. */
  constructor(socket: Socket, owner: ConnectionOwner<Connection>) {
    this.#socket = socket
    this.#owner = owner
    // Behind the end nothing comes: over TLS it may be here before a reader who waits has had all of the answer.
    socket.on('error', (error) => (this.#hasEnded ? this.#ended() : this.#fail(error)))
    socket.on('end', () => this.#ended())
    socket.on('close', () => (this.#hasEnded ? this.#ended() : this.#fail(lostConnection(socket))))
    socket.on('drain', () => this.#writer?.drained())
    // Those who wait for an answer keep the process alive, and nobody else.
    socket.unref()
  }

  /** From now on it is the exchange's; nothing is written yet. */
  assign(exchange: Exchange): void {
    this.#phase = 'assigned'
    this.#dueAt = 0
    this.#exchange = exchange
    exchange.carrier = this
  }

  /** Gives it up again, for another connection; undefined when there is none any more. */
  unassign(): Exchange | undefined {
    const exchange = this.#exchange
    this.#exchange = undefined
    if (exchange !== undefined) exchange.carrier = undefined
    return exchange
  }

  /** Writes the request, unless it is no longer wanted. */
  send(): void {
    const exchange = this.#exchange
    if (exchange === undefined || this.#phase !== 'assigned') return
    try {
      if (exchange.connect()) this.#write(exchange)
      else if (this.#exchange === exchange) {
        // It had ended before there was a connection, so it has left none.
        this.#exchange = undefined
        this.#rest()
      }
    } catch (error) {
      exchange.fail(error as Error)
    }
  }

  #write(exchange: Exchange): void {
    const { request } = exchange
    const { method, body, headersTimeout } = request
    const isEmpty = body === null || (body instanceof Uint8Array && body.length === 0)
    const isExpected = expectsBody(method)
    // A server may answer HEAD with a body, or leave one unread that it did not expect.
    this.#isKept = this.#owner.isReusable && method !== 'HEAD' && (isEmpty || isExpected)
    const { text, length } = requestHead(request, this.#owner.host, this.#isKept)
    this.#phase = 'head'
    this.#reader.expect(method)
    this.#wait(headersTimeout)
    if (isEmpty) this.#socket.write(isExpected ? `${text}content-length: 0\r\n\r\n` : `${text}\r\n`, 'latin1')
    else if (body instanceof Uint8Array) this.#writeWhole(text, body, length)
    else if (body !== null) this.#stream(exchange, text, length)
  }

  #writeWhole(text: string, body: Buffer, length: number | undefined): void {
    if (length !== undefined && length !== body.length) throw new errors.RequestContentLengthMismatchError()
    const head = `${text}content-length: ${body.length}\r\n\r\n`
    if (body.length <= mostJoinedBytes) {
      this.#socket.write(head + body.toString('latin1'), 'latin1')
      return
    }
    this.#socket.cork()
    this.#socket.write(head, 'latin1')
    this.#socket.write(body)
    this.#socket.uncork()
  }

  #stream(exchange: Exchange, head: string, length: number | undefined): void {
    const { request } = exchange
    this.#writer = new BodyWriter({
      socket: this.#socket,
      body: request.body as Exclude<typeof request.body, Buffer | null>,
      head,
      length,
      isExpected: expectsBody(request.method),
      onEnd: () => {
        this.#writer = undefined
        this.#progressed()
      },
      onProgress: () => this.#progressed(),
      onError: (error) => exchange.fail(error),
    })
    this.#writer.start()
  }

  /** The wait for an answer begins anew with each piece of the request. */
  #progressed(): void {
    if (this.#phase === 'head' && this.#exchange !== undefined) this.#wait(this.#exchange.request.headersTimeout)
  }

  #wait(ms: number): void {
    this.#dueAt = ms === 0 ? 0 : this.#owner.ticks.after(ms)
  }

  /** Called at each tick. */
  tick(): void {
    if (this.#dueAt === 0 || this.#owner.ticks.now < this.#dueAt) return
    if (this.#phase === 'idle') return void this.close()
    if (this.#phase === 'body') {
      if (!this.#reader.isPaused) this.#fail(new errors.BodyTimeoutError())
      return
    }
    // While the client still sends, the target has nothing to answer yet; one that takes no more of it has.
    if (this.#writer === undefined || this.#socket.writableNeedDrain) this.#fail(new errors.HeadersTimeoutError())
  }

  /** Gives whether more may be read now. `bytes` are the reader's for the moment only. */
  take(bytes: Buffer): boolean {
    if (this.#phase === 'closed') return false
    if (this.#phase === 'idle' || this.#phase === 'assigned') {
      // Nobody is waiting for it, so it is no answer to anybody.
      this.close()
      return false
    }
    try {
      if (this.#phase === 'body') this.#touch()
      const mayGoOn = this.#reader.read(bytes)
      this.#exchange?.events.waits?.()
      return this.#turn.read(bytes.length) && mayGoOn
    } catch (error) {
      this.#fail(error as Error)
      return false
    }
  }

  #readOn(): void {
    if (this.#phase !== 'closed' && !this.#turn.isOver && !this.#reader.isPaused) this.#socket.resume()
  }

  #touch(): void {
    this.#wait(this.#exchange?.request.bodyTimeout ?? 0)
  }

  answering(): void {
    this.#exchange?.events.answering()
  }

  head(head: AnswerHead): boolean {
    const exchange = this.#exchange
    if (exchange === undefined) return false
    const { status, fields, isKept, keepAliveSeconds } = head
    if (status === 101) throw new errors.SocketError('bad upgrade')
    if (status < 200) this.#wait(exchange.request.headersTimeout)
    else {
      this.#phase = 'body'
      this.#isKept &&= isKept
      this.#idleMs = keepAliveSeconds === undefined ? idleMs : keepAliveSeconds * 1000 - idleMarginMs
      this.#touch()
    }
    return exchange.events.head(status, fields, exchange.resume)
  }

  data(chunk: Buffer): boolean {
    return this.#exchange?.events.data(chunk) === true
  }

  end(trailers: string[] | null): void {
    const exchange = this.#exchange
    if (exchange === undefined) return
    const isWhole = this.#writer === undefined && this.#socket.writableLength === 0
    this.#exchange = undefined
    this.#phase = 'idle'
    this.#stopWriting()
    exchange.end(trailers)
    // What the target did not read of this request would be the beginning of the next one.
    if (!isWhole || !this.#isKept || this.#idleMs <= 0) this.close()
    else this.#rest()
  }

  #rest(): void {
    if (this.#phase === 'closed') return
    this.#phase = 'idle'
    this.#wait(Math.min(this.#idleMs, mostIdleMs))
    this.#owner.free(this)
  }

  resume(exchange: Exchange): void {
    if (exchange !== this.#exchange || !this.#reader.isPaused) return
    try {
      this.#touch()
      if (!this.#reader.resume()) return
    } catch (error) {
      this.#fail(error as Error)
      return
    }
    if (this.#hasEnded) this.#ended()
    else this.#readOn()
  }

  lasts(exchange: Exchange): void {
    if (exchange !== this.#exchange) return
    this.#touch()
    this.#owner.lend(this)
  }

  leave(exchange: Exchange): void {
    if (exchange !== this.#exchange) return
    this.#exchange = undefined
    this.#stopWriting()
    // Nothing of it was written.
    if (this.#phase === 'assigned') this.#rest()
    else this.close()
  }

  #stopWriting(): void {
    this.#writer?.stop()
    this.#writer = undefined
  }

  #ended(): void {
    this.#hasEnded = true
    if (this.#phase === 'body' && this.#reader.isPaused) return
    try {
      if (this.#phase === 'body' && this.#reader.finish()) return
    } catch (error) {
      return void this.#fail(error as Error)
    }
    this.#fail(lostConnection(this.#socket))
  }

  /** Ends the connection, and its request with `error`; one that was not written yet goes elsewhere. */
  #fail(error: Error): void {
    const exchange = this.#phase === 'assigned' ? undefined : this.#exchange
    if (exchange === undefined) return void this.close()
    exchange.fail(error)
  }

  /** Ends the connection and whatever is on it. */
  abandon(error: Error): void {
    this.#exchange?.fail(error)
    this.close()
  }

  /** Ends the connection; no request of it is told. */
  close(): void {
    if (this.#phase === 'closed') return
    this.#phase = 'closed'
    this.#dueAt = 0
    this.#stopWriting()
    this.#reader.forget()
    this.#socket.destroy()
    this.#owner.closed(this)
  }
}
