// A call of a tool that is read in one pass is the same to the reader that takes its time.

import fc from 'fast-check'
import t from 'tap'
import { readJson } from '../../src/gateway/validation/json-text.js'
import { readMessage } from '../../src/mcp/message.js'
import { readPlainToolCall } from '../../src/mcp/plain-tool-call.js'
import { textChanges } from '../support/changed-texts.js'
import { drawn, effort } from '../support/effort.js'

const version = 'io.modelcontextprotocol/protocolVersion'
const capabilities = 'io.modelcontextprotocol/clientCapabilities'
const params = { name: 'add', arguments: { a: 1, b: [2, { c: 'text' }] }, _meta: { [version]: '2026-07-28' } }
const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
const fields = { version: undefined, method: undefined, name: 'add' }

const read = (message: unknown) => readPlainToolCall(Buffer.from(JSON.stringify(message)), fields)

t.test('a call, in any order and with any arguments', async (t) => {
  t.match(read(call), { kind: 'request', id: 1, method: 'tools/call', named: 'add', revision: '2026-07-28' })
  t.same(read(call)?.params, params)
  t.match(read({ method: 'tools/call', params: { name: 'other' }, id: 'a 1', jsonrpc: '2.0' }), {
    id: 'a 1',
    named: 'other',
    revision: undefined,
  })
  t.match(read({ ...call, id: 0 }), { id: 0 })
  t.match(read({ ...call, id: 999_999_999_999_999 }), { id: 999_999_999_999_999 })
  t.match(read({ ...call, id: '' }), { id: '' })
  for (const given of [{}, null, [], 'text', 'é\n', { Name: 'b', METHOD: 'x' }]) {
    t.same(read({ ...call, params: { name: 'add', arguments: given } })?.params['arguments'], given)
  }
  const meta = {
    progressToken: 'p',
    [capabilities]: { roots: {} },
    'io.modelcontextprotocol/clientInfo': { name: 'x' },
  }
  t.match(read({ ...call, params: { ...params, _meta: { ...meta, [version]: '2025-11-25' } } }), {
    revision: '2025-11-25',
  })
})

t.test('what is left', async (t) => {
  const others: Readonly<Record<string, unknown>> = {
    'a batch': [call],
    'another method': { ...call, method: 'tools/list' },
    'a method in another case': { ...call, method: 'Tools/call' },
    'no method': { ...call, method: undefined },
    'no version': { ...call, jsonrpc: undefined },
    'another version': { ...call, jsonrpc: '1.0' },
    'a notification': { ...call, id: undefined },
    ...Object.fromEntries(
      [null, -1, 1.5, 1e15, {}, 'é', 'a\n', 'x'.repeat(257)].map((id) => [`id ${id}`, { ...call, id }]),
    ),
    'no params': { ...call, params: undefined },
    'params that are a list': { ...call, params: [] },
    'no name': { ...call, params: { arguments: {} } },
    ...Object.fromEntries(
      [1, '', 'é', 'a\n', 'a\u007f', 'x'.repeat(257)].map((name) => [`name ${name}`, { ...call, params: { name } }]),
    ),
    'an answer': { ...call, result: {} },
    'a member that looks alike': { ...call, Method: 'ping' },
    'an unknown member': { ...call, more: 1 },
    'a param that looks alike': { ...call, params: { ...params, Name: 'b' } },
    'a param that is read elsewhere': { ...call, params: { ...params, requestState: 'x' } },
    'an unknown param': { ...call, params: { ...params, task: {} } },
    '_meta that is a list': { ...call, params: { ...params, _meta: [] } },
    'an unknown revision': { ...call, params: { ...params, _meta: { [version]: '2030-01-01' } } },
    'a revision that is no text': { ...call, params: { ...params, _meta: { [version]: 1 } } },
    'a member of _meta that looks alike': { ...call, params: { ...params, _meta: { [version.toUpperCase()]: 'x' } } },
    'one with a NUL': { ...call, params: { ...params, _meta: { [`${version}\0`]: 'x' } } },
    'one with a letter of another width': { ...call, params: { ...params, _meta: { ｍ: 1 } } },
  }
  for (const [what, message] of Object.entries(others)) t.equal(read(message), undefined, what)
  const texts = {
    'a name twice': '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","name":"sub"}}',
    'a name that is escaped': '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"n\\u0061me":"add"}}',
    'a text that is escaped': '{"jsonrpc":"2.0","id":1,"method":"tools\\/call","params":{"name":"add"}}',
    'an id with zeros before it': '{"jsonrpc":"2.0","id":01,"method":"tools/call","params":{"name":"add"}}',
    'an id with a point': '{"jsonrpc":"2.0","id":1.0,"method":"tools/call","params":{"name":"add"}}',
    'more behind it': `${JSON.stringify(call)}{}`,
    'two names before one value': '{"jsonrpc":"2.0","id" "method":"tools/call","id":1,"params":{"name":"add"}}',
    'the same in params': '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments" "name":"add"}}',
    'the same in _meta': `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","_meta":{"${capabilities}" "${version}":"2026-07-28"}}}`,
    'the name of a member twice at once':
      '{"jsonrpc":"2.0","id":1,"method" "method":"tools/call","params":{"name":"add"}}',
  }
  for (const [what, text] of Object.entries(texts))
    t.equal(readPlainToolCall(Buffer.from(text), fields), undefined, what)
})

t.test('each member a second time', async (t) => {
  const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1},"_meta":{"${version}":"2026-07-28","${capabilities}":{},"progressToken":1}}}`
  t.ok(readPlainToolCall(Buffer.from(message), fields), 'once')
  const places: Readonly<Record<string, readonly string[]>> = {
    '{"jsonrpc"': [
      '"jsonrpc":"2.0"',
      '"id":1',
      '"method":"tools/call"',
      '"params":{"name":"add"}',
      '"id":2',
      '"params":{}',
    ],
    '{"name"': ['"name":"add"', '"name":"sub"', '"arguments":{"a":1}', '"arguments":2', '"_meta":{}'],
    [`{"${version}"`]: [
      `"${version}":"2026-07-28"`,
      `"${version}":"2025-11-25"`,
      `"${capabilities}":{}`,
      '"progressToken":1',
    ],
    '{"a"': ['"a":1', '"a":2'],
  }
  for (const [place, members] of Object.entries(places)) {
    for (const member of members) {
      const [before = '', behind = ''] = message.split(place)
      const first = `${before}{${member},${place.slice(1)}${behind}`
      const end = closingOf(message, before.length)
      const last = `${message.slice(0, end)},${member}${message.slice(end)}`
      for (const text of [first, last]) t.equal(readPlainToolCall(Buffer.from(text), fields), undefined, text)
    }
  }
})

/** Where the object ends that begins there; no brace stands in its texts. */
function closingOf(text: string, from: number): number {
  let depth = 0
  for (let at = from; ; at += 1) {
    if (text[at] === '{') depth += 1
    if (text[at] === '}') depth -= 1
    if (depth === 0) return at
  }
}

t.test('the name of a header field is taken only where it is the name', async (t) => {
  const bytes = Buffer.from(JSON.stringify(call))
  for (const name of [undefined, '', 'ad', 'adds', 'sub', 'add\0', 'ädd', ' add']) {
    t.equal(readPlainToolCall(bytes, { name })?.named, 'add', JSON.stringify(name))
  }
})

t.test('as long as may be', async (t) => {
  const named = (name: string) => readPlainToolCall(Buffer.from(JSON.stringify({ ...call, params: { name } })), fields)
  t.equal(named('n'.repeat(256))?.named, 'n'.repeat(256))
  const withMeta = (length: number) => read({ ...call, params: { ...params, _meta: { ['m'.repeat(length)]: 1 } } })
  t.ok(withMeta(38))
  t.equal(withMeta(39), undefined, 'a name of _meta that could be folded to a known one')
  const large = (bytes: number) => {
    const text = (filling: string) => JSON.stringify({ ...call, params: { name: 'add', arguments: filling } })
    return readPlainToolCall(Buffer.from(text('x'.repeat(bytes - text('').length))), fields)
  }
  t.ok(large(16_384))
  t.equal(large(16_385), undefined)
})

/** Texts that stand in messages, and others that make them something else. */
const pieces = [
  ...'"\\{}[],:01-.e \n\0éſ',
  ...['\\u006e', '__proto__'],
  ...['"name"', '"arguments"', '"id" ', '"method"\n', '"params"', '"jsonrpc"', '"_meta"', `"${version}"`],
  ...['"name":"sub",', '"Name":"sub",', '"method":"ping",', '"id":2,', '"params":{},', '"_meta":{},', '"result":1,'],
  ...[`"${version}":"2025-11-25",`, `"${version}":"2026-07-28"`, 'ID', 'NAME', 'jsonrpc', 'io.modelcontextprotocol/'],
]

t.test('G3 what it reads, message.ts finds too', async (t) => {
  const mostly = <T>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>) =>
    fc.oneof({ arbitrary: usual, weight: 9 }, { arbitrary: other, weight: 1 })
  const text = fc.string({ unit: 'grapheme', maxLength: 4 })
  const names = fc.constantFrom('add', 'sub', ' add', '=?base64?YWRk?=')
  const long = fc.string({ unit: 'grapheme', minLength: 45, maxLength: 120 })
  const membersOfMeta = fc.constantFrom(version, capabilities, 'progressToken', 'traceparent')
  const meta = mostly(
    fc.record({ [version]: fc.constantFrom('2026-07-28', '2025-06-18'), progressToken: text }, { requiredKeys: [] }),
    fc.dictionary(fc.oneof(membersOfMeta, text), text),
  )
  const params = fc.record(
    { name: mostly(names, text), arguments: fc.oneof(fc.jsonValue({ maxDepth: 2 }), long), _meta: meta },
    { requiredKeys: ['name'] },
  )
  const message = fc.record({
    jsonrpc: mostly(fc.constant('2.0'), text),
    id: mostly<number | string>(fc.nat(), fc.oneof(fc.integer(), fc.double(), text)),
    method: mostly(fc.constant('tools/call'), fc.constantFrom('tools/list', 'ping')),
    params,
  })
  let found = 0
  fc.assert(
    fc.property(message, textChanges(pieces, 2), (made, change) => {
      const bytes = Buffer.from(change(JSON.stringify(made)))
      const plain = readPlainToolCall(bytes, fields)
      if (plain === undefined) return true
      found += 1
      const json = readJson(bytes)
      const careful = 'value' in json ? readMessage(json.value) : json
      const { kind, id, method, named, revision } = plain
      const same = { kind, id, method, params: plain.params, named, revision }
      return 'message' in careful && JSON.stringify(same) === JSON.stringify(careful.message)
    }),
    drawn(30_000),
  )
  t.ok(found > effort(30_000) / 10, 'many were plain')
})
