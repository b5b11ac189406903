// Reference: a bare fastify route that forwards over our own client (decision 134) with about as many header fields as
// the gate has in both directions, and decides nothing. What the gate costs above it is what it does beside forwarding
// (decision 147). Arguments: port, upstream port.

import type { IncomingMessage, ServerResponse } from 'node:http'
import Fastify from 'fastify'
import type { RawFields, UpstreamEvents } from '../../src/gateway/forward/upstream-events.js'
import { createTarget } from '../../src/gateway/upstreams/target.js'
import { endWith } from '../../src/http/answers/one-write.js'
import { upstreamSettings } from '../support/settings/upstream-settings.js'

const [port, upstreamPort] = process.argv.slice(2).map(Number)
const endpoint = { kind: 'url', origin: `http://127.0.0.1:${upstreamPort}`, basePath: '', weight: 1 } as const
const settings = upstreamSettings('bench', { targets: [endpoint], connections: 128 })
const target = createTarget(endpoint, { settings, builtinTargets: new Map() })

const notForwarded = new Set(['host', 'authorization', 'x-forwarded-proto', 'x-forwarded-for', 'connection'])
const id = '0b6c0b4c-2f2e-4a3b-9d5e-1c2d3e4f5a6b'
const toUpstream = [
  ...['request-id', id, 'traceparent', '00-0b6c0b4c2f2e4a3b9d5e1c2d3e4f5a6b-9d5e1c2d3e4f5a6b-00'],
  ...['x-forwarded-for', '192.0.2.7', 'x-forwarded-proto', 'https', 'x-forwarded-host', 'bench.example'],
  ...['forwarded', 'for=192.0.2.7;host="bench.example";proto=https', 'via', '1.1 gate'],
  ...['authorization', `Bearer ${'a'.repeat(560)}`],
]
const notAnswered = new Set(['connection', 'keep-alive', 'date'])
const toClient = [
  ...['cache-control', 'private, no-store', 'vary', 'Authorization', 'x-content-type-options', 'nosniff'],
  ...['content-security-policy', "sandbox; default-src 'none'", 'request-id', id, 'duration', '1.234'],
  ...['RateLimit-Policy', '"app";q=1000000;w=1;portcullis-burst=1000000', 'RateLimit', '"app";r=999999;t=1'],
]

function listFields(fields: RawFields, without: ReadonlySet<string>): string[] {
  const listed: string[] = []
  for (let i = 0; i < fields.length; i += 2) {
    const name = String(fields[i]).toLowerCase()
    if (!without.has(name)) listed.push(name, String(fields[i + 1]))
  }
  return listed
}

function answerWith(response: ServerResponse): UpstreamEvents {
  let left = 0
  return {
    connected: () => undefined,
    answering: () => undefined,
    head(status, fields) {
      const headers = listFields(fields, notAnswered)
      left = Number(headers[headers.indexOf('content-length') + 1])
      response.writeHead(status, headers.concat(toClient))
      return true
    },
    upgraded: () => undefined,
    data(chunk) {
      left -= chunk.length
      if (left === 0) endWith(response, chunk)
      else response.write(Buffer.from(chunk))
      return true
    },
    ended: () => undefined,
    failed: () => response.destroy(),
  }
}

function forward({ method = '', url = '', rawHeaders }: IncomingMessage, response: ServerResponse): void {
  const headers = listFields(rawHeaders, notForwarded).concat(toUpstream)
  const request = { method, path: url, headers, body: null, headersTimeout: 30_000, bodyTimeout: 30_000 }
  target.requests.dispatch(request, answerWith(response))
}

const app = Fastify()
app.get('/api/v2/*', (request, reply) => {
  reply.hijack()
  forward(request.raw, reply.raw)
})
await app.listen({ host: '127.0.0.1', port: port as number })
