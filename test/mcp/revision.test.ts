// Which revision a message is read by, in routes that serve the one era, the other, or both.

import t from 'tap'
import { type McpFields, readMcpFields } from '../../src/mcp/header-fields.js'
import { readMessage } from '../../src/mcp/message.js'
import { revisionOf } from '../../src/mcp/revision.js'
import type { McpVersion } from '../../src/mcp/versions.js'

const modern = '2026-07-28'
const meta = (version: string) => ({ _meta: { 'io.modelcontextprotocol/protocolVersion': version } })
const request = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params })
const call = request('tools/call', { name: 'add', ...meta(modern) })
const fields = { 'MCP-Protocol-Version': modern, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'add' }

function judge(value: object, sent: Record<string, string>, served: readonly McpVersion[]) {
  const read = readMessage(value)
  const headers = readMcpFields(Object.entries(sent).flat())
  if (!('message' in read) || !('fields' in headers)) throw new Error('the test is wrong')
  const found = revisionOf(read.message, headers.fields as McpFields, new Set(served))
  return 'version' in found ? found.version : found.problem.code
}

const both = [modern, '2025-11-25'] as const
const onlyLegacy = ['2025-11-25', '2025-06-18'] as const

t.test('G4 a modern message has its revision, method and name in header fields, and they are the same', async (t) => {
  t.equal(judge(call, fields, [modern]), modern)
  t.equal(judge(call, { ...fields, 'Mcp-Name': '=?base64?YWRk?=' }, [modern]), modern)
  const without = (name: string) => Object.fromEntries(Object.entries(fields).filter(([one]) => one !== name))
  for (const name of Object.keys(fields)) t.equal(judge(call, without(name), both), -32_020, `without ${name}`)
  const others = {
    'MCP-Protocol-Version': ['2025-11-25'],
    'Mcp-Method': ['tools/list', 'Tools/call', 'tools/call2', ''],
    'Mcp-Name': ['Add', 'add2', '', '=?base64?YWRkMg==?=', '=?base64?YWRk=?=', '=?BASE64?YWRk?=', '=?base64?/w==?='],
  }
  for (const [name, values] of Object.entries(others)) {
    for (const value of values) t.equal(judge(call, { ...fields, [name]: value }, both), -32_020, `${name}: ${value}`)
  }
  for (const params of [{ name: 'add' }, { name: 'add', _meta: {} }])
    t.equal(judge(request('tools/call', params), fields, both), -32_602, 'nothing in _meta')
  t.equal(judge(request('tools/list', meta(modern)), { ...fields, 'Mcp-Method': 'tools/list' }, both), modern)
  const read = request('resources/read', { uri: 'a://b/ü', ...meta(modern) })
  const encoded = `=?base64?${Buffer.from('a://b/ü').toString('base64')}?=`
  t.equal(judge(read, { ...fields, 'Mcp-Method': 'resources/read', 'Mcp-Name': encoded }, both), modern)
})

t.test('a revision that is not served is named with those that are, where a modern client may hear it', async (t) => {
  const unknown = request('tools/list', meta('2027-01-01'))
  t.equal(judge(unknown, { 'MCP-Protocol-Version': '2027-01-01' }, both), -32_022)
  t.equal(judge(unknown, { 'MCP-Protocol-Version': '2027-01-01' }, onlyLegacy), -32_600)
  const supportedBy = (value: object, sent: Record<string, string>) => {
    const [read, headers] = [readMessage(value), readMcpFields(Object.entries(sent).flat())]
    if (!('message' in read) || !('fields' in headers)) throw new Error('the test is wrong')
    const found = revisionOf(read.message, headers.fields, new Set([modern, '2025-11-25']))
    return 'problem' in found ? found.problem.data : undefined
  }
  const alone = supportedBy(unknown, { 'MCP-Protocol-Version': '2027-01-01' })
  t.same(alone, { supported: [modern], requested: '2027-01-01' }, 'by which a message may stand alone')
  const session = supportedBy(request('tools/list'), { 'MCP-Protocol-Version': '2025-06-18' })
  t.same(session, { supported: [modern, '2025-11-25'], requested: '2025-06-18' })
  t.equal(judge(call, fields, onlyLegacy), -32_600, 'so a client of both eras falls back to a session')
  t.equal(judge(request('initialize', { protocolVersion: '2025-11-25' }), {}, [modern]), -32_022)
})

t.test('a session begins without the field, and with any revision that the server may answer otherwise', async (t) => {
  for (const protocolVersion of ['2025-11-25', '2024-11-05', '2030-01-01', 5]) {
    t.equal(judge(request('initialize', { protocolVersion }), {}, both), '2025-11-25', String(protocolVersion))
  }
  t.equal(judge(request('initialize', { protocolVersion: '2025-06-18' }), {}, onlyLegacy), '2025-06-18')
  t.equal(judge(request('initialize', meta(modern)), {}, both), -32_020)
  t.equal(judge(request('tools/list'), {}, both), -32_020, 'what follows has the field')
  t.equal(judge(request('tools/list'), {}, onlyLegacy), -32_600)
  t.equal(judge(request('tools/list'), {}, ['2025-03-26']), '2025-03-26', 'but in the revision that had none')
  t.equal(judge(request('tools/list', meta(modern)), {}, ['2025-03-26']), -32_600)
})

t.test('fields of the modern era decide nothing in a session', async (t) => {
  const legacy = { ...fields, 'MCP-Protocol-Version': '2025-11-25', 'Mcp-Name': 'other' }
  t.equal(judge(request('tools/call', { name: 'add' }), legacy, both), '2025-11-25')
  t.equal(judge(request('tools/call', { name: 'add', ...meta(modern) }), legacy, both), -32_020)
})

t.test('of one field there is one line, whatever its case', async (t) => {
  t.same(readMcpFields(['Mcp-Name', 'a', 'mcp-name', 'b']), { twice: 'mcp-name' })
  for (const field of ['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name']) {
    t.same(readMcpFields([field, 'a', field.toUpperCase(), 'a']), { twice: field.toLowerCase() })
  }
  t.same(readMcpFields(['mCP-mETHOD', 'ping', 'MCP-NAME', 'x', 'mcp-names', 'y', 'Mcp_Name', 'z']), {
    fields: { version: undefined, method: 'ping', name: 'x' },
  })
  t.same(readMcpFields(['MCP-PROTOCOL-VERSION', ` ${modern}\t`, 'X', 'y']), {
    fields: { version: modern, method: undefined, name: undefined },
  })
})
