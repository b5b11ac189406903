// A raw socket client: sends exactly the bytes it is given and reads answers as they stand on the wire.

import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

export interface RawAnswer {
  status: number
  /** Lower-case names; values in order of appearance. */
  headers: Map<string, string[]>
  body: string
  trailers: Map<string, string[]>
}

export interface RawConnection {
  socket: Socket
  send(bytes: string | Buffer): void
  /**
   * The next final answer (1xx are kept in `informational`). `method` HEAD reads no body. Rejects when the connection
   * ends before.
   */
  answer(method?: string): Promise<RawAnswer>
  informational: number[]
  /** The bytes that nobody has read; they are the caller's now. */
  rest(): Buffer
  /** Resolves when the other side has closed, in a time; with the bytes that nobody read. */
  closed(withinMs?: number): Promise<string>
  end(): void
}

export interface RawTarget {
  port: number
  host?: string
  tls?: { ca?: string; servername?: string; session?: Buffer }
  /** How long an answer may take; 8 s unless set otherwise. */
  patienceMs?: number
}

const deadlineMs = 30_000

/** Opens a connection and waits until it stands. */
export async function rawConnection(target: RawTarget): Promise<RawConnection> {
  const where = { port: target.port, host: target.host ?? '127.0.0.1' }
  const { tls } = target
  const socket =
    tls === undefined
      ? connect(where)
      : connectTls({
          ...where,
          ...(tls.ca === undefined ? {} : { ca: tls.ca }),
          ...(tls.session === undefined ? {} : { session: tls.session }),
          servername: tls.servername ?? 'localhost',
        })
  let buffer = Buffer.alloc(0)
  let isClosed = false
  const waiting = new Set<() => void>()
  const wake = () => {
    for (const resume of waiting) resume()
  }
  socket.on('data', (chunk) => {
    buffer = Buffer.concat([buffer, chunk])
    wake()
  })
  socket.on('error', () => undefined)
  socket.on('close', () => {
    isClosed = true
    wake()
  })
  await new Promise<void>((resolve, reject) => {
    socket.once(tls === undefined ? 'connect' : 'secureConnect', () => resolve())
    socket.once('error', reject)
  })
  const until = async <T>(read: () => T | undefined, withinMs = target.patienceMs ?? deadlineMs): Promise<T> => {
    const deadline = performance.now() + withinMs
    for (;;) {
      const value = read()
      if (value !== undefined) return value
      if (isClosed) throw new Error(`connection closed; unread: ${JSON.stringify(buffer.toString('latin1'))}`)
      if (performance.now() > deadline)
        throw new Error(`no answer in time; unread: ${JSON.stringify(buffer.toString('latin1'))}`)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(done, 500)
        function done() {
          clearTimeout(timer)
          waiting.delete(done)
          resolve()
        }
        waiting.add(done)
      })
    }
  }
  const informational: number[] = []
  const readHead = () => {
    const end = buffer.indexOf('\r\n\r\n')
    if (end === -1) return undefined
    const head = buffer.subarray(0, end).toString('latin1')
    buffer = buffer.subarray(end + 4)
    return head
  }
  const answer = async (method = 'GET'): Promise<RawAnswer> => {
    for (;;) {
      const head = await until(readHead)
      const lines = head.split('\r\n')
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(lines[0] ?? '')?.[1])
      const headers = fields(lines.slice(1))
      if (status < 200 && status !== 101) {
        informational.push(status)
        continue
      }
      if (method === 'HEAD' || status === 101 || status === 204 || status === 304)
        return { status, headers, body: '', trailers: new Map() }
      return { status, headers, ...(await readBody(headers)) }
    }
  }
  const take = (length: number) =>
    until(() => {
      if (buffer.length < length) return undefined
      const bytes = buffer.subarray(0, length)
      buffer = buffer.subarray(length)
      return bytes
    })
  const readBody = async (headers: Map<string, string[]>) => {
    const length = headers.get('content-length')?.[0]
    if (length !== undefined) return { body: (await take(Number(length))).toString('latin1'), trailers: new Map() }
    if (headers.get('transfer-encoding')?.[0] !== 'chunked') {
      await until(() => (isClosed ? true : undefined)).catch(() => undefined)
      const body = buffer.toString('latin1')
      buffer = Buffer.alloc(0)
      return { body, trailers: new Map() }
    }
    let body = ''
    for (;;) {
      const line = await until(() => {
        const end = buffer.indexOf('\r\n')
        if (end === -1) return undefined
        const text = buffer.subarray(0, end).toString('latin1')
        buffer = buffer.subarray(end + 2)
        return text
      })
      const size = Number.parseInt(line, 16)
      if (size === 0) break
      body += (await take(size)).toString('latin1')
      await take(2)
    }
    const trailers = await until(() => {
      if (buffer.subarray(0, 2).toString() === '\r\n') {
        buffer = buffer.subarray(2)
        return ''
      }
      return readHead()
    })
    return { body, trailers: fields(trailers === '' ? [] : trailers.split('\r\n')) }
  }
  return {
    socket,
    informational,
    rest() {
      const bytes = buffer
      buffer = Buffer.alloc(0)
      return bytes
    },
    answer,
    send: (bytes) => socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes),
    closed: async (withinMs) => {
      await until(() => (isClosed ? true : undefined), withinMs)
      return buffer.toString('latin1')
    },
    end: () => socket.destroy(),
  }
}

/** Opens a connection, sends, reads one answer, closes. */
export async function rawRequest(target: RawTarget, bytes: string, method = 'GET'): Promise<RawAnswer> {
  const connection = await rawConnection(target)
  try {
    connection.send(bytes)
    return await connection.answer(method)
  } finally {
    connection.end()
  }
}

function fields(lines: readonly string[]): Map<string, string[]> {
  const map = new Map<string, string[]>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    map.set(name, [...(map.get(name) ?? []), line.slice(colon + 1).trim()])
  }
  return map
}
