// One forwarded request: what the upstream's client reports goes straight into the raw response. Bytes flow at the pace
// of the slower side in both directions, an end at either side ends the other, and nothing is gathered. A try at one
// target is an Attempt, what the client gets of it is written by an AnswerWriter; here is what holds for the request as
// a whole.

import type { Socket } from 'node:net'
import { type Refusal, refusal, writeRefusal } from '../errors.js'
import { openTunnel, type Tunnel } from '../streams/tunnel.js'
import type { Sender } from '../upstreams/callers.js'
import type { UpstreamOutcome } from '../upstreams/upstream.js'
import { AnswerWriter } from './answer-writer.js'
import { Abandoned, Attempt, type AttemptedRequest } from './attempt.js'
import { overdue } from './deadlines.js'
import { letGo } from './exchange.js'
import type { OpenStream } from './open-streams.js'
import type { Outgoing } from './outgoing-request.js'

/** Sends the request; resolves nothing, because everything that follows is events. */
export function relay(options: Outgoing): void {
  new Relay(options).start()
}

/** A class, because the register of open streams holds it for as long as it lasts. */
class Relay implements AttemptedRequest, OpenStream {
  readonly outgoing: Outgoing
  readonly answer: AnswerWriter
  readonly principal: Sender['principal']
  readonly address: string
  readonly onStale: 'refuse' | 'pass'
  readonly call: Outgoing['call']
  readonly since = performance.now()
  place = -1
  kind: OpenStream['kind'] = 'response'
  #attempt: Attempt | undefined
  #tunnel: Tunnel | undefined
  #isOver = false

  constructor(outgoing: Outgoing) {
    this.outgoing = outgoing
    this.answer = new AnswerWriter(outgoing, outgoing.rewrite)
    this.principal = outgoing.principal
    this.address = outgoing.facts.address
    this.onStale = outgoing.plan.onStale
    this.call = outgoing.call
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Begins, or waits for its turn. */
  start(): void {
    const { exchange, streams, facts } = this.outgoing
    const { place } = exchange
    streams.add(this)
    facts.entry.listener = this
    if (place === undefined || place.runs) this.#begin(this.since)
    else place.onTurn = () => this.#begin(performance.now())
  }

  #begin(now: number): void {
    if (this.#isOver) return
    const target = this.outgoing.plan.upstream.choose(this.principal, this.address)
    this.#attempt = new Attempt(this, target, now)
    this.#attempt.send()
  }

  attempted(next: Attempt): void {
    this.#attempt = next
  }

  /** The client is told by itself that both sides speak another protocol now. */
  upgraded(socket: Socket): void {
    this.outgoing.response.flushHeaders()
    this.kind = 'websocket'
    this.#tunnel = openTunnel(this.outgoing, socket)
  }

  /** Called at each tick: ends what has waited for too long, whatever it waited for. */
  tick(now: number): void {
    if (this.#isOver || this.#tunnel !== undefined) return
    const { plan, body, exchange, stallMs } = this.outgoing
    const connected = this.#attempt?.isConnected === true
    if (connected) body?.hurry(now, plan.room.waiting > 0)
    const progress = {
      since: this.since,
      startedAt: this.#attempt?.startedAt,
      connected,
      stalledAt: this.answer.stalledAt,
    }
    const reason = overdue(progress, plan, { place: exchange.place, stallMs, now })
    if (reason === undefined) return
    plan.upstream.refused(reason)
    if (this.answer.hasBegun || reason === 'client_stalled') {
      this.cut(reason)
    } else {
      this.#abandon()
      this.#refuse(refusal(reason))
    }
  }

  cut(reason: string): void {
    this.outgoing.facts.entry.reason = reason
    this.#attempt?.abort(reason)
    if (this.#tunnel === undefined) this.outgoing.response.destroy()
    else this.#tunnel.cut(reason)
  }

  leave(): void {
    this.#tunnel?.leave()
  }

  /** The client has everything, or has left: then the upstream need not go on. */
  responseClosed(): void {
    if (this.#isOver) return
    if (!this.answer.hasBegun) this.#observe('abandoned')
    this.#abandon()
  }

  /** No further attempt is made. */
  failed(error: Error, refused: Refusal, outcome: UpstreamOutcome): void {
    const { response, facts, body, onFailure } = this.outgoing
    this.finish()
    body?.detach()
    if (error instanceof Abandoned) return
    onFailure(error)
    if (this.answer.hasBegun) {
      // Half an answer must never look like a whole one.
      facts.entry.reason = 'upstream_truncated'
      response.destroy()
      return
    }
    this.#observe(outcome)
    this.#refuse(refused)
  }

  finish(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#attempt?.release()
    letGo(this.outgoing.exchange)
    this.outgoing.streams.remove(this)
  }

  #abandon(): void {
    this.finish()
    this.outgoing.body?.detach()
    this.#attempt?.abort('the gate ended it')
  }

  #observe(outcome: UpstreamOutcome): void {
    this.outgoing.plan.upstream.observe(outcome, (performance.now() - this.since) / 1000)
  }

  #refuse(refused: Refusal): void {
    const { request, response, facts, noteRefusal } = this.outgoing
    noteRefusal({ facts, method: request.method, principal: this.principal, refused })
    writeRefusal(request, response, facts, refused)
  }
}
