// The one place that knows in which form undici reports what happens to a request (decision 0115): raw, as undici 7
// takes it, or with a controller, which is the only form of undici 8. The sender of a request hears the same events in
// both.

import type { Socket } from 'node:net'
import * as undici from 'undici'

/** Header fields or trailers as they came: name, value, name, value …, in latin1. */
export type RawFields = readonly (Buffer | string)[]

/**
 * What happens to one request that was dispatched; a throw in `head`, `upgraded` or `data` fails it with that error.
 */
export interface UpstreamEvents {
  /** A connection took it; `abort` ends it there, and `failed` is told the reason. */
  connected(abort: (reason: Error) => void): void
  /** The first byte of an answer came. */
  answering(): void
  /** A head, also an interim one. Gives whether its body may come; else it comes after `resume`. */
  head(status: number, fields: RawFields, resume: () => void): boolean
  /** The connection is the caller's own now. */
  upgraded(status: number, fields: RawFields, socket: Socket): void
  /**
   * Gives whether more may come; else it comes after `resume`. `chunk` may lie in memory that is used for others
   * afterwards: what is kept of it is a copy.
   */
  data(chunk: Buffer): boolean
  /** Nothing more of the answer is here now, and it is not over. */
  waits?(): void
  ended(trailers: RawFields | null): void
  failed(error: Error): void
}

/**
 * `raw`: undici's own events. `controlled`: with a controller, and an object of all header fields, which nobody here
 * reads.
 */
export type HandlerForm = 'raw' | 'controlled'

/** What undici 8 hands to a handler first; undici 7 can do the same. */
interface Controller {
  rawHeaders?: unknown
  rawTrailers?: unknown
  abort(reason: Error): void
  pause(): void
  resume(): void
}

/**
 * The form that costs least of those that this undici takes: since version 8 it has a wrapper for callers that still
 * have raw handlers.
 */
export const ownForm: HandlerForm = 'Dispatcher1Wrapper' in undici ? 'controlled' : 'raw'

/** A handler for `dispatch` that passes everything on to `events`. One request may use it again after it has failed. */
export function handlerOf(events: UpstreamEvents, form: HandlerForm = ownForm): undici.Dispatcher.DispatchHandler {
  const handler: object = form === 'raw' ? new RawHandler(events) : new ControlledHandler(events)
  return handler
}

class RawHandler {
  readonly #events: UpstreamEvents

  constructor(events: UpstreamEvents) {
    this.#events = events
  }

  onConnect(abort: (reason: Error) => void): void {
    this.#events.connected(abort)
  }

  onResponseStarted(): void {
    this.#events.answering()
  }

  onHeaders(status: number, fields: RawFields, resume: () => void): boolean {
    process.nextTick(tellThatItWaits, this.#events)
    return this.#events.head(status, fields, resume)
  }

  onUpgrade(status: number, fields: RawFields, socket: Socket): void {
    this.#events.upgraded(status, fields, socket)
  }

  onData(chunk: Buffer): boolean {
    return this.#events.data(chunk)
  }

  onComplete(trailers: RawFields | null): void {
    this.#events.ended(trailers)
  }

  onError(error: Error): void {
    this.#events.failed(error)
  }
}

class ControlledHandler {
  readonly #events: UpstreamEvents

  constructor(events: UpstreamEvents) {
    this.#events = events
  }

  onRequestStart(controller: Controller): void {
    this.#events.connected((reason) => controller.abort(reason))
  }

  onResponseStarted(): void {
    this.#events.answering()
  }

  onResponseStart(controller: Controller, status: number): void {
    const mayGoOn = this.#events.head(status, fieldsOf(controller.rawHeaders), () => controller.resume())
    if (!mayGoOn) controller.pause()
    process.nextTick(tellThatItWaits, this.#events)
  }

  onRequestUpgrade(controller: Controller, status: number, _headers: unknown, socket: Socket): void {
    this.#events.upgraded(status, fieldsOf(controller.rawHeaders), socket)
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (!this.#events.data(chunk)) controller.pause()
  }

  onResponseEnd(controller: Controller): void {
    this.#events.ended(fieldsOf(controller.rawTrailers))
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.#events.failed(error)
  }
}

/** undici does not say what it still has; in the next tick it has handed it over. */
function tellThatItWaits(events: UpstreamEvents): void {
  events.waits?.()
}

/** Over HTTP/1.1, the only version that is spoken to services, they are a list. */
function fieldsOf(raw: unknown): RawFields {
  return Array.isArray(raw) ? raw : []
}
