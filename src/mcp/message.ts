// One message of a client, from the value of its body: a request, a notification, or an answer to something that the
// server requested. Only what everybody reads alike is one (JSON-RPC 2.0; MCP 2026-07-28, basic). What stands in
// `arguments` is the tool's business.

import type { RpcId, RpcProblem } from './json-rpc.js'
import { rpcCodes } from './json-rpc.js'
import { hasLookAlike, knownNames } from './member-names.js'
import { metaVersion } from './versions.js'

export type Params = Readonly<Record<string, unknown>>

/** Of a call. `name` and `uri` are names (isName), and so are those in an object `ref`. */
export interface CallParams extends Params {
  readonly name?: string
  readonly uri?: string
}

export interface McpRequest {
  readonly kind: 'request'
  readonly id: RpcId
  readonly method: string
  /** May be made when it is first wanted, of bytes that nobody may change; no spread of a message has it then. */
  readonly params: CallParams
  /** The text that Mcp-Name repeats; undefined where there is none. */
  readonly named: string | undefined
  /** What `_meta` says; undefined: nothing. */
  readonly revision: unknown
}

export type McpMessage =
  | McpRequest
  | { kind: 'notification'; method: string; params: CallParams; revision: unknown }
  | { kind: 'answer'; id: RpcId }

export type ReadMessage = { message: McpMessage } | { problem: RpcProblem; id: RpcId | null }

/** Longer names and ids are nobody's, code units. */
const longestName = 1_024

export const metaCapabilities = 'io.modelcontextprotocol/clientCapabilities'

/** What is read of `_meta`. */
export const metaNames = knownNames(metaVersion, metaCapabilities)

/** Of each object that something is decided by: what is read of it. */
const known = {
  message: knownNames('jsonrpc', 'id', 'method', 'params', 'result', 'error'),
  params: knownNames(
    ...['name', 'uri', 'ref', '_meta', 'notifications', 'arguments', 'protocolVersion', 'cursor'],
    ...['inputResponses', 'requestState'],
  ),
  ref: knownNames('type', 'name', 'uri'),
  _meta: metaNames,
  notifications: knownNames('resourceSubscriptions'),
}

/** Reads it. A list is a batch, which no revision carried here has. */
export function readMessage(value: unknown): ReadMessage {
  if (Array.isArray(value)) return wrong('Batches are not supported. Send each message by itself.')
  if (!isObject(value)) return wrong('The body has to be a JSON-RPC message, which is an object.')
  const id = idOf(value)
  if (hasLookAlike(value, known.message))
    return wrong('A member has a name that some parsers take for another one.', id)
  if (value['jsonrpc'] !== '2.0') return wrong('jsonrpc has to be "2.0".', id)
  if (value['id'] !== undefined && id === null)
    return wrong(`id has to be a string of at most ${longestName} characters, or an integer.`)
  // JSON has no undefined, and no object has members of these names by nature.
  const [hasResult, hasError] = [value['result'] !== undefined, value['error'] !== undefined]
  if (hasResult && hasError) return wrong('A response has a result or an error, never both.', id)
  const isAnswer = hasResult || hasError
  if (value['method'] === undefined) {
    return isAnswer && id !== null ? { message: { kind: 'answer', id } } : wrong('The message has no method.', id)
  }
  if (isAnswer) return wrong('A message has a method, or a result or an error, never both.', id)
  return readCall(value, id)
}

function readCall(value: Params, id: RpcId | null): ReadMessage {
  const { method, params = {} } = value
  if (!isName(method)) return wrong('method has to be a name.', id)
  if (!isObject(params)) return wrong('params has to be an object.', id)
  const problem = lookAlikeIn(params)
  if (problem !== undefined) return wrong(problem, id)
  if (!isNamed(params))
    return wrong(`name and uri have to be strings of 1 to ${longestName} characters without control characters.`, id)
  const revision = (params['_meta'] as Params | undefined)?.[metaVersion]
  if (id === null) return { message: { kind: 'notification', method, params, revision } }
  return { message: { kind: 'request', id, method, params, named: namedBy(method, params), revision } }
}

function namedBy(method: string, { name, uri }: CallParams): string | undefined {
  if (method === 'tools/call' || method === 'prompts/get') return name
  return method === 'resources/read' ? uri : undefined
}

/** What is wrong with the names of those members that something is decided by; undefined: nothing. */
function lookAlikeIn(params: Params): string | undefined {
  if (hasLookAlike(params, known.params)) return 'A member of params has a name that some parsers take for another one.'
  const { ref, _meta, notifications } = params
  return wrongObject('ref', ref) ?? wrongObject('_meta', _meta) ?? wrongObject('notifications', notifications)
}

function wrongObject(name: 'ref' | '_meta' | 'notifications', value: unknown): string | undefined {
  if (value === undefined) return undefined
  if (!isObject(value)) return `params.${name} has to be an object.`
  if (!hasLookAlike(value, known[name])) return undefined
  return `A member of params.${name} has a name that some parsers take for another one.`
}

/** Whether what it names is named by names. */
function isNamed(params: Params): params is CallParams {
  const { ref } = params
  return hasNames(params) && (!isObject(ref) || hasNames(ref))
}

function hasNames({ name, uri }: Params): boolean {
  return (name === undefined || isName(name)) && (uri === undefined || isName(uri))
}

/** Half of a surrogate pair is answered as another character by some, and then the answer is not known any more. */
function idOf({ id }: Params): RpcId | null {
  if (typeof id === 'string') return id.length <= longestName && id.isWellFormed() ? id : null
  return Number.isSafeInteger(id) ? (id as number) : null
}

/** Whether it is a text that is the same for everybody: no half of a surrogate pair, no control character. */
export function isName(value: unknown): value is string {
  if (typeof value !== 'string' || value.length === 0 || value.length > longestName) return false
  return value.isWellFormed() && !/[\u0000-\u001f\u007f-\u009f]/.test(value)
}

function isObject(value: unknown): value is Params {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function wrong(message: string, id: RpcId | null = null): ReadMessage {
  return { problem: { status: 400, code: rpcCodes.invalidRequest, message }, id }
}
