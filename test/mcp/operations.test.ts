// What a message asks for, in both eras, and which configured resource a URI means.

import t from 'tap'
import { decodeFieldValue, encodeFieldValue } from '../../src/mcp/field-values.js'
import { readMessage } from '../../src/mcp/message.js'
import { operationOf } from '../../src/mcp/operations.js'
import { compileResources, resourceProblem } from '../../src/mcp/resource-uris.js'

const operationIn = (era: 'legacy' | 'modern', message: object) => {
  const read = readMessage({ jsonrpc: '2.0', ...message })
  return 'message' in read ? operationOf(read.message, era) : read.problem.code
}

const session = { kind: 'session' }
const tool = { kind: 'tool', name: 'add' }
const resource = { kind: 'resources', uris: ['a://b/1'], isTemplate: false }
const template = { kind: 'resources', uris: ['a://b/{id}'], isTemplate: true }
const list = (name: string) => ({ kind: 'list', list: name })

/** Method, params, then what it is in a session and what it is alone. */
const requests: readonly (readonly [string, object, unknown, unknown])[] = [
  ['initialize', {}, session, 'method'],
  ['ping', {}, session, 'method'],
  ['logging/setLevel', { level: 'info' }, session, 'method'],
  ['server/discover', {}, 'method', session],
  ['tools/list', { cursor: 'a' }, list('tools'), list('tools')],
  ['prompts/list', {}, list('prompts'), list('prompts')],
  ['resources/list', {}, list('resources'), list('resources')],
  ['resources/templates/list', {}, list('resourceTemplates'), list('resourceTemplates')],
  ['tools/call', { name: 'add' }, tool, tool],
  ['tools/call', {}, 'params', 'params'],
  ['prompts/get', { name: 'add' }, { kind: 'prompt', name: 'add' }, { kind: 'prompt', name: 'add' }],
  ['prompts/get', {}, 'params', 'params'],
  ['resources/read', { uri: 'a://b/1' }, resource, resource],
  ['resources/read', { name: 'a://b/1' }, 'params', 'params'],
  ['resources/subscribe', { uri: 'a://b/1' }, resource, 'method'],
  ['resources/unsubscribe', { uri: 'a://b/1' }, resource, 'method'],
  [
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'add' } },
    { kind: 'prompt', name: 'add' },
    { kind: 'prompt', name: 'add' },
  ],
  ['completion/complete', { ref: { type: 'ref/resource', uri: 'a://b/{id}' } }, template, template],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'add', uri: 'a://b/1' } }, 'params', 'params'],
  ['completion/complete', { ref: { type: 'ref/resource', uri: 'a://b/1', name: 'add' } }, 'params', 'params'],
  ['completion/complete', { ref: { type: 'ref/other', name: 'add' } }, 'params', 'params'],
  ['completion/complete', {}, 'params', 'params'],
  ['subscriptions/listen', { notifications: { toolsListChanged: true } }, 'method', session],
  ['subscriptions/listen', { notifications: { resourceSubscriptions: ['a://b/1'] } }, 'method', resource],
  ['subscriptions/listen', { notifications: { resourceSubscriptions: 'a://b/1' } }, 'method', 'params'],
  ['subscriptions/listen', { notifications: { resourceSubscriptions: [1] } }, 'method', 'params'],
  [
    'subscriptions/listen',
    { notifications: { resourceSubscriptions: Array(101).fill('a://b/1') } },
    'method',
    'params',
  ],
  ['tasks/get', {}, 'method', 'method'],
  ['sampling/createMessage', {}, 'method', 'method'],
  ['toString', {}, 'method', 'method'],
  ['Tools/Call', { name: 'add' }, 'method', 'method'],
]

t.test('each method is what the revision says, and nothing else is one', async (t) => {
  for (const [method, params, legacy, modern] of requests) {
    t.same(
      operationIn('legacy', { id: 1, method, params }),
      legacy,
      `${method} ${JSON.stringify(params).slice(0, 80)} in a session`,
    )
    t.same(
      operationIn('modern', { id: 1, method, params }),
      modern,
      `${method} ${JSON.stringify(params).slice(0, 80)} alone`,
    )
  }
})

t.test('of notifications only known ones go on: no call without an id', async (t) => {
  for (const era of ['legacy', 'modern'] as const) {
    t.same(operationIn(era, { method: 'notifications/cancelled', params: { requestId: 1 } }), session)
    for (const method of ['tools/call', 'notifications/tools/list_changed', 'notifications/x', 'initialize']) {
      t.equal(operationIn(era, { method, params: { name: 'add' } }), 'method', `${method} ${era}`)
    }
  }
})

t.test('a client answers only in a session', async (t) => {
  t.same(operationIn('legacy', { id: 1, result: {} }), session)
  t.equal(operationIn('modern', { id: 1, result: {} }), 'answer')
})

const configured = [
  'desk://tickets/{id}',
  'desk://tickets/open',
  'desk://tickets/{id}/notes/{note}',
  'file:///readme.md',
  'mem:notes',
]

t.test('a URI means what is configured only in the form that everybody reads alike', async (t) => {
  const match = compileResources(configured)
  t.same(match('desk://tickets/17'), ['desk://tickets/{id}'])
  t.same(match('desk://tickets/open'), ['desk://tickets/open'], 'a literal one is itself')
  t.same(match('desk://tickets/17/notes/a.b-c_d~e'), ['desk://tickets/{id}/notes/{note}'])
  t.same(match('file:///readme.md'), ['file:///readme.md'])
  t.same(match('mem:notes'), ['mem:notes'])
  const others = [
    ...['desk://tickets/', 'desk://tickets', 'desk://tickets/17/', 'desk://tickets/17/notes', 'desk://tickets/1/2'],
    ...['desk://tickets/..', 'desk://tickets/.', 'desk://tickets/../x', 'desk://tickets//17', 'desk://tickets/17?x=1'],
    ...[
      'desk://tickets/17#a',
      'desk://tickets/%2e%2e',
      'desk://tickets/a%2Fb',
      'desk://tickets/a%2fb',
      'desk://tickets/a%41',
    ],
    ...['DESK://tickets/17', 'desk://Tickets/17', 'desk://a@tickets/17', 'desk://tickets/a\\b', 'desk://tickets/ü'],
    ...[
      'desk://tickets/a b',
      'desk:tickets/17',
      'file:/readme.md',
      'file:///./readme.md',
      'mem:Notes',
      'mem:',
      'notes',
      '',
    ],
    ...[
      'desk://tickets/open ',
      ' desk://tickets/open',
      'desk://tickets/open\n',
      'desk://tickets/{id}',
      'desk://tickets/a%00',
    ],
  ]
  for (const uri of others) t.same(match(uri), [], JSON.stringify(uri))
})

t.test('dots alone are no host and no opaque part: some servers make the name of a file of them', async (t) => {
  const match = compileResources(['note://{name}', 'memo:{name}', 'memo:{folder}/{name}'])
  t.same(match('note://today'), ['note://{name}'])
  t.same(match('memo:a/b.c'), ['memo:{folder}/{name}'])
  for (const uri of ['note://..', 'note://.', 'memo:..', 'memo:.', 'memo:../a', 'memo:./a', 'memo:a/..']) {
    t.same(match(uri), [], uri)
  }
})

t.test('several templates that fit are all told: what is needed for any of them is needed', async (t) => {
  const match = compileResources(['a://b/{x}', 'a://b/c-{y}'])
  t.same(match('a://b/c-1'), ['a://b/{x}', 'a://b/c-{y}'])
})

t.test('variables that could stand in each other’s place take no longer', async (t) => {
  const match = compileResources(['a://{a}-{b}', 'a://b/{a}-{b}.{c}_{d}', 'a://b/x{a}x{b}x'])
  t.same(match('a://b/-a-b.c.d_e_f'), ['a://b/{a}-{b}.{c}_{d}'])
  t.same(match('a://b/a-b.c_'), [], 'a variable stands for something')
  t.same(match('a://b/xxxxx'), ['a://b/x{a}x{b}x'])
  t.same(match('a://b/xxxx'), [])
  t.same(match('a://b/xa/bxcx'), [], 'it crosses no slash')
  t.same(match('a://b/xa:bxcx'), [], 'and no reserved character')
  // A matcher that tries all ways would take longer than any run.
  const long = compileResources([`a://b/${Array.from({ length: 9 }, (_, at) => `{v${at}}`).join('-')}`])
  t.same(long(`a://b/${'-'.repeat(1_000)}/`), [])
  t.same(long(`a://b/${'-'.repeat(1_000)}`).length, 1)
})

t.test('a configured text that could match nothing is a mistake', async (t) => {
  for (const text of [
    'a://b/{x',
    'a://b/{}',
    'a://b/{+x}',
    'a://b/{x}{y}',
    'A://b',
    'a://b/../c',
    'a://b?x',
    '{x}',
    '',
  ]) {
    t.type(resourceProblem(text), 'string', text)
    t.throws(() => compileResources([text]), text)
  }
  for (const text of configured) t.equal(resourceProblem(text), undefined, text)
})

t.test('a field says any name, and says it in one way', async (t) => {
  for (const text of ['add', 'a b', 'a,b', 'ü', ' a', 'a ', '=?base64?YQ==?=', '=?base64?=', 'a\nb', '😀']) {
    const value = encodeFieldValue(text)
    t.match(value, /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/, JSON.stringify(text))
    t.equal(decodeFieldValue(value), text)
  }
  t.equal(encodeFieldValue('a b'), 'a b')
})
