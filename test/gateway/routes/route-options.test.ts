// What a route can say beyond who may call it: watching only, costs, tenants and applications, other paths, times,
// fields.

import fc from 'fast-check'
import t from 'tap'
import { dryRun } from '../../../src/gateway/explain/dry-run.js'
import { requestDisposition } from '../../../src/gateway/forward/headers/header-names.js'
import { identityFieldNames, identityFields } from '../../../src/gateway/forward/headers/identity-fields.js'
import { forwardedPath, publicPath } from '../../../src/gateway/routes/prefix.js'
import { canonicalTarget } from '../../../src/http/requests/canonical-target.js'
import { verifyAssertion } from '../../../src/tokens/verify-assertion.js'
import { baseUrl, ownResource } from '../../support/rooms/directory.js'
import {
  eventually,
  type GateOptions,
  openGate,
  type RouteInput,
  recordingUpstream,
  type Test,
  viaProxy,
} from '../../support/rooms/http-gate.js'
import { rawRequest } from '../../support/traffic/http-raw.js'

const needs = { GET: ['User.Read.All'] }

type Handle = Parameters<typeof recordingUpstream>[1]

async function gateOf(t: Test, routes: readonly RouteInput[], more: Partial<GateOptions> = {}, handle?: Handle) {
  const upstream = await recordingUpstream(t, handle)
  const gate = await openGate(t, { routes, upstreams: { things: { target: upstream.target } }, ...more })
  const token = await gate.token()
  const call = (path: string, bearer: string | undefined = token, lines = '', method = 'GET', body = '') => {
    const authorization = bearer === '' ? '' : `Authorization: Bearer ${bearer}\r\n`
    return rawRequest(gate, `${method} ${path} HTTP/1.1\r\n${viaProxy}${authorization}${lines}\r\n${body}`)
  }
  return { upstream, gate, token, call }
}

t.test(
  'shadow: what permissions would refuse passes, is counted and logged; a bad token is refused all the same',
  async (t) => {
    const { upstream, gate, token, call } = await gateOf(t, [
      { path: '/watched', methods: needs, shadow: true },
      { path: '/guarded', methods: needs },
    ])
    t.equal((await call('/guarded', '')).status, 401)
    t.equal((await call('/watched', '')).status, 200, 'without a token')
    t.equal(upstream.requests[0]?.headers.authorization, undefined, 'and so without an identity')
    t.equal((await call('/watched', await gate.token(['Subscription.Read.All']))).status, 200, 'without the permission')
    const claims = JSON.parse(
      Buffer.from(upstream.requests[1]?.headers.authorization?.split('.')[1] ?? '', 'base64url').toString(),
    )
    t.match(claims, { aud: 'things', scope: '' }, 'with an identity that opens nothing')
    t.equal((await call('/watched', token)).status, 200)
    const at = token.lastIndexOf('.') + 1
    const forged = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`
    const refused = await call('/watched', forged)
    t.equal(refused.status, 401, 'a forged token')
    const wrongAudience = await gate.token(['User.Read.All'], { aud: `${ownResource}/other` })
    t.equal((await call('/watched', wrongAudience)).status, 401, 'a token for somebody else')
    t.equal(upstream.requests.length, 3)
    const metrics = await gate.metrics.registry.metrics()
    t.match(metrics, 'portcullis_would_deny_total{route="GET /watched",reason="no_token"} 1')
    t.match(metrics, 'portcullis_would_deny_total{route="GET /watched",reason="insufficient_scope"} 1')
    t.match(metrics, 'portcullis_auth_decisions_total{route="GET /watched",decision="allowed",reason="granted"} 1')
    t.match(metrics, 'portcullis_auth_decisions_total{route="GET /watched",decision="allowed",reason="shadow"} 2')
    t.notMatch(metrics, 'would_deny_total{route="GET /guarded"')
    const reasons = await eventually(() => {
      const lines = gate.logged.map((line) => JSON.parse(line)).filter(({ route }) => route === 'GET /watched')
      return lines.length === 5 && lines.map(({ reason }) => reason)
    }, 'a line for each')
    t.same(reasons, [
      'would_deny_no_token',
      'would_deny_insufficient_scope',
      undefined,
      'bad_signature',
      'wrong_audience',
    ])
  },
)

t.test('shadow: on a stale view a request without a token passes, and a token is not believed', async (t) => {
  const { gate, token, call } = await gateOf(t, [{ path: '/watched', methods: needs, shadow: true }], {
    replace: (deps) => ({ view: { ...deps.view, isStale: () => true, refusal: deps.view.refusal } }),
  })
  t.equal((await call('/watched', '')).status, 200)
  t.equal((await call('/watched', token)).status, 503)
  t.ok(gate)
})

t.test('cost: a request takes so many units of each limit', async (t) => {
  const limits = {
    app: { name: 'app', by: ['application'], algorithm: { kind: 'quota', limit: 10, periodMs: 3_600_000 } },
  } as const
  const routes = [
    { path: '/dear', methods: needs, cost: 4 },
    { path: '/cheap', methods: needs },
  ]
  const { call } = await gateOf(t, routes, { limits })
  t.match((await call('/dear')).headers.get('ratelimit')?.[0], 'r=6')
  t.match((await call('/cheap')).headers.get('ratelimit')?.[0], 'r=5')
  t.equal((await call('/dear')).status, 200)
  t.equal((await call('/dear')).status, 429)
  t.equal((await call('/cheap')).status, 200)
  t.equal((await call('/cheap')).status, 429)
})

t.test('tenant: a path of another tenant is not there, with the permission and without a hint', async (t) => {
  const mine = '9b2c51d4-1a77-4bb7-9b0f-6f6f5d4c3b02'
  const { upstream, gate, call } = await gateOf(t, [
    { path: '/of/{tenant}/things/{id}', methods: needs, tenant: 'tenant' },
    { path: '/seen/{tenant}', methods: needs, tenant: 'tenant', shadow: true },
  ])
  t.equal((await call(`/of/${mine}/things/7`)).status, 200)
  const others = [mine.replace('9b2c', '9b2d'), mine.toUpperCase(), 'things', `${mine}x`, '%20']
  const nothing = JSON.parse((await call('/of')).body).error
  for (const other of others) {
    const answer = await call(`/of/${other}/things/7`)
    t.equal(answer.status, 404, other)
    const { code, message } = JSON.parse(answer.body).error
    t.same({ code, message }, { code: nothing.code, message: nothing.message }, 'as where there is nothing')
  }
  t.equal((await call(`/of/${mine}/things/7`, await gate.token([]))).status, 403, 'the permission comes first')
  t.equal((await call(`/of/x/things/7`, '')).status, 401)
  t.equal((await call('/seen/x')).status, 200, 'a route that only watches')
  t.equal(upstream.requests.length, 2)
  const metrics = await gate.metrics.registry.metrics()
  t.match(metrics, 'portcullis_would_deny_total{route="GET /seen/{tenant}",reason="other_tenant"} 1')
  t.match(metrics, 'decision="denied",reason="other_tenant"} 5')
})

t.test('applications: only those listed, whatever the others may', async (t) => {
  const application = '3f0c1f9e-9f34-4c6e-8f9e-0a6d1c5b7a01'
  const other = '3f0c1f9e-9f34-4c6e-8f9e-0a6d1c5b7a02'
  const { gate, call } = await gateOf(t, [{ path: '/listed', methods: needs, applications: [application] }])
  t.equal((await call('/listed')).status, 200)
  const refused = await call('/listed', await gate.token(['User.Read.All'], { client_id: other }))
  t.equal(refused.status, 403)
  t.equal(JSON.parse(refused.body).error.code, 'ApplicationNotListed')
  t.equal(gate.noted.at(-1)?.reason, 'other_application', 'the owner can look it up')
})

t.test(
  'P20 strip and rewrite change what the upstream sees, never what is decided, and Location is turned back',
  async (t) => {
    const routes: RouteInput[] = [
      { path: '/api/v2/assets/**', methods: needs, prefix: { from: '/api/v2', to: '/' } },
      { path: '/api/v2/old/**', methods: needs, prefix: { from: '/api/v2/old', to: '/v1/things' } },
      {
        path: '/api/v2/old/secret',
        methods: { GET: ['User.ReadWrite.All'] },
        prefix: { from: '/api/v2/old', to: '/v1/things' },
      },
      { path: '/whole', methods: needs, prefix: { from: '/whole', to: '/' } },
    ]
    const { upstream, call } = await gateOf(t, routes, {}, (request, response) =>
      response.writeHead(200, { location: String(request.headers['x-location'] ?? '/') }).end(),
    )
    const table: [path: string, status: number, forwarded?: string][] = [
      ['/api/v2/assets/7?a=%2F', 200, '/assets/7?a=%2F'],
      ['/api/v2/./assets//a%20b/', 200, '/assets/a%20b/'],
      ['/api/v2/old/x', 200, '/v1/things/x'],
      ['/api/v2/old/', 200, '/v1/things/'],
      ['/api/v2/old/secret', 403],
      ['/api/v2/old/%73ecret', 403],
      ['/api/v2/old/SECRET', 404],
      ['/api/v2/old/../../admin', 400],
      ['/api/v2/old/%2e%2e/admin', 400],
      ['/assets/7', 404],
      ['/v1/things/x', 404],
      ['/whole', 200, '/'],
    ]
    for (const [path, status, forwarded] of table) {
      const before = upstream.requests.length
      t.equal((await call(path)).status, status, path)
      t.same(
        upstream.requests.slice(before).map(({ url }) => url),
        forwarded === undefined ? [] : [forwarded],
        path,
      )
    }
    const origin = `http://127.0.0.1:${upstream.port}`
    const locations: [from: string, came: string, sent: string | undefined][] = [
      ['/api/v2/assets/7', '/assets/8?x#y', '/api/v2/assets/8?x#y'],
      ['/api/v2/assets/7', `${origin}/assets/8`, 'https://portcullis.test/api/v2/assets/8'],
      ['/api/v2/old/x', '/v1/things', '/api/v2/old'],
      ['/api/v2/old/x', '/v1/things?page=2', '/api/v2/old?page=2'],
      ['/api/v2/old/x', '/v1/thingsother', undefined],
      ['/api/v2/old/x', '/admin', undefined],
      ['/api/v2/old/x', `${origin}/v1/things/9`, 'https://portcullis.test/api/v2/old/9'],
      ['/api/v2/old/x', 'y', 'y'],
      ['/api/v2/old/x', '../../admin', undefined],
      ['/api/v2/old/x', './%2e%2e/admin', undefined],
      ['/whole', '/other', '/whole/other'],
    ]
    for (const [from, came, sent] of locations) {
      const answer = await call(from, undefined, `X-Location: ${came}\r\n`)
      t.equal(answer.headers.get('location')?.[0], sent, `${from}: ${came}`)
    }
  },
)

t.test('P20 a canonical path with another beginning is canonical, begins with it, and comes back', async () => {
  const segment = fc.stringMatching(/^[A-Za-z0-9._~@$!'+=&-]{1,6}$/).filter((one) => !/^\.+$/.test(one))
  const beginning = fc.array(segment, { maxLength: 3 }).map((segments) => `/${segments.join('/')}`)
  fc.assert(
    fc.property(beginning, beginning, fc.string(), (from, to, tail) => {
      const target = canonicalTarget(`${from === '/' ? '' : from}/${encodeURI(tail).replace(/[?#]/g, '')}`)
      if (!target.ok || !(from === '/' || target.path === from || target.path.startsWith(`${from}/`))) return true
      const forwarded = forwardedPath({ from, to }, target.path)
      const again = canonicalTarget(forwarded)
      const back = publicPath({ from, to }, forwarded)
      const below = to === '/' || forwarded === to || forwarded.startsWith(`${to}/`)
      // A path that is nothing but its beginning may come back with the slash that `/` needs.
      return again.ok && again.path === forwarded && below && (back === target.path || back === `${target.path}/`)
    }),
    { numRuns: 2_000 },
  )
})

t.test('timeouts: a route waits as long as it says, whatever its upstream says', async (t) => {
  const { call } = await gateOf(
    t,
    [
      { path: '/short', methods: needs, headersMs: 100 },
      { path: '/long', methods: needs },
    ],
    {},
    (_request, response) => void setTimeout(() => response.end('late'), 2_500).unref(),
  )
  const [short, long] = await Promise.all([call('/short'), call('/long')])
  t.equal(short.status, 504)
  t.equal(long.status, 200)
})

t.test('identity: headers says plainly who calls, beside the assertion; nobody else can (P17)', async (t) => {
  const { upstream, gate, call } = await gateOf(t, [
    { path: '/plain', methods: needs, identity: 'headers' },
    { path: '/public', methods: { GET: 'public' }, identity: 'headers' },
    { path: '/nobody', methods: needs, identity: 'none' },
    { path: '/usual', methods: needs },
  ])
  const forged = identityFieldNames.flatMap((name) => [
    `${name}: forged`,
    `${name.toUpperCase()}: forged`,
    `${name.replaceAll('-', '_')}: forged`,
    `${name.replaceAll('-', '.')}: forged`,
  ])
  const lines = `${[...forged, `Connection: ${identityFieldNames.join(', ')}`].join('\r\n')}\r\n`
  const userId = '5f0c1f9e-9f34-4c6e-8f9e-0a6d1c5b7a05'
  const user = await gate.token(['User.Read.All'], { idtyp: 'user', sub: userId, gid: 'g1' })
  const identityIn = (raw: readonly string[] = []) =>
    Object.fromEntries(
      raw.flatMap((name, i) => (i % 2 === 0 && /portcullis/i.test(name) ? [[name.toLowerCase(), raw[i + 1]]] : [])),
    )
  t.equal((await call('/plain', undefined, lines)).status, 200)
  const application = identityIn(upstream.requests.at(-1)?.raw)
  const { 'x-portcullis-assertion': assertion = '', ...plain } = application
  t.same(plain, {
    'x-portcullis-application': '3f0c1f9e-9f34-4c6e-8f9e-0a6d1c5b7a01',
    'x-portcullis-tenant': '9b2c51d4-1a77-4bb7-9b0f-6f6f5d4c3b02',
    'x-portcullis-permissions': 'User.Read.All',
  })
  t.equal(upstream.requests.at(-1)?.headers.authorization, undefined)
  const claims = verifyAssertion(assertion, {
    findKey: (kid) => gate.keyring.verificationKey('assertion', kid),
    issuer: baseUrl,
    audience: 'things',
    leewaySeconds: 5,
    nowMs: gate.now(),
  })
  t.match(claims, { tid: plain['x-portcullis-tenant'], scope: 'User.Read.All' }, 'the same, signed')
  t.equal((await call('/plain', user, lines)).status, 200)
  t.match(identityIn(upstream.requests.at(-1)?.raw), { 'x-portcullis-user': userId })
  for (const path of ['/public', '/nobody', '/usual']) {
    t.equal((await call(path, undefined, lines)).status, 200)
    t.same(identityIn(upstream.requests.at(-1)?.raw), {}, path)
  }
  t.match(upstream.requests.at(-1)?.headers.authorization, /^Bearer /)
  for (const name of identityFieldNames) t.equal(requestDisposition(name), 'drop', name)
})

t.test('identity: what an issuer outside calls its own is made a field that can be sent', async (t) => {
  const principal = {
    ...{ kind: 'delegated', applicationId: 'a\r\nX-Evil: 1', tenantId: '\ud800', userId: 'Zoë' },
  } as unknown as Parameters<typeof identityFields>[0]
  const fields = identityFields(principal, ['read'], 'Bearer x.y.z')
  t.ok(
    fields.every((field) => /^[\x20-\x7e]+$/.test(field)),
    fields.join(),
  )
  t.match(fields.join(), 'a%0D%0AX-Evil')
})

t.test('requestHeaders and responseHeaders: only what is listed crosses, and what describes the body', async (t) => {
  const { upstream, call } = await gateOf(
    t,
    [
      {
        path: '/few',
        methods: { GET: ['User.Read.All'], POST: ['User.Read.All'] },
        requestHeaders: ['accept'],
        responseHeaders: ['etag'],
      },
    ],
    {},
    (_request, response) =>
      response
        .writeHead(200, {
          ...{ 'content-type': 'text/x', etag: '"1"', 'x-internal': 'node-7', 'set-cookie': 'a=b', location: '/x' },
          ...{ 'cache-control': 'private', 'content-disposition': 'inline' },
        })
        .end('body'),
  )
  const posted = 'X-Debug: 1\r\nContent-Type: text/y\r\nContent-Length: 2\r\n'
  t.equal((await call('/few', undefined, posted, 'POST', 'hi')).status, 200)
  t.match(upstream.requests.at(-1), { body: 'hi', headers: { 'content-type': 'text/y', 'content-length': '2' } })
  const few = await call('/few', undefined, 'Accept: text/x\r\nX-Debug: 1\r\nCookie: a=b\r\nUser-Agent: x\r\n')
  t.equal(few.status, 200)
  const { headers = {} } = upstream.requests.at(-1) ?? {}
  t.equal(headers['accept'], 'text/x')
  for (const name of ['x-debug', 'cookie', 'user-agent']) t.equal(headers[name], undefined, name)
  for (const name of ['authorization', 'request-id', 'traceparent', 'x-forwarded-for', 'via']) t.ok(headers[name], name)
  t.equal(few.headers.get('etag')?.[0], '"1"')
  t.equal(few.headers.get('content-type')?.[0], 'text/x')
  t.equal(few.headers.get('cache-control')?.[0], 'private')
  t.equal(few.headers.get('content-disposition')?.[0], 'inline')
  for (const name of ['x-internal', 'set-cookie', 'location']) t.equal(few.headers.get(name), undefined, name)
  for (const name of ['request-id', 'duration', 'x-content-type-options']) t.ok(few.headers.get(name), name)
  t.equal((await call('/few', undefined, 'Accept: text/x\r\nConnection: accept\r\n')).status, 200)
  t.equal(upstream.requests.at(-1)?.headers['accept'], undefined, 'listed, but about this connection')
})

t.test('P21 cacheControl speaks where the upstream does not, and never of a failure', async (t) => {
  const { call } = await gateOf(
    t,
    [
      { path: '/kept', methods: needs, cacheControl: 'private, max-age=60' },
      { path: '/open', methods: { GET: 'public' }, cacheControl: 'public, max-age=60' },
      { path: '/usual', methods: needs },
    ],
    {},
    (request, response) => {
      const own = request.headers['x-own']
      if (own !== undefined) response.setHeader('cache-control', own)
      response.writeHead(Number(request.headers['x-status'] ?? 200)).end('{}')
    },
  )
  const cacheOf = async (path: string, lines = '') =>
    (await call(path, undefined, lines)).headers.get('cache-control')?.join()
  t.equal(await cacheOf('/kept'), 'private, max-age=60')
  t.equal(await cacheOf('/kept', 'X-Own: no-cache\r\n'), 'private, no-cache')
  t.equal(await cacheOf('/kept', 'X-Status: 404\r\n'), 'private, no-store')
  t.equal(await cacheOf('/open'), 'public, max-age=60')
  t.equal(await cacheOf('/open', 'X-Status: 500\r\n'), undefined)
  t.equal(await cacheOf('/usual'), 'private, no-store')
})

t.test('an explanation knows what a route says besides: it decides as the gate does, and counts nothing', async (t) => {
  const limits = {
    app: { name: 'app', by: ['application'], algorithm: { kind: 'quota', limit: 10, periodMs: 3_600_000 } },
  } as const
  const { gate, token, call } = await gateOf(
    t,
    [
      { path: '/dear', methods: needs, cost: 6 },
      { path: '/watched', methods: needs, shadow: true, limits: [] },
      { path: '/of/{tenant}', methods: needs, tenant: 'tenant', limits: [] },
    ],
    { limits },
  )
  const server = { ...gate.deps.settings.server, headerBytes: 16_384, headerCount: 100, urlBytes: 8_192, apiHosts: [] }
  const { limiter, authenticator } = gate.deps
  const explain = async (target: string, bearer: string | undefined) => {
    const deps = { ...gate.deps, settings: { server }, limiter } as unknown as Parameters<typeof dryRun>[0]
    const request = { method: 'GET', target, address: '127.0.0.1', bodyBytes: undefined, token: bearer }
    const { verdict } = await dryRun(deps, { request, routes: gate.deps.gate.routes(), authenticator })
    return verdict.kind === 'passed'
      ? (verdict.wouldDeny ?? 'granted')
      : verdict.kind === 'refused'
        ? verdict.reason
        : ''
  }
  t.equal(await explain('/dear', token), 'granted')
  t.equal((await call('/dear')).status, 200)
  t.equal(await explain('/dear', token), 'rate_limited', 'four are left, and it takes six')
  t.equal((await call('/dear')).status, 429)
  t.equal(await explain('/watched', undefined), 'no_token')
  t.equal(await explain('/watched', await gate.token([])), 'insufficient_scope')
  t.equal(await explain('/of/x', token), 'other_tenant')
  t.notMatch(await gate.metrics.registry.metrics(), 'portcullis_would_deny_total{')
})
