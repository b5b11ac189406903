// The fields of MCP that reach the server: made anew from what was decided, so that a server which goes by them goes by
// the same message. What a client said by another spelling of their names stays here.

import { encodeFieldValue, type McpFields } from '../../mcp/header-fields.js'
import { nameOf } from '../../mcp/operations.js'
import { foldName } from '../forward/headers/header-names.js'
import type { Asked } from './asked.js'

export interface ForwardedMcpFields {
  /** Whether a field of the client is left out. By its name as it came. */
  drops(name: string): boolean
  /** Flat name, value list. */
  fields: readonly string[]
}

/** Of a message. Parameters in fields are unverified in a session, where nobody agreed on them. */
export function mcpFieldsOf({ message, version, era, operation }: Asked, sent: McpFields): ForwardedMcpFields {
  const fields = sent.version === undefined ? [] : ['mcp-protocol-version', version]
  if (era === 'modern' && message.kind !== 'answer') {
    fields.push('mcp-method', message.method)
    const name = nameOf(message)
    if (name !== undefined) fields.push('mcp-name', encodeFieldValue(name))
  }
  const drops = era === 'modern' ? dropsRepeated : dropsAll
  if (operation.kind !== 'list') return { drops, fields }
  // A list is read on its way back.
  fields.push('accept-encoding', 'identity')
  return { drops: (name) => drops(name) || foldName(name) === 'accept-encoding', fields }
}

/** Of a request without a message. */
export function mcpFieldsOfSession({ version }: McpFields): ForwardedMcpFields {
  return { drops: dropsAll, fields: version === undefined ? [] : ['mcp-protocol-version', version] }
}

const repeated = new Set(['mcp-protocol-version', 'mcp-method', 'mcp-name'].map(foldName))
const parameters = foldName('mcp-param-')
const session = foldName('mcp-session-id')

/** In the modern era there are no sessions; parameters in fields are the server's to compare (2026-07-28, transports). */
function dropsRepeated(name: string): boolean {
  const folded = foldName(name)
  return (
    repeated.has(folded) ||
    folded === session ||
    (folded.startsWith(parameters) && !name.toLowerCase().startsWith(parameters))
  )
}

function dropsAll(name: string): boolean {
  const folded = foldName(name)
  if (repeated.has(folded) || folded.startsWith(parameters)) return true
  return folded === session && name.toLowerCase() !== 'mcp-session-id'
}
