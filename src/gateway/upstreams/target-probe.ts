// The gate's own look at a target: whether a connection comes to stand, and whether anybody answers on it. It is what
// decides whether a target is down, because of what callers meet there nobody can say whose fault it is.

import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'

/** `answers`: with anything. `silent`: a connection stands, and nothing comes. `gone`: none comes to stand. */
export type ProbeResult = 'answers' | 'silent' | 'gone'

/** How long an answer may take. OPTIONS * asks for nothing (RFC 9110 §9.3.7). */
const answerMs = 500

/** Looks once, at the server of `origin`. Never rejects. */
export function probeTarget(connect: buildConnector.connector, origin: string): Promise<ProbeResult> {
  const { host, hostname, protocol, port } = new URL(origin)
  return new Promise((resolve) => {
    connect({ host, hostname, protocol, port, servername: '' }, (error, socket) => {
      if (error !== null) resolve('gone')
      else ask(socket, host, resolve)
    })
  })
}

function ask(socket: Socket, host: string, settled: (result: ProbeResult) => void): void {
  const settle = (result: ProbeResult) => {
    clearTimeout(timer)
    socket.destroy()
    settled(result)
  }
  const timer = setTimeout(settle, answerMs, 'silent')
  socket.on('error', () => settle('silent')).on('close', () => settle('silent'))
  socket.on('data', (bytes: Buffer) => settle(bytes.toString('latin1', 0, 5) === 'HTTP/' ? 'answers' : 'silent'))
  socket.write(
    `OPTIONS * HTTP/1.1\r\nhost: ${host}\r\nuser-agent: portcullis-health-check\r\nconnection: close\r\n\r\n`,
  )
}
