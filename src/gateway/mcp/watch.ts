// What is told of messages to MCP servers: each is counted once, by its configured operation and how it was decided; on
// routes that say so each call leaves a line in the log; and calls that repeat themselves are noticed.

import { hash } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import type { HotCount } from '../../observability/hot-metrics.js'
import type { Metrics } from '../../observability/metrics.js'
import type { Refusal } from '../errors.js'
import type { Exchange } from '../forward/exchange.js'
import type { RoutePlan } from '../routes/snapshot.js'
import { auditCall } from './audit.js'
import { operationLabel, otherOperation } from './operation-label.js'
import type { McpPlan } from './plan.js'
import { createRepeats, repeatedFrom } from './repeats.js'
import type { Requested } from './requested.js'

export interface McpWatch {
  /** A message, before anything is decided about it. */
  read(exchange: Exchange, message: ReadMessage): void
  /** It goes on to its server. */
  passed(exchange: Exchange): void
  refused(exchange: Exchange, refused: Refusal): void
  /** Items of a list that its reader does not see. */
  hidden(routeId: string, list: string, items: number): void
}

export interface ReadMessage {
  requested: Requested
  /** Of what it asks for; undefined: something of it is not configured. */
  plans: readonly RoutePlan[] | undefined
  mcp: McpPlan<RoutePlan>
  /** Of its body. */
  bytes: number
}

export interface McpWatchDeps {
  metrics: Pick<Metrics, 'mcpCalls' | 'mcpHidden' | 'mcpRepeats'>
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
}

/** Who repeats larger messages is bounded by what they cost. */
const mostDigestedBytes = 65_536

/** Builds it. */
export function createMcpWatch({ metrics, log }: McpWatchDeps): McpWatch {
  const repeats = createRepeats()
  /** Of those that pass by the method that they are named by, which are most. */
  const passing = new WeakMap<RoutePlan, HotCount>()
  const passedOf = (plan: RoutePlan, operation: string): HotCount => {
    const known = passing.get(plan)
    if (known !== undefined) return known
    const made = metrics.mcpCalls.labels(plan.id, operation, 'passed')
    passing.set(plan, made)
    return made
  }
  const count = ({ facts, passage, request }: Exchange, outcome: string) => {
    if (request.method !== 'POST') return
    const { route = passage.plan.id, operation = otherOperation } = facts.entry
    metrics.mcpCalls.labels(route, operation, outcome).inc()
  }
  const noteRepeat = (
    { passage, facts }: Exchange,
    { requested: { message }, bytes }: ReadMessage,
    plan: RoutePlan,
  ) => {
    const { principal } = passage
    if (principal === undefined || bytes > mostDigestedBytes || message.kind !== 'request') return
    const digest = () => {
      const { _meta, ...about } = message.params
      return hash('sha256', JSON.stringify([message.method, about]), 'base64url')
    }
    const { count, isToTell } = repeats.note(principal, { operation: plan, digest }, facts.startedAt)
    if (count < repeatedFrom) return
    metrics.mcpRepeats.labels(plan.id).inc()
    if (!isToTell) return
    const { applicationId, tenantId } = principal
    const userId = principal.kind === 'delegated' ? principal.userId : undefined
    const said = {
      requestId: facts.requestId,
      operation: facts.entry.operation,
      tenantId,
      applicationId,
      userId,
      count,
    }
    log.warn({ route: plan.id, ...said }, 'the same call again and again')
  }
  return {
    read(exchange, message) {
      const { requested, plans, mcp, bytes } = message
      const { operation } = requested
      const [plan] = plans ?? []
      exchange.facts.entry.operation = operationLabel(requested.message, operation, plan?.operation)
      if (operation.kind === 'session' || operation.kind === 'list' || requested.message.kind !== 'request') return
      noteRepeat(exchange, message, plan ?? mcp.first)
      if (mcp.audit === undefined) return
      const { params } = requested.message
      auditCall(log, exchange, { params, requestBytes: bytes, isMasked: mcp.audit === 'masked' })
    },
    passed(exchange) {
      const { wouldDeny, permissions, operations = [] } = exchange.passage
      exchange.facts.entry.permissions = permissions
      const [plan] = operations
      const { operation } = exchange.facts.entry
      if (wouldDeny === undefined && plan !== undefined && operation !== undefined && operation === plan.operation)
        return passedOf(plan, operation).inc()
      count(exchange, wouldDeny === undefined ? 'passed' : 'would_deny')
    },
    refused(exchange, refused) {
      if (refused.missing !== undefined) exchange.facts.entry.permissions = [refused.missing.id]
      count(exchange, refused.reason)
    },
    hidden: (routeId, list, items) => metrics.mcpHidden.labels(routeId, list).inc(items),
  }
}
