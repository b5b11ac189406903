// The connections to a target: how many there are, when one is used again, what ends one, and what is written on it.

import { Readable } from 'node:stream'
import t from 'tap'
import type { TargetRequest } from '../../../src/gateway/http1/request-head.js'
import { eventually } from '../../support/rooms/http-gate.js'
import { ok, scripted } from '../../support/upstreams/scripted-target.js'

const isWhole = (received: string) => received.endsWith('\r\n\r\n')

t.test('one connection serves one request after the other, and others wait in their order', async (t) => {
  const order: string[] = []
  const { send, settled, sockets } = await scripted(t, (socket, received) => {
    order.push(received.split('GET /').at(-1)?.[0] ?? '')
    socket.write(ok('hi'))
  })
  const all = ['a', 'b', 'c', 'd'].map((path) => send({ path: `/${path}` }))
  for (const outcome of all) await settled(outcome)
  t.same(order, ['a', 'b', 'c', 'd'])
  t.same(
    all.map(({ body }) => body),
    ['hi', 'hi', 'hi', 'hi'],
  )
  t.equal(sockets.length, 1)
})

t.test('what is written: the target’s own host, and a body with its length', async (t) => {
  const { send, settled, received, target } = await scripted(t, (socket) => socket.write(ok('')))
  await settled(
    send({ method: 'PUT', path: '/a?b', headers: ['X-A', 'b', 'Content-Length', '2'], body: Buffer.from('hi') }),
  )
  const host = new URL(target.origin).host
  const expected = `PUT /a?b HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\nX-A: b\r\ncontent-length: 2\r\n\r\nhi`
  t.equal(received[0], expected)
  await settled(send({ method: 'POST' }))
  t.match(received[0]?.slice(expected.length), /^POST \/ HTTP\/1.1\r\n[\s\S]*content-length: 0\r\n\r\n$/)
})

t.test('nothing goes out that could end a line, or say where a body ends', async (t) => {
  const { send, settled, sockets } = await scripted(t, (socket) => socket.write(ok('')))
  const refused: Partial<TargetRequest>[] = [
    { path: '/a b' },
    { path: '/a\r\nX: b' },
    { path: '' },
    { method: 'GET /' },
    { headers: ['X-A', 'b\r\nX-B: c'] },
    { headers: ['X-A', 'b\nc'] },
    { headers: ['X-A', 'b\0c'] },
    { headers: ['X-A', 'ā'] },
    { headers: ['X A', 'b'] },
    { headers: ['', 'b'] },
    { headers: ['X-A\r\nX-B', 'b'] },
    ...['Host', 'Connection', 'Transfer-Encoding', 'Upgrade', 'Expect', 'Keep-Alive'].map((name) => ({
      headers: [name, 'x'],
    })),
    { headers: ['Content-Length', '2', 'content-length', '2'] },
    { headers: ['Content-Length', '+2'] },
  ]
  for (const request of refused) {
    const outcome = send(request)
    await settled(outcome)
    t.equal(outcome.error?.code, 'UND_ERR_INVALID_ARG', JSON.stringify(request))
  }
  const outcome = send({ method: 'PUT', headers: ['Content-Length', '3'], body: Buffer.from('hi') })
  await settled(outcome)
  t.equal(outcome.error?.code, 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH')
  t.ok(sockets.length <= 2, 'what was not written costs no connection')
})

t.test('a connection ends with the answer when either side says so, and after HEAD', async (t) => {
  const closing = await scripted(t, (socket) => socket.write(ok('hi', 'Connection: close\r\n')))
  await closing.settled(closing.send())
  await closing.settled(closing.send())
  t.equal(closing.sockets.length, 2)
  const soon = await scripted(t, (socket) => socket.write(ok('hi', 'Keep-Alive: timeout=1\r\n')))
  await soon.settled(soon.send())
  await soon.settled(soon.send())
  t.equal(soon.sockets.length, 2, 'one that the target is about to close is not used')
  const head = await scripted(t, (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n'))
  for (const outcome of [head.send({ method: 'HEAD' }), head.send({ method: 'HEAD' })]) await head.settled(outcome)
  t.equal(head.sockets.length, 2)
  t.match(head.received[0], /connection: close/)
})

t.test('bytes that nobody requested end an idle connection, and reach no later request', async (t) => {
  const { send, settled, sockets } = await scripted(t, (socket, received, number) => {
    if (isWhole(received)) socket.write(ok(`${number}`))
  })
  await settled(send())
  sockets[0]?.write(ok('poison'))
  await eventually(() => sockets[0]?.destroyed, 'the end of the connection')
  const outcome = send()
  await settled(outcome)
  t.equal(outcome.body, '1')
})

t.test('a request whose connection ends before it is written goes to another one', async (t) => {
  const { send, settled, sockets } = await scripted(t, (socket, _received, number) => socket.write(ok(`${number}`)))
  await settled(send())
  sockets[0]?.destroy()
  // Before this process has heard of it.
  const outcome = send()
  await settled(outcome)
  t.ok(
    outcome.body === '1' || outcome.error?.code === 'UND_ERR_SOCKET' || outcome.error?.code === 'ECONNRESET',
    outcome.body,
  )
  const next = send()
  await settled(next)
  t.same([next.body, next.heard], ['1', ['connected', '200', 'ended']])
})

t.test(
  'a request that is given up while it waits is not sent, and what is given up later ends its connection',
  async (t) => {
    const { send, settled, sockets, received } = await scripted(t, () => undefined)
    const first = send({ path: '/first' })
    await eventually(() => received[0]?.includes('/first'))
    const body = new Readable({ read: () => undefined })
    const second = send({ method: 'PUT', path: '/second', body })
    body.destroy(new Error('the client left'))
    await settled(second)
    t.equal(second.error?.message, 'the client left')
    first.abort?.(new Error('no longer wanted'))
    t.equal(first.error?.message, 'no longer wanted', 'at once')
    await eventually(() => sockets[0]?.destroyed, 'the end of the connection')
    t.notMatch(received.join(), '/second')
  },
)

t.test(
  'a streamed body is sent in chunks, or with the length that was said, and not a byte more or less',
  async (t) => {
    const { send, settled, received } = await scripted(t, (socket, all) => {
      if (all.endsWith('0\r\n\r\n') || all.endsWith('hi')) socket.write(ok(''))
    })
    const stream = (text: string) => Readable.from([Buffer.from(text)], { objectMode: false })
    await settled(send({ method: 'PUT', body: stream('hello') }))
    t.match(received[0], /transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n$/)
    await settled(send({ method: 'PUT', headers: ['Content-Length', '2'], body: stream('hi') }))
    t.match(received[0], /content-length: 2\r\n\r\nhi$/)
    for (const length of ['1', '3']) {
      const outcome = send({ method: 'PUT', headers: ['Content-Length', length], body: stream('hi') })
      await settled(outcome)
      t.equal(outcome.error?.code, 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH', length)
    }
    const none = send({ method: 'PUT', body: Readable.from([], { objectMode: false }) })
    await settled(none)
    t.match(received.at(-1), /content-length: 0\r\n\r\n$/)
  },
)

t.test('an answer before the end of its request ends the connection', async (t) => {
  const { send, settled, sockets } = await scripted(t, (socket) => socket.write(ok('enough')))
  const body = new Readable({ read: () => undefined })
  body.push('x')
  const outcome = send({ method: 'PUT', body })
  await settled(outcome)
  t.same([outcome.body, outcome.error, body.destroyed], ['enough', undefined, true])
  await eventually(() => sockets[0]?.destroyed, 'the end of the connection')
})

t.test('a target that says nothing, or stops in the middle, is given up; one whose reader waits is not', async (t) => {
  const { send, settled } = await scripted(t, (socket, _received, number) => {
    if (number === 1) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf')
  })
  const silent = send({ headersTimeout: 50 })
  await settled(silent)
  t.equal(silent.error?.code, 'UND_ERR_HEADERS_TIMEOUT')
  const half = send({ bodyTimeout: 50 })
  await settled(half)
  t.same([half.body, half.error?.code], ['half', 'UND_ERR_BODY_TIMEOUT'])
})

t.test('closed in peace, connections end with what is under way; destroyed, it fails', async (t) => {
  let answer: (() => void) | undefined
  const { send, settled, target, sockets } = await scripted(t, (socket) => {
    answer = () => void socket.write(ok('late'))
  })
  const first = send()
  await eventually(() => answer !== undefined)
  const closed = target.requests.close()
  answer?.()
  await settled(first)
  t.equal(first.body, 'late')
  await closed
  await eventually(() => sockets[0]?.destroyed, 'the end of the connection')
  const streams = target.streams()
  const under = send({}, streams)
  await eventually(() => under.heard.length > 0)
  streams.destroy()
  t.equal(under.error?.code, 'UND_ERR_DESTROYED')
  t.equal(send({}, streams).error?.code, 'UND_ERR_DESTROYED')
})
