// What is a message, and what two readers could read otherwise.

import t from 'tap'
import { readMessage } from '../../src/mcp/message.js'

const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'add', arguments: { Name: 1, METHOD: 2 } } }

t.test('a request, a notification and an answer are told apart', async (t) => {
  const read = { kind: 'request', id: 1, method: 'tools/call', params: call.params, named: 'add', revision: undefined }
  t.same(readMessage(call), { message: read })
  t.same(readMessage({ jsonrpc: '2.0', method: 'notifications/initialized' }), {
    message: { kind: 'notification', method: 'notifications/initialized', params: {}, revision: undefined },
  })
  t.same(readMessage({ jsonrpc: '2.0', id: 'a', result: {} }), { message: { kind: 'answer', id: 'a' } })
  t.same(readMessage({ jsonrpc: '2.0', id: 'a', error: { code: 1 } }), { message: { kind: 'answer', id: 'a' } })
})

const wrong: Readonly<Record<string, unknown>> = {
  'a batch': [call],
  'no object': 'tools/call',
  nothing: null,
  'no jsonrpc': { ...call, jsonrpc: undefined },
  'another jsonrpc': { ...call, jsonrpc: '1.0' },
  'a number as jsonrpc': { ...call, jsonrpc: 2 },
  'id null': { ...call, id: null },
  'a broken id': { ...call, id: 1.5 },
  'an id beyond what all count exactly': { ...call, id: 2 ** 53 },
  'an id that is an object': { ...call, id: {} },
  'an id with half of a pair, which others answer as another text': { ...call, id: 'a\ud800' },
  'an id that is too long': { ...call, id: 'a'.repeat(1_025) },
  'no method': { jsonrpc: '2.0', id: 1, params: {} },
  'an answer without an id': { jsonrpc: '2.0', result: {} },
  'method and result': { ...call, result: {} },
  'method and error': { ...call, error: null },
  'a method that is no text': { ...call, method: 1 },
  'a method with a control character': { ...call, method: 'tools/call\0' },
  'params as a list': { ...call, params: [] },
  'params null': { ...call, params: null },
  'a name that is no text': { ...call, params: { name: 1 } },
  'an empty name': { ...call, params: { name: '' } },
  'a name that is too long': { ...call, params: { name: 'a'.repeat(1_025) } },
  'a name with a line end': { ...call, params: { name: 'a\n' } },
  'a name with half of a pair': { ...call, params: { name: 'a\ud800' } },
  'a ref that is no object': { ...call, params: { ref: 'a' } },
  'a name of a ref that is no text': { ...call, params: { ref: { name: [] } } },
  '_meta as a list': { ...call, params: { _meta: [] } },
}

t.test('what is no message is refused with the id as far as it is known', async (t) => {
  for (const [what, value] of Object.entries(wrong)) {
    t.match(readMessage(value), { problem: { status: 400, code: -32_600 } }, what)
  }
  t.match(readMessage({ ...call, params: [] }), { id: 1 })
  t.match(readMessage({ ...call, id: null }), { id: null })
})

t.test('a member that another reader takes for a known one is refused where something is decided by it', async (t) => {
  const lookAlikes = [
    'Method',
    'METHOD',
    'paramſ',
    'method\0',
    'method\0a',
    'ｍethod',
    'method ',
    'ID',
    'jsonRPC',
    'Result',
  ]
  for (const name of lookAlikes) {
    t.match(readMessage({ ...call, [name]: 'x' }), { problem: { code: -32_600 } }, JSON.stringify(name))
  }
  for (const name of [
    'Name',
    'URI',
    'ref\0',
    '_Meta',
    'Notifications',
    'Arguments',
    'protocolversion',
    'PROTOCOLVERSION',
    'protocol_version',
    'protocol-version',
    'input_responses',
    'RequestState',
  ]) {
    t.match(readMessage({ ...call, params: { name: 'a', [name]: 'b' } }), { problem: { code: -32_600 } }, name)
  }
  const inner = {
    ref: ['Type', 'NAME', 'Uri'],
    _meta: [
      'io.modelcontextprotocol/protocolversion',
      'IO.modelcontextprotocol/protocolVersion',
      'io.modelcontextprotocol/clientcapabilities',
    ],
    // Servers in Python and Java take a member by the name of its field too.
    notifications: ['resourcesubscriptions', 'ResourceSubscriptions', 'resource_subscriptions'],
  }
  for (const [where, names] of Object.entries(inner)) {
    for (const name of names) {
      t.match(readMessage({ ...call, params: { [where]: { [name]: [] } } }), { problem: { code: -32_600 } }, name)
    }
  }
  t.match(readMessage(call), { message: {} }, 'what stands in arguments is the business of the tool')
  t.match(readMessage({ ...call, params: { _meta: { 'x/y': 1, progressToken: 1 } } }), { message: {} })
})
