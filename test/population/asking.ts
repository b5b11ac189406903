// One caller at the public listener: an address of its own in the loopback network, connections that it keeps.

import { Agent, request } from 'node:https'

export interface At {
  port: number
  /** PEM of the authority that its certificate is of. */
  ca: string
}

export interface Question {
  method?: string
  path: string
  token?: string | undefined
  headers?: Record<string, string>
  /** Sent as a form when it is an object. */
  body?: string | Record<string, string> | undefined
}

export interface Answered {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

export interface Caller {
  ask(question: Question): Promise<Answered>
  /** Ends its connections. */
  end(): void
}

const patienceMs = 30_000

/** Nothing is connected before it asks. `address`: of 127.0.0.0/8. `connections` at most at once. */
export function createCaller(at: At, address: string, connections = 4): Caller {
  const agent = new Agent({
    keepAlive: true,
    maxSockets: connections,
    ca: at.ca,
    localAddress: address,
    servername: 'localhost',
  })
  return {
    ask: (question) => ask(at, agent, question),
    end: () => agent.destroy(),
  }
}

function ask(at: At, agent: Agent, { method, path, token, headers = {}, body }: Question): Promise<Answered> {
  const isForm = typeof body === 'object'
  const payload = typeof body === 'object' ? new URLSearchParams(body).toString() : body
  const fields: Record<string, string> = { ...headers, host: `localhost:${at.port}` }
  if (isForm) fields['content-type'] = 'application/x-www-form-urlencoded'
  if (payload !== undefined) fields['content-length'] = String(Buffer.byteLength(payload))
  if (token !== undefined) fields['authorization'] = `Bearer ${token}`
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port: at.port,
        path,
        method: method ?? (payload === undefined ? 'GET' : 'POST'),
        headers: fields,
        agent,
        timeout: patienceMs,
      },
      (incoming) => {
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
      },
    )
    outgoing.once('timeout', () => outgoing.destroy(new Error(`no answer in ${patienceMs} ms`)))
    outgoing.once('error', reject)
    outgoing.end(payload)
  })
}
