// The connections to one target: so many at most, a request on each, others wait in the order in which they came. One
// that served before waits for a turn of the event loop before it is written to again, so that what the target has said
// without a request, or its hanging up, is seen first.

import { errors } from 'undici'
import type { UpstreamEvents } from '../forward/upstream-events.js'
import { Connection } from './connection.js'
import type { ConnectionOwner } from './connection-owner.js'
import { type Carrier, Exchange } from './exchange.js'
import type { TargetRequest } from './request-head.js'
import { type ConnectTarget, takeReads } from './socket-reads.js'
import { Ticks } from './ticks.js'

export interface ConnectionsOptions {
  /** `http://host:port`, or with https. */
  origin: string
  connect: ConnectTarget
  /** At most. */
  connections: number
  /** Whether a connection serves more than one request. */
  isReusable: boolean
}

/** A class, because it holds connections. Nothing connects before the first request. */
export class Connections implements ConnectionOwner<Connection>, Carrier {
  readonly host: string
  readonly isReusable: boolean
  readonly ticks: Ticks
  readonly #options: ConnectionsOptions
  readonly #all = new Set<Connection>()
  readonly #idle: Connection[] = []
  /** Of all those that are not counted, for as long as the answer lasts that they carry. */
  readonly #lent = new Set<Connection>()
  readonly #queue: Exchange[] = []
  #assigned: Connection[] = []
  #connecting = 0
  #state: 'open' | 'closing' | 'closed' = 'open'
  #whenEmpty: (() => void) | undefined

  constructor(options: ConnectionsOptions) {
    this.#options = options
    this.host = new URL(options.origin).host
    this.isReusable = options.isReusable
    this.ticks = new Ticks(() => {
      for (const connection of this.#all) connection.tick()
    })
  }

  /** How many stand. */
  get size(): number {
    return this.#all.size
  }

  /**
   * Sends a request, as soon as a connection is free; all that happens to it are events. Throws nothing. `fail` of the
   * answer ends it at any time, also while it waits for a connection; `last` says that its answer is a stream.
   */
  dispatch(request: TargetRequest, events: UpstreamEvents): Pick<Exchange, 'fail' | 'last'> {
    const exchange = new Exchange(request, events)
    if (this.#state === 'closed') exchange.fail(new errors.ClientDestroyedError())
    else this.#place(exchange)
    return exchange
  }

  /** One that waits is no longer wanted: what it holds goes now, and not when its turn comes. */
  leave(exchange: Exchange): void {
    const at = this.#queue.indexOf(exchange)
    if (at !== -1) this.#queue.splice(at, 1)
    this.#settle()
  }

  /** Nothing of it was read. */
  resume(): void {}
  lasts(): void {}

  /** What is under way ends in peace, and every connection with it. */
  close(): Promise<void> {
    if (this.#state === 'open') this.#state = 'closing'
    for (const connection of this.#idle.splice(0)) connection.close()
    return new Promise((resolve) => {
      this.#whenEmpty = resolve
      this.#settle()
    })
  }

  /** Ends all of it now. */
  destroy(): void {
    this.#state = 'closed'
    const error = new errors.ClientDestroyedError()
    for (const exchange of this.#queue.splice(0)) exchange.fail(error)
    for (const connection of this.#all) connection.abandon(error)
    this.#settle()
  }

  /** Its answer is a stream, which takes nobody's place: another connection may stand instead. */
  lend(connection: Connection): void {
    if (this.#state !== 'open') return
    this.#lent.add(connection)
    this.#openNext()
  }

  free(connection: Connection): void {
    // Others stand in its place.
    const isTooMany = this.#lent.delete(connection) && this.#counted > this.#options.connections
    const next = isTooMany ? undefined : this.#queue.shift()
    if (isTooMany) connection.close()
    else if (next !== undefined) this.#assign(connection, next)
    else if (this.#state === 'open') this.#idle.push(connection)
    else connection.close()
  }

  closed(connection: Connection): void {
    this.#all.delete(connection)
    this.#lent.delete(connection)
    const at = this.#idle.indexOf(connection)
    if (at !== -1) this.#idle.splice(at, 1)
    const exchange = connection.unassign()
    if (exchange !== undefined) this.#place(exchange)
    this.#openNext()
    this.#settle()
  }

  #place(exchange: Exchange): void {
    const connection = this.#idle.pop()
    if (connection !== undefined) this.#assign(connection, exchange)
    else if (this.#hasRoom) this.#open(exchange)
    else {
      exchange.carrier = this
      this.#queue.push(exchange)
    }
  }

  get #hasRoom(): boolean {
    return this.#counted < this.#options.connections
  }

  get #counted(): number {
    return this.#all.size - this.#lent.size + this.#connecting
  }

  #openNext(): void {
    if (!this.#hasRoom) return
    const next = this.#queue.shift()
    if (next !== undefined) this.#open(next)
  }

  #assign(connection: Connection, exchange: Exchange): void {
    connection.assign(exchange)
    if (this.#assigned.push(connection) === 1) setImmediate(sendAssigned, this)
  }

  sendAssigned(): void {
    const assigned = this.#assigned
    this.#assigned = []
    for (const connection of assigned) connection.send()
  }

  #open(exchange: Exchange): void {
    const { connect, origin } = this.#options
    exchange.carrier = undefined
    this.#connecting += 1
    connect(origin, (error, socket) => {
      this.#connecting -= 1
      if (!socket) {
        exchange.fail(error ?? new Error('no connection came to stand'))
        this.#openNext()
        return this.#settle()
      }
      const connection = new Connection(socket, this)
      takeReads(socket, connection)
      this.#all.add(connection)
      this.ticks.start()
      if (this.#state === 'closed') {
        exchange.fail(new errors.ClientDestroyedError())
        return connection.close()
      }
      connection.assign(exchange)
      connection.send()
    })
  }

  #settle(): void {
    if (this.#all.size === 0) this.ticks.stop()
    if (this.#state !== 'open' && this.#all.size + this.#connecting + this.#queue.length === 0) this.#whenEmpty?.()
  }
}

function sendAssigned(connections: Connections): void {
  connections.sendAssigned()
}
