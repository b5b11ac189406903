// Who may pass: deny by default, 401 and 403, limits, staleness. Over raw sockets.

import t from 'tap'
import type { LimitPolicy } from '../../src/config/settings/limit-settings.js'
import { revoke } from '../../src/revocation/revoke.js'
import { baseUrl, ownResource } from '../support/rooms/directory.js'
import {
  eventually,
  type GateApp,
  type GateOptions,
  openGate,
  recordingUpstream,
  type Test,
  viaProxy,
} from '../support/rooms/http-gate.js'
import { rawConnection, rawRequest } from '../support/traffic/http-raw.js'

async function testApp(t: Test, more: Partial<GateOptions> = {}) {
  const upstream = await recordingUpstream(t)
  const gate = await openGate(t, {
    routes: [
      { path: '/api/v2/me', methods: { GET: ['User.Read.All'], PATCH: ['User.ReadWrite.All'] } },
      { path: '/api/v2/lax', methods: { GET: ['User.Read.All'] }, onStale: 'pass' },
      { path: '/api/v2/open', methods: { GET: 'public' } },
    ],
    upstreams: { things: { target: upstream.target } },
    ...more,
  })
  return { upstream, gate }
}

const ask = (gate: GateApp, token: string | undefined, target = '/api/v2/me', more = '') => {
  const authorization = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`
  const [method, path] = target.includes(' ') ? target.split(' ') : ['GET', target]
  return rawRequest(gate, `${method} ${path} HTTP/1.1\r\n${viaProxy}${authorization}${more}\r\n`, method)
}

t.test('J13 what is not listed is refused: 404, 405 with Allow, OPTIONS without a token (X2)', async (t) => {
  const { gate, upstream } = await testApp(t)
  const token = await gate.token(['User.Read.All', 'User.ReadWrite.All'])
  t.equal((await ask(gate, token, '/api/v2/other')).status, 404)
  t.equal((await ask(gate, token, '/api/v2/me/')).status, 404)
  for (const method of ['DELETE', 'PUT', 'POST', 'PROPFIND', 'QUERY', 'MKCOL']) {
    const answer = await ask(gate, token, `${method} /api/v2/me`)
    t.equal(answer.status, method === 'QUERY' ? answer.status : 405, method)
    if (answer.status === 405) t.same(answer.headers.get('allow'), ['GET, PATCH, HEAD, OPTIONS'], method)
  }
  t.equal((await ask(gate, token, 'TRACE /api/v2/me')).status, 405, 'TRACE is nobody’s')
  const options = await ask(
    gate,
    undefined,
    'OPTIONS /api/v2/me',
    'Origin: https://evil.example\r\nAccess-Control-Request-Method: PATCH\r\n',
  )
  t.equal(options.status, 204)
  t.same(options.headers.get('allow'), ['GET, PATCH, HEAD, OPTIONS'])
  t.equal(options.headers.get('access-control-allow-origin'), undefined)
  t.equal((await ask(gate, undefined, 'OPTIONS /api/v2/other')).status, 404)
  t.equal(upstream.requests.length, 0)
  t.equal((await ask(gate, token, 'HEAD /api/v2/me')).status, 200, 'HEAD follows GET')
  t.equal(
    (await ask(gate, await gate.token(['assets_read']), 'HEAD /api/v2/me')).status,
    403,
    'and needs what GET needs',
  )
})

t.test(
  'J14 M4 401 without a token has no error; 401 with a bad one has invalid_token (RFC 6750 §3, RFC 9728 §5.1)',
  async (t) => {
    const { gate, upstream } = await testApp(t)
    const challenge = `Bearer realm="${baseUrl}", resource_metadata="${baseUrl}/.well-known/oauth-protected-resource/api/v2"`
    const none = await ask(gate, undefined)
    t.equal(none.status, 401)
    t.same(none.headers.get('www-authenticate'), [challenge])
    t.equal(JSON.parse(none.body).error.code, 'AuthenticationRequired')
    const good = await gate.token()
    const bad: [string, string][] = [
      ['nonsense', 'nonsense'],
      ['another signature', `${good.slice(0, -4)}${good.endsWith('AAAA') ? 'QQQQ' : 'AAAA'}`],
      ['alg none', `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.${good.split('.')[1]}.`],
      ['another audience', await gate.token(['User.Read.All'], { aud: 'https://things.test' })],
      ['another issuer', await gate.token(['User.Read.All'], { iss: 'https://evil.test' })],
      ['expired', await gate.token(['User.Read.All'], { iat: 1, nbf: 1, exp: 3601 })],
    ]
    for (const [title, token] of bad) {
      const answer = await ask(gate, token)
      t.equal(answer.status, 401, title)
      t.match(answer.headers.get('www-authenticate')?.[0], /error="invalid_token", error_description="[^"]+"$/, title)
      t.equal(JSON.parse(answer.body).error.code, 'InvalidToken', title)
    }
    const basic = await rawRequest(gate, `GET /api/v2/me HTTP/1.1\r\n${viaProxy}Authorization: Basic eDp5\r\n\r\n`)
    t.equal(basic.status, 401)
    t.equal(upstream.requests.length, 0)
  },
)

t.test('J15 two credentials are refused, and a token in the query, a form or a cookie is none', async (t) => {
  const { gate, upstream } = await testApp(t)
  const token = await gate.token()
  const cases: [string, string, string, number][] = [
    ['two Authorization fields', '/api/v2/me', `Authorization: Bearer ${token}\r\n`, 400],
    ['header and query', `/api/v2/me?access_token=${token}`, '', 400],
    ['an escaped name in the query', `/api/v2/me?a=b&%61ccess_token=${token}`, '', 400],
  ]
  for (const [title, target, more, status] of cases) {
    const answer = await ask(gate, token, target, more)
    t.equal(answer.status, status, title)
    t.match(answer.headers.get('www-authenticate')?.[0], /error="invalid_request"/, title)
  }
  t.equal((await ask(gate, undefined, `/api/v2/me?access_token=${token}`)).status, 400, 'only in the query')
  t.equal((await ask(gate, undefined, '/api/v2/me', `Cookie: access_token=${token}\r\n`)).status, 401)
  t.equal((await ask(gate, undefined, '/api/v2/me', 'Authorization: \r\n')).status, 401)
  const form = `access_token=${await gate.token(['User.ReadWrite.All'])}`
  const lines = `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n`
  const inForm = await rawRequest(gate, `PATCH /api/v2/me HTTP/1.1\r\n${viaProxy}${lines}\r\n${form}`)
  t.equal(inForm.status, 401, 'only in a form')
  t.notMatch(inForm.headers.get('www-authenticate')?.[0], /error=/, 'it was not looked at')
  t.equal(upstream.requests.length, 0)
})

t.test(
  'J14 a missing permission is 403 insufficient_scope, and the body says how to fix it (contract §5, §7)',
  async (t) => {
    const { gate, upstream } = await testApp(t)
    const { registration, tenantId } = await gate.registerDemo()
    const token = await gate.token(['assets_read'], {
      client_id: registration.applicationId,
      sub: registration.applicationId,
      tid: tenantId,
    })
    const answer = await ask(gate, token, 'PATCH /api/v2/me')
    t.equal(answer.status, 403)
    t.match(answer.headers.get('www-authenticate')?.[0], /error="insufficient_scope", scope="User\.ReadWrite\.All"$/)
    const { error } = JSON.parse(answer.body)
    t.match(error, {
      code: 'InsufficientPermission',
      target: 'User.ReadWrite.All',
      permission: { id: 'User.ReadWrite.All', kind: 'application', resource: ownResource, status: 'not_configured' },
    })
    t.match(error.consent_uri, new RegExp(`^${baseUrl}/api/v2/oauth2/v2.0/adminconsent\\?`))
    const held = await ask(gate, token, '/api/v2/me')
    t.equal(held.status, 403)
    t.equal(JSON.parse(held.body).error.permission.status, 'not_requested')
    t.equal(upstream.requests.length, 0)
  },
)

t.test('the other kind of permission does not count: an application has its roles, a user its scope', async (t) => {
  const { gate, upstream } = await testApp(t)
  const misfiled = await gate.token(['assets_read'], { scope: 'User.Read.All' })
  t.equal((await ask(gate, misfiled)).status, 403, 'an app token is not read by its scope')
  t.equal(upstream.requests.length, 0)
})

t.test(
  'V9 a revoked, disabled or ended credential is refused on the very next request of a kept connection',
  async (t) => {
    const { gate } = await testApp(t)
    const token = await gate.token()
    const connection = await rawConnection(gate)
    t.teardown(() => connection.end())
    const bytes = `GET /api/v2/me HTTP/1.1\r\n${viaProxy}Authorization: Bearer ${token}\r\n\r\n`
    connection.send(bytes)
    t.equal((await connection.answer()).status, 200)
    const applicationId = '3f0c1f9e-9f34-4c6e-8f9e-0a6d1c5b7a01'
    await revoke(gate.writes as never, { what: 'application', id: applicationId } as never)
    connection.send(bytes)
    const refused = await connection.answer()
    t.equal(refused.status, 401)
    t.match(refused.headers.get('www-authenticate')?.[0], /error="invalid_token"/)
    t.equal((await ask(gate, await gate.token())).status, 200, 'a token signed afterwards is good')
  },
)

t.test('a stale view is 503 with Retry-After, never 401, and passing is explicit and counted', async (t) => {
  let stale = true
  const { gate, upstream } = await testApp(t, {
    replace: ({ view }) => ({ view: { isStale: () => stale, refusal: (...args) => view.refusal(...args), seq: 0 } }),
  })
  const token = await gate.token()
  const refused = await ask(gate, token)
  t.equal(refused.status, 503)
  t.same(refused.headers.get('retry-after'), ['1'])
  t.equal((await ask(gate, 'nonsense')).status, 503, 'nobody is judged on a stale view')
  t.equal((await ask(gate, token, '/api/v2/lax')).status, 200)
  t.equal((await ask(gate, 'nonsense', '/api/v2/lax')).status, 401, 'passing is no opening')
  t.equal((await ask(gate, undefined, '/api/v2/open')).status, 200)
  t.match(
    await gate.metrics.registry.metrics(),
    /portcullis_revocation_stale_passes_total\{route="GET \/api\/v2\/lax"\} 2/,
  )
  stale = false
  t.equal((await ask(gate, token)).status, 200)
  t.equal(upstream.requests.length, 3)
})

const perMinute = (by: LimitPolicy['by'], limit: number): LimitPolicy => ({
  name: by.join('-'),
  by,
  algorithm: { kind: 'quota', limit, periodMs: 60_000 },
})

t.test(
  'Q5 Q8 Q9 limits: address before the token, application after it, 429 with the fields of the draft',
  async (t) => {
    const { gate, upstream } = await testApp(t, {
      limits: { application: perMinute(['application'], 3), address: perMinute(['address'], 6) },
    })
    const first = await gate.token()
    const second = await gate.token(['User.Read.All'], {
      client_id: '11111111-9f34-4c6e-8f9e-0a6d1c5b7a01',
      sub: '11111111-9f34-4c6e-8f9e-0a6d1c5b7a01',
    })
    for (let i = 0; i < 3; i++) {
      const answer = await ask(gate, first)
      t.equal(answer.status, 200)
      t.match(answer.headers.get('ratelimit')?.[0], new RegExp(`"application";r=${2 - i}`))
    }
    const limited = await ask(gate, first)
    t.equal(limited.status, 429)
    t.match(limited.headers.get('ratelimit-policy')?.[0], /"application";q=3/)
    t.ok(Number(limited.headers.get('retry-after')?.[0]) >= 1)
    t.equal(JSON.parse(limited.body).error.code, 'TooManyRequests')
    t.equal((await ask(gate, second)).status, 200, 'another application has its own')
    t.equal((await ask(gate, 'nonsense')).status, 401, 'the sixth of the address')
    const address = await ask(gate, undefined)
    t.equal(address.status, 429, 'the address is counted before any token is read')
    t.match(address.headers.get('ratelimit')?.[0], /"address"/)
    t.equal(upstream.requests.length, 4)
  },
)

t.test('the outer guard on the scope answers with the gate’s own error', async (t) => {
  const { gate } = await testApp(t, { addressGuard: { limit: 2, periodMs: 60_000 } })
  const token = await gate.token()
  t.equal((await ask(gate, token)).status, 200)
  t.equal((await ask(gate, token)).status, 200)
  const refused = await ask(gate, token)
  t.equal(refused.status, 429)
  t.match(refused.headers.get('retry-after')?.[0], /^\d+$/)
  t.equal(refused.headers.get('x-ratelimit-limit'), undefined)
  t.equal(JSON.parse(refused.body).error.code, 'TooManyRequests')
})

t.test('P12 an upgrade is refused before anything is dialled', async (t) => {
  const { gate, upstream } = await testApp(t)
  const token = await gate.token()
  const handshake =
    'Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
  const connection = await rawConnection(gate)
  connection.send(`GET /api/v2/me HTTP/1.1\r\n${viaProxy}Authorization: Bearer ${token}\r\n${handshake}\r\n`)
  t.equal((await connection.answer()).status, 400)
  connection.end()
  const open = await rawRequest(gate, `GET /api/v2/open HTTP/1.1\r\n${viaProxy}${handshake}\r\n`)
  t.equal(open.status, 400, 'a public route takes none either')
  t.notMatch(open.body, /127\.0\.0\.1/)
  t.equal(upstream.connections, 0)
})

t.test('what a request was decided to be is in the metrics and in one log line, by route and reason', async (t) => {
  const { gate } = await testApp(t)
  await ask(gate, await gate.token())
  await ask(gate, undefined)
  await ask(gate, await gate.token(['assets_read']))
  await ask(gate, undefined, '/nowhere/at/all')
  const text = await eventually(() =>
    gate.logged.filter((line) => line.includes('"request"')).length === 4 ? gate.metrics.registry.metrics() : false,
  )
  for (const line of [
    'portcullis_auth_decisions_total{route="GET,PATCH /api/v2/me",decision="allowed",reason="granted"} 1',
    'portcullis_auth_decisions_total{route="GET,PATCH /api/v2/me",decision="denied",reason="no_token"} 1',
    'portcullis_auth_decisions_total{route="GET,PATCH /api/v2/me",decision="denied",reason="insufficient_scope"} 1',
    'portcullis_http_requests_total{route="GET,PATCH /api/v2/me",method="GET",code="200",source="upstream"} 1',
    'portcullis_http_requests_total{route="GET,PATCH /api/v2/me",method="GET",code="401",source="gate"} 1',
    'portcullis_http_requests_total{route="_unmatched",method="GET",code="404",source="gate"} 1',
    'portcullis_upstream_request_duration_seconds_count{upstream="things",outcome="answered"} 1',
    'portcullis_overhead_seconds_count{route="GET,PATCH /api/v2/me"} 1',
  ]) {
    t.ok((await text).includes(line), line)
  }
  const lines = gate.logged.map((line) => JSON.parse(line)).filter((line) => line.msg === 'request')
  t.same(
    lines.map((line) => line.reason),
    [undefined, 'no_token', 'insufficient_scope', 'not_found'],
  )
})
