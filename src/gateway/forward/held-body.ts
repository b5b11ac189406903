// A body that is read before its upstream is called: what a client takes its time for costs memory, of which there is
// a budget, and no connection to the upstream. A token that ends meanwhile ends the request.

import type { BodyBudget, BodyHold } from '../../http/requests/body-budget.js'
import { sendContinue } from '../../http/requests/buffered-body.js'
import { type Refusal, refusal } from '../errors.js'
import { callerKey } from '../upstreams/callers.js'
import { type Exchange, letGo, senderOf } from './exchange.js'
import type { OpenStream, OpenStreams } from './open-streams.js'
import { BodyRefused } from './request-body.js'
import { upstreamFailure } from './upstream-errors.js'
import { NoRoomForBody, readWholeBody, type WholeBodyLimits } from './whole-body.js'

export interface HeldBodyDeps {
  streams: OpenStreams
  bodies: BodyBudget
  onFailure(error: Error, upstream: string, requestId: string): void
  refuse(exchange: Exchange, refused: Refusal): void
}

/** What is set aside for a body that does not say how long it is; it may grow. */
const unknownBytes = 16_384

/** Reads it and goes on with it, undefined when there is more than `enoughBytes`; or refuses. Throws nothing. */
export function readHeldBody(
  deps: HeldBodyDeps,
  exchange: Exchange,
  limits: WholeBodyLimits,
  goOn: (body: Buffer | undefined) => void,
): void {
  const { request, response } = exchange
  const announced = request.headers['content-length']
  const heldBytes = announced === undefined ? unknownBytes : Math.min(Number(announced), limits.limitBytes)
  const hold = holdForBody(deps, exchange, heldBytes)
  if (hold === undefined) return
  const reading = openReading(exchange)
  deps.streams.add(reading)
  sendContinue(request, response)
  readWholeBody({ request, hold, heldBytes }, limits, (read) => {
    deps.streams.remove(reading)
    if (read instanceof Error) return void failHeldBody(deps, exchange, read)
    try {
      goOn(read)
    } catch (error) {
      failHeldBody(deps, exchange, error)
    }
  })
}

/** Sets memory aside for a body of the caller, which may grow; undefined: there was none, and that was answered. */
export function holdForBody(
  deps: Pick<HeldBodyDeps, 'bodies' | 'refuse'>,
  exchange: Exchange,
  bytes: number,
): BodyHold | undefined {
  const hold = deps.bodies.hold(callerKey(senderOf(exchange)), bytes)
  if (hold === 'full' || hold === 'share') {
    deps.refuse(exchange, refusal(hold === 'full' ? 'bodies_full' : 'caller_bodies'))
    return undefined
  }
  exchange.hold = hold
  return hold
}

/** What a body that could not be read, or not be judged, is answered with. */
export function failHeldBody(deps: HeldBodyDeps, exchange: Exchange, error: unknown): void {
  const { response, facts, passage } = exchange
  if (response.destroyed) return void letGo(exchange)
  if (error instanceof BodyRefused) return void deps.refuse(exchange, upstreamFailure(error).refused)
  if (error instanceof NoRoomForBody) return void deps.refuse(exchange, refusal('bodies_full', error))
  const cause = error instanceof Error ? error : new Error('a description cannot be used')
  deps.onFailure(cause, passage.plan.upstream.name, facts.requestId)
  deps.refuse(exchange, refusal('internal', cause))
}

function openReading({ request, response, facts, passage }: Exchange): OpenStream {
  const { plan, principal } = passage
  return {
    principal,
    kind: 'response',
    onStale: plan.onStale,
    place: -1,
    call: { plan, facts, method: request.method, target: undefined, confirmedBy: undefined },
    cut(reason) {
      facts.entry.reason = reason
      response.destroy()
    },
    leave: () => undefined,
  }
}
