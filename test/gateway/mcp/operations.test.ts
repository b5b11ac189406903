// What reaches an MCP server behind the gate: by the server's own record no operation without its permission, in both
// eras, and nothing that two readers would take for two things.

import t from 'tap'
import type { McpOperationSettings, RouteSettings } from '../../../src/config/settings/route-settings.js'
import type { McpVersion } from '../../../src/mcp/versions.js'
import { type GateApp, openGate, recordingUpstream, type Test, viaProxy } from '../../support/rooms/http-gate.js'
import { rawRequest } from '../../support/traffic/http-raw.js'

const modern = '2026-07-28'
const legacy = '2025-11-25'
const need = (id: string) => ({ needs: { anyOf: [[id]] } })

type McpSettings = NonNullable<RouteSettings['mcp']>
const mcp: McpSettings = {
  list: 'granted',
  versions: new Set<McpVersion>([modern, legacy]),
  first: { anyOf: [['User.Read.All']] },
  tools: new Map<string, McpOperationSettings>([
    ['list_users', need('User.Read.All')],
    ['list_subscriptions', need('Subscription.Read.All')],
    ['both', { needs: { anyOf: [['User.Read.All', 'Subscription.Read.All']] } }],
    ['watched', { ...need('Subscription.Read.All'), shadow: true }],
    ['a, b', need('User.Read.All')],
  ]),
  prompts: new Map([['greet', need('Subscription.Read.All')]]),
  resources: new Map([
    ['desk://users/{id}', need('User.Read.All')],
    ['desk://subscriptions/{id}', need('Subscription.Read.All')],
  ]),
}

async function open(t: Test, changes: Partial<typeof mcp> = {}) {
  const upstream = await recordingUpstream(t)
  const first = ['User.Read.All']
  const gate = await openGate(t, {
    routes: [
      {
        path: '/desk/mcp',
        id: '/desk/mcp',
        methods: { POST: first, GET: first, DELETE: first },
        mcp: { ...mcp, ...changes },
      },
    ],
    upstreams: { desk: { target: upstream.target } },
  })
  return { upstream, gate }
}

interface Sent {
  token: string
  fields?: Record<string, string>
  body: unknown
}

function send(gate: GateApp, { token, fields = {}, body }: Sent) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const lines = Object.entries({ 'Content-Type': 'application/json', ...fields }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  const head = `POST /desk/mcp HTTP/1.1\r\n${viaProxy}Authorization: Bearer ${token}\r\n${lines.join('')}`
  return rawRequest(gate, `${head}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
}

const request = (method: string, params: object = {}, id: string | number = 7) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})

/** The same call as a client of either era sends it. */
function inEra(era: 'modern' | 'legacy', method: string, params: Record<string, unknown>) {
  if (era === 'legacy') return { fields: { 'MCP-Protocol-Version': legacy }, body: request(method, params) }
  const name = method === 'resources/read' ? params['uri'] : params['name']
  const meta = { _meta: { 'io.modelcontextprotocol/protocolVersion': modern } }
  return {
    fields: {
      'MCP-Protocol-Version': modern,
      'Mcp-Method': method,
      ...(typeof name === 'string' ? { 'Mcp-Name': name } : {}),
    },
    body: request(method, { ...params, ...meta }),
  }
}

const both = 'both'
/** Method, params, and what it needs beside connecting: nothing, the second permission, or it is never let pass. */
const operations: readonly (readonly [
  string,
  Record<string, unknown>,
  'first' | 'second' | 'never' | 'only modern' | 'only legacy',
])[] = [
  ['tools/list', {}, 'first'],
  ['prompts/list', {}, 'first'],
  ['resources/list', {}, 'first'],
  ['resources/templates/list', {}, 'first'],
  ['tools/call', { name: 'list_users', arguments: {} }, 'first'],
  ['tools/call', { name: 'list_subscriptions', arguments: {} }, 'second'],
  ['tools/call', { name: both }, 'second'],
  ['tools/call', { name: 'watched' }, 'first'],
  ['tools/call', { name: 'a, b' }, 'first'],
  ['tools/call', { name: 'drop_everything' }, 'never'],
  ['tools/call', { name: 'LIST_USERS' }, 'never'],
  ['prompts/get', { name: 'greet' }, 'second'],
  ['prompts/get', { name: 'list_users' }, 'never'],
  ['resources/read', { uri: 'desk://users/1' }, 'first'],
  ['resources/read', { uri: 'desk://subscriptions/1' }, 'second'],
  ['resources/read', { uri: 'desk://users/../subscriptions/1' }, 'never'],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'greet' }, argument: {} }, 'second'],
  ['completion/complete', { ref: { type: 'ref/resource', uri: 'desk://users/{id}' }, argument: {} }, 'first'],
  ['tasks/list', {}, 'never'],
  ['server/discover', {}, 'only modern'],
  ['subscriptions/listen', { notifications: { toolsListChanged: true } }, 'only modern'],
  ['initialize', { protocolVersion: legacy }, 'only legacy'],
  ['ping', {}, 'only legacy'],
  ['resources/subscribe', { uri: 'desk://users/1' }, 'only legacy'],
]

t.test('G5 by the record of the server no operation without its permission, in both eras', async (t) => {
  const { gate, upstream } = await open(t)
  const callers = {
    nobody: '',
    other: await gate.token(['Subscription.Read.All']),
    first: await gate.token(['User.Read.All']),
    second: await gate.token(['User.Read.All', 'Subscription.Read.All']),
  }
  for (const era of ['modern', 'legacy'] as const) {
    for (const [caller, token] of Object.entries(callers)) {
      for (const [method, params, needs] of operations) {
        const call = inEra(era, method, params)
        const before = upstream.requests.length
        const { status } = await send(gate, { token, ...call })
        const passes =
          (caller === 'first' || caller === 'second') &&
          (needs === 'first' || needs === `only ${era}` || (needs === 'second' && caller === 'second'))
        const what = `${caller}, ${era}: ${method} ${JSON.stringify(params)}`
        t.equal(upstream.requests.length - before, passes ? 1 : 0, what)
        if (passes) t.equal(status, 200, what)
        else if (caller === 'nobody') t.equal(status, 401, what)
        else if (caller === 'other' || needs === 'second') t.equal(status, 403, what)
        const last = upstream.requests.at(-1)
        if (!passes || last === undefined) continue
        t.equal(last.body, JSON.stringify(call.body), 'the very bytes')
        t.equal(last.headers['mcp-method'], era === 'modern' ? method : undefined)
      }
    }
  }
})

t.test('the refusals are those of the specification, with the id of the message', async (t) => {
  const { gate, upstream } = await open(t)
  const token = await gate.token(['User.Read.All'])
  const said = async (call: Omit<Sent, 'token'>) => {
    const { status, body, headers } = await send(gate, { token, ...call })
    return { status, error: JSON.parse(body), headers }
  }
  const unknown = await said(inEra('modern', 'tools/call', { name: 'nothing' }))
  t.match(unknown, { status: 200, error: { id: 7, error: { code: -32_602, message: 'Unknown tool: nothing' } } })
  t.match((await said(inEra('modern', 'resources/read', { uri: 'desk://others/1' }))).error.error, {
    code: -32_602,
    data: { uri: 'desk://others/1' },
  })
  t.match(await said(inEra('modern', 'tasks/list', {})), { status: 404, error: { id: 7, error: { code: -32_601 } } })
  t.match(await said(inEra('legacy', 'tasks/list', {})), { status: 400, error: { id: 7, error: { code: -32_601 } } })
  const without = await send(gate, { token: 'x', ...inEra('modern', 'tools/list', {}) })
  t.equal(without.status, 401)
  t.match(
    without.headers.get('www-authenticate')?.[0],
    /", scope="User\.Read\.All", error="invalid_token", error_description="/,
  )
  const lacking = await said(inEra('modern', 'tools/call', { name: both }))
  t.match(lacking, {
    status: 403,
    error: { id: 7, error: { code: 403, data: { permission: { id: 'Subscription.Read.All' } } } },
  })
  const challenge = lacking.headers.get('www-authenticate')?.[0] ?? ''
  t.match(challenge, /error="insufficient_scope", scope="Subscription\.Read\.All"$/)
  const again = await said(inEra('modern', 'tools/call', { name: both }))
  t.equal(again.headers.get('www-authenticate')?.[0], challenge, 'the same refusal has the same bytes')
  const ofSession = await said(inEra('legacy', 'tools/call', { name: both }))
  t.match(ofSession.headers.get('www-authenticate')?.[0], /scope="User\.Read\.All Subscription\.Read\.All"$/)
  const modernCall = inEra('modern', 'tools/call', { name: 'list_users' })
  t.match(await said({ ...modernCall, fields: { ...modernCall.fields, 'Mcp-Name': 'both' } }), {
    status: 400,
    error: { id: 7, error: { code: -32_020 } },
  })
  t.match(await said({ fields: {}, body: 'no JSON' }), { status: 400, error: { id: null, error: { code: -32_700 } } })
  t.match(await said({ fields: {}, body: [request('ping')] }), { status: 400, error: { error: { code: -32_600 } } })
  t.match(await said({ fields: {}, body: '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}' }), {
    status: 400,
  })
  t.equal(upstream.requests.length, 0)
})

t.test('what says of a body that it is something else is refused before it is read', async (t) => {
  const { gate, upstream } = await open(t)
  const token = await gate.token(['User.Read.All'])
  const call = inEra('modern', 'tools/list', {})
  const statusOf = async (fields: Record<string, string>) =>
    (await send(gate, { token, ...call, fields: { ...call.fields, ...fields } })).status
  for (const type of [
    'text/plain',
    'application/json; charset=utf-16',
    'application/json, text/plain',
    'application/jsonp',
    '',
  ]) {
    t.equal(await statusOf({ 'Content-Type': type }), 415, type)
  }
  t.equal(await statusOf({ 'Content-Encoding': 'identity' }), 415)
  t.equal(await statusOf({ Origin: 'https://evil.test' }), 403)
  t.equal(upstream.requests.length, 0)
  for (const type of ['APPLICATION/JSON', 'application/json;charset=UTF-8', 'application/json; charset="utf-8"']) {
    t.equal(await statusOf({ 'Content-Type': type }), 200, type)
  }
  t.equal(await statusOf({ Origin: 'https://portcullis.test' }), 200)
})

t.test('G4 fields of a client decide nothing in a session, and never reach the server', async (t) => {
  const { gate, upstream } = await open(t)
  const token = await gate.token(['User.Read.All'])
  const call = inEra('legacy', 'tools/call', { name: 'list_users' })
  const fields = {
    ...call.fields,
    'Mcp-Method': 'ping',
    'Mcp-Name': 'both',
    'Mcp-Param-Region': 'x',
    mcp_name: 'both',
  }
  t.equal((await send(gate, { token, ...call, fields })).status, 200)
  const [first] = upstream.requests
  t.same(
    Object.keys(first?.headers ?? {})
      .filter((name) => /^mcp/.test(name))
      .sort(),
    ['mcp-protocol-version'],
  )
  const alone = inEra('modern', 'tools/call', { name: 'list_users' })
  const more = {
    ...alone.fields,
    'Mcp-Param-Region': 'x',
    mcp_name: 'both',
    'Mcp-Session-Id': 's',
    Connection: 'mcp-name, close',
  }
  t.equal((await send(gate, { token, ...alone, fields: more })).status, 200)
  const names = Object.entries(upstream.requests[1]?.headers ?? {}).filter(([name]) => /^mcp/.test(name))
  t.same(Object.fromEntries(names), {
    'mcp-protocol-version': modern,
    'mcp-method': 'tools/call',
    'mcp-name': 'list_users',
    'mcp-param-region': 'x',
  })
})

t.test('sessions have GET and DELETE, and nothing becomes a WebSocket or asks for a head', async (t) => {
  const { gate, upstream } = await open(t)
  const token = await gate.token(['User.Read.All'])
  const ask = (method: string, fields = '') =>
    rawRequest(gate, `${method} /desk/mcp HTTP/1.1\r\n${viaProxy}Authorization: Bearer ${token}\r\n${fields}\r\n`)
  t.equal((await ask('DELETE', `MCP-Protocol-Version: ${legacy}\r\n`)).status, 200)
  t.equal((await ask('GET', 'Accept: text/event-stream\r\n')).status, 200)
  t.equal((await ask('GET', `MCP-Protocol-Version: ${modern}\r\n`)).status, 400)
  t.equal((await ask('PUT')).status, 405)
  const socket =
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
  t.equal((await ask('GET', socket)).status, 400)
  t.equal(upstream.requests.length, 2)
})

t.test('a call is counted as the operation that it is, and a refused one is noted with it', async (t) => {
  const { gate } = await open(t)
  const token = await gate.token(['User.Read.All'])
  await send(gate, { token, ...inEra('modern', 'tools/call', { name: 'list_users' }) })
  await send(gate, { token, ...inEra('modern', 'tools/call', { name: 'list_subscriptions' }) })
  await send(gate, { token, ...inEra('modern', 'tools/call', { name: 'no such tool' }) })
  t.match(gate.noted, [
    { route: '/desk/mcp tools/call:list_subscriptions', reason: 'insufficient_scope' },
    { route: '/desk/mcp' },
  ])
  const text = await gate.metrics.registry.metrics()
  t.match(text, /portcullis_auth_decisions_total\{[^}]*route="\/desk\/mcp tools\/call:list_users"[^}]*\} 1/)
  t.notMatch(text, /no such tool/)
})
