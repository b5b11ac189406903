// The head of an upstream's answer on its way to the client, with what the gate itself says of the call.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { hasUnreadBody } from '../../http/answers/answer-raw.js'
import { durationField } from '../../http/answers/duration.js'
import type { RequestContext } from '../../http/requests/request-context.js'
import type { RoutePlan } from '../routes/snapshot.js'
import { keepAlive } from '../streams/keep-alive.js'
import { responseHead } from './headers/response-headers.js'

export interface AnsweredCall {
  request: IncomingMessage
  response: ServerResponse
  facts: RequestContext
  plan: RoutePlan
  limitFields: readonly string[]
  baseUrl: string
  /** What is sent of the body is added up in it. */
  exchange: { answerBytes: number }
}

/**
 * Writes it; `raw` is name, value, name, value …, `since` when the request went to the upstream (performance.now()).
 * Gives the bytes that the body has, where that is said. Throws for a field that Node refuses to write.
 */
export function writeAnswerHead(
  call: AnsweredCall,
  status: number,
  raw: readonly (Buffer | string)[],
  since: number,
): number | undefined {
  const { request, response, facts, plan, limitFields, baseUrl } = call
  const { headers, length } = responseHead(raw, {
    status,
    head: request.method === 'HEAD',
    authorized: plan.requirement !== 'public',
    http11: request.httpVersionMinor === 1,
    location: { origins: plan.upstream.origins, basePath: plan.upstream.basePath, baseUrl, prefix: plan.prefix },
    cookiePath: plan.cookiePath,
    rules: plan.answer,
  })
  const now = performance.now()
  const waited = now - since
  const duration = now - facts.startedAt
  for (const field of limitFields) headers.push(field)
  headers.push('request-id', facts.requestId, 'duration', durationField(duration))
  // An answer before the end of the request's body: what is left of it must not be read as the next request.
  if (hasUnreadBody(request)) headers.push('connection', 'close')
  else if (status === 101) headers.push('connection', 'Upgrade', 'upgrade', 'websocket')
  else if (plan.idleMs === 0) keepAlive(request.socket)
  response.writeHead(status, headers)
  facts.entry.source = 'upstream'
  facts.entry.headAt = now
  plan.upstream.observe('answered', waited / 1000)
  plan.observeOverhead((duration - waited) / 1000)
  return request.method === 'HEAD' || status === 204 || status === 304 ? 0 : length
}
