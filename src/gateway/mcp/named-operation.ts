// An operation of an MCP server as people name it, in a question or a test, and as its id names it.

import { isName } from '../../mcp/message.js'
import type { McpOperation } from '../../mcp/operations.js'

export interface NamedOperation {
  kind: 'tool' | 'prompt' | 'resource'
  /** Of a resource its URI. */
  name: string
}

const methods = { tool: 'tools/call', prompt: 'prompts/get', resource: 'resources/read' } as const

/** What a message about it would ask for; undefined for a name that no message could have. */
export function operationNamed({ kind, name }: NamedOperation): McpOperation | undefined {
  if (!isName(name)) return undefined
  return kind === 'resource' ? { kind: 'resources', uris: [name], isTemplate: true } : { kind, name }
}

/** The operation that the id of its plan names, such as `/desk/mcp tools/call:close_ticket`, at the route of this id. */
export function operationOfId(id: string, routeId: string): NamedOperation | undefined {
  if (!id.startsWith(`${routeId} `)) return undefined
  const rest = id.slice(routeId.length + 1)
  for (const [kind, method] of Object.entries(methods)) {
    if (rest.startsWith(`${method}:`))
      return { kind: kind as NamedOperation['kind'], name: rest.slice(method.length + 1) }
  }
  return undefined
}
