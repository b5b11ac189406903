// A route whose definitions of tools are pinned (decision 155): what each list says of a configured tool is held against
// what was approved. Where changes are held, a changed tool is in no list and cannot be called.

import { ApiError } from '../../http/answers/api-error.js'
import type { RpcId } from '../../mcp/json-rpc.js'
import type { ListView } from '../../mcp/list-answers.js'
import type { McpOperation } from '../../mcp/operations.js'
import { type ToolDefinition, toolDefinition } from '../../mcp/tool-definition.js'
import type { ToolPins } from '../../tool-definitions/tool-definitions.js'
import type { Refusal } from '../errors.js'
import type { RoutePlan } from '../routes/snapshot.js'
import type { McpPlan } from './plan.js'
import { rpcRefusal } from './refusals.js'

/** Ours, for a tool that waits for approval; positive, as those below zero are the specification's. */
const heldCode = 409

/** The list with the pins of its route taken into account; as it is where there are none. */
export function pinnedList(shown: ListView, mcp: McpPlan<RoutePlan>, pins: ToolPins): ListView {
  if (mcp.pins === undefined || shown.list !== 'tools') return shown
  const route = { id: mcp.first.id, holds: mcp.pins === 'hold' }
  /** Of the answer that is read, by its items. */
  let definitions: ReadonlyMap<unknown, ToolDefinition> = new Map()
  return {
    ...shown,
    read(items) {
      definitions = definitionsIn(items, mcp)
      pins.saw(route, [...definitions.values()])
    },
    shows(name, item) {
      if (!shown.shows(name, item)) return false
      const definition = definitions.get(item)
      if (!route.holds || definition === undefined) return true
      return pins.isApproved(route.id, definition) && !pins.isChanged(route.id, name)
    },
    // What was compared is what goes on: of a member that is there twice another reader takes the other one.
    isWrittenAnew: route.holds,
  }
}

/** Whether the tool that is called is held, and what its caller hears; always the same. */
export function heldTool(
  pins: Pick<ToolPins, 'isChanged'>,
  mcp: McpPlan<RoutePlan>,
  operation: McpOperation,
  id: RpcId | null,
): Refusal | undefined {
  if (mcp.pins !== 'hold' || operation.kind !== 'tool' || !pins.isChanged(mcp.first.id, operation.name))
    return undefined
  const message = `The definition of the tool ${operation.name} has changed on its server since it was approved. It can be used again as soon as the operator of this gateway has approved the change.`
  const refused = rpcRefusal('mcp_held', { status: 200, code: heldCode, message }, id)
  return { ...refused, error: new ApiError(409, 'McpHeld', message) }
}

/** Of tools that the configuration names: nobody may use another one. Throws RangeError for one that is nested too deeply. */
function definitionsIn(items: readonly unknown[], mcp: McpPlan<RoutePlan>): ReadonlyMap<unknown, ToolDefinition> {
  const found = new Map<unknown, ToolDefinition>()
  for (const item of items) {
    const definition = toolDefinition(item)
    if (definition !== undefined && mcp.tools.has(definition.name)) found.set(item, definition)
  }
  return found
}
