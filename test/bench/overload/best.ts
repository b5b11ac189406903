// What the gate can do for a crowd that waits for its turn: as many connections as in the overload, all of them used, but
// only a few requests at a time. Between two requests of one connection the processor's caches have forgotten it, so this
// is less than what the same few connections would get by themselves.

import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { type Answer, readAnswer } from './answer.js'

export interface TurnsLoad {
  port: number
  /** Whole, head and body. */
  request: Buffer
  connections: number
  /** Requests under way. */
  atOnce: number
  seconds: number
}

/** The connections are opened before it begins, and the first second is not counted. */
const settleMs = 1_000
/** The middle one of windows of so long is the figure, so that a machine that stands still for a while does not count. */
const windowMs = 500

/** Answers with 200 in a second. Rejects when every connection was closed. */
export async function bestInTurn({ port, request, connections, atOnce, seconds }: TurnsLoad): Promise<number> {
  const sockets = await gather(port, connections)
  const idle = [...sockets]
  let answered = 0
  try {
    return await new Promise<number>((resolve, reject) => {
      const underWay = new Set<Socket>()
      const next = () => {
        const socket = idle.shift()
        if (socket === undefined) reject(new Error('the server has closed every connection'))
        else {
          underWay.add(socket)
          socket.write(request)
        }
      }
      for (const socket of sockets) {
        onAnswers(socket, ({ status, isLast }) => {
          underWay.delete(socket)
          if (status === 200) answered += 1
          if (!isLast) idle.push(socket)
          next()
        })
        socket.once('close', () => {
          if (idle.includes(socket)) idle.splice(idle.indexOf(socket), 1)
          if (underWay.delete(socket)) next()
        })
      }
      for (let i = 0; i < atOnce; i++) next()
      const windows: number[] = []
      const look = (before: number, startedAt: number) => {
        const now = performance.now()
        windows.push(((answered - before) * 1000) / (now - startedAt))
        if (windows.length * windowMs < seconds * 1000) measure()
        else resolve(windows.sort((a, b) => a - b)[windows.length >> 1] as number)
      }
      const measure = () => setTimeout(look, windowMs, answered, performance.now())
      setTimeout(measure, settleMs)
    })
  } finally {
    for (const socket of sockets) socket.removeAllListeners('data').removeAllListeners('close').destroy()
  }
}

/** Fifty at a time, which is less than a server has room for in its backlog. */
async function gather(port: number, count: number): Promise<Socket[]> {
  const sockets: Socket[] = []
  while (sockets.length < count) {
    const some = Array.from({ length: Math.min(50, count - sockets.length) }, () => open(port))
    sockets.push(...(await Promise.all(some)))
  }
  return sockets
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    socket.once('connect', () => resolve(socket)).on('error', reject)
  })
}

function onAnswers(socket: Socket, answered: (answer: Answer) => void): void {
  let pending: Buffer | undefined
  socket.on('data', (chunk: Buffer) => {
    const bytes = pending === undefined ? chunk : Buffer.concat([pending, chunk])
    const answer = readAnswer(bytes)
    pending = answer === undefined ? bytes : undefined
    if (answer !== undefined) answered(answer)
  })
}
