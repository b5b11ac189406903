// A request on a route that compares requests with a description: judged before anything of it goes on. Of a JSON body
// nothing reaches the service before all of it was found good; then the very bytes go on that came.

import type { SchemaCheck, ServiceDescription } from '../../openapi/service-description.js'
import { type Refusal, refusal } from '../errors.js'
import type { Exchange } from '../forward/exchange.js'
import { crossingFields } from '../forward/headers/request-headers.js'
import { failHeldBody, type HeldBodyDeps, readHeldBody } from '../forward/held-body.js'
import { mostWholeBytes } from '../forward/whole-body.js'
import { checkHead, checkJsonBody, type GoodHead } from './validation.js'

export interface DescribedDeps extends HeldBodyDeps {
  /** For a whole body. */
  bodyIdleMs: number
  /** As the upstream gets it, without the query. */
  pathOf(exchange: Exchange): string
  /** With its body, where it was read. */
  goOn(exchange: Exchange, body: Buffer | undefined): void
}

/** Goes on or refuses; throws nothing. */
export function judge(deps: DescribedDeps, exchange: Exchange, description: ServiceDescription): void {
  try {
    const head = judgeHead(deps, exchange, description)
    if (head.kind === 'refused') deps.refuse(exchange, head)
    else if (head.checkBody === undefined) deps.goOn(exchange, undefined)
    else judgeBody(deps, exchange, head.checkBody)
  } catch (error) {
    failHeldBody(deps, exchange, error)
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
  const limits = { limitBytes: limitOf(exchange), idleMs: deps.bodyIdleMs }
  readHeldBody(deps, exchange, limits, (body = Buffer.alloc(0)) => {
    const refused = checkJsonBody(body, check)
    if (refused === undefined) deps.goOn(exchange, body)
    else deps.refuse(exchange, refused)
  })
}

function limitOf({ passage: { plan } }: Exchange): number {
  return Math.min(plan.bodyBytes, mostWholeBytes)
}
