// What every answer of a route carries besides its own fields, no matter who answers: which pages may read it (CORS),
// and that the route will end (RFC 9745, RFC 8594). Put together once for each origin that the configuration names.

import type { RouteSettings } from '../../config/settings/route-settings.js'

/** Flat name, value list for an answer to a request with this Origin. */
export type AnswerFields = (origin: string | undefined) => readonly string[]

/** What a page is told before it calls (Fetch, CORS protocol). */
export interface CrossOrigin {
  /** Whether a page of this origin may use the method. */
  allows(origin: string, method: string): boolean
  /** Flat name, value list for a preflight that may go on, without the methods. */
  preflight(origin: string): readonly string[]
}

/** Simple or harmless names that clients of an API send; Authorization counts only when it is named. */
const usualHeaders = [
  ...['authorization', 'content-type', 'client-request-id', 'idempotency-key', 'prefer'],
  ...['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since', 'traceparent'],
]
const usualExposed = [
  ...['request-id', 'duration', 'www-authenticate', 'retry-after', 'ratelimit', 'ratelimit-policy'],
  ...['etag', 'link', 'location', 'deprecation', 'sunset'],
]
/** What clients in browsers send to MCP servers, and read of their answers (MCP, transports). */
const mcpHeaders = ['mcp-session-id', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'last-event-id']
const mcpExposed = ['mcp-session-id']

/** What the answers of a preflighted address vary by, for every caller. */
export const preflightVary = 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers'

/** The route's answer fields; undefined when it has none. */
export function compileAnswerFields(route: RouteSettings): AnswerFields | undefined {
  const fixed = announcements(route)
  const { cors } = route
  if (cors === undefined) return fixed.length === 0 ? undefined : () => fixed
  const others = [...fixed, 'vary', 'Origin']
  const usual = route.mcp === undefined ? usualExposed : [...usualExposed, ...mcpExposed]
  const expose = ['access-control-expose-headers', [...usual, ...cors.expose].join(', ')]
  const readable = (origin: string) => [...others, 'access-control-allow-origin', origin, ...expose]
  if (cors.origins.includes('*')) {
    const all = readable('*')
    return () => all
  }
  const byOrigin = new Map(cors.origins.map((origin) => [origin, readable(origin)]))
  return (origin) => (origin === undefined ? undefined : byOrigin.get(origin)) ?? others
}

/** The route's cross-origin rules; undefined when no page may call. Credentials mode never (contract §1). */
export function compileCrossOrigin({ cors, mcp }: Pick<RouteSettings, 'cors' | 'mcp'>): CrossOrigin | undefined {
  if (cors === undefined) return undefined
  const usual = mcp === undefined ? usualHeaders : [...usualHeaders, ...mcpHeaders]
  const isForAll = cors.origins.includes('*')
  const origins = new Set(cors.origins)
  const more = [
    ...['access-control-allow-headers', [...usual, ...cors.headers].join(', ')],
    ...['access-control-max-age', String(cors.maxAgeSeconds)],
  ]
  return {
    allows: (origin, method) =>
      (isForAll || origins.has(origin)) && (cors.methods === undefined || covers(cors.methods, method)),
    preflight: (origin) => ['access-control-allow-origin', isForAll ? '*' : origin, ...more],
  }
}

/** HEAD follows GET. */
function covers(methods: readonly string[], method: string): boolean {
  return methods.includes(method === 'HEAD' ? 'GET' : method)
}

/** Deprecation is a date as a structured field, Sunset an HTTP date; both with where that is explained. */
function announcements({ deprecatedAt, sunsetAt, link }: RouteSettings): readonly string[] {
  const relation = deprecatedAt === undefined ? 'sunset' : 'deprecation'
  return [
    ...(deprecatedAt === undefined ? [] : ['deprecation', `@${deprecatedAt}`]),
    ...(sunsetAt === undefined ? [] : ['sunset', new Date(sunsetAt * 1000).toUTCString()]),
    ...(link === undefined ? [] : ['link', `<${link}>; rel="${relation}"; type="text/html"`]),
  ]
}
