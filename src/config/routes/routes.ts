// The routes: what may be called, and what that takes. A route that says nothing does not load; neither does one that
// takes an address of our own, or that another one already answers.

import { issuersOfRoute } from '../process/issuers.js'
import { adjustedLimits, checkCost } from '../process/limits.js'
import { quantity } from '../process/units.js'
import type { Path } from '../read/places.js'
import type { Report } from '../report/report.js'
import { textsOf } from '../report/texts.js'
import type { ConfigurationFile } from '../schema/file.js'
import type { IssuerSettings } from '../settings/issuer-settings.js'
import type { LimitPolicy } from '../settings/limit-settings.js'
import type { CorsSettings, McpSettings, RouteSettings } from '../settings/route-settings.js'
import type { Catalogue } from '../settings/settings.js'
import type { UpstreamSettings } from '../settings/upstream-settings.js'
import { warnAroundMcp } from './around-mcp.js'
import { corsOf } from './cors.js'
import { descriptionFor } from './described-routes.js'
import { type McpRoute, mcpMethods, mcpOf } from './mcp.js'
import { warnForeignResource } from './mcp-resource.js'
import { type RequirementScope, requirementsOf } from './requirements.js'
import { reservedPathWithin } from './reserved-paths.js'
import { parseRouteKey, shapeOf } from './route-key.js'
import { routeOptionsOf } from './route-options.js'

/** What the rest of the file defines and routes name. */
export interface RouteContext {
  file: ConfigurationFile
  catalogue: Catalogue
  resourceIds: ReadonlyMap<string, string>
  upstreams: ReadonlyMap<string, UpstreamSettings>
  limits: ReadonlyMap<string, LimitPolicy>
  issuers: ReadonlyMap<string, IssuerSettings>
  defaultLimits: readonly string[]
  report: Report
}

type RouteOfFile = Partial<ConfigurationFile['routes'][string]>

/**
 * Reads `routes`, in the order of the file. Mistakes go to the report; routes whose key cannot be read are left out.
 */
export function compileRoutes(context: RouteContext): readonly RouteSettings[] {
  const defaultCors = corsOf(context.file.defaults.cors, ['defaults', 'cors'], context.report)
  const routes = Object.entries(context.file.routes).flatMap(([key, entry]) =>
    routeOf(key, entry, context, defaultCors),
  )
  reportAmbiguous(routes, context.report)
  warnAroundMcp(routes, context.upstreams, context.report)
  warnForeignResource(routes, originsOf(context.file.server), context.report)
  return routes
}

/** By which clients come: hosts for calls have the port of the base URL. */
function originsOf({ baseUrl, apiHosts }: ConfigurationFile['server']): string[] {
  const port = /:\d+$/.exec(baseUrl)?.[0] ?? ''
  return [baseUrl, ...textsOf(apiHosts, []).map(({ text }) => `https://${text.toLowerCase()}${port}`)].map((origin) =>
    URL.canParse(origin) ? new URL(origin).origin : origin,
  )
}

function routeOf(
  key: string,
  entry: RouteOfFile,
  context: RouteContext,
  defaultCors: CorsSettings | undefined,
): RouteSettings[] {
  const { file, report, upstreams, defaultLimits } = context
  const path: Path = ['routes', key]
  const parsed = parseRouteKey(key)
  const { methods, path: routePath } = 'wrong' in parsed ? { methods: undefined, path: undefined } : parsed
  if ('wrong' in parsed) report.problem(path, parsed.wrong, 'key')
  else checkPath(parsed.path, path, context)

  const resource = resourceOf(entry, path, context)
  const upstream: string = entry.to ?? ''
  if (entry.to !== undefined && !upstreams.has(upstream)) {
    const thing = { what: 'upstream', name: upstream, section: ['upstreams'], known: upstreams.keys() }
    report.unknown([...path, 'to'], thing)
  }
  const own = { names: entry.limits ?? [], path: [...path, 'limits'] }
  const limits = entry.limits === undefined ? defaultLimits : adjustedLimits(own, defaultLimits, context.limits, report)
  if (entry.cost !== undefined) checkCost(entry.cost, [...path, 'cost'], limits, context)
  const scope = scopeOf(entry, resource, context)
  const mcp = mcpFor({ entry, methods, path, limits, resource, scope, context })
  const compiled = mcp === undefined ? methodsOf(entry, methods, path, scope) : mcpMethods(mcp)
  const listed = { names: entry.issuers, resource, path: [...path, 'issuers'] }
  const issuers = issuersOfRoute(listed, context.issuers, report)
  const hasApiHosts = context.file.server.apiHosts.length > 0
  const options = routeOptionsOf({ entry, routePath, path, report, defaultCors, hasApiHosts })
  if (routePath === undefined) return []
  const validated = { route: { path: routePath, methods: compiled, ...options }, upstream: upstreams.get(upstream) }
  return [
    {
      id: key,
      path: routePath,
      methods: compiled,
      resource,
      upstream,
      limits,
      bodyBytes: quantity.bytes(entry.body ?? file.server.limits.body),
      stream: entry.stream ?? false,
      ...(mcp === undefined ? {} : { mcp }),
      onStale: entry.onStale ?? 'refuse',
      ...options,
      ...droppedOf(entry, file),
      ...(entry.validate === true ? descriptionFor({ ...validated, path, report }) : {}),
      ...(issuers === undefined ? {} : { issuers }),
      position: report.places.position(path, 'key'),
    },
  ]
}

function droppedOf(entry: RouteOfFile, file: ConfigurationFile): Pick<RouteSettings, 'dropRequestHeaders'> {
  const upstream = file.upstreams[entry.to ?? '']
  const lists = [file.defaults.dropRequestHeaders, upstream?.dropRequestHeaders, entry.dropRequestHeaders]
  const dropRequestHeaders = [...new Set(lists.flatMap((list) => list ?? []).map((name) => name.toLowerCase()))]
  return dropRequestHeaders.length === 0 ? {} : { dropRequestHeaders }
}

function checkPath(routePath: string, path: Path, { file, report }: RouteContext): void {
  const reserved = reservedPathWithin(routePath)
  const message = `could reach ${reserved}, which is reserved, in any letter case`
  if (reserved !== undefined) report.problem(path, message, 'key')
  if (routePath.length > quantity.bytes(file.server.limits.url)) {
    report.problem(path, 'is longer than server.limits.url lets any request be', 'key')
  }
}

function resourceOf(entry: RouteOfFile, path: Path, { catalogue, resourceIds, report }: RouteContext): string {
  if (entry.resource === undefined) return catalogue.own.id
  const id = resourceIds.get(entry.resource)
  if (id !== undefined) return id
  const thing = { what: 'resource', name: entry.resource, section: ['resources'], known: resourceIds.keys() }
  report.unknown([...path, 'resource'], thing)
  return ''
}

/** What the permissions of a route are looked up in. */
function scopeOf(entry: RouteOfFile, resource: string, context: RouteContext): RequirementScope {
  const { catalogue, resourceIds, report } = context
  if (entry.resource !== undefined) {
    return { catalogue, resource, section: ['resources', entry.resource, 'permissions'], report }
  }
  const nameOf = (id: string) => [...resourceIds].find(([, known]) => known === id)?.[0]
  return { catalogue, resource, section: ['permissions'], report, forgotten: { nameOf, reported: new Set() } }
}

/** What a route to an MCP server says; undefined: it is none, or what it needs cannot be looked up. */
function mcpFor(
  route: Omit<McpRoute, 'mcp'> & { methods: readonly string[] | undefined; resource: string },
): McpSettings | undefined {
  const { entry, methods, path, resource, context } = route
  if (entry.mcp === undefined) return undefined
  if (methods !== undefined && methods.length > 0) {
    context.report.problem(
      path,
      'leads to an MCP server, so its key is the path alone: the methods follow from mcp',
      'key',
    )
  }
  // Without its resource, every permission of the route would look unknown.
  return resource === '' ? undefined : mcpOf({ ...route, mcp: entry.mcp })
}

function methodsOf(
  entry: RouteOfFile,
  methods: readonly string[] | undefined,
  path: Path,
  scope: RequirementScope,
): RouteSettings['methods'] {
  const { report } = scope
  if (entry.public === true) {
    if (entry.require !== undefined) report.problem([...path, 'require'], 'says the opposite of public: true', 'key')
    if (methods?.length === 0) report.problem(path, 'a public route names its methods in its key', 'key')
    return new Map(methods?.map((method) => [method, 'public']))
  }
  if (entry.require !== undefined) {
    // Without its resource, every permission of the route would look unknown.
    return scope.resource === '' ? new Map() : requirementsOf(entry.require, methods, [...path, 'require'], scope)
  }
  // When anything else is wrong with the route, this may be only its consequence: a misspelt `require`.
  if (!report.isBroken(path)) report.missing(path, 'says neither what it requires nor public: true; it does not load')
  return new Map()
}

// The most specific route wins, segment by segment: plain text before a parameter before **. Only routes of one shape
// tie.
function reportAmbiguous(routes: readonly RouteSettings[], report: Report): void {
  const first = new Map<string, RouteSettings>()
  for (const route of routes) {
    for (const method of route.methods.keys()) {
      const shape = `${method} ${shapeOf(route.path)}`
      const other = first.get(shape)
      if (other === undefined || other === route) {
        first.set(shape, route)
        continue
      }
      const { file, line, column } = other.position
      const isHere = file === route.position.file
      const place = isHere ? `${line}:${column}` : `${file}:${line}:${column}`
      const same = `matches the same ${method} requests as ${JSON.stringify(other.id)} at ${place}`
      report.problem(['routes', route.id], `${same}; one of them can never be reached`, 'key')
      break
    }
  }
}
