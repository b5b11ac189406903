// Bodies through the gate: both ways, at the pace of the slower side, counted, timed, and never a desynchronised
// connection.
// run: apart

import { createHash } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import {
  eventually,
  type GateOptions,
  openGate,
  recordingUpstream,
  scriptedUpstream,
  type Test,
  viaProxy,
} from '../../support/rooms/http-gate.js'
import { rawConnection, rawRequest } from '../../support/traffic/http-raw.js'
import { watchStalls } from '../../support/traffic/stalls.js'

type Handle = Parameters<typeof recordingUpstream>[1]

const routes: GateOptions['routes'] = [
  {
    path: '/api/v2/things',
    methods: { GET: 'public', HEAD: 'public', POST: 'public', PUT: 'public', DELETE: 'public', PATCH: 'public' },
    bodyBytes: 100_000,
  },
  { path: '/api/v2/big', methods: { GET: 'public', POST: 'public' }, bodyBytes: 200_000_000 },
  { path: '/api/v2/closed', methods: { POST: ['User.Read.All'] } },
]

async function thingsGate(
  t: Test,
  handle?: Handle,
  { idleMs, ...more }: Partial<GateOptions> & { idleMs?: number } = {},
) {
  const upstream = await recordingUpstream(t, handle)
  const things = { target: upstream.target, ...(idleMs === undefined ? {} : { idleMs }) }
  const gate = await openGate(t, { routes, upstreams: { things }, ...more })
  return { upstream, gate }
}

const head = (line: string, more = '') => `${line} HTTP/1.1\r\n${viaProxy}${more}`

/**
 * What comes of a client that is never silent for `idleMs`; tried again when this process was, and the client with it.
 */
async function unlessSilent<T>(idleMs: number, attempt: () => Promise<T>): Promise<T> {
  for (let again = 0; ; again += 1) {
    const stalledMs = watchStalls()
    const outcome = await attempt().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    )
    if (stalledMs() > idleMs / 2 && again < 10) continue
    if ('error' in outcome) throw outcome.error
    return outcome.value
  }
}

t.test(
  'a body arrives as it was sent, with a length and in chunks, of any media type (facts: text/plain)',
  async (t) => {
    const { upstream, gate } = await thingsGate(t)
    const types = [
      'application/json',
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'image/jpeg',
    ]
    for (const type of types) {
      await rawRequest(gate, head('POST /api/v2/things', `Content-Type: ${type}\r\nContent-Length: 5\r\n\r\nab{"c`))
      await rawRequest(
        gate,
        head(
          'PUT /api/v2/things',
          `Content-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nab\r\n3\r\n{"c\r\n0\r\nX-T: 1\r\n\r\n`,
        ),
      )
    }
    await rawRequest(gate, head('DELETE /api/v2/things', 'Content-Length: 2\r\n\r\nhi'))
    await rawRequest(gate, head('PATCH /api/v2/things', 'Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n'))
    t.same(
      upstream.requests.slice(0, 10).map((request) => request.body),
      Array(10).fill('ab{"c'),
    )
    t.same(
      upstream.requests.slice(0, 2).map((request) => request.headers['content-length']),
      ['5', undefined],
    )
    t.same(
      upstream.requests.slice(0, 2).map((request) => request.headers['transfer-encoding']),
      [undefined, 'chunked'],
    )
    t.equal(upstream.requests[1]?.headers['x-t'], undefined, 'a trailer is no header')
    t.same(
      upstream.requests.slice(10).map((request) => [request.method, request.body]),
      [
        ['DELETE', 'hi'],
        ['PATCH', 'a'],
      ],
    )
  },
)

t.test('a request without a body has none behind the gate', async (t) => {
  const { upstream, gate } = await thingsGate(t)
  for (const [line, more] of [
    ['POST', 'Content-Length: 0\r\n'],
    ['POST', ''],
    ['DELETE', ''],
    ['GET', 'Content-Length: 0\r\n'],
  ] as const) {
    t.equal((await rawRequest(gate, head(`${line} /api/v2/things`, `${more}\r\n`))).status, 200)
  }
  t.same(
    upstream.requests.map((request) => request.body),
    ['', '', '', ''],
  )
  t.same(
    upstream.requests.map((request) => request.headers['transfer-encoding']),
    [undefined, undefined, undefined, undefined],
  )
})

t.test('P8 a body over the limit is 413 and the end of the connection, announced or not', async (t) => {
  const { upstream, gate } = await thingsGate(t)
  const announced = await rawConnection(gate)
  announced.send(head('POST /api/v2/things', 'Content-Length: 100001\r\n\r\n'))
  const early = await announced.answer()
  t.same([early.status, early.headers.get('connection')], [413, ['close']])
  t.equal(upstream.connections, 0, 'no upstream got a request')
  const chunked = await rawConnection(gate)
  chunked.send(head('POST /api/v2/things', 'Transfer-Encoding: chunked\r\n\r\n'))
  const piece = `${(40_000).toString(16)}\r\n${'x'.repeat(40_000)}\r\n`
  for (let i = 0; i < 3; i++) chunked.send(piece)
  const late = await chunked.answer()
  t.same([late.status, late.headers.get('connection')], [413, ['close']])
  t.equal(JSON.parse(late.body).error.code, 'BodyTooLarge')
  await chunked.closed()
  await announced.closed()
  t.equal(upstream.requests.length, 0, 'no upstream saw a whole request')
  t.equal(
    (await rawRequest(gate, head('POST /api/v2/things', `Content-Length: 100000\r\n\r\n${'x'.repeat(100_000)}`)))
      .status,
    200,
    'the limit itself is allowed',
  )
})

t.test('P14 a GET or HEAD with a body is 400 for routed services, and its bytes are no next request', async (t) => {
  const { upstream, gate } = await thingsGate(t)
  const smuggled = head('POST /api/v2/things', 'Content-Length: 0\r\n\r\n')
  for (const framing of [
    `Content-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
    `Transfer-Encoding: chunked\r\n\r\n${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`,
  ]) {
    for (const method of ['GET', 'HEAD']) {
      const connection = await rawConnection(gate)
      connection.send(head(`${method} /api/v2/things`, framing))
      const answer = await connection.answer(method)
      t.same([answer.status, answer.headers.get('connection')], [400, ['close']], method)
      t.equal(await connection.closed(), '')
    }
  }
  t.equal(upstream.requests.length, 0)
})

t.test('P16 an unread body ends the connection at every refusal', async (t) => {
  const { gate } = await thingsGate(t)
  const smuggled = head('GET /api/v2/things', '\r\n')
  const bodies = `Content-Length: ${smuggled.length}\r\n\r\n${smuggled}`
  for (const [line, status] of [
    ['POST /nowhere', 404],
    ['POST /api/v2/closed', 401],
    ['PROPFIND /api/v2/closed', 405],
    ['OPTIONS /api/v2/closed', 204],
  ] as const) {
    const connection = await rawConnection(gate)
    connection.send(head(line, bodies))
    const answer = await connection.answer()
    t.same([answer.status, answer.headers.get('connection')], [status, ['close']], line)
    t.equal(await connection.closed(), '', `${line}: nothing answers the body`)
  }
})

t.test('gateway M1: many bodies are refused at once, each refusal arrives, and the gate goes on', async (t) => {
  const { gate } = await thingsGate(t)
  const bytes = 900_000
  const connections = await Promise.all(Array.from({ length: 48 }, () => rawConnection(gate)))
  for (const connection of connections) {
    connection.send(head('POST /api/v2/closed', `Content-Length: ${bytes}\r\n\r\n`))
    connection.send(Buffer.alloc(bytes - 1))
  }
  for (const connection of connections) t.equal((await connection.answer()).status, 401)
  await Promise.all(connections.map((connection) => connection.closed()))
  const afterwards = await rawConnection(gate)
  afterwards.send(head('POST /api/v2/closed', 'Content-Length: 1\r\n\r\n'))
  t.equal((await afterwards.answer()).status, 401)
  await afterwards.closed()
})

t.test('P6 Expect: 100-continue: the client is invited to send its body only after every check', async (t) => {
  const { upstream, gate } = await thingsGate(t)
  const good = await rawConnection(gate)
  t.teardown(() => good.end())
  good.send(head('POST /api/v2/things', 'Expect: 100-continue\r\nContent-Length: 2\r\n\r\n'))
  const answer = good.answer()
  await eventually(() => good.informational.length > 0, '100 Continue')
  good.send('hi')
  t.equal((await answer).status, 200)
  t.same(good.informational, [100])
  t.equal(upstream.requests[0]?.body, 'hi')
  t.equal(upstream.requests[0]?.headers.expect, undefined)
  const refused = await rawConnection(gate)
  refused.send(head('POST /api/v2/closed', 'Expect: 100-continue\r\nContent-Length: 2\r\n\r\n'))
  t.equal((await refused.answer()).status, 401)
  t.same(refused.informational, [])
  await refused.closed()
})

t.test('an answer before the end of the request ends the connection, and arrives whole (http-proxy#474)', async (t) => {
  const early = await scriptedUpstream(t, (socket, request) => {
    if (request === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nearly')
  })
  const gate = await openGate(t, { routes, upstreams: { things: { target: early.target } } })
  const connection = await rawConnection(gate)
  connection.send(head('POST /api/v2/big', 'Content-Length: 50000000\r\n\r\n'))
  connection.send(Buffer.alloc(100_000))
  const answer = await connection.answer()
  t.same([answer.status, answer.body, answer.headers.get('connection')], [200, 'early', ['close']])
  connection.send(Buffer.alloc(1_000_000))
  await connection.closed()
  await eventually(() => early.sockets.every((socket) => socket.destroyed), 'the upstream connection is closed too')
})

t.test('F26 a client that stops in the middle of its body is cut after the idle time', async (t) => {
  const bodyIdleMs = 500
  const { upstream, gate } = await thingsGate(t, undefined, { bodyIdleMs })
  const connection = await rawConnection(gate)
  connection.send(head('POST /api/v2/things', 'Content-Length: 10\r\n\r\nhalf'))
  const answer = await connection.answer()
  t.same([answer.status, answer.headers.get('connection')], [408, ['close']])
  await connection.closed()
  t.equal(upstream.requests.length, 0)
  const slow = async () => {
    const steady = await rawConnection(gate)
    t.teardown(() => steady.end())
    steady.send(head('POST /api/v2/things', 'Content-Length: 800\r\n\r\n'))
    for (let i = 0; i < 8; i++) {
      steady.send('x'.repeat(100))
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    return (await steady.answer()).status
  }
  t.equal(await unlessSilent(bodyIdleMs, slow), 200, 'slow is not silent')
})

t.test(
  'F29 a body that drips holds a connection to the upstream no longer than an idle one, but on a stream',
  async (t) => {
    const bodyIdleMs = 400
    const upstream = await recordingUpstream(t)
    const gate = await openGate(t, {
      routes: [
        { path: '/plain', methods: { POST: 'public' } },
        { path: '/stream', methods: { POST: 'public' }, stream: true },
      ],
      upstreams: { things: { target: upstream.target } },
      bodyIdleMs,
    })
    const drip = async (path: string) => {
      const connection = await rawConnection(gate)
      t.teardown(() => connection.end())
      connection.send(`POST ${path} HTTP/1.1\r\n${viaProxy}Content-Length: 30\r\n\r\n`)
      const timer = setInterval(() => connection.socket.writable && connection.send('x'), 40)
      const { status } = await connection.answer()
      clearInterval(timer)
      return status
    }
    t.equal(await drip('/plain'), 408)
    t.equal(upstream.requests.length, 0)
    t.equal(await unlessSilent(bodyIdleMs, () => drip('/stream')), 200)
    t.equal(upstream.requests[0]?.body.length, 30)
  },
)

t.test('large bodies stream both ways with flat memory', async (t) => {
  const size = 192_000_000
  const piece = Buffer.alloc(65_536, 7)
  const hash = createHash('sha256')
  let received = 0
  const { gate } = await thingsGate(t, undefined, {
    upstreams: {
      things: {
        target: (
          await echo(t, (chunk) => {
            received += chunk.length
          })
        ).target,
      },
    },
  })
  const connection = await rawConnection(gate)
  t.teardown(() => connection.end())
  connection.send(head('POST /api/v2/big', `Content-Length: ${size}\r\n\r\n`))
  const collect = garbageCollector()
  collect()
  // What the tests before this one left is not this body's.
  const before = process.memoryUsage().arrayBuffers
  let peak = 0
  let measured = 0
  let sent = 0
  let back = 0
  let headBytes = 0
  connection.socket.removeAllListeners('data')
  const done = new Promise<void>((resolve) => {
    connection.socket.on('data', (chunk) => {
      if (headBytes === 0) {
        headBytes = chunk.indexOf('\r\n\r\n') + 4
        back += chunk.length - headBytes
        hash.update(chunk.subarray(headBytes))
      } else {
        back += chunk.length
        hash.update(chunk)
      }
      if (back - measured > 4_000_000) {
        measured = back
        collect()
        peak = Math.max(peak, process.memoryUsage().arrayBuffers)
      }
      if (back >= size) resolve()
    })
  })
  while (sent < size) {
    const next = piece.subarray(0, Math.min(piece.length, size - sent))
    sent += next.length
    if (!connection.socket.write(next)) await new Promise((resolve) => connection.socket.once('drain', resolve))
  }
  await done
  t.equal(received, size)
  t.equal(back, size)
  t.equal(hash.digest('hex'), createHash('sha256').update(Buffer.alloc(size, 7)).digest('hex'))
  t.comment(`${before} bytes of buffers before, ${peak} at most`)
  t.ok(peak - before < size / 4, `${peak - before} bytes of buffers more at most, of ${size}`)
})

/** What is still referenced is what counts; garbage is not. */
function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc')
}

async function echo(t: Test, onChunk: (chunk: Buffer) => void) {
  const { createServer } = await import('node:http')
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-length': request.headers['content-length'] ?? '0' })
    request.on('data', onChunk)
    request.pipe(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    target: {
      kind: 'url' as const,
      origin: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
      basePath: '',
    },
  }
}

t.test(
  'back-pressure reaches the upstream when the client does not read, and a client that never reads is cut',
  async (t) => {
    let written = 0
    const endless: Handle = (_request, response) => {
      const block = Buffer.alloc(65_536)
      const pump = () => {
        do written += block.length
        while (!response.destroyed && response.write(block))
        response.once('drain', pump)
      }
      pump()
    }
    const { gate } = await thingsGate(t, endless, { bodyIdleMs: 700 })
    const connection = await rawConnection(gate)
    connection.socket.pause()
    connection.send(head('GET /api/v2/big', '\r\n'))
    await eventually(() => written > 0, 'data')
    await new Promise((resolve) => setTimeout(resolve, 300))
    const held = written
    t.ok(held < 30_000_000, `${held} bytes were taken from the upstream`)
    await eventually(
      () => gate.app.server.listening && gate.logged.some((line) => line.includes('client_stalled')),
      'the cut',
    )
    connection.end()
  },
)

t.test('SSE: a head and events arrive as they are sent, and only silence ends the stream (P11)', async (t) => {
  let push: ((text: string) => void) | undefined
  const idleMs = 400
  const { gate } = await thingsGate(
    t,
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
      response.flushHeaders()
      push = (text) => void response.write(text)
    },
    { idleMs },
  )
  const listen = async () => {
    const connection = await rawConnection(gate)
    let text = ''
    connection.socket.on('data', (chunk) => {
      text += String(chunk)
    })
    connection.send(head('GET /api/v2/things', '\r\n'))
    await eventually(() => text.includes('text/event-stream') && push, 'the head before any event')
    const began = performance.now()
    for (let i = 0; i < 8; i++) {
      push?.(`data: ${i}\n\n`)
      await eventually(() => text.includes(`data: ${i}`) || connection.socket.destroyed, `event ${i}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    const listened = { lastedMs: performance.now() - began, isOpen: !connection.socket.destroyed, events: text }
    await connection.closed()
    return { ...listened, text }
  }
  const { lastedMs, isOpen, events, text } = await unlessSilent(idleMs, listen)
  t.match(events, /data: 7/, 'each as it was sent')
  t.ok(lastedMs > 2 * idleMs - 10, 'longer than any silence may be')
  t.equal(isOpen, true, 'an open stream is not cut for its age')
  t.notMatch(text, /\r\n0\r\n\r\n$/, 'cut, not ended')
})
