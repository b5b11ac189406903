// Raw TLS connections that do what no client library does: hold, drip, pipeline, and do not read.

import { connect as connectTcp } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import type { Act, HostileWorld } from './world.js'

/** Opens one from this address, and counts it; undefined when it is refused or does not stand in time. */
export function open(world: HostileWorld, { signal, count }: Act, address: string): Promise<TLSSocket | undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(undefined)
    const socket = connect({
      socket: connectTcp({ host: '127.0.0.1', port: world.port, localAddress: address }),
      ca: world.ca,
      servername: 'localhost',
    })
    const end = (): void => void socket.destroy()
    signal.addEventListener('abort', end, { once: true })
    socket.setTimeout(20_000, end)
    socket.once('secureConnect', () => {
      socket.setTimeout(0)
      count('connection')
      resolve(socket)
    })
    socket.on('error', () => undefined)
    socket.once('close', () => {
      signal.removeEventListener('abort', end)
      resolve(undefined)
    })
  })
}

/** Counts the status lines that come, and reads the rest away. */
export function countAnswers(socket: TLSSocket, { count }: Act): void {
  socket.on('data', (chunk: Buffer) => {
    for (const [, status] of chunk.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3})/g)) count(status ?? '')
  })
}

/** A request's head. */
export function head(world: HostileWorld, method: string, path: string, fields: readonly string[] = []): string {
  return `${[`${method} ${path} HTTP/1.1`, `Host: localhost:${world.port}`, ...fields].join('\r\n')}\r\n\r\n`
}

/** Authorization of their own application. */
export function bearer({ token }: HostileWorld): string {
  return `Authorization: Bearer ${token}`
}

/** Writes so many bytes each 100 ms until the signal or the end of the connection. */
export function drip(socket: TLSSocket, { signal }: Act, bytesPerSecond: number): Promise<void> {
  return new Promise((resolve) => {
    const piece = Buffer.alloc(Math.max(1, Math.round(bytesPerSecond / 10)), 0x20)
    const timer = setInterval(() => socket.write(piece), 100)
    const end = () => {
      clearInterval(timer)
      resolve()
    }
    signal.addEventListener('abort', end, { once: true })
    socket.once('close', end)
  })
}

/** So many of them at a time begin `one`; each again when it is over, after a breath. */
export async function many(count: number, act: Act, one: (number: number) => Promise<void>): Promise<void> {
  const again = async (number: number) => {
    while (!act.signal.aborted) {
      await one(number)
      await rest(act, 100)
    }
  }
  await Promise.all(Array.from({ length: count }, (_, number) => again(number)))
}

/** Until then, or the signal. */
export function rest({ signal }: Act, ms: number): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const timer = setTimeout(resolve, ms)
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })
}

/** Until the connection or the act is over. */
export function held(socket: TLSSocket, { signal }: Act): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted || socket.destroyed) return resolve()
    socket.once('close', () => resolve())
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
