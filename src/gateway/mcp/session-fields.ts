// Mcp-Session-Id on both ways: the client has the sealed one, the server its own.

import { type RpcProblem, rpcCodes } from '../../mcp/json-rpc.js'
import type { RawFields } from '../forward/upstream-events.js'
import type { SessionOwner, SessionSeal } from './session-seal.js'

const field = 'mcp-session-id'
const hyphen = 0x2d

/** The id for the server; undefined: the client names none. A problem: 404, whereupon clients begin anew. */
export function openedSession(
  rawHeaders: readonly string[],
  seal: SessionSeal,
  owner: SessionOwner,
): { id: string | undefined } | { problem: RpcProblem } {
  const said: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (isSession(rawHeaders[i] ?? '')) said.push(rawHeaders[i + 1]?.trim() ?? '')
  }
  const [first] = said
  if (first === undefined) return { id: undefined }
  const id = said.length === 1 ? seal.open(first, owner) : undefined
  return id === undefined
    ? { problem: { status: 404, code: rpcCodes.sessionNotFound, message: 'Session not found' } }
    : { id }
}

/** The fields of an answer where there are no sessions. */
export function withoutSession(fields: RawFields): RawFields {
  return hasSession(fields) ? split(fields).kept : fields
}

/** The fields of an answer with the id as the client gets it. Of several ids, or one that is none, it gets nothing. */
export function sealedFields(fields: RawFields, seal: SessionSeal, owner: SessionOwner): RawFields {
  if (!hasSession(fields)) return fields
  const { kept, ids } = split(fields)
  const [id] = ids
  const sealed = ids.length === 1 && id !== undefined ? seal.seal(id, owner) : undefined
  if (sealed !== undefined) kept.push(field, sealed)
  return kept
}

function hasSession(fields: RawFields): boolean {
  for (let i = 0; i < fields.length; i += 2) if (isSession(fields[i] ?? '')) return true
  return false
}

/** Most names are of another length or have a hyphen elsewhere, and need no text made of them. */
function isSession(name: Buffer | string): boolean {
  if (name.length !== field.length) return false
  const fourth = typeof name === 'string' ? name.charCodeAt(3) : name[3]
  return fourth === hyphen && String(name).toLowerCase() === field
}

function split(fields: RawFields): { kept: (Buffer | string)[]; ids: string[] } {
  const kept: (Buffer | string)[] = []
  const ids: string[] = []
  for (let i = 0; i < fields.length; i += 2) {
    const [name = '', value = ''] = [fields[i], fields[i + 1]]
    if (isSession(name)) ids.push(String(value).trim())
    else kept.push(name, value)
  }
  return { kept, ids }
}
