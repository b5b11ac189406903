// Two connections that have become one: a client's and a target's, after both have agreed to speak WebSocket. Bytes go
// on as they are, at the pace of the slower side. The gate says one thing itself: a Close, when it has to end the
// connection.

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { upgradeOf } from '../../http/connections/upgrades.js'
import type { RequestContext } from '../../http/requests/request-context.js'
import type { RoutePlan } from '../routes/snapshot.js'
import { closeFrame, FrameTracker } from './frames.js'
import { keepAlive } from './keep-alive.js'

/** What the gate knows of a handshake that was accepted. */
interface Exchange {
  request: IncomingMessage
  facts: RequestContext
  plan: Pick<RoutePlan, 'idleMs'>
  stallMs: number
}

interface TunnelOptions {
  client: Socket
  target: Socket
  /** What the client said before it was answered. */
  early: Buffer
  /** How long either side may leave unread what was sent to it. */
  stallMs: number
  /** How long both sides may be silent; 0: for as long as they are there. */
  idleMs: number
  /** Why the gate ended it; not called when one of the sides did. */
  onCut(reason: string): void
}

/** RFC 6455 §7.4.1. */
const goingAway = 1001
const policyViolation = 1008
/** How long a client has to read a Close and hang up. */
const partingMs = 250
/** How long both sides have to close once the gate has told them to. */
const closingMs = 2_000

/** Begins, after the client has been answered. The client's connection is the one that `request` came on. */
export function openTunnel({ request, facts, plan, stallMs }: Exchange, target: Socket): Tunnel {
  const upgrade = upgradeOf(request)
  if (upgrade === undefined) throw new Error('this connection is not free for another protocol')
  const { socket: client, early } = upgrade.take()
  const onCut = (reason: string) => {
    facts.entry.reason = reason
  }
  const tunnel = new Tunnel({ client, target, early, stallMs, idleMs: plan.idleMs, onCut })
  tunnel.open()
  return tunnel
}

/** A class, because it holds two connections. Each is closed when the other is. */
export class Tunnel {
  readonly #options: TunnelOptions
  readonly #toClient = new FrameTracker()
  #state: 'open' | 'leaving' | 'left' | 'cut' = 'open'

  constructor(options: TunnelOptions) {
    this.#options = options
  }

  open(): void {
    const { client, target, early, stallMs, idleMs } = this.#options
    for (const socket of [client, target]) keepAlive(socket).setNoDelay(true)
    // Whatever either side says comes by here.
    if (idleMs > 0) client.setTimeout(idleMs, () => this.cut('idle'))
    client.on('data', (bytes: Buffer) => this.#fromClient(bytes))
    target.on('data', (bytes: Buffer) => this.#fromTarget(bytes))
    joinEnds(client, target, stallMs)
    joinEnds(target, client, stallMs)
    client.resume()
    target.resume()
    if (early.length > 0) this.#fromClient(early)
  }

  /** Ends it now: from here on nothing that either side says reaches the other. */
  cut(reason: string): void {
    if (this.#state === 'cut') return
    const { client, target } = this.#options
    const isHeard = this.#state !== 'left' && client.writableLength === 0 && !client.writableEnded
    const mayClose = isHeard && this.#toClient.isBetween && !this.#toClient.hasClosed
    this.#state = 'cut'
    this.#options.onCut(reason)
    target.destroy()
    if (!mayClose) return void client.destroy()
    client.end(closeFrame(policyViolation, reason))
    // Unread bytes would turn the end into a reset, which can take the Close with it.
    client.resume()
    closeWithin(client, partingMs)
  }

  /** Sends the client elsewhere, at the next end of a frame; then the two sides close in their own words. */
  leave(): void {
    if (this.#state !== 'open') return
    this.#state = 'leaving'
    closeWithin(this.#options.client, closingMs)
    this.#leaveBetweenFrames()
  }

  #leaveBetweenFrames(): void {
    if (this.#state !== 'leaving' || !this.#toClient.isBetween) return
    this.#state = 'left'
    if (!this.#toClient.hasClosed) this.#options.client.write(closeFrame(goingAway, 'going_away'))
  }

  #fromClient(bytes: Buffer): void {
    const { client, target, stallMs } = this.#options
    if (this.#state !== 'cut') pass(bytes, client, target, stallMs, () => this.cut('upstream_stalled'))
  }

  #fromTarget(bytes: Buffer): void {
    if (this.#state === 'cut' || this.#state === 'left') return
    const { client, target, stallMs } = this.#options
    const length = this.#toClient.follow(bytes, this.#state === 'leaving' ? 'next frame' : 'end')
    const passed = length === bytes.length ? bytes : bytes.subarray(0, length)
    if (length > 0) pass(passed, target, client, stallMs, () => this.cut('client_stalled'))
    this.#leaveBetweenFrames()
  }
}

/** Writes, and reads no more until that was taken. */
function pass(bytes: Buffer, from: Socket, to: Socket, stallMs: number, onStall: () => void): void {
  if (to.destroyed || to.writableEnded || to.write(bytes)) return
  from.pause()
  const stalled = setTimeout(onStall, stallMs)
  const goOn = () => {
    clearTimeout(stalled)
    to.off('drain', goOn).off('close', goOn)
    from.resume()
  }
  to.on('drain', goOn).on('close', goOn)
}

/** The end of what one side says is passed on; a side that is gone takes the other with it. */
function joinEnds(from: Socket, to: Socket, stallMs: number): void {
  from.on('end', () => {
    to.end()
    closeWithin(to, stallMs)
  })
  from.on('error', () => from.destroy())
  from.on('close', () => {
    if (!to.writableEnded) to.destroy()
  })
}

function closeWithin(socket: Socket, ms: number): void {
  const timer = setTimeout(() => socket.destroy(), ms)
  socket.once('close', () => clearTimeout(timer))
}
