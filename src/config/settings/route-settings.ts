// A route as the other rooms see it: checked, in base units.

import type { McpVersion } from '../../mcp/versions.js'
import type { ServiceDescription } from '../../openapi/service-description.js'
import type { Position } from '../read/position.js'

/** Any of these lists is enough; of a list, all. Ids of the route's resource. */
export interface RouteRequirement {
  anyOf: readonly (readonly string[])[]
}

/** What the file may say of a tool besides its permission, the least first. */
export const mcpRules = ['allowed', 'approval', 'second_factor', 'never'] as const
export type McpRule = (typeof mcpRules)[number]

/** What one tool, prompt or resource of an MCP server needs, and what of the route it says otherwise. */
export interface McpOperationSettings {
  needs: RouteRequirement
  limits?: readonly string[]
  cost?: number
  /** Its permissions are not enforced, only told. */
  shadow?: true
  /** Of a tool: what a call has to meet besides; absent: nothing. */
  rule?: McpRule
}

/** A route to an MCP server. */
export interface McpSettings {
  versions: ReadonlySet<McpVersion>
  /** What connecting needs, and lists. */
  first: RouteRequirement
  /** What lists show: what a caller may do, what they may do or could be given, or what the server has. */
  list: 'granted' | 'acquirable' | 'all'
  /** By name. */
  tools: ReadonlyMap<string, McpOperationSettings>
  prompts: ReadonlyMap<string, McpOperationSettings>
  /** By URI or template. */
  resources: ReadonlyMap<string, McpOperationSettings>
  /** Streams that may be open at once; absent: as many as the upstream lets all its other routes have. */
  streams?: number
  /** A line in the log for each call, with a digest of the arguments, or with their shape too; absent: none. */
  audit?: 'calls' | 'masked'
  /** What becomes of a tool whose definition changed since it was approved; absent: definitions are not looked at. */
  pins?: 'report' | 'hold'
}

/** What a route says beyond who may call it and where it leads. Absent: nothing, and it costs nothing. */
export interface RouteOptions {
  /** Permissions are not enforced, only told: the route is open. */
  shadow?: true
  /** Whose tokens it takes, ours (`own`) among them or not; absent: ours. */
  issuers?: readonly string[]
  /** Units that a request takes from each limit; 1 when absent. */
  cost?: number
  /** The parameter of the path that must be the tenant of the token. */
  tenant?: string
  /** Ids of the only applications that may call. */
  applications?: readonly string[]
  /** Instead of those of the upstream. */
  headersMs?: number
  idleMs?: number
  /** The upstream's paths begin with `to` where those of the gate begin with `from`; whole segments, `/` for none. */
  prefix?: { from: string; to: string }
  /** Instead of that of the upstream. */
  identity?: 'jwt' | 'headers' | 'none'
  /** Lower-case names: of the client's fields only these cross, besides those that describe the body. */
  requestHeaders?: readonly string[]
  /** `%2F` in its paths is no slash to the service, and is taken. */
  encodedSlashes?: true
  /**
   * Of the client's fields these do not cross: names, or beginnings of names with a `*`; those of upstream and defaults
   * too.
   */
  dropRequestHeaders?: readonly string[]
  /** Lower-case names: of the upstream's fields only these cross, besides those that describe the body. */
  responseHeaders?: readonly string[]
  /**
   * Lower-case names: of the upstream's fields these cross although they speak to caches, servers in front, or the
   * whole origin.
   */
  allowResponseHeaders?: readonly string[]
  /** Requests must be as it says. */
  description?: ServiceDescription
  /** Answers may be pages that run scripts: served at hosts for routes only. */
  pages?: true
  /** Cache-Control of answers that have none. */
  cacheControl?: string
  /** Absent: no page of another origin may read answers. */
  cors?: CorsSettings
  /** Since when it should not be used any more, and from when on it may be gone: epoch seconds. */
  deprecatedAt?: number
  sunsetAt?: number
  /** Where that is explained. */
  link?: string
}

/** Which pages may call from a browser. */
export interface CorsSettings {
  /** At least one, as browsers send them; `*` alone is every origin. */
  origins: readonly string[]
  /** Absent: all of the route. */
  methods?: readonly string[]
  /** Names of request fields besides the usual ones. */
  headers: readonly string[]
  /** Names of answer fields that they may read, besides the usual ones. */
  expose: readonly string[]
  maxAgeSeconds: number
}

export interface RouteSettings extends RouteOptions {
  /** The key in the file, such as `GET /api/v2/me`: the label in metrics and logs. */
  id: string
  /** `/api/v2/subscriptions/{id}`; a last segment `**` matches any rest. */
  path: string
  /**
   * Requirement by upper-case method; `public` asks for no token. HEAD follows GET. A method not named is refused with
   * 405.
   */
  methods: ReadonlyMap<string, RouteRequirement | 'public'>
  resource: string
  upstream: string
  limits: readonly string[]
  bodyBytes: number
  /** Answers may be silent for as long as they last, and `Upgrade: websocket` is passed on. */
  stream: boolean
  /** Absent: what it leads to is no MCP server. */
  mcp?: McpSettings
  /** What happens while the revocation view is stale: `refuse` (503) or `pass` (counted). */
  onStale: 'refuse' | 'pass'
  position: Position
}
