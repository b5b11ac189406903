// A tool call of 1 KiB and a plain POST to the same product and service: what reading the message and deciding by it
// costs. The plain POST comes without the fields that repeat the message, and once with them: on any route they cost something.

import type { Document } from 'yaml'
import { proxyPost } from './requests.js'
import type { PlannedRow } from './rows.js'
import type { Servers } from './servers.js'

const version = '2026-07-28'
const tool = 'list_tickets'
const bodyBytes = 1_024

/** The plain POST first; the other row's ratio is taken to it. */
export function mcpRows(servers: Servers): PlannedRow[] {
  const product = () => servers.product('gate-mcp', { configure })
  const text = message()
  const row = (name: string, path: string, fields: readonly string[]): PlannedRow => ({
    name,
    reference: plain,
    open: async () => {
      const server = await product()
      return {
        server,
        load: { port: server.port, connections: 64, requests: [await proxyPost(server, path, fields, text)] },
      }
    },
  })
  const fields = [`MCP-Protocol-Version: ${version}`, 'Mcp-Method: tools/call', `Mcp-Name: ${tool}`]
  const post = '/api/v2/bench-post'
  return [
    row(plain, post, []),
    row(`${plain}, same fields`, post, fields),
    row('tool call of 1 KiB', '/bench/mcp', fields),
  ]
}

const plain = 'POST of 1 KiB'

function configure(document: Document): void {
  document.setIn(['routes', 'POST /api/v2/bench-post'], { to: 'bench', require: 'assets_read' })
  const mcp = { first: 'assets_read', tools: { [tool]: 'assets_read' } }
  document.setIn(['routes', '/bench/mcp'], document.createNode({ to: 'bench', mcp }))
}

/** A call of the tool, filled up with arguments. */
function message(): string {
  const text = (filling: string) =>
    JSON.stringify({
      ...{ jsonrpc: '2.0', id: 7, method: 'tools/call' },
      params: {
        ...{ name: tool, arguments: { state: 'open', limit: 20, text: filling } },
        _meta: { 'io.modelcontextprotocol/protocolVersion': version, 'io.modelcontextprotocol/clientCapabilities': {} },
      },
    })
  return text('x'.repeat(bodyBytes - text('').length))
}
