// By which revision a message is read, and whether its header fields say what it says. A client of both eras learns which
// one a server has from how it is refused: an error that only 2026-07-28 knows keeps it from falling back to a session,
// so such an error is only given where a modern revision is served (MCP 2026-07-28, versioning; transports, server
// validation).

import { decodeFieldValue } from './field-values.js'
import type { McpFields } from './header-fields.js'
import { type RpcProblem, rpcCodes } from './json-rpc.js'
import type { McpMessage } from './message.js'
import { type Era, eraOf, type McpVersion, mcpVersions, unsaidVersion } from './versions.js'

const wrongRevision = 'MCP-Protocol-Version is not that of _meta.'
const noRevision = 'params._meta has to name the revision of the protocol.'

/** The revision of a message among those that are served, or why it is refused. */
export function revisionOf(
  message: McpMessage,
  fields: McpFields,
  served: ReadonlySet<McpVersion>,
): { version: McpVersion; era: Era } | { problem: RpcProblem; isMismatch: boolean } {
  const said = fields.version ?? unsaid(message, served)
  if (said === undefined) return mismatch(served, 'MCP-Protocol-Version is missing.')
  const version = mcpVersions.find((one) => one === said)
  if (version === undefined || !served.has(version)) return unsupported(message, served, said)
  // What has to stand in the message is a parameter of it, not a field (2026-07-28, basic, metadata of requests).
  const era = eraOf(version)
  if (era === 'modern' && message.kind === 'request' && metaOf(message) === undefined)
    return { problem: { status: 400, code: rpcCodes.invalidParams, message: noRevision }, isMismatch: true }
  const wrong = era === 'modern' ? wrongField(message, fields) : wrongMeta(message, undefined)
  return wrong === undefined ? { version, era } : mismatch(served, wrong)
}

/** What a message without the field is: the first one of a session, or one of the oldest revision where that is served. */
function unsaid(message: McpMessage, served: ReadonlySet<McpVersion>): string | undefined {
  if (metaOf(message) !== undefined) return undefined
  if (message.kind !== 'request' || message.method !== 'initialize') {
    return served.has(unsaidVersion) ? unsaidVersion : undefined
  }
  const legacy = mcpVersions.filter((one) => served.has(one) && eraOf(one) === 'legacy')
  const { protocolVersion } = message.params
  // The server answers with the revision that it would rather have, so an unknown one is no reason to refuse.
  const first = legacy.find((one) => one === protocolVersion) ?? legacy[0]
  return first ?? (typeof protocolVersion === 'string' ? protocolVersion : undefined)
}

/** The first field of a modern message that does not repeat it. Of a notification only the revision counts. */
function wrongField(message: McpMessage, fields: McpFields): string | undefined {
  if (message.kind !== 'request') return wrongMeta(message, fields.version)
  if (metaOf(message) !== fields.version) return wrongRevision
  if (fields.method !== message.method) return 'Mcp-Method is not the method of the message.'
  if (message.named === undefined) return undefined
  const said = fields.name === undefined ? undefined : decodeFieldValue(fields.name)
  return said === message.named ? undefined : 'Mcp-Name is not the name or URI of the message.'
}

function wrongMeta(message: McpMessage, version: string | undefined): string | undefined {
  const meta = metaOf(message)
  return meta === undefined || meta === version ? undefined : wrongRevision
}

function metaOf(message: McpMessage): unknown {
  return message.kind === 'answer' ? undefined : message.revision
}

function servesModern(served: ReadonlySet<McpVersion>): boolean {
  return [...served].some((one) => eraOf(one) === 'modern')
}

function mismatch(served: ReadonlySet<McpVersion>, message: string): { problem: RpcProblem; isMismatch: boolean } {
  const code = servesModern(served) ? rpcCodes.headerMismatch : rpcCodes.invalidRequest
  return { problem: { status: 400, code, message }, isMismatch: true }
}

/** A message that stands alone is told by which revisions it may, as servers tell in their discovery. */
function unsupported(
  refused: McpMessage,
  served: ReadonlySet<McpVersion>,
  requested: string,
): { problem: RpcProblem; isMismatch: boolean } {
  const all = mcpVersions.filter((one) => served.has(one))
  const message = `This revision of the protocol is not served here; these are: ${all.join(', ')}.`
  if (!servesModern(served))
    return { problem: { status: 400, code: rpcCodes.invalidRequest, message }, isMismatch: false }
  const supported = metaOf(refused) === undefined ? all : all.filter((one) => eraOf(one) === 'modern')
  const data = { supported, requested: requested.slice(0, 64) }
  return { problem: { status: 400, code: rpcCodes.unsupportedVersion, message, data }, isMismatch: false }
}
