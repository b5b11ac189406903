// A client that sends requests at a constant low rate over kept-alive connections, to the balancer or to each instance,
// and keeps what came back. It repeats nothing: whatever fails is seen.

import { randomBytes } from 'node:crypto'
import { Agent, type IncomingMessage, request } from 'node:http'
import { clusterHost } from './cluster-configuration.js'
import type { PlainAnswer } from './cluster-instance.js'
import type { Exchange, LedgerToken } from './token-ledger.js'

export interface Target {
  /** `balancer` or an instance's name. */
  via: string
  port: number
}

export interface TrafficOptions {
  targets: readonly Target[]
  /** Requests a second, over all targets together. */
  perSecond: number
  /** Which token next; undefined sends nothing this time. */
  next: (turn: number) => LedgerToken | undefined
  path?: (turn: number) => string
  /** Kept-alive connections to each target; more requests at once wait for one. */
  connections?: number
  timeoutMs?: number
  /** While so many wait for their answer, none is sent in its turn: a slow machine gets less. Absent: any number. */
  mostWaiting?: number
}

export interface Traffic {
  readonly exchanges: Exchange[]
  /** Sent and not yet answered. */
  readonly waiting: number
  /** Sends nothing more, and resolves when everything was answered or given up. */
  stop(): Promise<void>
}

const defaultPath = '/api/v2/check/1'

/** Starts sending. */
export function startTraffic(options: TrafficOptions): Traffic {
  const { targets, perSecond, next, connections = 16, mostWaiting = Number.POSITIVE_INFINITY } = options
  const agents = new Map(targets.map(({ via }) => [via, keptAlive(connections)]))
  const exchanges: Exchange[] = []
  const open = new Set<Promise<void>>()
  const started = performance.now()
  let turn = 0
  const send = (): void => {
    const target = targets[turn % targets.length]
    const token = next(turn)
    const path = options.path?.(turn) ?? defaultPath
    turn += 1
    if (target === undefined || token === undefined || open.size >= mostWaiting) return
    const agent = agents.get(target.via)
    const sent = exchange({ target, token, path, agent, timeoutMs: options.timeoutMs ?? 45_000 }).then((result) => {
      exchanges.push(result)
      open.delete(sent)
    })
    open.add(sent)
  }
  // What a late timer missed is sent at once: the rate holds, and so does the load when somebody is slow.
  const timer = setInterval(() => {
    const due = ((performance.now() - started) / 1000) * perSecond
    for (let burst = 0; turn < due && burst < perSecond; burst += 1) send()
  }, 5)
  return {
    exchanges,
    get waiting() {
      return open.size
    },
    async stop() {
      clearInterval(timer)
      await Promise.all(open)
      for (const agent of agents.values()) agent.destroy()
    },
  }
}

export interface OneCall {
  target: Target
  token: LedgerToken
  path?: string
  method?: string
  agent?: Agent | undefined
  timeoutMs?: number
}

/** One request with a token and a nonce; never rejects. */
export async function exchange({ target, token, path = defaultPath, ...more }: OneCall): Promise<Exchange> {
  const nonce = randomBytes(12).toString('hex')
  const sentMs = performance.now()
  const headers = { authorization: `Bearer ${token.text}`, 'test-nonce': nonce }
  const facts = { nonce, token, sentMs, via: target.via }
  try {
    const answer = await call(target.port, { path, headers, ...more })
    const said = answer.status < 500 ? undefined : answer.body.slice(0, 160)
    return { ...facts, endedMs: performance.now(), status: answer.status, fault: faultOf(answer, nonce), said }
  } catch (error) {
    return { ...facts, endedMs: performance.now(), status: 0, fault: String((error as Error).message) }
  }
}

export interface CallOptions {
  path: string
  method?: string
  headers?: Record<string, string>
  body?: string
  agent?: Agent | undefined
  timeoutMs?: number
}

/** One plain request in the public name, as the balancer would pass it on. Rejects when the connection breaks. */
export function call(port: number, options: CallOptions): Promise<PlainAnswer> {
  const { path, method = 'GET', agent = false as const, timeoutMs = 45_000 } = options
  const headers = { host: clusterHost, 'x-forwarded-proto': 'https', ...options.headers }
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path, method, headers, agent }, (incoming) => {
      read(incoming, resolve, reject)
    })
    const timer = setTimeout(() => outgoing.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
    outgoing.once('close', () => clearTimeout(timer))
    const sentMs = performance.now()
    outgoing.once('error', (error) => {
      const connection = outgoing.reusedSocket ? 'a kept-alive connection' : 'a new connection'
      reject(
        new Error(`${error.message} (${connection}, after ${Math.round(performance.now() - sentMs)} ms)`, {
          cause: error,
        }),
      )
    })
    outgoing.end(options.body)
  })
}

/** An agent with this many kept-alive connections. */
export function keptAlive(connections: number): Agent {
  return new Agent({ keepAlive: true, maxSockets: connections, scheduling: 'fifo' })
}

function read(incoming: IncomingMessage, resolve: (answer: PlainAnswer) => void, reject: (error: Error) => void): void {
  const chunks: Buffer[] = []
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
  incoming.once('error', reject)
  incoming.once('end', () =>
    resolve({
      status: incoming.statusCode ?? 0,
      headers: incoming.headers,
      body: Buffer.concat(chunks).toString(),
    }),
  )
}

/**
 * I4 and I5 of one answer: a 5xx is an error in JSON, 503 says when to come back; an answer is the one to this request.
 */
function faultOf({ status, headers, body }: PlainAnswer, nonce: string): string | undefined {
  if (status < 300) return headers['test-nonce'] === nonce && body.includes(nonce) ? undefined : 'the answer to another'
  if (status < 500) return undefined
  if (status === 503 && headers['retry-after'] === undefined)
    return `${status} without Retry-After: ${body.slice(0, 120)}`
  return isError(body) ? undefined : `${status} without an error in JSON: ${body.slice(0, 120)}`
}

/** Of either family: the resource calls' `{error: {code}}`, or the OAuth endpoints' `{error: 'code'}`. */
function isError(body: string): boolean {
  try {
    const { error } = JSON.parse(body) as { error?: unknown }
    return typeof error === 'string' || typeof (error as { code?: unknown } | undefined)?.code === 'string'
  } catch {
    return false
  }
}
