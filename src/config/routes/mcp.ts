// `mcp` of a route: what each operation of an MCP server needs. It stands for `require`: clients connect by POST, those of
// a session listen by GET and end it by DELETE.

import { resourceProblem } from '../../mcp/resource-uris.js'
import { eraOf, type McpVersion, mcpVersions, unsaidVersion } from '../../mcp/versions.js'
import { adjustedLimits, checkCost } from '../process/limits.js'
import type { Path } from '../read/places.js'
import type { Report } from '../report/report.js'
import type { ConfigurationFile } from '../schema/file.js'
import type { LimitPolicy } from '../settings/limit-settings.js'
import type { McpOperationSettings, McpSettings, RouteRequirement } from '../settings/route-settings.js'
import { type RequirementScope, requirementOf } from './requirements.js'

type RouteOfFile = Partial<ConfigurationFile['routes'][string]>
type McpOfFile = NonNullable<RouteOfFile['mcp']>
type OperationOfFile = NonNullable<McpOfFile['tools']>[string]

export interface McpRoute {
  entry: RouteOfFile
  mcp: McpOfFile
  /** Of `routes.KEY`. */
  path: Path
  /** The limits of the route. */
  limits: readonly string[]
  scope: RequirementScope
  context: { limits: ReadonlyMap<string, LimitPolicy>; report: Report }
}

/** Without those in which a client says nothing of the revision. */
const usualVersions = mcpVersions.filter((version) => version !== unsaidVersion)

/** Reads it; mistakes go to the report. */
export function mcpOf(route: McpRoute): McpSettings {
  const { mcp, path } = route
  const at = [...path, 'mcp']
  checkBeside(route)
  return {
    versions: new Set((mcp.versions as readonly McpVersion[] | undefined) ?? usualVersions),
    first: needsOf(mcp.first, [...at, 'first'], route),
    list: mcp.list ?? 'acquirable',
    ...(mcp.audit === undefined ? {} : { audit: mcp.audit }),
    ...(mcp.pins === undefined ? {} : { pins: mcp.pins }),
    ...(mcp.streams === undefined ? {} : { streams: mcp.streams }),
    tools: operationsOf(route, mcp.tools, [...at, 'tools']),
    prompts: operationsOf(route, mcp.prompts, [...at, 'prompts']),
    resources: resourcesOf(route, [...at, 'resources']),
  }
}

/** The methods of such a route, each with what it needs before anything is known of the message. */
export function mcpMethods({ versions, first }: McpSettings): ReadonlyMap<string, McpSettings['first']> {
  const hasSessions = [...versions].some((version) => eraOf(version) === 'legacy')
  return new Map((hasSessions ? ['POST', 'GET', 'DELETE'] : ['POST']).map((method) => [method, first]))
}

/** What means something else beside it, or nothing. */
function checkBeside({ entry, path, context: { report } }: McpRoute): void {
  const reasons = {
    require: 'stands beside mcp, which says what each operation needs: name the permission to connect in mcp.first',
    public: 'stands beside mcp: nobody would say who calls',
    stream: 'follows from mcp',
    validate: 'compares requests with an OpenAPI document, and an MCP server has none',
  } as const
  for (const [name, reason] of Object.entries(reasons)) {
    if (entry[name as keyof typeof reasons] !== undefined) report.problem([...path, name], reason, 'key')
  }
}

function resourcesOf(route: McpRoute, path: Path): ReadonlyMap<string, McpOperationSettings> {
  const { resources } = route.mcp
  for (const uri of Object.keys(resources ?? {})) {
    const problem = resourceProblem(uri)
    if (problem !== undefined) route.context.report.problem([...path, uri], problem, 'key')
  }
  return operationsOf(route, resources, path)
}

function operationsOf(
  route: McpRoute,
  operations: Readonly<Record<string, OperationOfFile>> | undefined,
  path: Path,
): ReadonlyMap<string, McpOperationSettings> {
  return new Map(
    Object.entries(operations ?? {}).map(([name, operation]) => [name, operationOf(route, operation, [...path, name])]),
  )
}

function operationOf(route: McpRoute, operation: OperationOfFile, path: Path): McpOperationSettings {
  const { context } = route
  if (!isEntry(operation)) return { needs: needsOf(operation, path, route) }
  const { needs, limits, cost, shadow } = operation
  const rule = 'rule' in operation ? operation.rule : undefined
  const at = { names: limits ?? [], path: [...path, 'limits'] }
  const own = limits === undefined ? route.limits : adjustedLimits(at, route.limits, context.limits, context.report)
  if (cost !== undefined) checkCost(cost, [...path, 'cost'], own, context)
  else if (limits !== undefined) checkCostOfRoute(route, [...path, 'limits'], own)
  if (shadow === true) {
    const message = 'anyone who may connect may do this: its permissions are not enforced, only counted and logged'
    context.report.warning([...path, 'shadow'], message)
  }
  return {
    needs: needsOf(needs, [...path, 'needs'], route),
    ...(limits === undefined ? {} : { limits: own }),
    ...(cost === undefined ? {} : { cost }),
    ...(shadow === true ? { shadow: true as const } : {}),
    ...(rule === undefined || rule === 'allowed' ? {} : { rule }),
  }
}

/** What the route costs was checked against its own limits. */
function checkCostOfRoute({ entry, limits, context }: McpRoute, path: Path, own: readonly string[]): void {
  const { cost = 1 } = entry
  const { limits: known, report } = context
  const added = own.filter((name) => !limits.includes(name))
  checkCost(cost, path, added, { limits: known, report, subject: `the cost of the route, ${cost}, ` })
}

type OperationEntry = Extract<OperationOfFile, { needs: unknown }>

/** Of a file with mistakes it may lack anything. */
function isEntry(operation: OperationOfFile): operation is OperationEntry {
  return typeof operation === 'object' && !Array.isArray(operation) && !('any' in operation)
}

function needsOf(written: OperationEntry['needs'] | undefined, path: Path, { scope }: McpRoute): RouteRequirement {
  return written === undefined ? { anyOf: [] } : requirementOf(written, path, scope)
}
