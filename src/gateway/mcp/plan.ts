// What the gate looks up for a message to an MCP server. Each operation is a small route: what it needs, its limits and
// its cost, under an id such as `/desk/mcp tools/call:close_ticket`. Ids are labels, so only configured names are in
// them.

import type { McpOperationSettings, McpSettings } from '../../config/settings/route-settings.js'
import type { McpOperation } from '../../mcp/operations.js'
import { compileResources, type ResourceMatcher } from '../../mcp/resource-uris.js'

/** `P` is the plan of a route. */
export interface McpPlan<P> {
  versions: McpSettings['versions']
  list: McpSettings['list']
  audit: McpSettings['audit']
  pins: McpSettings['pins']
  /** Of the route itself: what connecting and lists need. */
  first: P
  /** The same plan with the places and times of streams: always the same object for one plan. */
  listening(plan: P): P
  tools: ReadonlyMap<string, P>
  prompts: ReadonlyMap<string, P>
  /** By configured URI or template. */
  resources: ReadonlyMap<string, P>
  matchResource: ResourceMatcher
  /** All of them, by names such as `tools/call:close_ticket`. */
  operations: ReadonlyMap<string, P>
}

/** The ids of the operations of a route, as labels and counts name them. */
export function operationIds({ id, mcp }: { id: string; mcp?: McpSettings | undefined }): string[] {
  if (mcp === undefined) return []
  return methods.flatMap(([method, kind]) => [...mcp[kind].keys()].map((name) => `${id} ${method}:${name}`))
}

const methods = [
  ['tools/call', 'tools'],
  ['prompts/get', 'prompts'],
  ['resources/read', 'resources'],
] as const

/** Compiles it. `derive` makes the plan of an operation. Throws Error when a template could match nothing. */
export function compileMcp<P>(
  settings: McpSettings,
  plans: Pick<McpPlan<P>, 'first' | 'listening'>,
  derive: (id: string, operation: McpOperationSettings) => P,
): McpPlan<P> {
  const operations = new Map<string, P>()
  const all = (method: string, configured: ReadonlyMap<string, McpOperationSettings>) =>
    new Map(
      [...configured].map(([name, operation]) => {
        const plan = derive(`${method}:${name}`, operation)
        operations.set(`${method}:${name}`, plan)
        return [name, plan]
      }),
    )
  return {
    versions: settings.versions,
    list: settings.list,
    audit: settings.audit,
    pins: settings.pins,
    ...plans,
    tools: all('tools/call', settings.tools),
    prompts: all('prompts/get', settings.prompts),
    resources: all('resources/read', settings.resources),
    matchResource: compileResources([...settings.resources.keys()]),
    operations,
  }
}

/** The plans that all have to let a caller pass; undefined: one of the things is not configured. */
export function plansOf<P>(mcp: McpPlan<P>, operation: McpOperation): readonly P[] | undefined {
  if (operation.kind === 'session' || operation.kind === 'list') return [mcp.first]
  if (operation.kind !== 'resources') {
    const plan = (operation.kind === 'tool' ? mcp.tools : mcp.prompts).get(operation.name)
    return plan === undefined ? undefined : [plan]
  }
  const found = new Set<P>()
  for (const uri of operation.uris) {
    // A completion names the template whose values it wants.
    const configured = operation.isTemplate && mcp.resources.has(uri) ? [uri] : mcp.matchResource(uri)
    if (configured.length === 0) return undefined
    for (const text of configured) found.add(mcp.resources.get(text) as P)
  }
  return [...found]
}
