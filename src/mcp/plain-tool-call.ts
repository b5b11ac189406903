// A call of a tool as nearly all clients write it, read in one pass over its bytes: only what the decision needs is made of
// them. What is written otherwise is read by message.ts, which finds the same in it, or what is wrong.

import type { McpFields } from './header-fields.js'
import type { RpcId } from './json-rpc.js'
import { JsonScan } from './json-scan.js'
import { type CallParams, type McpRequest, metaCapabilities, metaNames } from './message.js'
import { type McpVersion, mcpVersions, metaVersion } from './versions.js'

/** In a larger body most of the cost is bytes, not names, and JSON.parse is faster at bytes. */
const mostBytes = 16_384
const longestText = 256
/** Every integer of so many digits is exact. */
const mostDigits = 15
const method = 'tools/call'
const zero = 0x30

const quoted = (text: string) => Buffer.from(`"${text}"`)
const names = {
  jsonrpc: quoted('jsonrpc'),
  id: quoted('id'),
  method: quoted('method'),
  params: quoted('params'),
  name: quoted('name'),
  arguments: quoted('arguments'),
  meta: quoted('_meta'),
  version: quoted(metaVersion),
  capabilities: quoted(metaCapabilities),
}
const texts = { rpc: quoted('2.0'), method: quoted(method) }
const versions = mcpVersions.map((version) => ({ version, text: quoted(version) }))

/** What was found so far. */
interface Found {
  readonly likelyName: string | undefined
  isRpc: boolean
  isToolCall: boolean
  id: RpcId | undefined
  hasParams: boolean
  name: string | undefined
  hasArguments: boolean
  hasMeta: boolean
  revision: McpVersion | undefined
  hasCapabilities: boolean
}

type CallScan = JsonScan<Found>

/**
 * The call, with the revision that `_meta` says if it is one of mcpVersions; undefined: it is something else, unusual or
 * large. Where the name is that of `fields`, their text is taken.
 */
export function readPlainToolCall(bytes: Buffer, fields: Pick<McpFields, 'name'>): McpRequest | undefined {
  if (bytes.length > mostBytes) return undefined
  const found: Found = {
    likelyName: fields.name,
    isRpc: false,
    isToolCall: false,
    id: undefined,
    hasParams: false,
    name: undefined,
    hasArguments: false,
    hasMeta: false,
    revision: undefined,
    hasCapabilities: false,
  }
  const call = new JsonScan(bytes, found)
  call.skipBlanks()
  if (!call.readObject(readMember) || !call.isAtEnd() || !found.isRpc || !found.isToolCall) return undefined
  const { id, name, revision } = found
  return id === undefined || name === undefined ? undefined : new PlainToolCall(bytes, { id, name, revision })
}

// Each of these reads a member that it knows and has not read before.

function readMember(call: CallScan): boolean {
  if (call.readName(names.id)) {
    if (call.found.id !== undefined) return false
    call.found.id = readId(call)
    return call.found.id !== undefined
  }
  if (call.readName(names.method)) {
    if (call.found.isToolCall) return false
    call.found.isToolCall = call.readThis(texts.method)
    return call.found.isToolCall
  }
  if (call.readName(names.params)) {
    if (call.found.hasParams) return false
    call.found.hasParams = true
    return call.readObject(readParam)
  }
  if (call.found.isRpc || !call.readName(names.jsonrpc)) return false
  call.found.isRpc = call.readThis(texts.rpc)
  return call.found.isRpc
}

function readParam(call: CallScan): boolean {
  if (call.readName(names.name)) {
    if (call.found.name !== undefined) return false
    call.found.name = readText(call, call.found.likelyName)
    return call.found.name !== undefined && call.found.name !== ''
  }
  if (call.readName(names.arguments)) {
    if (call.found.hasArguments) return false
    call.found.hasArguments = true
    return call.readValue()
  }
  if (call.found.hasMeta || !call.readName(names.meta)) return false
  call.found.hasMeta = true
  return call.readObject(readMetaMember)
}

function readMetaMember(call: CallScan): boolean {
  if (call.readName(names.version)) {
    if (call.found.revision !== undefined) return false
    call.found.revision = readVersion(call)
    return call.found.revision !== undefined
  }
  if (call.readName(names.capabilities)) {
    if (call.found.hasCapabilities) return false
    call.found.hasCapabilities = true
    return call.readValue()
  }
  const from = call.at + 1
  if (!call.readNewName()) return false
  // What is shorter is none of the two to any reader, and so none of them a second time.
  const isUnrelated = call.nameEnd - from < metaNames.shortest && call.isPlain(from, call.nameEnd)
  return isUnrelated && call.readValue()
}

/** A text, or an integer that is not negative. */
function readId(call: CallScan): RpcId | undefined {
  const from = call.at
  if (!call.readDigits()) return readText(call, undefined)
  const digits = call.at - from
  if (digits > mostDigits || (digits > 1 && call.bytes[from] === zero)) return undefined
  let id = 0
  for (let i = from; i < call.at; i += 1) id = id * 10 + (call.bytes[i] as number) - zero
  return id
}

/** Of ASCII that can be seen, and blanks. `likely` is taken where it is the same. */
function readText(call: CallScan, likely: string | undefined): string | undefined {
  const from = call.at + 1
  if (!call.readPlainString()) return undefined
  const to = call.at - 1
  if (to - from > longestText || !call.isPlain(from, to)) return undefined
  const isLikely = likely !== undefined && likely.length === to - from && says(call, likely, from)
  return isLikely ? likely : call.bytes.toString('latin1', from, to)
}

function readVersion(call: CallScan): McpVersion | undefined {
  for (const { version, text } of versions) if (call.readThis(text)) return version
  return undefined
}

/** Whether the bytes there say this text of ASCII. */
function says(call: CallScan, text: string, from: number): boolean {
  for (let i = 0; i < text.length; i += 1) if (call.bytes[from + i] !== text.charCodeAt(i)) return false
  return true
}

/** A class for the sake of its getter: its parameters are made when somebody wants them. */
class PlainToolCall implements McpRequest {
  readonly kind = 'request'
  readonly method = method
  readonly id: RpcId
  readonly named: string
  readonly revision: McpVersion | undefined
  readonly #bytes: Buffer
  #params: CallParams | undefined

  constructor(bytes: Buffer, { id, name, revision }: { id: RpcId; name: string; revision: McpVersion | undefined }) {
    this.id = id
    this.named = name
    this.revision = revision
    this.#bytes = bytes
  }

  get params(): CallParams {
    this.#params ??= JSON.parse(this.#bytes.toString()).params as CallParams
    return this.#params
  }
}
