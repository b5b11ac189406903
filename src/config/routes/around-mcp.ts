// Routes by which a client reaches an MCP server around the route that judges its messages: what the file says under `mcp`
// is then worth nothing. Compared are the paths that servers get, after strip and rewrite, in any letter case.

import type { Report } from '../report/report.js'
import type { RouteSettings } from '../settings/route-settings.js'
import type { TargetPlace, UpstreamSettings } from '../settings/upstream-settings.js'
import { covers, isParameter, overlap } from './path-patterns.js'

/** A route, with its paths in segments. */
interface Place {
  route: RouteSettings
  /** At the gate, in lower case. */
  path: readonly string[]
  /** What the upstream adds before, or gets instead of `from`. */
  base: readonly string[]
  from: readonly string[]
  /** At the server, in lower case. */
  atServer: readonly string[]
  /** Names of its machines. */
  machines: readonly string[]
}

/** What MCP servers do by each method. */
const harm = new Map([
  ['POST', 'tools are called there'],
  ['GET', 'streams are opened there'],
  ['DELETE', 'sessions are ended there'],
])

/** Warns of each route without `mcp` by which the server of a route with `mcp` is reached. */
export function warnAroundMcp(
  routes: readonly RouteSettings[],
  upstreams: ReadonlyMap<string, UpstreamSettings>,
  report: Report,
): void {
  if (!routes.some(({ mcp }) => mcp !== undefined)) return
  const places = routes.flatMap((route) => placeOf(route, upstreams.get(route.upstream)))
  const judged = new Map<string, Place[]>()
  for (const place of places) {
    if (place.route.mcp === undefined) continue
    for (const machine of place.machines) judged.set(machine, [...(judged.get(machine) ?? []), place])
  }
  for (const open of places) {
    const method = [...harm.keys()].find((each) => open.route.methods.has(each))
    if (open.route.mcp !== undefined || method === undefined) continue
    const servers = new Set(open.machines.flatMap((machine) => judged.get(machine) ?? []))
    const reached = [...servers].find((server) => reaches(open, server, places))
    if (reached !== undefined) report.warning(['routes', open.route.id], warningOf(open, reached, method))
  }
}

function warningOf({ route }: Place, server: Place, method: string): string {
  const [own, other] = [JSON.stringify(route.id), JSON.stringify(server.route.id)]
  return (
    `${own} has no mcp and leads to the same MCP server as ${other}: by ${method}, ${harm.get(method)} without the ` +
    `rules of ${other}; remove this route, narrow its path or its methods, or give it mcp too`
  )
}

function placeOf(route: RouteSettings, upstream: UpstreamSettings | undefined): Place[] {
  const [first] = upstream?.targets ?? []
  // The bundled service is no MCP server.
  if (upstream === undefined || first === undefined || first.kind === 'builtin') return []
  const { prefix } = route
  const path = segmentsOf(route.path)
  const from = prefix === undefined ? [] : segmentsOf(prefix.from)
  const base = [...segmentsOf(first.basePath), ...(prefix === undefined ? [] : segmentsOf(prefix.to))]
  const atServer = [...base, ...path.slice(from.length)]
  return [{ route, path, base, from, atServer, machines: upstream.targets.map(machineOf) }]
}

function segmentsOf(path: string): string[] {
  return path
    .toLowerCase()
    .split('/')
    .filter((segment) => segment !== '')
}

function machineOf(place: TargetPlace): string {
  if (place.kind === 'unix') return place.socketPath
  if (place.kind === 'builtin') return place.service
  const { protocol, hostname, port } = new URL(place.origin)
  const isLoopback = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)
  return `${protocol}//${isLoopback ? 'localhost' : hostname}:${port}`
}

/** Whether the open route leads to a path of the server, and no more specific route of the gate takes it before. */
function reaches(open: Place, server: Place, all: readonly Place[]): boolean {
  if (!overlap(open.atServer, server.atServer)) return false
  const atGate = [...open.from, ...sharedPath(open.atServer, server.atServer).slice(open.base.length)]
  const takes = ({ path }: Place) => isMoreSpecific(path, open.path) && covers(written(path), written(atGate))
  return !takes(server) && !all.some(takes)
}

/** What both match, of two that overlap. */
function sharedPath(left: readonly string[], right: readonly string[]): string[] {
  const shared: string[] = []
  for (let index = 0; index < left.length; index += 1) {
    const [a, b] = [left[index] ?? '', right[index]]
    if (a === '**') return [...shared, ...right.slice(index)]
    if (b === '**') return [...shared, ...left.slice(index)]
    shared.push(isParameter(a) ? (b ?? a) : a)
  }
  return shared
}

/** Segment by segment: plain text before a parameter before `**`, the end of a path before any rest. */
function isMoreSpecific(path: readonly string[], than: readonly string[]): boolean {
  const at = path.findIndex((segment, index) => rank(segment) !== rank(than[index]))
  return at === -1 ? path.length < than.length : rank(path[at]) > rank(than[at])
}

function rank(segment: string | undefined): number {
  if (segment === undefined) return 3
  if (segment === '**') return 0
  return isParameter(segment) ? 1 : 2
}

function written(path: readonly string[]): string {
  return `/${path.join('/')}`
}
