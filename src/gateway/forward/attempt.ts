// One attempt to have a request answered: a target, and what it says. When it fails before anything was answered, the
// next attempt is made of it, where that is allowed (send-again.ts); the request itself (relay.ts) hears of the last
// one only.

import type { Socket } from 'node:net'
import { errors } from 'undici'
import type { RetryReason } from '../../config/settings/upstream-settings.js'
import type { Refusal } from '../errors.js'
import { isAccepted } from '../streams/handshake.js'
import type { Sender } from '../upstreams/callers.js'
import { isConnectFailure } from '../upstreams/connect.js'
import { failureCause } from '../upstreams/failure-cause.js'
import type { Target } from '../upstreams/target.js'
import { noteTrouble } from '../upstreams/target-status.js'
import type { UpstreamOutcome } from '../upstreams/upstream.js'
import type { AnswerWriter } from './answer-writer.js'
import { becomesStream } from './event-answers.js'
import type { Outgoing } from './outgoing-request.js'
import { nextTarget } from './retry-target.js'
import { mayRepeat, retryReason, upstreamFailure } from './upstream-errors.js'
import { handlerOf, type RawFields, type UpstreamEvents } from './upstream-events.js'

/** Why the gate itself ended a request to an upstream. */
export class Abandoned extends Error {}

/** The same, because another target gets it. */
const superseded = new Abandoned('sent to another target')

/** The request that attempts are made for. */
export interface AttemptedRequest extends Sender {
  readonly outgoing: Outgoing
  readonly answer: AnswerWriter
  /** When it came to be relayed (performance.now()). */
  readonly since: number
  /** Nobody waits for an answer any more, or all of it is there. */
  readonly isOver: boolean
  /** Another attempt has taken the place of the one before. */
  attempted(next: Attempt): void
  upgraded(socket: Socket): void
  /** All of the answer has come: it holds nothing any more. */
  finish(): void
  failed(error: Error, refused: Refusal, outcome: UpstreamOutcome): void
}

/** A class, because it holds one request at one target. It counts as in flight there until `release`. */
export class Attempt implements UpstreamEvents {
  readonly #request: AttemptedRequest
  readonly #target: Target
  readonly #retries: number = 0
  #begunAt: number
  #abort: ((reason: Error) => void) | undefined
  /** At the target's connections, where it may wait for one. */
  #sent: { fail(reason: Error): void; last(bodyTimeout: number): void } | undefined
  #isAnswering = false
  #isRepeated = false
  #interimAt: number | undefined

  /** What the attempt before has spent is spent. */
  constructor(request: AttemptedRequest, target: Target, now: number, before?: Attempt) {
    this.#request = request
    this.#target = target
    this.#begunAt = now
    target.inFlight++
    if (before === undefined) return
    this.#retries = before.#retries + 1
    this.#isRepeated = before.#isRepeated
    this.#interimAt = before.#interimAt
  }

  /** By performance.now(). */
  get startedAt(): number {
    return this.#begunAt
  }

  get isConnected(): boolean {
    return this.#abort !== undefined
  }

  send(): void {
    const { plan, dispatch, call } = this.#request.outgoing
    call.target = this.#target.label
    if (dispatch.upgrade !== null) this.#target.upgrades().dispatch(dispatch, handlerOf(this))
    else this.#sent = (plan.route.stream ? this.#target.streams() : this.#target.requests).dispatch(dispatch, this)
  }

  /** Ends it at the target, also while it waits for a connection; an upgrade that does ends when it has one. */
  abort(reason: string): void {
    const error = new Abandoned(reason)
    this.#abort?.(error)
    this.#sent?.fail(error)
  }

  release(): void {
    this.#target.inFlight--
  }

  connected(abort: (reason: Error) => void): void {
    this.#abort = abort
    if (this.#request.isOver) abort(new Abandoned('the client left'))
  }

  /** Called at the first byte of an answer, before its head is complete. */
  answering(): void {
    this.#isAnswering = true
  }

  head(status: number, fields: RawFields, resume: () => void): boolean {
    // Interim answers are about the connection behind the gate.
    if (status === 101) throw new Error('a protocol was switched that nobody requested')
    if (status < 200) return this.#waitOn()
    const { outgoing, answer, since } = this.#request
    outgoing.plan.upstream.candidates.answered(this.#target, status, this.#request)
    if (status >= 502 && status <= 504) {
      const next = this.#next(`${status}` as RetryReason)
      if (next !== undefined) {
        this.#abort?.(superseded)
        // Not from within what is being parsed.
        process.nextTick(sendNext, next)
        return true
      }
    }
    if (becomesStream(outgoing, status, fields)) this.#sent?.last(outgoing.plan.idleMs)
    answer.begin(status, fields, since, resume)
    return true
  }

  /** With each interim answer the upstream's client begins to wait anew. */
  #waitOn(): boolean {
    this.#interimAt ??= performance.now()
    if (performance.now() - this.#interimAt <= this.#request.outgoing.plan.headersMs) return true
    throw new errors.HeadersTimeoutError('only interim answers came')
  }

  /** From here on nobody looks at what the two sides say. A throw becomes 502. */
  upgraded(status: number, fields: RawFields, socket: Socket): void {
    const { outgoing, answer, since } = this.#request
    if (!isAccepted(outgoing.request, fields)) throw new Error('a handshake was answered wrongly')
    outgoing.plan.upstream.candidates.answered(this.#target, status, this.#request)
    answer.begin(status, fields, since)
    this.#request.upgraded(socket)
  }

  data(chunk: Buffer): boolean {
    const { answer } = this.#request
    if (!answer.isLast(chunk)) return answer.write(chunk)
    this.#request.finish()
    answer.endWith(chunk)
    return true
  }

  /** A head whose body waits is sent by itself. */
  waits(): void {
    if (!this.#request.isOver) this.#request.answer.flush()
  }

  ended(trailers: RawFields | null): void {
    if (this.#request.isOver) return
    const { outgoing, answer } = this.#request
    this.#request.finish()
    outgoing.body?.detach()
    answer.end(trailers, outgoing.plan.answer)
  }

  failed(error: Error): void {
    if (this.#request.isOver || error === superseded) return
    const { outgoing, answer } = this.#request
    if (this.#isLost(error)) {
      this.#isRepeated = true
      outgoing.plan.upstream.sentAgain('reused')
      this.#sent = this.#target.fresh().dispatch(outgoing.dispatch, this)
      return
    }
    const { refused, outcome } = upstreamFailure(error)
    const isOurs = error instanceof Abandoned || outcome === 'abandoned' || refused.reason === 'internal'
    if (!isOurs && !answer.hasBegun && this.#goesElsewhere(error)) return
    this.#request.failed(error, refused, outcome)
  }

  /** Nothing came of it on a connection that was closed just then: it is sent to the same target once more. */
  #isLost(error: Error): boolean {
    const { answer, outgoing } = this.#request
    if (this.#isRepeated || this.#isAnswering || answer.hasBegun || outgoing.dispatch.upgrade !== null) return false
    return mayRepeat(outgoing.dispatch.method, error)
  }

  #goesElsewhere(error: Error): boolean {
    const { plan, body, onFailure } = this.#request.outgoing
    noteTrouble(this.#target.status, failureCause(error))
    plan.upstream.candidates.failed(this.#target, isConnectFailure(error) ? undefined : this.#request)
    const next = this.#next(retryReason(error, { answering: this.#isAnswering, body }))
    if (next === undefined) return false
    onFailure(error)
    next.send()
    return true
  }

  /** The attempt that takes its place from now on, when the request may be sent again for this reason. */
  #next(reason: RetryReason | undefined): Attempt | undefined {
    const { principal, address, outgoing } = this.#request
    const target = nextTarget(
      {
        upstream: outgoing.plan.upstream,
        target: this.#target,
        method: outgoing.dispatch.method,
        retries: this.#retries,
        principal,
        address,
      },
      reason,
    )
    if (target === undefined) return undefined
    this.release()
    const next = new Attempt(this.#request, target, performance.now(), this)
    this.#request.attempted(next)
    return next
  }

  /** Sends what was made a moment before, unless the request has ended meanwhile. */
  sendLater(): void {
    if (this.#request.isOver) return
    this.#begunAt = performance.now()
    this.send()
  }
}

function sendNext(next: Attempt): void {
  next.sendLater()
}
