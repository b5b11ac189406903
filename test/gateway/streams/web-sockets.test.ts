// WebSockets through the gate: the whole decision before anybody is dialled, the identity carried, bytes at the pace of
// the slower side, and an end within the bound when the token is no longer good.
// run: apart

import t from 'tap'
import { WebSocket } from 'undici'
import { FrameTracker } from '../../../src/gateway/streams/frames.js'
import { closeGracefully } from '../../../src/http/connections/closing.js'
import { revoke } from '../../../src/revocation/revoke.js'
import {
  eventually,
  type GateOptions,
  openGate,
  scriptedUpstream,
  type Test,
  viaProxy,
} from '../../support/rooms/http-gate.js'
import { rawConnection, rawRequest } from '../../support/traffic/http-raw.js'
import { resetConnection } from '../../support/traffic/reset-connection.js'
import { watchStalls } from '../../support/traffic/stalls.js'
import {
  closing,
  frameBytes,
  handshakeFields,
  opcodes,
  openWebSocket,
  type WebSocketEnd,
  webSocketUpstream,
} from '../../support/upstreams/web-sockets.js'

const path = '/api/v2/live'
const routes: GateOptions['routes'] = [
  { path, methods: { GET: ['User.Read.All'], POST: ['User.Read.All'] }, stream: true },
  { path: '/api/v2/open', methods: { GET: 'public' }, stream: true },
  { path: '/api/v2/plain', methods: { GET: 'public' } },
]
const tenant = { what: 'tenant', id: '9b2c51d4-1a77-4bb7-9b0f-6f6f5d4c3b02' } as const

async function liveGate(
  t: Test,
  talk?: (end: WebSocketEnd) => void,
  more: Partial<GateOptions> & { fields?: string } = {},
) {
  const upstream = await webSocketUpstream(t, talk, more.fields)
  const gate = await openGate(t, { routes, upstreams: { things: { target: upstream.target } }, ...more })
  const open = async () => {
    const { end } = await openWebSocket(t, gate, { path, token: await gate.token() })
    return { client: end, server: await eventually(() => upstream.sockets.at(-1), 'the upstream’s end') }
  }
  return { upstream, gate, open }
}

const silent = () => undefined

t.test('P18 a WebSocket is the caller’s that the route asks for, and both sides speak through it', async (t) => {
  const fields = 'Sec-WebSocket-Protocol: chat.v2\r\nSec-WebSocket-Extensions: x-own\r\nServer: secret/1.0\r\n'
  const { upstream, gate } = await liveGate(t, undefined, { fields })
  const token = await gate.token()
  const offers = `${handshakeFields}Sec-WebSocket-Protocol: chat.v1, chat.v2\r\nSec-WebSocket-Extensions: x-own\r\n`
  const forged = `${offers}X-User-Id: root\r\nCookie: __Host-session=1; theirs=2\r\n`
  const { answer, end } = await openWebSocket(t, gate, { path: `${path}?since=3`, token, fields: forged })
  t.equal(answer.status, 101)
  t.match(
    [...answer.headers],
    new Map([
      ['connection', ['Upgrade']],
      ['upgrade', ['websocket']],
      ['sec-websocket-protocol', ['chat.v2']],
      ['sec-websocket-extensions', ['x-own']],
      ['request-id', [/^[0-9a-f-]{36}$/]],
    ]),
  )
  t.equal(answer.headers.get('server'), undefined)
  const request = upstream.sockets[0]?.request
  const sent = request?.headers
  t.equal(request?.url, `${path}?since=3`)
  const [, claims] = (sent?.authorization ?? '').split('.')
  const { aud, scope } = JSON.parse(Buffer.from(claims ?? '', 'base64url').toString())
  t.same([aud, scope], ['things', 'User.Read.All'])
  t.not(sent?.authorization, `Bearer ${token}`)
  t.match(sent, { 'x-forwarded-for': '127.0.0.1', 'sec-websocket-protocol': 'chat.v1, chat.v2', cookie: 'theirs=2' })
  t.match(sent, { traceparent: /^00-/, 'request-id': answer.headers.get('request-id')?.[0] })
  t.equal(sent?.['x-user-id'], undefined)

  for (const size of [0, 5, 125, 126, 65_535, 65_536, 300_000]) end.send('x'.repeat(size))
  const frames = await end.until(7)
  t.same(
    frames.map(({ payload }) => payload.length),
    [0, 5, 125, 126, 65_535, 65_536, 300_000],
  )
  t.equal(gate.logged.filter((line) => line.includes('"request"')).length, 0, 'its line is written at its end')
  end.send(Buffer.from([3, 232]), opcodes.close)
  t.same(closing((await end.closed()).at(-1)), [1000, ''])
  const line = await eventually(() => gate.logged.find((one) => one.includes('"request"')), 'the line')
  t.match(JSON.parse(line), { status: 101, route: `GET,POST ${path}`, path, method: 'GET', durationMs: Number })
  t.notMatch(line, 'since')
  const counted = `portcullis_http_requests_total{route="GET,POST ${path}",method="GET",code="101",source="upstream"} 1`
  t.match(await gate.metrics.registry.metrics(), counted)
})

t.test('P12 P18 no handshake goes around the decision, and none that is refused is dialled', async (t) => {
  const { upstream, gate } = await liveGate(t, undefined)
  const good = await gate.token()
  const poor = await gate.token(['assets_read'])
  const revoked = await gate.token(undefined, { tid: 'c2b11a0e-2222-4bb7-9b0f-6f6f5d4c3b02' })
  await revoke(gate.writes, { what: 'tenant', id: 'c2b11a0e-2222-4bb7-9b0f-6f6f5d4c3b02' })
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
  const version = 'Sec-WebSocket-Version: 13\r\n'
  const asks = 'Connection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\n'
  const sound = `${asks}${version}${key}`
  const get = `GET ${path} HTTP/1.1`
  const cases: [string, string, string | undefined, string, number, string][] = [
    ['no token', get, undefined, sound, 401, 'AuthenticationRequired'],
    ['a token in the subprotocol', get, undefined, `${sound}Sec-WebSocket-Protocol: bearer, ${good}\r\n`, 401, ''],
    ['a token in the query', `GET ${path}?access_token=${good} HTTP/1.1`, undefined, sound, 400, ''],
    ['another permission', get, poor, sound, 403, ''],
    ['a revoked token', get, revoked, sound, 401, ''],
    ['an unknown path', 'GET /nowhere HTTP/1.1', good, sound, 404, 'NotFound'],
    ['another spelling', 'GET /api/v2/%2e%2e/v2/live HTTP/1.1', good, sound, 400, 'InvalidTarget'],
    ['a plain route', 'GET /api/v2/plain HTTP/1.1', good, sound, 400, 'UpgradeRefused'],
    ['another host', get, good, `${sound}Host: evil.test\r\n`, 400, 'InvalidHost'],
    [
      'another protocol',
      get,
      good,
      `${sound.replace('WebSocket', 'h2c')}HTTP2-Settings: AA\r\n`,
      400,
      'UpgradeRefused',
    ],
    ['two protocols', get, good, sound.replace('WebSocket', 'websocket, h2c'), 400, 'UpgradeRefused'],
    ['no version', get, good, `${asks}${key}`, 426, 'UpgradeRequired'],
    ['an old version', get, good, `${asks}Sec-WebSocket-Version: 8\r\n${key}`, 426, 'UpgradeRequired'],
    ['no key', get, good, `${asks}${version}`, 400, 'InvalidHandshake'],
    ['a short key', get, good, `${asks}${version}Sec-WebSocket-Key: c2hvcnQ=\r\n`, 400, 'InvalidHandshake'],
    ['two keys', get, good, `${sound}${key}`, 400, 'InvalidHandshake'],
    ['a key for us alone', get, good, `${sound}Connection: Sec-WebSocket-Key\r\n`, 400, 'InvalidHandshake'],
    [
      'a version for us alone',
      get,
      good,
      `${sound}Connection: close,SEC-websocket-version\r\n`,
      400,
      'InvalidHandshake',
    ],
    ['HTTP/1.0', `GET ${path} HTTP/1.0`, good, sound, 400, 'InvalidHandshake'],
    ['another method', `POST ${path} HTTP/1.1`, good, sound, 400, 'InvalidHandshake'],
    ['a body', get, good, `${sound}Content-Length: 4\r\n`, 400, 'InvalidHandshake'],
    ['a chunked body', get, good, `${sound}Transfer-Encoding: chunked\r\n`, 400, 'InvalidHandshake'],
  ]
  for (const [title, line, token, fields, status, code] of cases) {
    const connection = await rawConnection(gate)
    const authorization = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`
    // What comes after it is no next request, whatever it looks like.
    connection.send(`${line}\r\n${viaProxy}${authorization}${fields}\r\nGET ${path} HTTP/1.1\r\n${viaProxy}\r\n`)
    const answer = await connection.answer()
    t.equal(answer.status, status, title)
    if (code !== '') t.equal(JSON.parse(answer.body).error.code, code, title)
    if (status === 426) t.same(answer.headers.get('sec-websocket-version'), ['13'])
    t.match(answer.headers.get('request-id')?.[0], /^[0-9a-f-]{36}$/)
    t.equal(await connection.closed(), '', `${title}: nothing follows`)
  }
  t.equal(upstream.connections, 0)
  const lines = await eventually(() => {
    const all = gate.logged.filter((one) => one.includes('"request"'))
    return all.length === cases.length ? all : false
  })
  t.ok(lines.every((line) => !line.includes(good)))
})

t.test('a handshake behind a request that is not answered yet ends the connection', async (t) => {
  const upstream = await scriptedUpstream(t, () => undefined)
  const gate = await openGate(t, { routes, upstreams: { things: { target: upstream.target } } })
  const connection = await rawConnection(gate)
  const handshake = `GET /api/v2/open HTTP/1.1\r\n${viaProxy}${handshakeFields}\r\n`
  connection.send(`GET /api/v2/plain HTTP/1.1\r\n${viaProxy}\r\n${handshake}`)
  t.equal(await connection.closed(), '')
  await eventually(() => upstream.sockets.every((socket) => socket.destroyed), 'the first request is given up')
  t.ok(upstream.count() <= 1)
})

t.test('limits count handshakes, of an address and of an application', async (t) => {
  const { upstream, gate } = await liveGate(t, silent, { addressGuard: { limit: 2, periodMs: 60_000 } })
  const token = await gate.token()
  for (const status of [101, 101, 429]) {
    t.equal((await openWebSocket(t, gate, { path, token })).answer.status, status)
  }
  t.equal(upstream.sockets.length, 2)
})

t.test(
  'P12 P5 what the upstream answers instead of a WebSocket is the answer, or 502 or 504 without its address',
  async (t) => {
    const accept = 'Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n'
    const agrees = 'Connection: Upgrade\r\nUpgrade: websocket\r\n'
    const wrong = 'Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n'
    const switching = 'HTTP/1.1 101 Switching Protocols\r\n'
    const long = 'x'.repeat(2_000_000)
    const cases: [string, string | undefined, number, string][] = [
      ['a refusal of its own', 'HTTP/1.1 403 Forbidden\r\nx-why: mine\r\ncontent-length: 4\r\n\r\nmine', 403, 'mine'],
      ['a long answer', `HTTP/1.1 401 Unauthorized\r\ncontent-length: 2000000\r\n\r\n${long}`, 401, long],
      ['a page', 'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nhello', 200, 'hello'],
      ['an accept of nobody', `${switching}${agrees}${wrong}\r\n`, 502, ''],
      ['no accept', `${switching}${agrees}\r\n`, 502, ''],
      ['two of them', `${switching}${agrees}${accept}${accept}\r\n`, 502, ''],
      ['another protocol', `${switching}Connection: Upgrade\r\nUpgrade: h2c\r\n${accept}\r\n`, 502, ''],
      ['a switch without its fields', `${switching}${accept}\r\n`, 502, ''],
      ['something else', 'SSH-2.0-OpenSSH\r\n', 502, ''],
      ['silence', undefined, 504, ''],
    ]
    for (const [title, text, status, body] of cases) {
      const upstream = await scriptedUpstream(t, (socket) => {
        if (text !== undefined) socket.write(text)
        if (text?.includes('connection: close')) socket.end()
      })
      const headersMs = text === undefined ? 300 : 60_000
      const gate = await openGate(t, { routes, upstreams: { things: { target: upstream.target, headersMs } } })
      const answer = await rawRequest(gate, `GET /api/v2/open HTTP/1.1\r\n${viaProxy}${handshakeFields}\r\n`)
      t.equal(answer.status, status, title)
      if (body !== '') t.ok(answer.body === body, `${title}: its body`)
      t.notMatch(JSON.stringify([answer.body, ...answer.headers]), /127\.0\.0\.1/, title)
      await eventually(() => status < 500 || upstream.sockets[0]?.destroyed, `${title}: left`)
    }
    const gone = await openGate(t, {
      routes,
      upstreams: { things: { target: { kind: 'url', origin: 'http://127.0.0.1:1', basePath: '' } } },
    })
    const answer = await rawRequest(gone, `GET /api/v2/open HTTP/1.1\r\n${viaProxy}${handshakeFields}\r\n`)
    t.equal(answer.status, 502, 'a dead upstream')
    t.notMatch(answer.body, /127\.0\.0\.1|ECONNREFUSED/)
    const unasked = await scriptedUpstream(t, (socket) => void socket.write(`${switching}${agrees}${accept}\r\n`))
    const plain = await openGate(t, { routes, upstreams: { things: { target: unasked.target } } })
    t.equal((await rawRequest(plain, `GET /api/v2/plain HTTP/1.1\r\n${viaProxy}\r\n`)).status, 502, 'a switch unasked')
  },
)

t.test(
  'P4 a client that leaves takes its WebSocket with it, before the answer and after; so does an upstream',
  async (t) => {
    const slow = await scriptedUpstream(t, () => undefined)
    const waiting = await openGate(t, { routes, upstreams: { things: { target: slow.target, headersMs: 60_000 } } })
    for (const leave of ['end', 'destroy'] as const) {
      const early = await rawConnection(waiting)
      early.send(`GET /api/v2/open HTTP/1.1\r\n${viaProxy}${handshakeFields}\r\n`)
      const socket = await eventually(() => slow.sockets.find((one) => !one.destroyed), 'the dial')
      early.socket[leave]()
      await eventually(() => socket.destroyed, `${leave} before the answer`)
    }

    const { gate, open } = await liveGate(t, silent)
    const left = await open()
    resetConnection(left.client.socket)
    await left.server.closed()
    const finished = await open()
    finished.server.socket.on('end', () => undefined)
    finished.client.socket.end(frameBytes('last', opcodes.text, true))
    t.equal((await finished.server.closed()).at(-1)?.payload.toString(), 'last', 'what came before the end has arrived')
    const crashed = await open()
    resetConnection(crashed.server.socket)
    t.same(await crashed.client.closed(), [], 'no Close in the name of an upstream that said none')
    const done = await open()
    done.server.socket.end(frameBytes('bye', opcodes.text, false))
    t.equal((await done.client.closed()).at(-1)?.payload.toString(), 'bye')
    await eventually(() => gate.logged.filter((line) => line.includes('"request"')).length === 4, 'a line for each')
  },
)

t.test('a client that nobody here wrote is served, and reads why it was closed', async (t) => {
  const { gate } = await liveGate(t, undefined, { server: { hosts: ['127.0.0.1'] } })
  const headers = { authorization: `Bearer ${await gate.token()}`, 'x-forwarded-proto': 'https' }
  const client = new WebSocket(`ws://127.0.0.1:${gate.port}${path}`, { headers })
  t.teardown(() => client.close())
  const heard: string[] = []
  client.addEventListener('message', ({ data }) => void heard.push(String(data)))
  await new Promise<void>((resolve) => client.addEventListener('open', () => resolve()))
  for (const text of ['a', 'é'.repeat(40_000), 'z'.repeat(200_000)]) client.send(text)
  await eventually(() => heard.length === 3, 'the echo')
  t.same(
    heard.map(({ length }) => length),
    [1, 40_000, 200_000],
  )
  const closed = new Promise<{ code: number; reason: string }>((resolve) => client.addEventListener('close', resolve))
  await revoke(gate.writes, tenant)
  const { code, reason } = await closed
  t.same([code, reason], [1008, 'token_revoked'])
})

t.test('contract §5: F23 a WebSocket closes within a second when its token is revoked or ends', async (t) => {
  const { gate, open, upstream } = await liveGate(t)
  const ways: [string, () => unknown][] = [
    ['token_revoked', () => revoke(gate.writes, tenant)],
    [
      'token_expired',
      () => {
        gate.clock.nowMs += 3_700_000
      },
    ],
  ]
  for (const [reason, end] of ways) {
    // A machine that does other things too makes one late now and then; three in a row are not its doing.
    const took: number[] = []
    while (took.length < 3 && !took.some((ms) => ms < 1_000)) {
      const between = await open()
      const inFrame = await open()
      between.client.send('one')
      await between.client.until(1)
      inFrame.server.socket.write(frameBytes('a longer text', opcodes.text, false).subarray(0, 6))
      await new Promise<void>((resolve) => inFrame.client.socket.once('data', () => resolve()))
      await end()
      const stalledMs = watchStalls()
      const began = performance.now()
      const frames = await between.client.closed()
      const tookMs = performance.now() - began - stalledMs()
      took.push(tookMs)
      t.same(closing(frames.at(-1)), [1008, reason], 'a Close says why')
      t.same(await inFrame.client.closed(), [], 'none in the middle of a frame')
      await Promise.all([between.server.closed(), inFrame.server.closed()])
      t.comment(`${reason}: closed ${Math.round(tookMs)} ms after`)
      t.ok(tookMs < 3_000, `${tookMs} ms`)
      const lines = await eventually(() => {
        const all = gate.logged.filter((one) => one.includes(reason))
        return all.length === 2 * took.length ? all : false
      }, 'the lines')
      t.match(JSON.parse(lines[0] ?? ''), { status: 101, reason })
    }
    t.ok(
      took.some((ms) => ms < 1_000),
      `${reason}: within the second that is promised`,
    )
  }
  const { answer } = await openWebSocket(t, gate, { path: '/api/v2/open' })
  t.equal(answer.status, 101, 'a public one has no token to lose')
  t.equal(upstream.sockets.at(-1)?.socket.destroyed, false)
})

t.test('nothing passes in either direction once a WebSocket was cut', async (t) => {
  const { gate, open } = await liveGate(t, silent)
  const { client, server } = await open()
  const clientBytes = { count: 0 }
  client.socket.removeAllListeners('end').on('data', (bytes) => {
    clientBytes.count += bytes.length
  })
  await revoke(gate.writes, tenant)
  const talking = setInterval(() => {
    client.send('after')
    if (!server.socket.destroyed) server.send('after')
  }, 5)
  t.teardown(() => clearInterval(talking))
  await server.closed()
  const upstreamHeard = server.frames.length
  await client.closed()
  t.equal(closing(client.frames.at(-1))?.[0], 1008, 'the Close is the last word')
  t.equal(server.frames.length, upstreamHeard)
})

t.test('back-pressure both ways, and a side that never reads is cut', async (t) => {
  const flooded = { server: 0, client: 0 }
  const piece = frameBytes(Buffer.alloc(60_000), opcodes.binary, false)
  const { open, gate } = await liveGate(t, silent, { bodyIdleMs: 1_500 })
  for (const who of ['server', 'client'] as const) {
    const pair = await open()
    const [from, to] = who === 'server' ? [pair.server, pair.client] : [pair.client, pair.server]
    to.socket.removeAllListeners('data').pause()
    const pump = () => {
      while (!from.socket.destroyed && from.socket.write(piece)) flooded[who] += piece.length
    }
    from.socket.on('drain', pump)
    pump()
    await eventually(() => from.socket.writableLength > 0, 'the sender has to wait')
    await new Promise((resolve) => setTimeout(resolve, 300))
    const held = flooded[who]
    t.ok(held < 30_000_000, `${held} bytes were taken from the ${who}`)
    const reason = who === 'server' ? 'client_stalled' : 'upstream_stalled'
    await eventually(() => gate.logged.some((line) => line.includes(reason)), reason)
    to.socket.destroy()
  }
  // Who reads again in time goes on.
  const patient = await liveGate(t, silent, { bodyIdleMs: 30_000 })
  const slow = await patient.open()
  slow.client.socket.pause()
  for (let i = 0; i < 200; i++) slow.server.socket.write(piece)
  await new Promise((resolve) => setTimeout(resolve, 300))
  slow.client.socket.resume()
  t.equal((await slow.client.until(200)).length, 200)
})

t.test('P9 a server that closes says so to its WebSockets, and waits for none of them for long', async (t) => {
  const { gate, open } = await liveGate(t)
  const polite = await open()
  const inFrame = await open()
  const rude = await open()
  rude.client.socket.removeAllListeners('end')
  const whole = frameBytes('a longer text', opcodes.text, false)
  inFrame.server.socket.write(whole.subarray(0, 6))
  await new Promise<void>((resolve) => inFrame.client.socket.once('data', () => resolve()))
  const stalledMs = watchStalls()
  const began = performance.now()
  const closed = gate.app.close()
  t.same(closing((await polite.client.until(1)).at(-1)), [1001, 'going_away'])
  polite.client.send(Buffer.from([3, 233]), opcodes.close)
  await polite.client.closed()
  t.equal(closing((await polite.server.closed()).at(-1))?.[0], 1001, 'the client’s own Close has reached the upstream')
  inFrame.server.socket.write(Buffer.concat([whole.subarray(6), whole]))
  const frames = await inFrame.client.until(2)
  t.same([frames[0]?.payload.toString(), closing(frames[1])], ['a longer text', [1001, 'going_away']])
  await closed
  const tookMs = performance.now() - began - stalledMs()
  t.ok(tookMs < 6_000, `${tookMs} ms, with a client that never hangs up`)
  await rude.client.closed()
})

t.test('a drain has its deadline, whatever is spoken on a connection', async (t) => {
  const { gate, open } = await liveGate(t)
  const { client } = await open()
  client.socket.removeAllListeners('end')
  const stalledMs = watchStalls()
  const began = performance.now()
  await closeGracefully(gate.app, 300)
  await client.closed()
  t.ok(performance.now() - began - stalledMs() < 1_500)
})

t.test('a frame is followed to its end, however its bytes are cut', (t) => {
  const sizes = [0, 1, 125, 126, 300, 65_536]
  const frames = sizes.flatMap((size) => [false, true].map((masked) => frameBytes(Buffer.alloc(size, 0x88), 2, masked)))
  const bytes = Buffer.concat(frames)
  const ends = new Set<number>([0])
  let at = 0
  for (const frame of frames) {
    at += frame.length
    ends.add(at)
  }
  for (const step of [1, 2, 3, 7, 126, 65_535, bytes.length]) {
    const tracker = new FrameTracker()
    const found = new Set<number>([0])
    for (at = 0; at < bytes.length; at += step) {
      const chunk = bytes.subarray(at, at + step)
      if (tracker.follow(chunk, 'end') !== chunk.length) t.fail('all of it is followed')
      if (tracker.isBetween) found.add(Math.min(at + step, bytes.length))
    }
    t.same(
      [...found],
      [...ends].filter((end) => end % step === 0 || end === bytes.length),
      `in steps of ${step}`,
    )
    t.equal(tracker.hasClosed, false, 'what looks like a Close in a payload is none')
  }
  const stops = new FrameTracker()
  t.equal(stops.follow(bytes, 'next frame'), 0, 'nothing has begun')
  stops.follow(frames[4]?.subarray(0, 5) ?? Buffer.alloc(0), 'end')
  t.equal(stops.follow(Buffer.concat([frames[4]?.subarray(5) ?? Buffer.alloc(0), bytes]), 'next frame'), 122)
  t.ok(stops.isBetween)
  stops.follow(frameBytes('', opcodes.close, false), 'end')
  t.ok(stops.hasClosed)
  t.end()
})
