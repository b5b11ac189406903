// Answers that come as events and are rewritten: an event is held until it is whole, in the memory for bodies of its caller.

import t from 'tap'
import type { McpSettings } from '../../../src/config/settings/route-settings.js'
import { createEventRewriter } from '../../../src/mcp/event-stream.js'
import type { McpVersion } from '../../../src/mcp/versions.js'
import { ownResource } from '../../support/rooms/directory.js'
import { eventually, openGate, recordingUpstream, type Test, viaProxy } from '../../support/rooms/http-gate.js'
import { type RawConnection, rawConnection, rawRequest } from '../../support/traffic/http-raw.js'
import { legacyVersion, listenBytes } from '../../support/traffic/mcp-client.js'

const kib = 1_024
const first = ['User.Read.All']
const mcp: McpSettings = {
  versions: new Set<McpVersion>([legacyVersion]),
  list: 'granted',
  first: { anyOf: [first] },
  tools: new Map([['users', { needs: { anyOf: [first] } }]]),
  prompts: new Map(),
  resources: new Map(),
}
const list = '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"users"},{"name":"unnamed"}]}}'

/** The server says so many bytes of an event, and the rest of it when `finish` is called; of none all at once. */
async function open(t: Test, bodyBytes: number) {
  const waiting: (() => void)[] = []
  let left = 0
  const upstream = await recordingUpstream(t, (request, response, { body }) => {
    const wanted = request.method === 'GET' ? request.headers['last-event-id'] : JSON.parse(body).params.cursor
    const bytes = Number(wanted ?? 0)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (bytes === 0) return void response.end(`data: ${list}\n\n`)
    response.on('close', () => {
      left += 1
    })
    response.write(': begun\n\n')
    response.write(`data: ${' '.repeat(bytes)}`)
    waiting.push(() => response.write(`${list}\n\n`))
  })
  const gate = await openGate(t, {
    routes: [{ path: '/desk/mcp', id: '/desk/mcp', methods: { POST: first, GET: first, DELETE: first }, mcp }],
    upstreams: { desk: { target: upstream.target, connections: 64 } },
    bodyBytes,
  })
  const caller = async () => {
    const permissions = first.map((id) => ({ kind: 'application' as const, resource: ownResource, id }))
    const { registration, tenantId } = await gate.registerDemo({ permissions })
    return gate.token(first, { client_id: registration.applicationId, tid: tenantId })
  }
  const listBytes = (token: string, cursor?: string) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor } })
    const fields = `Content-Type: application/json\r\nMCP-Protocol-Version: ${legacyVersion}\r\n`
    return `POST /desk/mcp HTTP/1.1\r\n${viaProxy}Authorization: Bearer ${token}\r\n${fields}Content-Length: ${body.length}\r\n\r\n${body}`
  }
  /** A stream in which an event has begun. */
  const begin = async (bytes: string): Promise<Stream> => {
    const connection = await rawConnection(gate)
    t.teardown(() => connection.socket.destroy())
    const stream: Stream = { connection, text: '', isClosed: false }
    connection.socket.on('data', (chunk) => {
      stream.text += String(chunk)
    })
    connection.socket.on('close', () => {
      stream.isClosed = true
    })
    connection.send(bytes)
    await eventually(() => stream.text.includes(': begun') || stream.isClosed, 'the stream has begun')
    return stream
  }
  const held = () => gate.deps.bodies.held
  const finish = () => {
    for (const go of waiting.splice(0)) go()
  }
  return { gate, caller, listBytes, begin, held, finish, left: () => left }
}

interface Stream {
  connection: RawConnection
  text: string
  isClosed: boolean
}

t.test('gateway M1: an event is held in the memory of its caller while it is collected, and no longer', async (t) => {
  const { caller, listBytes, begin, held, finish } = await open(t, 1_024 * kib)
  const token = await caller()
  const resumed = listenBytes({ token, fields: [`Last-Event-ID: ${60 * kib}`] })
  for (const bytes of [listBytes(token, String(60 * kib)), resumed]) {
    const stream = await begin(bytes)
    await eventually(() => held() >= 60 * kib, 'it is held')
    t.ok(held() <= 130 * kib)
    finish()
    await eventually(() => stream.text.includes('"users"'), 'it is sent')
    t.notMatch(stream.text, 'unnamed')
    t.equal(stream.isClosed, false)
    t.ok(held() <= 4 * kib, 'the stream goes on, the event is not held')
    stream.connection.socket.destroy()
    await eventually(() => held() === 0)
  }
})

t.test('gateway M1: an event beyond what its caller may hold is cut, and others are not affected', async (t) => {
  const { gate, caller, listBytes, begin, held, left } = await open(t, 1_024 * kib)
  const [one, other] = [await caller(), await caller()]
  const large = await begin(listBytes(one, String(300 * kib)))
  await eventually(() => large.isClosed, 'more than a quarter')
  t.notMatch(large.text, /\r\n0\r\n\r\n$/, 'half an answer does not look like a whole one')
  await eventually(() => held() === 0 && left() === 1, 'nothing of it is left')
  const streams: Stream[] = []
  for (let i = 0; i < 8; i += 1) streams.push(await begin(listBytes(one, String(60 * kib))))
  const open_ = () => streams.filter(({ isClosed }) => !isClosed).length
  await eventually(() => open_() <= 4 && held() >= open_() * 60 * kib, 'many small ones')
  t.ok(held() <= 256 * kib)
  t.ok(open_() >= 1)
  const passed = await rawRequest(gate, listBytes(one))
  t.equal(passed.status, 200, 'what is whole at once needs no memory of events')
  const before = held()
  const another = await begin(listBytes(other, String(60 * kib)))
  await eventually(() => held() >= before + 60 * kib, 'another caller has its own share')
  t.equal(another.isClosed, false)
})

t.test('gateway M1: events of many callers never take all of the memory for bodies', async (t) => {
  const { caller, listBytes, begin, held, finish } = await open(t, 512 * kib)
  const streams: Stream[] = []
  let most = 0
  for (let i = 0; i < 12; i += 1) {
    streams.push(await begin(listBytes(await caller(), String(50 * kib))))
    most = Math.max(most, held())
  }
  await eventually(() => streams.some(({ isClosed }) => isClosed), 'some are cut')
  t.ok(most <= 512 * kib)
  const whole = streams.filter(({ isClosed }) => !isClosed)
  finish()
  await eventually(() => whole.every(({ text, isClosed }) => isClosed || text.includes('"users"')), 'the others go on')
  t.ok(whole.some(({ text }) => text.includes('"users"')))
})

t.test('gateway M1: a stream that is gone on with is refused where no memory is left', async (t) => {
  const { gate, caller, held, begin } = await open(t, 64 * kib)
  const token = await caller()
  const resumed = listenBytes({ token, fields: ['Last-Event-ID: 1024'] })
  const holds = Array.from({ length: 4 }, (_, i) => gate.deps.bodies.hold(`caller ${i}`, 16 * kib))
  t.equal(held(), 64 * kib)
  const full = await rawRequest(gate, resumed)
  t.equal(full.status, 503, 'for nobody')
  t.same(full.headers.get('retry-after'), ['1'])
  for (const each of holds) if (typeof each !== 'string') each.release()
  await eventually(() => held() === 0)
  const large = listenBytes({ token, fields: [`Last-Event-ID: ${13 * kib}`] })
  t.match((await begin(large)).text, /^HTTP\/1\.1 200 /)
  await eventually(() => held() > 12 * kib, 'its event is held')
  t.equal((await rawRequest(gate, resumed)).status, 429, 'its caller has its share')
  t.equal((await rawRequest(gate, listenBytes({ token: await caller(), fields: ['Last-Event-ID: 0'] }))).status, 200)
})

t.test('an event that is collected is counted by what it takes', async (t) => {
  let [held, room] = [0, 1_000]
  const memory = {
    grow: (bytes: number) => {
      if (bytes > room - held) return false
      held += bytes
      return true
    },
    shrink: (bytes: number) => {
      held -= bytes
    },
  }
  const events = createEventRewriter(() => undefined, { mostBytes: 10_000, ...memory })
  t.equal(String(events.push(Buffer.from('data: 1\n\ndata: 2\n\n'))), 'data: 1\n\ndata: 2\n\n')
  t.equal(held, 0, 'nothing is collected')
  events.push(Buffer.from(`data: ${'x'.repeat(500)}`))
  t.ok(held >= 506 && held <= 1_000)
  t.match(String(events.push(Buffer.from('\n\nid'))), /^data: x+\n\n$/)
  t.ok(held <= 16, 'a large event that has passed leaves its room')
  t.equal(String(events.end()), 'id')
  t.equal(held, 0)
  t.throws(() => events.push(Buffer.alloc(1_001, 'x')), /no memory is left/)
  room = 100_000
  const others = createEventRewriter(() => undefined, { mostBytes: 10_000, ...memory })
  t.throws(() => others.push(Buffer.alloc(10_001, 'x')), /too large/)
})
