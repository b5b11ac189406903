// Forward-auth as a proxy meets it: what is believed, what is answered in each way to ask, and what a client cannot do
// by what it sends through a proxy. The gate beside it must decide the same.

import { request } from 'node:http'
import { decodeJwt } from 'jose'
import t from 'tap'
import type { RouteSettings } from '../../../src/config/settings/route-settings.js'
import { forwardAuthRoutes } from '../../../src/gateway/forward-auth/index.js'
import { createRefusalNotes } from '../../../src/gateway/refusal-notes.js'
import { registerAddressGuard } from '../../../src/limits/address-guard.js'
import type { McpVersion } from '../../../src/mcp/versions.js'
import { revoke } from '../../../src/revocation/revoke.js'
import { createInProcessCounters } from '../../../src/storage/counters/in-process.js'
import { type GateOptions, openGate, recordingUpstream, type Test } from '../../support/rooms/http-gate.js'
import { listening, testServer } from '../../support/rooms/http-server.js'

interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

type Fields = Record<string, string | string[]>

const host = 'portcullis.test'

/** What Traefik and Caddy say. */
function forwardFields(method: string, uri: string, more: Fields = {}): Fields {
  const facts = { 'x-forwarded-method': method, 'x-forwarded-uri': uri, 'x-forwarded-host': host }
  return { ...facts, 'x-forwarded-for': '192.0.2.7', 'x-forwarded-proto': 'https', ...more }
}

/** What nginx says. */
function nginxFields(method: string, uri: string, more: Fields = {}): Fields {
  const facts = { 'x-original-method': method, 'x-original-uri': uri, 'x-forwarded-host': host }
  return { ...facts, 'x-forwarded-for': '192.0.2.7', 'x-forwarded-proto': 'https', ...more }
}

async function openForwardAuth(t: Test, options: Partial<GateOptions> = {}, proxies = ['127.0.0.0/8']) {
  const upstream = await recordingUpstream(t)
  const testApp = await openGate(t, {
    upstreams: { orders: { target: upstream.target } as never },
    routes: [
      { path: '/orders/**', methods: { GET: ['User.Read.All'], POST: ['User.ReadWrite.All'] } },
      { path: '/open', methods: { GET: 'public' } },
      { path: '/wiki/**', methods: { GET: ['User.Read.All'] } },
    ],
    ...options,
  })
  const { deps } = testApp
  const app = testServer({
    listener: 'proxies',
    trustedProxies: ['10.0.0.0/8'],
    metrics: testApp.metrics,
    accessLog: true,
  })
  const guard = options.addressGuard ?? { limit: 1_000_000, periodMs: 60_000 }
  const counters = createInProcessCounters()
  const monotonic = () => performance.now()
  app.register(
    forwardAuthRoutes({
      ...deps,
      ...deps.gate,
      server: { baseUrl: `https://${host}`, urlBytes: 8_192, headerBytes: 16_384, headerCount: 100 },
      forwardAuth: { proxies, hosts: new Map([['wiki.test', '/wiki']]) },
      noteRefusal: createRefusalNotes(deps.decisions),
      guardAddresses: (scope, refuse) => registerAddressGuard(scope, { counters, guard, monotonic, refuse }),
    }),
  )
  const port = await listening(app)
  t.teardown(() => app.close())
  const ask = (path: string, headers: Fields, method = 'GET', body = ''): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
        let text = ''
        response.on('data', (chunk) => {
          text += String(chunk)
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }))
      })
      sent.on('error', reject).end(body)
    })
  const bearer = async (...permissions: string[]) => ({ authorization: `Bearer ${await testApp.token(permissions)}` })
  return { testApp, upstream, ask, bearer }
}

t.test(
  'allowed: 200 with an assertion for the service, which is not dialled; used and counted as in the gate',
  async (t) => {
    const { testApp, upstream, ask, bearer } = await openForwardAuth(t)
    const token = await bearer('User.Read.All')
    for (const [path, fields] of [
      ['/forward-auth', forwardFields('GET', '/orders/7?a=1', token)],
      ['/forward-auth/nginx', nginxFields('GET', '/orders/7?a=1', token)],
      [
        '/forward-auth/envoy/orders/7?a=1',
        { ...token, host, 'x-forwarded-for': '192.0.2.7', 'x-forwarded-proto': 'https' },
      ],
    ] as const) {
      const { status, headers, body } = await ask(path, fields)
      t.same([status, body, headers['cache-control']], [200, '', 'no-store'], path)
      const [scheme, assertion = ''] = String(headers['authorization']).split(' ')
      t.equal(scheme, 'Bearer')
      t.match(decodeJwt(assertion), { aud: 'orders', scope: 'User.Read.All', idtyp: 'app', iss: `https://${host}` })
      t.match(headers['request-id'], /^[0-9a-f-]{36}$/)
    }
    t.equal(upstream.connections, 0, 'the proxy dials, not the gate')
    const metrics = await testApp.metrics.registry.metrics()
    t.match(
      metrics,
      /auth_decisions_total\{route="GET,POST \/orders\/\*\*",decision="allowed",reason="granted"[^}]*\} 3/,
    )
    t.match(
      metrics,
      /http_requests_total\{route="GET,POST \/orders\/\*\*",method="GET",code="200",source="gate"[^}]*\} 3/,
    )
  },
)

t.test(
  'X2 a public route passes without identity, and the field that is copied is there to take the client’s away',
  async (t) => {
    const { ask } = await openForwardAuth(t)
    const { status, headers } = await ask(
      '/forward-auth',
      forwardFields('GET', '/open', { authorization: 'Bearer forged' }),
    )
    t.same([status, headers['authorization']], [200, ''])
  },
)

t.test(
  'refused: status, challenge and body of the gate; nginx gets what it can pass on, and the rest beside it',
  async (t) => {
    const { testApp, ask, bearer } = await openForwardAuth(t)
    const token = await bearer('User.Read.All')
    const cases = [
      ['GET', '/orders/7', {}, 401, 'AuthenticationRequired'],
      ['GET', '/orders/7', { authorization: 'Bearer nonsense' }, 401, 'InvalidToken'],
      ['GET', '/orders/7', { authorization: [token.authorization, token.authorization] }, 400, 'InvalidRequest'],
      ['POST', '/orders/7', token, 403, 'InsufficientPermission'],
      ['GET', '/nowhere', token, 404, 'NotFound'],
      ['DELETE', '/orders/7', token, 405, 'MethodNotAllowed'],
      ['TRACE', '/orders/7', token, 405, 'MethodNotAllowed'],
      ['OPTIONS', '/orders/7', token, 405, 'MethodNotAllowed'],
      ['GET', `/orders/${'x'.repeat(8_192)}`, token, 414, 'TargetTooLong'],
      ['GET', '/orders/7?access_token=x', {}, 400, 'InvalidRequest'],
    ] as const
    for (const [method, uri, more, status, code] of cases) {
      const title = `${method} ${uri.slice(0, 40)}: ${code}`
      const plain = await ask('/forward-auth', forwardFields(method, uri, more as Fields))
      t.same([plain.status, JSON.parse(plain.body).error.code], [status, code], title)
      const nginx = await ask('/forward-auth/nginx', nginxFields(method, uri, more as Fields))
      t.equal(nginx.status, status === 401 ? 401 : 403, `${title} for nginx`)
      t.equal(nginx.headers['x-portcullis-status'], String(status))
      t.equal(nginx.headers['www-authenticate'], plain.headers['www-authenticate'])
      t.equal(JSON.parse(String(nginx.headers['x-portcullis-refusal'])).error.code, code)
      t.equal(plain.headers['authorization'] ?? nginx.headers['authorization'], undefined, 'no identity with a refusal')
    }
    t.ok(
      testApp.noted.some(({ reason }) => reason === 'insufficient_scope'),
      'its owner can look it up',
    )
  },
)

t.test('revoked: the next question is answered 401', async (t) => {
  const { testApp, ask, bearer } = await openForwardAuth(t)
  const token = await bearer('User.Read.All')
  t.equal((await ask('/forward-auth', forwardFields('GET', '/orders/7', token))).status, 200)
  const id = String(decodeJwt(token.authorization.slice(7))['client_id'])
  await revoke(testApp.writes as never, { what: 'application', id } as never)
  const { status, headers } = await ask('/forward-auth', forwardFields('GET', '/orders/7', token))
  t.equal(status, 401)
  t.match(headers['www-authenticate'], /error="invalid_token"/)
})

t.test('limits are charged to the client that the proxy names, by address, guard and application', async (t) => {
  const limits = { each: { name: 'each', by: ['address'], algorithm: { kind: 'quota', limit: 2, periodMs: 60_000 } } }
  const { ask, bearer } = await openForwardAuth(t, { limits: limits as never })
  const token = await bearer('User.Read.All')
  const from = (address: string) => forwardFields('GET', '/orders/7', { ...token, 'x-forwarded-for': address })
  t.match((await ask('/forward-auth', from('192.0.2.7'))).headers['ratelimit'], /"each";r=1/)
  // The last entry is what the proxy itself saw; those before it are the client's own words.
  t.equal((await ask('/forward-auth', from('198.51.100.1, 192.0.2.7'))).status, 200)
  const third = await ask('/forward-auth', from('198.51.100.2, 192.0.2.7, 10.1.2.3'))
  t.equal(third.status, 429, 'behind a trusted proxy the address before it counts')
  t.ok(Number(third.headers['retry-after']) > 0)
  t.equal((await ask('/forward-auth', from('192.0.2.8'))).status, 200, 'another address has its own')
  const nginx = await ask('/forward-auth/nginx', nginxFields('GET', '/orders/7', token))
  t.match([nginx.status, nginx.headers['x-portcullis-status'], nginx.headers['retry-after']], [403, '429', /^\d+$/])

  const guarded = await openForwardAuth(t, { addressGuard: { limit: 1, periodMs: 60_000 } })
  t.equal((await guarded.ask('/forward-auth/nginx', nginxFields('GET', '/open'))).status, 200)
  const limited = await guarded.ask('/forward-auth/nginx', nginxFields('GET', '/open'))
  t.same([limited.status, limited.headers['x-portcullis-status']], [403, '429'])
})

t.test('P19 what is missing, said twice, or said in two ways is refused, no matter who said it', async (t) => {
  const { ask, bearer } = await openForwardAuth(t)
  const token = await bearer('User.Read.All')
  const good = forwardFields('GET', '/open', token)
  for (const name of Object.keys(good).filter((name) => name.startsWith('x-'))) {
    const { [name]: _left, ...rest } = good
    const { status, body } = await ask('/forward-auth', rest)
    t.match([status, JSON.parse(body).error.code], [400, 'IncompleteDescription'], `without ${name}`)
    if (name === 'x-forwarded-for' || name === 'x-forwarded-proto') continue
    t.equal(
      (await ask('/forward-auth', { ...good, [name]: [String(good[name]), '/open'] })).status,
      400,
      `${name} twice`,
    )
    t.equal(
      (await ask('/forward-auth', { ...rest, [name.replaceAll('-', '_')]: String(good[name]) })).status,
      400,
      name,
    )
  }
  for (const name of [
    'X-Original-URI',
    'X_Forwarded_Uri',
    'X-Original-URL',
    'X-Rewrite-URL',
    'X-Envoy-Original-Path',
  ]) {
    t.equal((await ask('/forward-auth', { ...good, [name]: '/open/other' })).status, 400, name)
    t.equal((await ask('/forward-auth', { ...good, [name]: '' })).status, 200, `${name} taken away`)
  }
  t.equal((await ask('/forward-auth', { ...good, 'X-Original-Method': 'POST' })).status, 400)
  for (const name of ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X_Method_Override']) {
    t.equal((await ask('/forward-auth', { ...good, [name]: 'DELETE' })).status, 400, `F ${name}`)
    t.equal((await ask('/forward-auth', { ...good, [name]: 'GET' })).status, 200, `F ${name} says the same`)
  }
  t.equal(
    (await ask('/forward-auth/nginx', forwardFields('GET', '/open'))).status,
    403,
    'each dialect has its own source',
  )
  t.equal((await ask('/forward-auth/envoy', { host, ...good })).status, 404)
  t.equal((await ask('/', good)).status, 404)
})

t.test('P19 TLS that the client did not speak, and a host that nobody named, are refused', async (t) => {
  const { ask, bearer } = await openForwardAuth(t)
  const token = await bearer('User.Read.All')
  for (const proto of ['http', 'https, http', '']) {
    const { status } = await ask(
      '/forward-auth',
      forwardFields('GET', '/orders/7', { ...token, 'x-forwarded-proto': proto }),
    )
    t.equal(status, 403, proto)
  }
  const on = (name: string, uri = '/orders/7') => forwardFields('GET', uri, { ...token, 'x-forwarded-host': name })
  t.equal((await ask('/forward-auth', on('evil.test'))).status, 421)
  t.equal((await ask('/forward-auth', on(`${host}, evil.test`))).status, 421)
  t.equal((await ask('/forward-auth', on(`${host.toUpperCase()}:443`))).status, 200)
  const nobody = { ...on('wiki.test', '/open'), authorization: '' }
  t.equal((await ask('/forward-auth', nobody)).status, 401, 'H a host has the routes below its own path, and no others')
  t.equal((await ask('/forward-auth', on('wiki.test', '/'))).status, 200)
  t.equal((await ask('/forward-auth', on('wiki.test', '/any/page'))).status, 200)
})

t.test('P20 a target that the gate would fix is refused, because the proxy passes on the other one', async (t) => {
  const { ask, bearer } = await openForwardAuth(t)
  const token = await bearer('User.Read.All')
  const refused = [
    '//orders/7',
    '/orders//7',
    '/orders/./7',
    '/orders/%2e/7',
    '/orders/.',
    '/open/../orders/7',
    '/open/%2e%2e/x',
  ]
  refused.push(
    '/orders/%2F7',
    '/orders/a;b',
    '/orders/%252e',
    '/orders\\7',
    '/orders/7#x',
    'https://portcullis.test/orders/7',
  )
  refused.push('orders/7', '*', '/orders/%00', '/orders/caf\u00e9', '/orders/7?a=%zz', '/orders/7?#')
  for (const uri of refused) {
    for (const [path, fields] of [
      ['/forward-auth', forwardFields('GET', uri, token)],
      ['/forward-auth/nginx', nginxFields('GET', uri, token)],
    ] as const) {
      const { status } = await ask(path, fields)
      t.ok(path.endsWith('nginx') ? status === 403 : status === 400, `${uri}: ${status}`)
    }
  }
  for (const uri of ['/orders/%7e', '/orders/%c3%a9', '/orders/a.b', '/orders/x/', '/orders/7?a=/./b//c']) {
    t.equal(
      (await ask('/forward-auth', forwardFields('GET', uri, token))).status,
      200,
      `${uri} means one thing to everybody`,
    )
  }
  const envoy = { ...token, host, 'x-forwarded-for': '192.0.2.7', 'x-forwarded-proto': 'https' }
  for (const path of [
    '/forward-auth/envoy//orders/7',
    '/forward-auth/./envoy/orders/7',
    '/forward-auth/envoy/%2e/orders/7',
  ]) {
    t.equal((await ask(path, envoy)).status, 400, path)
  }
})

t.test(
  'P20 the path of the question itself has one spelling, so that what is behind it is what the proxy passes on',
  async (t) => {
    const routes: GateOptions['routes'] = [{ path: '/envoy/**', methods: { GET: 'public' } }]
    const { ask } = await openForwardAuth(t, { routes })
    const fields = { host, 'x-forwarded-for': '192.0.2.7', 'x-forwarded-proto': 'https' }
    t.equal((await ask('/forward-auth/envoy/envoy/orders/7', fields)).status, 200)
    for (const path of [
      // As long as the plain path up to the slash before `envoy`.
      '/%66%6f%72ward-auth/envoy/orders/7',
      `https://${host}/forward-auth/envoy/envoy/orders/7`,
    ]) {
      const { status, body } = await ask(path, fields)
      t.match([status, JSON.parse(body).error.code], [400, 'IncompleteDescription'], path)
    }
  },
)

t.test('P16 a body of the question is none of it: not read, not counted, and no second question', async (t) => {
  const { ask, bearer } = await openForwardAuth(t)
  const token = await bearer('User.ReadWrite.All')
  const fields = { ...forwardFields('POST', '/orders/7', token), 'content-length': '2000000' }
  t.equal((await ask('/forward-auth', { ...fields, 'content-length': '4' }, 'POST', 'abcd')).status, 200)
  t.equal((await ask('/forward-auth', { ...forwardFields('GET', '/open'), 'content-length': '0' })).status, 200)
  const envoy = { ...token, host, 'x-forwarded-for': '192.0.2.7', 'x-forwarded-proto': 'https', 'content-length': '0' }
  const typed = { ...envoy, 'content-type': 'application/json' }
  t.equal((await ask('/forward-auth/envoy/orders/7', typed, 'POST')).status, 200)
})

t.test('P18 a WebSocket is for routes that stream, no matter who passes it on', async (t) => {
  const routes = [
    { path: '/plain', methods: { GET: 'public' as const } },
    { path: '/live', methods: { GET: 'public' as const }, stream: true },
  ]
  const { ask } = await openForwardAuth(t, { routes })
  const handshake = { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', 'sec-websocket-version': '13' }
  t.equal((await ask('/forward-auth', forwardFields('GET', '/plain'))).status, 200)
  t.equal((await ask('/forward-auth', forwardFields('GET', '/plain', handshake))).status, 400)
  t.equal((await ask('/forward-auth', forwardFields('GET', '/live', handshake))).status, 200)
})

t.test('who is no configured proxy is not heard', async (t) => {
  const { ask } = await openForwardAuth(t, {}, ['192.0.2.1'])
  await t.rejects(ask('/forward-auth', forwardFields('GET', '/open')), { code: 'ECONNRESET' })
})

t.test('X2 identity: headers is sent in fields, all of them in every answer', async (t) => {
  const upstream = await recordingUpstream(t)
  const { ask, bearer } = await openForwardAuth(t, {
    upstreams: { orders: { target: upstream.target, identity: 'headers' } as never },
  })
  const identityFields = ['application', 'tenant', 'user', 'permissions', 'assertion'].map(
    (name) => `x-portcullis-${name}`,
  )
  const forged = Object.fromEntries(identityFields.map((name) => [name, 'forged']))
  const known = await ask(
    '/forward-auth',
    forwardFields('GET', '/orders/7', { ...forged, ...(await bearer('User.Read.All')) }),
  )
  const [application, tenant, user, permissions, assertion] = identityFields.map((name) => String(known.headers[name]))
  const { client_id, tid, aud } = decodeJwt(assertion ?? '')
  t.same([application, tenant, user, permissions, aud], [client_id, tid, '', 'User.Read.All', 'orders'])
  t.equal(known.headers['authorization'], '')
  const open = await ask('/forward-auth', forwardFields('GET', '/open', forged))
  t.same(
    identityFields.map((name) => open.headers[name]),
    identityFields.map(() => ''),
  )
})

t.test(
  'P17 a field that a service would read as one of the caller’s identity is refused in every other spelling',
  async (t) => {
    const { ask, bearer } = await openForwardAuth(t)
    const good = forwardFields('GET', '/orders/7', await bearer('User.Read.All'))
    for (const name of ['application', 'tenant', 'user', 'permissions', 'assertion', 'what-is-to-come']) {
      for (const [first, second] of ['--', '__', '-_', '_-', '..', '~-', '-~'].map((joints) => [...joints])) {
        const spelling = `X${first}Portcullis${second}${name}`
        const expected = spelling.toLowerCase() === `x-portcullis-${name}` ? 200 : 400
        t.equal((await ask('/forward-auth', { ...good, [spelling]: 'forged' })).status, expected, spelling)
      }
    }
  },
)

t.test('an MCP server is not opened: which tool is called stands in a body that nobody sends here', async (t) => {
  const needs = (id: string) => ({ needs: { anyOf: [[id]] } })
  const mcp: NonNullable<RouteSettings['mcp']> = {
    versions: new Set<McpVersion>(['2026-07-28', '2025-11-25']),
    list: 'granted',
    first: { anyOf: [['User.Read.All']] },
    tools: new Map([
      ['list', needs('User.Read.All')],
      ['close', needs('User.ReadWrite.All')],
    ]),
    prompts: new Map(),
    resources: new Map(),
  }
  const first = ['User.Read.All']
  const { ask, bearer } = await openForwardAuth(t, {
    routes: [{ path: '/desk/mcp', methods: { POST: first, GET: first, DELETE: first }, mcp }],
  })
  const token = await bearer('User.Read.All')
  for (const method of ['POST', 'GET', 'DELETE']) {
    const answers = [
      await ask('/forward-auth', forwardFields(method, '/desk/mcp', token)),
      await ask('/forward-auth/nginx', nginxFields(method, '/desk/mcp', token)),
      await ask(
        '/forward-auth/envoy/desk/mcp',
        { ...token, host, 'x-forwarded-for': '192.0.2.7', 'x-forwarded-proto': 'https' },
        method,
      ),
    ]
    for (const { status, headers, body } of answers) {
      t.equal(status, 403, `${method} ${body}`)
      t.match(body + String(headers['x-portcullis-refusal']), /MessageUnseen/)
      t.notOk(headers['authorization'])
    }
  }
  t.equal((await ask('/forward-auth', forwardFields('POST', '/desk/mcp'))).status, 401, 'who is nobody hears so first')
})
