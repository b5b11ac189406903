// A TCP proxy that spoils what passes through it, for one direction or both, switched while connections are open:
// latency, jitter, bandwidth, small slices, a black hole, a cut after so many bytes, resets, or nobody listening at
// all.

import { createServer, connect as dial, type Server, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { steadyPort } from '../programs/steady-port.js'
import { resetConnection } from '../traffic/reset-connection.js'

/** What becomes of the bytes of one direction. Nothing set: they pass. */
export interface Toxic {
  /** Every piece arrives this much later. */
  latencyMs?: number
  /** Up to this much more or less, piece by piece. */
  jitterMs?: number
  bytesPerSecond?: number
  /** Pieces are no larger than this. */
  sliceBytes?: number
  /** Nothing passes, and nobody learns it: bytes wait as they would for a cable to be put back. */
  blackhole?: boolean
  /** The connection is reset after this many bytes of it. */
  limitBytes?: number
}

export interface Fault {
  toTarget?: Toxic
  toClient?: Toxic
  /** `reset`: all connections now, and each new one at once. `down`: the same, and nobody listens. */
  refuse?: 'reset' | 'down'
}

export interface FaultProxy {
  readonly port: number
  /** Connections open now. */
  readonly connections: number
  /** Replaces the fault; `{}` is none. Resolves when it holds. */
  set(fault: Fault): Promise<void>
  /** Both directions of everything: no answer, no error. */
  blackhole(): Promise<void>
  heal(): Promise<void>
  close(): Promise<void>
}

interface Pair {
  client: Socket
  target: Socket | undefined
}

const mostQueued = 1 << 20

/** A proxy on a port of its own in front of `target`. */
export async function startFaultProxy(t: { teardown(work: () => unknown): void }, targetPort: number) {
  let fault: Fault = {}
  const pairs = new Set<Pair>()
  const take = (client: Socket): void => {
    if (fault.refuse !== undefined) return void resetConnection(client)
    const pair: Pair = { client, target: undefined }
    pairs.add(pair)
    client.once('close', () => {
      pairs.delete(pair)
      pair.target?.destroy()
    })
    client.on('error', () => client.destroy())
    void connectThrough(pair, targetPort, () => fault)
  }
  let server = await listen(await steadyPort(), take)
  const { port } = server.address() as { port: number }
  const reset = (): void => {
    for (const { client, target } of pairs) {
      resetConnection(client)
      if (target !== undefined) resetConnection(target)
    }
  }
  const proxy: FaultProxy = {
    port,
    get connections() {
      return pairs.size
    },
    async set(next) {
      fault = next
      if (next.refuse !== undefined) reset()
      if (next.refuse === 'down' && server.listening) await closed(server)
      if (next.refuse !== 'down' && !server.listening) server = await listen(port, take)
    },
    blackhole: () => proxy.set({ toTarget: { blackhole: true }, toClient: { blackhole: true } }),
    heal: () => proxy.set({}),
    async close() {
      fault = { refuse: 'down' }
      reset()
      if (server.listening) await closed(server)
    },
  }
  t.teardown(() => proxy.close())
  return proxy
}

/**
 * A client that arrives in a black hole is accepted and hears nothing; its target is dialled when it can be reached.
 */
async function connectThrough(pair: Pair, targetPort: number, fault: () => Fault): Promise<void> {
  const { client } = pair
  while (!client.destroyed && fault().toTarget?.blackhole === true) await wait(10)
  if (client.destroyed) return
  const target = dial({ host: '127.0.0.1', port: targetPort, noDelay: true })
  pair.target = target
  target.on('error', () => client.destroy())
  target.once('close', () => client.destroy())
  client.setNoDelay(true)
  carry(client, target, () => fault().toTarget ?? {})
  carry(target, client, () => fault().toClient ?? {})
}

interface Piece {
  bytes: Buffer
  /** When it may arrive at the earliest. */
  dueMs: number
}

/** One direction. Pieces keep their order whatever their delay. */
function carry(source: Socket, sink: Socket, toxic: () => Toxic): void {
  const queue: Piece[] = []
  let queued = 0
  let passed = 0
  let running = false
  let ended = false
  const send = async (piece: Piece): Promise<void> => {
    await until(piece.dueMs)
    const { sliceBytes = piece.bytes.length } = toxic()
    for (let at = 0; at < piece.bytes.length; at += sliceBytes) {
      while (toxic().blackhole === true && !sink.destroyed) await wait(5)
      const slice = piece.bytes.subarray(at, at + sliceBytes)
      const { bytesPerSecond, limitBytes = Number.POSITIVE_INFINITY } = toxic()
      if (bytesPerSecond !== undefined) await wait((slice.length / bytesPerSecond) * 1000)
      if (sink.destroyed) return
      passed += slice.length
      sink.write(slice)
      if (passed > limitBytes) return void resetConnection(source)
    }
  }
  const run = async (): Promise<void> => {
    if (running) return
    running = true
    for (let piece = queue.shift(); piece !== undefined; piece = queue.shift()) {
      await send(piece)
      queued -= piece.bytes.length
      if (queued < mostQueued) source.resume()
    }
    running = false
    if (ended) sink.end()
  }
  source.on('data', (bytes: Buffer) => {
    queue.push({ bytes, dueMs: performance.now() + delayOf(toxic()) })
    queued += bytes.length
    if (queued >= mostQueued) source.pause()
    void run()
  })
  source.on('end', () => {
    ended = true
    void run()
  })
}

function delayOf({ latencyMs = 0, jitterMs = 0 }: Toxic): number {
  return Math.max(0, latencyMs + (Math.random() * 2 - 1) * jitterMs)
}

/** No timer for what is due now: a proxy without a fault costs no time. */
async function until(dueMs: number): Promise<void> {
  const leftMs = dueMs - performance.now()
  if (leftMs > 0) await wait(leftMs)
}

function listen(port: number, take: (client: Socket) => void): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer({ allowHalfOpen: true }, take)
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}
