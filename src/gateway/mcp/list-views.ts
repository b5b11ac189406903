// What a caller sees of lists in an answer: in that to a list, and in a stream of a session that is gone on with, where the
// server says once more what got lost, answers to lists among it.

import type { IncomingMessage } from 'node:http'
import type { RpcId } from '../../mcp/json-rpc.js'
import { shownAnswer, shownReplay } from '../../mcp/list-answers.js'
import { type McpList, mcpLists } from '../../mcp/operations.js'
import type { BodyRewrite } from '../forward/answer-rewrite.js'
import type { Exchange } from '../forward/exchange.js'
import { foldName } from '../forward/headers/header-names.js'
import type { RoutePlan } from '../routes/snapshot.js'
import { createListRewrite } from './list-rewrite.js'
import type { McpPlan } from './plan.js'
import type { Requested } from './requested.js'
import { type ShownDeps, shownTo } from './shown.js'
import type { McpWatch } from './watch.js'

export interface ListViewDeps extends ShownDeps {
  hidden: McpWatch['hidden']
}

type ListRequested = Requested & { operation: { kind: 'list'; list: McpList }; id: RpcId }

/** Whether a message asks for a list of which its reader may not see all. */
export function hasShownList(requested: Requested, mcp: McpPlan<RoutePlan>): requested is ListRequested {
  return requested.operation.kind === 'list' && requested.id !== null && mcp.list !== 'all'
}

/** Of a list, what it shows. */
export async function listRewrite(
  deps: ListViewDeps,
  exchange: Exchange,
  { operation: { list }, id, era }: ListRequested,
  mcp: McpPlan<RoutePlan>,
): Promise<BodyRewrite> {
  const view = await viewOf(deps, exchange, mcp, list)
  return createListRewrite({ id, show: (text) => shownAnswer(text, { ...view, id, era }), grow: growing(exchange) })
}

/** Whether a client goes on with a stream that broke off (2025-11-25, transports, resumability). By any spelling. */
export function resumesStream({ method, rawHeaders }: IncomingMessage): boolean {
  return method === 'GET' && rawHeaders.some((text, at) => at % 2 === 0 && foldName(text) === 'last-event-id')
}

/** Of such a stream: each list in it as it would have been shown. */
export async function resumedRewrite(
  deps: ListViewDeps,
  exchange: Exchange,
  mcp: McpPlan<RoutePlan>,
): Promise<BodyRewrite> {
  const views = await Promise.all(mcpLists.map((list) => viewOf(deps, exchange, mcp, list)))
  return createListRewrite({ id: null, show: (text) => shownReplay(text, views), grow: growing(exchange) })
}

async function viewOf(deps: ListViewDeps, { passage }: Exchange, mcp: McpPlan<RoutePlan>, list: McpList) {
  const shows = await shownTo(deps, passage.principal, mcp, list)
  return { list, shows, hid: (items: number) => deps.hidden(mcp.first.id, list, items) }
}

function growing(exchange: Exchange) {
  return (bytes: number): boolean => exchange.hold?.grow(bytes) === true
}
