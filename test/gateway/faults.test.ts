// What goes wrong behind the gate, and in front of it: broken, slow, lying and vanished upstreams; clients that leave.
// run: apart

import { readFileSync } from 'node:fs'
import { createServer as createTlsServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { ensureDevelopmentCertificate } from '../../src/http/tls/development-ca.js'
import { revoke } from '../../src/revocation/revoke.js'
import { listSigningKeys, updateSigningKey } from '../../src/storage/sql/revocation/signing-keys.js'
import { removed } from '../../src/tokens/keys/key-states.js'
import { steadyPort } from '../support/programs/steady-port.js'
import {
  eventually,
  type GateOptions,
  openGate,
  recordingUpstream,
  scriptedUpstream,
  type Test,
  urlTarget,
  viaProxy,
} from '../support/rooms/http-gate.js'
import { testLimits } from '../support/rooms/http-server.js'
import { noTls } from '../support/settings/upstream-settings.js'
import { rawConnection, rawRequest } from '../support/traffic/http-raw.js'
import { watchStalls } from '../support/traffic/stalls.js'

const routes: GateOptions['routes'] = [
  { path: '/api/v2/things', methods: { GET: 'public', HEAD: 'public', POST: 'public' } },
  { path: '/api/v2/mine', methods: { GET: ['User.Read.All'] } },
]
const get = `GET /api/v2/things HTTP/1.1\r\n${viaProxy}\r\n`
const post = `POST /api/v2/things HTTP/1.1\r\n${viaProxy}Content-Length: 2\r\n\r\nhi`
const good = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

async function scriptedGate(
  t: Test,
  script: Parameters<typeof scriptedUpstream>[1],
  more: Partial<GateOptions['upstreams'][string]> = {},
) {
  const upstream = await scriptedUpstream(t, script)
  const gate = await openGate(t, {
    routes,
    upstreams: { things: { target: upstream.target, connections: 1, ...more } },
  })
  return { upstream, gate }
}

t.test('P5 X3 an upstream that is not there is 502, without its address', async (t) => {
  const gate = await openGate(t, { routes, upstreams: { things: { target: urlTarget(await steadyPort()) } } })
  const answer = await rawRequest(gate, get)
  t.equal(answer.status, 502)
  t.notMatch(JSON.stringify([...answer.headers, answer.body]), /ECONN|127\.0\.0\.1|undici|:\d{4,5}/)
  t.equal(JSON.parse(answer.body).error.code, 'BadGateway')
  t.ok(
    gate.logged.some((line) => line.includes('ECONNREFUSED')),
    'the log knows more',
  )
  for (let i = 0; i < 30; i++) t.equal((await rawRequest(gate, post)).status, 502)
})

t.test('P5 F26 what an upstream says wrongly is 502, and its connection is not used again', async (t) => {
  const table: [string, string][] = [
    ['a garbage status line', 'garbage\r\n\r\n'],
    ['no status', 'HTTP/1.1\r\n\r\n'],
    [
      'a switch of protocols nobody requested',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    ],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok!'],
    ['a length that is none', 'HTTP/1.1 200 OK\r\ncontent-length: 2x\r\n\r\nok'],
    ['a NUL in a header', 'HTTP/1.1 200 OK\r\nx-a: a\u0000b\r\ncontent-length: 2\r\n\r\nok'],
    ['an oversized head', `HTTP/1.1 200 OK\r\nx-a: ${'a'.repeat(70_000)}\r\n\r\n`],
  ]
  for (const [title, bytes] of table) {
    const { gate, upstream } = await scriptedGate(t, (socket) => void socket.write(Buffer.from(bytes, 'latin1')))
    const answer = await rawRequest(gate, get)
    t.equal(answer.status, 502, title)
    await eventually(() => upstream.sockets[0]?.destroyed, `${title}: closed`)
  }
})

t.test('F26 interim answers stay behind the gate', async (t) => {
  const { gate } = await scriptedGate(t, (socket) => {
    socket.write(
      'HTTP/1.1 103 Early Hints\r\nlink: </x>; rel=preload\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n',
    )
    socket.write(good)
  })
  const connection = await rawConnection(gate)
  t.teardown(() => connection.end())
  connection.send(get)
  const answer = await connection.answer()
  t.same([answer.status, answer.body, answer.headers.get('link')], [200, 'ok', undefined])
  t.same(connection.informational, [])
})

t.test('F26 an answer that is cut short is never a clean end', async (t) => {
  const table: [string, string][] = [
    ['a length not reached', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf'],
    ['chunks without an end', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n'],
    ['a broken chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\nzz\r\n'],
  ]
  for (const [title, bytes] of table) {
    const { gate } = await scriptedGate(t, (socket) => {
      socket.write(bytes)
      setTimeout(() => socket.destroy(), 30)
    })
    const connection = await rawConnection(gate)
    connection.send(get)
    await t.rejects(connection.answer(), /connection closed/, title)
  }
})

t.test('F26 P3 a slow upstream is 504 in time, and nobody asks it again', async (t) => {
  const silent = await scriptedGate(t, () => undefined, { headersMs: 300 })
  t.equal((await rawRequest(silent.gate, get)).status, 504, 'no head')
  t.equal(silent.upstream.count(), 1)
  const forever = await scriptedGate(
    t,
    (socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 50)
      socket.once('close', () => clearInterval(timer))
    },
    { headersMs: 300 },
  )
  t.equal((await rawRequest(forever.gate, get)).status, 504, 'interim answers only')
  const stalled = await scriptedGate(
    t,
    (socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'),
    { idleMs: 300 },
  )
  const connection = await rawConnection(stalled.gate)
  connection.send(get)
  await t.rejects(connection.answer(), /connection closed/, 'a body that stops')
  // 192.0.2.0/24 leads nowhere (RFC 5737); where the network refuses at once it is a 502.
  const gate = await openGate(t, {
    routes,
    upstreams: { things: { target: { kind: 'url', origin: 'http://192.0.2.1:9', basePath: '' }, connectMs: 300 } },
  })
  t.match(String((await rawRequest(gate, get)).status), /^50[24]$/, 'no connection')
})

t.test('P3 an upstream’s own errors pass untouched, and the request is sent once', async (t) => {
  const upstream = await recordingUpstream(t, (_request, response) =>
    response.writeHead(503, { 'retry-after': '120', 'content-type': 'text/plain' }).end('theirs'),
  )
  const gate = await openGate(t, { routes, upstreams: { things: { target: upstream.target } } })
  const answer = await rawRequest(gate, get)
  t.same([answer.status, answer.body, answer.headers.get('retry-after')], [503, 'theirs', ['120']])
  t.equal(upstream.requests.length, 1)
  t.equal(upstream.connections, 1)
})

t.test('F26 a GET that a reused connection lost is sent once more on a fresh one; nothing else is', async (t) => {
  // Every connection answers once and dies at its second request, as one that was closed just as it was used again.
  const dying = (socket: import('node:net').Socket) => {
    const requestCount = (socket as { requestCount?: number }).requestCount ?? 0
    ;(socket as { requestCount?: number }).requestCount = requestCount + 1
    if (requestCount === 0) socket.write(good)
    else socket.destroy()
  }
  const repeated = await scriptedGate(t, dying)
  t.equal((await rawRequest(repeated.gate, get)).status, 200)
  const again = await rawRequest(repeated.gate, get)
  t.same([again.status, again.body], [200, 'ok'])
  t.equal(repeated.upstream.count(), 3, 'lost once, sent once more')
  t.equal(repeated.upstream.sockets.length, 2)

  const posted = await scriptedGate(t, dying)
  await rawRequest(posted.gate, get)
  t.equal((await rawRequest(posted.gate, post)).status, 502, 'a POST may have been done')
  t.equal(posted.upstream.count(), 2)

  const fresh = await scriptedGate(t, (socket) => void socket.destroy())
  t.equal((await rawRequest(fresh.gate, get)).status, 502, 'a fresh connection that dies is an answer')
  t.equal(fresh.upstream.count(), 1)

  const halfAnswered = await scriptedGate(t, (socket, request) => {
    if (request === 1) socket.write(good)
    else {
      socket.write('HTTP/1.1 200 OK\r\ncontent-le')
      setTimeout(() => socket.destroy(), 20)
    }
  })
  await rawRequest(halfAnswered.gate, get)
  t.equal((await rawRequest(halfAnswered.gate, get)).status, 502, 'something was received')
  t.equal(halfAnswered.upstream.count(), 2)

  const twice = await scriptedGate(t, (socket, request) => {
    if (request === 1) socket.write(good)
    else socket.destroy()
  })
  await rawRequest(twice.gate, get)
  t.equal((await rawRequest(twice.gate, get)).status, 502, 'once, and not for ever')
  t.equal(twice.upstream.count(), 3)
})

t.test('F27 bytes after an answer reach nobody', async (t) => {
  const { gate, upstream } = await scriptedGate(t, (socket, request) => {
    if (request === 1) socket.write(`${good}HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\npoison`)
    else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nclean')
  })
  t.equal((await rawRequest(gate, get)).body, 'ok')
  await eventually(() => upstream.sockets[0]?.destroyed, 'the connection is given up')
  t.equal((await rawRequest(gate, get)).body, 'clean')

  // The same, with the second answer a moment later, on an idle connection.
  const late = await scriptedGate(t, (socket, request) => {
    socket.write(request === 1 ? good : 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nclean')
    if (request === 1) setTimeout(() => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\npoison'), 30)
  })
  t.equal((await rawRequest(late.gate, get)).body, 'ok')
  await new Promise((resolve) => setTimeout(resolve, 60))
  t.equal((await rawRequest(late.gate, get)).body, 'clean')
})

t.test('P4 F28 a client that leaves takes its request to the upstream with it', async (t) => {
  const { gate, upstream } = await scriptedGate(t, () => undefined, { headersMs: 60_000, connections: 4 })
  const before = await rawConnection(gate)
  before.send(get)
  await eventually(() => upstream.count() === 1, 'the request')
  before.end()
  await eventually(() => upstream.sockets[0]?.destroyed, 'abort before the head')

  const uploading = await rawConnection(gate)
  uploading.send(`POST /api/v2/things HTTP/1.1\r\n${viaProxy}Content-Length: 100000\r\n\r\nhalf`)
  await eventually(() => upstream.count() > 1, 'the upload')
  uploading.end()
  await eventually(() => upstream.sockets[1]?.destroyed, 'abort in the upload')

  const streaming = await scriptedGate(
    t,
    (socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'),
  )
  const reading = await rawConnection(streaming.gate)
  reading.send(get)
  await new Promise<void>((resolve) => reading.socket.once('data', () => resolve()))
  reading.end()
  await eventually(() => streaming.upstream.sockets[0]?.destroyed, 'abort in the download')
})

t.test('F28 two hundred clients that leave at once leave nothing behind', async (t) => {
  const { gate, upstream } = await scriptedGate(t, (socket, request) => void (request > 200 && socket.write(good)), {
    connections: 300,
    headersMs: 60_000,
  })
  const connections = await Promise.all(Array.from({ length: 200 }, () => rawConnection(gate)))
  for (const connection of connections) connection.send(get)
  await eventually(() => upstream.count() === 200, 'all requests')
  for (const connection of connections) connection.end()
  await eventually(() => upstream.sockets.every((socket) => socket.destroyed), 'all aborted')
  t.equal((await rawRequest(gate, get)).status, 200, 'the gate still works')
  t.equal(upstream.count(), 201)
})

t.test('F26 one upstream that hangs holds no more than its share, and the others go on', async (t) => {
  const hanging = await scriptedUpstream(t, () => undefined)
  const healthy = await recordingUpstream(t)
  const gate = await openGate(t, {
    routes: [
      { path: '/api/v2/things', methods: { GET: 'public' }, upstream: 'hanging' },
      { path: '/api/v2/fine', methods: { GET: 'public' }, upstream: 'healthy' },
    ],
    upstreams: {
      hanging: { target: hanging.target, connections: 2, headersMs: 60_000 },
      healthy: { target: healthy.target },
    },
  })
  const waiting = await Promise.all(Array.from({ length: 4 }, () => rawConnection(gate)))
  for (const connection of waiting) connection.send(get)
  await eventually(() => hanging.sockets.length === 2, 'its connections')
  const refused = await eventually(() => rawRequest(gate, get))
  t.equal((await refused).status, 503)
  t.same((await refused).headers.get('retry-after'), ['1'])
  t.equal((await rawRequest(gate, `GET /api/v2/fine HTTP/1.1\r\n${viaProxy}\r\n`)).status, 200)
  for (const connection of waiting) connection.end()
})

t.test('P2 an upstream’s certificate is verified, whatever the environment says', async (t) => {
  const files = await ensureDevelopmentCertificate(join(t.testdir(), 'tls'))
  let connections = 0
  const serving = async (host: string): Promise<number> => {
    const pair = { cert: readFileSync(files.certFile), key: readFileSync(files.keyFile) }
    const server = createTlsServer(pair, (_request, response) => void response.end('ok'))
    server.on('connection', () => {
      connections += 1
    })
    await new Promise<void>((resolve) => server.listen(0, host, resolve))
    t.teardown(() => {
      server.closeAllConnections()
      server.close()
    })
    return (server.address() as { port: number }).port
  }
  const [port, otherPort] = [await serving('127.0.0.1'), await serving('127.0.0.2')]
  const environment = process.env.NODE_TLS_REJECT_UNAUTHORIZED
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  t.teardown(() => {
    if (environment === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = environment
  })
  const ca = readFileSync(files.caFile, 'utf8')
  const cases: [string, string, string | undefined, number][] = [
    ['an unknown authority', `https://localhost:${port}`, undefined, 502],
    ['the right one', `https://localhost:${port}`, ca, 200],
    ['a name that the certificate lacks', `https://127.0.0.2:${otherPort}`, ca, 502],
  ]
  for (const [title, origin, trusted, status] of cases) {
    const gate = await openGate(t, {
      routes,
      upstreams: { things: { target: { kind: 'url', origin, basePath: '' }, tls: { ...noTls, ca: trusted } } },
    })
    const before = connections
    t.equal((await rawRequest(gate, get)).status, status, title)
    t.ok(connections > before, 'somebody was there')
  }
})

t.test('contract §5: F23 an open stream ends when its token is revoked or ends, or its key is removed', async (t) => {
  const upstream = await recordingUpstream(t, (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: 1\n\n')
  })
  const gate = await openGate(t, { routes, upstreams: { things: { target: upstream.target, idleMs: 60_000 } } })
  const open = async () => {
    const token = await gate.token()
    const connection = await rawConnection(gate)
    connection.send(`GET /api/v2/mine HTTP/1.1\r\n${viaProxy}Authorization: Bearer ${token}\r\n\r\n`)
    await new Promise<void>((resolve) => connection.socket.once('data', () => resolve()))
    return connection
  }
  const anonymous = await rawConnection(gate)
  anonymous.send(get)
  const revoked = await open()
  await revoke(gate.writes, { what: 'tenant', id: '9b2c51d4-1a77-4bb7-9b0f-6f6f5d4c3b02' })
  const stalledMs = watchStalls()
  const since = performance.now()
  await revoked.closed()
  t.ok(performance.now() - since - stalledMs() < 3_000)
  const ended = await open()
  gate.clock.nowMs += 3_700_000
  await ended.closed()
  const stolen = await open()
  await gate.feed.commit(async (tx, record) => {
    const keys = (await listSigningKeys(tx)).filter(({ purpose }) => purpose === 'token')
    for (const key of keys) await updateSigningKey(tx, removed(key, gate.now()))
    record({ kind: 'keys' })
  })
  await stolen.closed()
  t.equal(anonymous.socket.destroyed, false, 'a public stream has no token to lose')
  anonymous.end()
})

t.test('P9 closing does not wait for kept connections of clients or upstreams', async (t) => {
  const upstream = await recordingUpstream(t, (_request, response) =>
    response.writeHead(200, { connection: 'keep-alive', 'keep-alive': 'timeout=99' }).end('ok'),
  )
  const server = { limits: { ...testLimits, keepAliveMs: 90_000 } }
  const gate = await openGate(t, { routes, upstreams: { things: { target: upstream.target } }, server })
  const idle = await rawConnection(gate)
  idle.send(get)
  t.equal((await idle.answer()).status, 200)
  const closing = await rawRequest(gate, get.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
  t.same(closing.headers.get('connection'), ['close'], 'the client’s wish counts, not the upstream’s')
  const before = performance.now()
  await gate.app.close()
  await idle.closed()
  t.ok(performance.now() - before < 20_000)
})

t.test(
  'the bundled service is reached over its socket; it ignores the body of a GET, and a PUT needs a length',
  async (t) => {
    const socketPath = join(tmpdir(), `pcl-${process.pid}-${Date.now()}.sock`)
    const upstream = await recordingUpstream(t)
    const { createServer } = await import('node:http')
    const received: string[] = []
    const builtin = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        received.push(`${request.method} ${request.url} ${body}`)
        response.end('builtin')
      })
    })
    await new Promise<void>((resolve) => builtin.listen(socketPath, resolve))
    t.teardown(() => {
      builtin.closeAllConnections()
      builtin.close()
    })
    const gate = await openGate(t, {
      routes: [{ path: '/api/v2/me', methods: { GET: 'public', PUT: 'public' }, bodyBytes: 10_000 }],
      upstreams: {
        backend: { target: { kind: 'builtin', service: 'backend' } },
        things: { target: urlTarget(upstream.port) },
      },
      builtinTargets: new Map([['backend', { socketPath }]]),
    })
    const line = `GET /api/v2/me HTTP/1.1\r\n${viaProxy}`
    const smuggled = `GET /api/v2/me?smuggled HTTP/1.1\r\n${viaProxy}\r\n`
    const connection = await rawConnection(gate)
    connection.send(`${line}Content-Length: ${smuggled.length}\r\n\r\n${smuggled}`)
    t.equal((await connection.answer()).status, 200)
    connection.send(
      `${line}Transfer-Encoding: chunked\r\n\r\n${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`,
    )
    t.equal((await connection.answer()).status, 200)
    connection.send(`${line}\r\n`)
    t.equal((await connection.answer()).status, 200, 'the connection is still in step')
    t.same(received, ['GET /api/v2/me ', 'GET /api/v2/me ', 'GET /api/v2/me '])
    connection.send(`${line}Transfer-Encoding: chunked\r\n\r\n`)
    for (let i = 0; i < 4; i++) connection.send(`1000\r\n${'x'.repeat(4096)}\r\n`)
    await connection.closed().catch(() => undefined)
    t.ok(connection.socket.destroyed, 'a body without end is not drained without end')
    t.equal((await rawRequest(gate, `PUT /api/v2/me HTTP/1.1\r\n${viaProxy}\r\n`)).status, 411)
    t.equal((await rawRequest(gate, `PUT /api/v2/me HTTP/1.1\r\n${viaProxy}Content-Length: 2\r\n\r\nhi`)).status, 200)
  },
)
