// A connection to a target whose bytes a test hands over itself, one cut at a time, without a network: for our own
// client, and for undici, whose reading ours is held against.

import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { Client } from 'undici'
import { handlerOf, type RawFields, type UpstreamEvents } from '../../../src/gateway/forward/upstream-events.js'
import { Connections } from '../../../src/gateway/http1/connections.js'
import { sharedReads } from '../../../src/gateway/http1/socket-reads.js'
import { withoutContinue } from '../../../src/gateway/upstreams/unasked-continue.js'

/** What became of a request. */
export interface Reading {
  /** Whole, cut in the middle, or no answer at all. */
  end: 'whole' | 'cut' | 'refused'
  status: number
  fields: string[]
  body: string
  trailers: string[]
  /** Another request may follow on the connection. */
  isKept: boolean
}

class ScriptedSocket extends Duplex {
  bytesRead = 0
  sent = ''

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.sent += chunk.toString('latin1')
    done()
  }

  unref(): this {
    return this
  }

  ref(): this {
    return this
  }
}

function listen(events: Partial<UpstreamEvents>): { reading: Reading; events: UpstreamEvents } {
  const reading: Reading = { end: 'refused', status: 0, fields: [], body: '', trailers: [], isKept: false }
  const texts = (fields: RawFields) => fields.map((one) => (typeof one === 'string' ? one : one.toString('latin1')))
  return {
    reading,
    events: {
      connected: () => undefined,
      answering: () => undefined,
      head(status, fields) {
        if (status < 200) return true
        reading.end = 'cut'
        reading.status = status
        reading.fields = texts(fields)
        return true
      },
      upgraded: () => undefined,
      data(chunk) {
        reading.body += chunk.toString('latin1')
        return true
      },
      ended(trailers) {
        reading.end = 'whole'
        reading.trailers = texts(trailers ?? [])
      },
      failed: () => undefined,
      ...events,
    },
  }
}

const request = { path: '/', headers: [], body: null, headersTimeout: 0, bodyTimeout: 0 }

/** What our client makes of an answer that comes in these pieces; then the other side ends the connection. */
export function readOurselves(pieces: readonly Buffer[], method = 'GET'): Reading {
  const socket = new ScriptedSocket()
  const connections = new Connections({
    origin: 'http://target',
    connect: (_origin, done) => done(null, socket as unknown as Socket),
    connections: 1,
    isReusable: true,
  })
  const { reading, events } = listen({})
  connections.dispatch({ ...request, method }, events)
  for (const piece of pieces) {
    if (socket.destroyed) break
    piece.copy(sharedReads.buffer as Buffer)
    socket.bytesRead += piece.length
    sharedReads.callback.call(socket, piece.length, sharedReads.buffer as Buffer)
  }
  reading.isKept = reading.end === 'whole' && connections.size === 1
  socket.emit('end')
  connections.destroy()
  return reading
}

/** What undici makes of it, all in one piece. */
export async function readByUndici(bytes: Buffer, method = 'GET'): Promise<Reading> {
  const socket = new ScriptedSocket()
  withoutContinue(socket as unknown as Socket)
  const client = new Client('http://target', {
    connect: (_options, done) => void setImmediate(() => done(null, socket as unknown as Socket)),
    maxHeaderSize: 32_768,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const { reading, events } = listen({})
  client.dispatch({ ...request, method }, handlerOf(events))
  await turn()
  await turn()
  socket.push(bytes)
  await turn()
  await turn()
  reading.isKept = reading.end === 'whole' && !socket.destroyed
  if (!socket.destroyed) socket.push(null)
  await turn()
  await turn()
  void client.destroy()
  return reading
}

const turn = () => new Promise((resolve) => setImmediate(resolve))
