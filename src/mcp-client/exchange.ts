// One message to an MCP server by streamable HTTP, as a client of either era sends it, and the answer to it: JSON, or
// the event of a stream that has its id. Nothing is followed, the certificate is always verified, and of an answer no
// more is read than fits. What a server says is not believed to be harmless: failure.ts writes it out.

import type { IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http'
import { createEventRewriter } from '../mcp/event-stream.js'
import type { RpcId } from '../mcp/json-rpc.js'
import { McpFailure } from './failure.js'

/** Where a server is, and what it is shown. */
export interface McpPlace {
  /** http or https, without user and fragment. */
  url: URL
  /** Of a server on a Unix socket; the host of `url` is then a name only. */
  socketPath?: string
  /** How it proves itself, and how the client does; names as in node:tls. */
  tls: Pick<RequestOptions & { ca?: string; cert?: string; key?: string; servername?: string }, TlsName>
  /** Fields of every request, such as Authorization. */
  fields: readonly (readonly [string, string])[]
  /** Ends everything that is under way with the server. */
  signal: AbortSignal
}

type TlsName = 'ca' | 'cert' | 'key' | 'servername'

export interface McpAnswer {
  /** HTTP status. */
  status: number
  fields: IncomingHttpHeaders
  /** What has the id of the message; undefined: nothing that is JSON has. */
  message: { result?: unknown; error?: { code?: unknown; message?: unknown; data?: unknown } } | undefined
}

const mostBytes = 4 * 1024 * 1024

/** Sends it and waits for its answer. Throws McpFailure when there is none, or one that is too large. */
export async function sendMessage(
  place: McpPlace,
  message: { id?: RpcId; [name: string]: unknown },
  fields: readonly (readonly [string, string])[],
): Promise<McpAnswer> {
  const response = await send(place, 'POST', fields, JSON.stringify({ jsonrpc: '2.0', ...message }))
  const { statusCode: status = 0, headers } = response
  try {
    const text = await answerText(response, message.id)
    return { status, fields: headers, message: readAnswer(text, message.id) }
  } catch (error) {
    throw unreachable(place, error as NodeJS.ErrnoException)
  } finally {
    response.destroy()
  }
}

/** Ends a session; whether the server takes part in that does not matter. */
export async function endSession(place: McpPlace, fields: readonly (readonly [string, string])[]): Promise<void> {
  await send(place, 'DELETE', fields, undefined).then(
    (response) => void response.destroy(),
    () => undefined,
  )
}

async function send(
  place: McpPlace,
  method: string,
  fields: readonly (readonly [string, string])[],
  body: string | undefined,
): Promise<IncomingMessage> {
  const { url, socketPath, tls, signal } = place
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http')
  const own: [string, string][] = [
    ['accept', 'application/json, text/event-stream'],
    ['accept-encoding', 'identity'],
    ...(body === undefined
      ? []
      : ([
          ['content-type', 'application/json'],
          ['content-length', String(Buffer.byteLength(body))],
        ] as [string, string][])),
  ]
  const headers = ['host', url.host, ...[...own, ...fields, ...place.fields].flat()]
  const at = socketPath === undefined ? {} : { socketPath }
  return new Promise((fulfil, reject) => {
    const failed = (error: NodeJS.ErrnoException) => reject(unreachable(place, error))
    const options = { ...tls, ...at, method, headers, signal, agent: false as const, rejectUnauthorized: true }
    const sent = request(url, options, fulfil)
    sent.on('error', failed)
    sent.end(body)
  })
}

/** All of a body, or of an event stream the data of the event that has the id. */
async function answerText(response: IncomingMessage, id: RpcId | undefined): Promise<string> {
  let found: string | undefined
  const isStream = /^text\/event-stream\s*(;|$)/i.test(response.headers['content-type'] ?? '')
  const events = createEventRewriter(
    (data) => {
      if (readAnswer(data, id) !== undefined) found ??= data
      return undefined
    },
    { mostBytes },
  )
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > mostBytes) throw new Error(`its answer is larger than ${mostBytes / 1024 / 1024} MiB`)
    if (!isStream) chunks.push(chunk)
    else events.push(chunk)
    if (found !== undefined) return found
  }
  return isStream ? '' : Buffer.concat(chunks).toString('utf8')
}

/** An error may lack the id, where the server could not read it. */
function readAnswer(text: string, id: RpcId | undefined): McpAnswer['message'] {
  try {
    const value: unknown = JSON.parse(text)
    if (!isObject(value)) return undefined
    const isError = isObject(value['error']) && (value['id'] ?? null) === null
    return id !== undefined && (value['id'] === id || isError) ? value : undefined
  } catch {
    return undefined
  }
}

/** Whether it is a mapping of JSON. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function unreachable({ url, socketPath, signal }: McpPlace, error: NodeJS.ErrnoException): McpFailure {
  const at = `${socketPath ?? url.href} cannot be reached`
  if (signal.aborted) return new McpFailure('late', `${at}: it did not answer in time`, { cause: error })
  const kind = /CERT|SELF_SIGNED/.test(error.code ?? '') ? 'untrusted' : 'unreachable'
  return new McpFailure(kind, `${at}: ${connectionProblems[error.code ?? ''] ?? error.message}`, { cause: error })
}

/** In plain words, where those of Node and OpenSSL say nothing to most people. */
const connectionProblems: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there',
  ENOENT: 'nobody listens there',
  ENOTFOUND: 'there is no host of that name',
  EPROTO: 'it does not answer in TLS; an address without TLS begins with http://',
}
