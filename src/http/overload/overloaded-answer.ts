// The answer to a request that is shed. Written past Fastify and without an error object: it is written when there is
// least time for it, and costs half of what another refusal costs.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { answerRaw } from '../answers/answer-raw.js'
import { durationField } from '../answers/duration.js'
import type { RequestContext } from '../requests/request-context.js'

const message = 'This server has more to do than it can; Retry-After says when to come back.'

/** 503 with the error body of contract §5, on every listener and route. Does nothing once a head is out. */
export function answerOverloaded(
  request: IncomingMessage,
  response: ServerResponse,
  facts: RequestContext,
  retryAfterSeconds: number,
): void {
  const { requestId, clientRequestId, entry } = facts
  entry.headAt = performance.now()
  entry.reason = 'overloaded'
  const own = clientRequestId === undefined ? '' : `,"client-request-id":"${clientRequestId}"`
  const inner = `{"date":"${new Date().toISOString()}","request-id":"${requestId}"${own}}`
  answerRaw(request, response, {
    status: 503,
    headers: [
      ...['retry-after', String(retryAfterSeconds), 'content-type', 'application/json', 'cache-control', 'no-store'],
      ...['request-id', requestId, 'duration', durationField(entry.headAt - facts.startedAt)],
    ],
    body: `{"error":{"code":"Overloaded","message":"${message}","innerError":${inner}}}`,
  })
}
