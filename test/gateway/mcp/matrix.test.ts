// Who may do what on one MCP server, as a table that a person wrote: four callers, twelve operations; in lists, in calls
// and after a step-up, in both eras. The server's own record is what counts.

import t from 'tap'
import type { McpOperationSettings, McpSettings } from '../../../src/config/settings/route-settings.js'
import type { McpVersion } from '../../../src/mcp/versions.js'
import { ownResource } from '../../support/rooms/directory.js'
import { type GateApp, openGate, recordingUpstream, type Test, viaProxy } from '../../support/rooms/http-gate.js'
import { rawRequest } from '../../support/traffic/http-raw.js'

const modern = '2026-07-28'
const legacy = '2025-11-25'
const eras = ['modern', 'legacy'] as const
type Era = (typeof eras)[number]

/** By their letters in the table: reading, writing (which covers reading), logs. */
const permissionOf = { R: 'User.Read.All', W: 'User.ReadWrite.All', L: 'Subscription.Read.All' } as const
type Letter = keyof typeof permissionOf
const idsOf = (letters: string): string[] => [...letters].map((letter) => permissionOf[letter as Letter])

/**
 * In lists: `shown` also where only what is granted is; `offered` where consent can give it; `hidden` otherwise; `-` is in
 * no list. A call `passes`, `lacks` permissions, or is of something `unknown`: also where no consent could give it to the
 * agent of a person.
 */
const table = `
operation                      | reader            | writer          | machine         | unregistered
tool list_tickets              | shown    passes   | shown  passes   | shown  passes   | shown  passes
tool close_ticket              | offered  lacks W  | shown  passes   | hidden lacks W  | hidden unknown
tool merge_tickets             | offered  lacks WL | offered lacks L | hidden lacks W  | hidden unknown
tool watched                   | shown    passes   | shown  passes   | shown  passes   | shown  passes
tool drop_everything           | hidden   unknown  | hidden unknown  | hidden unknown  | hidden unknown
prompt greet                   | shown    passes   | shown  passes   | shown  passes   | shown  passes
prompt report                  | offered  lacks L  | offered lacks L | shown  passes   | hidden unknown
resource desk://tickets/7      | shown    passes   | shown  passes   | shown  passes   | shown  passes
resource desk://logs/7         | offered  lacks L  | offered lacks L | shown  passes   | hidden unknown
resource desk://others/7       | hidden   unknown  | hidden unknown  | hidden unknown  | hidden unknown
completion report              | -        lacks L  | -      lacks L  | -      passes   | -      unknown
subscription desk://logs/7     | -        lacks L  | -      lacks L  | -      passes   | -      unknown
`

interface Cell {
  caller: string
  operation: string
  kind: string
  name: string
  list: string
  outcome: string
  /** Letters. */
  lacks: string
}

const [heading = [], ...rows] = table
  .trim()
  .split('\n')
  .map((line) => line.split('|').map((text) => text.trim()))
const callers = heading.slice(1)
const cells = rows.flatMap(([operation = '', ...answers]) =>
  answers.map((answer, at): Cell => {
    const [kind = '', name = ''] = operation.split(' ')
    const [list = '', outcome = '', lacks = ''] = answer.split(/ +/)
    return { caller: callers[at] ?? '', operation, kind, name, list, outcome, lacks }
  }),
)

const needs = (letters: string): McpOperationSettings => ({ needs: { anyOf: [idsOf(letters)] } })
const mcp: Omit<McpSettings, 'list'> = {
  versions: new Set<McpVersion>([modern, legacy]),
  first: { anyOf: [idsOf('R')] },
  tools: new Map([
    ['list_tickets', needs('R')],
    ['close_ticket', needs('W')],
    ['merge_tickets', needs('WL')],
    ['watched', { ...needs('L'), shadow: true }],
  ]),
  prompts: new Map([
    ['greet', needs('R')],
    ['report', needs('L')],
  ]),
  resources: new Map([
    ['desk://tickets/{id}', needs('R')],
    ['desk://logs/{id}', needs('L')],
  ]),
}

/** All that the server has, more than is configured. */
const has = {
  tools: ['list_tickets', 'close_ticket', 'merge_tickets', 'watched', 'drop_everything'].map((name) => ({ name })),
  prompts: ['greet', 'report'].map((name) => ({ name })),
  resources: ['desk://tickets/7', 'desk://logs/7', 'desk://others/7'].map((uri) => ({ uri })),
}
const listOf: Readonly<Record<string, keyof typeof has>> = { tool: 'tools', prompt: 'prompts', resource: 'resources' }

const views = ['granted', 'acquirable', 'all'] as const

async function open(t: Test) {
  const upstream = await recordingUpstream(t, (_request, response, { body }) => {
    const { id, method } = JSON.parse(body)
    const kind = Object.values(listOf).find((list) => method === `${list}/list`)
    const result = kind === undefined ? {} : { [kind]: has[kind] }
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })
  const route = { methods: { POST: idsOf('R'), GET: idsOf('R'), DELETE: idsOf('R') } }
  const gate = await openGate(t, {
    routes: views.map((list) => ({ ...route, path: `/${list}/mcp`, id: `/${list}/mcp`, mcp: { ...mcp, list } })),
    upstreams: { desk: { target: upstream.target } },
  })
  return { gate, upstream }
}

/** Gives a token of each with these permissions. */
async function openCallers(gate: GateApp) {
  const configured = (kind: 'delegated' | 'application', letters: string) => ({
    permissions: idsOf(letters).map((id) => ({ kind, resource: ownResource, id })),
  })
  const agent = await gate.registerDemo({ type: 'native', ...configured('delegated', 'RWL') })
  const machine = await gate.registerDemo(configured('application', 'RL'))
  const person = (of: { client_id: string; tid: string }) => (ids: readonly string[]) =>
    gate.token(ids, { ...of, idtyp: 'user', oid: 'person', sub: 'person', gid: 'grant' } as object)
  const at = ({ registration, tenantId }: typeof agent) => ({ client_id: registration.applicationId, tid: tenantId })
  const nobody = { client_id: '3f0c1f9e-9f34-4c6e-8f9e-0a6d1c5b7a77', tid: machine.tenantId }
  return {
    reader: { held: 'R', token: person(at(agent)) },
    writer: { held: 'W', token: person(at(agent)) },
    machine: { held: 'RL', token: (ids: readonly string[]) => gate.token(ids, at(machine)) },
    unregistered: { held: 'R', token: person(nobody) },
  } as const
}

type Sent = { method: string; params: Record<string, unknown> }

function callOf({ kind, name }: Pick<Cell, 'kind' | 'name'>, era: Era): Sent {
  if (kind === 'tool') return { method: 'tools/call', params: { name, arguments: {} } }
  if (kind === 'prompt') return { method: 'prompts/get', params: { name } }
  if (kind === 'resource') return { method: 'resources/read', params: { uri: name } }
  if (kind === 'completion')
    return { method: 'completion/complete', params: { ref: { type: 'ref/prompt', name }, argument: {} } }
  if (era === 'legacy') return { method: 'resources/subscribe', params: { uri: name } }
  return { method: 'subscriptions/listen', params: { notifications: { resourceSubscriptions: [name] } } }
}

async function send(gate: GateApp, era: Era, { method, params }: Sent, to: { token: string; view?: string }) {
  const { token, view = 'acquirable' } = to
  const meta = era === 'modern' ? { _meta: { 'io.modelcontextprotocol/protocolVersion': modern } } : {}
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: { ...params, ...meta } })
  const about = method === 'resources/read' ? params['uri'] : params['name']
  const lines = [
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `MCP-Protocol-Version: ${era === 'modern' ? modern : legacy}`,
    ...(era === 'modern' ? [`Mcp-Method: ${method}`] : []),
    ...(era === 'modern' && typeof about === 'string' ? [`Mcp-Name: ${about}`] : []),
  ]
  const {
    status,
    body: answer,
    headers,
  } = await rawRequest(gate, `POST /${view}/mcp HTTP/1.1\r\n${viaProxy}${lines.join('\r\n')}\r\n\r\n${body}`)
  const challenge = headers.get('www-authenticate')?.[0]
  const scope = /scope="([^"]*)"/.exec(challenge ?? '')?.[1]?.split(' ')
  return { status, answer: JSON.parse(answer), challenge, scope }
}

/** What a caller sees of a kind. */
async function listed(gate: GateApp, era: Era, kind: string, to: { token: string; view: string }): Promise<string[]> {
  const list = listOf[kind] ?? 'tools'
  const { answer } = await send(gate, era, { method: `${list}/list`, params: {} }, to)
  return answer.result[list].map(({ name, uri }: Record<string, string>) => name ?? uri)
}

t.test('G6 lists show exactly what the table says, in each of the three views', async (t) => {
  const { gate } = await open(t)
  const byName = await openCallers(gate)
  for (const era of eras) {
    for (const caller of callers) {
      const { held, token } = byName[caller as keyof typeof byName]
      const own = await token(idsOf(held))
      for (const view of views) {
        for (const kind of Object.keys(listOf)) {
          const isSeen = ({ list }: Cell) =>
            list === 'shown' || view === 'all' || (list === 'offered' && view !== 'granted')
          const expected = cells.filter((cell) => cell.caller === caller && cell.kind === kind && isSeen(cell))
          t.same(
            await listed(gate, era, kind, { token: own, view }),
            expected.map(({ name }) => name),
            `${caller}, ${era}, ${view}: ${kind}`,
          )
        }
      }
    }
  }
})

t.test('G5 by the record of the server exactly those calls pass that the table lets pass', async (t) => {
  const { gate, upstream } = await open(t)
  const byName = await openCallers(gate)
  for (const era of eras) {
    for (const cell of cells) {
      const { held, token } = byName[cell.caller as keyof typeof byName]
      const what = `${cell.caller}, ${era}: ${cell.operation}`
      const before = upstream.requests.length
      const { status, answer, challenge, scope } = await send(gate, era, callOf(cell, era), {
        token: await token(idsOf(held)),
      })
      const reached = upstream.requests.slice(before).map(({ body }) => JSON.parse(body).method)
      if (cell.outcome === 'passes') {
        t.same(reached, [callOf(cell, era).method], what)
        t.same([status, answer.result, challenge], [200, {}, undefined], what)
        continue
      }
      t.same(reached, [], what)
      if (cell.outcome === 'unknown') {
        t.match({ status, answer }, { status: 200, answer: { id: 7, error: { code: -32_602 } } }, what)
        t.equal(challenge, undefined, `${what}: nobody is sent for what nobody can give`)
        continue
      }
      t.match({ status, answer }, { status: 403, answer: { id: 7, error: { code: 403 } } }, what)
      const lacking = idsOf(cell.lacks)
      t.same(scope, era === 'modern' ? lacking : [...idsOf(held), ...lacking], what)
    }
  }
})

t.test('a step-up to what the challenge says is enough, and loses nothing', async (t) => {
  const { gate, upstream } = await open(t)
  const byName = await openCallers(gate)
  for (const era of eras) {
    for (const cell of cells.filter(({ outcome }) => outcome === 'lacks')) {
      const { held, token } = byName[cell.caller as keyof typeof byName]
      const what = `${cell.caller}, ${era}: ${cell.operation}`
      const call = callOf(cell, era)
      const { scope = [] } = await send(gate, era, call, { token: await token(idsOf(held)) })
      // A client of a session asks for the challenge and nothing else; one of the modern era adds what it has.
      const better = await token(era === 'modern' ? [...idsOf(held), ...scope] : scope)
      const before = upstream.requests.length
      t.equal((await send(gate, era, call, { token: better })).status, 200, what)
      t.equal(upstream.requests.length, before + 1, what)
      for (const kept of cells.filter(({ caller, outcome }) => caller === cell.caller && outcome === 'passes'))
        t.equal((await send(gate, era, callOf(kept, era), { token: better })).status, 200, `${what}: ${kept.operation}`)
      if (listOf[cell.kind] === undefined) continue
      const seen = await listed(gate, era, cell.kind, { token: better, view: 'granted' })
      t.ok(seen.includes(cell.name), `${what}: and the list has it`)
    }
  }
})

t.test('the table has four callers and twelve operations', async (t) => {
  t.same([callers.length, rows.length, cells.length], [4, 12, 48])
  const words = new Set(cells.map(({ outcome }) => outcome))
  t.same([...words].sort(), ['lacks', 'passes', 'unknown'])
})
