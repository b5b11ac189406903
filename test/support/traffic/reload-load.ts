// Load on a program whose rules change all the time: callers on kept-alive connections, streams and WebSockets that
// stay open, uploads. Each knows what the active configuration may be, and notes every answer that they do not explain.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Agent, request } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Program } from '../programs/program.js'
import { acceptHandshake, closing, echo, handshakeKey, opcodes, webSocketEnd } from '../upstreams/web-sockets.js'

/** The service behind the gate. */
export interface ReloadUpstream {
  port: number
  /** Connections that carried a request which no reload moved elsewhere. */
  steady: Set<Socket>
  endStreams(): void
}

/**
 * Answers `/g<n>/…` with n; `/stream` goes on until it must end; `/upload` tells how many bytes came; a WebSocket
 * echoes.
 */
export async function reloadUpstream(t: { teardown(work: () => unknown): void }): Promise<ReloadUpstream> {
  const steady = new Set<Socket>()
  const streams = new Set<ServerResponse>()
  // Longer than a machine stands still: a connection that is in use all the time is never closed here.
  const server = createServer({ keepAliveTimeout: 10_000 }, (incoming: IncomingMessage, response) => {
    const moved = /^\/g(\d+)\//.exec(incoming.url ?? '')
    if (moved !== null) return void response.end(moved[1])
    steady.add(incoming.socket)
    if (incoming.url === '/api/v2/stream') return void streams.add(response)
    let bytes = 0
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    incoming.on('end', () => response.end(String(bytes)))
  })
  const upgraded = new Set<Socket>()
  server.on('upgrade', (request, socket: Socket, head) => {
    steady.add(socket)
    upgraded.add(socket)
    echo(acceptHandshake(request, socket, head))
  })
  const heartbeat = setInterval(() => {
    for (const stream of streams) stream.write('data: heartbeat\n\n')
  }, 50)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    clearInterval(heartbeat)
    server.close().closeAllConnections()
    for (const socket of upgraded) socket.destroy()
  })
  return {
    port: (server.address() as AddressInfo).port,
    steady,
    endStreams() {
      clearInterval(heartbeat)
      for (const stream of streams) stream.end('data: end\n\n')
    },
  }
}

/** Which generations of the rules may decide a request of this moment. */
export interface Generations {
  inEffect: number
  written: number
}

export interface Load {
  counts: { calls: number; moved: number; uploads: number; streams: number; webSockets: number; messages: number }
  /** What no rules explain. */
  failures: string[]
  /** Resolves when everything under way has ended. */
  stop(endStreams: () => void): Promise<void>
}

const uploadBytes = 1024 * 1024

/** Begins; `token` may call what needs one. */
export function startLoad(program: Program, token: string, generations: Generations): Load {
  const agent = new Agent({ keepAlive: true, ca: program.ca() })
  const counts = { calls: 0, moved: 0, uploads: 0, streams: 0, webSockets: 0, messages: 0 }
  const failures: string[] = []
  let running = true
  const send = (method: string, path: string, body?: (sink: { write(chunk: Buffer): boolean }) => Promise<void>) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const headers: Record<string, string> = { authorization: `Bearer ${token}` }
      if (body !== undefined) headers['content-length'] = String(uploadBytes)
      const sent = request(new URL(path, program.baseUrl), { method, agent, headers }, (response) => {
        let text = ''
        response.on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
        response.on('error', reject)
      })
      sent.on('error', reject)
      if (body === undefined) sent.end()
      else body(sent).then(() => sent.end(), reject)
    })
  const check = async (what: string, work: () => Promise<string | undefined>) => {
    const wrong = await work().catch((error: Error) => error.message)
    if (wrong !== undefined) failures.push(`${what}: ${wrong}`)
  }
  const loop = async (work: () => Promise<void>) => {
    while (running) {
      await work()
      await pause(5)
    }
  }
  const call = () =>
    check('a call', async () => {
      const { status, text } = await send('GET', '/api/v2/steady')
      counts.calls++
      return status === 200 && text === '0' ? undefined : `${status} ${text}`
    })
  const moved = () =>
    check('a call of a route that changes', async () => {
      const from = generations.inEffect
      const { status, text } = await send('GET', '/api/v2/moving')
      counts.moved++
      const by = Number(text)
      const isExplained = status === 200 && by >= from && by <= generations.written
      return isExplained ? undefined : `${status} ${text}, not ${from} to ${generations.written}`
    })
  const upload = () =>
    check('an upload', async () => {
      const chunk = Buffer.alloc(uploadBytes / 8)
      const { status, text } = await send('POST', '/api/v2/upload', async (sink) => {
        for (let i = 0; i < 8; i++) {
          sink.write(chunk)
          await pause(20)
        }
      })
      counts.uploads++
      return status === 200 && text === String(uploadBytes) ? undefined : `${status} ${text}`
    })
  const stream = () =>
    check('a stream', async () => {
      const { status, text } = await send('GET', '/api/v2/stream')
      counts.streams++
      return status === 200 && text.endsWith('data: end\n\n') ? undefined : `${status}, ${text.length} bytes`
    })
  const handshake = () =>
    new Promise<ReturnType<typeof webSocketEnd>>((resolve, reject) => {
      const headers = {
        ...{ authorization: `Bearer ${token}`, connection: 'Upgrade', upgrade: 'websocket' },
        ...{ 'sec-websocket-version': '13', 'sec-websocket-key': handshakeKey },
      }
      request(new URL('/api/v2/live', program.baseUrl), { agent: false, ca: program.ca(), headers })
        .on('upgrade', (_answer, socket: Socket, head) => resolve(webSocketEnd(socket, 'masked', head)))
        .on('response', ({ statusCode }) => reject(new Error(`${statusCode} to a handshake`)))
        .on('error', reject)
        .end()
    })
  const webSocket = () =>
    check('a WebSocket', async () => {
      const end = await handshake()
      let sent = 0
      while (running) {
        end.send(`message ${sent}`)
        sent++
        const heard = await end.until(sent)
        if (heard.at(-1)?.payload.toString() !== `message ${sent - 1}`) return `closed after ${heard.length} of ${sent}`
        await pause(20)
      }
      end.send(Buffer.from([3, 232]), opcodes.close)
      const [code] = closing((await end.closed()).at(-1)) ?? []
      counts.messages += sent
      counts.webSockets++
      return code === 1000 && end.frames.length === sent + 1 ? undefined : `ended with ${code}, ${sent} messages`
    })
  const loops = [call, call, call, call, moved, moved, upload, upload].map((work) => loop(work))
  const streams = [...Array.from({ length: 6 }, stream), ...Array.from({ length: 4 }, webSocket)]
  return {
    counts,
    failures,
    async stop(endStreams) {
      running = false
      endStreams()
      await Promise.all([...loops, ...streams])
      agent.destroy()
    },
  }
}
