// The service of the streams benchmark: says something on open event streams and WebSockets as often as it was last
// requested, pours bodies, and drinks them. Argument: port.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { acceptOf, frameBytes, opcodes } from '../../support/upstreams/web-sockets.js'

const event = Buffer.from('data: {"tick":1}\n\n')
const frame = frameBytes('{"tick":1}', opcodes.text, false)
const piece = Buffer.alloc(65_536, 'x')
const everyMs = 20

const listeners: Record<'events' | 'frames', Duplex[]> = { events: [], frames: [] }
const rates = { events: 0, frames: 0 }

const server = createServer((request, response) => {
  const [, , , what, amount] = (request.url ?? '').split(/[/?]/)
  if (what === 'live') openEvents(response)
  else if (request.method === 'PUT') drink(request, response)
  else if (what === 'body') pour(response, Number(amount))
  else {
    // `/-/-/rate/events=5000`: directly, not through the gate.
    const [kind, perSecond] = (amount ?? '').split('=')
    if (kind === 'events' || kind === 'frames') rates[kind] = Number(perSecond)
    response.end('{}')
  }
})

function openEvents(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).write(event)
  join(listeners.events, response.socket as Socket, response as unknown as Duplex)
}

function join(all: Duplex[], socket: Socket, written: Duplex): void {
  all.push(written)
  socket.once('close', () => all.splice(all.indexOf(written), 1))
}

server.on('upgrade', (request, socket: Socket) => {
  const accept = acceptOf(request.headers['sec-websocket-key'] ?? '')
  const fields = `Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n`
  socket.on('error', () => undefined).on('data', () => undefined)
  socket.write(`HTTP/1.1 101 Switching Protocols\r\n${fields}\r\n`)
  socket.write(frame)
  join(listeners.frames, socket, socket)
})

function drink(request: IncomingMessage, response: ServerResponse): void {
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  request.on('end', () => response.end(`${bytes}`))
}

function pour(response: ServerResponse, amount: number): void {
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': amount })
  let left = amount
  const more = () => {
    while (left > 0) {
      const next = left < piece.length ? piece.subarray(0, left) : piece
      left -= next.length
      if (!response.write(next)) return void response.once('drain', more)
    }
    response.end()
  }
  more()
}

const turns = { events: 0, frames: 0 }
setInterval(() => {
  for (const kind of ['events', 'frames'] as const) {
    const all = listeners[kind]
    const bytes = kind === 'events' ? event : frame
    const count = all.length === 0 ? 0 : Math.round((rates[kind] * everyMs) / 1000)
    for (let i = 0; i < count; i += 1) {
      turns[kind] = (turns[kind] + 1) % all.length
      all[turns[kind]]?.write(bytes)
    }
  }
}, everyMs)

server.listen({ port: Number(process.argv[2]), host: '127.0.0.1', backlog: 4_096 })
