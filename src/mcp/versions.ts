// The revisions of the Model Context Protocol that a route can carry. Up to 2025-11-25 a client opens a session
// ("legacy" here); from 2026-07-28 on every request stands alone ("modern"). One server may serve both at one path, so
// the era is a fact of a request.

export type Era = 'legacy' | 'modern'

/** Newest first. */
export const mcpVersions = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'] as const

export type McpVersion = (typeof mcpVersions)[number]

/** Of which a client says nothing by a header field: it had none yet (2025-06-18, transports, protocol version header). */
export const unsaidVersion: McpVersion = '2025-03-26'

/** The member of `_meta` that says the revision of a message (2026-07-28, basic). */
export const metaVersion = 'io.modelcontextprotocol/protocolVersion'

/** Revisions are dates, so they can be compared as text. */
export function eraOf(version: McpVersion): Era {
  return version >= '2026-07-28' ? 'modern' : 'legacy'
}
