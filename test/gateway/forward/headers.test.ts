// Which header fields cross the gate, in both directions, over raw sockets.

import t from 'tap'
import { verifyAssertion } from '../../../src/tokens/verify-assertion.js'
import { baseUrl, ownResource } from '../../support/rooms/directory.js'
import {
  eventually,
  type GateOptions,
  openGate,
  recordingUpstream,
  type Test,
  viaProxy,
} from '../../support/rooms/http-gate.js'
import { rawConnection, rawRequest } from '../../support/traffic/http-raw.js'

type Handle = Parameters<typeof recordingUpstream>[1]

async function thingsGate(t: Test, handle?: Handle, more: Partial<GateOptions> = {}) {
  const upstream = await recordingUpstream(t, handle)
  const gate = await openGate(t, {
    routes: [
      { path: '/api/v2/things', methods: { GET: ['User.Read.All'], HEAD: ['User.Read.All'], POST: ['User.Read.All'] } },
      { path: '/api/v2/public', methods: { GET: 'public' } },
    ],
    upstreams: { things: { target: upstream.target } },
    ...more,
  })
  const token = await gate.token()
  const get = (lines = '', path = '/api/v2/things', bearer = token) =>
    rawRequest(gate, `GET ${path} HTTP/1.1\r\n${viaProxy}Authorization: Bearer ${bearer}\r\n${lines}\r\n`)
  return { upstream, gate, token, get }
}

t.test(
  'P6 P7 P16 hop-by-hop fields, expectations and overrides stay at the gate, and none of them is a 500',
  async (t) => {
    const { upstream, get } = await thingsGate(t)
    const dropped = [
      'Keep-Alive: timeout=5',
      'Proxy-Connection: keep-alive',
      'Proxy-Authorization: Basic eDp5',
      'Proxy-Authenticate: Basic',
      'Trailer: X-T',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABk',
      'X-HTTP-Method-Override: DELETE',
      'X-HTTP-Method: DELETE',
      'X-Method-Override: DELETE',
      '_method: DELETE',
      'X-Original-URL: /admin',
      'X-Rewrite-URL: /admin',
      'X-Forwarded-Host: evil',
      'X-Forwarded-Prefix: /x',
      'X-Forwarded-Port: 1',
      'X-Forwarded-Uri: /admin',
      'X-Real-IP: 192.0.2.66',
      'True-Client-IP: 192.0.2.66',
      'Forwarded: for=192.0.2.66',
      'X-User-Id: mallory',
      'X-Remote-User: mallory',
      'X-Gw-User: mallory',
      'X-Request-Id: mine',
      'Request-Id: mine',
      'Via: 1.0 evil',
      'Connection: x-secret, content-length, transfer-encoding, host, cookie, authorization, x-forwarded-for, forwarded, request-id',
      'X-Secret: for this connection',
    ]
    const answer = await get(`${dropped.join('\r\n')}\r\nCookie: a=b\r\nX-Kept: yes\r\n`)
    t.equal(answer.status, 200)
    const [request] = upstream.requests
    const headers = request?.headers ?? {}
    t.equal(headers['x-kept'], 'yes')
    const names = (request?.raw ?? []).filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase())
    t.same(
      names.filter((name) => !['x-kept', 'host', 'connection'].includes(name)).sort(),
      [
        'authorization',
        'forwarded',
        'request-id',
        'traceparent',
        'via',
        'x-forwarded-for',
        'x-forwarded-host',
        'x-forwarded-proto',
      ],
      'the gate says the rest itself, although Connection named it',
    )
    t.equal(headers['x-forwarded-host'], 'portcullis.test')
    t.equal(headers['x-forwarded-for'], '127.0.0.1')
    t.equal(headers['x-forwarded-proto'], 'https')
    t.equal(headers.forwarded, 'for=127.0.0.1;host="portcullis.test";proto=https')
    t.equal(headers['request-id'], answer.headers.get('request-id')?.[0])
    t.equal(headers.via, '1.1 gate')
  },
)

t.test('P17 no spelling of a protected name reaches an upstream (header folding)', async (t) => {
  const { upstream, get } = await thingsGate(t)
  const spellings = [
    'X_Forwarded_For',
    'x.forwarded.for',
    'X-FORWARDED_For',
    'X_Gw_User',
    'X.Gw.User',
    'X_User_Id',
    'Request_Id',
    'Trace_Parent',
    'X_HTTP_Method_Override',
    'X.Original.URL',
    'Anything_Else',
    'Content_Length',
    'Content.Type',
    'Content~Encoding',
    'Sec.WebSocket.Version',
    'Sec-WebSocket.Key',
    'Forwarded_',
    '__proto__',
    'constructor_prototype',
    ...['Client-IP', 'X-Original-Forwarded-For', 'Forwarded-For', 'X-Forwarded', 'X-Host', 'X-Scheme', 'X-Tenant'],
    ...[..."!#$%&'*+^`|~"].flatMap((mark) => [`X${mark}Forwarded-For`, `X-Portcullis${mark}User`, `Remote${mark}User`]),
  ]
  const answer = await get(spellings.map((name) => `${name}: mallory\r\n`).join(''))
  t.equal(answer.status, 200)
  t.notMatch(JSON.stringify(upstream.requests[0]?.raw), /mallory/)
  const plain = await get('X-Api-Version: 7\r\nIf-None-Match: "a"\r\nIf-None-Match: "b"\r\n')
  t.equal(plain.status, 200)
  const raw = upstream.requests[1]?.raw ?? []
  t.same(
    raw.filter((_, i) => raw[i - 1] === 'If-None-Match'),
    ['"a"', '"b"'],
    'repeated fields keep their order',
  )
})

t.test(
  'to the upstream Authorization is the assertion, minted once per token and requirement (contract §5)',
  async (t) => {
    const { upstream, gate, token, get } = await thingsGate(t)
    for (let i = 0; i < 3; i++) await get()
    const assertions = upstream.requests.map((request) => request.headers.authorization ?? '')
    t.equal(new Set(assertions).size, 1)
    t.notMatch(assertions[0], token)
    const verify = (value: string) =>
      verifyAssertion(value.replace('Bearer ', ''), {
        findKey: (kid) => gate.keyring.verificationKey('assertion', kid),
        audience: 'things',
        issuer: baseUrl,
        leewaySeconds: 0,
        nowMs: gate.now(),
      })
    const claims = verify(assertions[0] ?? '')
    t.match(claims, { sub: '3f0c1f9e-9f34-4c6e-8f9e-0a6d1c5b7a01', idtyp: 'app', scope: 'User.Read.All' })
    t.equal(claims.tid, '9b2c51d4-1a77-4bb7-9b0f-6f6f5d4c3b02', 'T22 the tenant is the token’s')
    const elsewhere = await gate.token(['User.Read.All'], { tid: '11111111-1a77-4bb7-9b0f-6f6f5d4c3b02' })
    await get('X-Tenant-Id: 9b2c51d4-1a77-4bb7-9b0f-6f6f5d4c3b02\r\n', '/api/v2/things', elsewhere)
    const otherTenant = upstream.requests.pop()
    t.equal(verify(otherTenant?.headers.authorization ?? '').tid, '11111111-1a77-4bb7-9b0f-6f6f5d4c3b02', 'T22 always')
    gate.clock.nowMs += 46_000
    await get()
    t.not(upstream.requests[3]?.headers.authorization, assertions[0], 'made anew near its end')
    t.ok(verify(upstream.requests[3]?.headers.authorization ?? '').exp > claims.exp)

    const user = await gate.token(['User.Read.All', 'assets_read'], {
      idtyp: 'user',
      sub: '5d7e6a0b-2b68-4f0e-8a53-1c2d3e4f5a03',
      gid: 'g1',
    })
    await rawRequest(gate, `GET /api/v2/things HTTP/1.1\r\n${viaProxy}Authorization: Bearer ${user}\r\n\r\n`)
    const delegated = verify(upstream.requests[4]?.headers.authorization ?? '')
    t.match(
      delegated,
      { sub: '5d7e6a0b-2b68-4f0e-8a53-1c2d3e4f5a03', idtyp: 'user', scope: 'User.Read.All' },
      'only what the route needed',
    )
  },
)

t.test('a public route and an upstream without identity get no Authorization at all', async (t) => {
  const open = await thingsGate(t)
  await open.get('', '/api/v2/public')
  t.equal(open.upstream.requests[0]?.headers.authorization, undefined)
  const upstream = await recordingUpstream(t)
  const gate = await openGate(t, {
    routes: [{ path: '/x', methods: { GET: ['User.Read.All'] } }],
    upstreams: { bare: { target: upstream.target, identity: 'none' } },
  })
  await rawRequest(gate, `GET /x HTTP/1.1\r\n${viaProxy}Authorization: Bearer ${await gate.token()}\r\n\r\n`)
  t.equal(upstream.requests.length, 1)
  t.equal(upstream.requests[0]?.headers.authorization, undefined)
})

t.test('U6 our cookies stay here, others pass', async (t) => {
  const { upstream, get } = await thingsGate(t)
  await get('Cookie: a=1; __Host-session=s; b=2; __host-x=y\r\nCookie: __HOST-only=z\r\n')
  t.same(upstream.requests[0]?.headers.cookie, 'a=1; b=2')
})

t.test(
  'trace context passes when it is valid, else the request begins a trace named by its id (W3C Trace Context)',
  async (t) => {
    const { upstream, get, gate } = await thingsGate(t)
    const given = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await get(`Traceparent: ${given}\r\nTracestate: a=b\r\n`)
    await get(`traceparent: 00-${'0'.repeat(32)}-b7ad6b7169203331-01\r\n`)
    await get(`traceparent: ${given}\r\ntraceparent: ${given}\r\n`)
    const [first, second, third] = upstream.requests.map((request) => request.headers)
    t.equal(first?.traceparent, given)
    t.equal(first?.tracestate, 'a=b')
    for (const headers of [second, third]) {
      t.match(
        headers?.traceparent,
        new RegExp(`^00-${String(headers?.['request-id']).replaceAll('-', '')}-[0-9a-f]{16}-00$`),
      )
    }
    const traces = await eventually(() => {
      const lines = gate.logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request')
      return lines.length === 3 && lines.map(({ traceId }) => traceId)
    }, 'a line for each')
    t.same(
      traces,
      [first, second, third].map((headers) => String(headers?.traceparent).slice(3, 35)),
      'the log names the trace that the upstream heard of',
    )
  },
)

t.test('P9 U6 what an upstream may not say for this origin is dropped, and what it must say is added', async (t) => {
  const { get } = await thingsGate(t, (_request, response) => {
    response.writeHead(200, [
      ...['Connection', 'keep-alive, X-Hop', 'X-Hop', '1', 'Keep-Alive', 'timeout=99', 'Proxy-Authenticate', 'Basic'],
      ...[
        'Set-Cookie',
        'ok=1',
        'Set-Cookie',
        '__Host-session=evil; Secure; Path=/',
        'Set-Cookie',
        ' __HOST-a=b',
        'Set-Cookie',
        '=__Host-session=evil',
      ],
      ...[
        'Clear-Site-Data',
        '"*"',
        'Service-Worker-Allowed',
        '/',
        'Server',
        'nginx',
        'X-Powered-By',
        'PHP',
        'Alt-Svc',
        'h3=":443"',
      ],
      ...[
        'Strict-Transport-Security',
        'max-age=0',
        'Content-Security-Policy',
        'default-src *',
        'X-Content-Type-Options',
        'sniff',
      ],
      ...[
        'Access-Control-Allow-Origin',
        '*',
        'Access-Control-Allow-Credentials',
        'true',
        'Refresh',
        '0; url=//evil',
        'Request-Id',
        'theirs',
        'Duration',
        '1',
      ],
      ...['X-Kept', 'yes', 'ETag', '"a"', 'Content-Type', 'text/html', 'Content-Length', '2'],
    ])
    response.end('hi')
  })
  const answer = await get()
  t.equal(answer.status, 200)
  t.same(answer.headers.get('set-cookie'), ['ok=1; Path=/api/v2/things'])
  for (const name of [
    'x-hop',
    'proxy-authenticate',
    'clear-site-data',
    'service-worker-allowed',
    'server',
    'x-powered-by',
    'alt-svc',
    'strict-transport-security',
    'access-control-allow-origin',
    'access-control-allow-credentials',
    'refresh',
  ]) {
    t.equal(answer.headers.get(name), undefined, name)
  }
  t.same(answer.headers.get('x-content-type-options'), ['nosniff'])
  t.same(answer.headers.get('content-security-policy'), ["sandbox; default-src 'none'"])
  t.same(answer.headers.get('cache-control'), ['private, no-store'])
  t.same(answer.headers.get('vary'), ['Authorization'])
  t.equal(answer.headers.get('request-id')?.length, 1)
  t.not(answer.headers.get('request-id')?.[0], 'theirs')
  t.equal(answer.headers.get('duration')?.length, 1)
  t.same(answer.headers.get('x-kept'), ['yes'])
  t.same(answer.headers.get('etag'), ['"a"'])
  t.match(answer.headers.get('keep-alive')?.[0], /timeout=5/, 'ours')
})

t.test(
  'every proxied answer has request-id, Date and a Duration that ends with its head (facts: onSend)',
  async (t) => {
    let release: (() => void) | undefined
    const { gate, token } = await thingsGate(t, (_request, response) => {
      response.sendDate = false
      response.writeHead(200, { 'content-length': '4' })
      response.write('ha')
      release = () => void response.end('lf')
    })
    const connection = await rawConnection(gate)
    t.teardown(() => connection.end())
    const headArrived = new Promise<void>((resolve) => connection.socket.once('data', () => resolve()))
    const before = performance.now()
    connection.send(`GET /api/v2/things HTTP/1.1\r\n${viaProxy}Authorization: Bearer ${token}\r\n\r\n`)
    await headArrived
    const untilHead = performance.now() - before
    await new Promise((resolve) => setTimeout(resolve, 400))
    release?.()
    const { status, body, headers } = await connection.answer()
    t.same([status, body], [200, 'half'])
    for (const name of ['request-id', 'date', 'duration']) t.equal(headers.get(name)?.length, 1, `one ${name}`)
    t.match(headers.get('request-id')?.[0], /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/)
    t.ok(Date.parse(headers.get('date')?.[0] ?? '') > 0, 'a date, although the upstream gave none')
    const duration = Number(headers.get('duration')?.[0])
    t.ok(duration > 0 && duration <= untilHead, `${duration} ms of ${untilHead} until the head`)
  },
)

t.test('P21 an upstream that speaks of caching is heard, but never to the cost of Vary', async (t) => {
  const { get } = await thingsGate(t, (request, response) => {
    const vary = request.url?.endsWith('public') ? 'Accept' : 'Accept-Encoding, AUTHORIZATION'
    response.writeHead(200, { 'cache-control': 'max-age=60', vary }).end()
  })
  const things = await get()
  t.same(things.headers.get('cache-control'), ['private, max-age=60'])
  t.same(things.headers.get('vary'), ['Accept-Encoding, AUTHORIZATION'])
  const open = await get('', '/api/v2/public')
  t.same(open.headers.get('vary'), ['Accept'], 'a public answer does not depend on who asks')
  const { get: again } = await thingsGate(t, (_request, response) => response.writeHead(200, { vary: 'Accept' }).end())
  t.same((await again()).headers.get('vary'), ['Accept, Authorization'])
})

t.test('P13 Location speaks of the gate, or is not sent', async (t) => {
  let location = ''
  const handle: Handle = (_request, response) => response.writeHead(302, { location }).end()
  const upstream = await recordingUpstream(t, handle, { basePath: '/base' })
  const first = { ...upstream.target, weight: 1_000_000 }
  const other = { kind: 'url', origin: 'http://other.internal', basePath: '/base', weight: 1 } as const
  const gate = await openGate(t, {
    routes: [{ path: '/x', methods: { GET: 'public' } }],
    upstreams: { things: { targets: [first, other] } },
  })
  const table: [string, string | undefined][] = [
    [`http://127.0.0.1:${upstream.port}/base/y?z=1#f`, 'https://portcullis.test/y?z=1#f'],
    [`HTTP://127.0.0.1:${upstream.port}/base`, 'https://portcullis.test/'],
    [`http://127.0.0.1:${upstream.port}/elsewhere`, undefined],
    [`http://user@127.0.0.1:${upstream.port}/base/y`, 'https://portcullis.test/y'],
    ['http://other.internal/base/y', 'https://portcullis.test/y'],
    ['http://other.internal/y', undefined],
    ['/base/y', '/y'],
    ['/based/y', undefined],
    ['/y', undefined],
    ['/base//elsewhere.example/y', undefined],
    ['/base/\\elsewhere.example/y', undefined],
    ['y?z', 'y?z'],
    ['//x/y', undefined],
    ['/\\x/y', undefined],
    ['\\\\x', undefined],
    ['https://elsewhere.example/z', 'https://elsewhere.example/z'],
    ['https://a@elsewhere.example/z', undefined],
    ['javascript:alert(1)', undefined],
    ['https://[bad', undefined],
  ]
  for (const [given, expected] of table) {
    location = given
    const answer = await rawRequest(gate, `GET /x HTTP/1.1\r\n${viaProxy}\r\n`)
    t.equal(answer.status, 302)
    t.same(answer.headers.get('location')?.[0], expected, given)
  }
  t.equal(upstream.requests[0]?.url, '/base/x', 'the base path stands before every forwarded path')
})

t.test('P10 trailers arrive, announced and not, and cannot say what only a head may say', async (t) => {
  const { get, upstream } = await thingsGate(t, (_request, response) => {
    response.writeHead(200, { trailer: 'x-sum' })
    response.write('body')
    response.addTrailers({
      'x-sum': '42',
      'set-cookie': 'a=b',
      'content-type': 'text/html',
      server: 'x',
      connection: 'close',
    })
    response.end()
  })
  const answer = await get('TE: trailers, gzip\r\nConnection: TE\r\n')
  t.equal(answer.body, 'body')
  t.same(answer.headers.get('trailer'), ['x-sum'])
  t.same([...answer.trailers], [['x-sum', ['42']]])
  t.equal(upstream.requests[0]?.headers.te, 'trailers', 'of TE only trailers crosses')
})

t.test('HEAD, 204 and 304 have no body, and the connection goes on', async (t) => {
  const { gate, token } = await thingsGate(t, (request, response) => {
    if (request.method === 'HEAD') response.writeHead(200, { 'content-length': '5' }).end()
    else response.writeHead(request.headers['x-ask'] === '204' ? 204 : 304, { etag: '"a"' }).end()
  })
  const connection = await rawConnection(gate)
  t.teardown(() => connection.end())
  const authorization = `${viaProxy}Authorization: Bearer ${token}\r\n`
  connection.send(`HEAD /api/v2/things HTTP/1.1\r\n${authorization}\r\n`)
  const head = await connection.answer('HEAD')
  t.same([head.status, head.headers.get('content-length')], [200, ['5']])
  for (const status of [204, 304]) {
    connection.send(`GET /api/v2/things HTTP/1.1\r\n${authorization}X-Ask: ${status}\r\n\r\n`)
    const answer = await connection.answer()
    t.equal(answer.status, status)
    t.equal(answer.headers.get('transfer-encoding'), undefined)
  }
})

t.test('service worker scripts are not served from this origin (contract §1)', async (t) => {
  const { upstream, get } = await thingsGate(t)
  t.equal((await get('Service-Worker: script\r\n')).status, 403)
  t.equal((await get('Sec-Fetch-Dest: serviceworker\r\n')).status, 403)
  t.equal((await get('Sec-Fetch-Dest: script\r\n')).status, 200)
  t.equal(upstream.requests.length, 1)
})

t.test('a token for this resource is never forwarded, whatever the scheme is spelled like', async (t) => {
  const { upstream, gate, token } = await thingsGate(t)
  const lines = [`authorization: bearer ${token}`, `AUTHORIZATION: Bearer ${token}`]
  for (const line of lines) await rawRequest(gate, `GET /api/v2/things HTTP/1.1\r\n${viaProxy}${line}\r\n\r\n`)
  t.notMatch(JSON.stringify(upstream.requests), token)
  t.ok(ownResource.startsWith(baseUrl))
})
