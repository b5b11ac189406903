// Requests to an MCP server that two readers could read differently, byte by byte over a raw connection. Each is refused,
// or reaches the server as one operation that all five readers read, and that its sender may do.

import { gzipSync } from 'node:zlib'
import t from 'tap'
import type { McpSettings } from '../../../src/config/settings/route-settings.js'
import type { McpVersion } from '../../../src/mcp/versions.js'
import { readings } from '../../support/mcp/message-readers.js'
import { openGate, recordingUpstream, type Test, viaProxy } from '../../support/rooms/http-gate.js'
import { rawConnection } from '../../support/traffic/http-raw.js'
import { legacyVersion as legacy, modernVersion as modern } from '../../support/traffic/mcp-client.js'

const [held, other] = ['User.Read.All', 'Subscription.Read.All']
const need = (id: string) => ({ needs: { anyOf: [[id]] } })
const mcp: McpSettings = {
  list: 'all',
  versions: new Set<McpVersion>([modern, legacy]),
  first: { anyOf: [[held]] },
  tools: new Map([
    ['good', need(held)],
    ['bad', need(other)],
    ['good, bad', need(held)],
  ]),
  prompts: new Map([['good', need(held)]]),
  resources: new Map([
    ['desk://good/{id}', need(held)],
    ['desk://bad/{id}', need(other)],
  ]),
}
/** What the sender may do, as a reader tells it. */
const permitted = new Set([
  ...['tools/call good', 'tools/call good, bad', 'prompts/get good', 'resources/read desk://good/1'],
  ...['tools/list', 'ping', 'initialize', 'notifications/cancelled'],
])

interface Hostile {
  method?: string
  path?: string
  /** Header lines, in place of those that a client of that era sends. */
  lines?: readonly string[]
  /** Behind them. */
  more?: readonly string[]
  body?: string | Buffer
  /** The status; 200 is one that reaches the server. */
  is: number | readonly number[]
}

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"${modern}"}`
const call = (name = 'good') => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}",${meta}}}`
const session = (name = 'good') => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}"}}`
const json = 'Content-Type: application/json'
const fields = (name = 'good') => [
  json,
  `MCP-Protocol-Version: ${modern}`,
  'Mcp-Method: tools/call',
  `Mcp-Name: ${name}`,
]
const sessionFields = [json, `MCP-Protocol-Version: ${legacy}`]
const encoded = (text: string | Buffer) => `=?base64?${Buffer.from(text).toString('base64')}?=`
const inSession = (body: string | Buffer, is: Hostile['is']): Hostile => ({ lines: sessionFields, body, is })

const byFields: Record<string, Hostile> = {
  'a second Mcp-Name': { more: ['Mcp-Name: bad'], is: 400 },
  'the same Mcp-Name twice': { more: ['Mcp-Name: good'], is: 400 },
  'a second one in other letters': { more: ['MCP-NAME: bad'], is: 400 },
  'a second Mcp-Method': { more: ['Mcp-Method: ping'], is: 400 },
  'a second MCP-Protocol-Version': { more: [`MCP-Protocol-Version: ${legacy}`], is: 400 },
  'two names in one line': { lines: fields('good, bad'), is: 400 },
  'a name with a comma': { lines: fields('good, bad'), body: call('good, bad'), is: 200 },
  'a folded line': { lines: [...fields().slice(0, 3), 'Mcp-Name: good\r\n bad'], is: 400 },
  'another name': { lines: fields('bad'), is: 400 },
  'the name of the message alone': { lines: fields(), body: call('bad'), is: 400 },
  'a permitted name in the field for another in the body': { lines: fields('good'), body: call('bad'), is: 400 },
  'no Mcp-Name': { lines: fields().slice(0, 3), is: 400 },
  'an empty Mcp-Name': { lines: fields(''), is: 400 },
  'a name with blanks around it': { lines: fields(' good\t'), is: 200 },
  'Connection takes Mcp-Name off': { more: ['Connection: mcp-name'], is: 200 },
  'Connection takes all of them off': {
    more: ['Connection: keep-alive, Mcp-Method, MCP-PROTOCOL-VERSION, mcp-name'],
    is: 200,
  },
  'underscores beside it': {
    more: ['Mcp_Name: bad', 'mcp_method: prompts/get', 'MCP_PROTOCOL_VERSION: 2025-11-25'],
    is: 200,
  },
  'underscores instead': { lines: [...fields().slice(0, 3), 'mcp_name: good'], is: 400 },
  'an encoded name': { lines: fields(encoded('good')), is: 200 },
  'another name encoded': { lines: fields(encoded('bad')), is: 400 },
  'encoded twice': { lines: fields(encoded(encoded('good'))), is: 400 },
  'a marker in capitals': { lines: fields(encoded('good').replace('base64', 'BASE64')), is: 400 },
  'Base64 without its padding': { lines: fields('=?base64?Z29vZA?='), is: 400 },
  'Base64 with bits left over': { lines: fields('=?base64?Z29vZB==?='), is: 400 },
  'Base64 of URLs': { lines: fields('=?base64?Z29v-A==?='), is: 400 },
  'Base64 with a blank': { lines: fields('=?base64?Z29v ZA==?='), is: 400 },
  'Base64 of no UTF-8': { lines: fields(encoded(Buffer.from([0xff, 0xfe]))), is: 400 },
  'Base64 with a byte order mark': { lines: fields(encoded('\uFEFFgood')), is: 400 },
  'Base64 with a NUL': { lines: fields(encoded('good\0')), is: 400 },
  'bytes of a name that are not ASCII': { lines: fields('g\u00F6\u00F6d'), is: 400 },
  'a method in other letters': {
    lines: [...fields().slice(0, 2), 'Mcp-Method: Tools/Call', 'Mcp-Name: good'],
    is: 400,
  },
  'fields of the modern era in a session': {
    lines: sessionFields,
    more: ['Mcp-Method: tools/call', 'Mcp-Name: bad', 'Mcp-Param-Name: bad'],
    body: session(),
    is: 200,
  },
  'a modern field with the message of a session': { body: session(), is: 400 },
  'a field of a session with a modern message': { lines: sessionFields, is: 400 },
  'no version': { lines: [json], is: 400 },
  'a version that is none': { lines: [json, 'MCP-Protocol-Version: latest'], is: 400 },
  'two Content-Types': { more: ['Content-Type: text/plain'], is: 415 },
  'no Content-Type': { lines: fields().slice(1), is: 415 },
  'a Content-Type in capitals': { lines: ['CONTENT-TYPE: APPLICATION/JSON', ...fields().slice(1)], is: 200 },
  'utf-8 said': { lines: [`${json};charset="UTF-8"`, ...fields().slice(1)], is: 200 },
  ...Object.fromEntries(
    [
      ...['charset=utf-16', 'charset=utf-7', 'charset=iso-8859-1', 'charset=utf-8; charset=utf-16', 'boundary=x'],
      ...['charset=utf-8, text/plain', "charset*=utf-8''utf-16", 'charset = utf-16'],
    ].map((parameter) => [parameter, { lines: [`${json}; ${parameter}`, ...fields().slice(1)], is: 415 }]),
  ),
  ...Object.fromEntries(
    [
      'text/plain',
      'application/json-seq',
      'application/x-ndjson',
      'application/vnd.api+json',
      'multipart/form-data',
    ].map((type) => [type, { lines: [`Content-Type: ${type}`, ...fields().slice(1)], is: 415 }]),
  ),
  gzip: { more: ['Content-Encoding: gzip'], body: gzipSync(call()), is: 415 },
  'an encoding that is none': { more: ['content-encoding: identity'], is: 415 },
  'a foreign origin': { more: ['Origin: https://evil.test'], is: 403 },
  'an opaque origin': { more: ['Origin: null'], is: 403 },
  'two origins': { more: ['Origin: https://portcullis.test', 'Origin: https://evil.test'], is: [400, 403] },
  'another method said': { more: ['X-HTTP-Method-Override: DELETE'], is: 200 },
  'a stream to go on with': { more: ['Last-Event-ID: 1'], is: 200 },
  'a session of somebody else': { lines: sessionFields, more: ['Mcp-Session-Id: server-1'], body: session(), is: 404 },
  'a session said twice': {
    lines: sessionFields,
    more: ['Mcp-Session-Id: a', 'mcp-session-id: b'],
    body: session(),
    is: 404,
  },
  'a session under the modern era': { more: ['Mcp-Session-Id: server-1'], is: 200 },
}

const twice = (at: string, more: string) => session().replace(at, `${at}${more}`)
const byBodies: Record<string, Hostile> = {
  'a byte order mark': inSession(`\uFEFF${session()}`, 400),
  'UTF-16': inSession(Buffer.from(session(), 'utf16le'), 400),
  'UTF-16 with its mark': inSession(Buffer.from(`\uFEFF${session()}`, 'utf16le'), 400),
  'UTF-16, big end first': inSession(Buffer.from(session(), 'utf16le').swap16(), 400),
  'UTF-32': inSession(Buffer.from([...session()].flatMap((char) => [0, 0, 0, char.charCodeAt(0)])), 400),
  'bytes that are no UTF-8': inSession(Buffer.from(session('g\u00F6d'), 'latin1'), 400),
  'an overlong form': inSession(Buffer.concat([Buffer.from(session()), Buffer.from([0xc0, 0xa0])]), 400),
  'half of a pair': inSession(session('good\\ud800'), 400),
  'a control character': inSession(session('good\\u0000'), 400),
  'a name of more than 1,024 characters': inSession(session('g'.repeat(1025)), 400),
  'a batch of one': inSession(`[${session()}]`, 400),
  'a batch': inSession(`[${session()},${session('bad')}]`, 400),
  'two documents': inSession(`${session()}\n${session('bad')}`, 400),
  'a document and a NUL': inSession(`${session()}\0${session('bad')}`, 400),
  'a comma behind it': inSession(`${session()},`, 400),
  'a comma within': inSession(session().replace('}}', '},}'), 400),
  'a comment': inSession(`/* ${session('bad')} */${session()}`, 400),
  'a comment behind it': inSession(`${session()} // ${session('bad')}`, 400),
  'names without quotes': inSession(session().replaceAll('"method"', 'method'), 400),
  'single quotes': inSession(session().replaceAll('"', "'"), 400),
  nothing: inSession('', 400),
  blanks: inSession(' \n', 400),
  'a text': inSession('"tools/call"', 400),
  null: inSession('null', 400),
  'blanks around it': inSession(`\r\n\t ${session()} \n`, 200),
  'a member twice': inSession(twice('"name":"good"', ',"name":"bad"'), 400),
  'a member twice, the other first': inSession(session().replace('"name":"good"', '"name":"bad","name":"good"'), 400),
  'a method twice': inSession(twice('"id":1', ',"method":"ping"'), 400),
  'params twice': inSession(twice('"id":1', ',"params":{"name":"bad"}'), 400),
  'a member twice, once escaped': inSession(twice('"name":"good"', ',"n\\u0061me":"bad"'), 400),
  'an escaped member': inSession(session().replace('"name"', '"n\\u0061me"'), 200),
  'a member of arguments twice': inSession(twice('"name":"good"', ',"arguments":{"a":1,"a":2}'), 400),
  'names in arguments': inSession(twice('"name":"good"', ',"arguments":{"Name":"bad","method":"x"}'), 200),
  ...Object.fromEntries(
    [
      ...['Name', 'NAME', 'name\\u0000', 'name\\u0000x', '\\uff4eame', 'name ', 'na\\u00admE'].map(
        (name) => [`${name} beside name`, twice('"name":"good"', `,"${name}":"bad"`)] as const,
      ),
      ...['Method', 'METHOD', 'method\\u0000', '\\uff4dethod'].map(
        (name) => [`${name} beside method`, twice('"id":1', `,"${name}":"prompts/get"`)] as const,
      ),
      ...['Params', 'param\\u017f', 'params\\u0000'].map(
        (name) => [`${name} beside params`, twice('"id":1', `,"${name}":{"name":"bad"}`)] as const,
      ),
      ...['Id', 'JSONRPC', 'Result', '\\u0131d'].map(
        (name) => [`${name} beside id`, twice('"id":1', `,"${name}":2`)] as const,
      ),
    ].map(([name, body]) => [
      name,
      inSession(body, name.startsWith('na\\u00ad') || name.startsWith('\\u0131') ? [200, 400] : 400),
    ]),
  ),
  'only folded': inSession(session().replace('"method"', '"Method"'), 400),
  'an id that is null': inSession(session().replace('"id":1', '"id":null'), 400),
  'no id': inSession(session().replace('"id":1,', ''), 400),
  'an id with a fraction': inSession(session().replace('"id":1', '"id":1.5'), 400),
  'an id that no number holds': inSession(session().replace('"id":1', '"id":9007199254740993'), 400),
  'an id that is a list': inSession(session().replace('"id":1', '"id":[1]'), 400),
  'another JSON-RPC': inSession(session().replace('"2.0"', '"1.0"'), 400),
  'a request that is an answer too': inSession(twice('"id":1', ',"result":{}'), 400),
  'an answer that is an error too': inSession(
    '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}',
    400,
  ),
  'a name that is a number': inSession(session().replace('"good"', '1'), 400),
  'params that are a list': inSession('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["good"]}', 400),
  'a notification that nobody sends': inSession('{"jsonrpc":"2.0","method":"notifications/message","params":{}}', 400),
  'a notification': inSession('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}', 200),
  depth: inSession(twice('"name":"good"', `,"arguments":${'['.repeat(5000)}${']'.repeat(5000)}`), 400),
  'a method in capitals': inSession(session().replace('tools/call', 'TOOLS/CALL'), 400),
  'a method with a blank': inSession(session().replace('tools/call', 'tools/call '), 400),
  'a method of all objects': inSession(session().replace('tools/call', 'constructor'), 400),
  'a name of all objects': inSession(session('__proto__'), 200),
  'a member of all objects': inSession(twice('"name":"good"', ',"__proto__":{"name":"bad"}'), [200, 400]),
  'an answer of a client in the modern era': {
    lines: fields().slice(0, 2),
    body: '{"jsonrpc":"2.0","id":1,"result":{}}',
    is: 400,
  },
}

const uris = [
  ...[
    'desk://good/../bad/1',
    'desk://good/./1',
    'desk://good//1',
    'desk://good/%2e%2e/bad/1',
    'desk://good/1%2f..%2fbad',
  ],
  ...['DESK://good/1', 'desk://GOOD/1', 'desk://user@good/1', 'desk://good/1?x', 'desk://good/1#x', 'desk://good/%31'],
  ...[
    'desk://good/1\\\\..\\\\bad',
    'desk://good/1/2',
    'desk:good/1',
    'desk://good/{id}',
    'desk://good/',
    ' desk://good/1',
  ],
]
const read = (uri: string) => `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"${uri}"}}`

const raw = (method: string, more: readonly string[], is: Hostile['is'], body = ''): Hostile => ({
  ...{ method, lines: more, body, is },
})
const byTransport: Record<string, Hostile> = {
  'a stream': raw('GET', [`MCP-Protocol-Version: ${legacy}`], 200),
  'GET with a message': raw('GET', sessionFields, 400, session('bad')),
  'GET of the modern era': raw('GET', [`MCP-Protocol-Version: ${modern}`], [400, 405]),
  'the end of a session': raw('DELETE', [`MCP-Protocol-Version: ${legacy}`, 'Content-Length: 0'], 200),
  'GET with another session': raw('GET', [`MCP-Protocol-Version: ${legacy}`, 'Mcp-Session-Id: server-1'], 404),
  'DELETE of another session': raw('DELETE', [`MCP-Protocol-Version: ${legacy}`, 'Mcp-Session-Id: server-1'], 404),
  'DELETE with a message': raw('DELETE', sessionFields, 400, session('bad')),
  HEAD: raw('HEAD', [`MCP-Protocol-Version: ${legacy}`], 405),
  PUT: raw('PUT', sessionFields, 405, session('bad')),
  PATCH: raw('PATCH', sessionFields, 405, session('bad')),
  'a query': { path: '/desk/mcp?name=bad', is: 200 },
  'a path with a dot': { path: '/desk/./mcp', is: [200, 400, 404] },
  'GET where there are no sessions': { ...raw('GET', [], 405), path: '/modern/mcp' },
  'DELETE where there are no sessions': { ...raw('DELETE', [], 405), path: '/modern/mcp' },
  'HEAD where there are no sessions': { ...raw('HEAD', [], 405), path: '/modern/mcp' },
  'chunks and a length': { more: ['Transfer-Encoding: chunked'], is: 400 },
  'two lengths': { more: ['Content-Length: 5'], is: 400 },
  'another encoding of the transfer': { more: ['Transfer-Encoding: gzip, chunked'], is: [400, 501] },
}

async function open(t: Test) {
  const upstream = await recordingUpstream(t)
  const route = (path: string, settings: McpSettings) => ({
    ...{ path, id: path, methods: { POST: [held], GET: [held], DELETE: [held] }, mcp: settings },
  })
  const gate = await openGate(t, {
    routes: [
      route('/desk/mcp', mcp),
      { ...route('/modern/mcp', { ...mcp, versions: new Set<McpVersion>([modern]) }), methods: { POST: [held] } },
    ],
    upstreams: { desk: { target: upstream.target } },
  })
  const token = await gate.token([held])
  /** Sends it, and gives the status and what reached the server. */
  const send = async ({ method = 'POST', path = '/desk/mcp', lines = fields(), more = [], body = call() }: Hostile) => {
    const bytes = Buffer.from(body)
    const length = method === 'POST' || bytes.length > 0 ? [`Content-Length: ${bytes.length}`] : []
    const head = [`Authorization: Bearer ${token}`, ...lines, ...more, ...length].join('\r\n')
    const before = upstream.requests.length
    const connection = await rawConnection(gate)
    connection.send(Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${viaProxy}${head}\r\n\r\n`), bytes]))
    const { status } = await connection.answer(method)
    connection.end()
    return { status, reached: upstream.requests.slice(before), bytes }
  }
  return { upstream, send }
}

const cases = {
  fields: byFields,
  bodies: byBodies,
  URIs: Object.fromEntries(uris.map((uri) => [uri, inSession(read(uri), 200)])),
  transport: byTransport,
}

for (const [subject, hostile] of Object.entries(cases)) {
  t.test(`G3 hostile ${subject}: refused, or one permitted operation to five readers`, async (t) => {
    const { send } = await open(t)
    const passed: string[] = []
    for (const [name, request] of Object.entries(hostile)) {
      const { status, reached, bytes } = await send(request)
      t.ok([request.is].flat().includes(status), `${name}: ${status}`)
      for (const recorded of reached) {
        passed.push(name)
        t.equal(status, 200, name)
        t.equal(recorded.body, recorded.method === 'POST' ? bytes.toString() : '', `${name}: the very bytes, or none`)
        if (recorded.method !== 'POST') continue
        const found = new Set(Object.values(readings(recorded)).flat())
        t.equal(found.size, 1, `${name}: ${JSON.stringify([...found])}`)
        t.ok(permitted.has([...found][0] ?? ''), `${name}: ${JSON.stringify([...found])}`)
      }
    }
    t.comment(`${Object.keys(hostile).length} of ${subject}; forwarded: ${passed.join('; ') || 'none'}`)
    if (subject === 'URIs') t.same(passed, [], 'none of them names a resource')
  })
}
