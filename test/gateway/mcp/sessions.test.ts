// The id of a session belongs to whom it was given: nobody else has a session by it, on any instance, and the server
// never hears of a wrong one.

import t from 'tap'
import type { RouteSettings } from '../../../src/config/settings/route-settings.js'
import { createSessionSeal } from '../../../src/gateway/mcp/session-seal.js'
import type { McpVersion } from '../../../src/mcp/versions.js'
import { openGate, recordingUpstream, viaProxy } from '../../support/rooms/http-gate.js'
import { rawRequest } from '../../support/traffic/http-raw.js'

const first = ['User.Read.All']
const mcp: NonNullable<RouteSettings['mcp']> = {
  versions: new Set<McpVersion>(['2026-07-28', '2025-11-25']),
  list: 'granted',
  first: { anyOf: [first] },
  tools: new Map(),
  prompts: new Map(),
  resources: new Map(),
}

t.test('G7 a session is its owner’s alone', async (t) => {
  let given: string | string[] = 'server-1'
  const upstream = await recordingUpstream(t, (_request, response) => {
    response.setHeader('mcp-session-id', given).setHeader('content-type', 'application/json').end('{"id":1}')
  })
  const methods = { POST: first, GET: first, DELETE: first }
  const route = (path: string) => ({ path, id: path, methods, mcp })
  const gate = await openGate(t, {
    routes: [route('/desk/mcp'), route('/other/mcp')],
    upstreams: { desk: { target: upstream.target } },
  })
  const ask = async (
    token: string,
    options: { session?: string[]; method?: string; call?: string; version?: string; path?: string },
  ) => {
    const { session = [], method = 'POST', call = 'ping', version = '2025-11-25', path = '/desk/mcp' } = options
    const isModern = version === '2026-07-28'
    const params = isModern ? { _meta: { 'io.modelcontextprotocol/protocolVersion': version } } : {}
    const body = method === 'POST' ? JSON.stringify({ jsonrpc: '2.0', id: 1, method: call, params }) : ''
    const fields = [
      `MCP-Protocol-Version: ${version}`,
      ...(isModern ? [`Mcp-Method: ${call}`] : []),
      ...session.map((id) => `Mcp-Session-Id: ${id}`),
      ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`]),
    ]
    const head = `${method} ${path} HTTP/1.1\r\n${viaProxy}Authorization: Bearer ${token}\r\n${fields.join('\r\n')}`
    const before = upstream.requests.length
    const { status, headers } = await rawRequest(gate, `${head}\r\n\r\n${body}`)
    const reached =
      upstream.requests.length > before ? (upstream.requests.at(-1)?.headers['mcp-session-id'] ?? 'none') : undefined
    return { status, sealed: headers.get('mcp-session-id')?.[0], reached }
  }
  const own = await gate.token(first)
  const same = await gate.token(first)
  const other = await gate.token(first, { client_id: '3f0c1f9e-9f34-4c6e-8f9e-0a6d1c5b7a02' })
  const person = await gate.token(first, { idtyp: 'user', oid: 'p', sub: 'p' } as object)

  const { sealed = '', reached } = await ask(own, { call: 'initialize' })
  t.equal(reached, 'none')
  t.match(sealed, /^server-1\.[\w-]{43}$/)
  for (const method of ['POST', 'GET', 'DELETE']) {
    t.match(await ask(own, { session: [sealed], method }), { status: 200, reached: 'server-1' }, method)
    t.match(
      await ask(same, { session: [sealed], method }),
      { status: 200, reached: 'server-1' },
      'another token of the same',
    )
    t.match(
      await ask(other, { session: [sealed], method }),
      { status: 404, reached: undefined },
      `${method} of another`,
    )
    t.match(await ask(own, { session: [sealed], method, path: '/other/mcp' }), { status: 404, reached: undefined })
    for (const session of [
      'server-1',
      `${sealed}x`,
      sealed.slice(0, -1),
      `x${sealed}`,
      '.',
      '',
      sealed.replace('.', ''),
    ]) {
      t.match(
        await ask(own, { session: [session], method }),
        { status: 404, reached: undefined },
        JSON.stringify(session),
      )
    }
    t.match(await ask(own, { session: [sealed, sealed], method }), { status: 404, reached: undefined }, 'two lines')
  }
  t.not((await ask(person, { session: [sealed] })).status, 200)
  const alone = await ask(own, { session: [sealed], call: 'tools/list', version: '2026-07-28' })
  t.match(alone, { status: 200, reached: 'none', sealed: undefined }, 'where there are no sessions nobody hears of one')
  for (given of ['a b', 'x'.repeat(250), ['a', 'b']])
    t.match(await ask(own, { call: 'initialize' }), { status: 200, sealed: undefined })
})

t.test('an older key opens, and another server’s does not', async (t) => {
  const key = (byte: number) => new Uint8Array(32).fill(byte)
  const owner = { route: '/desk/mcp', principal: undefined }
  const sealed = createSessionSeal([key(1)]).seal('a.b', owner) ?? ''
  t.equal(createSessionSeal([key(2), key(1)]).open(sealed, owner), 'a.b')
  t.equal(createSessionSeal([key(2)]).open(sealed, owner), undefined)
  t.throws(() => createSessionSeal([]))
})
