// A listener for the streams benchmark; a tool call of 1 KiB, and the very same bytes as a plain POST to the same product and service: what reading the message
// and deciding by it costs. Once more without the fields that repeat the message: on any route they cost something.

import type { Document } from 'yaml'
import type { Product } from './product.js'
import { proxyPost } from './requests.js'
import type { PlannedRow } from './rows.js'
import type { Servers } from './servers.js'

const version = '2026-07-28'
const tool = 'list_tickets'
const bodyBytes = 1_024

/** The ratio of the tool call is taken to the same bytes, and theirs to the POST without the fields. */
export function mcpRows(servers: Servers): PlannedRow[] {
  const product = () => servers.product('gate-mcp', { configure })
  const text = message()
  const row = (name: string, reference: string, path: string, fields: readonly string[]): PlannedRow => ({
    name,
    reference,
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
    row(plain, plain, post, []),
    row(sameBytes, plain, post, fields),
    row('tool call of 1 KiB', sameBytes, '/bench/mcp', fields),
  ]
}

/** The request that opens a listener at the MCP route of the streams benchmark. */
export async function listenRequest(product: Product): Promise<Buffer> {
  const params = { notifications: {}, _meta: metaOf() }
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params })
  const fields = [`MCP-Protocol-Version: ${version}`, 'Mcp-Method: subscriptions/listen']
  return await proxyPost(product, '/bench/mcp/live', fields, text)
}

/** The route that it goes to, with the service of that benchmark behind it. */
export function addListenerRoute(document: Document): void {
  const mcp = { first: 'assets_read', tools: { watch: 'assets_read' } }
  document.setIn(['routes', '/bench/mcp/live'], document.createNode({ to: 'service', mcp }))
}

function metaOf() {
  return {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
}

const plain = 'POST of 1 KiB'
const sameBytes = `${plain}, same bytes`

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
        _meta: metaOf(),
      },
    })
  return text('x'.repeat(bodyBytes - text('').length))
}
