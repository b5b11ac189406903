// The service behind the gate: it answers everything, takes WebSockets, and what it saw is the judge. The bundled
// service is watched the same way.

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { type RecordingUpstream, recordingUpstream, type Test } from '../support/rooms/http-gate.js'
import { acceptOf } from '../support/upstreams/web-sockets.js'

/** A request that began. */
export interface ReceivedRequest {
  method: string
  url: string
  raw: readonly string[]
  /** What the client said it is. */
  attempt: string
  /** It requested another protocol. */
  handshake?: Handshake
}

interface Handshake {
  /** What came before it was answered. */
  early: string
  /** What came after it had been refused. */
  afterwards: string
}

export interface Service {
  port: number
  received: ReceivedRequest[]
  /** Those that came whole, with their bodies. */
  whole: RecordingUpstream['requests']
  /** What could not be read. */
  misread: string[]
}

/** Starts it; it ends with the test. */
export async function startService(t: Test): Promise<Service> {
  const upstream = await recordingUpstream(
    t,
    (request, response) => response.end(JSON.stringify({ attempt: request.headers['x-attempt'] })),
    { insecureHTTPParser: true, maxHeaderSize: 65_536 },
  )
  const service: Service = { port: upstream.port, received: [], whole: upstream.requests, misread: [] }
  upstream.server.on('clientError', (error: Error & { code?: string; reason?: string }, socket) => {
    // The gate ends the connection when a client does not send all of its body.
    const isCut = ['ECONNRESET', 'EPIPE', 'HPE_INVALID_EOF_STATE'].includes(error.code ?? '')
    if (!isCut) service.misread.push(`${error.code} ${error.reason}`)
    socket.destroy()
  })
  upstream.server.on('upgrade', (request, socket: Socket, head: Buffer) => {
    const handshake = { early: head.toString('latin1'), afterwards: '' }
    service.received.push({ ...toReceived(request), handshake })
    answerHandshake(request, socket, handshake)
  })
  watch(t, service.received, (server) => server === upstream.server || String(server.address()).endsWith('.sock'))
  return service
}

/** It hangs up when it has heard the request that is sent behind each attack. */
function answerHandshake(request: IncomingMessage, socket: Socket, handshake: Handshake): void {
  const url = request.url ?? ''
  const isRefused = url.startsWith('/talk/refused')
  let heard = ''
  socket.on('error', () => socket.destroy())
  socket.on('end', () => socket.end())
  socket.on('data', (bytes: Buffer) => {
    const text = bytes.toString('latin1')
    if (isRefused) handshake.afterwards += text
    heard += text
    if (heard.includes(`probe-${request.headers['x-attempt']}\r\n`)) socket.end()
  })
  if (isRefused) {
    socket.write('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno')
    return
  }
  const accept = url.startsWith('/talk/wrongly') ? 'wrong' : acceptOf(request.headers['sec-websocket-key'] ?? '')
  const lines = `Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n`
  socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines}\r\n`)
}

/** Every request that begins at one of these servers of this process, whatever becomes of it. */
function watch(
  t: { teardown(work: () => unknown): void },
  received: ReceivedRequest[],
  isBehind: (server: Server) => boolean,
): void {
  const note = (message: unknown) => {
    const { request, server } = message as { request: IncomingMessage; server: Server }
    if (isBehind(server)) received.push(toReceived(request))
  }
  subscribe('http.server.request.start', note)
  t.teardown(() => unsubscribe('http.server.request.start', note))
}

function toReceived({ method = '', url = '', rawHeaders: raw, headers }: IncomingMessage): ReceivedRequest {
  return { method, url, raw, attempt: String(headers['x-attempt']) }
}
