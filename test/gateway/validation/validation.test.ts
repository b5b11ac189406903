// Requests beside the OpenAPI document of their service: nothing that it does not describe reaches the service, and
// what it describes arrives as it was sent. The service's own record is the judge.

import t from 'tap'
import { atOnce } from '../../../src/config/reload/steps.js'
import { checkJsonBody } from '../../../src/gateway/validation/validation.js'
import { describeService } from '../../../src/openapi/describe-service.js'
import { NoDescription } from '../../../src/openapi/service-description.js'
import {
  eventually,
  openGate,
  type RouteInput,
  recordingUpstream,
  type Test,
  viaProxy,
} from '../../support/rooms/http-gate.js'
import { rawConnection, rawRequest } from '../../support/traffic/http-raw.js'

const pet = { $ref: '#/components/schemas/Pet' }
const json = (schema: unknown) => ({ 'application/json': { schema } })
const petsDocument = {
  openapi: '3.0.3',
  servers: [{ url: 'https://pets.example.com/{stage}', variables: { stage: { default: 'v1' } } }],
  paths: {
    '/pets': {
      parameters: [{ $ref: '#/components/parameters/Trace' }],
      get: {
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100 } },
          { name: 'kind', in: 'query', required: true, schema: { type: 'string', enum: ['cat', 'dog', '7'] } },
          { name: 'tag', in: 'query', schema: { type: 'array', maxItems: 2, items: { type: 'integer' } } },
          { name: 'ids', in: 'query', explode: false, schema: { type: 'array', items: { type: 'integer' } } },
          { name: 'filter', in: 'query', content: json({ type: 'object', required: ['a'] }) },
          { name: 'deep', in: 'query', style: 'deepObject', required: true, schema: { type: 'object' } },
          { name: 'old', in: 'query', schema: { type: 'boolean' } },
        ],
      },
      post: {
        requestBody: {
          required: true,
          content: {
            ...json(pet),
            'application/merge-patch+json': { schema: pet },
            'text/plain': {},
            'image/*': {},
          },
        },
      },
    },
    '/pets/{petId}': {
      get: { parameters: [{ name: 'petId', in: 'path', required: true, schema: { type: 'integer' } }] },
      delete: {},
    },
    '/pets/mine': { get: {} },
    '/files/{name}.{kind}': {
      get: { parameters: [{ name: 'kind', in: 'path', required: true, schema: { enum: ['png'] } }] },
    },
  },
  components: {
    parameters: { Trace: { name: 'X-Trace', in: 'header', schema: { type: 'string', maxLength: 4 } } },
    schemas: {
      Pet: {
        type: 'object',
        required: ['id', 'name'],
        additionalProperties: false,
        properties: {
          id: { type: 'integer', readOnly: true },
          name: { type: 'string', minLength: 1, pattern: '^[\\w\\-]+$' },
          nick: { type: 'string', nullable: true },
          code: { type: 'string', pattern: '^[A-Z]{2}$' },
          weight: { type: 'number', minimum: 0, exclusiveMinimum: true },
          born: { type: 'string', format: 'date' },
          tags: { type: 'array', uniqueItems: true, items: {} },
          parents: { type: 'array', items: pet },
          rule: { $ref: '#/components/schemas/Rule' },
        },
      },
      Rule: {
        anyOf: [
          { type: 'object', properties: { all: { $ref: '#/components/schemas/Rule' } } },
          { type: 'object', properties: { all: { $ref: '#/components/schemas/Rule' } } },
          { type: 'object', properties: { all: { $ref: '#/components/schemas/Rule' } } },
        ],
      },
    },
  },
}

const everything = { GET: 'public', POST: 'public', DELETE: 'public', PUT: 'public' } as const

async function petsGate(t: Test, more: Partial<Parameters<typeof openGate>[1]> = {}, route: Partial<RouteInput> = {}) {
  const upstream = await recordingUpstream(t, undefined, { basePath: '/v1' })
  const validated: RouteInput = {
    path: '/api/animals/**',
    methods: everything,
    prefix: { from: '/api/animals', to: '/' },
    bodyBytes: 2_000,
    description: describeService(JSON.stringify(petsDocument)),
    ...route,
  }
  const gate = await openGate(t, {
    routes: [validated, { path: '/api/plain', methods: everything }],
    upstreams: { pets: { target: upstream.target } },
    ...more,
  })
  return { upstream, gate }
}

const head = (line: string, more = '') => `${line} HTTP/1.1\r\n${viaProxy}${more}`
const withJson = (body: string, type = 'application/json') =>
  head('POST /api/animals/pets', `Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)

interface ErrorBody {
  error: { code: string; target?: string; details?: { code: string; message: string; target: string }[] }
}

const pets = '/api/animals/pets'
/** Request line, header lines; the targets that are named, or the code of another refusal. */
const heads: readonly [line: string, lines: string, expected: readonly string[] | string][] = [
  [`GET ${pets}?kind=cat`, '', []],
  [`HEAD ${pets}?kind=cat`, '', []],
  [`GET ${pets}?kind=7`, '', []],
  [`GET ${pets}?kind=cat&limit=100&tag=1&tag=2&ids=1,2,3&old=true&filter=%7B%22a%22%3A1%7D&unknown=1`, '', []],
  [`GET ${pets}`, '', ['query.kind']],
  [`HEAD ${pets}`, '', ['query.kind']],
  [`GET ${pets}?kind=cow&limit=0`, 'X-Trace: zzzzz\r\n', ['header.x-trace', 'query.limit', 'query.kind']],
  [`GET ${pets}?kind=cat&limit=1e3`, '', ['query.limit']],
  [`GET ${pets}?kind=cat&limit=1.5`, '', ['query.limit']],
  [`GET ${pets}?kind=cat&limit=0x10`, '', ['query.limit']],
  [`GET ${pets}?kind=cat&limit=`, '', ['query.limit']],
  [`GET ${pets}?kind=cat&%6cimit=0`, '', ['query.limit']],
  [`GET ${pets}?kind=cat&kind=cat`, '', ['query.kind']],
  [`GET ${pets}?kind=cat&tag=1&tag=x`, '', ['query.tag']],
  [`GET ${pets}?kind=cat&tag=1&tag=2&tag=3`, '', ['query.tag']],
  [`GET ${pets}?kind=cat&ids=1,b`, '', ['query.ids']],
  [`GET ${pets}?kind=cat&filter=%7B%22a%22:1,%22a%22:2%7D`, '', ['query.filter']],
  [`GET ${pets}?kind=cat&filter=%7B%7D`, '', ['query.filter']],
  [`GET ${pets}?kind=cat&old=yes`, '', ['query.old']],
  [`GET ${pets}?kind=cat`, 'X-Trace: a\r\nX-Trace: b\r\n', ['header.x-trace']],
  [`GET ${pets}?kind=cat`, 'Connection: keep-alive, X-Trace\r\nX-Trace: zzzzz\r\n', []],
  [`GET ${pets}/12`, '', []],
  [`GET ${pets}/twelve`, '', ['path.petId']],
  [`GET ${pets}/mine`, '', []],
  ['GET /api/animals/files/a.b.png', '', []],
  ['GET /api/animals/files/a.exe', '', ['path.kind']],
  [`DELETE ${pets}/mine`, '', 'NotDescribed'],
  [`DELETE ${pets}/12`, '', []],
  [`PUT ${pets}/12`, '', 'NotDescribed'],
  ['GET /api/animals/Pets?kind=cat', '', 'NotDescribed'],
  [`GET ${pets}/?kind=cat`, '', 'NotDescribed'],
  ['GET /api/animals/other', '', 'NotDescribed'],
  [`DELETE ${pets}/12`, 'Content-Length: 2\r\n', ['body']],
  [`POST ${pets}`, 'Content-Length: 0\r\n', ['body']],
]

t.test('parameters are compared with the document, and nothing that is not as it says arrives', async (t) => {
  const { upstream, gate } = await petsGate(t)
  for (const [line, lines, expected] of heads) {
    const before = upstream.requests.length
    const method = line.split(' ')[0] as string
    const answer = await rawRequest(gate, `${head(line, lines)}\r\n${lines.includes('Length: 2') ? '{}' : ''}`, method)
    if (expected.length === 0) {
      t.equal(answer.status, 200, line)
      t.equal(upstream.requests[before]?.url, line.split(' ')[1]?.replace('/api/animals', '/v1'), line)
      continue
    }
    t.equal(upstream.requests.length, before, `${line} arrived`)
    t.equal(answer.status, typeof expected === 'string' ? 404 : 400, line)
    if (method === 'HEAD') continue
    const { error } = JSON.parse(answer.body) as ErrorBody
    if (typeof expected === 'string') {
      t.equal(error.code, expected, line)
      continue
    }
    t.equal(error.code, 'InvalidRequest', line)
    t.same(error.details?.map(({ target }) => target).sort(), [...expected].sort(), line)
    t.equal(error.target, error.details?.[0]?.target, line)
    t.notMatch(answer.body, /cow|zzzzz|twelve|exe/, 'no value is shown')
  }
  const metrics = await gate.metrics.registry.metrics()
  t.match(metrics, /reason="granted"|reason="public"/)
  const reasons = gate.logged.map((line) => JSON.parse(line).reason)
  t.ok(reasons.includes('invalid_request') && reasons.includes('not_described'), 'the log has the reason')
})

t.test('what a client keeps from the service is not there for the comparison either', async (t) => {
  const { upstream, gate } = await petsGate(t)
  const body = '{"name":"Tom"}'
  const fields = `Connection: keep-alive, Content-Type\r\nContent-Type: application/json\r\n`
  const answer = await rawRequest(gate, head(`POST ${pets}`, `${fields}Content-Length: ${body.length}\r\n\r\n${body}`))
  t.equal(answer.status, 415)
  t.equal(upstream.requests.length, 0)
  const listed = await petsGate(t, {}, { requestHeaders: ['accept'] })
  const trace = `GET ${pets}?kind=cat`
  t.equal((await rawRequest(listed.gate, `${head(trace, 'X-Trace: zzzzz\r\n')}\r\n`)).status, 200, 'it does not cross')
  t.equal(listed.upstream.requests[0]?.headers['x-trace'], undefined)
  t.equal((await rawRequest(listed.gate, withJson(body))).status, 200, 'what is about a body does')
})

/** Body; where it is wrong. */
const bodies: readonly [body: string, target: string | undefined][] = [
  ['{"name":"Tom"}', undefined],
  [' {\n "name" : "T\\u006fm", "nick": null, "weight": 1.50, "tags": [{"a":1,"b":2}, {"a":1}, 1, "1"] } ', undefined],
  ['{"name":"Tom","parents":[{"name":"A","parents":[{"name":"B"}]}]}', undefined],
  ['{"name":"Tom","born":"2024-02-29"}', undefined],
  ['{"name":"Tom","born":"2023-02-29"}', '#/born'],
  ['{"name":"Tom","code":"AB"}', undefined],
  ['{"name":"Tom","code":"Tom"}', '#/code'],
  ['{"name":"T m","code":"AB"}', '#/name'],
  ['{"name":""}', '#/name'],
  ['{"name":7}', '#/name'],
  ['{"name":null}', '#/name'],
  [`{"name":"${'a'.repeat(1_900)}"}`, undefined],
  ['{}', 'body'],
  ['{"name":"Tom","other":1}', 'body'],
  ['{"name":"Tom","weight":0}', '#/weight'],
  ['{"name":"Tom","weight":1e999}', '#/weight'],
  ['{"name":"Tom","tags":[{"a":1,"b":2},{"b":2,"a":1}]}', '#/tags'],
  ['{"name":"Tom","parents":[{"name":"A","parents":[{"name":5}]}]}', '#/parents/0/parents/0/name'],
  ['{"name":"Tom","name":"Jerry"}', 'body'],
  ['{"name":"Tom","n\\u0061me":"Jerry"}', 'body'],
  ['{"name":"Tom","tags":["a\\\\","}"],"tags":[]}', 'body'],
  ['{"name":"Tom","__proto__":{"x":1}}', 'body'],
  ['{"name":"Tom","tags":[{"__pro\\u0074o__":1}]}', 'body'],
  ['{"name":"Tom"', 'body'],
  ['{"name":"Tom"}{}', 'body'],
  ["{'name':'Tom'}", 'body'],
  ['[]', 'body'],
  [`{"name":"Tom","tags":${'['.repeat(200)}${']'.repeat(200)}}`, 'body'],
  [`{"name":"Tom","rule":${'{"all":'.repeat(25)}1${'}'.repeat(25)}}`, 'body'],
]

t.test('a JSON body is compared whole, and what is good arrives byte for byte', async (t) => {
  const { upstream, gate } = await petsGate(t)
  for (const [body, target] of bodies) {
    const before = upstream.requests.length
    const answer = await rawRequest(gate, withJson(body))
    if (target === undefined) {
      t.equal(answer.status, 200, `${body}: ${answer.body}`)
      t.equal(upstream.requests[before]?.body, body)
      t.equal(upstream.requests[before]?.headers['content-length'], String(Buffer.byteLength(body)))
      continue
    }
    t.equal(answer.status, 400, body)
    t.match(JSON.parse(answer.body), {
      error: { code: 'InvalidRequest', target, details: [{ code: 'InvalidBody', target }] },
    })
    t.notMatch(answer.body, /Tom|Jerry/)
    t.equal(upstream.requests.length, before, `${body} arrived`)
  }
  const connection = await rawConnection(gate)
  for (const hex of ['7b226e616d65223a22ff227d', 'efbbbf7b226e616d65223a2261227d']) {
    const bytes = Buffer.from(hex, 'hex')
    connection.send(head(`POST ${pets}`, `Content-Type: application/json\r\nContent-Length: ${bytes.length}\r\n\r\n`))
    connection.send(bytes)
    t.equal((await connection.answer()).status, 400, 'no UTF-8, or a byte order mark')
  }
  connection.send(withJson('{"name":"Tom"}'))
  t.equal((await connection.answer()).status, 200, 'the connection goes on')
  connection.end()
})

t.test(
  'the type of a body is one that the document describes (415), and what is no JSON streams through',
  async (t) => {
    const { upstream, gate } = await petsGate(t)
    const good = '{"name":"Tom"}'
    for (const [type, status] of [
      ['application/json', 200],
      ['Application/JSON; charset=UTF-8', 200],
      ['application/merge-patch+json', 200],
      ['text/plain', 200],
      ['text/plain; charset=latin1', 200],
      ['image/png', 200],
      ['application/json; charset=utf-16', 415],
      ['application/json; x=";charset=utf-8"; charset=utf-16', 415],
      ['application/json; charset=utf-8; charset=utf-16', 415],
      ['application/json\r\nContent-Encoding: gzip', 415],
      ['application/json\r\nContent-Type: text/plain', 415],
      ['application/json, text/plain', 415],
      ['text/html', 415],
      ['application/xml', 415],
      ['json', 415],
      ['', 415],
    ] as const) {
      const before = upstream.requests.length
      const answer = await rawRequest(gate, withJson(good, type))
      t.equal(answer.status, status, type)
      t.equal(upstream.requests.length, status === 200 ? before + 1 : before, type)
    }
    const answer = await rawRequest(gate, withJson('{"name":', 'text/plain'))
    t.equal(answer.status, 200, 'a text is a text')
    t.equal(upstream.requests.at(-1)?.body, '{"name":')
    const plain = await rawRequest(gate, head('PUT /api/plain', 'Content-Length: 1\r\n\r\n{'))
    t.equal(plain.status, 200, 'a route that does not say so is not compared')
  },
)

t.test('a body that is read whole: chunks, 100 Continue, too large, too slow, ended early', async (t) => {
  const { upstream, gate } = await petsGate(t, { bodyIdleMs: 30_000 })
  const chunked = await rawConnection(gate)
  const typed = 'Content-Type: application/json\r\n'
  chunked.send(head(`POST ${pets}`, `${typed}Transfer-Encoding: chunked\r\n\r\n`))
  for (const byte of '{"name":"Tom"}') chunked.send(`1\r\n${byte}\r\n`)
  chunked.send('0\r\nX-T: 1\r\n\r\n')
  t.equal((await chunked.answer()).status, 200)
  t.match(upstream.requests[0], { body: '{"name":"Tom"}', headers: { 'content-length': '14' } })

  const waits = await rawConnection(gate)
  waits.send(head(`POST ${pets}`, `${typed}Expect: 100-continue\r\nContent-Length: 14\r\n\r\n`))
  const answered = waits.answer()
  await eventually(() => waits.informational.length > 0, 'a client that waits is invited to send the body')
  t.equal(upstream.requests.length, 1)
  waits.send('{"name":"Tom"}')
  t.equal((await answered).status, 200)
  t.same(waits.informational, [100])

  const refusedEarly = await rawConnection(gate)
  refusedEarly.send(
    head(`POST ${pets}`, 'Content-Type: text/html\r\nExpect: 100-continue\r\nContent-Length: 14\r\n\r\n'),
  )
  t.equal((await refusedEarly.answer()).status, 415)
  t.same(refusedEarly.informational, [], 'a client that waits is not invited to send a body that is refused')

  const large = await rawConnection(gate)
  large.send(head(`POST ${pets}`, `${typed}Transfer-Encoding: chunked\r\n\r\n`))
  const piece = `3e8\r\n${' '.repeat(1_000)}\r\n`
  large.send(piece + piece + piece)
  t.equal((await large.answer()).status, 413)

  const hasty = await petsGate(t, { bodyIdleMs: 600 })
  const slow = await rawConnection(hasty.gate)
  slow.send(head(`POST ${pets}`, `${typed}Content-Length: 14\r\n\r\n{`))
  const drip = setInterval(() => slow.send(' '), 100)
  t.equal((await slow.answer()).status, 408, 'a byte now and then does not help')
  clearInterval(drip)

  const leaves = await rawConnection(gate)
  leaves.send(head(`POST ${pets}`, `${typed}Content-Length: 14\r\n\r\n{`))
  await eventually(() => gate.deps.bodies.held > 0, 'the body is being read')
  leaves.socket.destroy()
  await eventually(() => gate.deps.bodies.held === 0, 'its memory is free again')
  t.same([upstream.requests.length, hasty.upstream.requests.length], [2, 0], 'of the others nothing arrived')
})

t.test('what is held in memory ends at 4 MiB, whatever the route allows', async (t) => {
  const { upstream, gate } = await petsGate(t, {}, { bodyBytes: 100_000_000 })
  const announced = await rawConnection(gate)
  announced.send(head(`POST ${pets}`, 'Content-Type: application/json\r\nContent-Length: 4194305\r\n\r\n'))
  t.equal((await announced.answer()).status, 413)
  const most = `{"name":"Tom"${' '.repeat(4_194_304 - 14)}}`
  t.equal((await rawRequest(gate, withJson(most))).status, 200)
  t.equal((await rawRequest(gate, withJson(' '.repeat(5_000_000), 'text/plain'))).status, 200, 'a stream is no memory')
  t.same(
    upstream.requests.map(({ body }) => body.length),
    [4_194_304, 5_000_000],
  )
})

t.test('a token that ends while its body is read ends the request', async (t) => {
  const { upstream, gate } = await petsGate(t, {}, { methods: { POST: ['User.Read.All'] } })
  const connection = await rawConnection(gate)
  const bearer = `Authorization: Bearer ${await gate.token()}\r\nContent-Type: application/json\r\n`
  connection.send(head(`POST ${pets}`, `${bearer}Content-Length: 14\r\n\r\n{"name"`))
  await eventually(() => gate.deps.bodies.held > 0, 'the body is being read')
  gate.clock.nowMs += 2 * 3_600_000
  await connection.closed()
  await eventually(() => gate.deps.bodies.held === 0)
  t.equal(upstream.requests.length, 0)
  await eventually(() => gate.logged.some((line) => line.includes('"msg":"request"')), 'its line')
  t.match(gate.logged.join(''), '"reason":"token_expired"')
})

t.test('another document is compared with at once, and connections to the service stay', async (t) => {
  const { upstream, gate } = await petsGate(t)
  const { settings } = gate.deps
  const before = gate.deps.gate.upstreams().get('pets')
  t.equal((await rawRequest(gate, head(`GET ${pets}/12`, '\r\n'))).status, 200)
  const description = describeService(JSON.stringify({ ...petsDocument, paths: { '/birds': { get: {} } } }))
  atOnce(
    gate.deps.gate.replace({
      ...settings,
      upstreams: new Map([...settings.upstreams].map(([name, one]) => [name, { ...one, description }])),
      routes: settings.routes.map((route) => (route.description === undefined ? route : { ...route, description })),
    }),
  )
  t.equal((await rawRequest(gate, head(`GET ${pets}/12`, '\r\n'))).status, 404)
  t.equal((await rawRequest(gate, head('GET /api/animals/birds', '\r\n'))).status, 200)
  t.equal(gate.deps.gate.upstreams().get('pets'), before)
  t.equal(upstream.connections, 1)
})

t.test('schemas of OpenAPI 3.1, words that grow without end, and names that objects have by nature', async (t) => {
  const checkOf = (schema: unknown, more: object = {}) => {
    const text = JSON.stringify({
      openapi: '3.1.0',
      paths: { '/x': { post: { requestBody: { content: json(schema) } } } },
      ...more,
    })
    const check = describeService(text).find('POST', '/x')?.operation.body?.ofType('application/json')
    return (value: unknown) => checkJsonBody(Buffer.from(JSON.stringify(value)), check ?? (() => undefined))
  }
  const good = (check: ReturnType<typeof checkOf>, value: unknown) => t.equal(check(value), undefined)
  const bad = (check: ReturnType<typeof checkOf>, value: unknown) => t.equal(check(value)?.error.status, 400)
  const both = checkOf(
    { $ref: '#/components/schemas/a~1b%20c', type: ['object', 'null'], required: ['b'] },
    {
      components: { schemas: { 'a/b c': { properties: { a: { const: 1 } }, unevaluatedProperties: true } } },
    },
  )
  good(both, { a: 1, b: 2 })
  bad(both, { a: 2, b: 2 })
  bad(both, { a: 1 })
  bad(checkOf({ required: ['toString'] }), {})
  good(checkOf({ maximum: 2 ** 31, format: 'no-such-format' }), 5)
  bad(checkOf({ type: 'integer', format: 'int32' }), 2 ** 31)
  bad(checkOf({ pattern: '^a*$' }), 'a'.repeat(5_000))
  good(checkOf({ pattern: '^a*$' }), 'a'.repeat(4_000))
  const unique = checkOf({ uniqueItems: true })
  const started = performance.now()
  bad(unique, Array(300_000).fill({}))
  good(
    unique,
    Array.from({ length: 100_000 }, (_, i) => ({ i })),
  )
  t.ok(performance.now() - started < 30_000, 'many items are not compared each with each')
})

t.test('what is no description says so, and where', async (t) => {
  const described = (post: unknown, more: object = {}) =>
    JSON.stringify({ openapi: '3.0.0', paths: { '/x': { post } }, ...more })
  const schema = (one: unknown) => described({ requestBody: { content: json(one) } })
  for (const [text, expected] of [
    ['{"a', /^1:\d+: this is not YAML/],
    ['[]', 'it is no OpenAPI 3.0 or 3.1 document'],
    ['{"openapi":"4.0.0"}', 'it is no OpenAPI 3.0 or 3.1 document'],
    ['{"swagger":"2.0"}', /Swagger 2.0/],
    ['{"openapi":"3.0.0","paths":{}}', 'it describes no paths'],
    ['openapi: 3.0.0\npaths: { /x: { post: { parameters: 7 } } }', '#/paths/~1x/post/parameters: this is no list'],
    [schema({ $ref: '#/components/schemas/Nothing' }), /application~1json\/schema: \$ref leads nowhere$/],
    [schema({ $ref: '#/__proto__' }), /leads nowhere$/],
    [schema({ $ref: 'other.yaml#/Pet' }), /leads out of the document/],
    [schema({ $ref: 'https://example.com/pet.json' }), /leads out of the document/],
    [schema({ properties: { a: 7 } }), /schema\/properties\/a: this is no schema$/],
    [schema({ properties: { a: { $id: 'x' } } }), /\$id is not understood here$/],
    [schema({ type: 'strng' }), /a schema is wrong/],
    [schema({ minLength: '3' }), /a schema is wrong/],
    [schema({ pattern: '(' }), /a schema is wrong|pattern/],
    [described({ parameters: [{ $ref: '#/a' }] }, { a: { $ref: '#/a' } }), /goes in circles$/],
    [described({ parameters: [{ in: 'query' }] }), /a parameter has a name$/],
    [described({}, { paths: { '/x/{a}': {}, '/x/{b}': {} } }), /differ by the names of parameters only$/],
    [described({}, { servers: [{ url: 'http://[' }] }), /a url is none/],
  ] as const) {
    try {
      describeService(text)
      t.fail(`${text} describes something`)
    } catch (error) {
      t.ok(error instanceof NoDescription, text)
      t.match((error as Error).message, expected, text)
    }
  }
  const cyclic =
    'openapi: 3.0.0\npaths: { /x: { post: { requestBody: { content: { application/json: { schema: &a { items: *a } } } } } } }'
  t.throws(() => describeService(cyclic), /too deep/, 'circles by alias')
})
