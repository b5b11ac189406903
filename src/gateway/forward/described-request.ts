// A request on a route that compares requests with a description: judged before anything of it goes on. Of a JSON body nothing
// reaches the service before all of it was found good; then the very bytes go on that came.

import type { SchemaCheck, ServiceDescription } from '../../config/openapi/service-description.js'
import { sendContinue } from '../../http/buffered-body.js'
import { type Refusal, refusal } from '../errors.js'
import { checkHead, checkJsonBody, type GoodHead } from '../validation/validation.js'
import { mostWholeBytes, readWholeBody } from '../validation/whole-body.js'
import type { Exchange } from './exchange.js'
import type { OpenStream, OpenStreams } from './open-streams.js'
import { BodyRefused } from './request-body.js'
import { crossingFields } from './request-headers.js'
import { upstreamFailure } from './upstream-errors.js'

export interface DescribedDeps {
  streams: OpenStreams
  /** For a whole body. */
  bodyIdleMs: number
  onFailure(error: Error, upstream: string, requestId: string): void
  /** As the upstream gets it, without the query. */
  pathOf(exchange: Exchange): string
  /** With its body, where it was read. */
  goOn(exchange: Exchange, body: Buffer | undefined): void
  refuse(exchange: Exchange, refused: Refusal): void
}

/** Goes on or refuses; throws nothing. */
export function judge(deps: DescribedDeps, exchange: Exchange, description: ServiceDescription): void {
  try {
    const head = judgeHead(deps, exchange, description)
    if (head.kind === 'refused') deps.refuse(exchange, head)
    else if (head.checkBody === undefined) deps.goOn(exchange, undefined)
    else judgeBody(deps, exchange, head.checkBody)
  } catch (error) {
    fail(deps, exchange, error)
  }
}

function judgeHead(deps: DescribedDeps, exchange: Exchange, description: ServiceDescription): GoodHead | Refusal {
  const { request, facts, passage } = exchange
  const query = facts.target.ok ? facts.target.query : undefined
  const { withBody, plan } = passage
  const { method } = request
  const asItCrosses = { method, headersDistinct: crossingFields(request, plan.requestFields) }
  const head = checkHead(description, { request: asItCrosses, path: deps.pathOf(exchange), query, withBody })
  if (head.kind === 'refused' || head.checkBody === undefined) return head
  return Number(request.headers['content-length'] ?? 0) > limitOf(exchange) ? refusal('body_too_large') : head
}

function judgeBody(deps: DescribedDeps, exchange: Exchange, check: SchemaCheck): void {
  const done = beginReading(deps, exchange)
  readWholeBody(exchange.request, { limitBytes: limitOf(exchange), wholeMs: deps.bodyIdleMs })
    .finally(done)
    .then((body) => {
      const refused = checkJsonBody(body, check)
      if (refused === undefined) deps.goOn(exchange, body)
      else deps.refuse(exchange, refused)
    })
    .catch((error) => fail(deps, exchange, error))
}

function limitOf({ passage: { plan } }: Exchange): number {
  return Math.min(plan.bodyBytes, mostWholeBytes)
}

function fail(deps: DescribedDeps, exchange: Exchange, error: unknown): void {
  const { response, facts, passage } = exchange
  if (error instanceof BodyRefused) {
    if (!response.destroyed) deps.refuse(exchange, upstreamFailure(error).refused)
    return
  }
  const cause = error instanceof Error ? error : new Error('a description cannot be used')
  deps.onFailure(cause, passage.plan.upstream.name, facts.requestId)
  deps.refuse(exchange, refusal('internal', cause))
}

/** A body can take its time: it takes one of the places at the upstream, and a token that ends meanwhile ends it. */
function beginReading({ streams }: DescribedDeps, { request, response, facts, passage }: Exchange): () => void {
  const { plan, principal } = passage
  const reading: OpenStream = {
    ...{ principal, kind: 'response', onStale: plan.onStale, place: -1 },
    cut(reason) {
      facts.reason = reason
      response.destroy()
    },
    leave: () => undefined,
  }
  streams.add(reading)
  plan.upstream.inFlight++
  sendContinue(request, response)
  return () => {
    streams.remove(reading)
    plan.upstream.inFlight--
  }
}
