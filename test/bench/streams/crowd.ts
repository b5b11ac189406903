// The clients of the streams benchmark, in a process of their own: they open connections to the gate, send one request on
// each, and count what they hear. By messages of its parent: `{ open, port, head, kind }`, answered with `{ opened }`;
// `{ count: true }` with `{ heard, open, bytes }`;
// `{ close: true }`; `{ transfer, port, head, way, bytes }` moves bodies of that size on so many connections from then on.

import { connect, type Socket } from 'node:net'

/** `listens` counts messages; `slow` reads a little each second. */
export interface OpenOrder {
  open: number
  port: number
  /** The head of the request. */
  head: string
  kind: 'listens' | 'slow'
}

interface TransferOrder {
  transfer: number
  port: number
  head: string
  way: 'GET' | 'PUT'
  bytes: number
}

const sockets = new Set<Socket>()
let heard = 0
let moved = 0
let slow: Socket[] = []

process.on('message', (order: Partial<OpenOrder & TransferOrder> & { count?: true; close?: true }) => {
  if (order.open !== undefined) void openAll(order as OpenOrder)
  else if (order.transfer !== undefined) {
    for (let i = 0; i < order.transfer; i += 1) transfer(order as TransferOrder)
    process.send?.({ opened: true })
  } else if (order.close) {
    for (const socket of sockets) socket.destroy()
    slow = []
    process.send?.({ closed: true })
  } else process.send?.({ heard, open: sockets.size, bytes: moved })
})
process.on('disconnect', () => process.exit())

async function openAll(order: OpenOrder): Promise<void> {
  let refused = ''
  for (let opened = 0; opened < order.open; opened += 50) {
    const answers = await Promise.all(Array.from({ length: Math.min(50, order.open - opened) }, () => openOne(order)))
    refused ||= answers.find((answer) => !/^HTTP\/1.1 (?:200|101) /.test(answer)) ?? ''
  }
  process.send?.({ opened: true, refused })
}

/** Resolves with the beginning of the answer. */
function openOne({ port, head, kind }: OpenOrder): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      sockets.delete(socket)
      resolve('closed')
    })
    socket.once('data', (bytes: Buffer) => {
      resolve(bytes.toString('latin1', 0, 200))
      if (kind === 'slow') {
        socket.pause()
        slow.push(socket)
      }
    })
    socket.on('data', () => {
      heard += 1
    })
    socket.write(head)
  })
}

setInterval(() => {
  for (const socket of slow) socket.resume()
  setTimeout(() => {
    for (const socket of slow) socket.pause()
  }, 1)
}, 1_000)

const piece = Buffer.alloc(65_536, 'y')

/** One body after the other; an answer has ended when as many bytes as it has at least are here. */
function transfer({ port, head, way, bytes }: TransferOrder): void {
  const socket = connect(port, '127.0.0.1')
  let left = 0
  let received = 0
  let expected = 0
  const more = () => {
    while (left > 0) {
      const next = left < piece.length ? piece.subarray(0, left) : piece
      left -= next.length
      moved += next.length
      if (!socket.write(next)) return
    }
  }
  const begin = () => {
    received = 0
    left = way === 'PUT' ? bytes : 0
    socket.write(head)
    more()
  }
  socket.on('error', () => socket.destroy())
  socket.on('connect', begin).on('drain', more)
  socket.on('data', (chunk: Buffer) => {
    // The head comes in one piece, and the whole answer to a PUT too.
    if (received === 0) expected = way === 'PUT' ? 0 : chunk.indexOf('\r\n\r\n') + 4 + bytes
    received += chunk.length
    if (way === 'GET') moved += chunk.length
    if (received >= expected) begin()
  })
}
