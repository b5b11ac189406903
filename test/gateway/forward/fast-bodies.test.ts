// A request's body that comes as fast as it is read: others have their turn meanwhile.

import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import t from 'tap'
import { streamBody } from '../../../src/gateway/forward/request-body.js'
import { mostPerTurn } from '../../../src/gateway/http1/read-turn.js'

const size = 16 * 1024 * 1024

for (const way of ['at once', 'in its own time'] as const) {
  t.test(
    `of a body that is taken ${way} a part is read in a turn of the event loop, and in the end all of it`,
    async (t) => {
      let [taken, before, most] = [0, 0, 0]
      const server = createServer((request, response) => {
        const { stream } = streamBody(request, { limitBytes: size, idleMs: 30_000, leastBytes: 1 })
        stream.on('data', (chunk: Buffer) => {
          taken += chunk.length
          if (way === 'at once') return
          stream.pause()
          process.nextTick(() => stream.resume())
        })
        stream.on('end', () => response.end('taken'))
        const look = () => {
          most = Math.max(most, taken - before)
          before = taken
          if (taken < size) setImmediate(look)
        }
        look()
      }).listen(0, '127.0.0.1')
      await once(server, 'listening')
      t.teardown(() => server.close())
      const socket = connect((server.address() as { port: number }).port, '127.0.0.1')
      t.teardown(() => socket.destroy())
      socket.write(`PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: ${size}\r\n\r\n`)
      socket.write(Buffer.alloc(size))
      const [answer] = (await once(socket, 'data')) as [Buffer]
      t.match(answer.toString('latin1'), /^HTTP\/1\.1 200 /)
      t.equal(taken, size)
      t.ok(most <= 4 * mostPerTurn, `${most} bytes in a turn`)
    },
  )
}
