// run: apart

import { Writable } from 'node:stream'
import t from 'tap'
import { ApiError } from '../../src/http/answers/api-error.js'
import { closeGracefully } from '../../src/http/connections/closing.js'
import { requestContext } from '../../src/http/requests/request-context.js'
import { createMetrics } from '../../src/observability/metrics.js'
import { createLog } from '../../src/observability/process-log.js'
import { listening, proxied, testLimits, testServer } from '../support/rooms/http-server.js'
import { rawConnection, rawRequest } from '../support/traffic/http-raw.js'
import { resetConnection } from '../support/traffic/reset-connection.js'
import { until } from '../support/traffic/until.js'

const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

function demoServer(options: Parameters<typeof testServer>[0] = {}) {
  const app = testServer(options)
  app.get('/hello', async (request) => ({ address: requestContext(request).address, url: request.url }))
  app.post('/echo', async (request) => ({ got: request.body }))
  app.get('/boom', async () => {
    throw new Error('redis://10.0.0.7:6379 refused')
  })
  app.get('/down', async () => {
    throw Object.assign(new Error('disk'), { code: 'store_unavailable' })
  })
  app.get('/gone', async () => {
    throw new ApiError(410, 'Gone', 'Gone.', { headers: { 'x-more': '1' } })
  })
  return app
}

t.test('every answer has request-id, Duration and Date (contract §5)', async (t) => {
  const app = demoServer()
  t.teardown(() => app.close())
  const port = await listening(app)
  const requestId = '11111111-2222-4333-8444-555555555555'
  for (const [target, status] of [
    ['/hello', 200],
    ['/nothing', 404],
    ['/boom', 500],
    ['/x%2fy', 400],
    ['/gone', 410],
  ] as const) {
    const answer = await rawRequest(
      { port },
      `GET ${target} HTTP/1.1\r\n${proxied}Client-Request-Id: ${requestId}\r\n\r\n`,
    )
    t.equal(answer.status, status, target)
    t.match(answer.headers.get('request-id')?.[0], guid)
    t.ok(Number.isFinite(Number(answer.headers.get('duration')?.[0])))
    t.ok(Date.parse(answer.headers.get('date')?.[0] ?? '') > 0)
    if (status === 200) continue
    const { error } = JSON.parse(answer.body)
    t.equal(error.innerError['request-id'], answer.headers.get('request-id')?.[0])
    t.equal(error.innerError['client-request-id'], requestId)
  }
})

t.test('X3 a 500 says nothing about its cause, and no answer names the software', async (t) => {
  const app = demoServer()
  t.teardown(() => app.close())
  const port = await listening(app)
  const answer = await rawRequest({ port }, `GET /boom HTTP/1.1\r\n${proxied}\r\n`)
  t.equal(answer.status, 500)
  t.notMatch(answer.body, /redis|10\.0\.0\.7|stack|node_modules/i)
  t.equal(answer.headers.get('server'), undefined)
  t.equal(answer.headers.get('x-powered-by'), undefined)
  const down = await rawRequest({ port }, `GET /down HTTP/1.1\r\n${proxied}\r\n`)
  t.equal(down.status, 503)
  t.equal(down.headers.get('retry-after')?.[0], '1')
})

t.test('P16 raw requests that could be read twice are refused with an error body', async (t) => {
  const app = demoServer()
  t.teardown(() => app.close())
  const port = await listening(app)
  const long = 'a'.repeat(8_300)
  const table: [title: string, bytes: string, status: number][] = [
    ['two Host fields', `GET /hello HTTP/1.1\r\nHost: evil\r\n${proxied}\r\n`, 400],
    ['no Host field', 'GET /hello HTTP/1.1\r\nX-Forwarded-Proto: https\r\n\r\n', 400],
    ['an unknown Host', 'GET /hello HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Proto: https\r\n\r\n', 421],
    ['a Host with userinfo', 'GET /hello HTTP/1.1\r\nHost: a@localhost\r\nX-Forwarded-Proto: https\r\n\r\n', 421],
    ['absolute form of another authority', `GET http://evil/hello HTTP/1.1\r\n${proxied}\r\n`, 421],
    ['absolute form with userinfo', `GET http://a@localhost/hello HTTP/1.1\r\n${proxied}\r\n`, 400],
    ['asterisk form', `OPTIONS * HTTP/1.1\r\n${proxied}\r\n`, 400],
    ['no version (HTTP/0.9)', 'GET /hello\r\n\r\n', 400],
    ['a fragment', `GET /hello?a=1#f HTTP/1.1\r\n${proxied}\r\n`, 400],
    [
      'two different Content-Length',
      `POST /echo HTTP/1.1\r\n${proxied}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
      400,
    ],
    [
      'Content-Length and Transfer-Encoding',
      `POST /echo HTTP/1.1\r\n${proxied}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ['obs-fold', `GET /hello HTTP/1.1\r\n${proxied}X-A: b\r\n c\r\n\r\n`, 400],
    ['space before the colon', `GET /hello HTTP/1.1\r\n${proxied}X-A : b\r\n\r\n`, 400],
    ['bare LF', `GET /hello HTTP/1.1\n${proxied}\r\n`, 400],
    ['a NUL in a header', `GET /hello HTTP/1.1\r\n${proxied}X-A: a\u0000b\r\n\r\n`, 400],
    [
      'a transfer coding beside chunked',
      `POST /echo HTTP/1.1\r\n${proxied}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
      501,
    ],
    ['TRACE', `TRACE /hello HTTP/1.1\r\n${proxied}\r\n`, 405],
    ['CONNECT', `CONNECT localhost:1 HTTP/1.1\r\n${proxied}\r\n`, 405],
    ['an upgrade', `GET /hello HTTP/1.1\r\n${proxied}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`, 400],
    ['another expectation', `POST /echo HTTP/1.1\r\n${proxied}Expect: 200-maybe\r\nContent-Length: 1\r\n\r\n`, 417],
    ['too long a target', `GET /${long} HTTP/1.1\r\n${proxied}\r\n`, 414],
    ['too many header bytes', `GET /hello HTTP/1.1\r\n${proxied}X-A: ${'a'.repeat(17_000)}\r\n\r\n`, 431],
    ['far too many header bytes', `GET /hello HTTP/1.1\r\n${proxied}X-A: ${'a'.repeat(40_000)}\r\n\r\n`, 431],
    ['too many header fields', `GET /hello HTTP/1.1\r\n${proxied}${'A: b\r\n'.repeat(101)}\r\n`, 431],
    [
      'a body that is too large',
      `POST /echo HTTP/1.1\r\n${proxied}Content-Type: application/json\r\nContent-Length: 2000000\r\n\r\n`,
      413,
    ],
    [
      'a media type that nobody reads',
      `POST /echo HTTP/1.1\r\n${proxied}Content-Type: application/x-evil\r\nContent-Length: 1\r\n\r\na`,
      415,
    ],
    [
      'poisoned JSON',
      `POST /echo HTTP/1.1\r\n${proxied}Content-Type: application/json\r\nContent-Length: 17\r\n\r\n{"__proto__":{} }`,
      400,
    ],
  ]
  for (const [title, bytes, status] of table) {
    const answer = await rawRequest({ port }, bytes)
    t.equal(answer.status, status, title)
    t.match(answer.headers.get('request-id')?.[0], guid, `${title}: request-id`)
    t.match(JSON.parse(answer.body).error.code, /^[A-Z]/, `${title}: error body`)
    if (status === 405) t.match(answer.headers.get('allow')?.[0], /GET/, `${title}: Allow`)
  }
})

t.test('P16 after a request that could be read twice nothing more is read from its connection', async (t) => {
  const app = demoServer()
  const reached: string[] = []
  app.get('/after', async (request) => void reached.push(request.url))
  t.teardown(() => app.close())
  const port = await listening(app)
  const post = `POST /echo HTTP/1.1\r\n${proxied}`
  const get = `GET /hello HTTP/1.1\r\n${proxied}`
  const after = `GET /after HTTP/1.1\r\n${proxied}`
  const table: [title: string, bytes: string][] = [
    ['two different Content-Length', `${post}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`],
    ['two equal Content-Length', `${post}Content-Length: 1\r\nContent-Length: 1\r\n\r\na`],
    ['a list of lengths', `${post}Content-Length: 1, 1\r\n\r\na`],
    ['a signed length', `${post}Content-Length: +1\r\n\r\na`],
    ['length and chunks', `${post}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['chunks and length', `${post}Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n0\r\n\r\n`],
    ['chunked twice', `${post}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['chunked before another coding', `${post}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`],
    ['a coding beside chunked', `${post}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
    [
      'a coding beside chunked, for no target',
      `POST /%2f HTTP/1.1\r\n${proxied}Transfer-Encoding: x, chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['another protocol', `${get}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`],
    ['obs-fold', `${get}X-A: b\r\n c\r\n\r\n`],
    ['space before the colon', `${get}X-A : b\r\n\r\n`],
    ['bare LF', `GET /hello HTTP/1.1\n${proxied}\r\n`],
    ['no Host field', 'GET /hello HTTP/1.1\r\nX-Forwarded-Proto: https\r\n\r\n'],
    ['two Host fields', `GET /hello HTTP/1.1\r\nHost: evil\r\n${proxied}\r\n`],
    ['two Host fields and a body', `POST /echo HTTP/1.1\r\nHost: evil\r\n${proxied}Content-Length: 1\r\n\r\na`],
    ['no version', 'GET /hello\r\n\r\n'],
  ]
  for (const [title, bytes] of table) {
    const connection = await rawConnection({ port })
    connection.send(`${bytes}${after}\r\n`)
    const answer = await connection.answer()
    t.match(String(answer.status), /^(400|501)$/, title)
    t.same(answer.headers.get('connection'), ['close'], title)
    t.equal(await connection.closed(), '', `${title}: nothing answers what follows`)
  }
  t.same(reached, [], 'and nobody looks at it')
  // Found when the answer to its head may have begun already: then the end of the connection is all that can be said.
  const late = await rawConnection({ port })
  late.send(`${post}Transfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n0\r\n\r\n${get}\r\n`)
  t.notMatch(await late.closed(), /^HTTP\/1\.1 200/m, 'a chunk size that is none')
})

t.test('P16 what is unusual but plain is served', async (t) => {
  const app = demoServer()
  t.teardown(() => app.close())
  const port = await listening(app)
  const table: [title: string, bytes: string][] = [
    ['absolute form of our own authority', `GET https://localhost:8443/hello HTTP/1.1\r\n${proxied}\r\n`],
    ['HTTP/1.0', `GET /hello HTTP/1.0\r\n${proxied}\r\n`],
    [
      'a Host in capitals with a port',
      'GET /hello HTTP/1.1\r\nHost: LOCALHOST:8443\r\nX-Forwarded-Proto: https\r\n\r\n',
    ],
    ['a stray Upgrade field', `GET /hello HTTP/1.1\r\n${proxied}Upgrade: h2c\r\n\r\n`],
    ['a __proto__ field', `GET /hello HTTP/1.1\r\n${proxied}__proto__: x\r\n\r\n`],
    ['an escaped path', `GET /%68ello HTTP/1.1\r\n${proxied}\r\n`],
  ]
  for (const [title, bytes] of table) t.equal((await rawRequest({ port }, bytes)).status, 200, title)
})

t.test('X7 plain HTTP is refused and never redirected; only a trusted proxy can speak of TLS', async (t) => {
  const trusting = demoServer()
  const direct = demoServer({ trustedProxies: [] })
  t.teardown(() => Promise.all([trusting.close(), direct.close()]))
  const ports = { trusting: await listening(trusting), direct: await listening(direct) }
  const cases: [string, number, string, number][] = [
    ['trusted, https', ports.trusting, 'X-Forwarded-Proto: https\r\n', 200],
    ['trusted, http', ports.trusting, 'X-Forwarded-Proto: http\r\n', 403],
    ['trusted, mixed', ports.trusting, 'X-Forwarded-Proto: https, http\r\n', 403],
    ['trusted, nothing', ports.trusting, '', 403],
    ['untrusted, https', ports.direct, 'X-Forwarded-Proto: https\r\n', 403],
  ]
  for (const [title, port, line, status] of cases) {
    const answer = await rawRequest({ port }, `GET /hello HTTP/1.1\r\nHost: localhost\r\n${line}\r\n`)
    t.equal(answer.status, status, title)
    if (status === 403) t.equal(JSON.parse(answer.body).error.code, 'HttpsRequired', title)
    t.equal(answer.headers.get('location'), undefined, title)
  }
})

t.test('gateway L1: the client address is the first that no proxy vouches for, with or without a port', async (t) => {
  const trusting = demoServer({ trustedProxies: ['127.0.0.1', '10.0.0.0/8'] })
  const direct = demoServer({ trustedProxies: [] })
  t.teardown(() => Promise.all([trusting.close(), direct.close()]))
  const port = await listening(trusting)
  const ask = async (forwarded: string) =>
    JSON.parse(
      (await rawRequest({ port }, `GET /hello HTTP/1.1\r\n${proxied}X-Forwarded-For: ${forwarded}\r\n\r\n`)).body,
    ).address
  t.equal(await ask('192.0.2.1'), '192.0.2.1')
  t.equal(await ask('203.0.113.9, 192.0.2.1, 10.1.1.1'), '192.0.2.1', 'what the client wrote itself does not count')
  t.equal(await ask('::ffff:192.0.2.7'), '192.0.2.7')
  t.equal(await ask('203.0.113.9, nonsense'), '127.0.0.1')
  // Balancers that add the client's port, as some clouds do.
  for (const [said, expected] of [
    ['203.0.113.7:51234', '203.0.113.7'],
    ['203.0.113.9:1, 203.0.113.7:51234, 10.1.1.1:443', '203.0.113.7'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['[2001:DB8:0::1]', '2001:db8::1'],
    ['"[2001:db8::1]:443"', '2001:db8::1'],
    ['2001:0db8:0:0:0:0:0:1', '2001:db8::1'],
    ['[::ffff:192.0.2.7]:1', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['203.0.113.7:', '127.0.0.1'],
    ['203.0.113.7:123456', '127.0.0.1'],
    ['[203.0.113.7', '127.0.0.1'],
    ['[nonsense]:1', '127.0.0.1'],
  ] as const) {
    t.equal(await ask(said), expected, said)
  }
  // A balancer sends requests of different clients on one connection.
  const kept = await rawConnection({ port })
  t.teardown(() => kept.end())
  const forwarded = ['192.0.2.1', '192.0.2.1', '192.0.2.2, 10.1.1.1', '192.0.2.1', undefined, '192.0.2.1']
  const addresses = ['192.0.2.1', '192.0.2.1', '192.0.2.2', '192.0.2.1', '127.0.0.1', '192.0.2.1']
  for (const [i, value] of forwarded.entries()) {
    const line = value === undefined ? '' : `X-Forwarded-For: ${value}\r\n`
    kept.send(`GET /hello HTTP/1.1\r\n${proxied}${line}\r\n`)
    t.equal(JSON.parse((await kept.answer()).body).address, addresses[i], `request ${i}`)
  }
})

t.test('Expect: 100-continue is answered after the checks and before the body (facts: checkContinue)', async (t) => {
  const app = demoServer()
  t.teardown(() => app.close())
  const port = await listening(app)
  const head = 'Content-Type: application/json\r\nContent-Length: 7\r\nExpect: 100-continue\r\n\r\n'
  const good = await rawConnection({ port })
  t.teardown(() => good.end())
  good.send(`POST /echo HTTP/1.1\r\n${proxied}${head}`)
  const waiting = good.answer()
  await until('100 Continue', () => good.informational.length > 0)
  t.same(good.informational, [100])
  good.send('{"a":1}')
  t.equal((await waiting).status, 200)

  const refused = await rawConnection({ port })
  t.teardown(() => refused.end())
  refused.send(`POST /echo HTTP/1.1\r\nHost: evil\r\n${head}`)
  t.equal((await refused.answer()).status, 421)
  t.same(refused.informational, [], 'no 100 before a refusal')
  t.equal(await refused.closed(), '')
})

t.test('a request that is refused before its body was read ends its connection', async (t) => {
  const app = demoServer()
  t.teardown(() => app.close())
  const port = await listening(app)
  const connection = await rawConnection({ port })
  const smuggled = `GET /hello HTTP/1.1\r\n${proxied}\r\n`
  connection.send(`POST /hello%2f HTTP/1.1\r\n${proxied}Content-Length: ${smuggled.length}\r\n\r\n${smuggled}`)
  const answer = await connection.answer()
  t.equal(answer.status, 400)
  t.equal(answer.headers.get('connection')?.[0], 'close')
  t.equal(await connection.closed(), '', 'nothing answers the body')
})

t.test('connections on which nothing was sent are closed without an answer, a hundred at once', async (t) => {
  const app = demoServer({ limits: { ...testLimits, headersTimeoutMs: 300 } })
  t.teardown(() => app.close())
  const port = await listening(app)
  const silent = await Promise.all(Array.from({ length: 100 }, () => rawConnection({ port })))
  const ends = await Promise.all(silent.map((connection) => connection.closed()))
  t.same([...new Set(ends)], [''])
})

t.test('F29 a head or a body that comes too slowly is cut', async (t) => {
  const app = demoServer({ limits: { ...testLimits, headersTimeoutMs: 300, bodyIdleMs: 300 } })
  t.teardown(() => app.close())
  const port = await listening(app)
  const head = await rawConnection({ port })
  head.send('GET /hello HTTP/1.1\r\nHost: local')
  const late = await head.answer()
  t.equal(late.status, 408)
  t.match(late.headers.get('request-id')?.[0], guid)
  await head.closed()
  const body = await rawConnection({ port })
  body.send(`POST /echo HTTP/1.1\r\n${proxied}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{`)
  t.equal((await body.answer()).status, 408)
  await body.closed()
})

t.test(
  'a connection serves so many requests, idles so long, and a request as a whole has no end (facts)',
  async (t) => {
    const app = demoServer({ limits: { ...testLimits, requestsPerConnection: 2 } })
    const hasty = demoServer({ limits: { ...testLimits, keepAliveMs: 300 } })
    t.teardown(() => Promise.all([app.close(), hasty.close()]))
    const port = await listening(app)
    const bytes = `GET /hello HTTP/1.1\r\n${proxied}\r\n`
    const worn = await rawConnection({ port })
    worn.send(bytes)
    t.not((await worn.answer()).headers.get('connection')?.[0], 'close')
    worn.send(bytes)
    t.same((await worn.answer()).headers.get('connection'), ['close'], 'the last one')
    await worn.closed()
    const idle = await rawConnection({ port: await listening(hasty) })
    idle.send(bytes)
    t.equal((await idle.answer()).status, 200)
    t.equal(await idle.closed(), '')
    t.equal(app.server.requestTimeout, 0, 'it would cut slow uploads with a bare 408')
    t.equal(app.server.headersTimeout, testLimits.headersTimeoutMs)
    t.ok(app.server.timeout > 0, 'silence has an end')
  },
)

t.test(
  'P18 where only HTTP is spoken no request gets another protocol, and it is the last of its connection',
  async (t) => {
    const app = demoServer()
    t.teardown(() => app.close())
    const port = await listening(app)
    const asks = 'Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n'
    const next = `GET /hello HTTP/1.1\r\n${proxied}\r\n`
    const cases: [string, string, number, string][] = [
      ['GET /hello HTTP/1.1', asks, 400, 'UpgradeRefused'],
      ['GET /hello HTTP/1.0', asks, 400, 'UpgradeRefused'],
      ['GET /nothing HTTP/1.1', asks.replace('websocket', 'h2c'), 400, 'UpgradeRefused'],
      ['POST /echo HTTP/1.1', `${asks}Content-Length: ${next.length}\r\n`, 400, 'UpgradeRefused'],
      ['POST /echo HTTP/1.1', `${asks}Transfer-Encoding: chunked\r\n`, 400, 'UpgradeRefused'],
      ['GET /hello HTTP/1.1', `${asks}Host: other.test\r\n`, 400, 'InvalidHost'],
      ['GET /%2fhello HTTP/1.1', asks, 400, 'InvalidTarget'],
      ['TRACE /hello HTTP/1.1', asks, 405, 'MethodNotAllowed'],
    ]
    for (const [line, fields, status, code] of cases) {
      const connection = await rawConnection({ port })
      connection.send(`${line}\r\n${proxied}${fields}\r\n${next}`)
      const answer = await connection.answer()
      t.same([answer.status, JSON.parse(answer.body).error.code], [status, code], line)
      t.same([answer.headers.get('connection'), answer.headers.get('request-id')?.length], [['close'], 1])
      t.equal(await connection.closed(), '', `${line}: nothing answers what follows`)
    }
    const without = `GET /hello HTTP/1.1\r\n${proxied}Upgrade: websocket\r\n\r\n`
    t.equal((await rawRequest({ port }, without)).status, 200, 'a word that the connection does not know is nothing')
    const refused = `GET /hello HTTP/1.1\r\nHost: localhost\r\n${asks}\r\n`
    t.equal((await rawRequest({ port }, refused)).status, 403, 'plain HTTP is refused first')
    const gone = await rawConnection({ port })
    gone.send(`GET /hello HTTP/1.1\r\n${proxied}${asks}\r\n`)
    resetConnection(gone.socket)
    t.equal((await rawRequest({ port }, next)).status, 200, 'who leaves in the middle takes nobody along')
  },
)

t.test('P9 closing waits for requests, not for idle connections, and has an end', async (t) => {
  const app = testServer()
  let release: (() => void) | undefined
  app.get('/slow', async () => {
    await new Promise<void>((resolve) => {
      release = resolve
    })
    return 'done'
  })
  app.get('/fast', async () => 'done')
  const port = await listening(app)
  const idle = await rawConnection({ port })
  idle.send(`GET /fast HTTP/1.1\r\n${proxied}\r\n`)
  await idle.answer()
  const busy = await rawConnection({ port })
  busy.send(`GET /slow HTTP/1.1\r\n${proxied}\r\n`)
  while (release === undefined) await new Promise((resolve) => setTimeout(resolve, 2))
  const closing = closeGracefully(app, 30_000)
  await idle.closed()
  release()
  t.equal((await busy.answer()).status, 200)
  await closing

  const stuck = testServer()
  let arrived = false
  stuck.get('/never', () => {
    arrived = true
    return new Promise(() => undefined)
  })
  const stuckPort = await listening(stuck)
  const connection = await rawConnection({ port: stuckPort })
  connection.send(`GET /never HTTP/1.1\r\n${proxied}\r\n`)
  await until('the request', () => arrived)
  const before = performance.now()
  await closeGracefully(stuck, 200)
  t.ok(performance.now() - before < 20_000)
})

t.test('gateway L8: a host for routes only has nothing of ours, and is not mixed with the one that has', async (t) => {
  const app = testServer({ apiHosts: ['apps.test'], trustedProxies: ['127.0.0.1'] })
  app.get('/own', async () => 'own')
  app.get(
    '/routed',
    { config: { streams: true } },
    async (request) => requestContext(request).entry.apiHost ?? 'public',
  )
  t.teardown(() => app.close())
  const port = await listening(app)
  const own = 'localhost'
  const ask = async (target: string, host: string) =>
    rawRequest({ port }, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nX-Forwarded-Proto: https\r\n\r\n`)
  t.equal((await ask('/own', own)).status, 200)
  t.equal((await ask('/routed', own)).body, 'public')
  t.equal((await ask('/routed', 'APPS.test:8443')).body, 'apps.test:8443')
  t.equal((await ask('/routed', 'apps.test:1234')).body, 'apps.test:8443', 'the port is not the client’s')
  t.equal((await ask('/own', 'apps.test')).status, 404)
  t.equal((await ask('/nothing', 'apps.test')).status, 404)
  t.equal((await ask(`https://${own}/own`, 'apps.test')).status, 421)
  t.equal((await ask('https://apps.test/routed', own)).status, 421)
  t.equal((await ask('https://apps.test/routed', 'apps.test')).status, 200)
})

t.test('X4 X5 one request is one JSON line without query, header or secret; metrics have no client text', async (t) => {
  const lines: string[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const metrics = createMetrics()
  const app = demoServer({
    logger: { existing: createLog({ level: 'info', format: 'json' }, stream) },
    accessLog: true,
    metrics,
  })
  t.teardown(() => app.close())
  const port = await listening(app)
  lines.length = 0
  const secret = 'pcl_sk_verysecret'
  const target = `/hello?code=${secret}&a=%0d%0a%1b`
  await rawRequest(
    { port },
    `GET ${target} HTTP/1.1\r\n${proxied}Authorization: Bearer ${secret}\r\nCookie: a=${secret}\r\n\r\n`,
  )
  await rawRequest({ port }, `BREW /x${secret} HTTP/1.1\r\n${proxied}\r\n`).catch(() => undefined)
  await rawRequest({ port }, `GET /nothing HTTP/1.1\r\n${proxied}\r\n`)
  const hostile = [
    '/a%0d%0a{"level":"fatal"}',
    '/%1b[31m',
    '/%e2%80%a8x',
    `/${'x'.repeat(8_000)}`,
    '/__proto__/constructor',
  ]
  for (const path of hostile) {
    const forged = 'User-Agent: a"},{"msg":"request\r\nClient-Request-Id: "},{"\r\n__proto__: {"level":60}\r\n'
    await rawRequest({ port }, `GET ${path} HTTP/1.1\r\n${proxied}${forged}\r\n`)
  }
  const isRequest = (line: string) => JSON.parse(line).msg === 'request'
  await until('a line for each request', () => lines.filter(isRequest).length >= 2 + hostile.length)
  t.ok(
    lines.every((line) => /^[\x20-\x7e]*\n$/.test(line)),
    'a line is a line, of printable ASCII',
  )
  const all = lines.map((line) => JSON.parse(line)).filter((line) => line.msg === 'request')
  t.equal(all.length, 2 + hostile.length, 'one for each request')
  t.ok(all.every((line) => line.level === 'info' && line.clientRequestId === undefined))
  const requests = all.slice(0, 2)
  t.match(requests[0], { method: 'GET', route: '/hello', path: '/hello', status: 200, address: '127.0.0.1' })
  t.match(requests[1], { route: '_unmatched', status: 404 })
  t.notOk(lines.join('').includes(secret))
  const text = await metrics.registry.metrics()
  t.match(text, /portcullis_http_requests_total\{route="\/hello",method="GET",code="200",source="identity"\} 1/)
  t.match(text, /portcullis_http_client_errors_total\{reason="MalformedRequest"\} 1/)
  t.notOk(text.includes(secret))
})

t.test('X5 the log takes out what is secret by its name, and is readable on a terminal', async (t) => {
  const lines: string[] = []
  const stream = { isTTY: true, write: (line: string) => void lines.push(line) }
  const app = testServer({ logger: { existing: createLog({ level: 'info', format: 'auto' }, stream) } })
  t.teardown(() => app.close())
  app.log.info(
    { client_secret: 'hid1', request: { authorization: 'hid2' }, deep: { er: { password: 'hid3' } } },
    'look',
  )
  t.match(lines.join(''), /look/)
  t.notMatch(lines.join(''), /^\{/)
  t.notMatch(lines.join(''), /hid[123]/)
})

t.test(
  'a target that cannot be read, or is too long, is a page for people and an error body for programs',
  async (t) => {
    const app = demoServer()
    t.teardown(() => app.close())
    const port = await listening(app)
    const browser = 'Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n'
    const targets = [
      ['/portal/%00', 400],
      ['/portal?next=%00', 400],
      ['/sign-in/%2fx', 400],
      ['/portal/<b>"', 400],
      [`/portal/${'x'.repeat(8_200)}`, 414],
    ] as const
    for (const [target, status] of targets) {
      const page = await rawRequest({ port }, `GET ${target} HTTP/1.1\r\n${proxied}${browser}\r\n`)
      t.equal(page.status, status, target.slice(0, 20))
      t.same(page.headers.get('content-type'), ['text/html; charset=utf-8'])
      t.match(page.headers.get('content-security-policy')?.[0], /^default-src 'none'/)
      t.match(page.body, /^<!doctype html><html lang="en">/)
      t.match(page.body, page.headers.get('request-id')?.[0])
      t.notMatch(page.body, /%00|<b>|xxx/, 'nothing of the target')
      const program = await rawRequest({ port }, `GET ${target} HTTP/1.1\r\n${proxied}\r\n`)
      t.equal(program.status, status)
      t.equal(JSON.parse(program.body).error.code, status === 414 ? 'TargetTooLong' : 'InvalidTarget')
    }
  },
)
