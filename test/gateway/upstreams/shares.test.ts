// Who takes how much of an upstream: whatever one caller does with it, slowly or in numbers, another one gets its
// answers.

import type { IncomingMessage, ServerResponse } from 'node:http'
import t from 'tap'
import { Room } from '../../../src/gateway/upstreams/room.js'
import {
  eventually,
  type GateApp,
  type GateOptions,
  openGate,
  recordingUpstream,
  scriptedUpstream,
  type Test,
  viaProxy,
} from '../../support/rooms/http-gate.js'
import { type RawConnection, rawConnection, rawRequest } from '../../support/traffic/http-raw.js'
import { until } from '../../support/traffic/until.js'

const routes: GateOptions['routes'] = [
  { path: '/t/ok', methods: { GET: ['User.Read.All'] } },
  { path: '/t/hang', methods: { GET: ['User.Read.All'] } },
  { path: '/s/live', methods: { GET: ['User.Read.All'] }, stream: true },
  { path: '/pub/post', methods: { POST: 'public' } },
  { path: '/pub/hang', methods: { GET: 'public' } },
  { path: '/pub/ok', methods: { GET: 'public' } },
]
const ids = {
  attacker: '3f0c1f9e-9f34-4c6e-8f9e-0a6d1c5b7a01',
  victim: '7d1f3c2a-1111-4c6e-8f9e-0a6d1c5b7a02',
  otherTenant: '9b2c51d4-2222-4bb7-9b0f-6f6f5d4c3b02',
}

/** An upstream that answers at once, never, or with a stream that has no end. */
const handle = ({ url }: IncomingMessage, response: ServerResponse) => {
  if (url === '/s/live') response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
  else if (url?.endsWith('/hang') !== true) response.end('ok')
}

async function sharedGate(
  t: Test,
  more: Partial<GateOptions['upstreams'][string]> = {},
  options: Partial<GateOptions> = {},
) {
  const upstream = await recordingUpstream(t, handle)
  const things = { target: upstream.target, connections: 16, sharePercent: 25, headersMs: 60_000, ...more }
  const gate = await openGate(t, { routes, upstreams: { things }, ...options })
  const attacker = await gate.token()
  const victim = await gate.token(undefined, { client_id: ids.victim, sub: ids.victim, tid: ids.otherTenant })
  return { upstream, gate, attacker, victim }
}

const get = (path: string, token?: string, address = '203.0.113.7') => {
  const bearer = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`
  return `GET ${path} HTTP/1.1\r\n${viaProxy}X-Forwarded-For: ${address}\r\n${bearer}\r\n`
}

const post = (length: number, address = '203.0.113.7') =>
  `POST /pub/post HTTP/1.1\r\n${viaProxy}X-Forwarded-For: ${address}\r\nContent-Length: ${length}\r\n\r\n`

/** So many connections that each send `bytes`; they end with the test. */
async function crowd(t: Test, gate: GateApp, count: number, bytes: string): Promise<RawConnection[]> {
  const clients = await Promise.all(Array.from({ length: count }, () => rawConnection(gate)))
  t.teardown(() => {
    for (const { socket } of clients) socket.destroy()
  })
  for (const client of clients) {
    client.answer().catch(() => undefined)
    client.send(bytes)
  }
  return clients
}

const thingsOf = (gate: GateApp) => {
  const things = gate.deps.gate.upstreams().get('things')
  if (things === undefined) throw new Error('no upstream')
  return things
}

t.test(
  'gateway H1: streams of one caller take no room of ordinary requests, and not all of that of streams',
  async (t) => {
    const { gate, upstream, attacker, victim } = await sharedGate(t)
    await crowd(t, gate, 128, get('/s/live', attacker))
    await eventually(() => upstream.requests.length >= 8, 'as many streams as its share')
    t.equal((await rawRequest(gate, get('/t/ok', victim))).status, 200, 'another caller is answered')
    t.equal((await rawRequest(gate, get('/t/ok', attacker))).status, 200, 'and so is the same one')
    t.equal(upstream.requests.filter(({ url }) => url === '/s/live').length, 8, 'a quarter of 32')
    const refused = await rawRequest(gate, get('/s/live', attacker))
    t.same([refused.status, refused.headers.get('retry-after')], [429, ['5']])
    const stream = await rawConnection(gate)
    t.teardown(() => stream.socket.destroy())
    stream.send(get('/s/live', victim))
    await eventually(
      () => upstream.requests.filter(({ url }) => url === '/s/live').length === 9,
      'a stream of the other',
    )
    await eventually(() => gate.logged.some((line) => line.includes('"reason":"caller_streams"')), 'the reason')
  },
)

t.test('gateway H1: small bodies that come slowly hold no connection, from however many addresses', async (t) => {
  const { gate, upstream, victim } = await sharedGate(t)
  for (let i = 0; i < 8; i += 1) await crowd(t, gate, 16, `${post(60_000, `198.51.100.${i}`)}slow`)
  await eventually(() => gate.deps.bodies.held > 0, 'bodies are being read')
  for (let i = 0; i < 5; i += 1) t.equal((await rawRequest(gate, get('/t/ok', victim))).status, 200)
  t.equal((await rawRequest(gate, get('/pub/ok'))).status, 200, 'without a token too')
  t.equal(thingsOf(gate).requests.running, 0)
  t.equal(upstream.requests.filter(({ url }) => url === '/pub/post').length, 0, 'nothing of them has arrived')
})

t.test('gateway H1: larger bodies that come slowly leave places for others, from however many addresses', async (t) => {
  const { gate, victim } = await sharedGate(t, {}, { bodyIdleMs: 60_000 })
  for (let i = 0; i < 8; i += 1) await crowd(t, gate, 16, `${post(100_000, `198.51.100.${i}`)}slow`)
  await eventually(() => thingsOf(gate).requests.waiting > 0, 'more come than may run')
  t.ok(thingsOf(gate).requests.running <= 8, 'no more than half of the places are theirs')
  for (let i = 0; i < 5; i += 1) t.equal((await rawRequest(gate, get('/t/ok', victim))).status, 200)
})

t.test(
  'gateway H1: calls that hang take the share of their caller, and the wait for a place ends in 429 with a reason',
  async (t) => {
    const { gate, attacker, victim } = await sharedGate(t, { queueMs: 600 })
    await crowd(t, gate, 10, get('/t/hang', attacker))
    await eventually(() => thingsOf(gate).requests.running === 4, 'a quarter of 16')
    for (let i = 0; i < 5; i += 1) t.equal((await rawRequest(gate, get('/t/ok', victim))).status, 200)
    const own = await rawRequest(gate, get('/t/ok', attacker))
    t.same([own.status, own.headers.get('retry-after')], [429, ['1']], 'its own next call must wait, and learns why')
    await eventually(() => gate.logged.some((line) => line.includes('"reason":"caller_in_flight"')), 'the reason')
    t.match(
      await gate.metrics.registry.metrics(),
      'upstream_refusals_total{upstream="things",reason="caller_in_flight"}',
    )
  },
)

t.test('gateway H1: one connection with many requests in one piece takes no more than a share', async (t) => {
  const { gate, attacker, victim } = await sharedGate(t)
  const one = await rawConnection(gate)
  t.teardown(() => one.socket.destroy())
  one.send(get('/t/hang', attacker).repeat(40))
  await eventually(() => thingsOf(gate).requests.running >= 1, 'they run')
  for (let i = 0; i < 5; i += 1) t.equal((await rawRequest(gate, get('/t/ok', victim))).status, 200)
  t.ok(thingsOf(gate).requests.running <= 4)
})

t.test(
  'gateway H1: callers of one tenant, and callers without a token, have half of the places together',
  async (t) => {
    const { gate, victim } = await sharedGate(t)
    for (let i = 0; i < 6; i += 1) {
      const id = `aaaaaaaa-0000-4c6e-8f9e-0a6d1c5b7a0${i}`
      await crowd(t, gate, 4, get('/t/hang', await gate.token(undefined, { client_id: id, sub: id })))
    }
    await eventually(() => thingsOf(gate).requests.running === 8, 'six applications of one tenant')
    for (let i = 0; i < 6; i += 1) await crowd(t, gate, 4, get('/pub/hang', undefined, `198.51.100.${i}`))
    await eventually(() => thingsOf(gate).requests.running > 8, 'and six addresses')
    t.equal((await rawRequest(gate, get('/t/ok', victim))).status, 200)
  },
)

t.test(
  'gateway H1: when every place is taken the wait ends in 503, and a place that becomes free is used',
  async (t) => {
    const hanging = await scriptedUpstream(t, () => undefined)
    const gate = await openGate(t, {
      routes,
      upstreams: {
        things: { target: hanging.target, connections: 2, maxInFlight: 10, queueMs: 600, headersMs: 60_000 },
      },
    })
    const token = await gate.token()
    const [first] = await crowd(t, gate, 2, get('/t/hang', token))
    await eventually(() => hanging.count() === 2, 'both places')
    const late = await rawRequest(gate, get('/t/ok', token))
    t.same([late.status, late.headers.get('retry-after')], [503, ['1']])
    t.equal(JSON.parse(late.body).error.code, 'ServiceUnavailable')
    await eventually(() => gate.logged.some((line) => line.includes('"reason":"upstream_queue"')), 'the reason')
    const waits = rawRequest(gate, get('/t/ok', token))
    await eventually(() => thingsOf(gate).requests.waiting === 1, 'it waits')
    const before = hanging.count()
    first?.socket.destroy()
    await eventually(() => hanging.count() > before, 'its turn')
    for (const socket of hanging.sockets)
      if (!socket.destroyed) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
    t.equal((await waits).status, 200)
    t.equal(thingsOf(gate).requests.waiting, 0)
  },
)

t.test('gateway H1: a client that leaves while it waits leaves nothing behind', async (t) => {
  const { gate, attacker } = await sharedGate(t)
  const clients = await crowd(t, gate, 8, get('/t/hang', attacker))
  await eventually(() => thingsOf(gate).requests.underWay === 8, 'running and waiting')
  for (const { socket } of clients) socket.destroy()
  await until('all is free', () => {
    const { requests } = thingsOf(gate)
    return requests.underWay === 0 && requests.running === 0 && requests.waiting === 0
  })
  t.equal((await rawRequest(gate, get('/t/ok', attacker))).status, 200)
})

t.test('gateway H1: one caller has so many requests under way over all upstreams, and no more', async (t) => {
  const { gate, attacker, victim } = await sharedGate(t, {}, { perCaller: 3 })
  await crowd(t, gate, 3, get('/t/hang', attacker))
  await eventually(() => thingsOf(gate).requests.underWay === 3, 'all are under way')
  t.equal((await rawRequest(gate, get('/t/ok', attacker))).status, 429)
  t.equal((await rawRequest(gate, get('/t/ok', victim))).status, 200)
})

t.test('gateway L11: an answer that drips ends with the overall time, but on a stream', async (t) => {
  const upstream = await recordingUpstream(t, (_request, response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write('x'), 50)
    response.on('close', () => clearInterval(timer))
  })
  const gate = await openGate(t, { routes, upstreams: { things: { target: upstream.target, overallMs: 700 } } })
  const token = await gate.token()
  const stream = await rawConnection(gate)
  t.teardown(() => stream.socket.destroy())
  stream.send(get('/s/live', token))
  const dripped = await rawConnection(gate)
  dripped.send(get('/t/ok', token))
  const text = await dripped.closed()
  t.match(text, /^HTTP\/1.1 200/)
  t.notMatch(text, /\r\n0\r\n\r\n$/, 'half an answer does not look like a whole one')
  await eventually(() => gate.logged.some((line) => line.includes('"reason":"overall_timeout"')), 'the reason')
  t.notOk(stream.socket.destroyed, 'a stream goes on')
})

t.test('gateway L11: an upstream that never begins ends with the overall time in 504', async (t) => {
  const { gate, attacker } = await sharedGate(t, { overallMs: 500 })
  t.equal((await rawRequest(gate, get('/t/hang', attacker))).status, 504)
})

t.test('gateway H1: however many callers crowd a room, the next one finds a place in it', async (t) => {
  const room = new Room({ places: 128, most: 256, sharePercent: 25 })
  const principal = (i: number) =>
    ({ kind: 'application', applicationId: `app-${i}`, tenantId: `tenant-${i}` }) as never
  for (let caller = 0; caller < 6; caller += 1) {
    for (let i = 0; i < 300; i += 1) room.take(principal(caller), '', false)
  }
  const next = room.take(principal(99), '', false)
  t.ok(typeof next === 'object' && next.runs, `${room.running} run, ${room.waiting} wait`)
  const all = new Room({ places: 2, most: 2, sharePercent: 100 })
  t.same(
    [1, 2, 3].map(() => typeof all.take(principal(1), '', false)),
    ['object', 'object', 'string'],
    'without shares one caller may have all',
  )
})

t.test('gateway H1: three addresses do not keep everybody else without a token out', async (t) => {
  const { gate } = await sharedGate(t, { maxInFlight: 64 })
  for (let i = 0; i < 3; i += 1) await crowd(t, gate, 40, get('/pub/hang', undefined, `198.51.100.${i}`))
  await eventually(() => thingsOf(gate).requests.waiting > 10, 'more come than may run')
  for (let i = 0; i < 5; i += 1) t.equal((await rawRequest(gate, get('/pub/ok'))).status, 200)
})

t.test('gateway H1: however many addresses of one IPv6 /48 crowd in, others without a token are served', async (t) => {
  const { gate } = await sharedGate(t, { maxInFlight: 64 })
  for (let i = 0; i < 20; i += 1) await crowd(t, gate, 6, get('/pub/hang', undefined, `2001:db8:7:${i + 1}::1`))
  await eventually(() => thingsOf(gate).requests.waiting > 10, 'more come than may run')
  t.equal(thingsOf(gate).requests.running, 4, 'together they have the share of one caller')
  t.equal((await rawRequest(gate, get('/pub/ok', undefined, '2001:db8:8::1'))).status, 200)
  t.equal((await rawRequest(gate, get('/pub/ok'))).status, 200)
})

t.test(
  'gateway H1: within a tenant, among those without a token and among uploads newcomers find a place',
  async (t) => {
    const user = (i: number) =>
      ({ kind: 'delegated', userId: `user-${i}`, applicationId: 'app', tenantId: 'tenant' }) as never
    const groups = {
      'people of one application': (room: Room, i: number) => room.take(user(i), '', false),
      'those without a token': (room: Room, i: number) => room.take(undefined, `198.51.100.${i}`, false),
      uploads: (room: Room, i: number) =>
        room.take({ kind: 'application', applicationId: `${i}`, tenantId: `${i}` } as never, '', true),
    }
    for (const [name, take] of Object.entries(groups)) {
      const room = new Room({ places: 128, most: 512, sharePercent: 25 })
      for (let caller = 0; caller < 5; caller += 1) for (let i = 0; i < 500; i += 1) take(room, caller)
      const next = take(room, 99)
      t.ok(typeof next === 'object' && next.runs, `${name}: ${room.running} run, ${room.waiting} wait`)
    }
  },
)
