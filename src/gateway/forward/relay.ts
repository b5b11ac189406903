// One forwarded request: what the upstream's client reports goes straight into the raw response. Bytes flow at the pace of
// the slower side in both directions, an end at either side ends the other, and nothing is gathered.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Dispatcher, errors } from 'undici'
import type { TokenPrincipal } from '../../access/principal.js'
import type { RetryReason } from '../../config/upstream-settings.js'
import { endAfterBody, hasUnreadBody } from '../../http/answer-raw.js'
import { durationField } from '../../http/duration.js'
import type { RequestContext } from '../../http/request-context.js'
import { writeRefusal } from '../errors.js'
import type { NoteRefusal } from '../refusal-notes.js'
import type { RoutePlan } from '../routes/snapshot.js'
import { isAccepted } from '../streams/handshake.js'
import { keepQuietly } from '../streams/keep-quietly.js'
import { openTunnel, type Tunnel } from '../streams/tunnel.js'
import type { Target } from '../upstreams/target.js'
import type { OpenStream, OpenStreams } from './open-streams.js'
import type { StreamedBody } from './request-body.js'
import { responseHead, trailersFor } from './response-headers.js'
import { nextTarget } from './send-again.js'
import { isReusedConnectionLost, retryReason, upstreamFailure } from './upstream-errors.js'

export interface RelayOptions {
  request: IncomingMessage
  response: ServerResponse
  facts: RequestContext
  plan: RoutePlan
  principal: TokenPrincipal | undefined
  limitFields: readonly string[]
  body: StreamedBody | undefined
  dispatch: Dispatcher.DispatchOptions
  baseUrl: string
  /** How long the client may leave a full response buffer unread. */
  stallMs: number
  streams: OpenStreams
  onFailure(error: Error): void
  noteRefusal: NoteRefusal
}

/** Why the gate itself ended a request to an upstream. */
class Abandoned extends Error {}

/** The same, because another target gets it. */
const superseded = new Abandoned('sent to another target')

/** Sends the request; resolves nothing, because everything that follows is events. */
export function relay(options: RelayOptions): void {
  new Relay(options).start()
}

/**
 * A class, because it is the handler of one upstream request and holds its state. The raw handler interface, not the one
 * with controllers: that one builds an object of all header fields for each answer, which nobody here would read.
 */
class Relay implements Dispatcher.DispatchHandler, OpenStream {
  readonly principal: TokenPrincipal | undefined
  readonly onStale: 'refuse' | 'pass'
  place = -1
  kind: OpenStream['kind'] = 'response'
  readonly #options: RelayOptions
  #target: Target
  readonly since = performance.now()
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
  #stall: NodeJS.Timeout | undefined
  #tunnel: Tunnel | undefined

  constructor(options: RelayOptions) {
    this.#options = options
    this.#target = options.plan.upstream.choose(options.principal, options.facts.address)
    this.principal = options.principal
    this.onStale = options.plan.onStale
  }

  start(): void {
    const { plan, facts, streams, dispatch } = this.#options
    plan.upstream.inFlight++
    this.#target.inFlight++
    streams.add(this)
    facts.listener = this
    this.#target.pool.dispatch(dispatch, this)
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
    this.#options.plan.upstream.candidates.answered(this.#target, status)
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
    plan.upstream.candidates.answered(this.#target, status)
    this.#writeHead(status, raw)
    response.flushHeaders()
    this.kind = 'websocket'
    this.#tunnel = openTunnel(this.#options, target)
  }

  /** A throw here, for a field that Node refuses to write, is an error of the request: it becomes 502. */
  #writeHead(status: number, raw: Buffer[]): void {
    const { request, response, facts, plan, limitFields, baseUrl } = this.#options
    const { headers, length } = responseHead(raw, {
      status,
      head: request.method === 'HEAD',
      authorized: plan.requirement !== 'public',
      http11: request.httpVersionMinor === 1,
      location: { origins: plan.upstream.origins, basePath: plan.upstream.basePath, baseUrl, prefix: plan.prefix },
      rules: plan.answer,
    })
    const now = performance.now()
    const waited = now - this.since
    const duration = now - facts.startedAt
    for (const field of limitFields) headers.push(field)
    headers.push('request-id', facts.requestId, 'duration', durationField(duration))
    // An answer before the end of the request's body: what is left of it must not be read as the next request.
    if (hasUnreadBody(request)) headers.push('connection', 'close')
    else if (status === 101) headers.push('connection', 'Upgrade', 'upgrade', 'websocket')
    else if (plan.idleMs === 0) keepQuietly(request.socket)
    response.writeHead(status, headers)
    this.#headers = true
    this.#left = request.method === 'HEAD' || status === 204 || status === 304 ? 0 : length
    facts.source = 'upstream'
    facts.headAt = now
    plan.upstream.observe('answered', waited / 1000)
    plan.observeOverhead((duration - waited) / 1000)
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
        response.end(chunk)
        return true
      }
    }
    if (response.write(chunk)) return true
    this.#stall = setTimeout(() => this.cut('client_stalled'), this.#options.stallMs)
    response.once('drain', () => {
      clearTimeout(this.#stall)
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
    const { request, response, facts, body, plan } = this.#options
    if (this.#mayRepeat(error)) {
      this.#repeated = true
      plan.upstream.sentAgain('reused')
      this.#target.fresh().dispatch(this.#options.dispatch, this)
      return
    }
    const { refused, outcome } = upstreamFailure(error)
    const isOurs = error instanceof Abandoned || outcome === 'abandoned' || refused.reason === 'internal'
    const isTheirs = !isOurs && !this.#headers
    if (isTheirs) plan.upstream.candidates.failed(this.#target)
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
    this.#options.noteRefusal({ facts, method: request.method, principal: this.principal, refused })
    writeRefusal(request, response, facts, refused)
  }

  /** GET and HEAD, nothing received, on a connection that had served before, once (RFC 9110 §9.2.2). */
  #mayRepeat(error: Error): boolean {
    const { method } = this.#options.dispatch
    if (this.#repeated || this.#answering || this.#headers) return false
    return (method === 'GET' || method === 'HEAD') && isReusedConnectionLost(error)
  }

  /** From here on it is a request of another target, when it may be sent again for this reason. */
  #movesOn(reason: RetryReason | undefined): boolean {
    const { plan, dispatch, facts } = this.#options
    const sent = { upstream: plan.upstream, target: this.#target, method: dispatch.method, retries: this.#retries }
    const next = nextTarget({ ...sent, principal: this.principal, address: facts.address }, reason)
    if (next === undefined) return false
    this.#retries++
    this.#target.inFlight--
    this.#target = next
    next.inFlight++
    return true
  }

  sendAgain(): void {
    if (this.#over) return
    this.#answering = false
    this.#target.pool.dispatch(this.#options.dispatch, this)
  }

  /** The client has everything, or has left: then the upstream need not go on. */
  responseClosed(): void {
    if (this.#over) return
    this.#finish()
    this.#options.body?.detach()
    if (!this.#headers) {
      this.#options.plan.upstream.observe('abandoned', (performance.now() - this.since) / 1000)
    }
    this.#abort?.(new Abandoned('the client left'))
  }

  #finish(): void {
    if (this.#over) return
    this.#over = true
    clearTimeout(this.#stall)
    this.#options.plan.upstream.inFlight--
    this.#target.inFlight--
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
