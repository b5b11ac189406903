// What is told of messages to MCP servers: each is counted once, by its configured operation and how it was decided.

import type { Metrics } from '../../observability/metrics.js'
import type { Refusal } from '../errors.js'
import type { Exchange } from '../forward/exchange.js'
import { otherOperation } from './operation-label.js'

export interface McpWatch {
  /** It goes on to its server. */
  passed(exchange: Exchange): void
  refused(exchange: Exchange, refused: Refusal): void
  /** Items of a list that its reader does not see. */
  hidden(routeId: string, list: string, items: number): void
}

export interface McpWatchDeps {
  metrics: Pick<Metrics, 'mcpCalls' | 'mcpHidden'>
}

/** Builds it. */
export function createMcpWatch({ metrics }: McpWatchDeps): McpWatch {
  const count = ({ facts, passage, request }: Exchange, outcome: string) => {
    if (request.method !== 'POST') return
    const { route = passage.plan.id, operation = otherOperation } = facts.entry
    metrics.mcpCalls.labels(route, operation, outcome).inc()
  }
  return {
    passed(exchange) {
      const { wouldDeny, permissions } = exchange.passage
      exchange.facts.entry.permissions = permissions
      count(exchange, wouldDeny === undefined ? 'passed' : 'would_deny')
    },
    refused(exchange, refused) {
      if (refused.missing !== undefined) exchange.facts.entry.permissions = [refused.missing.id]
      count(exchange, refused.reason)
    },
    hidden: (routeId, list, items) => metrics.mcpHidden.labels(routeId, list).inc(items),
  }
}
