// Routes to MCP servers: what the file says of them, and which mistakes it is told.

import t from 'tap'
import { runTests } from '../../src/gateway/explain/call-tests.js'
import { mistakesOf, settingsFrom } from '../support/settings/config-file.js'

const base = `permissions:
  A: { describe: A }
  B: { describe: B }
resources:
  desk:
    id: "https://gate.example.com/desk/mcp"
    name: Help desk
    permissions: { read: { describe: Read }, write: { describe: Write, covers: [read] } }
upstreams: { desk: { target: "http://desk:3000" } }
limits: { one: { by: address, quota: 50/1h }, slow: { by: user, quota: 20/1h } }
defaults: { limits: [one], tokenLimits: [] }
routes:
  /desk/mcp:
`

const route = (lines: string) => `${base}${lines.replace(/^/gm, '    ')}\n`

t.test('each operation says what it needs, and the methods follow from the versions', async (t) => {
  const [desk] = settingsFrom(
    t,
    route(`to: desk
resource: desk
mcp:
  first: read
  streams: 40
  audit: calls
  pins: hold
  tools:
    list_tickets: { needs: read, rule: allowed }
    purge_tickets: { needs: write, rule: approval }
    close_ticket: { needs: { any: [write, [read, write]] }, limits: [+slow], cost: 2, shadow: true }
  prompts: { greet: [read, write] }
  resources: { "desk://tickets/{id}": read }`),
  ).routes.filter(({ id }) => id === '/desk/mcp')
  t.same([...(desk?.methods.keys() ?? [])], ['POST', 'GET', 'DELETE'])
  const { mcp } = desk ?? {}
  t.same([...(mcp?.versions ?? [])], ['2026-07-28', '2025-11-25', '2025-06-18'])
  t.equal(mcp?.list, 'acquirable')
  t.same([mcp?.streams, mcp?.audit, mcp?.pins], [40, 'calls', 'hold'])
  t.same(mcp?.first, { anyOf: [['read']] })
  t.same(mcp?.tools.get('list_tickets'), { needs: { anyOf: [['read']] } })
  t.same(mcp?.tools.get('purge_tickets'), { needs: { anyOf: [['write']] }, rule: 'approval' })
  t.same(mcp?.tools.get('close_ticket'), {
    needs: { anyOf: [['write'], ['read', 'write']] },
    limits: ['one', 'slow'],
    cost: 2,
    shadow: true,
  })
  t.same(mcp?.prompts.get('greet'), { needs: { anyOf: [['read', 'write']] } })
  t.same([...(mcp?.resources.keys() ?? [])], ['desk://tickets/{id}'])
  const [modern] = settingsFrom(
    t,
    route('to: desk\nresource: desk\nmcp: { versions: [2026-07-28], first: read }'),
  ).routes
  t.same([...(modern?.methods.keys() ?? [])], ['POST'])
})

t.test('a mistake is told where it stands', async (t) => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['to: desk\nresource: desk\nmcp: { tools: {} }', /first/],
    ['to: desk\nresource: desk\nmcp: {}', /needs "first": What connecting needs/],
    ['to: desk\nresource: desk\nmcp: { first: read, tools: { x: { cost: 2 } } }', /needs "needs": What a call needs/],
    ['to: desk\nresource: desk\nmcp: { first: reed }', /reed/],
    ['to: desk\nresource: desk\nmcp: { first: A }', /not of this route's resource/],
    ['to: desk\nresource: desk\nmcp: { first: read, tools: { x: rite } }', /rite/],
    ['to: desk\nresource: desk\nmcp: { first: read, versions: [2024-11-05] }', /2024-11-05|must be/],
    ['to: desk\nresource: desk\nmcp: { first: read, versions: [] }', /must be a list of revisions/],
    ['to: desk\nresource: desk\nmcp: { first: read, resources: { "desk://x/../y": read } }', /canonical/],
    ['to: desk\nresource: desk\nmcp: { first: read, resources: { "desk://{a}{b}": read } }', /between/],
    ['to: desk\nresource: desk\nmcp: { first: read, streams: 0 }', /streams/],
    ['to: desk\nresource: desk\nmcp: { first: read, audit: everything }', /audit/],
    ['to: desk\nresource: desk\nmcp: { first: read, pins: block }', /pins/],
    ['to: desk\nresource: desk\nrequire: read\nmcp: { first: read }', /stands beside mcp/],
    ['to: desk\nresource: desk\npublic: true\nmcp: { first: read }', /nobody would say who calls/],
    ['to: desk\nresource: desk\nstream: true\nmcp: { first: read }', /follows from mcp/],
    ['to: desk\nresource: desk\nmcp: { first: read, tools: { x: { needs: read, limits: [+fast] } } }', /fast/],
    ['to: desk\nresource: desk\nmcp: { first: read, tools: { x: { needs: read, rule: perhaps } } }', /rule.*must be/],
    ['to: desk\nresource: desk\nmcp: { first: read, prompts: { x: { needs: read, rule: approval } } }', /rule/],
    ['to: desk\nresource: desk\nmcp: { first: read, tools: { x: { limits: [+slow] } } }', /needs|must be/],
  ]
  for (const [lines, expected] of cases) t.match(mistakesOf(t, route(lines)).join('\n'), expected, lines)
  const named = route('to: desk\nresource: desk\nmcp: { first: read }').replace('  /desk/mcp:', '  POST /desk/mcp:')
  t.match(mistakesOf(t, named).join('\n'), /its key is the path alone/)
})

t.test('a route whose resource is not its address is warned of, because clients compare the two', async (t) => {
  const warningsFor = (id: string, path = '/desk/mcp') => {
    const text = route('to: desk\nresource: desk\nmcp: { first: read }')
      .replace('https://gate.example.com/desk/mcp', id)
      .replace('  /desk/mcp:', `  ${path}:`)
    const served = `server: { baseUrl: "https://gate.example.com", apiHosts: [api.example.com] }\n${text}`
    const { warnings } = settingsFrom(t, served)
    return warnings.map(({ message }) => message).filter((message) => message.includes('not its address'))
  }
  for (const id of ['/desk/mcp', '/desk'].map((path) => `https://gate.example.com${path}`))
    t.same(warningsFor(id), [], id)
  t.same(warningsFor('https://gate.example.com/desk/a/b', '/desk/**'), [])
  t.same(warningsFor('https://api.example.com/desk/mcp'), [])
  t.same(warningsFor('https://gate.example.com/t/one/mcp', '/t/{tenant}/mcp'), [])
  const foreign: readonly (readonly [id: string, path: string, remedy: RegExp])[] = [
    ['https://gate.example.com/desk/mcp/x', '/desk/mcp', /id https:\/\/gate\.example\.com\/desk\/mcp$/],
    ['https://gate.example.com/des', '/desk/mcp', /\/desk\/mcp$/],
    ['https://other/desk/mcp', '/desk/mcp', /\/desk\/mcp$/],
    ['https://gate.example.com', '/desk/mcp', /\/desk\/mcp$/],
    ['https://gate.example.com/other', '/desk/**', /id https:\/\/gate\.example\.com\/desk$/],
    ['https://gate.example.com/other', '/', /serve it at a path that begins with a fixed part/],
    ['https://gate.example.com/other', '/t/{tenant}/mcp', /id https:\/\/gate\.example\.com\/t$/],
  ]
  for (const [id, path, remedy] of foreign) {
    const [warning = '', ...others] = warningsFor(id, path)
    t.same(others, [])
    t.match(warning, `has the resource ${id}, which is not its address`)
    t.match(warning, remedy)
  }
})

t.test('hosts for calls have the port of the base URL, also in the address of an MCP server', async (t) => {
  const warningsFor = (id: string) => {
    const text = route('to: desk\nresource: desk\nmcp: { first: read }').replace(
      'https://gate.example.com/desk/mcp',
      id,
    )
    const server = 'server: { baseUrl: "https://gate.example.com:8443", apiHosts: "api.example.com" }'
    return settingsFrom(t, `${server}\n${text}`).warnings.filter(({ message }) => message.includes('not its address'))
  }
  t.same(warningsFor('https://api.example.com:8443/desk/mcp'), [])
  t.equal(warningsFor('https://api.example.com/desk/mcp').length, 1)
})

t.test('a tool with limits of its own has the cost of its route, which they must be able to let through', async (t) => {
  const tool = (cost: number, own: string) =>
    mistakesOf(
      t,
      route(`to: desk\nresource: desk\ncost: ${cost}\nmcp: { first: read, tools: { x: { needs: read, ${own} } } }`),
    )
  t.same(tool(20, 'limits: [+slow]'), [])
  const [mistake = '', ...others] = tool(21, 'limits: [+slow]')
  t.same(others, [])
  t.match(
    mistake,
    /tools\.x\.limits: the cost of the route, 21, is more than the limit "slow" ever lets through at once, which is 20/,
  )
  t.same(tool(21, 'limits: [+slow], cost: 1'), [], 'unless it says another one')
  t.same(tool(21, 'limits: []'), [])
})

t.test('a route that forgot its resource is reported once', async (t) => {
  const forgot = mistakesOf(t, route('to: desk\nmcp: { first: read, tools: { x: read, y: [read, write], z: A } }'))
  t.equal(forgot.length, 1, forgot.join('\n'))
  t.match(forgot[0], /"read" is a permission of https:.*; if it is meant, add resource: desk to the route$/)
  const wrong = mistakesOf(t, route('to: desk\nresource: desk\nmcp: { first: read, tools: { x: A, y: B } }'))
  t.equal(wrong.length, 2, 'with a resource, each permission is a mistake of its own')
})

t.test('a test in the file expects that a call has to be approved', async (t) => {
  const tools = 'tools: { purge: { needs: write, rule: approval }, list: read }'
  const file = (expected: string) => `${route(`to: desk\nresource: desk\nmcp: { first: read, ${tools} }`)}tests:
  - { call: POST /desk/mcp, tool: purge, as: user, resource: desk, with: [write], expect: { ${expected} } }
  - { call: POST /desk/mcp, tool: purge, as: user, resource: desk, with: [read], expect: { needs: write } }
  - { call: POST /desk/mcp, tool: list, as: user, resource: desk, with: [read], expect: { upstream: desk } }
`
  const results = async (expected: string) =>
    (await runTests(settingsFrom(t, file(expected)))).map(({ passed, found }) => (passed ? 'passed' : found))
  t.same(await results('status: 403'), ['passed', 'passed', 'passed'])
  t.match(await results('upstream: desk'), [/^403 \(mcp_approval\)/, 'passed', 'passed'])
})
