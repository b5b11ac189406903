// The server that the official conformance suite is sent to: of both eras at one path, with sessions in the older one,
// made with the official library. Another one beside it validates nothing, so that what is refused before it was refused
// by the gate.

import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { NodeStreamableHTTPServerTransport, toNodeHandler, toWebRequest } from '@modelcontextprotocol/node'
import {
  createMcpHandler,
  type EventStore,
  isLegacyRequest,
  type JSONRPCMessage,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server'
import { suiteOffers } from './suite-offers.js'

interface Test {
  teardown(work: () => unknown): void
}

/** Starts it on a free port and resolves with it; it ends with the test. */
export async function startSuiteServer(t: Test): Promise<number> {
  const modern = createMcpHandler(() => suiteOffers(() => modern.notify), { legacy: 'reject' })
  const answerModern = toNodeHandler(modern)
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>()
  const answerSession = async (request: IncomingMessage, response: ServerResponse, body: unknown) => {
    const id = request.headers['mcp-session-id']
    const known = sessions.get(String(id))
    if (known !== undefined) return known.handleRequest(request as never, response, body)
    if (id !== undefined) return void response.writeHead(404).end()
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: createEventStore(),
      retryInterval: 500,
      onsessioninitialized: (given) => void sessions.set(given, transport),
      onsessionclosed: (given) => void sessions.delete(given),
    })
    await suiteOffers(() => undefined).connect(transport)
    return transport.handleRequest(request as never, response, body)
  }
  t.teardown(() => modern.close())
  return listen(t, (request, response) => {
    void answer(request, response).catch((error: unknown) => response.destroy(error as Error))
  })

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const { host, origin } = request.headers
    const isLocal = validateHostHeader(host, localhostAllowedHostnames()).ok
    if (!isLocal || !validateOriginHeader(origin, localhostAllowedOrigins()).ok) return response.writeHead(403).end()
    if (request.method !== 'POST') return answerSession(request, response, undefined)
    const read = await text(request)
    const body: unknown = readable(read)
    const isLegacy = body !== undefined && (await isLegacyRequest(await toWebRequest(request as never, body)))
    return isLegacy ? answerSession(request, response, body) : answerModern(request as never, response, body ?? read)
  }
}

function readable(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** Answers whatever stands in the body, and looks at no header field. */
export function startCarelessServer(t: Test): Promise<number> {
  const tool = { name: 'test_simple_text', inputSchema: { type: 'object' } }
  return listen(t, async (request, response) => {
    const { id, method } = JSON.parse((await text(request)) || '{}')
    const result = method === 'tools/list' ? { tools: [tool], ttlMs: 0, cacheScope: 'private' } : { content: [] }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } }))
  })
}

async function listen(t: Test, listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** Events of a session, so that a stream which broke off can be gone on with. */
function createEventStore(): EventStore {
  const events: { id: string; stream: string; message: JSONRPCMessage }[] = []
  return {
    async storeEvent(stream, message) {
      const id = String(events.length)
      events.push({ id, stream, message })
      return id
    },
    async getStreamIdForEventId(id) {
      return events[Number(id)]?.stream
    },
    async replayEventsAfter(id, { send }) {
      const stream = events[Number(id)]?.stream ?? ''
      for (const event of events.slice(Number(id) + 1)) {
        if (event.stream === stream && Object.keys(event.message).length > 0) await send(event.id, event.message)
      }
      return stream
    },
  }
}
