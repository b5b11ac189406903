// Routes: what their keys and requirements mean, which are refused, and that no two can answer the same request.

import t from 'tap'
import { atOnce } from '../../src/config/reload/steps.js'
import { ruleChanges } from '../../src/config/report/rule-changes.js'
import { reservedPathWithin } from '../../src/config/routes/reserved-paths.js'
import { parseRouteKey, shapeOf } from '../../src/config/routes/route-key.js'
import type { RouteSettings } from '../../src/config/settings/route-settings.js'
import { mistakesOf, settingsFrom } from '../support/settings/config-file.js'

const BASE = `permissions:
  A: { describe: A }
  B: { describe: B }
  App: { describe: App, kinds: [application] }
  Me: { describe: Me, kinds: [delegated] }
resources:
  assets: { id: "https://assets.example.com", name: Assets, permissions: { read: { describe: Read } } }
upstreams: { up: { target: "http://up:3000/base/" } }
limits: { one: { by: address, rate: 1/s }, two: { by: [tenant, user], quota: 9/2h }, three: { by: route, rate: 5/s } }
defaults: { limits: [one, two], tokenLimits: [] }
routes:
`
const FIRST_LINE = 12

t.test('a key names methods and a path', async (t) => {
  t.same(parseRouteKey('GET /api/v2/me'), { methods: ['GET'], path: '/api/v2/me' })
  t.same(parseRouteKey('GET,POST /x/{id}'), { methods: ['GET', 'POST'], path: '/x/{id}' })
  t.same(parseRouteKey('/x/**'), { methods: [], path: '/x/**' })
  t.same(parseRouteKey('DELETE /'), { methods: ['DELETE'], path: '/' })
  t.equal(shapeOf('/a/{x}/b/{y}/**'), '/a/{}/b/{}/**')
})

t.test('a key that is not plain is refused', async (t) => {
  const cases: [string, RegExp][] = [
    ['get /x', /not "get"; did you mean "GET"\?$/],
    ['GTE /x', /did you mean "GET"\?$/],
    ['GET, POST /x', /not ""$|slash/],
    ['GET,GET /x', /each method once$/],
    ['HEAD /x', /HEAD follows GET/],
    ['OPTIONS /x', /OPTIONS is answered by the gateway/],
    ['TRACE /x', /begins with GET, POST/],
    ['GET x', /begins with a slash/],
    ['GET  /x', /begins with a slash/],
    ['GET /x/', /no slash at its end/],
    ['GET /x//y', /no empty segment/],
    ['GET /x/../y', /no dot segments/],
    ['GET /x/.', /no dot segments/],
    ['GET /x/%2e', /holds a character/],
    ['GET /x\\y', /holds a character/],
    ['GET /x?y=1', /holds a character/],
    ['GET /x#y', /holds a character/],
    ['GET /x;y', /holds a character/],
    ['GET /:x', /holds a character/],
    ['GET /x y', /holds a character/],
    ['GET /é', /holds a character/],
    ['GET /**/x', /at the end of a path only/],
    ['GET /x*', /a wildcard is a whole last segment/],
    ['GET /x{y}', /a parameter is a whole segment/],
    ['GET /{}', /a parameter is a whole segment/],
    ['GET /{x}/{x}', /each parameter once/],
  ]
  for (const [key, expected] of cases) {
    const parsed = parseRouteKey(key)
    t.match('wrong' in parsed ? parsed.wrong : 'it was accepted', expected, key)
  }
})

t.test('our own addresses are reserved, in any letter case and through any pattern', async (t) => {
  const refused = [
    '/api/v2/oauth2/v2.0/token',
    '/API/v2/OAuth/token',
    '/api/v2/oauthx',
    '/api/v2/Applications',
    '/api/v2/applications/{id}',
    '/api/v2/{any}',
    '/api/v2/{any}/secrets',
    '/api/{version}/keys',
    '/{a}/{b}/status',
    '/api/v2/**',
    '/api/**',
    '/**',
    '/{anything}',
    '/.well-known/security.txt',
    '/.Well-Known',
    '/portal',
    '/Portal/login',
    '/errors/70011',
    '/downloads/portcullis-client-1.2.3.tgz',
    '/docs/tokens',
    '/sign-in',
    '/Sign-Out',
    '/set-up/{link}',
    '/invitation/x',
    '/link-provider/x',
    '/reset-password',
    '/account/sessions',
    '/consent',
    '/choose-tenant',
    '/consent-requests/**',
    '/device',
    '/assets/{file}',
  ]
  for (const path of refused) t.not(reservedPathWithin(path), undefined, path)
  const free = [
    '/',
    '/api/v2/me',
    '/api/v2/keysmith',
    '/api/v2',
    '/api/v3/{x}',
    '/api/v2/assets/**',
    '/files/{a}/{b}',
    '/v2/oauth2/token',
    '/portals',
  ]
  for (const path of free) t.equal(reservedPathWithin(path), undefined, path)
  t.match(mistakesOf(t, `${BASE}  GET /api/{x}/tenants: { to: up, require: A }\n`), [
    /^12:3 routes\["GET \/api\/\{x\}\/tenants"\]: could reach \/api\/v2\/tenants/,
  ])
})

t.test('each spelling of a requirement has one meaning', async (t) => {
  const { routes, catalogue } = settingsFrom(
    t,
    `${BASE}  GET /a: { to: up, require: A }
  GET,POST /b: { to: up, require: [A, B] }
  GET /c: { to: up, require: { any: [A, [B, Me], App] } }
  /d/**: { to: up, require: { GET: A, POST: { any: [B] }, DELETE: [A, B] } }
  GET /e: { to: up, public: true, onStale: pass, stream: true, body: 2KiB, limits: [three] }
  GET /f: { to: up, require: read, resource: assets, limits: [+three, -one] }
`,
  )
  const meaning = (route: RouteSettings | undefined) => Object.fromEntries(route?.methods ?? [])
  t.same(meaning(routes[0]), { GET: { anyOf: [['A']] } })
  t.same(meaning(routes[1]), { GET: { anyOf: [['A', 'B']] }, POST: { anyOf: [['A', 'B']] } })
  t.same(meaning(routes[2]), { GET: { anyOf: [['A'], ['B', 'Me'], ['App']] } })
  t.same(meaning(routes[3]), { GET: { anyOf: [['A']] }, POST: { anyOf: [['B']] }, DELETE: { anyOf: [['A', 'B']] } })
  t.same(meaning(routes[4]), { GET: 'public' })
  t.match(routes[0], {
    id: 'GET /a',
    path: '/a',
    resource: catalogue.own.id,
    upstream: 'up',
    bodyBytes: 1_048_576,
    stream: false,
    onStale: 'refuse',
  })
  t.same(routes[0]?.limits, ['one', 'two'])
  t.match(routes[4], { onStale: 'pass', stream: true, bodyBytes: 2048 })
  t.same(routes[4]?.limits, ['three'])
  t.same(routes[5]?.limits, ['two', 'three'])
  t.equal(routes[5]?.resource, 'https://assets.example.com')
  t.match(routes[3]?.position, { line: FIRST_LINE + 3, column: 3 })
})

t.test('a route that does not say plainly who may call it does not load', async (t) => {
  const cases: [string, string][] = [
    ['GET /x: { to: up }', '3 routes["GET /x"]: says neither what it requires nor public: true; it does not load'],
    [
      'GET /x: { to: up, public: false }',
      '3 routes["GET /x"]: says neither what it requires nor public: true; it does not load',
    ],
    ['GET /x: { to: up, public: true, require: A }', '35 routes["GET /x"].require: says the opposite of public: true'],
    ['GET /x: { to: up, public: maybe }', '29 routes["GET /x"].public: must be true or false; not "maybe"'],
    [
      'GET /x: { to: up, require: {} }',
      '30 routes["GET /x"].require: requires nothing; name a permission, or say public: true',
    ],
    ['GET /x: { to: up, require: [] }', '30 routes["GET /x"].require: must be a list of 1 to 32 permission ids'],
    ['GET /x: { to: up, require: "" }', '30 routes["GET /x"].require: must be a permission id, a list of them'],
    [
      'GET /x: { to: up, require: { any: [] } }',
      '37 routes["GET /x"].require.any: must be a list of 1 to 32 permission ids',
    ],
    [
      'GET /x: { to: up, require: { GTE: A } }',
      '32 routes["GET /x"].require.GTE: there is no such setting; did you mean "GET"?',
    ],
    ['GET /x: { to: up, requre: A }', '21 routes["GET /x"].requre: there is no such setting; did you mean "require"?'],
    ['GET /x: { to: up, require: }', '21 routes["GET /x"].require: has no value; remove the line or give it one'],
    [
      '/x: { to: up, require: A }',
      '26 routes["/x"].require: the key names no method, as in "GET /path", so this must say what each needs: {GET: …}',
    ],
    ['/x: { to: up, public: true }', '3 routes["/x"]: a public route names its methods in its key'],
    [
      'GET /x: { to: up, require: { POST: A, GET: A } }',
      '32 routes["GET /x"].require.POST: is not one of the methods in the key of this route',
    ],
    ['GET,POST /x: { to: up, require: { GET: A } }', '35 routes["GET,POST /x"].require: says nothing about POST'],
    [
      'GET /x: { to: up, require: { any: [A], GET: A } }',
      '32 routes["GET /x"].require.any: stands beside methods; put it below one of them',
    ],
    [
      'GET /x: { to: up, require: [App, Me] }',
      '30 routes["GET /x"].require: can never be met: no token holds application and delegated permissions together',
    ],
    ['GET /x: { to: up, require: { any: [A, [App, Me]] } }', '41 routes["GET /x"].require.any[1]: can never be met'],
  ]
  for (const [text, expected] of cases) {
    const mistakes = mistakesOf(t, `${BASE}  ${text}\n`)
    t.equal(mistakes.length, 1, `${text}: ${JSON.stringify(mistakes)}`)
    t.equal(mistakes[0]?.startsWith(`${FIRST_LINE}:${expected}`), true, `${text}: ${mistakes[0]}`)
  }
})

t.test('a route that names what is not there does not load', async (t) => {
  const cases: [string, string][] = [
    ['GET /x: { to: upp, require: A }', '17 routes["GET /x"].to: there is no upstream "upp"; did you mean "up"?'],
    ['GET /x: { require: A }', '3 routes["GET /x"]: needs "to": Name of the upstream.'],
    ['GET /x: { to: up, require: C.Read.All }', '30 routes["GET /x"].require: there is no permission "C.Read.All"'],
    ['GET /x: { to: up, require: constructor }', '30 routes["GET /x"].require: there is no permission "constructor"'],
    [
      'GET /x: { to: up, require: read }',
      '30 routes["GET /x"].require: "read" is a permission of https://assets.example.com, not of this route\'s resource; if it is meant, add resource: assets to the route',
    ],
    [
      'GET /x: { to: up, require: A, resource: assets }',
      '30 routes["GET /x"].require: "A" is a permission of https://localhost:8443/api/v2, not',
    ],
    [
      'GET /x: { to: up, require: A, resource: asets }',
      '43 routes["GET /x"].resource: there is no resource "asets"; did you mean "assets"?',
    ],
    [
      'GET /x: { to: up, require: A, limits: [oen] }',
      '42 routes["GET /x"].limits[0]: there is no limit "oen"; did you mean "one"?',
    ],
    ['GET /x: { to: up, require: A, limits: [+for] }', '42 routes["GET /x"].limits[0]: there is no limit "+for"'],
    [
      'GET /x: { to: up, require: A, limits: [-three] }',
      '42 routes["GET /x"].limits[0]: "three" is not one of the default limits',
    ],
    [
      'GET /x: { to: up, require: A, limits: [one, +two] }',
      '41 routes["GET /x"].limits: is either a list of names, or of +name and -name; not both',
    ],
    ['GET /x: { to: up, require: A, body: 0B }', '39 routes["GET /x"].body: must be a size'],
    [
      'GET /x: { to: up, require: A, onStale: open }',
      '42 routes["GET /x"].onStale: must be one of refuse, pass; not "open"',
    ],
    ['GET /x: { to: up, require: A, stream: sse }', '41 routes["GET /x"].stream: must be true or false'],
  ]
  for (const [text, expected] of cases) {
    const mistakes = mistakesOf(t, `${BASE}  ${text}\n`)
    t.equal(mistakes.length, 1, `${text}: ${JSON.stringify(mistakes)}`)
    t.equal(mistakes[0]?.startsWith(`${FIRST_LINE}:${expected}`), true, `${text}: ${mistakes[0]}`)
  }
})

t.test('what a route says beyond who may call it', async (t) => {
  const { routes, warnings } = settingsFrom(
    t,
    `${BASE}  GET /a: { to: up, require: A, shadow: true, cost: 5, limits: [two] }
  GET /b: { to: up, require: A, shadow: false }
  GET /c/{t}/d:
    to: up
    require: A
    tenant: t
    applications: [3f0c1f9e-9f34-4c6e-8f9e-0a6d1c5b7a01]
    timeouts: { headers: 2s }
    strip: /c
  /e/f/**: { to: up, require: { GET: A }, rewrite: { from: /e/f, to: /v1 }, timeouts: { idle: 5min } }
  GET /g:
    to: up
    public: true
    identity: headers
    requestHeaders: [Accept, X-Page]
    responseHeaders: []
    cacheControl: public, max-age=60
`,
  )
  t.match(routes[0], { shadow: true, cost: 5 })
  const applications = ['3f0c1f9e-9f34-4c6e-8f9e-0a6d1c5b7a01']
  t.match(routes[2], { tenant: 't', applications, headersMs: 2_000, prefix: { from: '/c', to: '/' } })
  t.match(routes[3], { idleMs: 300_000, prefix: { from: '/e/f', to: '/v1' } })
  t.match(routes[4], { identity: 'headers', requestHeaders: ['accept', 'x-page'], responseHeaders: [] })
  t.equal(routes[4]?.cacheControl, 'public, max-age=60')
  t.match(
    warnings.map(({ line, path, message }) => `${line} ${path}: ${message}`),
    [/^12 routes\["GET \/a"\]\.shadow: this route is open/],
  )
  t.same(
    Object.keys(routes[1] ?? {}).filter(
      (key) => key in (routes[0] ?? {}) === false || key === 'shadow' || key === 'cost',
    ),
    [],
    'where nothing is said, nothing is there',
  )
})

t.test('cross-origin rules of a route take the place of the default ones; an end is a day', async (t) => {
  const text = BASE.replace('tokenLimits: [] }', 'tokenLimits: [], cors: { origins: ["https://a.example"] } }')
  const { routes } = settingsFrom(
    t,
    `${text}  GET /a: { to: up, require: A }
  GET /b: { to: up, require: A, cors: { origins: [] } }
  GET /c: { to: up, require: A, cors: { origins: ["http://localhost:3000"], methods: [GET], maxAge: 1h } }
  GET /d: { to: up, require: A, deprecated: 2026-06-01, sunset: 2027-06-30, link: "https://docs.example.com/d" }
`,
  )
  t.same(routes[0]?.cors, { origins: ['https://a.example'], headers: [], expose: [], maxAgeSeconds: 600 })
  t.equal(routes[1]?.cors, undefined)
  t.match(routes[2]?.cors, { origins: ['http://localhost:3000'], methods: ['GET'], maxAgeSeconds: 3600 })
  t.match(routes[3], { deprecatedAt: 1_780_272_000, sunsetAt: 1_814_313_600, link: 'https://docs.example.com/d' })
  const mistakes = mistakesOf(
    t,
    `${text.replace('https://a.example', 'https://a.example/x')}  GET /a: { to: up, require: A }\n`,
  )
  t.match(mistakes, [
    /^10:\d+ defaults\.cors\.origins\[0\]: must be written as browsers send it: https:\/\/a\.example$/,
  ])
})

t.test('what a route says beyond who may call it is refused where it means nothing', async (t) => {
  const cases: [string, string][] = [
    ['GET /x: { to: up, public: true, shadow: true }', 'shadow: means nothing on a public route'],
    ['GET /x: { to: up, require: A, shadow: yes }', 'shadow: must be true or false; not "yes"'],
    ['GET /x: { to: up, require: A, cost: 0 }', 'cost: must be a whole number from 1 to 1000000; not "0"'],
    ['GET /x: { to: up, require: A, cost: 1.5 }', 'cost: must be a whole number from 1'],
    ['GET /x/{tenant}: { to: up, require: A, tenant: tennant }', 'path of this route; did you mean "tenant"?'],
    ['GET /x: { to: up, require: A, tenant: x }', 'tenant: is not a {parameter} of the path of this route'],
    ['GET /x/{t}: { to: up, public: true, tenant: t }', 'tenant: means nothing on a public route'],
    ['GET /x: { to: up, require: A, applications: [] }', 'applications: must be a list of 1 to 256 applicationIds'],
    ['GET /x: { to: up, require: A, applications: [pcl_pk_x] }', 'must be the applicationId of an application'],
    ['GET /x: { to: up, require: A, timeouts: { headers: 2 } }', 'timeouts.headers: must be a duration'],
    ['GET /x: { to: up, require: A, timeouts: { connect: 2s } }', 'timeouts.connect: there is no such setting'],
    ['GET /x: { to: up, require: A, cors: { origins: [portal.example.com] } }', 'origins[0]: must be an origin'],
    ['GET /x: { to: up, require: A, cors: { origins: ["null"] } }', 'origins[0]: must be an origin'],
    ['GET /x: { to: up, require: A, cors: { origins: ["https://A.example"] } }', 'browsers send it: https://a.example'],
    [
      'GET /x: { to: up, require: A, cors: { origins: ["https://a.example/"] } }',
      'browsers send it: https://a.example',
    ],
    ['GET /x: { to: up, require: A, cors: { origins: ["https://a.example:443"] } }', 'browsers send it: https://a'],
    [
      'GET /x: { to: up, require: A, cors: { origins: ["http://a.example"] } }',
      'must be https, except on this machine',
    ],
    ['GET /x: { to: up, require: A, cors: { origins: ["*", "https://a.example"] } }', 'origins[0]: * stands alone'],
    ['GET /x: { to: up, require: A, cors: {} }', 'cors: needs "origins"'],
    [
      'GET /x: { to: up, require: A, cors: { origins: [], credentials: true } }',
      'credentials: there is no such setting',
    ],
    ['GET /x: { to: up, require: A, cors: { origins: [], headers: [Cookie] } }', 'other origins call without cookies'],
    ['GET /x: { to: up, require: A, cors: { origins: [], expose: ["*"] } }', 'must be the name of a header field'],
    ['GET /x: { to: up, require: A, identity: header }', 'must be one of jwt, headers, none; not "header"'],
    ['GET /x: { to: up, require: A, requestHeaders: [Authorization] }', 'requestHeaders[0]: never crosses the gate'],
    ['GET /x: { to: up, require: A, requestHeaders: [accept, X-Portcullis-User] }', 'requestHeaders[1]: never crosses'],
    ['GET /x: { to: up, require: A, requestHeaders: [x_user] }', 'must be the name of a header field'],
    ['GET /x: { to: up, require: A, responseHeaders: [Access-Control-Allow-Origin] }', 'never crosses the gate'],
    ['GET /x: { to: up, require: A, responseHeaders: etag }', 'responseHeaders: must be a list of names'],
    ['GET /x: { to: up, require: A, cacheControl: "public, max-age=5" }', 'only a public route may'],
    ['GET /x: { to: up, require: A, cacheControl: "private, s-maxage=5" }', 'only a public route may'],
    ['GET /x: { to: up, require: A, cacheControl: "no-store\\r\\nX: y" }', 'must be directives of Cache-Control'],
    ['GET /x: { to: up, require: A, deprecated: true }', 'deprecated: must be a day, such as'],
    ['GET /x: { to: up, require: A, deprecated: 2026-02-31 }', 'deprecated: is no day of the calendar'],
    ['GET /x: { to: up, require: A, deprecated: 2027-01-02, sunset: 2027-01-01 }', 'sunset: is before the route is'],
    ['GET /x: { to: up, require: A, link: "https://a.example" }', 'link: explains an end'],
    ['GET /x: { to: up, require: A, sunset: 2027-01-01, link: "http://a" }', 'link: must be an https URL'],
    ['GET /x/y: { to: up, require: A, strip: /y }', 'strip: is not what the path of this route begins with'],
    ['GET /x/y: { to: up, require: A, strip: /x/ }', 'strip: must be a plain path'],
    ['GET /x/y: { to: up, require: A, strip: / }', 'strip: takes nothing away'],
    ['GET /x/{y}/z: { to: up, require: A, strip: "/x/{y}" }', 'strip: must be a plain path'],
    ['GET /xx/y: { to: up, require: A, strip: /x }', 'strip: is not what the path of this route begins with'],
    ['GET /x/y: { to: up, require: A, rewrite: { from: /x, to: /../z } }', 'rewrite.to: must be a plain path'],
    ['GET /x/y: { to: up, require: A, rewrite: { from: /x, to: /a/... } }', 'rewrite.to: must be a plain path'],
    ['GET /x/y: { to: up, require: A, rewrite: { from: /x, to: /a%2fb } }', 'rewrite.to: must be a plain path'],
    ['GET /x/y: { to: up, require: A, rewrite: { from: /x } }', 'rewrite: needs "to"'],
    ['GET /x/y: { to: up, require: A, strip: /x, rewrite: { from: /x, to: /y } }', 'strip: says the same as rewrite'],
  ]
  for (const [text, expected] of cases) {
    const mistakes = mistakesOf(t, `${BASE}  ${text}\n`)
    t.equal(mistakes.length, 1, `${text}: ${JSON.stringify(mistakes)}`)
    t.ok(mistakes[0]?.includes(expected), `${text}: ${mistakes[0]}`)
  }
})

t.test('two routes that match the same requests are refused, with both positions', async (t) => {
  const mistakes = (text: string) => mistakesOf(t, `${BASE}${text}`)
  t.same(mistakes('  GET /x/{a}: { to: up, require: A }\n  GET,POST /x/{b}: { to: up, require: B }\n'), [
    '13:3 routes["GET,POST /x/{b}"]: matches the same GET requests as "GET /x/{a}" at 12:3; one of them can never be reached',
  ])
  t.same(mistakes('  GET /x/**: { to: up, require: A }\n  /x/**: { to: up, require: { POST: A, GET: B } }\n'), [
    '13:3 routes["/x/**"]: matches the same GET requests as "GET /x/**" at 12:3; one of them can never be reached',
  ])
  t.same(mistakes('  GET /x: { to: up, require: A }\n  GET /x: { to: up, public: true }\n'), [
    '13:3 routes["GET /x"]: stands here twice; first at 12:3',
  ])
})

t.test('routes of different shape, method or letter case stand beside each other', async (t) => {
  const text = `  GET /x/{a}: { to: up, require: A }
  POST /x/{b}: { to: up, require: B }
  GET /x/y: { to: up, require: B }
  GET /X/y: { to: up, require: B }
  GET /x/**: { to: up, require: A }
`
  t.equal(settingsFrom(t, BASE + text).routes.length, 5)
})

t.test('a route longer than any request is unreachable', async (t) => {
  const text = BASE.replace('routes:', 'server: { limits: { url: 256B } }\nroutes:')
  t.match(mistakesOf(t, `${text}  GET /${'a'.repeat(300)}: { to: up, require: A }\n`), [
    /is longer than server.limits.url/,
  ])
})

t.test('a key that cannot be read does not hide the other mistakes of its route', async (t) => {
  t.match(mistakesOf(t, `${BASE}  GTE /x: { to: upp, require: { GET: AA }, limits: [won] }\n`), [
    /^12:3 .*GET/,
    /upp/,
    /"AA"/,
    /won/,
  ])
})

const DESCRIPTION = `openapi: 3.0.0
servers: [{ url: /v2 }]
paths:
  /pets: { get: {}, post: {} }
  /pets/{id}: { get: {} }
`

t.test(
  'validate: what requests are compared with, and what of it can be known to be wrong before any request',
  async (t) => {
    const text = (openapi: string, routes: string) =>
      `permissions: { A: { describe: A } }\nupstreams:\n  up:\n    target: "http://up:3000/v2/"\n${openapi}routes:\n${routes}`
    const files = { 'pets.yaml': DESCRIPTION, 'wrong.yaml': 'paths: {}', 'large.json': ' '.repeat(4_194_305) }
    const named = '    openapi: file:pets.yaml\n'
    const mistakes = (openapi: string, routes: string) => mistakesOf(t, text(openapi, routes), {}, files)
    const good = `  GET,POST /a/pets: { to: up, require: A, validate: true, strip: /a }
  GET /pets/{id}: { to: up, require: A, validate: true }
  GET /other/**: { to: up, require: A, validate: true }
  GET /plain: { to: up, require: A, validate: false }
`
    const settings = settingsFrom(t, text(named, good), {}, files)
    t.same(
      settings.routes.map(({ description }) => typeof description?.digest),
      ['string', 'string', 'string', 'undefined'],
    )
    const again = settingsFrom(t, text(named, good), {}, files)
    t.equal(again.routes[0]?.description, settings.routes[0]?.description, 'the same document is read once')
    const changed = settingsFrom(t, text(named, good), {}, { 'pets.yaml': `${DESCRIPTION}# changed\n` })
    t.same(atOnce(ruleChanges(settings, changed)), {
      ...atOnce(ruleChanges(settings, settings)),
      upstreams: { added: [], removed: [], changed: ['up'] },
      routes: { added: [], removed: [], changed: again.routes.slice(0, 3).map(({ id }) => id) },
    })
    const route = '  GET /pets: { to: up, require: A, validate: true }\n'
    t.match(mistakes('', route), [/^6:36 .*validate: needs the document of the upstream: upstreams.up.openapi$/])
    t.match(mistakes('    openapi: pets.yaml\n', route), [
      /^5:14 .*no OpenAPI 3.0 or 3.1 document; a file is named by file:$/,
    ])
    t.match(mistakes('    openapi: file:wrong.yaml\n', route), [
      /^5:14 upstreams.up.openapi: it is no OpenAPI .* document$/,
    ])
    t.match(mistakes('    openapi: file:gone.yaml\n', route), [
      /^5:14 .*"gone.yaml" cannot be read \(there is no such file\)$/,
    ])
    t.match(mistakes('    openapi: file:large.json\n', route), [/^5:14 .*"large.json" is larger than 4 MiB$/])
    t.match(mistakes(named, '  GET,PUT /pets: { to: up, require: A, validate: true }\n'), [
      /^7:40 .*validate: the document describes no PUT \/v2\/pets, which the upstream would get$/,
    ])
    t.match(mistakes(named, '  GET /a/pets: { to: up, require: A, validate: true }\n'), [/no GET \/v2\/a\/pets/])
    t.match(mistakes(named, '  GET /pets: { to: up, require: A, validate: yes please }\n'), [
      /^7:46 .*must be true or false/,
    ])
  },
)
