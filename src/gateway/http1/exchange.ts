// One request at a target, from the moment it waits for a connection until its answer is whole or failed: what happens
// first ends it, and nothing is reported afterwards.

import type { UpstreamEvents } from '../forward/upstream-events.js'
import type { TargetRequest } from './request-head.js'

/** What an exchange uses of its connection. */
export interface Carrier {
  /** Nobody waits for the answer any more. */
  leave(exchange: Exchange): void
  resume(exchange: Exchange): void
  lasts(exchange: Exchange): void
}

/** A class, because connections and queues hold it. */
export class Exchange {
  readonly request: TargetRequest
  readonly events: UpstreamEvents
  carrier: Carrier | undefined
  #isOver = false
  #isConnected = false

  constructor(request: TargetRequest, events: UpstreamEvents) {
    this.request = request
    this.events = events
    const { body } = request
    // For as long as the body lives: also one that nobody wants any more may fail.
    if (body !== null && !(body instanceof Uint8Array)) body.on('error', (error) => this.fail(error))
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Before the first byte is written. Gives whether it is still wanted. */
  connect(): boolean {
    if (this.#isOver) return false
    if (!this.#isConnected) {
      this.#isConnected = true
      this.events.connected((error) => this.fail(error))
    }
    return !this.#isOver
  }

  readonly resume = (): void => {
    if (!this.#isOver) this.carrier?.resume(this)
  }

  /** Its answer turned out to be a stream: from now on it may be silent for so long, and holds no counted connection. */
  last(bodyTimeout: number): void {
    this.request.bodyTimeout = bodyTimeout
    this.carrier?.lasts(this)
  }

  fail(error: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    const { body } = this.request
    const { carrier } = this
    this.carrier = undefined
    carrier?.leave(this)
    // One that nobody has begun to read may go to another target.
    if (this.#isConnected && body !== null && !(body instanceof Uint8Array)) body.destroy()
    this.events.failed(error)
  }

  end(trailers: string[] | null): void {
    if (this.#isOver) return
    this.#isOver = true
    this.carrier = undefined
    this.events.ended(trailers)
  }
}
