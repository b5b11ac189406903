// Bodies that the gate reads before it asks the service: memory for them is bounded, in all and for each caller, and
// they take no place at the service.

import t from 'tap'
import { describeService } from '../../../src/openapi/describe-service.js'
import { eventually, openGate, recordingUpstream, type Test, viaProxy } from '../../support/rooms/http-gate.js'
import { rawConnection, rawRequest } from '../../support/traffic/http-raw.js'

const kib = 1_024
const schema = { type: 'object' }
const document = {
  openapi: '3.0.3',
  paths: { '/v/things': { post: { requestBody: { content: { 'application/json': { schema } } } } } },
}

async function heldGate(t: Test, bodyBytes: number) {
  const upstream = await recordingUpstream(t)
  const description = describeService(JSON.stringify(document))
  const gate = await openGate(t, {
    routes: [
      { path: '/v/things', methods: { POST: 'public' }, description, bodyBytes: 1_024 * kib },
      { path: '/plain', methods: { GET: 'public', POST: 'public' } },
    ],
    upstreams: { things: { target: upstream.target, connections: 4 } },
    bodyBytes,
  })
  return { upstream, gate }
}

const from = (address: string) => `${viaProxy}X-Forwarded-For: ${address}\r\nContent-Type: application/json\r\n`
const post = (path: string, address: string, length: number) =>
  `POST ${path} HTTP/1.1\r\n${from(address)}Content-Length: ${length}\r\n\r\n`

t.test('gateway M1: bodies that are held are bounded for each caller, and take no place at the service', async (t) => {
  const { gate, upstream } = await heldGate(t, 4_096 * kib)
  const statuses: number[] = []
  for (let i = 0; i < 40; i += 1) {
    const client = await rawConnection(gate)
    t.teardown(() => client.socket.destroy())
    client.answer().then(
      ({ status }) => statuses.push(status),
      () => undefined,
    )
    client.send(`${post('/v/things', '198.51.100.1', 256 * kib)}{`)
  }
  await eventually(() => statuses.length === 36, 'all beyond a quarter are refused, before they are read')
  t.same([...new Set(statuses)], [429])
  t.equal(gate.deps.bodies.held, 1_024 * kib)
  const things = gate.deps.gate.upstreams().get('things')
  t.equal(things?.requests.underWay, 0)
  for (let i = 0; i < 3; i += 1) {
    t.equal((await rawRequest(gate, `${post('/v/things', '198.51.100.2', 2)}{}`)).status, 200, 'another caller')
    t.equal((await rawRequest(gate, `GET /plain HTTP/1.1\r\n${from('198.51.100.1')}\r\n`)).status, 200)
  }
  await eventually(() => gate.deps.bodies.held === 1_024 * kib, 'what was answered is held no more')
  t.equal(upstream.requests.length, 6)
})

t.test(
  'gateway M1: memory that many callers take leaves some for the next, and a body in chunks may not grow past it',
  async (t) => {
    const { gate } = await heldGate(t, 512 * kib)
    const clients = []
    for (let i = 0; i < 12; i += 1) {
      const client = await rawConnection(gate)
      clients.push(client)
      t.teardown(() => client.socket.destroy())
      client.answer().catch(() => undefined)
      client.send(`${post('/v/things', `198.51.100.${i}`, 120 * kib)}{`)
    }
    await eventually(() => gate.deps.bodies.held >= 360 * kib, 'much is held')
    t.equal((await rawRequest(gate, `${post('/v/things', '203.0.113.1', 2)}{}`)).status, 200)
    const growing = await rawConnection(gate)
    growing.send(`POST /v/things HTTP/1.1\r\n${from('203.0.113.2')}Transfer-Encoding: chunked\r\n\r\n`)
    const piece = `8000\r\n${' '.repeat(0x8000)}\r\n`
    growing.send(piece.repeat(8))
    const refused = await growing.answer()
    t.same([refused.status, refused.headers.get('retry-after')], [503, ['1']])
    for (const { socket } of clients) socket.destroy()
    await eventually(() => gate.deps.bodies.held === 0, 'nothing is left')
  },
)

t.test('a body without a length is read first when it is small, and streams when it goes on', async (t) => {
  const { gate, upstream } = await heldGate(t, 4_096 * kib)
  const client = await rawConnection(gate)
  t.teardown(() => client.end())
  client.send(`POST /plain HTTP/1.1\r\n${from('203.0.113.2')}Transfer-Encoding: chunked\r\n\r\n`)
  const piece = Buffer.from(Array.from({ length: 100 * kib }, (_, i) => 97 + (i % 26)))
  client.send(`${piece.length.toString(16)}\r\n`)
  client.send(piece)
  await eventually(() => upstream.connections === 1, 'the service hears of it before its end')
  client.send('\r\n3\r\nend\r\n0\r\n\r\n')
  t.equal((await client.answer()).status, 200)
  t.equal(upstream.requests[0]?.body, `${piece.toString()}end`)
  t.equal(upstream.requests[0]?.headers['transfer-encoding'], 'chunked')
  t.equal(gate.deps.bodies.held, 0)
})
