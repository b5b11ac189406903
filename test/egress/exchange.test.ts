// The one way out: what it never does, no matter who uses it.

import { createServer } from 'node:http'
import type { AddressInfo, LookupFunction } from 'node:net'
import t, { type Test } from 'tap'
import { AnswerTooLarge, readText } from '../../src/egress/answer-body.js'
import { discardBody, exchange } from '../../src/egress/exchange.js'
import { operatorLookup } from '../../src/egress/operator-names.js'

const asking = (more: object = {}) => ({
  method: 'GET',
  headers: {},
  lookup: operatorLookup,
  ca: undefined,
  signal: AbortSignal.timeout(30_000),
  plainOnLoopback: true,
  ...more,
})

/** A server on loopback that answers by path, and notes the requests. */
async function receiver(t: Pick<Test, 'teardown'>) {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers['content-length'] ?? '-'}`)
    if (request.url === '/moved') return response.writeHead(302, { location: '/elsewhere' }).end()
    if (request.url === '/silent') return undefined
    if (request.url === '/slow') return response.writeHead(200).write('a')
    return response.end('é'.repeat(50))
  })
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { requests, server, at: (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}` }
}

t.test('without TLS nothing is called but loopback, and loopback only by who says so', async (t) => {
  const { requests, at } = await receiver(t)
  await t.rejects(exchange(at('/'), asking({ plainOnLoopback: false })), { message: /neither https nor loopback/ })
  await t.rejects(exchange('http://192.0.2.1/', asking()), { message: /neither https nor loopback/ })
  await t.rejects(exchange('http://localhost.example/', asking()), { message: /neither https nor loopback/ })
  await t.rejects(exchange('ftp://127.0.0.1/', asking()), { message: /neither https nor loopback/ })
  t.same(requests, [])
})

t.test('a redirect is an answer, and not a way', async (t) => {
  const { requests, at } = await receiver(t)
  const response = await exchange(at('/moved'), asking())
  discardBody(response, 10)
  t.equal(response.statusCode, 302)
  t.same(requests, ['GET /moved -'])
})

t.test('an answer ends at its bound in bytes, read or not', async (t) => {
  const { requests, at } = await receiver(t)
  t.equal(await readText(await exchange(at('/'), asking()), 100), 'é'.repeat(50), 'just fits')
  const large = await exchange(at('/'), asking({ method: 'POST', body: 'ü' }))
  await t.rejects(readText(large, 99), new AnswerTooLarge(99))
  t.ok(large.destroyed, 'the connection has ended')
  const unread = await exchange(at('/'), asking())
  discardBody(unread, 99)
  await new Promise((resolve) => unread.once('close', resolve))
  t.ok(unread.destroyed)
  t.same(requests, ['GET / -', 'POST / 2', 'GET / -'], 'the length is that of the bytes')
})

t.test('the signal ends the wait for the head, and for the body', async (t) => {
  const { server, at } = await receiver(t)
  const ending = new AbortController()
  server.once('request', () => setImmediate(() => ending.abort()))
  await t.rejects(exchange(at('/silent'), asking({ signal: ending.signal })), { name: 'AbortError' })
  const second = new AbortController()
  const slow = await exchange(at('/slow'), asking({ signal: second.signal }))
  const read = readText(slow, 100)
  second.abort()
  await t.rejects(read)
})

t.test('what is connected to is what the look-up gives, for every exchange anew', async (t) => {
  const { at } = await receiver(t)
  const names: string[] = []
  const lookup: LookupFunction = (name, { all }, found) => {
    names.push(name)
    if (names.length > 1) return found(new Error('not this one'), '')
    return all === true ? found(null, [{ address: '127.0.0.1', family: 4 }]) : found(null, '127.0.0.1', 4)
  }
  const url = at('/').replace('127.0.0.1', 'localhost')
  t.equal(await readText(await exchange(url, asking({ lookup })), 100), 'é'.repeat(50))
  await t.rejects(exchange(url, asking({ lookup })), { message: 'not this one' }, 'no connection is kept')
  t.same(names, ['localhost', 'localhost'])
})
