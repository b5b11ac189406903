// What may not cross the gate because somebody else would believe it: names that other products use for callers,
// methods in queries, slashes in disguise; and towards clients what speaks to caches, servers in front and the whole
// origin.

import t from 'tap'
import { dryRun } from '../../../src/gateway/explain/dry-run.js'
import { isKeptBack, promptsForPassword } from '../../../src/gateway/forward/headers/answer-names.js'
import { requestDisposition } from '../../../src/gateway/forward/headers/header-names.js'
import { responseHead } from '../../../src/gateway/forward/headers/response-headers.js'
import { overridesMethod } from '../../../src/gateway/routes/method-override.js'
import { openGate, recordingUpstream, viaProxy } from '../../support/rooms/http-gate.js'
import { rawRequest } from '../../support/traffic/http-raw.js'

const needs = { GET: ['User.Read.All'] } as const

t.test('gateway M9: no name by which a product identifies callers comes from a client, in any spelling', async (t) => {
  const named = [
    ...[
      'Client-Cert',
      'Client-Cert-Chain',
      'Proxy',
      'Remote-User',
      'Remote-Groups',
      'Remote-Email',
      'Remote-Name',
      'SSL-Client-Verify',
    ],
    ...[
      'SSL-Client-Subject-DN',
      'X-ARR-ClientCert',
      'X-Client-DN',
      'X-Tls-Client-Cert',
      'X-WEBAUTH-USER',
      'X-Goog-Authenticated-User-Email',
    ],
    ...[
      'X-Goog-IAP-JWT-Assertion',
      'X-MS-CLIENT-PRINCIPAL',
      'X-MS-CLIENT-PRINCIPAL-ID',
      'X-MS-TOKEN-AAD-ID-TOKEN',
      'X-Amzn-Oidc-Data',
    ],
    ...[
      'X-Amzn-Mtls-Clientcert',
      'Cf-Access-Jwt-Assertion',
      'CF-Connecting-IP',
      'X-Pomerium-Jwt-Assertion',
      'X-Vouch-User',
      'X-authentik-username',
    ],
    ...[
      'X-Authelia-User',
      'X-Userinfo',
      'X-Access-Token',
      'X-Id-Token',
      'X-JWT-Assertion',
      'X-Hasura-Role',
      'X-Scope-OrgID',
      'Impersonate-User',
    ],
    ...[
      'Impersonate-Group',
      'X-Forward-For',
      'X-Azure-ClientIP',
      'Fly-Client-IP',
      'X-Sendfile-Type',
      'X-Accel-Mapping',
      'X-Host-Override',
    ],
    ...[
      'X-Middleware-Subrequest',
      'X-Forwarded-User',
      'X-Consumer-Username',
      'X-Credential-Identifier',
      'X-Anonymous-Consumer',
    ],
    ...[
      'X-Forwarded-Client-Cert',
      'X-Envoy-Original-Path',
      'X-Endpoint-API-UserInfo',
      'X-Apigateway-Api-Userinfo',
      'l5d-client-id',
    ],
    ...[
      'Dapr-Caller-App-Id',
      'Tailscale-User-Login',
      'SM-User',
      'iv-user',
      'OIDC-CLAIM-sub',
      'Shib-Session-ID',
      'MS-ASPNETCORE-CLIENTCERT',
    ],
    ...[
      'WL-Proxy-Client-IP',
      'X-AppEngine-User-Email',
      'X-Auth-Request-Email',
      'X-Auth-User',
      'X-Roles',
      'X-Role',
      'X-Real-IP',
      'X-Tyk-Authorization',
    ],
    ...[
      'X-Project-Id',
      'X-Identity-Status',
      'X-Vercel-Forwarded-For',
      'X-NF-Client-Connection-IP',
      'True-Client-IP',
      'Akamai-Origin-Hop',
    ],
    ...[
      'X-Spiffe-Id',
      'X-Remote-Extra-Scopes',
      'X-Teleport-Login',
      'Teleport-Jwt-Assertion',
      'X-Gravitee-Api',
      'X-Kong-Upstream',
      'Script-Name',
    ],
    ...[
      'X-Original-URL',
      'X-Rewrite-URL',
      'X-HTTP-Method-Override',
      'X-User',
      'X-Username',
      'X-Groups',
      'X-Tenant',
      'X-Is-Admin',
      'Via',
      'Forwarded',
    ],
  ]
  const marks = ['-', '_', '.', '~']
  for (const name of named) {
    for (const mark of marks) {
      const spelled = name.replaceAll('-', mark)
      for (const spelling of [spelled, spelled.toLowerCase(), spelled.toUpperCase()]) {
        t.equal(requestDisposition(spelling), 'drop', spelling)
      }
    }
  }
  for (const plain of [
    'Accept',
    'X-Api-Key',
    'X-Api-Version',
    'X-Csrf-Token',
    'X-Requested-With',
    'Idempotency-Key',
    'X-Amz-Date',
    'X-Ms-Version',
  ]) {
    t.equal(requestDisposition(plain), 'pass', plain)
  }
  t.equal(requestDisposition('X-Client-Version'), 'pass')

  const upstream = await recordingUpstream(t)
  const gate = await openGate(t, {
    routes: [{ path: '/x', methods: { GET: 'public' } }],
    upstreams: { a: { target: upstream.target } },
  })
  for (let i = 0; i < named.length; i += 40) {
    const lines = named.slice(i, i + 40).map((name) => `${name}: mallory\r\n`)
    t.equal((await rawRequest(gate, `GET /x HTTP/1.1\r\n${viaProxy}${lines.join('')}\r\n`)).status, 200)
  }
  t.notMatch(JSON.stringify(upstream.requests.map(({ raw }) => raw)), 'mallory')
})

t.test('gateway M9: an operator names further fields that do not cross, whole or by their beginning', async (t) => {
  const upstream = await recordingUpstream(t)
  const gate = await openGate(t, {
    routes: [
      { path: '/x', methods: { GET: 'public' }, dropRequestHeaders: ['employee-id', 'x-acme-*', 'cookie'] },
      {
        path: '/y',
        methods: { GET: 'public' },
        dropRequestHeaders: ['x-acme-*'],
        requestHeaders: ['x-acme-one', 'accept'],
      },
      { path: '/z', methods: { GET: 'public' } },
    ],
    upstreams: { a: { target: upstream.target } },
  })
  const lines = ['Employee-Id', 'employee.ID', 'X-Acme-One', 'x~acme~two', 'Cookie', 'X-Acmes', 'Accept']
    .map((name) => `${name}: said\r\n`)
    .join('')
  const crossed = async (path: string) => {
    await rawRequest(gate, `GET ${path} HTTP/1.1\r\n${viaProxy}${lines}\r\n`)
    const raw = upstream.requests.at(-1)?.raw ?? []
    return raw.filter((_, i) => raw[i + 1] === 'said').map((name) => name.toLowerCase())
  }
  t.same(await crossed('/x'), ['x-acmes', 'accept'])
  t.same(await crossed('/y'), ['accept'])
  t.same(await crossed('/z'), ['employee-id', 'employee.id', 'x-acme-one', 'x~acme~two', 'cookie', 'x-acmes', 'accept'])
})

t.test('gateway L4: a query that names another method is refused, however it is spelled', async (t) => {
  const upstream = await recordingUpstream(t)
  const gate = await openGate(t, {
    routes: [{ path: '/x', methods: { GET: 'public', POST: 'public' } }],
    upstreams: { a: { target: upstream.target } },
  })
  const ask = (query: string, method = 'POST') =>
    rawRequest(gate, `${method} /x?${query} HTTP/1.1\r\n${viaProxy}Content-Length: 0\r\n\r\n`)
  for (const query of [
    ...[
      '_method=DELETE',
      'a=1&_method=PUT',
      '_METHOD=DELETE',
      '_method',
      '%5Fmethod=DELETE',
      '%5fm%65th%6Fd=DELETE',
      'a=1;_method=DELETE',
    ],
    ...[
      '.method=DELETE',
      '+_method=DELETE',
      '%20_method=DELETE',
      '_method[]=DELETE',
      '_method%5B%5D=DELETE',
      '_method%5Bx=DELETE',
    ],
    ...['X-HTTP-Method-Override=DELETE', 'x_http_method_override=DELETE', '_HttpMethod=PATCH', '%2Emethod=DELETE'],
  ]) {
    const answer = await ask(query)
    t.equal(answer.status, 400, query)
    t.equal(JSON.parse(answer.body).error.code, 'MethodOverride', query)
  }
  t.equal((await rawRequest(gate, `GET /x?_method=DELETE HTTP/1.1\r\n${viaProxy}\r\n`)).status, 400)
  t.equal(upstream.requests.length, 0)
  for (const query of [
    'method=DELETE',
    'payment_method=card',
    'a=_method',
    'a=%5Fmethod',
    'shipping%5Fmethod=x',
    '_methods=1',
  ]) {
    t.equal((await ask(query)).status, 200, query)
  }
  t.equal(overridesMethod('%_method=1&%ff_method'), false)
})

t.test(
  'gateway L5: an encoded slash crosses where the route says so, in the spelling that was decided on',
  async (t) => {
    const upstream = await recordingUpstream(t)
    const guarded = { encodedSlashes: true } as const
    const gate = await openGate(t, {
      routes: [
        { path: '/npm/**', methods: { GET: 'public' }, ...guarded },
        { path: '/npm/-/admin', methods: needs },
        { path: '/gitlab/projects/{id}/issues', methods: { GET: 'public' }, ...guarded },
        { path: '/gitlab/projects/{id}/{what}/secrets', methods: needs },
        { path: '/plain/**', methods: { GET: 'public' } },
        { path: '/moved/**', methods: { GET: 'public' }, prefix: { from: '/moved', to: '/' }, ...guarded },
      ],
      upstreams: { a: { target: upstream.target } },
    })
    const ask = async (target: string, method = 'GET') => {
      const before = upstream.requests.length
      const { status } = await rawRequest(gate, `${method} ${target} HTTP/1.1\r\n${viaProxy}\r\n`, method)
      return upstream.requests.length > before ? upstream.requests.at(-1)?.url : status
    }
    for (const [target, expected] of [
      ['/npm/@scope%2fname', '/npm/@scope%2Fname'],
      ['/npm/%40scope%2Fname/-/name-1.0.0.tgz?x=%2f', '/npm/%40scope%2Fname/-/name-1.0.0.tgz?x=%2f'],
      ['/gitlab/projects/group%2Fsub%2fproject/issues', '/gitlab/projects/group%2Fsub%2Fproject/issues'],
      ['/moved/a%2fb', '/a%2Fb'],
      ['/plain/a%2fb', 400],
      ['/nowhere/a%2fb', 400],
      ['/npm%2fx', 400],
      // Read as a slash, these lead to a guarded neighbour, in one spelling or another.
      ['/npm/-%2fadmin', 400],
      ['/npm/-%2fADMIN', 400],
      ['/npm/-%2fadmin/', 400],
      ['/npm/-%2fadmin.', 400],
      ['/gitlab/projects/a/b%2fsecrets', 400],
      // And these are other paths altogether.
      ['/npm/..%2f..%2fadmin', 400],
      ['/npm/a%2f..%2fb', 400],
      ['/npm/a%2f%2fb', 400],
      ['/npm/a%2f', 400],
      ['/npm/%2fa', 400],
      ['/npm/a%5cb', 400],
      ['/npm/a%252fb', 400],
      ['/npm/a;b', 400],
    ] as const) {
      t.equal(await ask(target), expected, target)
    }
    t.equal(await ask('/npm/@scope%2fname', 'OPTIONS'), 204)
    t.equal(await ask('/plain/a%2fb', 'OPTIONS'), 400)
    const before = upstream.requests.length
    const server = {
      ...gate.deps.settings.server,
      headerBytes: 16_384,
      headerCount: 100,
      urlBytes: 8_192,
      apiHosts: [],
    }
    const explain = async (target: string) => {
      const deps = { ...gate.deps, settings: { server } } as unknown as Parameters<typeof dryRun>[0]
      const request = { method: 'GET', target, address: '127.0.0.1', bodyBytes: undefined, token: undefined }
      const { verdict } = await dryRun(deps, {
        request,
        routes: gate.deps.gate.routes(),
        authenticator: gate.deps.authenticator,
      })
      return verdict.kind === 'refused' ? verdict.reason : verdict.kind
    }
    t.equal(await explain('/npm/@scope%2fname'), 'passed')
    for (const target of ['/plain/a%2fb', '/npm/-%2fadmin']) t.equal(await explain(target), 'encoded_separator', target)
    t.equal(await explain('/npm/x?_method=DELETE'), 'method_override')
    t.equal(upstream.requests.length, before)
  },
)

t.test('gateway L6: a service speaks to its caller, not to caches, servers in front or the whole origin', async (t) => {
  const said = {
    ...{
      'X-Accel-Redirect': '/internal/passwd',
      'X-Accel-Expires': '60',
      'X-Accel-Buffering': 'no',
      'X-Sendfile': '/etc/passwd',
    },
    ...{
      'X-Reproxy-URL': 'http://127.0.0.1',
      'X-LiteSpeed-Cache-Control': 'public',
      'Accept-CH': 'Sec-CH-UA',
    },
    ...{
      'Critical-CH': 'Sec-CH-UA',
      'Speculation-Rules': '"/x.json"',
      'Set-Login': 'logged-in',
      'WWW-Authenticate': 'Basic realm="gate"',
    },
    ...{ 'CDN-Cache-Control': 'max-age=60', 'Surrogate-Control': 'max-age=60', 'Edge-Control': 'max-age=60' },
    ...{ 'X-Envoy-Immediate-Health-Check-Fail': '1', 'Use-As-Dictionary': 'match="/*"', 'X-Kept': 'yes' },
  }
  const upstream = await recordingUpstream(t, (request, response) => {
    const own = request.headers['x-own']
    for (const [name, value] of Object.entries(said)) response.setHeader(name, value)
    if (own !== undefined) response.setHeader('cache-control', own)
    response.setHeader('trailer', 'x-accel-redirect')
    response.writeHead(200)
    response.addTrailers({ 'x-accel-redirect': '/trailer' })
    response.end('{}')
  })
  const allow = ['x-accel-buffering', 'www-authenticate', 'cdn-cache-control', 'cache-control']
  const gate = await openGate(t, {
    routes: [
      { path: '/token', methods: needs },
      { path: '/open', methods: { GET: 'public' } },
      { path: '/allowed', methods: needs, allowResponseHeaders: allow },
    ],
    upstreams: { a: { target: upstream.target, identity: 'none' } },
  })
  const token = await gate.token()
  const ask = (path: string, own?: string) =>
    rawRequest(
      gate,
      `GET ${path} HTTP/1.1\r\n${viaProxy}Authorization: Bearer ${token}\r\n${own === undefined ? '' : `X-Own: ${own}\r\n`}\r\n`,
    )
  for (const path of ['/token', '/open']) {
    const { headers, trailers } = await ask(path)
    for (const name of Object.keys(said)) {
      t.equal(headers.get(name.toLowerCase())?.[0], name === 'X-Kept' ? 'yes' : undefined, `${path} ${name}`)
    }
    t.equal(trailers.get('x-accel-redirect'), undefined)
  }
  const allowed = await ask('/allowed', 'public, s-maxage=60')
  for (const name of ['X-Accel-Buffering', 'WWW-Authenticate', 'CDN-Cache-Control'] as const) {
    t.equal(allowed.headers.get(name.toLowerCase())?.[0], said[name])
  }
  t.equal(allowed.headers.get('x-accel-redirect'), undefined)
  t.equal(allowed.headers.get('cache-control')?.join(), 'public, s-maxage=60')
  for (const [own, expected] of [
    ['public, max-age=60', 'private, max-age=60'],
    ['s-maxage=60, max-age=5, must-revalidate', 'private, max-age=5, must-revalidate'],
    ['private="set-cookie", max-age=60', 'private, max-age=60'],
    ['PUBLIC', 'private'],
    ['no-store', 'no-store'],
    ['public, no-store', 'no-store'],
    ['private', 'private'],
    ['no-cache="a, public", max-age=1', 'private, no-cache="a, public", max-age=1'],
  ] as const) {
    t.equal((await ask('/token', own)).headers.get('cache-control')?.join(), expected, own)
    t.equal((await ask('/open', own)).headers.get('cache-control')?.join(), own, `public: ${own}`)
  }
  t.equal((await ask('/token')).headers.get('cache-control')?.join(), 'private, no-store')
})

t.test('gateway L6: challenges that make a browser ask for a password stay here, others cross', async (t) => {
  for (const value of [
    'Basic',
    'basic realm="x"',
    'Bearer realm="a", Basic realm="b"',
    'Negotiate',
    'NTLM',
    'Digest qop="auth", nonce="1"',
  ])
    t.equal(promptsForPassword(value), true, value)
  for (const value of ['Bearer realm="x"', 'Bearer error="invalid_token"', 'DPoP algs="ES256"', 'Payment basic=1']) {
    t.equal(promptsForPassword(value), false, value)
  }
  for (const name of ['x-custom', 'etag', 'x-request-cost', 'accept-ranges', 'cache-tag'])
    t.equal(isKeptBack(name), false, name)
  const shape = {
    status: 200,
    head: false,
    authorized: true,
    http11: true,
    location: { path: '/', publicOrigin: '', targets: [] },
  }
  const { headers } = responseHead(['Cache-Control', 'public', 'Cache-Control', 'max-age=1'], shape as never)
  t.equal(headers[headers.indexOf('cache-control') + 1], 'private, max-age=1', 'said in two fields')
})

t.test('gateway L13: what a service answers with is counted under what is known', async (t) => {
  const upstream = await recordingUpstream(t, (request, response) =>
    response.writeHead(Number(request.headers['x-status'])).end(),
  )
  const gate = await openGate(t, {
    routes: [{ path: '/x', methods: { GET: 'public' } }],
    upstreams: { a: { target: upstream.target } },
  })
  for (const status of [200, 218, 299, 404, 499, 530, 599, 600, 777, 999]) {
    const answer = await rawRequest(gate, `GET /x HTTP/1.1\r\n${viaProxy}X-Status: ${status}\r\n\r\n`)
    t.equal(answer.status, status)
  }
  const text = await gate.metrics.registry.metrics()
  const codes = [...text.matchAll(/^portcullis_http_requests_total\{.*code="([^"]+)".*$/gm)].map(([, code]) => code)
  t.same([...new Set(codes)].sort(), ['200', '2xx', '404', '499', '5xx', 'other'])
})
