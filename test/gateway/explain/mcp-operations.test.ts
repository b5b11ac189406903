// An explanation of an operation of an MCP server decides as the gate does about the message: same permission, same
// status, in both eras.

import t from 'tap'
import type { McpOperationSettings, RouteSettings } from '../../../src/config/settings/route-settings.js'
import { createExplain } from '../../../src/gateway/explain/explain.js'
import type { Explanation } from '../../../src/gateway/explain/explanation.js'
import type { NamedOperation } from '../../../src/gateway/mcp/named-operation.js'
import { operationOfId } from '../../../src/gateway/mcp/named-operation.js'
import type { PeekingLimiter } from '../../../src/limits/limiter.js'
import { type GateApp, openGate, recordingUpstream, type Test, viaProxy } from '../../support/rooms/http-gate.js'
import { rawRequest } from '../../support/traffic/http-raw.js'

const need = (...ids: string[]) => ({ needs: { anyOf: [ids] } })
const [users, subscriptions] = ['User.Read.All', 'Subscription.Read.All']
const mcp: NonNullable<RouteSettings['mcp']> = {
  list: 'granted',
  versions: new Set(['2026-07-28', '2025-11-25']),
  first: { anyOf: [[users]] },
  tools: new Map<string, McpOperationSettings>([
    ['list_users', need(users)],
    ['both', need(users, subscriptions)],
    ['watched', { ...need(subscriptions), shadow: true }],
    ['approved', { ...need(users), rule: 'approval' }],
    ['strong', { ...need(users), rule: 'second_factor' }],
    ['never', { ...need(users), rule: 'never', shadow: true }],
    ['slow', { ...need(users), limits: ['slow'] }],
  ]),
  prompts: new Map([['greet', need(subscriptions)]]),
  resources: new Map([
    ['desk://users/{id}', need(users)],
    ['desk://users/{name}', need(subscriptions)],
    ['desk://about', need(users)],
  ]),
}

async function open(t: Test) {
  const upstream = await recordingUpstream(t)
  const methods = { POST: [users], GET: [users], DELETE: [users] }
  const gate = await openGate(t, {
    routes: [
      { path: '/desk/mcp', id: '/desk/mcp', methods, mcp, limits: [] },
      { path: '/plain', id: 'POST /plain', methods: { POST: [users] } },
    ],
    upstreams: { desk: { target: upstream.target } },
    limits: {
      slow: {
        name: 'slow',
        by: ['application'],
        algorithm: { kind: 'token-bucket', limit: 1, burst: 1, periodMs: 60_000 },
        onCountersDown: 'refuse',
        shadow: false,
      } as never,
    },
  })
  const { deps } = gate
  const read = { apiHosts: [], headerBytes: 65_536, headerCount: 100, urlBytes: 8_192 }
  const server = { ...deps.settings.server, ...read }
  const explain = createExplain({
    settings: { ...deps.settings, server, plans: new Map(), limits: new Map() } as never,
    gate: deps.gate,
    limiter: deps.limiter as PeekingLimiter,
    view: deps.view as never,
    keyring: deps.keyring,
    toolPins: deps.toolPins,
    authenticator: deps.authenticator,
    simulate: async () => {
      throw new Error('no token is simulated here')
    },
    now: gate.now,
    directory: deps.directory as never,
    consentsOf: deps.consentsOf as never,
    personIn: async () => ({ state: undefined, role: undefined, isOperator: false }),
  })
  const explained = (token: string, operation?: NamedOperation, target = '/desk/mcp') =>
    explain({
      method: 'POST',
      target,
      address: undefined,
      bodyBytes: undefined,
      ...(operation === undefined ? {} : { operation }),
      caller: token === '' ? { kind: 'nobody' } : { kind: 'token', token },
    })
  return { upstream, gate, explained }
}

const messages = { tool: 'tools/call', prompt: 'prompts/get', resource: 'resources/read' } as const

function send(gate: GateApp, token: string, { kind, name }: NamedOperation, era: 'modern' | 'legacy') {
  const method = messages[kind]
  const params = kind === 'resource' ? { uri: name } : { name }
  const version = era === 'modern' ? '2026-07-28' : '2025-11-25'
  const meta = era === 'modern' ? { _meta: { 'io.modelcontextprotocol/protocolVersion': version } } : {}
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, ...meta } })
  const repeated = era === 'modern' ? `Mcp-Method: ${method}\r\nMcp-Name: ${name}\r\n` : ''
  const head = `POST /desk/mcp HTTP/1.1\r\n${viaProxy}Authorization: Bearer ${token}\r\nContent-Type: application/json\r\n`
  const fields = `MCP-Protocol-Version: ${version}\r\n${repeated}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n`
  return rawRequest(gate, head + fields + text)
}

const operations: readonly NamedOperation[] = [
  { kind: 'tool', name: 'list_users' },
  { kind: 'tool', name: 'both' },
  { kind: 'tool', name: 'watched' },
  { kind: 'tool', name: 'approved' },
  { kind: 'tool', name: 'strong' },
  { kind: 'tool', name: 'never' },
  { kind: 'tool', name: 'nothing' },
  { kind: 'tool', name: 'LIST_USERS' },
  { kind: 'prompt', name: 'greet' },
  { kind: 'prompt', name: 'list_users' },
  { kind: 'resource', name: 'desk://users/7' },
  { kind: 'resource', name: 'desk://about' },
  { kind: 'resource', name: 'desk://users/../about' },
]

/** As the client hears it; an unknown name is an error of JSON-RPC with 200. */
function heard({ decision }: Explanation): string {
  if (decision.outcome === 'allowed') return 'passed'
  // In the message an approval that is missing is an error of JSON-RPC too: clients read its text there.
  return ['mcp_unknown', 'mcp_never', 'mcp_approval'].includes(String(decision.reason))
    ? 'unknown'
    : `${decision.status} ${decision.permission?.id}`
}

t.test('whatever is explained is what the gate does', async (t) => {
  const { gate, upstream, explained } = await open(t)
  const tokens = {
    nobody: '',
    second: await gate.token([subscriptions]),
    first: await gate.token([users]),
    both: await gate.token([users, subscriptions]),
  }
  for (const [caller, token] of Object.entries(tokens)) {
    for (const operation of operations) {
      const what = `${caller}: ${operation.kind} ${operation.name}`
      const said = heard(await explained(token, operation))
      for (const era of ['modern', 'legacy'] as const) {
        const before = upstream.requests.length
        const { status, body } = await send(gate, token, operation, era)
        if (upstream.requests.length > before) t.equal(said, 'passed', what)
        else if (status === 200) t.equal(said, 'unknown', what)
        else {
          const { error } = JSON.parse(body)
          const id = (error.data ?? error).permission?.id
          t.equal(said, `${status} ${id}`, what)
        }
      }
    }
  }
})

t.test('an explanation names the operation, what it needs, and the next step', async (t) => {
  const { gate, explained } = await open(t)
  const token = await gate.token([users])
  const operation = { kind: 'tool', name: 'both' } as const
  t.match(await explained(token, operation), {
    request: { method: 'POST', path: '/desk/mcp', operation },
    decision: { outcome: 'refused', status: 403, reason: 'insufficient_scope', permission: { id: subscriptions } },
    decidedBy: { what: 'route', name: '/desk/mcp tools/call:both' },
    route: { id: '/desk/mcp tools/call:both', pattern: '/desk/mcp' },
    requirement: [{ kind: 'application', met: false, permissions: [{ id: users }, { id: subscriptions }] }],
  })
  t.match(await explained(token), { decision: { outcome: 'allowed', message: /connecting and lists; name a tool/ } })
  const named = await explained(token, { kind: 'tool', name: 'list_users' })
  t.equal(named.decision.message, 'The caller may make this call; it goes to desk.')
  const several = await explained(token, { kind: 'resource', name: 'desk://users/7' })
  t.equal(several.route?.id, '/desk/mcp resources/read:desk://users/{name}', 'the one that is not met')
  t.match(await explained(token, { kind: 'tool', name: 'nothing' }), {
    decision: { outcome: 'refused', status: 404, reason: 'mcp_unknown', message: 'Unknown tool: nothing' },
    remedy: [{ message: /names no such tool/ }],
  })
  t.match(await explained(token, { kind: 'tool', name: 'watched' }), {
    decision: { outcome: 'allowed', reason: 'would_deny_insufficient_scope' },
  })
  t.match(await explained(token, { kind: 'tool', name: 'approved' }), {
    decision: { outcome: 'refused', status: 403, reason: 'mcp_approval' },
    remedy: [{ message: /approves each call/ }],
  })
  const connecting = await explained(token)
  t.match(connecting, { decision: { outcome: 'allowed' }, route: { id: '/desk/mcp' } })
  t.notOk('operation' in connecting.request)
  t.match(await explained(token, operation, '/plain'), { decision: { reason: 'no_mcp_server', status: 400 } })
  t.match(await explained(token, operation, '/nothing'), { decision: { reason: 'not_found', status: 404 } })
})

t.test('limits of an operation are looked at, and none is spent', async (t) => {
  const { gate, explained } = await open(t)
  const token = await gate.token([users])
  const slow = { kind: 'tool', name: 'slow' } as const
  for (let i = 0; i < 3; i += 1) {
    t.match(await explained(token, slow), {
      decision: { outcome: 'allowed' },
      limits: [{ name: 'slow', remaining: 1, allows: true }],
    })
  }
  t.equal((await send(gate, token, slow, 'modern')).status, 200)
  t.match(await explained(token, slow), { decision: { outcome: 'refused', status: 429, reason: 'rate_limited' } })
})

t.test('the id of a plan names its operation', (t) => {
  const route = '/desk/mcp'
  t.same(operationOfId(`${route} tools/call:a b:c`, route), { kind: 'tool', name: 'a b:c' })
  t.same(operationOfId(`${route} prompts/get:x`, route), { kind: 'prompt', name: 'x' })
  t.same(operationOfId(`${route} resources/read:desk://{id}`, route), { kind: 'resource', name: 'desk://{id}' })
  for (const other of [route, '/desk', `${route} GET`, '/other tools/call:x'])
    t.equal(operationOfId(other, route), undefined)
  t.end()
})
