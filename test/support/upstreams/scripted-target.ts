// A target that answers as a script says, and what is heard of requests to it.

import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { TargetRequest } from '../../../src/gateway/http1/request-head.js'
import { createTarget } from '../../../src/gateway/upstreams/target.js'
import { eventually, type Test } from '../rooms/http-gate.js'
import { upstreamSettings } from '../settings/upstream-settings.js'
import type { OwnCertificate } from './own-certificate.js'

/** An answer with this body and its length; `more` are further lines of its head. */
export const ok = (body: string, more = '') => `HTTP/1.1 200 OK\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`

/** What happened to one request. */
export interface Heard {
  heard: string[]
  body: string
  error: (Error & { code?: string }) | undefined
  abort: ((reason: Error) => void) | undefined
  /** Asks for more of a body that is read slowly. */
  resume: (() => void) | undefined
  /** Wants it no more, whether it has a connection or not. */
  fail(error: Error): void
}

export interface ScriptedOptions {
  /** At most. */
  connections?: number
  /** It speaks TLS. */
  tls?: OwnCertificate
  /** Bodies are read a piece at a time, and the next one when this says so. */
  pace?: (resume: () => void) => void
}

/** A target whose connections are answered by `script`, which is given all that came on one so far. */
export async function scripted(
  t: Test,
  script: (socket: Socket, received: string, number: number) => void,
  { connections = 1, tls, pace }: ScriptedOptions = {},
) {
  const sockets: Socket[] = []
  const received: string[] = []
  const onConnection = (socket: Socket) => {
    const number = sockets.push(socket) - 1
    received.push('')
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => {
      received[number] += bytes.toString('latin1')
      script(socket, received[number] ?? '', number)
    })
  }
  const server = tls === undefined ? createServer(onConnection) : createTlsServer(tls, onConnection)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const origin = tls === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`
  const endpoint = { kind: 'url', origin, basePath: '', weight: 1 } as const
  const ca = tls === undefined ? {} : { tls: { ca: tls.ca, cert: undefined, key: undefined, serverName: undefined } }
  const settings = upstreamSettings('things', { targets: [endpoint], connections, ...ca })
  const target = createTarget(endpoint, { settings, builtinTargets: new Map() })
  t.teardown(async () => {
    await target.close()
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const send = (request: Partial<TargetRequest> = {}, via = target.requests): Heard => {
    const outcome: Heard = {
      heard: [],
      body: '',
      error: undefined,
      abort: undefined,
      resume: undefined,
      fail: (error) => sent.fail(error),
    }
    const sent = via.dispatch(
      { method: 'GET', path: '/', headers: [], body: null, headersTimeout: 0, bodyTimeout: 0, ...request },
      {
        connected(abort) {
          outcome.heard.push('connected')
          outcome.abort = abort
        },
        answering: () => undefined,
        head(status, _fields, resume) {
          outcome.resume = resume
          return outcome.heard.push(`${status}`) > 0
        },
        upgraded: () => undefined,
        data(chunk) {
          outcome.body += chunk.toString('latin1')
          pace?.(() => outcome.resume?.())
          return pace === undefined
        },
        ended: () => void outcome.heard.push('ended'),
        failed(error) {
          outcome.heard.push('failed')
          outcome.error = error
        },
      },
    )
    return outcome
  }
  const settled = (outcome: Heard) =>
    eventually(() => outcome.heard.includes('ended') || outcome.heard.includes('failed'), outcome.heard.join(' '))
  return { target, sockets, received, send, settled }
}
