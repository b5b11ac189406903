// Clients of an MCP server compare the resource that its metadata names with the address that they were given (RFC 9728
// §3.3); common ones also take a path above it. A route whose resource has another id loads, and serves clients that do
// not compare. A resource at the root of its host has no metadata (identity/metadata/metadata.ts).

import type { Report } from '../report/report.js'
import type { RouteSettings } from '../settings/route-settings.js'
import { isParameter } from './path-patterns.js'

/** Warns of each such route. `origins` are those by which clients come, the main one first. */
export function warnForeignResource(
  routes: readonly Pick<RouteSettings, 'id' | 'path' | 'mcp' | 'resource'>[],
  origins: readonly string[],
  report: Report,
): void {
  for (const { id, path, mcp, resource } of routes) {
    if (mcp === undefined || isAddressOf(resource, path, origins)) continue
    const what = `has the resource ${resource}, which is not its address: MCP clients that compare the two do not connect`
    report.warning(['routes', id], `${what}; ${remedyFor(path, origins)}`)
  }
}

/** Of a path with variable parts, the fixed part before them is an address that all of its clients take. */
function remedyFor(path: string, [origin = '']: readonly string[]): string {
  const segments = segmentsOf(path)
  const variable = segments.findIndex(isVariable)
  const fixed = variable === -1 ? segments : segments.slice(0, variable)
  if (fixed.length === 0)
    return 'serve it at a path that begins with a fixed part, and name that as the id of the resource'
  return `give it one with the id ${origin}/${fixed.join('/')}`
}

function isAddressOf(resource: string, path: string, origins: readonly string[]): boolean {
  const url = URL.canParse(resource) ? new URL(resource) : undefined
  if (url === undefined || !origins.includes(url.origin)) return false
  const route = segmentsOf(path)
  const named = segmentsOf(url.pathname)
  if (named.length === 0 || named.some((segment) => /[*{]|%7b/i.test(segment))) return false
  const rest = route.indexOf('**')
  const compared = rest === -1 ? named : named.slice(0, rest)
  return compared.every((segment, index) => {
    const own = route[index]
    return own !== undefined && (own === segment || isParameter(own))
  })
}

function isVariable(segment: string): boolean {
  return segment === '**' || isParameter(segment)
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '')
}
