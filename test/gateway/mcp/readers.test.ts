// Whatever is forwarded to an MCP server, five readers with different habits read the same permitted operation: of ten
// thousand generated messages, sent over a raw connection.

import t from 'tap'
import type { McpVersion } from '../../../src/mcp/versions.js'
import { effort, runSeed } from '../../support/effort.js'
import { readings } from '../../support/mcp/message-readers.js'
import { openGate, recordingUpstream, viaProxy } from '../../support/rooms/http-gate.js'
import { rawConnection } from '../../support/traffic/http-raw.js'

const messages = effort(10_000)
const need = (id: string) => ({ needs: { anyOf: [[id]] } })
const [held, other] = ['User.Read.All', 'Subscription.Read.All']

/** What the caller may do, as a reader tells it. */
const permitted = new Set([
  ...['tools/call list_users', 'tools/call a, b', 'prompts/get hello', 'resources/read desk://users/1'],
  ...['resources/subscribe desk://users/1', 'completion/complete hello', 'completion/complete desk://users/{id}'],
  'completion/complete desk://users/1',
  ...['tools/list', 'prompts/list', 'resources/list', 'ping', 'initialize', 'server/discover'],
  'notifications/cancelled',
])

/** Numbers from 0 to `below`, the same for the same seed (mulberry32). */
function randomly(from: number) {
  let state = from >>> 0
  return (below: number): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const random = randomly(runSeed)
const oneOf = <T>(list: readonly T[]): T => list[random(list.length)] as T
const chance = (percent: number): boolean => random(100) < percent

const texts = [
  'list_users',
  'list_subscriptions',
  'a, b',
  'hello',
  'greet',
  'LIST_USERS',
  'list_users ',
  'nobody\\ud800',
]
const uris = ['desk://users/1', 'desk://subscriptions/1', 'desk://users/../subscriptions/1', 'desk://users/{id}']
const methods = [
  ...['tools/call', 'tools/call', 'tools/call', 'prompts/get', 'resources/read', 'resources/subscribe', 'tools/list'],
  ...['prompts/list', 'resources/list', 'completion/complete', 'ping', 'initialize', 'server/discover', 'tasks/list'],
  ...['notifications/cancelled', 'TOOLS/CALL'],
]

/** Other spellings of a name, which some reader takes for it. */
function spelling(name: string): string {
  return oneOf([
    name,
    name.toUpperCase(),
    name[0]?.toUpperCase() + name.slice(1),
    name.replace('s', 'ſ'),
    `${name}\\u0000`,
    name.replace('e', '\\u0065'),
    name.replace('m', 'ｍ'),
    `${name} `,
  ])
}

type Members = [string, string][]
const object = (members: Members): string => `{${members.map(([name, value]) => `"${name}":${value}`).join(',')}}`

/** Puts members that look like others beside them, before or behind. */
function disturbed(members: Members, values: readonly string[]): Members {
  if (!chance(7)) return members
  const [name] = oneOf(members)
  const more: [string, string] = [spelling(name), oneOf(values)]
  return chance(50) ? [more, ...members] : [...members, more]
}

function generated(): { text: string; lines: string[] } {
  const era = oneOf(['modern', 'legacy', 'none'] as const)
  const method = oneOf(methods)
  const [name, uri] = [oneOf(texts), oneOf(uris)]
  const version = oneOf(['2026-07-28', '2026-07-28', '2026-07-28', '2025-11-25', '2030-01-01'])
  const inBody = method === 'initialize' ? '2025-11-25' : version
  const about: Members = method.startsWith('resources/')
    ? [['uri', `"${uri}"`]]
    : method === 'completion/complete'
      ? [
          [
            'ref',
            object(
              disturbed(
                chance(50)
                  ? [
                      ['type', '"ref/prompt"'],
                      ['name', `"${name}"`],
                    ]
                  : [
                      ['type', '"ref/resource"'],
                      ['uri', `"${uri}"`],
                    ],
                [`"${oneOf(texts)}"`],
              ),
            ),
          ],
        ]
      : [['name', `"${name}"`]]
  if (method === 'initialize') about.push(['protocolVersion', `"${inBody}"`])
  if (method === 'tools/call')
    about.push(['arguments', oneOf(['{}', '{"name":"list_subscriptions","method":"x"}', '{"Name":1}'])])
  const meta: Members = [['io.modelcontextprotocol/protocolVersion', `"${inBody}"`]]
  if (era === 'modern') about.push(['_meta', object(disturbed(meta, ['"2025-11-25"']))])
  const params = object(
    disturbed(
      about,
      texts.map((text) => `"${text}"`),
    ),
  )
  const members: Members = [
    ['jsonrpc', oneOf(['"2.0"', '"2.0"', '"2.0"', '"2.0"', '"1.0"'])],
    ['method', `"${method}"`],
    ['params', params],
  ]
  if (!method.startsWith('notifications/') || chance(10))
    members.push(['id', oneOf(['1', '"a"', '7', '7', '7', 'null', '1.5', '9007199254740993'])])
  const values = ['"tools/call"', '"ping"', object([['name', '"list_subscriptions"']]), '1']
  let text = object(disturbed(members, values))
  if (chance(5))
    text = oneOf([`[${text}]`, `${text}\n${text}`, `\uFEFF${text}`, `${text},`, `[${text},${text}]`, `${text} //`])
  const fieldName = method.startsWith('resources/') ? uri : name
  const encoded = `=?base64?${Buffer.from(fieldName).toString('base64')}?=`
  const lines = [
    `Content-Type: ${chance(95) ? 'application/json' : oneOf(['text/plain', 'Application/JSON', 'application/json; charset=utf-7'])}`,
  ]
  if (era !== 'none') lines.push(`MCP-Protocol-Version: ${era === 'legacy' ? '2025-11-25' : version}`)
  if (era === 'modern' || chance(10)) {
    lines.push(`Mcp-Method: ${chance(95) ? method : oneOf(methods)}`)
    if (/call|get|read/.test(method) || chance(5))
      lines.push(`Mcp-Name: ${chance(70) ? fieldName : oneOf([encoded, ...texts.slice(0, 6)])}`)
  }
  if (chance(4))
    lines.push(
      oneOf([
        'Mcp-Name: list_subscriptions',
        'Mcp_Name: list_subscriptions',
        'Mcp-Method: tools/call',
        'Connection: keep-alive, mcp-name',
        'mcp_method: tools/call',
      ]),
    )
  return { text, lines }
}

t.test(
  `G3 five readers read one permitted operation in whatever is forwarded (seed ${runSeed})`,
  { timeout: 240_000 },
  async (t) => {
    const upstream = await recordingUpstream(t)
    const gate = await openGate(t, {
      routes: [
        {
          ...{ path: '/desk/mcp', id: '/desk/mcp', methods: { POST: [held], GET: [held], DELETE: [held] } },
          mcp: {
            list: 'all',
            versions: new Set<McpVersion>(['2026-07-28', '2025-11-25']),
            first: { anyOf: [[held]] },
            tools: new Map([
              ...['list_users', 'a, b'].map((name) => [name, need(held)] as const),
              ['list_subscriptions', need(other)],
            ]),
            prompts: new Map([
              ['hello', need(held)],
              ['greet', need(other)],
            ]),
            resources: new Map([
              ['desk://users/{id}', need(held)],
              ['desk://subscriptions/{id}', need(other)],
            ]),
          },
        },
      ],
      addressGuard: { limit: 1_000_000, periodMs: 60_000 },
      upstreams: { desk: { target: upstream.target } },
    })
    const token = await gate.token([held])
    let connection = await rawConnection(gate)
    const statuses = new Map<number, number>()
    const wrong: unknown[] = []
    for (let turn = 0; turn < messages; turn += 1) {
      const { text, lines } = generated()
      const before = upstream.requests.length
      const head = `POST /desk/mcp HTTP/1.1\r\n${viaProxy}Authorization: Bearer ${token}\r\n${lines.join('\r\n')}`
      connection.send(Buffer.from(`${head}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`))
      const answer = await connection.answer()
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      if (answer.headers.get('connection')?.includes('close')) {
        connection.end()
        connection = await rawConnection(gate)
      }
      for (const recorded of upstream.requests.slice(before)) {
        const found = readings(recorded)
        const all = new Set(Object.values(found).flat())
        if (all.size !== 1 || !permitted.has([...all][0] ?? '') || recorded.body !== text)
          wrong.push({ text, lines, found })
      }
    }
    connection.end()
    t.comment(JSON.stringify(Object.fromEntries(statuses)), `${upstream.requests.length} forwarded`)
    t.same(wrong.slice(0, 5), [])
    t.ok(upstream.requests.length > messages / 20, 'many are forwarded')
    t.ok(upstream.requests.length < messages / 2, 'and many are not')
  },
)

t.test('the readers see what others do not', async (t) => {
  const hostile = {
    last: '{"method":"tools/call","params":{"name":"a","name":"b"}}',
    folding: '{"method":"tools/call","params":{"name":"a","Name":"b"}}',
    'long s': '{"method":"tools/call","params":{"name":"a"},"paramſ":{"name":"b"}}',
    batch: '[{"method":"tools/call","params":{"name":"a"}}]',
    two: '{"method":"ping"}\n{"method":"tools/call","params":{"name":"b"}}',
  }
  for (const [name, body] of Object.entries(hostile)) {
    t.ok(new Set(Object.values(readings({ body, headers: {} })).flat()).size > 1, name)
  }
  const headers = { 'mcp-method': 'tools/call', 'mcp-name': '=?base64?Yg==?=' }
  const { last, fields } = readings({ body: '{"method":"tools/call","params":{"name":"a"}}', headers })
  t.same([last, fields], [['tools/call a'], ['tools/call b']])
})
