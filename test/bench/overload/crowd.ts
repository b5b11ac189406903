// An open-loop load of many clients: each request has its time, and goes to a client that has nothing under way. Where
// there is none it is not sent. Latencies count from the time that a request was due, so a server that stands still is
// charged for everybody who came meanwhile (no coordinated omission).

import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { type Answer, readAnswer } from './answer.js'

export interface CrowdLoad {
  port: number
  /** Whole requests, head and body, as bytes on the wire; sent in turn. */
  requests: readonly Buffer[]
  perSecond: number
  seconds: number
  /** Each with one request at a time. */
  clients: number
  /** The share of clients that come back when Retry-After says; the others send again at once. */
  patient: number
  /** Every request has a connection of its own. */
  isNewEachTime: boolean
}

/** Of each answer, by its place: when it was due, milliseconds since the begin, and how long it took. */
export interface Answers {
  status: number[]
  dueAt: number[]
  ms: number[]
}

export interface CrowdResult extends Answers {
  planned: number
  /** No client was free. */
  unsent: number
  /** The connection ended, or was refused, before an answer. */
  lost: number
  /** How long requests were sent. */
  sendingSeconds: number
  /** The share of the time in which this process was busy: near 1 it was what limited. */
  generatorBusy: number
}

/** For the system a connection stands long before the server has seen it. */
const acceptMs = 1_500

interface Client {
  socket: Socket | undefined
  isPatient: boolean
  answered: ((answer: Answer | undefined) => void) | undefined
}

/** Runs the load against 127.0.0.1. */
export async function runCrowd(load: CrowdLoad): Promise<CrowdResult> {
  const crowd = createCrowd(load)
  await crowd.gather()
  const usedBefore = performance.eventLoopUtilization()
  const startedAt = performance.now()
  const endsAt = startedAt + load.seconds * 1000
  const gapMs = 1000 / load.perSecond
  let planned = 0
  await new Promise<void>((resolve) => {
    const turn = () => {
      const now = performance.now()
      for (; startedAt + planned * gapMs <= Math.min(now, endsAt); planned++) {
        crowd.send(load.requests[planned % load.requests.length] as Buffer, startedAt, planned * gapMs)
      }
      if (now >= endsAt) resolve()
      else setTimeout(turn, 1)
    }
    turn()
  })
  const sendingSeconds = (performance.now() - startedAt) / 1000
  const generatorBusy = performance.eventLoopUtilization(usedBefore).utilization
  await crowd.settled(8_000)
  return { ...crowd.result, planned, sendingSeconds, generatorBusy }
}

function createCrowd(load: CrowdLoad) {
  const result = { status: [] as number[], dueAt: [] as number[], ms: [] as number[], unsent: 0, lost: 0 }
  const free: Client[] = Array.from({ length: load.clients }, (_, i) => ({
    socket: undefined,
    isPatient: (i % 10) / 10 < load.patient,
    answered: undefined,
  }))
  const timers = new Set<NodeJS.Timeout>()
  let underWay = 0
  const rest = (client: Client, seconds: number) => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      free.push(client)
    }, seconds * 1000)
    timers.add(timer)
  }
  const leave = (client: Client, answer: Answer) => {
    if (load.isNewEachTime || answer.isLast) {
      client.socket?.destroy()
      client.socket = undefined
    }
    if (client.isPatient && answer.retryAfter > 0) rest(client, answer.retryAfter)
    else free.push(client)
  }
  return {
    result,
    /** Connections that are kept stand before the first request, also for the server, which takes a while to accept them. */
    async gather() {
      if (load.isNewEachTime) return
      for (let i = 0; i < free.length; i += 50) {
        await Promise.all(
          free.slice(i, i + 50).map(
            (client) =>
              new Promise<void>((resolve) => {
                openFor(client, load.port).once('connect', resolve).once('close', resolve)
              }),
          ),
        )
      }
      await new Promise((resolve) => setTimeout(resolve, acceptMs))
    },
    send(bytes: Buffer, startedAt: number, dueAt: number) {
      const client = free.pop()
      if (client === undefined) {
        result.unsent++
        return
      }
      underWay++
      const socket = client.socket ?? openFor(client, load.port)
      client.answered = (answer) => {
        underWay--
        if (answer === undefined) {
          result.lost++
          free.push(client)
          return
        }
        result.status.push(answer.status)
        result.dueAt.push(dueAt)
        result.ms.push(performance.now() - startedAt - dueAt)
        leave(client, answer)
      }
      socket.write(bytes)
    },
    async settled(longestMs: number) {
      const until = performance.now() + longestMs
      while (underWay > 0 && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 10))
      result.lost += underWay
      for (const timer of timers) clearTimeout(timer)
      for (const client of free) client.socket?.destroy()
    },
  }
}

function openFor(client: Client, port: number): Socket {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true })
  let pending: Buffer | undefined
  client.socket = socket
  const answered = (answer: Answer | undefined) => {
    const { answered } = client
    client.answered = undefined
    answered?.(answer)
  }
  socket.on('data', (chunk: Buffer) => {
    const bytes = pending === undefined ? chunk : Buffer.concat([pending, chunk])
    const answer = readAnswer(bytes)
    pending = answer === undefined ? bytes : undefined
    if (answer !== undefined) answered(answer)
  })
  socket.on('error', () => socket.destroy())
  socket.once('close', () => {
    if (client.socket !== socket) return
    client.socket = undefined
    answered(undefined)
  })
  return socket
}
