// What a route requires, in all its spellings: `A`, `[A, B]`, `{any: [A, [B, C]]}`, or one of these per method.

import type { Path } from '../read/places.js'
import type { Report } from '../report/report.js'
import type { ConfigurationFile } from '../schema/file.js'
import { METHODS } from '../schema/routes/requirements.js'
import type { RouteRequirement } from '../settings/route-settings.js'
import type { Catalogue } from '../settings/settings.js'

type RequireOfFile = NonNullable<ConfigurationFile['routes'][string]['require']>

/** What the requirement is judged against: the permissions of one resource. */
export interface RequirementScope {
  catalogue: Catalogue
  resource: string
  /** Where the file defines the permissions of that resource. */
  section: Path
  /** Of a route that names no resource: which it forgot, each reported once. Absent: it names one. */
  forgotten?: { nameOf(resource: string): string | undefined; reported: Set<string> }
  report: Report
}

/**
 * The requirement of each method. `methods` are those of the route's key; when it has none, `require` must name them.
 * They are undefined when the key could not be read: then only the permissions are checked.
 */
export function requirementsOf(
  require: RequireOfFile,
  methods: readonly string[] | undefined,
  path: Path,
  scope: RequirementScope,
): ReadonlyMap<string, RouteRequirement> {
  const perMethod =
    typeof require === 'string' || Array.isArray(require) ? [] : METHODS.filter((name) => require[name] !== undefined)
  if (perMethod.length > 0 && typeof require === 'object' && !Array.isArray(require)) {
    if (methods !== undefined) checkMethods(perMethod, methods, path, scope.report)
    if (require.any !== undefined)
      scope.report.problem([...path, 'any'], 'stands beside methods; put it below one of them', 'key')
    return new Map(perMethod.map((name) => [name, requirementOf(require[name] ?? [], [...path, name], scope)]))
  }
  if (methods?.length === 0) scope.report.problem(path, `${NO_METHOD}: {GET: …}`)
  const requirement = requirementOf(require, path, scope)
  return new Map(methods?.map((name) => [name, requirement]))
}

const NO_METHOD = 'the key names no method, as in "GET /path", so this must say what each needs'

function checkMethods(named: readonly string[], methods: readonly string[], path: Path, report: Report): void {
  if (methods.length === 0) return
  for (const name of named) {
    if (!methods.includes(name))
      report.problem([...path, name], 'is not one of the methods in the key of this route', 'key')
  }
  const missing = methods.filter((name) => !named.includes(name))
  if (missing.length > 0) report.problem(path, `says nothing about ${missing.join(', ')}`)
}

/** The same where there is only one thing to do. */
export function requirementOf(written: RequireOfFile, path: Path, scope: RequirementScope): RouteRequirement {
  if (typeof written === 'string') return { anyOf: [permissionsOf([written], [path], path, scope)] }
  if (Array.isArray(written)) return { anyOf: [permissionsOf(written, pathsOf(written, path), path, scope)] }
  if (written.any === undefined) {
    const message = 'requires nothing; name a permission, or say public: true'
    if (!scope.report.isBroken(path)) scope.report.problem(path, message)
    return { anyOf: [] }
  }
  const anyOf = written.any.map((one, index) => {
    const at = [...path, 'any', index]
    return typeof one === 'string'
      ? permissionsOf([one], [at], at, scope)
      : permissionsOf(one, pathsOf(one, at), at, scope)
  })
  return { anyOf }
}

function permissionsOf(
  ids: readonly string[],
  paths: readonly Path[],
  whole: Path,
  scope: RequirementScope,
): readonly string[] {
  const { catalogue, resource, report } = scope
  let allKnown = true
  for (const [index, id] of ids.entries()) {
    if (catalogue.resourcesOf(id).includes(resource)) continue
    allKnown = false
    reportUnknown(id, paths[index] ?? whole, scope)
  }
  // One token has one kind. Permissions that are never together in one would be a route that nobody can call.
  const kinds = ['application', 'delegated'] as const
  if (allKnown && !kinds.some((kind) => ids.every((id) => catalogue.find(kind, resource, id) !== undefined))) {
    report.problem(whole, 'can never be met: no token holds application and delegated permissions together')
  }
  return ids
}

function reportUnknown(id: string, path: Path, scope: RequirementScope): void {
  const { catalogue, resource, section, report } = scope
  const others = catalogue.resourcesOf(id)
  if (others.length > 0) return void reportElsewhere(others, path, scope)
  const known = catalogue.permissions.filter((one) => one.resource === resource).map((one) => one.id)
  report.unknown(path, { what: 'permission', name: id, section, known })
}

function reportElsewhere(resources: readonly string[], path: Path, { report, forgotten }: RequirementScope): void {
  const key = resources.join(' ')
  if (forgotten?.reported.has(key)) return
  forgotten?.reported.add(key)
  const names = resources.flatMap((one) => forgotten?.nameOf(one) ?? [])
  const next = names.length === 0 ? '' : `; if it is meant, add resource: ${names.join(' or ')} to the route`
  const what = `is a permission of ${resources[0]}, not of this route's resource`
  report.problem(path, `${report.places.quoted(path)} ${what}${next}`)
}

function pathsOf(ids: readonly string[], path: Path): readonly Path[] {
  return ids.map((_, index) => [...path, index])
}
