// What ends an answer that is still being sent, tick by tick.
// full: streams that stay open for seconds
// run: apart

import t from 'tap'
import type { TokenPrincipal } from '../../../src/access/principal.js'
import { createOpenStreams, type OpenStream } from '../../../src/gateway/forward/open-streams.js'
import { revoke } from '../../../src/revocation/revoke.js'
import { eventually, openGate, recordingUpstream, type Test, viaProxy } from '../../support/rooms/http-gate.js'
import { rawConnection, rawRequest } from '../../support/traffic/http-raw.js'
import { watchStalls } from '../../support/traffic/stalls.js'

const principal = { kind: 'application', keyId: 'k', expiresAt: 10_000, seq: 1 } as unknown as TokenPrincipal

function register(t: Tap, stale: () => boolean) {
  const streams = createOpenStreams({
    view: { refusal: () => undefined, isStale: stale, seq: 1 },
    keyring: { verificationKey: () => ({}) as never },
    leewaySeconds: 60,
    now: () => 5_000_000,
    gauge: { set() {} },
    everyMs: 3_600_000,
  })
  t.teardown(() => streams.stop())
  const cut: string[] = []
  const open = (name: string, more: Partial<OpenStream>) =>
    streams.add({
      principal,
      onStale: 'refuse',
      place: -1,
      kind: 'response',
      leave() {},
      cut: (reason) => void cut.push(`${name} ${reason}`),
      ...more,
    })
  return { streams, cut, open }
}
type Tap = typeof t

t.test('V9 a view that stays stale ends the streams that it cannot vouch for, and only those', async (t) => {
  let stale = false
  const { streams, cut, open } = register(t as Tap, () => stale)
  open('strict', {})
  open('lax', { onStale: 'pass' })
  open('public', { principal: undefined })
  const ticks = (count: number) => {
    for (let i = 0; i < count; i += 1) streams.sweep()
  }
  ticks(5)
  stale = true
  ticks(3)
  stale = false
  ticks(1)
  stale = true
  ticks(3)
  t.same(cut, [], 'a moment costs nothing')
  ticks(1)
  t.same(cut, ['strict view_stale'])
})

t.test('a call that is about to be answered may finish; what lasts may not', async (t) => {
  const { streams, cut, open } = register(t as Tap, () => true)
  open('call', { since: performance.now() + 60_000 })
  open('stream', { since: performance.now() - 1_000 })
  for (let i = 0; i < 5; i += 1) streams.sweep()
  t.same(new Set(cut), new Set(['stream view_stale']))
})

t.test('a change of the view is looked at before the next tick', async (t) => {
  const view = { refusal: () => (view.seq > 1 ? ('tenant_revoked' as const) : undefined), isStale: () => false, seq: 1 }
  const streams = createOpenStreams({
    ...{ view, keyring: { verificationKey: () => ({}) as never }, leewaySeconds: 60, now: () => 5_000_000 },
    ...{ gauge: { set() {} }, everyMs: 10_000 },
  })
  // The register's own clock keeps no process.
  const waiting = setTimeout(() => undefined, 60_000)
  t.teardown(() => {
    clearTimeout(waiting)
    streams.stop()
  })
  const cut = new Promise<string>((resolve) =>
    streams.add({ principal, kind: 'response', onStale: 'refuse', place: -1, cut: resolve, leave() {} }),
  )
  const began = performance.now()
  view.seq = 2
  t.equal(await cut, 'token_revoked')
  t.ok(performance.now() - began < 9_000)
})

t.test('streams that end, in whatever order, take no others with them', async (t) => {
  const { streams, cut } = register(t as Tap, () => true)
  const opened = ['first', 'second', 'third', 'fourth'].map((name) => {
    const stream: OpenStream = {
      principal,
      onStale: 'refuse',
      place: -1,
      kind: 'response',
      leave() {},
      // As a relay does: what is cut is taken out at once.
      cut(reason) {
        cut.push(`${name} ${reason}`)
        streams.remove(stream)
      },
    }
    streams.add(stream)
    return stream
  })
  const [first, second] = opened as [OpenStream, OpenStream]
  streams.remove(first)
  streams.remove(first)
  streams.remove(second)
  streams.remove(second)
  for (let i = 0; i < 4; i += 1) streams.sweep()
  t.same(cut.sort(), ['fourth view_stale', 'third view_stale'])
  for (let i = 0; i < 4; i += 1) streams.sweep()
  t.equal(cut.length, 2, 'each once')
})

const live = '/api/v2/live'

async function eventGate(t: Test, type: string) {
  const said: { push?: (text: string) => void; left: number } = { left: 0 }
  const upstream = await recordingUpstream(t, (_request, response) => {
    response.writeHead(200, { 'content-type': type }).flushHeaders()
    said.push = (text) => void response.write(text)
    response.on('close', () => {
      said.left += 1
    })
  })
  const gate = await openGate(t, {
    routes: [
      { path: live, methods: { GET: ['User.Read.All'] }, stream: true },
      { path: '/api/v2/bounded', methods: { GET: 'public' }, stream: true, idleMs: 300 },
      { path: '/api/v2/plain', methods: { GET: 'public' } },
    ],
    upstreams: { things: { target: upstream.target, idleMs: 300 } },
  })
  const open = async (path = live) => {
    const connection = await rawConnection(gate)
    t.teardown(() => connection.end())
    let text = ''
    connection.socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
    })
    connection.send(`GET ${path} HTTP/1.1\r\n${viaProxy}Authorization: Bearer ${await gate.token()}\r\n\r\n`)
    await eventually(() => text.includes('\r\n\r\n'), 'the head, before any event')
    return { connection, text: () => text }
  }
  return { gate, said, open }
}

t.test('P11 a route that streams may be silent, whatever its media type says besides; others may not', async (t) => {
  for (const type of ['text/event-stream', 'text/event-stream; charset=utf-8', 'Text/Event-Stream;charset="x"']) {
    const { said, open } = await eventGate(t as Tap, type)
    const quiet = await open()
    const plain = await open('/api/v2/plain')
    const bounded = await open('/api/v2/bounded')
    // Both of these are cut, after a silence that the first one has survived then, and some more of it.
    await Promise.all([plain.connection.closed(), bounded.connection.closed()])
    t.equal(quiet.connection.socket.destroyed, false, type)
    t.ok(said.push !== undefined)
  }
})

t.test('contract §5: F23 P4 an event stream is flushed at once, and ends with its token or its client', async (t) => {
  const { gate, said, open } = await eventGate(t as Tap, 'text/event-stream')
  // A machine that does other things too makes one late now and then; three in a row are not its doing.
  const took: number[] = []
  while (took.length < 3 && !took.some((ms) => ms < 1_000)) {
    const revoked = await open()
    for (const event of ['data: 1\n\n', 'data: 2\n\n']) {
      said.push?.(event)
      await eventually(() => revoked.text().includes(event), 'each event by itself')
    }
    await revoke(gate.writes, { what: 'tenant', id: '9b2c51d4-1a77-4bb7-9b0f-6f6f5d4c3b02' })
    const stalledMs = watchStalls()
    const began = performance.now()
    await revoked.connection.closed()
    const tookMs = performance.now() - began - stalledMs()
    took.push(tookMs)
    t.comment(`closed ${Math.round(tookMs)} ms after the revocation`)
    t.ok(tookMs < 3_000, `${tookMs} ms`)
    t.notMatch(revoked.text(), /\r\n0\r\n\r\n$/, 'cut, not ended')
    await eventually(() => said.left === took.length, 'the upstream is left')
  }
  t.ok(
    took.some((ms) => ms < 1_000),
    'within the second that is promised',
  )
  const leaving = await open('/api/v2/plain')
  leaving.connection.end()
  await eventually(() => said.left === took.length + 1, 'and when the client leaves')
})

t.test(
  'P10 P14 ranges, conditions and HEAD pass as they are; trailers of a request end here, with their announcement',
  async (t) => {
    const upstream = await recordingUpstream(t as Tap, (request, response) => {
      const { range, 'if-range': condition } = request.headers
      if (range === undefined) response.writeHead(200, { etag: '"a"', 'content-length': 10 }).end('0123456789')
      else if (condition !== undefined && condition !== '"a"') response.end('0123456789')
      else response.writeHead(206, { 'content-range': 'bytes 2-4/10', 'content-length': '3' }).end('234')
    })
    const gate = await openGate(t as Tap, {
      routes: [{ path: '/f', methods: { GET: 'public', POST: 'public' } }],
      upstreams: { things: { target: upstream.target } },
    })
    const ask = (fields: string) => rawRequest(gate, `GET /f HTTP/1.1\r\n${viaProxy}${fields}\r\n`)
    const part = await ask('Range: bytes=2-4\r\nIf-Range: "a"\r\n')
    t.same([part.status, part.body, part.headers.get('content-range')], [206, '234', ['bytes 2-4/10']])
    const changed = await ask('Range: bytes=2-4\r\nIf-Range: "b"\r\n')
    t.same([changed.status, changed.body], [200, '0123456789'])
    const head = await rawRequest(gate, `HEAD /f HTTP/1.1\r\n${viaProxy}\r\n`, 'HEAD')
    t.same([head.status, head.headers.get('content-length')], [200, ['10']])
    const chunked = 'Transfer-Encoding: chunked\r\nTrailer: x-sum\r\nConnection: TE\r\nTE: trailers\r\n'
    await rawRequest(gate, `POST /f HTTP/1.1\r\n${viaProxy}${chunked}\r\n2\r\nhi\r\n0\r\nx-sum: 7\r\n\r\n`)
    const posted = upstream.requests.at(-1)
    t.same([posted?.body, posted?.headers.te], ['hi', 'trailers'])
    t.same([posted?.headers.trailer, posted?.headers['x-sum']], [undefined, undefined])
  },
)
