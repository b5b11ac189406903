// What a caller sees of lists in an answer: in that to a list, and in a stream of a session that is gone on with, where the
// server says once more what got lost, answers to lists among it.

import type { IncomingMessage } from 'node:http'
import type { RpcId } from '../../mcp/json-rpc.js'
import { type ListView, shownAnswer, shownReplay } from '../../mcp/list-answers.js'
import { type McpList, mcpLists } from '../../mcp/operations.js'
import type { ToolPins } from '../../tool-definitions/tool-definitions.js'
import type { BodyRewrite } from '../forward/answer-rewrite.js'
import type { Exchange } from '../forward/exchange.js'
import { foldName } from '../forward/headers/header-names.js'
import type { RoutePlan } from '../routes/snapshot.js'
import { readJsonText } from '../validation/json-text.js'
import { createListRewrite, type ListRewriteOptions } from './list-rewrite.js'
import { pinnedList } from './pinned-tools.js'
import type { McpPlan } from './plan.js'
import type { Requested } from './requested.js'
import { type ShownDeps, shownTo } from './shown.js'
import type { McpWatch } from './watch.js'

export interface ListViewDeps extends ShownDeps {
  pins: ToolPins
  hidden: McpWatch['hidden']
}

type ListRequested = Requested & { operation: { kind: 'list'; list: McpList }; id: RpcId }

/** Whether a message asks for a list. */
export function hasShownList(requested: Requested): requested is ListRequested {
  return requested.operation.kind === 'list' && requested.id !== null
}

/** Of a list, what it shows; undefined: all that there is. Rejects when it is not known what the tenant says of tools. */
export async function listRewrite(
  deps: ListViewDeps,
  exchange: Exchange,
  { operation: { list }, id, era }: ListRequested,
  mcp: McpPlan<RoutePlan>,
): Promise<BodyRewrite | undefined> {
  const view = await viewOf(deps, exchange, mcp, list)
  if (view === undefined) return undefined
  return createListRewrite({ id, show: (text) => shownAnswer(text, { ...view, era }), memory: memoryOf(exchange) })
}

/**
 * Whether a stream of a session is read on its way: where a client goes on with one that broke off (2025-11-25, transports,
 * resumability), by any spelling; and where changes are held, because clients take the answer to a list from any stream.
 */
export function readsStream({ method, rawHeaders }: IncomingMessage, { pins }: McpPlan<RoutePlan>): boolean {
  const isResumed = () => rawHeaders.some((text, at) => at % 2 === 0 && foldName(text) === 'last-event-id')
  return method === 'GET' && (pins === 'hold' || isResumed())
}

/** Of such a stream: each list in it as it would have been shown; undefined: as it is. Rejects as for a list. */
export async function resumedRewrite(
  deps: ListViewDeps,
  exchange: Exchange,
  mcp: McpPlan<RoutePlan>,
): Promise<BodyRewrite | undefined> {
  const all = await Promise.all(mcpLists.map((list) => viewOf(deps, exchange, mcp, list)))
  const views = all.filter((view) => view !== undefined)
  if (views.length === 0) return undefined
  return createListRewrite({
    id: null,
    show: (text) => shownReplay(text, views, isOneReading),
    memory: memoryOf(exchange),
  })
}

/** A list that stands behind a member of the same name is one to who takes the first. */
function isOneReading(text: string): boolean {
  return 'value' in readJsonText(text)
}

async function viewOf(
  deps: ListViewDeps,
  { passage }: Exchange,
  mcp: McpPlan<RoutePlan>,
  list: McpList,
): Promise<ListView | undefined> {
  const shows = await shownTo(deps, passage.principal, mcp, list)
  if (shows === undefined && (mcp.pins === undefined || list !== 'tools')) return undefined
  const hid = (items: number) => deps.hidden(mcp.first.id, list, items)
  return pinnedList({ list, shows: shows ?? (() => true), isForAll: shows === undefined, hid }, mcp, deps.pins)
}

/** Memory of its caller; after the end of the exchange there is none. */
function memoryOf(exchange: Exchange): ListRewriteOptions['memory'] {
  return {
    grow: (bytes) => exchange.hold?.grow(bytes) === true,
    shrink: (bytes) => exchange.hold?.shrink(bytes),
  }
}
