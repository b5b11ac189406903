// What the rules say of an MCP server, as plain data (plain-rules.ts).

import { type Static, Type } from 'typebox'
import { type McpOperationSettings, type McpSettings, mcpRules } from '../../config/settings/route-settings.js'
import { mcpVersions } from '../../mcp/versions.js'

const anyOf = Type.Array(Type.Array(Type.String()))
const operations = Type.Array(
  Type.Object({
    /** Of a resource its URI or template. */
    name: Type.String(),
    anyOf,
    limits: Type.Optional(Type.Array(Type.String())),
    cost: Type.Optional(Type.Integer()),
    shadow: Type.Optional(Type.Boolean()),
    rule: Type.Optional(Type.Enum([...mcpRules])),
  }),
)

export const PlainMcp = Type.Object({
  versions: Type.Array(Type.String()),
  first: anyOf,
  list: Type.Enum(['granted', 'acquirable', 'all']),
  tools: operations,
  prompts: operations,
  resources: operations,
})
type PlainMcp = Static<typeof PlainMcp>
type PlainOperation = PlainMcp['tools'][number]

/** As plain data. */
export function plainMcp({ versions, first, list, tools, prompts, resources }: McpSettings): PlainMcp {
  const all = (of: ReadonlyMap<string, McpOperationSettings>) => [...of].map(plainOperation)
  return {
    versions: [...versions],
    first: plainLists(first.anyOf),
    list,
    tools: all(tools),
    prompts: all(prompts),
    resources: all(resources),
  }
}

/** The settings again; revisions that are not known here are left out. */
export function mcpOf({ versions, first, list, tools, prompts, resources }: PlainMcp): McpSettings {
  const all = (of: readonly PlainOperation[]) => new Map(of.map((one) => [one.name, operationOf(one)]))
  return {
    versions: new Set(mcpVersions.filter((version) => versions.includes(version))),
    first: { anyOf: first },
    list,
    tools: all(tools),
    prompts: all(prompts),
    resources: all(resources),
  }
}

function plainOperation([name, { needs, limits, cost, shadow, rule }]: readonly [
  string,
  McpOperationSettings,
]): PlainOperation {
  return {
    name,
    anyOf: plainLists(needs.anyOf),
    ...(limits === undefined ? {} : { limits: [...limits] }),
    ...(cost === undefined ? {} : { cost }),
    ...(shadow === undefined ? {} : { shadow }),
    ...(rule === undefined ? {} : { rule }),
  }
}

function operationOf({ anyOf: lists, limits, cost, shadow, rule }: PlainOperation): McpOperationSettings {
  return {
    needs: { anyOf: lists },
    ...(limits === undefined ? {} : { limits }),
    ...(cost === undefined ? {} : { cost }),
    ...(shadow === true ? { shadow } : {}),
    ...(rule === undefined ? {} : { rule }),
  }
}

function plainLists(lists: readonly (readonly string[])[]): string[][] {
  return lists.map((list) => [...list])
}
