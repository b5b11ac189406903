// A route to an MCP server as the configuration would say it, for rooms that only read what it says.

import type { McpOperationSettings, RouteSettings } from '../../../src/config/settings/route-settings.js'
import type { McpVersion } from '../../../src/mcp/versions.js'
import { ownResource } from '../rooms/directory.js'

/** What needs this permission, or all of these. */
export const needing = (...ids: string[]): McpOperationSettings => ({ needs: { anyOf: [ids] } })

/** `/desk/mcp` with these tools; connecting needs User.Read.All. */
export function deskRoute(tools: Readonly<Record<string, McpOperationSettings>>): RouteSettings {
  const first = { anyOf: [['User.Read.All']] }
  const [none, versions] = [new Map<string, McpOperationSettings>(), new Set<McpVersion>(['2026-07-28', '2025-11-25'])]
  const named = { tools: new Map(Object.entries(tools)), prompts: none, resources: none }
  return {
    id: '/desk/mcp',
    path: '/desk/mcp',
    methods: new Map([['POST', first]]),
    resource: ownResource,
    upstream: 'desk',
    limits: [],
    bodyBytes: 65_536,
    stream: true,
    onStale: 'refuse',
    position: { file: 'portcullis.yaml', line: 1, column: 1 },
    mcp: { versions, first, list: 'acquirable', ...named },
  }
}
