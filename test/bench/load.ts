// A small closed-loop HTTP/1.1 load generator: N kept-alive connections, each sends one fixed request, waits for the
// whole answer, sends the next. It costs little, so that two cores are enough for it and the server under test.

import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

export interface Load {
  port: number
  /** Whole requests, head and body, as bytes on the wire; sent in turn. */
  requests: readonly Buffer[]
  connections: number
  durationMs: number
  /** PEM of the authority, when the server speaks TLS. */
  ca?: string
}

export interface LoadResult {
  requests: number
  seconds: number
  /** Answers that were not 2xx; one voids the run. */
  refused: number
  /** The first refused answer's head, to see why. */
  sample: string
}

/** Runs the load against 127.0.0.1 and resolves with what came back. Throws when a connection fails. */
export async function run(load: Load): Promise<LoadResult> {
  let at = 0
  const next = () => load.requests[at++ % load.requests.length] as Buffer
  const result: LoadResult = { requests: 0, seconds: 0, refused: 0, sample: '' }
  const started = performance.now()
  const until = started + load.durationMs
  await Promise.all(Array.from({ length: load.connections }, () => drive({ load, until, result, next })))
  result.seconds = (performance.now() - started) / 1000
  return result
}

interface Driver {
  load: Load
  until: number
  result: LoadResult
  next: () => Buffer
}

/** One connection after the other: the server ends each after a number of requests, and says so in its last answer. */
async function drive(driver: Driver): Promise<void> {
  while (performance.now() < driver.until) await driveConnection(driver)
}

function driveConnection({ load, until, result, next }: Driver): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = open(load)
    let pending: Buffer = Buffer.alloc(0)
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the server closed a connection')))
    socket.once(load.ca === undefined ? 'connect' : 'secureConnect', () => socket.write(next()))
    socket.on('data', (chunk: Buffer) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
      const answer = readAnswer(pending)
      if (answer === undefined) return
      result.requests++
      if (pending[9] !== 0x32) {
        result.refused++
        result.sample ||= pending.toString('latin1')
      }
      pending = Buffer.alloc(0)
      if (!answer.last && performance.now() < until) return void socket.write(next())
      socket.removeAllListeners('close')
      socket.end()
      resolve()
    })
  })
}

function open(load: Load): Socket {
  const address = { host: '127.0.0.1', port: load.port }
  const socket =
    load.ca === undefined ? connectPlain(address) : connectTls({ ...address, ca: load.ca, servername: 'localhost' })
  socket.setNoDelay(true)
  return socket
}

/**
 * Whether a whole answer stands at the start of `bytes`, and whether it is the connection's last. Chunked ones end in a
 * 0 chunk.
 */
function readAnswer(bytes: Buffer): { last: boolean } | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const head = bytes.toString('latin1', 0, end).toLowerCase()
  const length = /\r\ncontent-length: *(\d+)/.exec(head)
  const whole =
    length === null ? bytes.indexOf('0\r\n\r\n', end + 4) !== -1 : bytes.length >= end + 4 + Number(length[1])
  return whole ? { last: head.includes('\r\nconnection: close') } : undefined
}
