// A call of a tool as nearly all clients write it, read in one pass over its bytes: only what is decided by it is made of
// them. What is written otherwise is read by message.ts, which finds the same in it, or what is wrong.

import type { McpFields } from './header-fields.js'
import type { RpcId } from './json-rpc.js'
import { JsonScan } from './json-scan.js'
import { type CallParams, type McpRequest, metaCapabilities, metaNames, metaVersion } from './message.js'
import { type McpVersion, mcpVersions } from './versions.js'

const longestText = 256
/** Every integer of so many digits is exact. */
const mostDigits = 15
const method = 'tools/call'
const zero = 0x30

/** Undefined: it is something else, or unusual. Where `fields` say the same, their text is taken. */
export function readPlainToolCall(bytes: Buffer, fields: McpFields): McpRequest | undefined {
  const call = new CallScan(bytes, fields.name)
  call.skipBlanks()
  if (!call.readObject(readMember) || !call.isAtEnd() || !call.isRpc || !call.isToolCall) return undefined
  const { id, name, revision } = call
  return id === undefined || name === undefined ? undefined : new PlainToolCall(bytes, { id, name, revision })
}

/** What was found so far. */
class CallScan extends JsonScan {
  readonly likelyName: string | undefined
  isRpc = false
  isToolCall = false
  id: RpcId | undefined
  name: string | undefined
  revision: McpVersion | undefined

  constructor(bytes: Buffer, likelyName: string | undefined) {
    super(bytes)
    this.likelyName = likelyName
  }
}

function readMember(call: CallScan, from: number, to: number): boolean {
  if (call.says('id', from, to)) {
    call.id = readId(call)
    return call.id !== undefined
  }
  if (call.says('params', from, to)) return call.readObject(readParam)
  if (call.says('method', from, to)) {
    call.isToolCall = readsAs(call, method)
    return call.isToolCall
  }
  call.isRpc = call.says('jsonrpc', from, to) && readsAs(call, '2.0')
  return call.isRpc
}

function readParam(call: CallScan, from: number, to: number): boolean {
  if (call.says('arguments', from, to)) return call.readValue()
  if (call.says('_meta', from, to)) return call.readObject(readMetaMember)
  if (!call.says('name', from, to)) return false
  call.name = readText(call, call.likelyName)
  return call.name !== undefined && call.name !== ''
}

function readMetaMember(call: CallScan, from: number, to: number): boolean {
  if (call.says(metaVersion, from, to)) {
    call.revision = readVersion(call)
    return call.revision !== undefined
  }
  // What is shorter is none of those names to any reader.
  const isForeign = to - from < metaNames.shortest && call.isPlain(from, to)
  return (isForeign || call.says(metaCapabilities, from, to)) && call.readValue()
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
  return likely !== undefined && call.says(likely, from, to) ? likely : call.bytes.toString('latin1', from, to)
}

function readVersion(call: CallScan): McpVersion | undefined {
  const from = call.at + 1
  if (!call.readPlainString()) return undefined
  for (const version of mcpVersions) if (call.says(version, from, call.at - 1)) return version
  return undefined
}

function readsAs(call: CallScan, text: string): boolean {
  const from = call.at + 1
  return call.readPlainString() && call.says(text, from, call.at - 1)
}

/** Its parameters are made when somebody wants them. */
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
