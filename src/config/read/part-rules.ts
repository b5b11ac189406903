// What an included file says is held against what it was given: its routes, where they lead, and what its permissions
// cover.

import { basename, extname } from 'node:path'
import type { Report } from '../report/report.js'
import { covers, overlap } from '../routes/path-patterns.js'
import type { ConfigurationFile } from '../schema/file.js'
import type { RouteSettings } from '../settings/route-settings.js'
import type { TargetSettings, UpstreamSettings } from '../settings/upstream-settings.js'
import { isGiven, type PartGrant } from './part-grants.js'
import type { Path } from './places.js'

/** By the file's name as positions have it. */
export type PartGrants = ReadonlyMap<string, PartGrant>

export interface PartRules {
  file: ConfigurationFile
  grants: PartGrants
  routes: readonly RouteSettings[]
  upstreams: ReadonlyMap<string, UpstreamSettings>
  report: Report
}

/** Mistakes go to the report, under the name of the included file. */
export function checkParts(rules: PartRules): void {
  if (rules.grants.size === 0) return
  const placed = rules.routes.map((route) => ({ route, segments: route.path.toLowerCase().split('/') }))
  for (const one of placed) checkRoute(one, placed, rules)
  for (const upstream of rules.upstreams.values()) checkTargets(upstream, rules)
  checkCovers(['permissions'], rules.file.permissions, rules)
  for (const [name, { permissions }] of Object.entries(rules.file.resources)) {
    checkCovers(['resources', name, 'permissions'], permissions, rules)
  }
}

interface Placed {
  route: RouteSettings
  /** Of its path, in lower case. */
  segments: readonly string[]
}

function checkRoute(placed: Placed, all: readonly Placed[], { grants, upstreams, report }: PartRules): void {
  const { route } = placed
  const grant = grants.get(route.position.file)
  if (grant === undefined) return
  const at: Path = ['routes', route.id]
  if (!isGiven(route.path, grant)) {
    const given = grant.paths.join(', ')
    const more = `include: [{ file: ${route.position.file}, paths: [${route.path}] }] in the main file would give it more`
    report.problem(
      at,
      `is not among the paths of this included file (${given}); ${renaming(route, grant)}${more}`,
      'key',
    )
    return
  }
  const upstream = upstreams.get(route.upstream)
  if (upstream !== undefined && upstream.position.file !== route.position.file) {
    report.problem([...at, 'to'], `is an upstream of ${placeOf(upstream)}; an included file uses its own`)
  }
  const other = all.find((one) => takesFrom(placed, one, grant))?.route
  if (other !== undefined) {
    report.problem(at, `would take requests from ${JSON.stringify(other.id)} at ${placeOf(other)}`, 'key')
  }
}

/** Where the name of a file gives it its paths, another name is what most people want. */
function renaming(
  { path, position: { file } }: Pick<RouteSettings, 'path' | 'position'>,
  { paths }: PartGrant,
): string {
  const extension = extname(file)
  const [, first = ''] = path.split('/')
  const isByName = paths.length === 1 && paths[0] === `/${basename(file, extension)}/**`
  return isByName && /^[A-Za-z0-9][\w-]*$/.test(first) ? `name the file ${first}${extension}, or ` : ''
}

/** Within what it was given, a file may be more specific than a wide route of the main file, and than no other. */
function takesFrom(placed: Placed, against: Placed, grant: PartGrant): boolean {
  const [route, other] = [placed.route, against.route]
  if (other.position.file === route.position.file || !overlap(placed.segments, against.segments)) return false
  if (![...route.methods.keys()].some((method) => other.methods.has(method))) return false
  const isWide = covers(other.path, route.path) && !grant.paths.some((given) => covers(given, other.path))
  return !isWide
}

function checkTargets(upstream: UpstreamSettings, { grants, report }: PartRules): void {
  const grant = grants.get(upstream.position.file)
  if (grant === undefined) return
  for (const [index, target] of upstream.targets.entries()) {
    const at = targetPath(upstream.name, index, report)
    if (report.isBroken(at)) continue
    if (target.kind === 'builtin') {
      report.problem(at, 'the bundled service is the server’s own: routes to it stand in the main file')
    } else if (grant.targets !== undefined && !grant.targets.some((one) => leadsTo(one, target))) {
      report.problem(at, `is not among the targets of this included file: ${grant.targets.join(', ')}`)
    }
  }
}

/** Where a target of an upstream stands in its file. */
export function targetPath(upstream: string, index: number, report: Report): Path {
  const path: Path = ['upstreams', upstream]
  if (report.places.has([...path, 'target'])) return [...path, 'target']
  if (!report.places.has([...path, 'targets'])) return path
  const at = [...path, 'targets', index]
  return report.places.has([...at, 'url']) ? [...at, 'url'] : at
}

function leadsTo(given: string, target: TargetSettings): boolean {
  if (target.kind === 'unix') return given === `unix:${target.socketPath}`
  return target.kind === 'url' && URL.canParse(given) && new URL(given).origin === target.origin
}

/** Who has a permission may do what it covers, so it covers nothing of others. */
function checkCovers(
  section: Path,
  permissions: ConfigurationFile['permissions'],
  { grants, report }: PartRules,
): void {
  for (const [id, entry] of Object.entries(permissions)) {
    const { file } = report.places.position([...section, id], 'key')
    if (!grants.has(file)) continue
    for (const [index, covered] of (entry.covers ?? []).entries()) {
      const place = report.places.position([...section, covered], 'key')
      if (place.file === file || !Object.hasOwn(permissions, covered)) continue
      report.problem(
        [...section, id, 'covers', index],
        `is a permission of ${place.file}:${place.line}:${place.column}`,
      )
    }
  }
}

function placeOf({ position: { file, line, column } }: Pick<RouteSettings, 'position'>): string {
  return `${file}:${line}:${column}`
}
