// Requests that nobody wants any more, wherever they are on their way, answers whose connection has ended before their
// reader has had all of them, and answers that come faster than anybody else's.

import { PassThrough } from 'node:stream'
import t from 'tap'
import { mostPerTurn } from '../../../src/gateway/http1/read-turn.js'
import { eventually } from '../../support/rooms/http-gate.js'
import { ownCertificate } from '../../support/upstreams/own-certificate.js'
import { ok, scripted } from '../../support/upstreams/scripted-target.js'

const slowly = (resume: () => void) => setTimeout(resume, 5)
const long = 'a'.repeat(60_000)
const closing = {
  'a length': `HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ${long.length}\r\n\r\n${long}`,
  'the end of the connection': `HTTP/1.1 200 OK\r\n\r\n${long}`,
  chunks: `HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n${long.length.toString(16)}\r\n${long}\r\n0\r\n\r\n`,
}

for (const [way, answer] of Object.entries(closing)) {
  t.test(
    `a target that closes behind an answer with ${way} is read to its end by a slow reader, over TLS too`,
    async (t) => {
      for (const tls of [await ownCertificate(), undefined]) {
        const { send, settled } = await scripted(t, (socket) => socket.end(answer, 'latin1'), {
          pace: slowly,
          ...(tls === undefined ? {} : { tls }),
        })
        const outcome = send()
        await settled(outcome)
        t.equal(outcome.error, undefined)
        t.equal(outcome.body.length, long.length)
      }
    },
  )
}

t.test('over TLS an answer that is cut short fails for a slow reader as for any', async (t) => {
  const tls = await ownCertificate()
  const { send, settled } = await scripted(t, (socket) => socket.end(closing['a length'].slice(0, -1), 'latin1'), {
    pace: slowly,
    tls,
  })
  const outcome = send()
  await settled(outcome)
  t.equal(outcome.error?.code, 'UND_ERR_SOCKET')
})

t.test('a body that fails while its connection is made costs no connection', async (t) => {
  const { send, settled, sockets } = await scripted(t, (socket) => socket.write(ok('hi')))
  const body = new PassThrough()
  const failed = send({ method: 'POST', body })
  body.destroy(new Error('too large'))
  await settled(failed)
  t.same(failed.heard, ['failed'])
  const next = send()
  await settled(next)
  t.equal(next.body, 'hi')
  t.equal(sockets.length, 1)
})

t.test('who waits for a connection and leaves is forgotten at once, and those behind keep their order', async (t) => {
  const order: string[] = []
  let answer: (() => void) | undefined
  const { send, settled } = await scripted(t, (socket, received) => {
    order.push(received.split('GET /').at(-1)?.[0] ?? '')
    if (order.length > 1) socket.write(ok('hi'))
    else answer = () => void socket.write(ok('hi'))
  })
  const [first, second, third, fourth] = ['a', 'b', 'c', 'd'].map((path) => send({ path: `/${path}` }))
  if (first === undefined || second === undefined || third === undefined || fourth === undefined) return
  await eventually(() => answer !== undefined)
  second.fail(new Error('left'))
  t.same(second.heard, ['failed'], 'it never had a connection')
  answer?.()
  for (const outcome of [first, third, fourth]) await settled(outcome)
  t.same(order, ['a', 'c', 'd'])
})

t.test('closed in peace, connections do not wait for those who have left', async (t) => {
  let answer: (() => void) | undefined
  const { send, settled, target } = await scripted(t, (socket) => {
    answer = () => void socket.write(ok('hi', 'Keep-Alive: timeout=600\r\n'))
  })
  const first = send()
  const second = send()
  await eventually(() => answer !== undefined)
  const closed = target.requests.close()
  second.fail(new Error('left'))
  answer?.()
  await settled(first)
  await closed
})

t.test(
  'an answer that comes before its request was taken ends the connection, also where the body lay ready',
  async (t) => {
    const { send, settled, sockets } = await scripted(t, (socket, received) => {
      if (!received.startsWith('PUT')) return void socket.write(ok('hi'))
      socket.pause()
      if (!received.includes('\r\n\r\n')) return
      socket.write(ok('no'))
    })
    const early = send({ method: 'PUT', body: Buffer.alloc(64 * 1024 * 1024) })
    await settled(early)
    t.equal(early.body, 'no')
    const next = send()
    await settled(next)
    t.equal(sockets.length, 2)
  },
)

t.test('of an answer that comes as fast as it is read, a part is read in a turn of the event loop', async (t) => {
  for (const tls of [undefined, await ownCertificate()]) {
    for (const pace of [undefined, process.nextTick]) {
      const body = 'a'.repeat(16 * 1024 * 1024)
      const { send, settled } = await scripted(t, (socket) => socket.write(ok(body)), {
        ...(tls === undefined ? {} : { tls }),
        ...(pace === undefined ? {} : { pace }),
      })
      const outcome = send()
      let [before, most] = [0, 0]
      const look = () => {
        most = Math.max(most, outcome.body.length - before)
        before = outcome.body.length
        if (before < body.length) setImmediate(look)
      }
      look()
      await settled(outcome)
      t.equal(outcome.body.length, body.length)
      // What lay decrypted comes on top; without a bound it is 32 times as much.
      t.ok(most <= 4 * mostPerTurn, `${most} bytes in a turn`)
    }
  }
})
