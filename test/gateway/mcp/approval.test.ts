// Tools whose calls a person has to approve: by the server's own record none without an approval of this very call, in
// both eras; what the client hears; and what an approval is good for.

import { randomUUID } from 'node:crypto'
import t from 'tap'
import { createCallApprovals } from '../../../src/approvals/call-approvals.js'
import { decideApproval, findApproval } from '../../../src/approvals/decision.js'
import type { McpOperationSettings, RouteSettings } from '../../../src/config/settings/route-settings.js'
import { writesAs } from '../../../src/directory/actor.js'
import type { McpVersion } from '../../../src/mcp/versions.js'
import { endGrantRows, insertGrant } from '../../../src/storage/sql/grants/grants.js'
import { StoreUnavailable } from '../../../src/storage/sql/store.js'
import { type GateApp, openGate, recordingUpstream, type Test, viaProxy } from '../../support/rooms/http-gate.js'
import { rawRequest } from '../../support/traffic/http-raw.js'

const modern = '2026-07-28'
const read = 'User.Read.All'
const derive = () => [new Uint8Array(32).fill(2)]
const tool = (rule: McpOperationSettings['rule'], more: Partial<McpOperationSettings> = {}): McpOperationSettings => ({
  needs: { anyOf: [[read]] },
  ...(rule === undefined ? {} : { rule }),
  ...more,
})
const mcp: NonNullable<RouteSettings['mcp']> = {
  list: 'granted',
  versions: new Set<McpVersion>([modern, '2025-11-25', '2025-06-18']),
  first: { anyOf: [[read]] },
  tools: new Map([
    ['list', tool(undefined)],
    ['close', tool('approval')],
    ['other', tool('approval')],
    ['watched', tool('approval', { needs: { anyOf: [['Subscription.Read.All']] }, shadow: true })],
    ['slow', tool('approval', { limits: ['slow'] })],
  ]),
  prompts: new Map(),
  resources: new Map(),
}
const slow = {
  name: 'slow',
  by: ['application'],
  algorithm: { kind: 'token-bucket', limit: 1, burst: 1, periodMs: 60_000 },
  onCountersDown: 'refuse',
  shadow: false,
}

interface Caller {
  userId: string
  applicationId: string
  tenantId: string
  grantId: string
}

async function open(t: Test, replaced: Partial<GateApp['deps']> = {}) {
  const upstream = await recordingUpstream(t)
  const route = (path: string) => ({
    path,
    id: path,
    methods: { POST: [read], GET: [read], DELETE: [read] },
    mcp,
    limits: [],
  })
  const gate = await openGate(t, {
    routes: [route('/desk/mcp'), route('/other/mcp'), route('/desks/{desk}/mcp')],
    upstreams: { desk: { target: upstream.target } },
    limits: { slow: slow as never },
    replace: () => replaced,
  })
  const caller = async (changes: Partial<Caller> = {}): Promise<Caller & { token: string }> => {
    const grantId = randomUUID()
    const of = { userId: 'anna', applicationId: randomUUID(), tenantId: randomUUID(), grantId, ...changes }
    if (of.grantId === grantId) await gate.store.transaction((tx) => insertGrant(tx, grantRow(of)))
    const claims = { idtyp: 'user', oid: of.userId, sub: of.userId, gid: of.grantId }
    const token = await gate.token([read], { ...claims, client_id: of.applicationId, tid: of.tenantId } as object)
    return { ...of, token }
  }
  const decide = (id: string, to: 'allowed' | 'refused', userId = 'anna') => {
    const acting = writesAs(gate.writes, { actor: { kind: 'user', userId } })
    return decideApproval(acting, { derive, now: gate.now }, { id, userId, to, stillMay: async () => true })
  }
  return { upstream, gate, caller, decide }
}

function grantRow({ userId, applicationId, tenantId, grantId }: Caller) {
  return {
    ...{ id: grantId, origin: 'code', user_id: userId, application_id: applicationId, tenant_id: tenantId },
    ...{ resource: 'r', permissions: '', openid_scopes: '', client_identifier: '', authentication: '{}' },
    ...{ state: 'active', created_at: 0, ended_at: null, refresh_sequence: 0, idle_expires_at: 0, expires_at: 0 },
  }
}

interface Sent {
  name?: string
  arguments?: string
  version?: McpVersion
  capabilities?: object
  path?: string
  more?: Record<string, unknown>
}

async function call(gate: GateApp, { token }: { token: string }, sent: Sent = {}) {
  const { name = 'close', version = modern, capabilities = {}, path = '/desk/mcp', more = {} } = sent
  const meta = {
    'io.modelcontextprotocol/protocolVersion': modern,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  }
  const rest = JSON.stringify({ name, ...(version === modern ? { _meta: meta } : {}), ...more }).slice(1)
  const body = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"arguments":${sent.arguments ?? '{"id":"T1"}'},${rest}}`
  const fields = version === modern ? `Mcp-Method: tools/call\r\nMcp-Name: ${name}\r\n` : ''
  const head = `POST ${path} HTTP/1.1\r\n${viaProxy}Authorization: Bearer ${token}\r\nContent-Type: application/json\r\n`
  const length = `MCP-Protocol-Version: ${version}\r\n${fields}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`
  const answer = await rawRequest(gate, head + length + body)
  return { status: answer.status, text: answer.body, json: JSON.parse(answer.body) }
}

const idIn = (text: string) => /account\/approvals\/([\w-]+)/.exec(text)?.[1] ?? ''

t.test('G8 a call that was approved passes once, the very bytes, in every revision', async (t) => {
  const { gate, upstream, caller, decide } = await open(t)
  for (const version of [modern, '2025-11-25', '2025-06-18'] as const) {
    const agent = await caller()
    const before = upstream.requests.length
    const first = await call(gate, agent, { version })
    const again = await call(gate, agent, { version })
    t.equal(again.text, first.text, 'the same refusal has the same bytes')
    t.equal(upstream.requests.length, before, 'nothing reached the server')
    t.equal(await decide(idIn(first.text), 'allowed'), true)
    t.same((await call(gate, agent, { version, arguments: '{"id":"T2"}' })).status, 200)
    t.equal(upstream.requests.length, before, 'other arguments are another call')
    t.same((await call(gate, agent, { version })).json, { ok: true })
    t.equal(upstream.requests.length, before + 1)
    t.match(upstream.requests.at(-1)?.body, '"arguments":{"id":"T1"}')
    const replayed = await call(gate, agent, { version })
    t.not(idIn(replayed.text), idIn(first.text), 'a replay is a new request')
    t.equal(upstream.requests.length, before + 1)
  }
  t.match(await counts(gate), { requested: 9, again: 3, used: 3 })
})

t.test('what the client hears, by its revision and by what it can take', async (t) => {
  const { gate, caller } = await open(t)
  const agent = await caller()
  const url = { elicitation: { url: {} } }
  const plain = await call(gate, agent)
  const uri = `https://portcullis.test/account/approvals/${idIn(plain.text)}`
  t.match(plain, { status: 200, json: { id: 7, error: { code: 403, data: { approval_uri: uri } } } })
  t.match(plain.json.error.message, uri)
  t.same((await call(gate, agent, { capabilities: { elicitation: {} } })).text, plain.text, 'forms alone')
  const inBand = await call(gate, agent, { capabilities: url })
  t.match(inBand.json, {
    id: 7,
    result: {
      resultType: 'input_required',
      inputRequests: { 'portcullis/approval': { method: 'elicitation/create', params: { mode: 'url', url: uri } } },
    },
  })
  const inputResponses = { 'portcullis/approval': { action: 'accept' } }
  const retried = await call(gate, agent, { capabilities: url, more: { inputResponses } })
  t.equal(retried.text, plain.text, 'an answer of the client approves nothing, and it gets no second address to open')
  const session = await call(gate, agent, { version: '2025-11-25' })
  t.match(session.json.error, {
    code: -32042,
    message: uri,
    data: { elicitations: [{ mode: 'url', url: uri, elicitationId: idIn(uri) }], approval_uri: uri },
  })
  t.match((await call(gate, agent, { version: '2025-06-18' })).json.error, { code: 403, data: { approval_uri: uri } })
})

t.test('G8 arguments in another order or spelling are the same, and anything else is not', async (t) => {
  const { gate, upstream, caller, decide } = await open(t)
  const agent = await caller()
  const given = '{"a":1,"b":{"c":"\\u00e9x","d":[1,2]}}'
  const same = '{ "b": {"d":[1, 2], "c":"\\u00E9\\u0078"}, "a": 1 }'
  const id = idIn((await call(gate, agent, { arguments: given })).text)
  t.equal(idIn((await call(gate, agent, { arguments: same })).text), id)
  await decide(id, 'allowed')
  const others: [string, Sent, Caller & { token: string }][] = [
    ['another order in a list', { arguments: given.replace('[1,2]', '[2,1]') }, agent],
    ['one argument more', { arguments: given.replace('{', '{"z":0,') }, agent],
    ['another tool', { name: 'other', arguments: given }, agent],
    ['another route', { path: '/other/mcp', arguments: given }, agent],
    ['another member of params', { arguments: given, more: { task: { ttl: 1 } } }, agent],
    ['another agent', { arguments: given }, await caller({ tenantId: agent.tenantId })],
    ['another person', { arguments: given }, await caller({ ...agent, userId: 'bert', grantId: undefined as never })],
    ['another tenant', { arguments: given }, await caller({ applicationId: agent.applicationId })],
    [
      'another grant',
      { arguments: given },
      await caller({ applicationId: agent.applicationId, tenantId: agent.tenantId }),
    ],
  ]
  for (const [what, sent, who] of others) {
    const answer = await call(gate, who, sent)
    t.ok(answer.json.error !== undefined && idIn(answer.text) !== id, what)
  }
  t.equal(upstream.requests.length, 0)
  await call(gate, agent, { arguments: same })
  t.equal(upstream.requests.length, 1)
})

t.test('what the client answers to its server is a part of the call, and its person sees it', async (t) => {
  const { gate, upstream, caller, decide } = await open(t)
  const agent = await caller()
  const inBand = { capabilities: { elicitation: { url: {} } } }
  const ours = { 'portcullis/approval': { action: 'accept' } }
  const first = await call(gate, agent, inBand)
  await decide(idIn(first.text), 'allowed')
  const amount = (of: number) => ({ amount: { action: 'accept', content: { of } } })
  const answers = [
    { inputResponses: amount(1) },
    { inputResponses: amount(2) },
    { inputResponses: { ...amount(2), ...ours }, requestState: 's' },
    { requestState: 's' },
  ]
  const ids = new Set([idIn(first.text)])
  for (const more of answers) {
    const answer = await call(gate, agent, { ...inBand, more })
    t.ok(answer.json.error?.data?.approval_uri, 'in the plain error, so that the same call comes again')
    const id = idIn(answer.text)
    ids.add(id)
    const { call: shown } =
      (await findApproval({ derive, now: gate.now }, gate.store.reader, { id, userId: 'anna' })) ?? {}
    const { 'portcullis/approval': _, ...others } = { ...ours, ...more.inputResponses }
    t.match(JSON.parse(String(shown?.arguments)), {
      arguments: { id: 'T1' },
      ...more,
      ...(more.inputResponses && { inputResponses: others }),
    })
  }
  t.equal(ids.size, 5)
  t.equal(upstream.requests.length, 0)
  await call(gate, agent, { ...inBand, more: { inputResponses: ours } })
  t.equal(upstream.requests.length, 1, 'the answer to us alone is the call that was approved')
})

t.test('arguments that look like arguments and what stands beside them are another call', async (t) => {
  const { gate, caller } = await open(t)
  const agent = await caller()
  const beside = await call(gate, agent, { arguments: '{"id":"T1"}', more: { task: { ttl: 1 } } })
  const within = await call(gate, agent, { arguments: '{"arguments":{"id":"T1"},"task":{"ttl":1}}' })
  t.ok(idIn(beside.text))
  t.not(idIn(within.text), idIn(beside.text))
  const [none, nothing] = [await call(gate, agent, { arguments: '{}' }), await call(gate, agent, { arguments: 'null' })]
  t.not(idIn(nothing.text), idIn(none.text))
})

t.test('G8 an approval is for one address: another path of the route, or another query, is another call', async (t) => {
  const { gate, upstream, caller, decide } = await open(t)
  const agent = await caller()
  const idAt = async (path: string) => idIn((await call(gate, agent, { path })).text)
  const shownAt = async (path: string) =>
    (await findApproval({ derive, now: gate.now }, gate.store.reader, { id: await idAt(path), userId: 'anna' }))?.call
  await decide(await idAt('/desk/mcp'), 'allowed')
  await decide(await idAt('/desks/one/mcp?as=reader'), 'allowed')
  const others = ['/desk/mcp?as=admin', '/desk/mcp?', '/desks/one/mcp', '/desks/two/mcp?as=reader']
  for (const path of others) t.equal((await shownAt(path))?.target, path, 'the person sees where it goes')
  t.equal(new Set(await Promise.all(others.map(idAt))).size, others.length)
  t.equal(upstream.requests.length, 0)
  for (const path of ['/desk/mcp', '/desks/one/mcp?as=reader']) await call(gate, agent, { path })
  t.same(
    upstream.requests.map(({ url }) => url),
    ['/desk/mcp', '/desks/one/mcp?as=reader'],
  )
})

t.test('what nobody could read is not looked through first', async (t) => {
  const { gate, caller } = await open(t)
  const agent = await caller()
  for (const given of [`[-0${',1.0'.repeat(60_000)}]`, `{"a":-0,"text":"${'x'.repeat(17_000)}"}`])
    t.match((await call(gate, agent, { arguments: given })).json.error, { code: 403, message: /longer than/ })
  const path = `/desk/mcp?q=${'x'.repeat(6_000)}`
  const given = JSON.stringify({ text: 'x'.repeat(11_000) })
  t.match((await call(gate, agent, { arguments: given, path })).json.error, { code: 403, message: /longer than/ })
})

t.test('nothing is approved that programs read differently', async (t) => {
  const { gate, upstream, caller, decide } = await open(t)
  const agent = await caller()
  const pairs = [
    ['{"amount":9007199254740992}', '{"amount":9007199254740993}'],
    ['{"most":null}', '{"most":1e400}'],
    ['{"share":0.1}', '{"share":0.1000000000000000055}'],
    ['{"at":0}', '{"at":-0}'],
    ['{"id":"T1"}', '{"ID":"T2","id":"T1"}'],
  ] as const
  for (const [approved, sent] of pairs) {
    await decide(idIn((await call(gate, agent, { arguments: approved })).text), 'allowed')
    const answer = await call(gate, agent, { arguments: sent })
    t.match(answer.json.error, { code: 403, message: /read differently/ }, sent)
  }
  t.equal(upstream.requests.length, 0)
})

t.test('G9 a refusal is remembered, and everything ends by itself', async (t) => {
  const { gate, upstream, caller, decide } = await open(t)
  const agent = await caller()
  const id = idIn((await call(gate, agent)).text)
  t.equal(await decide(id, 'allowed', 'bert'), false, 'nobody else decides it')
  t.equal(await decide(id, 'refused'), true)
  t.equal(await decide(id, 'allowed'), false, 'it is decided once')
  const refused = await call(gate, agent)
  t.match(refused.json.error, { code: 403, message: 'The person refused this call.' })
  gate.clock.nowMs += 6 * 60_000
  const next = idIn((await call(gate, agent)).text)
  t.not(next, id, 'the refusal is over')
  gate.clock.nowMs += 10 * 60_000
  t.equal(await decide(next, 'allowed'), false, 'it waited for too long')
  const late = idIn((await call(gate, agent)).text)
  t.not(late, next)
  await decide(late, 'allowed')
  gate.clock.nowMs += 5 * 60_000
  t.not(idIn((await call(gate, agent)).text), late, 'the approval is over')
  t.equal(upstream.requests.length, 0)
})

t.test('who has nobody to approve is refused, and so is what nobody could read', async (t) => {
  const { gate, upstream, caller } = await open(t)
  const robot = { token: await gate.token([read]) }
  t.match((await call(gate, robot)).json.error, { code: 403, message: /made for nobody who could/ })
  const agent = await caller()
  const long = JSON.stringify({ text: 'x'.repeat(17_000) })
  t.match((await call(gate, agent, { arguments: long })).json.error, { code: 403, message: /longer than/ })
  t.ok(idIn((await call(gate, agent, { name: 'watched' })).text), 'shadow is about permissions alone')
  t.equal(upstream.requests.length, 0)
  t.equal((await call(gate, robot, { name: 'list' })).status, 200)
  t.equal(upstream.requests.length, 1)
})

t.test('G9 so many wait for a person and an agent, and the next are refused without loss', async (t) => {
  const { gate, caller, decide } = await open(t)
  const agent = await caller()
  const ids: string[] = []
  for (let i = 0; i < 20; i += 1) ids.push(idIn((await call(gate, agent, { arguments: `{"i":${i}}` })).text))
  t.equal(new Set(ids).size, 20)
  const full = await call(gate, agent, { arguments: '{"i":20}' })
  t.match(full.json.error, { code: 403, message: /Too many calls wait/ })
  t.equal(idIn((await call(gate, agent, { arguments: '{"i":3}' })).text), ids[3], 'those that wait go on waiting')
  t.ok(idIn((await call(gate, await caller({ tenantId: agent.tenantId }))).text), 'another agent has its own')
  await decide(ids[0] ?? '', 'allowed')
  t.ok(idIn((await call(gate, agent, { arguments: '{"i":20}' })).text), 'there is room again')
})

t.test('G9 a person with many agents takes no room of others in the tenant', async (t) => {
  const { gate, caller } = await open(t)
  const { tenantId } = await caller()
  for (let each = 0; each < 5; each += 1) {
    const agent = await caller({ tenantId })
    for (let i = 0; i < 20; i += 1) t.ok(idIn((await call(gate, agent, { arguments: `{"i":${i}}` })).text))
  }
  const one = await call(gate, await caller({ tenantId }))
  t.match(one.json.error, { code: 403, message: /Too many calls wait/ })
  t.ok(idIn((await call(gate, await caller({ tenantId, userId: 'ben' }))).text), 'another person has their own')
})

t.test('what is withdrawn is void at once, also when it was approved', async (t) => {
  const { gate, upstream, caller, decide } = await open(t)
  const agent = await caller()
  const [waiting, allowed] = [await call(gate, agent, { arguments: '{}' }), await call(gate, agent)].map((one) =>
    idIn(one.text),
  )
  await decide(allowed ?? '', 'allowed')
  // The token of the call is known still: no view has heard of it.
  await gate.store.transaction((tx) => endGrantRows(tx, { grantId: agent.grantId }, gate.now()))
  t.match((await call(gate, agent)).json.error, { code: 403, message: /has been withdrawn/ })
  t.equal(await decide(waiting ?? '', 'allowed'), false)
  const seen = (id = '') => findApproval({ derive, now: gate.now }, gate.store.reader, { id, userId: 'anna' })
  t.match([await seen(waiting), await seen(allowed)], [{ state: 'over' }, { state: 'over' }])
  t.equal(upstream.requests.length, 0)
})

t.test('a call that meets its limit uses no approval', async (t) => {
  const { gate, upstream, caller, decide } = await open(t)
  const agent = await caller()
  const id = idIn((await call(gate, agent, { name: 'slow' })).text)
  await decide(id, 'allowed')
  t.equal((await call(gate, agent, { name: 'slow' })).status, 429)
  t.match(await findApproval({ derive, now: gate.now }, gate.store.reader, { id, userId: 'anna' }), {
    state: 'allowed',
  })
  t.equal(upstream.requests.length, 0)
})

t.test('while the store does not answer, nothing passes and nothing is used', async (t) => {
  const { gate, upstream, caller, decide } = await open(t, {
    approvals: {
      request: async () => {
        throw new StoreUnavailable('gone')
      },
    },
  })
  const answer = await call(gate, await caller())
  t.match(answer, { status: 503, json: { id: 7, error: { code: -32603, message: /send the call again/ } } })
  t.equal(upstream.requests.length, 0)
  t.equal(await decide('nobody', 'allowed'), false)
})

t.test('of calls at the same time on two instances one is let through, also after a restart', async (t) => {
  const { gate, caller, decide } = await open(t)
  const agent = await caller()
  const instance = () => {
    const { store, writes, now } = gate
    return createCallApprovals({ store, writes, derive, now, count: () => {} })
  }
  const { token: _, ...whose } = agent
  const given = { resource: 'r', operation: 'o', tool: 'close', arguments: '{}', ...whose }
  const from = { requestId: 'x', address: '192.0.2.1' }
  const made = await Promise.all([instance(), instance()].map((one) => one.request(given, from)))
  const ids = new Set(made.map((one) => 'id' in one && one.id))
  t.equal(ids.size, 1, 'they made one request')
  const [id] = ids
  t.equal(await decide(String(id), 'allowed'), true)
  const used = await Promise.all([instance(), instance(), instance()].map((one) => one.request(given, from)))
  t.equal(used.filter(({ kind }) => kind === 'used').length, 1)
})

t.test('what is stored and told says nothing of the arguments', async (t) => {
  const { gate, caller, decide } = await open(t)
  const agent = await caller()
  const id = idIn((await call(gate, agent, { arguments: '{"secret":"hunter2"}' })).text)
  await decide(id, 'allowed')
  await call(gate, agent, { arguments: '{"secret":"hunter2"}' })
  const rows = await gate.store.reader.selectFrom('call_approvals').selectAll().execute()
  t.match(rows, [{ state: 'used', body: '', call_key: null }])
  await call(gate, agent, { arguments: '{"secret":"hunter2"}' })
  const stored = await gate.store.reader.selectFrom('call_approvals').selectAll().execute()
  const ledger = await gate.store.reader.selectFrom('ledger').selectAll().orderBy('position').execute()
  t.notMatch(JSON.stringify([stored, ledger]) + gate.logged.join(''), /hunter2/)
  const events = ledger.map(({ event }) => event).filter((event) => event.startsWith('approval.'))
  t.same(events, ['approval.requested', 'approval.allowed', 'approval.used', 'approval.requested'])
})

async function counts(gate: GateApp): Promise<Record<string, number>> {
  const { values } = await gate.metrics.mcpApprovals.get()
  return Object.fromEntries(values.map(({ labels, value }) => [String(labels.outcome), value]))
}
