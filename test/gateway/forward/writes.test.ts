// What a call costs in writes: the answer to a client is one piece, head and body, where the body is small and whole.

import type { Socket } from 'node:net'
import t from 'tap'
import { openGate, recordingUpstream, viaProxy } from '../../support/rooms/http-gate.js'
import { rawConnection } from '../../support/traffic/http-raw.js'
import { countParts } from '../../support/traffic/written-parts.js'

const calls = 20

for (const bytes of [0, 1, 1_024, 16_384]) {
  t.test(`an answer with ${bytes} bytes is one piece, on a connection that goes on`, async (t) => {
    const body = 'x'.repeat(bytes)
    const upstream = await recordingUpstream(t, (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': bytes }).end(body)
    })
    const gate = await openGate(t, {
      routes: [{ path: '/api/v2/things', methods: { GET: ['User.Read.All'] } }],
      upstreams: { things: { target: upstream.target } },
    })
    const counts: (() => number)[] = []
    gate.app.server.on('connection', (socket: Socket) => counts.push(countParts(socket)))
    const connection = await rawConnection(gate)
    const token = await gate.token()
    for (let i = 0; i < calls; i += 1) {
      connection.send(`GET /api/v2/things HTTP/1.1\r\n${viaProxy}Authorization: Bearer ${token}\r\n\r\n`)
      const answer = await connection.answer()
      t.equal(answer.status, 200)
      t.equal(answer.body, body)
    }
    connection.end()
    t.same(
      counts.map((parts) => parts()),
      [calls],
      'one connection, and no more pieces than answers',
    )
  })
}
