// One place counts every answered request and writes its log line, no matter who answered it. Labels are configured ids
// and never what a client sent; the line has the canonical path and never a query.

import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import type { HotCount, HotObservation } from '../observability/hot-metrics.js'
import { type Metrics, methodLabel, unmatchedRoute } from '../observability/metrics.js'
import { type AccessLine, createAccessLog } from './access-log.js'
import { maskedPath } from './requests/masked-path.js'
import type { RequestContext } from './requests/request-context.js'
import { traceIdOf } from './requests/trace-context.js'

export interface AccountingOptions {
  metrics: Metrics | undefined
  /** Undefined writes no line. */
  accessLog: FastifyBaseLogger | undefined
}

/** The status that the log gives a request whose client left before it was answered. */
const clientLeft = 499

/** Builds the function that counts a request; call it once, when its response has closed. */
export function createAccounting(options: AccountingOptions) {
  const { metrics } = options
  const writeLine = options.accessLog === undefined ? undefined : createAccessLog(options.accessLog)
  const known = new Map<string, Map<string, MethodCounts>>()
  const countsOf = (metrics: Metrics, route: string, method: string): MethodCounts => {
    const methods = remembered(known, route, () => new Map<string, MethodCounts>())
    return remembered(methods, method, () => methodCounts(metrics, route, method))
  }

  const count = (facts: RequestContext, method: string, status: number) => {
    if (metrics === undefined) return
    const route = facts.entry.route ?? unmatchedRoute
    const { source } = facts.entry
    const { answers, duration } = countsOf(metrics, route, method)
    const bySource = remembered(answers, status, () => new Map<string, HotCount>())
    remembered(bySource, source, () => metrics.httpRequests.labels(route, method, statusLabel(status), source)).inc()
    if (facts.entry.headAt !== undefined) duration.observe((facts.entry.headAt - facts.startedAt) / 1000)
  }

  return (facts: RequestContext, request: IncomingMessage, response: ServerResponse): void => {
    const method = methodLabel(facts.describedMethod ?? request.method ?? '')
    const status = response.headersSent ? response.statusCode : clientLeft
    count(facts, method, status)
    if (status >= 400) facts.entry.call?.failed(status)
    facts.trace?.end(facts, status)
    writeLine?.(accessLine(facts, request, { method, status }))
  }
}

/**
 * The series of one method of one route. Found by maps in maps: a joined key would be a new string for each request.
 */
interface MethodCounts {
  answers: Map<number, Map<string, HotCount>>
  duration: HotObservation
}

function methodCounts(metrics: Metrics, route: string, method: string): MethodCounts {
  return { answers: new Map(), duration: metrics.httpDuration.labels(route, method) }
}

/** What a service says may be any number of three digits: those that nobody registered are counted by their class. */
function statusLabel(status: number): string {
  if (STATUS_CODES[status] !== undefined || status === clientLeft) return String(status)
  const first = Math.floor(status / 100)
  return first >= 1 && first <= 5 ? `${first}xx` : 'other'
}

function remembered<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

function accessLine(
  facts: RequestContext,
  request: IncomingMessage,
  { method, status }: { method: string; status: number },
): AccessLine {
  return {
    requestId: facts.requestId,
    traceId: facts.trace?.traceparent.slice(3, 35) ?? traceIdOf(request, facts.requestId),
    clientRequestId: facts.clientRequestId,
    method,
    route: facts.entry.route ?? unmatchedRoute,
    path: facts.target.ok ? maskedPath(facts.target.path) : undefined,
    status,
    durationMs: Math.round(performance.now() - facts.startedAt),
    address: facts.address,
    applicationId: facts.entry.applicationId,
    userId: facts.entry.userId,
    reason: facts.target.ok ? facts.entry.reason : facts.target.reason,
    operation: facts.entry.operation,
    permissions: facts.entry.permissions,
  }
}
