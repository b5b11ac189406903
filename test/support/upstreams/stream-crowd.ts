// A process with both ends of many streams, so that the process of the gate between them is measured alone: a service
// that says something on each once a second, and as many clients, half with event streams and half with WebSockets.

import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { viaProxy } from '../rooms/http-gate.js'
import { say } from '../storage/child-messages.js'
import { acceptOf, frameBytes, handshakeFields, opcodes } from './web-sockets.js'

const event = 'data: {"tick":1}\n\n'
const text = frameBytes('{"tick":1}', opcodes.text, false)

const upstream = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  response.write(event)
  const ticking = setInterval(() => response.write(event), 1_000)
  response.on('close', () => clearInterval(ticking))
})
upstream.on('upgrade', (request, socket: Socket) => {
  const accept = acceptOf(request.headers['sec-websocket-key'] ?? '')
  const fields = `Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n`
  socket.write(`HTTP/1.1 101 Switching Protocols\r\n${fields}\r\n`)
  socket.write(text)
  const ticking = setInterval(() => socket.write(text), 1_000)
  socket.on('error', () => undefined).on('close', () => clearInterval(ticking))
})
upstream.listen(0, '127.0.0.1', () => say(`upstream ${(upstream.address() as { port: number }).port}`))

/** Resolves when the first event or frame is there. */
function openStream(port: number, head: string, onBytes: () => void, onClose: () => void): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let received = ''
    socket.on('data', (bytes) => {
      if (received.includes('tick')) return onBytes()
      received += bytes.toString('latin1')
      if (received.includes('tick')) resolve()
    })
    socket.on('error', () => undefined).on('end', () => socket.end())
    socket.on('close', onClose)
    socket.write(head)
  })
}

/** `open <port of the gate> <token> <how many>` */
createInterface({ input: process.stdin }).on('line', async (line) => {
  const [, port = '', token = '', count = ''] = line.split(' ')
  const open = { now: Number(count), heard: 0 }
  const onClose = () => {
    open.now -= 1
    if (open.now === 0) say('all closed')
  }
  const onBytes = () => {
    open.heard += 1
  }
  const fields = `${viaProxy}Authorization: Bearer ${token}\r\n`
  for (let opened = 0; opened < Number(count); opened += 50) {
    const some = Array.from({ length: Math.min(50, Number(count) - opened) }, (_, i) => {
      const handshake = i % 2 === 0 ? handshakeFields : ''
      const head = `GET /api/v2/live HTTP/1.1\r\n${fields}${handshake}\r\n`
      return openStream(Number(port), head, onBytes, onClose)
    })
    await Promise.all(some)
  }
  say('all open')
  setInterval(() => say(`heard ${open.heard} on ${open.now}`), 1_000)
})
