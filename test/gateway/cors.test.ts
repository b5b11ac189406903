// Pages of other origins (X2), and what else every answer of a route carries.

import t from 'tap'
import { atOnce } from '../../src/config/reload/steps.js'
import { proxiedOperations } from '../../src/management/openapi/proxied.js'
import {
  type GateOptions,
  openGate,
  type RouteInput,
  recordingUpstream,
  type Test,
  viaProxy,
} from '../support/rooms/http-gate.js'
import { rawRequest } from '../support/traffic/http-raw.js'

const needs = { GET: ['User.Read.All'], POST: ['User.Read.All'] }
const page = 'https://portal.example.com'
const cors = {
  origins: [page, 'https://other.example.com'],
  headers: ['X-Custom'],
  expose: ['X-Total'],
  maxAgeSeconds: 600,
}

async function gateOf(t: Test, routes: readonly RouteInput[], more: Partial<GateOptions> = {}) {
  const upstream = await recordingUpstream(t, (_request, response) =>
    response
      .writeHead(200, {
        'access-control-allow-origin': '*',
        'access-control-allow-credentials': 'true',
        vary: 'Accept',
      })
      .end('{}'),
  )
  const gate = await openGate(t, { routes, upstreams: { things: { target: upstream.target } }, ...more })
  const token = await gate.token()
  const call = (method: string, path: string, lines: readonly string[] = [], bearer = token) => {
    const authorization = bearer === '' ? '' : `Authorization: Bearer ${bearer}\r\n`
    const more = lines.map((line) => `${line}\r\n`).join('')
    return rawRequest(gate, `${method} ${path} HTTP/1.1\r\n${viaProxy}${authorization}${more}\r\n`)
  }
  return { upstream, gate, call }
}

/** Of an answer, all that a browser decides by. */
function crossOriginOf({ headers }: { headers: Map<string, string[]> }): Record<string, string[]> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-') || name === 'vary'))
}

t.test('X2 a preflight is answered without a token, for the origins and methods of the route', async (t) => {
  const { upstream, call } = await gateOf(t, [
    { path: '/things', methods: needs, cors: { ...cors, methods: ['GET'] } },
    { path: '/closed', methods: needs },
    { path: '/open', methods: { GET: 'public' }, cors: { ...cors, origins: ['*'] } },
  ])
  const preflight = (path: string, origin: string, method: string) =>
    call('OPTIONS', path, [`Origin: ${origin}`, `Access-Control-Request-Method: ${method}`], '')
  const vary = ['Origin, Access-Control-Request-Method, Access-Control-Request-Headers']
  const allowed = await preflight('/things', page, 'GET')
  t.equal(allowed.status, 204)
  const fields = crossOriginOf(allowed)
  t.match(fields, {
    'access-control-allow-origin': [page],
    'access-control-allow-methods': ['GET, HEAD'],
    'access-control-max-age': ['600'],
    vary,
  })
  t.match(fields['access-control-allow-headers']?.[0], /^authorization, content-type, .*X-Custom$/)
  t.equal(fields['access-control-allow-credentials'], undefined)
  const silent: [path: string, origin: string, method: string][] = [
    ['/things', 'https://evil.example.com', 'GET'],
    ['/things', page.toUpperCase(), 'GET'],
    ['/things', `${page}.evil.com`, 'GET'],
    ['/things', `${page}, https://evil.example.com`, 'GET'],
    ['/things', 'null', 'GET'],
    ['/things', page, 'POST'],
    ['/things', page, 'DELETE'],
    ['/things', page, 'constructor'],
  ]
  for (const [path, origin, method] of silent) {
    const answer = await preflight(path, origin, method)
    t.same([answer.status, crossOriginOf(answer)], [204, { vary }], `${method} from ${origin}`)
  }
  t.same(crossOriginOf(await preflight('/closed', page, 'GET')), {}, 'a route that says nothing')
  t.equal(
    crossOriginOf(await preflight('/open', 'https://any.example', 'GET'))['access-control-allow-origin']?.[0],
    '*',
  )
  t.equal((await preflight('/nothing', page, 'GET')).status, 404)
  t.equal(upstream.requests.length, 0, 'no upstream gets a request')
})

t.test('X2 answers and refusals can be read by the pages of the route, and by no others', async (t) => {
  const limits = {
    app: { name: 'app', by: ['application'], algorithm: { kind: 'quota', limit: 2, periodMs: 3_600_000 } },
  } as const
  const { gate, call } = await gateOf(
    t,
    [
      { path: '/things', methods: needs, cors },
      { path: '/closed', methods: needs, limits: [] },
    ],
    { limits },
  )
  const readable = (answer: { headers: Map<string, string[]> }) => {
    const fields = crossOriginOf(answer)
    t.same(fields['access-control-allow-origin'], [page])
    t.match(fields['access-control-expose-headers']?.[0], /^request-id, .*www-authenticate, retry-after.*X-Total$/)
    t.equal(fields['access-control-allow-credentials'], undefined, 'the upstream does not speak for us')
    t.match(fields['vary']?.join(', '), /Origin/)
  }
  const answer = await call('GET', '/things', [`Origin: ${page}`])
  t.equal(answer.status, 200)
  readable(answer)
  t.match(
    answer.headers.get('vary')?.join(', '),
    /Accept.*Authorization.*Origin/,
    'what the upstream varies by is kept',
  )
  const noToken = await call('GET', '/things', [`Origin: ${page}`], '')
  t.equal(noToken.status, 401)
  readable(noToken)
  const forbidden = await call('GET', '/things', [`Origin: ${page}`], await gate.token([]))
  t.equal(forbidden.status, 403)
  readable(forbidden)
  t.equal((await call('GET', '/things', [`Origin: ${page}`])).status, 200)
  const tooMany = await call('GET', '/things', [`Origin: ${page}`])
  t.equal(tooMany.status, 429)
  readable(tooMany)
  for (const [path, lines] of [
    ['/things', ['Origin: https://evil.example.com']],
    ['/things', ['Origin: null']],
    ['/things', []],
  ] as const) {
    const other = await call('GET', path, lines)
    t.same(Object.keys(crossOriginOf(other)), ['vary'], lines.join())
    t.match(crossOriginOf(other)['vary']?.join(), 'Origin')
  }
  t.same(crossOriginOf(await call('GET', '/closed', [`Origin: ${page}`])), { vary: ['Accept, Authorization'] })
})

t.test(
  'MCP transports: a page of the route may send and read the fields of the protocol, and no other page may call',
  async (t) => {
    const first = ['User.Read.All']
    const mcp: NonNullable<RouteInput['mcp']> = {
      versions: new Set(['2026-07-28', '2025-11-25'] as const),
      list: 'all',
      first: { anyOf: [first] },
      tools: new Map(),
      prompts: new Map(),
      resources: new Map(),
    }
    const methods = { POST: first, GET: first, DELETE: first }
    const { upstream, gate, call } = await gateOf(t, [
      { path: '/desk/mcp', methods, mcp, cors },
      { path: '/closed/mcp', methods, mcp },
    ])
    const preflight = [`Origin: ${page}`, 'Access-Control-Request-Method: POST']
    const allowed = crossOriginOf(await call('OPTIONS', '/desk/mcp', preflight, ''))
    t.equal(allowed['access-control-allow-methods']?.[0], 'POST, GET, DELETE')
    const names = allowed['access-control-allow-headers']?.[0]?.split(', ') ?? []
    for (const name of [
      'mcp-session-id',
      'mcp-protocol-version',
      'mcp-method',
      'mcp-name',
      'last-event-id',
      'X-Custom',
    ])
      t.ok(names.includes(name), name)
    t.notOk(crossOriginOf(await call('OPTIONS', '/closed/mcp', preflight, ''))['access-control-allow-headers'])
    const listen = (path: string, origin: string) => call('GET', path, [`Origin: ${origin}`])
    const heard = await listen('/desk/mcp', page)
    t.equal(heard.status, 200)
    const exposed = crossOriginOf(heard)['access-control-expose-headers']?.[0]?.split(', ') ?? []
    t.same(
      ['mcp-session-id', 'www-authenticate'].filter((name) => !exposed.includes(name)),
      [],
    )
    t.equal(upstream.requests.length, 1)
    for (const [path, origin] of [
      ['/desk/mcp', 'https://evil.example.com'],
      ['/desk/mcp', 'null'],
      ['/desk/mcp', ''],
      ['/closed/mcp', page],
    ] as const) {
      const refused = await listen(path, origin)
      t.equal(refused.status, 403, `${path} from ${origin}`)
      t.equal(JSON.parse(refused.body).error.code, 'OriginRefused')
    }
    t.equal(upstream.requests.length, 1, 'no server hears of them')
    t.equal((await listen('/closed/mcp', gate.deps.settings.server.baseUrl)).status, 200)
  },
)

t.test('RFC 9745, RFC 8594: a route that will end says so in every answer, and in the document', async (t) => {
  const { gate, call } = await gateOf(t, [
    {
      path: '/old',
      methods: needs,
      deprecatedAt: Date.UTC(2026, 5, 1) / 1000,
      sunsetAt: Date.UTC(2027, 5, 30) / 1000,
      link: 'https://docs.example.com/old',
    },
    { path: '/ends', methods: needs, sunsetAt: 0, link: 'https://docs.example.com/ends', cors },
    { path: '/new', methods: needs },
  ])
  for (const answer of [await call('GET', '/old'), await call('GET', '/old', [], '')]) {
    t.same(answer.headers.get('deprecation'), ['@1780272000'])
    t.same(answer.headers.get('sunset'), ['Wed, 30 Jun 2027 00:00:00 GMT'])
    t.same(answer.headers.get('link'), ['<https://docs.example.com/old>; rel="deprecation"; type="text/html"'])
  }
  const ends = await call('GET', '/ends', [`Origin: ${page}`])
  t.same(ends.headers.get('link'), ['<https://docs.example.com/ends>; rel="sunset"; type="text/html"'])
  t.match(ends.headers.get('access-control-expose-headers')?.[0], 'sunset')
  const bundled = { tag: '', description: '', family: 'api', security: [], operations: {} } as const
  const services = { of: () => undefined, schemas: () => ({}) }
  const operations = atOnce(proxiedOperations(gate.deps.settings, { bundled, services })).filter(
    ({ route }) => route.method === 'GET',
  )
  t.same(
    operations.map(({ route, needs }) => [route.path, needs.deprecated]),
    [
      ['/old', true],
      ['/ends', undefined],
      ['/new', undefined],
    ],
  )
  const now = await call('GET', '/new')
  t.same([now.headers.get('deprecation'), now.headers.get('sunset')], [undefined, undefined])
})
