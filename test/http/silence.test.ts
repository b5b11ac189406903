// Connections that say nothing, and requests that nobody reads: what Node does for each by itself is done here for all.

import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import t from 'tap'
import { watchSilence } from '../../src/http/connections/silence.js'
import { createSilentClosing } from '../../src/http/connections/silent-closing.js'
import { QuietRequest } from '../../src/http/requests/unread-request.js'
import { until } from '../support/traffic/until.js'

type Test = { teardown(end: () => unknown): unknown }

async function listen(t: Test, server: ReturnType<typeof createServer>): Promise<() => Socket> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return () => {
    const socket = connect(port, '127.0.0.1')
      .on('error', () => undefined)
      .resume()
    t.teardown(() => socket.destroy())
    return socket
  }
}

t.test(
  'a silent connection ends after its limit and not before; one that speaks or is spoken to goes on',
  async (t) => {
    const server = createServer()
    watchSilence([server], 200)
    server.setTimeout(200)
    const sockets: Socket[] = []
    server.on('connection', (socket: Socket) => sockets.push(socket))
    const dial = await listen(t, server)
    const began = performance.now()
    const silent = dial()
    const speaking = dial()
    const heard = dial()
    let silentMs = 0
    silent.on('close', () => {
      silentMs = performance.now() - began
    })
    speaking.write('GET / HTTP/1.1\r\nX: ')
    const words = setInterval(() => {
      speaking.write('x')
      for (const socket of sockets) if (socket.remotePort === heard.localPort) socket.write('x')
    }, 20)
    t.teardown(() => clearInterval(words))
    speaking.resume()
    heard.resume()
    await until('the silent one ends', () => silentMs > 0)
    t.ok(silentMs >= 199, `${silentMs}`)
    t.notOk(heard.destroyed)
    t.notOk(speaking.destroyed)
  },
)

t.test(
  'a limit is set and taken away by `setTimeout` of the connection, whose `timeout` says what it is',
  async (t) => {
    const server = createServer()
    watchSilence([server], 40)
    server.setTimeout(0)
    const ends: string[] = []
    server.on('connection', (socket: Socket) => {
      t.equal(
        socket.setTimeout(40, () => ends.push('called')),
        socket,
      )
      t.equal(socket.timeout, 40)
      socket.once('timeout', () => {
        socket.setTimeout(0)
        ends.push('told')
      })
    })
    const dial = await listen(t, server)
    const closed = once(dial(), 'close')
    await until('both hear of it', () => ends.length === 2)
    t.same(ends, ['called', 'told'])
    await closed
  },
)

t.test(
  'a request without a body that nobody reads is over when it is answered, without an event of its own',
  async (t) => {
    const seen: { ended: boolean; events: string[]; kept: boolean }[] = []
    const requests: QuietRequest[] = []
    const server = createServer({ IncomingMessage: QuietRequest }, (request, response) => {
      requests.push(request)
      response.end('x', () =>
        setImmediate(() => {
          const { parser } = request.socket as { parser?: { incoming: unknown } }
          seen.push({
            ended: request.readableEnded,
            events: request.eventNames().map(String),
            kept: parser?.incoming === request,
          })
        }),
      )
    })
    const dial = await listen(t, server)
    const client = dial()
    client.resume()
    client.write('GET /a HTTP/1.1\r\nHost: x\r\n\r\n')
    await until('the first answer', () => seen.length === 1)
    client.write('GET /b HTTP/1.1\r\nHost: x\r\n\r\n')
    await until('the second answer', () => seen.length === 2)
    for (const one of seen) t.same(one, { ended: true, events: [], kept: false })
  },
)

t.test(
  'those who listen for the end of a request hear of it, and a body that nobody reads does not stay in the way',
  async (t) => {
    const heard: string[] = []
    const server = createServer({ IncomingMessage: QuietRequest }, (request, response) => {
      if (request.url === '/listens') request.on('end', () => heard.push('end')).on('close', () => heard.push('close'))
      else heard.push(`${request.method} ${request.url}`)
      response.end('x')
    })
    const dial = await listen(t, server)
    const client = dial()
    client.resume()
    client.write('GET /listens HTTP/1.1\r\nHost: x\r\n\r\n')
    await until('end and close', () => heard.length === 2)
    t.same(heard, ['end', 'close'])
    const body = 'x'.repeat(100_000)
    client.write(`POST /unread HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    client.write('GET /next HTTP/1.1\r\nHost: x\r\n\r\n')
    await until('two more requests', () => heard.length === 4)
    t.same(heard.slice(2), ['POST /unread', 'GET /next'])
  },
)

t.test('a request without a body that is read, at once or later, in whatever way, ends for its reader', async (t) => {
  const ways: Record<string, (request: QuietRequest) => Promise<unknown>> = {
    '/iterated': async (request) => {
      let parts = 0
      for await (const _part of request) parts += 1
      return parts
    },
    '/resumed': async (request) => void (await once(request.resume(), 'end')),
    '/piped': async (request) => void (await pipeline(request, new PassThrough().resume())),
    '/by hand': (request) => new Promise((resolve) => request.on('readable', () => request.read() ?? resolve(0))),
    '/listened': async (request) => {
      const closed = once(request, 'close')
      request.resume()
      await closed
    },
  }
  const ended: string[] = []
  const server = createServer({ IncomingMessage: QuietRequest }, async (request, response) => {
    const [, way = '', when] = request.url?.split('/') ?? []
    if (when === 'later') await new Promise((resolve) => setImmediate(resolve))
    await ways[`/${way.replace('%20', ' ')}`]?.(request)
    ended.push(request.url ?? '')
    response.end('x')
  })
  const dial = await listen(t, server)
  const client = dial()
  const paths = Object.keys(ways).flatMap((way) => [
    `${way.replace(' ', '%20')}/now`,
    `${way.replace(' ', '%20')}/later`,
  ])
  for (const [i, path] of paths.entries()) {
    client.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await until(path, () => ended.length === i + 1)
  }
  t.same(ended, paths)
})

t.test('those on which nothing was sent are closed a few in each turn, all in the end', async (t) => {
  let closed = 0
  const close = createSilentClosing()
  const destroy = () => {
    closed += 1
  }
  for (let n = 0; n < 50; n += 1) close({ destroy } as unknown as Socket)
  t.equal(closed, 0)
  const seen: number[] = []
  while (closed < 50) {
    await new Promise((resolve) => setImmediate(resolve))
    seen.push(closed)
  }
  t.same(seen, [20, 40, 50])
  close({ destroy } as unknown as Socket)
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(closed, 51, 'also one that comes later')
})
