// The fields of MCP that reach the server: made anew from what was decided, so that a server which goes by them goes by
// the same message. What a client said by another spelling of their names stays here.

import { encodeFieldValue } from '../../mcp/field-values.js'
import { beginsLikeMcp, type McpFields, mcpFieldOf } from '../../mcp/header-fields.js'
import type { McpMessage } from '../../mcp/message.js'
import { foldName } from '../forward/headers/header-names.js'
import type { Requested } from './requested.js'

export interface ForwardedMcpFields {
  /** Whether a field of the client is left out. By its name as it came. */
  drops(name: string): boolean
  /** Flat name, value list. */
  fields: readonly string[]
}

/** Of a message. Parameters in fields are unverified in a session, where nobody agreed on them. */
export function mcpFieldsOf(
  { message, version, era, operation }: Requested,
  sent: McpFields,
  { sessionId, isRead }: { sessionId: string | undefined; isRead: boolean },
): ForwardedMcpFields {
  const fields = sent.version === undefined ? [] : ['mcp-protocol-version', version]
  if (sessionId !== undefined) fields.push('mcp-session-id', sessionId)
  if (era === 'modern' && message.kind !== 'answer') {
    fields.push('mcp-method', message.method)
    if (message.kind === 'request' && message.named !== undefined)
      fields.push('mcp-name', encodeFieldValue(message.named))
  }
  const drops = era === 'modern' ? dropsMade : dropsAll
  const isReadBack = isRead || operation.kind === 'list' || isListening(message)
  return isReadBack ? readOnItsWay({ drops, fields }) : { drops, fields }
}

function isListening(message: McpMessage): boolean {
  return message.kind === 'request' && message.method === 'subscriptions/listen'
}

/** Of a request without a message. */
export function mcpFieldsOfSession(
  { version }: McpFields,
  { sessionId, isRead }: { sessionId: string | undefined; isRead: boolean },
): ForwardedMcpFields {
  const fields = version === undefined ? [] : ['mcp-protocol-version', version]
  if (sessionId !== undefined) fields.push('mcp-session-id', sessionId)
  return isRead ? readOnItsWay({ drops: dropsAll, fields }) : { drops: dropsAll, fields }
}

/** For an answer that is read on its way back. */
function readOnItsWay({ drops, fields }: ForwardedMcpFields): ForwardedMcpFields {
  return {
    drops: (name) => drops(name) || foldName(name) === 'accept-encoding',
    fields: [...fields, 'accept-encoding', 'identity'],
  }
}

const made = new Set(['mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id'])
const parameters = 'mcp-param-'

/** Parameters in fields are the server's to compare in the modern era (2026-07-28, transports). */
function dropsMade(name: string): boolean {
  if (!beginsLikeMcp(name)) return false
  if (mcpFieldOf(name) !== undefined) return true
  const folded = foldName(name)
  return made.has(folded) || (folded.startsWith(parameters) && !name.toLowerCase().startsWith(parameters))
}

function dropsAll(name: string): boolean {
  if (!beginsLikeMcp(name)) return false
  const folded = foldName(name)
  return made.has(folded) || folded.startsWith(parameters)
}
