// What an operator sees of messages to MCP servers: counted by configured operation, in the line of the request, and
// never by anything that a client made up.

import t from 'tap'
import type { McpOperationSettings, McpSettings } from '../../../src/config/settings/route-settings.js'
import { operationIds } from '../../../src/gateway/mcp/plan.js'
import type { McpVersion } from '../../../src/mcp/versions.js'
import { eventually, openGate, type Recorded, recordingUpstream, type Test } from '../../support/rooms/http-gate.js'
import { rawRequest } from '../../support/traffic/http-raw.js'
import {
  legacyVersion,
  listenBytes,
  messageBytes,
  modernVersion,
  openStream,
} from '../../support/traffic/mcp-client.js'
import { until } from '../../support/traffic/until.js'

const read = ['User.Read.All']
const need = (id: string): McpOperationSettings => ({ needs: { anyOf: [[id]] } })
const mcp: McpSettings = {
  versions: new Set<McpVersion>([modernVersion, legacyVersion]),
  list: 'granted',
  first: { anyOf: [read] },
  tools: new Map([
    ['find', need('User.Read.All')],
    ['close', need('Subscription.Read.All')],
    ['watched', { ...need('Subscription.Read.All'), shadow: true }],
  ]),
  prompts: new Map([['greet', need('User.Read.All')]]),
  resources: new Map([['desk://users/{id}', need('User.Read.All')]]),
}

async function openDesk(t: Test, changes: Partial<McpSettings> = {}) {
  const upstream = await recordingUpstream(t, ({ method }, response, { body }: Recorded) => {
    if (method === 'GET') return void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': \n\n')
    const tools = ['find', 'close', 'secret'].map((name) => ({ name }))
    const result = body.includes('tools/list') ? { tools } : { content: [] }
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
  })
  const route = {
    path: '/desk/mcp',
    id: '/desk/mcp',
    methods: { POST: read, GET: read, DELETE: read },
    mcp: { ...mcp, ...changes },
  }
  const gate = await openGate(t, { routes: [route], upstreams: { desk: { target: upstream.target } } })
  return { gate, upstream, token: await gate.token(read) }
}

t.test('messages are counted by configured operation, whatever clients make up', async (t) => {
  const { gate, token } = await openDesk(t)
  const send = (method: string, params: Record<string, unknown>, fields: readonly string[] = []) =>
    rawRequest(gate, messageBytes({ token, fields }, method, params))
  await send('tools/call', { name: 'find' })
  await send('tools/call', { name: 'find' })
  await send('tools/call', { name: 'close' })
  await send('tools/call', { name: 'watched' })
  for (let i = 0; i < 5; i += 1) await send('tools/call', { name: `made-up-${i}` })
  await send('resources/read', { uri: 'desk://users/1' })
  await send('completion/complete', { ref: { type: 'ref/prompt', name: 'greet' }, argument: {} })
  await send('tools/list', {})
  await send('made/up', {})
  const mismatched = messageBytes({ token }, 'tools/call', { name: 'find' }).replace(
    'Mcp-Name: find',
    'Mcp-Name: other',
  )
  await rawRequest(gate, mismatched)
  await rawRequest(gate, messageBytes({ token, fields: ['Origin: https://evil.test'] }, 'tools/list'))
  const text = await gate.metrics.registry.metrics()
  const lines = text.split('\n').filter((line) => line.startsWith('portcullis_mcp_calls_total{'))
  const counted = Object.fromEntries(
    lines.map((line) => [
      line.replace(/.*route="([^"]*)",operation="([^"]*)",outcome="([^"]*)".*/, '$1 | $2 | $3'),
      Number(line.split(' ').at(-1)),
    ]),
  )
  t.same(counted, {
    '/desk/mcp tools/call:find | tools/call:find | passed': 2,
    '/desk/mcp tools/call:close | tools/call:close | insufficient_scope': 1,
    '/desk/mcp tools/call:watched | tools/call:watched | would_deny': 1,
    '/desk/mcp | tools/call:_other | mcp_unknown': 5,
    '/desk/mcp resources/read:desk://users/{id} | resources/read:desk://users/{id} | passed': 1,
    '/desk/mcp prompts/get:greet | completion/complete:greet | passed': 1,
    '/desk/mcp | tools/list | passed': 1,
    '/desk/mcp | _other | mcp_method': 1,
    '/desk/mcp | _other | mcp_mismatch': 1,
    '/desk/mcp | _other | mcp_origin': 1,
  })
  t.match(text, 'portcullis_mcp_hidden_items_total{route="/desk/mcp",list="tools"} 2\n')
  t.notMatch(text, /made[-/]up/, 'nothing that a client says is a label')
})

t.test('open streams are counted by route', async (t) => {
  const { gate, token } = await openDesk(t)
  const stream = await openStream(t, gate, listenBytes({ token }))
  const shows = (count: number) => async () =>
    (await gate.metrics.registry.metrics()).includes(`portcullis_mcp_open_streams{route="/desk/mcp"} ${count}\n`)
  await until('it is counted', shows(1))
  stream.socket.destroy()
  await until('it has ended', shows(0))
})

t.test('the line of a request says the operation and the permission, and nothing of arguments', async (t) => {
  const { gate, token } = await openDesk(t)
  const secret = 'the-secret-of-the-ticket'
  await rawRequest(gate, messageBytes({ token }, 'tools/call', { name: 'find', arguments: { text: secret } }))
  await rawRequest(gate, messageBytes({ token }, 'tools/call', { name: 'close', arguments: { text: secret } }))
  await rawRequest(gate, messageBytes({ token }, 'tools/call', { name: secret }))
  const lines = await eventually(() => {
    const found = gate.logged.filter((line) => line.includes('"msg":"request"'))
    return found.length === 3 && found
  }, 'three lines')
  t.match(
    lines.map((line) => JSON.parse(line)),
    [
      { status: 200, operation: 'tools/call:find', permission: 'User.Read.All' },
      { status: 403, operation: 'tools/call:close', permission: 'Subscription.Read.All', reason: 'insufficient_scope' },
      { status: 200, operation: 'tools/call:_other', reason: 'mcp_unknown' },
    ],
  )
  t.notMatch(gate.logged.join(''), secret)
})

t.test('owners can look up which tool was refused, and for want of which permission', async (t) => {
  const { gate, token } = await openDesk(t)
  await rawRequest(gate, messageBytes({ token }, 'tools/call', { name: 'close' }))
  await rawRequest(gate, messageBytes({ token }, 'tools/call', { name: 'made-up' }))
  t.match(gate.noted, [
    { route: '/desk/mcp tools/call:close', status: 403, permissions: ['Subscription.Read.All'] },
    { route: '/desk/mcp', reason: 'mcp_unknown', permissions: [] },
  ])
})

const auditLines = (logged: readonly string[]) =>
  logged.flatMap((line) => (line.includes('"msg":"mcp call"') ? [JSON.parse(line)] : []))

t.test('G18 an audited route has a line for each call, with a digest in the place of arguments', async (t) => {
  const { gate } = await openDesk(t, { audit: 'calls' })
  const userId = '0c8f4a53-0000-4c6e-8f9e-0a6d1c5b7a09'
  const person = await gate.token(read, { idtyp: 'user', oid: userId, sub: userId, gid: userId } as object)
  const secret = 'the-secret-of-the-ticket'
  const call = async (method: string, params: Record<string, unknown>) => {
    const before = auditLines(gate.logged).length
    const answer = await rawRequest(gate, messageBytes({ token: person }, method, params))
    if (method !== 'tools/list') await eventually(() => auditLines(gate.logged).length > before, 'its line')
    return answer
  }
  const answer = await call('tools/call', { name: 'find', arguments: { text: secret, id: 7 } })
  await call('tools/call', { arguments: { id: 7, text: secret }, name: 'find' })
  await call('tools/call', { name: 'close', arguments: { text: secret } })
  await call('tools/call', { name: 'made-up', arguments: { text: secret } })
  await call('resources/read', { uri: 'desk://users/the-secret-of-the-ticket' })
  await call('tools/list', {})
  const lines = auditLines(gate.logged)
  t.equal(lines.length, 5, 'and none for a list')
  const [first, again, ...others] = lines
  t.match(first, {
    ...{ userId, applicationId: '3f0c1f9e-9f34-4c6e-8f9e-0a6d1c5b7a01', status: 200 },
    ...{ route: '/desk/mcp tools/call:find', operation: 'tools/call:find', argumentsDigest: /^[\w-]{43}$/ },
    ...{ answerBytes: answer.body.length, requestBytes: Number, durationMs: Number },
  })
  t.equal(first.argumentsDigest, again.argumentsDigest, 'in whatever order they came')
  t.match(others, [
    { operation: 'tools/call:close', status: 200, reason: 'insufficient_scope', answerBytes: 0 },
    { operation: 'tools/call:_other', status: 200, reason: 'mcp_unknown' },
    { operation: 'resources/read:desk://users/{id}', status: 200 },
  ])
  t.notMatch(gate.logged.join(''), /"maskedArguments"|made-up/)
  t.notMatch(
    auditLines(gate.logged)
      .map((line) => JSON.stringify(line))
      .join(''),
    secret,
  )
})

t.test('only a setting of its own shows arguments, masked; without a setting there is no line', async (t) => {
  for (const [audit, shown] of [
    ['masked', '{"text":"***"}'],
    [undefined, undefined],
  ] as const) {
    const { gate, token } = await openDesk(t, audit === undefined ? {} : { audit })
    await rawRequest(gate, messageBytes({ token }, 'tools/call', { name: 'find', arguments: { text: 'a-secret' } }))
    await eventually(() => gate.logged.some((line) => line.includes('"msg":"request"')), 'the line of the request')
    t.same(
      auditLines(gate.logged).map(({ maskedArguments }) => maskedArguments),
      shown === undefined ? [] : [shown],
    )
    t.notMatch(gate.logged.join(''), 'a-secret')
  }
})

t.test('an agent that makes the same call again and again is counted, and told of once', async (t) => {
  const { gate, token } = await openDesk(t)
  const call = (id: number) => messageBytes({ token }, 'tools/call', { name: 'find', arguments: { id } })
  for (let i = 0; i < 14; i += 1) await rawRequest(gate, call(7))
  for (let i = 0; i < 12; i += 1) await rawRequest(gate, call(i + 100))
  const warned = gate.logged.filter((line) => line.includes('again and again'))
  t.equal(warned.length, 1)
  t.match(JSON.parse(warned[0] ?? ''), { route: '/desk/mcp tools/call:find', count: 10 })
  t.match(
    await gate.metrics.registry.metrics(),
    'portcullis_mcp_repeated_calls_total{route="/desk/mcp tools/call:find"} 5\n',
  )
})

t.test('the operations of a route are named as they are counted', async (t) => {
  t.same(operationIds({ id: '/desk/mcp', mcp }), [
    '/desk/mcp tools/call:find',
    '/desk/mcp tools/call:close',
    '/desk/mcp tools/call:watched',
    '/desk/mcp prompts/get:greet',
    '/desk/mcp resources/read:desk://users/{id}',
  ])
  t.same(operationIds({ id: 'GET /plain' }), [])
})
