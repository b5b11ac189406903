// Where the MCP server of a route is, for those who ask it themselves: the target of its upstream, with the path that the
// gate asks there.

import type { McpSettings, RouteSettings } from '../../config/settings/route-settings.js'
import type { UpstreamSettings } from '../../config/settings/upstream-settings.js'
import type { McpPlace } from '../../mcp-client/exchange.js'
import { forwardedPath } from '../routes/prefix.js'

/** A route to an MCP server. */
export type McpRoute = RouteSettings & { mcp: McpSettings }

export type ServerPlace = Pick<McpPlace, 'url' | 'tls'> & { socketPath?: string }

/**
 * The place, or why there is none: `builtin`, the bundled service is no MCP server; `pattern`, the route has many paths.
 * `turn`: of several targets another one each time.
 */
export function serverPlace(
  { path, prefix }: McpRoute,
  service: UpstreamSettings | undefined,
  turn = 0,
): ServerPlace | 'builtin' | 'pattern' {
  const target = service?.targets[turn % Math.max(1, service.targets.length)]
  if (service === undefined || target === undefined || target.kind === 'builtin') return 'builtin'
  if (/[{*]/.test(path)) return 'pattern'
  const below = target.basePath.replace(/(?<!\/)\/+$/, '') + (prefix === undefined ? path : forwardedPath(prefix, path))
  const { ca, cert, key, serverName } = service.tls
  const known = { ca, cert, key: key?.reveal(), servername: serverName }
  const tls = Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined))
  if (target.kind === 'unix') return { url: new URL(below, 'http://localhost'), socketPath: target.socketPath, tls }
  return { url: new URL(below, target.origin), tls }
}
