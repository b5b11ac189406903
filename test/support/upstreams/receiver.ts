// A receiver of events: an https server of a tenant, with a certificate of an authority of its own, that answers as a
// test wants it to and keeps what came.

import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { ownCertificate } from './own-certificate.js'

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** Of an API that takes tokens. */
interface Refusal {
  status: number
  challenge: string
}

export interface Receiver {
  /** `https://localhost:<port>` */
  origin: string
  /** PEM to trust. */
  ca: string
  received: Received[]
  /** By path what it answers: a status, a status with a `location`, or nothing at all; 204 unless something is here. */
  answers: Map<string, number | { status: number; location: string } | Refusal | 'nothing'>
  /** Of the events that came to a path, the `type`s. */
  types(path: string): string[]
}

/** Starts one; it ends with the test. */
export async function startReceiver(t: { teardown(work: () => unknown): void }): Promise<Receiver> {
  const { ca, ...tls } = await ownCertificate()
  const received: Received[] = []
  const answers: Receiver['answers'] = new Map()
  const server = createServer(tls, async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const path = request.url ?? ''
    received.push({ path, headers: request.headers, body })
    const answer = answers.get(path) ?? 204
    if (answer === 'nothing') return
    if (typeof answer === 'number') response.writeHead(answer).end()
    else if ('challenge' in answer)
      response.writeHead(answer.status, { 'www-authenticate': answer.challenge }).end('{}')
    else response.writeHead(answer.status, { location: answer.location }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  return {
    ...{ origin: `https://localhost:${(server.address() as AddressInfo).port}`, ca, received, answers },
    types: (path) => received.filter((one) => one.path === path).map(({ body }) => JSON.parse(body).type),
  }
}

/** As a receiver would: by the text of Standard Webhooks alone. `secret` as it was shown. */
export function isSigned(secret: string, { headers, body }: Received, nowMs: number): boolean {
  const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map((name) => String(headers[`webhook-${name}`]))
  if (Math.abs(nowMs / 1000 - Number(timestamp)) > 300) return false
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const expected = `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  return signature?.split(' ').includes(expected) ?? false
}
