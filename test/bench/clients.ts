// What a request to a target costs over our own client, and over undici with each form of its handler (decisions 0115,
// 0134): processor time of this process, the upstream in a process of its own, in alternating rounds.
// `npx tsx test/bench/clients.ts`.

import { fork } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { type HandlerForm, handlerOf, type UpstreamEvents } from '../../src/gateway/forward/upstream-events.js'
import type { TargetRequest } from '../../src/gateway/http1/request-head.js'
import { createTarget } from '../../src/gateway/upstreams/target.js'
import { upstreamSettings } from '../support/settings/upstream-settings.js'

const rounds = 8
const requests = 16_000
const atOnce = 32

if (process.argv[2] === 'upstream') serve()
else await measure()

/** Answers with fifteen header fields and 200 bytes, as a service behind a framework does. */
function serve(): void {
  const fields = Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`x-field-${i}`, `value-${i}`]))
  const body = 'x'.repeat(200)
  const server = createServer((_request, response) => {
    response.writeHead(200, { ...fields, 'content-type': 'text/plain', 'content-length': body.length })
    response.end(body)
  })
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
}

type Sender = HandlerForm | 'own'
type Send = (request: TargetRequest, events: UpstreamEvents) => void

async function measure(): Promise<void> {
  const upstream = fork(fileURLToPath(import.meta.url), ['upstream'])
  const port = await new Promise<unknown>((resolve) => upstream.once('message', resolve))
  const origin = `http://127.0.0.1:${port}`
  const endpoint = { kind: 'url', origin, basePath: '', weight: 1 } as const
  const settings = upstreamSettings('bench', { targets: [endpoint], connections: atOnce })
  const target = createTarget(endpoint, { settings, builtinTargets: new Map() })
  const pool = new Pool(origin, { connections: atOnce, allowH2: false })
  const senders: Record<Sender, Send> = {
    own: (request, events) => target.requests.dispatch(request, events),
    raw: (request, events) => void pool.dispatch(request, handlerOf(events, 'raw')),
    controlled: (request, events) => void pool.dispatch(request, handlerOf(events, 'controlled')),
  }
  const figures: Record<Sender, number[]> = { own: [], raw: [], controlled: [] }
  const order: Sender[] = ['own', 'raw', 'controlled']
  for (let round = 0; round < rounds; round += 1) {
    for (const sender of round % 2 === 0 ? order : order.toReversed()) {
      const micros = await run(senders[sender])
      if (round > 1) figures[sender].push(micros)
    }
  }
  await Promise.all([pool.destroy(), target.close()])
  upstream.kill()
  const raw = median(figures.raw)
  for (const sender of order) {
    const micros = median(figures[sender])
    console.log(`${sender} ${micros.toFixed(1)} µs, ${(micros / raw).toFixed(2)} of raw`)
  }
}

async function run(send: Send): Promise<number> {
  const before = process.cpuUsage()
  await Promise.all(Array.from({ length: atOnce }, () => ask(send, requests / atOnce)))
  const { user, system } = process.cpuUsage(before)
  return (user + system) / requests
}

function ask(send: Send, count: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let left = count
    const next = () => {
      if (left === 0) return resolve()
      left -= 1
      send(
        {
          method: 'GET',
          path: '/',
          headers: ['accept', '*/*'],
          body: null,
          headersTimeout: 30_000,
          bodyTimeout: 30_000,
        },
        {
          connected: () => undefined,
          answering: () => undefined,
          head: () => true,
          upgraded: () => undefined,
          data: () => true,
          ended: next,
          failed: reject,
        },
      )
    }
    next()
  })
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
