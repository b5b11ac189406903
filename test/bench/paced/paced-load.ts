// An open-loop load: each request has its time, is sent at it whatever became of those before, and its latency counts
// from that time. So a server that stands still is charged for everybody who came meanwhile (no coordinated omission).

import { connect, type Socket } from 'node:net'
import { answerLength } from './answers.js'

export interface PacedLoad {
  port: number
  /** Whole requests, head and body, as bytes on the wire; sent in turn. */
  requests: readonly Buffer[]
  perSecond: number
  seconds: number
  /** Connections at most; a request that finds none free waits for one, and its clock runs. */
  mostConnections: number
  /** A request that has found no connection for so long is given up. */
  patienceMs?: number
}

export interface PacedResult {
  /** By the status of the answer: milliseconds from the scheduled time to the last byte. */
  latencies: Map<number, number[]>
  planned: number
  /** Found no connection in time. */
  unsent: number
  /** Sent, and the connection ended before the answer. */
  lost: number
  /** How long requests were sent. */
  sendingSeconds: number
}

interface Waiting {
  dueAt: number
  bytes: Buffer
}

/** Runs the load against 127.0.0.1. Throws when not even the first connection can be made. */
export async function runPaced(load: PacedLoad): Promise<PacedResult> {
  const driver = createDriver(load)
  // A connection on which nothing comes for some seconds is ended by the server.
  await driver.warm(Math.ceil(Math.min(32, load.mostConnections, load.perSecond / 20)))
  const startedAt = performance.now()
  const endsAt = startedAt + load.seconds * 1000
  const gapMs = 1000 / load.perSecond
  let sent = 0
  await new Promise<void>((resolve) => {
    const turn = () => {
      const now = performance.now()
      for (; startedAt + sent * gapMs <= Math.min(now, endsAt); sent++) {
        driver.submit({ dueAt: startedAt + sent * gapMs, bytes: load.requests[sent % load.requests.length] as Buffer })
      }
      driver.giveUp(now)
      if (now >= endsAt) resolve()
      else setTimeout(turn, 1)
    }
    turn()
  })
  const sendingSeconds = (performance.now() - startedAt) / 1000
  await driver.settled(8_000)
  return { ...driver.result, planned: sent, sendingSeconds }
}

function createDriver({ port, mostConnections, patienceMs = 10_000 }: PacedLoad) {
  const result = { latencies: new Map<number, number[]>(), unsent: 0, lost: 0 }
  const free: Connection[] = []
  const waiting: Waiting[] = []
  let connections = 0
  let underWay = 0
  const note = (status: number, ms: number) => {
    const list = result.latencies.get(status) ?? []
    result.latencies.set(status, list)
    list.push(ms)
  }
  const ready = (connection: Connection) => {
    const next = waiting.shift()
    if (next === undefined) free.push(connection)
    else send(connection, next)
  }
  const send = (connection: Connection, { dueAt, bytes }: Waiting) => {
    underWay++
    connection.send(bytes, (answer) => {
      underWay--
      if (answer === undefined) result.lost++
      else note(answer.status, performance.now() - dueAt)
      if (answer !== undefined && !answer.isLast) ready(connection)
    })
  }
  const open = async (): Promise<Connection> => {
    connections++
    const connection = openConnection(port, () => {
      connections--
      const at = free.indexOf(connection)
      if (at !== -1) free.splice(at, 1)
    })
    await connection.opened
    return connection
  }
  return {
    result,
    async warm(count: number) {
      for (const connection of await Promise.all(Array.from({ length: count }, open))) ready(connection)
    },
    submit(one: Waiting) {
      const connection = free.pop()
      if (connection !== undefined) return send(connection, one)
      waiting.push(one)
      if (connections < mostConnections) open().then(ready, () => undefined)
    },
    giveUp(now: number) {
      while (waiting.length > 0 && now - (waiting[0] as Waiting).dueAt > patienceMs) {
        waiting.shift()
        result.unsent++
      }
    },
    async settled(longestMs: number) {
      const until = performance.now() + longestMs
      while ((underWay > 0 || waiting.length > 0) && performance.now() < until) {
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      result.unsent += waiting.length
      result.lost += underWay
      for (const connection of free) connection.end()
    },
  }
}

interface Connection {
  opened: Promise<void>
  send(bytes: Buffer, done: (answer: { status: number; isLast: boolean } | undefined) => void): void
  end(): void
}

function openConnection(port: number, onEnd: () => void): Connection {
  const socket: Socket = connect({ host: '127.0.0.1', port })
  socket.setNoDelay(true)
  let pending: Buffer = Buffer.alloc(0)
  let waiting: ((answer: { status: number; isLast: boolean } | undefined) => void) | undefined
  const answered = (answer: { status: number; isLast: boolean } | undefined) => {
    const done = waiting
    waiting = undefined
    done?.(answer)
  }
  socket.on('data', (chunk: Buffer) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
    const answer = answerLength(pending)
    if (answer === undefined) return
    pending = Buffer.alloc(0)
    if (answer.isLast) socket.end()
    answered(answer)
  })
  const opened = new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  socket.on('error', () => socket.destroy())
  socket.once('close', () => {
    onEnd()
    answered(undefined)
  })
  return {
    opened,
    send(bytes, done) {
      waiting = done
      socket.write(bytes)
    },
    end: () => socket.destroy(),
  }
}
