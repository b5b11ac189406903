// What a request to an MCP server shows before its body: where it comes from, whether its body is what everybody takes
// for JSON, and the fields that repeat the message.

import type { IncomingMessage } from 'node:http'
import { announcesBody } from '../../http/answers/answer-raw.js'
import { type McpFields, readMcpFields } from '../../mcp/header-fields.js'
import { rpcCodes } from '../../mcp/json-rpc.js'
import { eraOf, mcpVersions } from '../../mcp/versions.js'
import { type Refusal, refusal } from '../errors.js'
import type { CrossOrigin } from '../routes/answer-fields.js'
import { rpcRefusal } from './refusals.js'

export interface HeadRules {
  versions: ReadonlySet<string>
  crossOrigin: CrossOrigin | undefined
  /** Of this gateway and its own pages. */
  baseUrl: string
}

type Head = Pick<IncomingMessage, 'method' | 'headers' | 'rawHeaders'>

/** Its fields, or why it goes no further. */
export function checkMcpHead(request: Head, rules: HeadRules): McpFields | Refusal {
  const { method = '', headers, rawHeaders } = request
  const { origin } = headers
  // Transports, security: a page of an origin that nobody named must not reach a server by a rebound name.
  if (origin !== undefined && !isKnownOrigin(origin, method, rules)) return refusal('mcp_origin')
  const read = readMcpFields(rawHeaders)
  if ('twice' in read) {
    const message = `There is more than one line of ${read.twice}.`
    return rpcRefusal('mcp_header_twice', { status: 400, code: rpcCodes.invalidRequest, message }, null)
  }
  if (method === 'POST') return isJson(rawHeaders) ? read.fields : refusal('mcp_not_json')
  if (!isOfSession(read.fields, rules)) return refusal('mcp_no_session')
  // Some servers carry out a message whatever its method.
  return announcesBody(request) ? refusal('mcp_body') : read.fields
}

function isKnownOrigin(origin: string, method: string, { baseUrl, crossOrigin }: HeadRules): boolean {
  return origin === new URL(baseUrl).origin || crossOrigin?.allows(origin, method) === true
}

/** One line that says JSON in UTF-8, and nothing that would have to be decoded first. */
function isJson(rawHeaders: readonly string[]): boolean {
  const types: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    // By length and first letter, so that nothing is made of most names.
    if ((name.length !== 12 && name.length !== 16) || (name.charCodeAt(0) | 0x20) !== 0x63) continue
    const lower = name.toLowerCase()
    if (lower === 'content-encoding') return false
    if (lower === 'content-type') types.push(rawHeaders[i + 1] ?? '')
  }
  const [type] = types
  return (
    types.length === 1 &&
    (type === 'application/json' ||
      /^[ \t]*application\/json[ \t]*(;[ \t]*charset="?utf-8"?[ \t]*)?$/i.test(type ?? ''))
  )
}

/** GET and DELETE are of sessions, which only older revisions have. */
function isOfSession({ version }: McpFields, { versions }: HeadRules): boolean {
  const said = mcpVersions.find((one) => one === version)
  return version === undefined || (said !== undefined && versions.has(said) && eraOf(said) === 'legacy')
}
