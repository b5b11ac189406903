// From the bytes of a body to what its message asks for, or the error that the specification has for it.

import type { McpFields } from '../../mcp/header-fields.js'
import { type RpcId, rpcCodes } from '../../mcp/json-rpc.js'
import { type McpMessage, readMessage } from '../../mcp/message.js'
import { type McpOperation, type NoOperation, operationOf } from '../../mcp/operations.js'
import { readPlainToolCall } from '../../mcp/plain-tool-call.js'
import { revisionOf } from '../../mcp/revision.js'
import type { Era, McpVersion } from '../../mcp/versions.js'
import type { Refusal } from '../errors.js'
import { readJson } from '../validation/json-text.js'
import { rpcRefusal } from './refusals.js'

export interface Requested {
  message: McpMessage
  /** Null of a notification. */
  id: RpcId | null
  version: McpVersion
  era: Era
  operation: McpOperation
}

/** Reads it. `served` are the revisions of the route. */
export function readRequested(body: Buffer, fields: McpFields, served: ReadonlySet<McpVersion>): Requested | Refusal {
  const message = readPlainToolCall(body, fields) ?? messageOf(body)
  if (message.kind === 'refused') return message
  const id = message.kind === 'request' ? message.id : null
  const revision = revisionOf(message, fields, served)
  if ('problem' in revision)
    return rpcRefusal(revision.isMismatch ? 'mcp_mismatch' : 'mcp_revision', revision.problem, id)
  const { version, era } = revision
  const operation = operationOf(message, era)
  return typeof operation === 'string' ? noOperation(operation, { id, era }) : { message, id, version, era, operation }
}

function messageOf(body: Buffer): McpMessage | Refusal {
  const json = readJson(body)
  if ('wrong' in json) {
    const message = `The body ${json.wrong}.`
    return rpcRefusal('mcp_bad_json', { status: 400, code: rpcCodes.parseError, message }, null)
  }
  const read = readMessage(json.value)
  return 'problem' in read ? rpcRefusal('mcp_bad_message', read.problem, read.id) : read.message
}

/** In a session 404 would say that it is over (2025-11-25, transports); in 2026-07-28 it is the answer. */
function noOperation(why: NoOperation, { id, era }: { id: RpcId | null; era: Era }): Refusal {
  if (why === 'method') {
    const status = era === 'modern' && id !== null ? 404 : 400
    return rpcRefusal('mcp_method', { status, code: rpcCodes.methodNotFound, message: 'Method not found' }, id)
  }
  if (why === 'answer') {
    const message = 'In this revision a server asks for input in its result. Repeat the call with that input.'
    return rpcRefusal('mcp_answer', { status: 400, code: rpcCodes.invalidRequest, message }, id)
  }
  const message = 'params has to name what the method acts on, in one way only.'
  return rpcRefusal('mcp_params', { status: 400, code: rpcCodes.invalidParams, message }, id)
}
