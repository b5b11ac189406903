// A small MCP server that says what it has and does nothing: in either era, in JSON or event streams, page by page. It
// keeps what it received.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface ListedTool {
  name: string
  annotations?: { readOnlyHint?: boolean; destructiveHint?: boolean }
}

export interface ListingServerOptions {
  /** `both` unless given. */
  era?: 'modern' | 'legacy' | 'both'
  /** Answers are event streams, with a notification and a comment before the answer. */
  streams?: boolean
  /** Items of a page; all unless given. */
  page?: number
  title?: string
  tools?: readonly ListedTool[]
  prompts?: readonly string[]
  resources?: readonly string[]
  templates?: readonly string[]
  /** The value of Authorization without which it answers 401. */
  wants?: string
  /** PEM: it is reached by https then, as `localhost`. */
  certificate?: { cert: string; key: string }
  /** Answers in its place. */
  instead?: (request: IncomingMessage, response: ServerResponse) => boolean
}

export interface ReceivedMessage {
  method: string
  params: Record<string, unknown>
  headers: IncomingMessage['headers']
}

const modern = '2026-07-28'
const legacy = '2025-11-25'

/** Listens on a free port until the test ends; `requests` grows. */
export async function listingMcpServer(
  t: { teardown(work: () => unknown): void },
  options: ListingServerOptions = {},
): Promise<{ url: string; origin: string; requests: ReceivedMessage[]; ended: string[] }> {
  const requests: ReceivedMessage[] = []
  const ended: string[] = []
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    if (options.instead?.(request, response) === true) return
    void answer(request, response, { options, requests, ended })
  }
  const { certificate } = options
  const server = certificate === undefined ? createServer(listener) : createSecureServer(certificate, listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  const origin = certificate === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`
  return { url: `${origin}/mcp`, origin, requests, ended }
}

interface Answering {
  options: ListingServerOptions
  requests: ReceivedMessage[]
  ended: string[]
}

async function answer(request: IncomingMessage, response: ServerResponse, { options, requests, ended }: Answering) {
  const { headers, method } = request
  if (options.wants !== undefined && headers.authorization !== options.wants) return response.writeHead(401).end()
  if (request.url !== '/mcp') return response.writeHead(404).end()
  if (method === 'DELETE') {
    ended.push(String(headers['mcp-session-id']))
    return response.writeHead(204).end()
  }
  const message = JSON.parse(await text(request))
  requests.push({ method: message.method, params: message.params ?? {}, headers })
  if (message.id === undefined) return response.writeHead(202).end()
  const isModern = message.params?._meta?.['io.modelcontextprotocol/protocolVersion'] === modern
  const refused = refusal(message.method, { headers, isModern, era: options.era ?? 'both' })
  if (refused !== undefined) {
    response.writeHead(400, { 'content-type': 'application/json' })
    return response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, error: refused }))
  }
  const result = resultOf(message.method, message.params ?? {}, options)
  const body =
    result === undefined
      ? { jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'Method not found' } }
      : { jsonrpc: '2.0', id: message.id, result }
  const session = message.method === 'initialize' ? { 'mcp-session-id': 'session-1' } : {}
  if (options.streams !== true) {
    response.writeHead(200, { 'content-type': 'application/json', ...session })
    return response.end(JSON.stringify(body))
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', ...session })
  const note = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: {} })
  response.write(`: hello\r\n\r\nevent: message\r\ndata: ${note}\r\n\r\n`)
  // It stays open: a client goes by the answer.
  return response.write(`data: ${JSON.stringify(body).replace(',"', ',\ndata: "')}\n\n`)
}

function refusal(
  method: string,
  {
    headers,
    isModern,
    era,
  }: { headers: IncomingMessage['headers']; isModern: boolean; era: 'modern' | 'legacy' | 'both' },
): { code: number; message: string; data?: unknown } | undefined {
  if (!isModern && era === 'modern')
    return { code: -32022, message: 'Unsupported protocol version', data: { supported: [modern] } }
  if (isModern && era === 'legacy') return { code: -32000, message: 'Bad Request: Server not initialized' }
  if (isModern && (headers['mcp-protocol-version'] !== modern || headers['mcp-method'] !== method))
    return { code: -32020, message: 'Header mismatch' }
  if (!isModern && method !== 'initialize' && headers['mcp-session-id'] !== 'session-1')
    return { code: -32000, message: 'Bad Request: No valid session' }
  return undefined
}

function resultOf(method: string, params: Record<string, unknown>, options: ListingServerOptions): object | undefined {
  const { title = 'Help desk', tools = [], prompts, resources, templates, page = 1_000_000 } = options
  const capabilities = {
    tools: {},
    ...(prompts === undefined ? {} : { prompts: {} }),
    ...(resources === undefined && templates === undefined ? {} : { resources: {} }),
  }
  const info = { name: title, version: '1' }
  const supportedVersions = options.era === 'modern' ? [modern] : [modern, legacy, '2025-06-18']
  if (method === 'server/discover')
    return { supportedVersions, capabilities, _meta: { 'io.modelcontextprotocol/serverInfo': info } }
  if (method === 'initialize') return { protocolVersion: legacy, capabilities, serverInfo: info }
  const paged = (key: string, items: readonly object[]) => {
    const from = Number(params['cursor'] ?? 0)
    const more = from + page < items.length ? { nextCursor: String(from + page) } : {}
    return { [key]: items.slice(from, from + page), ...more }
  }
  if (method === 'tools/list')
    return paged(
      'tools',
      tools.map((tool) => ({ ...tool, inputSchema: { type: 'object' } })),
    )
  if (method === 'prompts/list')
    return paged(
      'prompts',
      (prompts ?? []).map((name) => ({ name })),
    )
  if (method === 'resources/list')
    return paged(
      'resources',
      (resources ?? []).map((uri) => ({ uri, name: uri })),
    )
  if (method === 'resources/templates/list' && templates !== undefined)
    return paged(
      'resourceTemplates',
      templates.map((uriTemplate) => ({ uriTemplate, name: uriTemplate })),
    )
  return undefined
}
