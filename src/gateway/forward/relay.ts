// One forwarded request: what the upstream's client reports goes straight into the raw response. Bytes flow at the pace of
// the slower side in both directions, an end at either side ends the other, and nothing is gathered.

import type { Socket } from 'node:net'
import { type Dispatcher, errors } from 'undici'
import type { RetryReason } from '../../config/settings/upstream-settings.js'
import { endAfterBody, hasUnreadBody } from '../../http/answers/answer-raw.js'
import { endWith } from '../../http/answers/one-write.js'
import { type Refusal, refusal, writeRefusal } from '../errors.js'
import { isAccepted } from '../streams/handshake.js'
import { openTunnel, type Tunnel } from '../streams/tunnel.js'
import type { Sender } from '../upstreams/callers.js'
import { isConnectFailure } from '../upstreams/connect.js'
import type { Target } from '../upstreams/target.js'
import { writeAnswerHead } from './answer-head.js'
import { overdue, type Progress } from './deadlines.js'
import { letGo } from './exchange.js'
import { trailersFor } from './headers/response-headers.js'
import type { OpenStream } from './open-streams.js'
import type { Outgoing } from './outgoing.js'
import { nextTarget } from './send-again.js'
import { mayRepeat, retryReason, upstreamFailure } from './upstream-errors.js'

/** Why the gate itself ended a request to an upstream. */
class Abandoned extends Error {}

/** The same, because another target gets it. */
const superseded = new Abandoned('sent to another target')

/** Sends the request; resolves nothing, because everything that follows is events. */
export function relay(options: Outgoing): void {
  new Relay(options).start()
}

/**
 * A class, because it is the handler of one upstream request and holds its state. The raw handler interface, not the one
 * with controllers: that one builds an object of all header fields for each answer, which nobody here would read.
 */
class Relay implements Dispatcher.DispatchHandler, OpenStream, Sender {
  readonly principal: Sender['principal']
  readonly address: string
  readonly onStale: 'refuse' | 'pass'
  readonly call: Outgoing['call']
  place = -1
  kind: OpenStream['kind'] = 'response'
  readonly #options: Outgoing
  #target: Target | undefined
  readonly since = performance.now()
  readonly #progress: Progress = { since: this.since, begunAt: undefined, connected: false, stalledAt: undefined }
  #abort: ((reason: Error) => void) | undefined
  #resume: (() => void) | undefined
  #answering = false
  #repeated = false
  #retries = 0
  #headers = false
  #written = false
  #left: number | undefined
  #interimAt: number | undefined
  #over = false
  #tunnel: Tunnel | undefined

  constructor(options: Outgoing) {
    this.#options = options
    this.principal = options.principal
    this.address = options.facts.address
    this.onStale = options.plan.onStale
    this.call = options.call
  }

  /** Begins, or waits for its turn. */
  start(): void {
    const { place } = this.#options.exchange
    this.#options.streams.add(this)
    this.#options.facts.listener = this
    if (place === undefined || place.runs) this.#begin(this.since)
    else place.onTurn = () => this.#begin(performance.now())
  }

  #begin(now: number): void {
    if (this.#over) return
    this.#target = this.#options.plan.upstream.choose(this.principal, this.address)
    this.#target.inFlight++
    this.#dispatch(now)
  }

  #dispatch(now: number): void {
    const { plan, dispatch } = this.#options
    this.#progress.begunAt = now
    this.#progress.connected = false
    const target = this.#target as Target
    this.call.target = target.label
    ;(plan.route.stream ? target.streams() : target.pool).dispatch(dispatch, this)
  }

  /** Called at each tick: ends what has waited for too long, whatever it waited for. */
  tick(now: number): void {
    if (this.#over || this.#tunnel !== undefined) return
    const { plan, body, exchange, stallMs } = this.#options
    if (this.#progress.connected) body?.hurry(now, plan.room.waiting > 0)
    const reason = overdue(this.#progress, plan, { place: exchange.place, stallMs, now })
    if (reason === undefined) return
    plan.upstream.refused(reason)
    if (this.#headers || reason === 'client_stalled') {
      this.cut(reason)
    } else {
      this.#abandon()
      this.#refuse(refusal(reason))
    }
  }

  /** Ends its part at the upstream; one that is still in the queue of a pool ends when its turn comes. */
  #abandon(): void {
    this.#finish()
    this.#options.body?.detach()
    this.#abort?.(new Abandoned('the gate ended it'))
  }

  #refuse(refused: Refusal): void {
    const { request, response, facts, noteRefusal } = this.#options
    noteRefusal({ facts, method: request.method, principal: this.principal, refused })
    writeRefusal(request, response, facts, refused)
  }

  cut(reason: string): void {
    this.#options.facts.reason = reason
    this.#abort?.(new Abandoned(reason))
    if (this.#tunnel === undefined) this.#options.response.destroy()
    else this.#tunnel.cut(reason)
  }

  leave(): void {
    this.#tunnel?.leave()
  }

  onConnect(abort: (reason?: Error) => void): void {
    this.#abort = abort
    this.#progress.connected = true
    if (this.#over) abort(new Abandoned('the client left'))
  }

  /** Called at the first byte of an answer, before its head is complete. */
  onResponseStarted(): void {
    this.#answering = true
  }

  onHeaders(status: number, headers: Buffer[], resume: () => void): boolean {
    // Interim answers are about the connection behind the gate.
    if (status === 101) throw new Error('a protocol was switched that nobody asked for')
    if (status < 200) {
      // With each of them the upstream's client begins to wait anew.
      this.#interimAt ??= performance.now()
      if (performance.now() - this.#interimAt <= this.#options.plan.headersMs) return true
      throw new errors.HeadersTimeoutError('only interim answers came')
    }
    this.#options.plan.upstream.candidates.answered(this.#target as Target, status, this)
    if (status >= 502 && status <= 504 && this.#movesOn(`${status}` as RetryReason)) {
      this.#abort?.(superseded)
      // Not from within what is being parsed.
      process.nextTick(sendAgain, this)
      return true
    }
    this.#resume = resume
    this.#writeHead(status, headers)
    process.nextTick(flushHead, this)
    return true
  }

  /** From here on nobody looks at what the two sides say. A throw becomes 502. */
  onUpgrade(status: number, raw: Buffer[], target: Socket): void {
    const { request, response, plan } = this.#options
    if (!isAccepted(request, raw)) throw new Error('a handshake was answered wrongly')
    plan.upstream.candidates.answered(this.#target as Target, status, this)
    this.#writeHead(status, raw)
    response.flushHeaders()
    this.kind = 'websocket'
    this.#tunnel = openTunnel(this.#options, target)
  }

  /** A throw here, for a field that Node refuses to write, is an error of the request: it becomes 502. */
  #writeHead(status: number, raw: Buffer[]): void {
    this.#left = writeAnswerHead(this.#options, status, raw, this.since)
    this.#headers = true
  }

  flush(): void {
    if (this.#headers && !this.#written && !this.#over) this.#options.response.flushHeaders()
  }

  onData(chunk: Buffer): boolean {
    const { request, response } = this.#options
    this.#written = true
    if (this.#left !== undefined) {
      this.#left -= chunk.length
      if (this.#left === 0 && request.complete) {
        this.#finish()
        endWith(response, chunk)
        return true
      }
    }
    if (response.write(chunk)) return true
    this.#progress.stalledAt = performance.now()
    response.once('drain', () => {
      this.#progress.stalledAt = undefined
      this.#resume?.()
    })
    return false
  }

  onComplete(rawTrailers: string[] | null): void {
    if (this.#over) return
    const { request, response, body } = this.#options
    this.#written = true
    this.#finish()
    body?.detach()
    const trailers = trailersFor(rawTrailers, this.#options.plan.answer)
    if (trailers.length > 0) response.addTrailers(trailers)
    if (hasUnreadBody(request)) endAfterBody(request, response, '')
    else response.end()
  }

  onError(error: Error): void {
    if (this.#over || error === superseded) return
    const { response, facts, body, plan } = this.#options
    const target = this.#target as Target
    const hasBegun = this.#repeated || this.#answering || this.#headers
    if (!hasBegun && mayRepeat(this.#options.dispatch.method, error)) {
      this.#repeated = true
      plan.upstream.sentAgain('reused')
      target.fresh().dispatch(this.#options.dispatch, this)
      return
    }
    const { refused, outcome } = upstreamFailure(error)
    const isOurs = error instanceof Abandoned || outcome === 'abandoned' || refused.reason === 'internal'
    const isTheirs = !isOurs && !this.#headers
    if (isTheirs) plan.upstream.candidates.failed(target, isConnectFailure(error) ? undefined : this)
    if (isTheirs && this.#movesOn(retryReason(error, { answering: this.#answering, body }))) {
      this.#options.onFailure(error)
      this.sendAgain()
      return
    }
    this.#finish()
    body?.detach()
    if (error instanceof Abandoned) return
    this.#options.onFailure(error)
    if (this.#headers) {
      // Half an answer must never look like a whole one.
      facts.reason = 'upstream_truncated'
      response.destroy()
      return
    }
    plan.upstream.observe(outcome, (performance.now() - this.since) / 1000)
    this.#refuse(refused)
  }

  /** From here on it is a request of another target, when it may be sent again for this reason. */
  #movesOn(reason: RetryReason | undefined): boolean {
    const { plan, dispatch } = this.#options
    const target = this.#target as Target
    const sent = { upstream: plan.upstream, target, method: dispatch.method, retries: this.#retries }
    const next = nextTarget({ ...sent, principal: this.principal, address: this.address }, reason)
    if (next === undefined) return false
    this.#retries++
    target.inFlight--
    this.#target = next
    next.inFlight++
    return true
  }

  sendAgain(): void {
    if (this.#over) return
    this.#answering = false
    this.#dispatch(performance.now())
  }

  /** The client has everything, or has left: then the upstream need not go on. */
  responseClosed(): void {
    if (this.#over) return
    if (!this.#headers) {
      this.#options.plan.upstream.observe('abandoned', (performance.now() - this.since) / 1000)
    }
    this.#abandon()
  }

  #finish(): void {
    if (this.#over) return
    this.#over = true
    if (this.#target !== undefined) this.#target.inFlight--
    letGo(this.#options.exchange)
    this.#options.streams.remove(this)
  }
}

function sendAgain(relaying: Relay): void {
  relaying.sendAgain()
}

/** After the upstream's client has handed over what it had: a head whose body waits is sent by itself. */
function flushHead(relaying: Relay): void {
  relaying.flush()
}
