// What lists show, to whom, and in which form the server answers. What is not shown is refused all the same: that is
// operations.test.ts.

import { gzipSync } from 'node:zlib'
import t from 'tap'
import type { McpOperationSettings, RouteSettings } from '../../../src/config/settings/route-settings.js'
import type { McpVersion } from '../../../src/mcp/versions.js'
import { ownResource } from '../../support/rooms/directory.js'
import { openGate, recordingUpstream, type Test, viaProxy } from '../../support/rooms/http-gate.js'
import { rawRequest } from '../../support/traffic/http-raw.js'

const legacy = '2025-11-25'
const need = (...ids: string[]): McpOperationSettings => ({ needs: { anyOf: [ids] } })
const first = ['User.Read.All']

const items = {
  tools: [{ name: 'users' }, { name: 'subscriptions' }, { name: 'watched' }, { name: 'not named' }],
  prompts: [{ name: 'greet' }, { name: 'users' }],
  resources: [{ uri: 'desk://users/1' }, { uri: 'desk://subscriptions/1' }, { uri: 'desk://others/1' }],
  resourceTemplates: [{ uriTemplate: 'desk://users/{id}' }, { uriTemplate: 'desk://{any}/1' }],
}

const methods = {
  tools: 'tools/list',
  prompts: 'prompts/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
} as const

type Form = 'json' | 'stream' | 'gzip' | 'broken' | 'large' | 'error'

async function open(t: Test, list: 'granted' | 'acquirable' | 'all', form: () => Form) {
  const upstream = await recordingUpstream(t, (_request, response, { body }) => {
    const { id, method } = JSON.parse(body)
    const kind = Object.entries(methods).find(([, one]) => one === method)?.[0] as keyof typeof items
    const answer = JSON.stringify({ jsonrpc: '2.0', id, result: { [kind]: items[kind], nextCursor: 'n' } })
    const json = { 'content-type': 'application/json' }
    if (form() === 'json') response.writeHead(200, { ...json, etag: '"a"' }).end(answer)
    if (form() === 'gzip') response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(gzipSync(answer))
    if (form() === 'broken') response.writeHead(200, json).end(answer.slice(0, -1))
    if (form() === 'large') response.writeHead(200, json).end(answer + ' '.repeat(5_000_000))
    if (form() === 'error') response.writeHead(400, json).end(answer)
    if (form() !== 'stream') return
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(': hello\r\n\r\nid: 1\r\ndata: {"jsonrpc":"2.0","method":"notifications/message"}\r\n\r\n')
    response.end(`event: message\r\ndata: ${answer}\r\n\r\n`)
  })
  const gate = await openGate(t, {
    routes: [
      {
        path: '/desk/mcp',
        id: '/desk/mcp',
        methods: { POST: first, GET: first, DELETE: first },
        mcp: settings(list),
      },
    ],
    upstreams: { desk: { target: upstream.target } },
  })
  const ask = async (token: string, kind: keyof typeof items) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 3, method: methods[kind], params: {} })
    const fields = `Content-Type: application/json\r\nMCP-Protocol-Version: ${legacy}\r\nAccept-Encoding: gzip, br\r\n`
    const head = `POST /desk/mcp HTTP/1.1\r\n${viaProxy}Authorization: Bearer ${token}\r\n${fields}`
    return rawRequest(gate, `${head}Content-Length: ${body.length}\r\n\r\n${body}`)
  }
  return { upstream, gate, ask }
}

function settings(list: 'granted' | 'acquirable' | 'all'): NonNullable<RouteSettings['mcp']> {
  return {
    versions: new Set<McpVersion>(['2026-07-28', legacy]),
    list,
    first: { anyOf: [first] },
    tools: new Map([
      ['users', need('User.Read.All')],
      ['subscriptions', need('Subscription.Read.All')],
      ['watched', { ...need('Subscription.Read.All'), shadow: true }],
    ]),
    prompts: new Map([['greet', need('Subscription.Read.All')]]),
    resources: new Map([
      ['desk://users/{id}', need('User.Read.All')],
      ['desk://subscriptions/{id}', need('Subscription.Read.All')],
    ]),
  }
}

const shown = (body: string, kind: keyof typeof items) =>
  (JSON.parse(body).result[kind] as Record<string, string>[]).map(
    ({ name, uri, uriTemplate }) => name ?? uri ?? uriTemplate,
  )

t.test('G6 a caller sees what the token may do, whether the answer is JSON or a stream', async (t) => {
  let form: Form = 'json'
  const { gate, ask, upstream } = await open(t, 'granted', () => form)
  const some = await gate.token(['User.Read.All'])
  const all = await gate.token(['User.Read.All', 'Subscription.Read.All'])
  const expected = {
    tools: [
      ['users', 'watched'],
      ['users', 'subscriptions', 'watched'],
    ],
    prompts: [[], ['greet']],
    resources: [['desk://users/1'], ['desk://users/1', 'desk://subscriptions/1']],
    resourceTemplates: [['desk://users/{id}'], ['desk://users/{id}']],
  }
  for (form of ['json', 'stream'] as const) {
    for (const [kind, [forSome, forAll]] of Object.entries(expected)) {
      for (const [token, names] of [
        [some, forSome],
        [all, forAll],
      ] as const) {
        const { status, body, headers } = await ask(token, kind as keyof typeof items)
        t.equal(status, 200)
        t.equal(headers.get('etag'), undefined)
        const json = form === 'json' ? body : (/\ndata: (.*)\n\n$/.exec(body)?.[1] ?? '')
        t.same(shown(json, kind as keyof typeof items), names, `${kind} ${form}`)
        t.equal(JSON.parse(json).result.nextCursor, 'n')
        if (form === 'stream') t.match(body, /^: hello\r\n\r\nid: 1\r\ndata: \{"jsonrpc":"2\.0","method"/)
      }
    }
  }
  t.equal(upstream.requests[0]?.headers['accept-encoding'], 'identity')
})

t.test('G6 an answer that cannot be read is no list: nothing of it is shown', async (t) => {
  let form: Form = 'gzip'
  const { gate, ask } = await open(t, 'granted', () => form)
  const token = await gate.token()
  for (form of ['gzip', 'broken', 'large'] as const) {
    const { status, body } = await ask(token, 'tools')
    t.equal(status, 502, form)
    t.notMatch(body, /subscriptions/)
  }
  form = 'error'
  t.equal((await ask(token, 'tools')).status, 400, 'an error passes')
})

t.test('what consent could give is shown where the file says so, and all where it says that', async (t) => {
  const { gate, ask } = await open(t, 'acquirable', () => 'json')
  const seenBy = async (ids: readonly string[]) => {
    const permissions = ids.map((id) => ({ kind: 'application' as const, resource: ownResource, id }))
    const { registration, tenantId } = await gate.registerDemo({ permissions })
    const token = await gate.token(['User.Read.All'], { client_id: registration.applicationId, tid: tenantId })
    return shown((await ask(token, 'tools')).body, 'tools')
  }
  t.same(await seenBy(['User.Read.All']), ['users', 'watched'])
  t.same(await seenBy(['User.Read.All', 'Subscription.Read.All']), ['users', 'subscriptions', 'watched'])
  const all = await open(t, 'all', () => 'json')
  t.same(
    shown((await all.ask(await all.gate.token(), 'tools')).body, 'tools'),
    items.tools.map(({ name }) => name),
  )
})

t.test('a stream that is gone on with shows in its answers to lists what the lists show', async (t) => {
  let form: 'stream' | 'json' | 'gzip' = 'stream'
  const answers = Object.entries(items).map(([kind, listed], at) =>
    JSON.stringify({ jsonrpc: '2.0', id: at === 0 ? 'of before' : at, result: { [kind]: listed, nextCursor: 'n' } }),
  )
  const notification = '{"jsonrpc":"2.0","method":"notifications/message","params":{"tools":[{"name":"not named"}]}}'
  const called = '{"jsonrpc":"2.0","id":9,"result":{"content":[{"type":"text","text":"done"}]}}'
  const upstream = await recordingUpstream(t, (_request, response) => {
    const lines = [notification, ...answers, called].map((data, at) => `id: ${at}\r\ndata: ${data}\r\n\r\n`)
    if (form === 'json') response.setHeader('content-type', 'application/json').end(answers[0])
    else if (form === 'gzip') {
      const fields = { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }
      response.writeHead(200, fields).end(gzipSync(lines.join('')))
    } else {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(lines.join(''))
    }
  })
  const route = { path: '/desk/mcp', id: '/desk/mcp', methods: { POST: first, GET: first } }
  const gate = await openGate(t, {
    routes: [
      { ...route, mcp: settings('granted') },
      { ...route, path: '/all/mcp', id: '/all/mcp', mcp: settings('all') },
    ],
    upstreams: { desk: { target: upstream.target } },
  })
  const token = await gate.token(first)
  const goOn = (name = 'Last-Event-ID', path = '/desk/mcp') =>
    rawRequest(
      gate,
      `GET ${path} HTTP/1.1\r\n${viaProxy}Authorization: Bearer ${token}\r\n${name}: 0\r\nAccept-Encoding: gzip\r\n\r\n`,
    )
  for (const name of ['Last-Event-ID', 'LAST-EVENT-ID', 'last_event_id']) {
    const { status, body } = await goOn(name)
    t.equal(status, 200)
    const events = [...body.matchAll(/(?<=\ndata: ).*?(?=\r?\n)/g)].map(([data]) => String(data))
    t.equal(events[0], notification, 'what is no answer passes as it is')
    t.equal(events.at(-1), called)
    const kinds = ['tools', 'prompts', 'resources', 'resourceTemplates'] as const
    t.same(
      kinds.map((kind, at) => shown(events[at + 1] ?? '', kind)),
      [['users', 'watched'], [], ['desk://users/1'], ['desk://users/{id}']],
      name,
    )
    t.match(body, /id: 1\ndata: /, 'with the id by which it can be gone on with')
  }
  t.equal(upstream.requests[0]?.headers['last-event-id'], '0', 'the server goes on where the client says')
  t.equal(upstream.requests[0]?.headers['accept-encoding'], 'identity')
  t.match((await goOn('Last-Event-ID', '/all/mcp')).body, 'not named')
  form = 'gzip'
  const encoded = await goOn()
  t.equal(encoded.status, 502, 'what cannot be read is not passed')
  form = 'json'
  t.notMatch((await goOn()).body, 'not named')
})
