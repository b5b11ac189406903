// Both ends of a WebSocket over bare sockets: frames as they are sent and as they arrive, so that a test can stop in
// the middle of one.

import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { TargetPlace } from '../../../src/config/settings/upstream-settings.js'
import { type Test, urlTarget, viaProxy } from '../rooms/http-gate.js'
import { type RawAnswer, type RawTarget, rawConnection } from '../traffic/http-raw.js'

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

export interface Frame {
  opcode: number
  payload: Buffer
}

export interface WebSocketEnd {
  socket: Socket
  /** Those that have arrived whole. */
  frames: Frame[]
  send(payload: string | Buffer, opcode?: number): boolean
  /** Resolves with the frames when there are so many, or when the connection has closed. */
  until(count: number): Promise<Frame[]>
  /** Resolves with the frames when the connection has closed. */
  closed(): Promise<Frame[]>
}

/** The bytes of one whole frame. */
export function frameBytes(payload: string | Buffer, opcode: number, masked: boolean): Buffer {
  const data = Buffer.from(payload)
  const mask = masked ? randomBytes(4) : Buffer.alloc(0)
  if (masked) for (let i = 0; i < data.length; i++) data[i] = (data[i] as number) ^ (mask[i % 4] as number)
  const bit = masked ? 0x80 : 0
  let head: Buffer
  if (data.length < 126) head = Buffer.from([0x80 | opcode, bit | data.length])
  else if (data.length < 65_536) {
    head = Buffer.from([0x80 | opcode, bit | 126, 0, 0])
    head.writeUInt16BE(data.length, 2)
  } else {
    head = Buffer.from([0x80 | opcode, bit | 127, ...Array(8).fill(0)])
    head.writeUInt32BE(data.length, 6)
  }
  return Buffer.concat([head, mask, data])
}

/** Speaks frames on a connection that has switched; `sends` is who we are: clients mask. */
export function webSocketEnd(socket: Socket, sends: 'masked' | 'plain', early: Buffer = Buffer.alloc(0)): WebSocketEnd {
  const frames: Frame[] = []
  let bytes = early
  const waiting = new Set<() => void>()
  const wake = () => {
    for (const look of waiting) look()
  }
  const read = () => {
    for (;;) {
      const frame = firstFrame(bytes)
      if (frame === undefined) return
      frames.push(frame.frame)
      bytes = bytes.subarray(frame.length)
    }
  }
  socket.on('data', (chunk) => {
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
    read()
    wake()
  })
  socket.on('error', () => undefined)
  // The other side has said its last word; a test that wants to say more does so before.
  socket.on('end', () => socket.end())
  socket.on('close', wake)
  read()
  const when = (isDone: () => boolean) =>
    new Promise<Frame[]>((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(look)
        reject(new Error(`only ${frames.length} frames in time`))
      }, 30_000)
      const look = () => {
        if (!isDone() && !socket.destroyed) return
        clearTimeout(timer)
        waiting.delete(look)
        resolve(frames)
      }
      waiting.add(look)
      look()
    })
  return {
    socket,
    frames,
    send: (payload, opcode = opcodes.text) => socket.write(frameBytes(payload, opcode, sends === 'masked')),
    until: (count) => when(() => frames.length >= count),
    closed: () => when(() => false),
  }
}

function firstFrame(bytes: Buffer): { frame: Frame; length: number } | undefined {
  if (bytes.length < 2) return undefined
  const short = (bytes[1] as number) & 0x7f
  const isMasked = ((bytes[1] as number) & 0x80) !== 0
  const lengthBytes = short === 127 ? 8 : short === 126 ? 2 : 0
  const maskAt = 2 + lengthBytes
  const start = maskAt + (isMasked ? 4 : 0)
  if (bytes.length < start) return undefined
  const size = lengthBytes === 0 ? short : lengthBytes === 2 ? bytes.readUInt16BE(2) : bytes.readUInt32BE(6)
  if (bytes.length < start + size) return undefined
  const payload = Buffer.from(bytes.subarray(start, start + size))
  if (isMasked) for (let i = 0; i < size; i++) payload[i] = (payload[i] as number) ^ (bytes[maskAt + (i % 4)] as number)
  return { frame: { opcode: (bytes[0] as number) & 0x0f, payload }, length: start + size }
}

/** A Close as it arrives: its code and its word. */
export function closing(frame: Frame | undefined): [number, string] | undefined {
  if (frame?.opcode !== opcodes.close) return undefined
  return [frame.payload.readUInt16BE(0), frame.payload.subarray(2).toString()]
}

/** RFC 6455 §4.2.2. */
export function acceptOf(key: string): string {
  return createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
}

export interface WebSocketUpstream {
  target: TargetPlace
  port: number
  /** In the order in which they came. */
  sockets: (WebSocketEnd & { request: IncomingMessage })[]
  connections: number
}

/**
 * An upstream that accepts every handshake, with `fields` besides, and then does what `talk` says (default: echo
 * texts).
 */
export async function webSocketUpstream(
  t: Test,
  talk: (end: WebSocketEnd) => void = echo,
  fields = '',
): Promise<WebSocketUpstream> {
  const server = createServer((_request, response) => void response.end('plain'))
  const sockets: WebSocketUpstream['sockets'] = []
  server.on('upgrade', (request, socket: Socket, head) => {
    const end = Object.assign(acceptHandshake(request, socket, head, fields), { request })
    sockets.push(end)
    talk(end)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const upstream: WebSocketUpstream = { target: urlTarget(port), port, sockets, connections: 0 }
  server.on('connection', () => {
    upstream.connections++
  })
  t.teardown(() => {
    for (const { socket } of sockets) socket.destroy()
    server.closeAllConnections()
    server.close()
  })
  return upstream
}

/** Answers a handshake with 101, and `fields` besides. */
export function acceptHandshake(request: IncomingMessage, socket: Socket, head: Buffer, fields = ''): WebSocketEnd {
  const accept = acceptOf(request.headers['sec-websocket-key'] ?? '')
  const lines = `Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n${fields}`
  socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines}\r\n`)
  return webSocketEnd(socket, 'plain', head)
}

/** Sends back whatever arrives, a Close too. */
export function echo(end: WebSocketEnd): void {
  const sent = { count: 0 }
  end.socket.on('data', () => {
    for (const { opcode, payload } of end.frames.slice(sent.count)) {
      sent.count++
      end.send(payload, opcode)
      if (opcode === opcodes.close) end.socket.end()
    }
  })
}

export const handshakeKey = 'dGhlIHNhbXBsZSBub25jZQ=='
export const handshakeFields = `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${handshakeKey}\r\n`

/** Sends a handshake; the answer, and with 101 the client's end. */
export async function openWebSocket(
  t: Test,
  gate: RawTarget,
  { path, token, fields = handshakeFields }: { path: string; token?: string; fields?: string },
): Promise<{ answer: RawAnswer; end: WebSocketEnd }> {
  const connection = await rawConnection(gate)
  t.teardown(() => connection.end())
  const authorization = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`
  connection.send(`GET ${path} HTTP/1.1\r\n${viaProxy}${authorization}${fields}\r\n`)
  const answer = await connection.answer('HEAD')
  const { socket } = connection
  socket.removeAllListeners('data')
  return { answer, end: webSocketEnd(socket, 'masked', connection.rest()) }
}
