// One place counts every answered request and writes its log line, whoever answered it. Labels are configured ids and
// never what a client sent; the line has the canonical path and never a query.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import { type Metrics, methodLabel, unmatchedRoute } from './metrics.js'
import type { RequestContext } from './request-context.js'

export interface AccountingOptions {
  metrics: Metrics | undefined
  /** Undefined writes no line. */
  accessLog: FastifyBaseLogger | undefined
}

/** The status that the log gives a request whose client left before it was answered. */
const clientLeft = 499

/** Builds the function that counts a request; call it once, when its response has closed. */
export function createAccounting(options: AccountingOptions) {
  const { metrics, accessLog } = options
  const counters = new Map<string, { inc(): void }>()
  const durations = new Map<string, { observe(seconds: number): void }>()

  const count = (facts: RequestContext, method: string, status: number) => {
    if (metrics === undefined) return
    const route = facts.route ?? unmatchedRoute
    const source = facts.source ?? 'identity'
    const key = `${route}\n${method}\n${status}\n${source}`
    let counter = counters.get(key)
    if (counter === undefined) {
      counter = metrics.httpRequests.labels(route, method, String(status), source)
      counters.set(key, counter)
    }
    counter.inc()
    if (facts.headAt === undefined) return
    const pair = `${route}\n${method}`
    let duration = durations.get(pair)
    if (duration === undefined) {
      duration = metrics.httpDuration.labels(route, method)
      durations.set(pair, duration)
    }
    duration.observe((facts.headAt - facts.startedAt) / 1000)
  }

  return (facts: RequestContext, request: IncomingMessage, response: ServerResponse): void => {
    const method = methodLabel(request.method ?? '')
    const status = response.headersSent ? response.statusCode : clientLeft
    count(facts, method, status)
    if (accessLog !== undefined) accessLog.info(logLine(facts, method, status), 'request')
  }
}

function logLine(facts: RequestContext, method: string, status: number) {
  return {
    requestId: facts.requestId,
    clientRequestId: facts.clientRequestId,
    method,
    route: facts.route ?? unmatchedRoute,
    path: facts.target.ok ? facts.target.path : undefined,
    status,
    durationMs: Math.round(performance.now() - facts.startedAt),
    address: facts.address,
    applicationId: facts.applicationId,
    reason: facts.target.ok ? facts.reason : facts.target.reason,
  }
}
