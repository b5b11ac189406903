// Clients of an MCP server connect only where the resource that its metadata names is the address that they were given,
// or a path above it (MCP 2025-06-18 and later, authorization; RFC 9728 §3.3). A route whose resource has another id
// loads, and serves clients that do not compare.

import type { Report } from '../report/report.js'
import type { RouteSettings } from '../settings/route-settings.js'
import { isParameter } from './path-patterns.js'

/** Warns of each such route. `origins` are those by which clients come. */
export function warnForeignResource(
  routes: readonly Pick<RouteSettings, 'id' | 'path' | 'mcp' | 'resource'>[],
  origins: readonly string[],
  report: Report,
): void {
  const [first = ''] = origins
  for (const { id, path, mcp, resource } of routes) {
    if (mcp === undefined || isAddressOf(resource, path, origins)) continue
    const message =
      `has the resource ${resource}, which is not its address: MCP clients that compare the two do not connect; ` +
      `give it one with the id ${first}${path}`
    report.warning(['routes', id], message)
  }
}

function isAddressOf(resource: string, path: string, origins: readonly string[]): boolean {
  const url = URL.canParse(resource) ? new URL(resource) : undefined
  if (url === undefined || !origins.includes(url.origin)) return false
  const route = segmentsOf(path)
  return segmentsOf(url.pathname).every((segment, index) => {
    const own = route[index]
    return own === segment || (own !== undefined && (isParameter(own) || own === '**'))
  })
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '')
}
