// An MCP server of both eras, made with the official library: tickets that can be listed, closed and purged, a prompt
// and resources. It notes which operations reached it.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer, ResourceTemplate } from '@modelcontextprotocol/server'

export interface HelpDesk {
  port: number
  /** Operations in the order in which they came, such as `close_ticket` or `desk://tickets/7`. */
  reached: string[]
}

/** Starts it on a free port; it ends with the test. */
export async function startHelpDesk(t: { teardown(work: () => unknown): void }): Promise<HelpDesk> {
  const reached: string[] = []
  const handler = createMcpHandler(() => helpDesk(reached))
  const server = createServer(toNodeHandler(handler) as never)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    await handler.close()
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, reached }
}

function helpDesk(reached: string[]): McpServer {
  const server = new McpServer({ name: 'help-desk', version: '1.0.0' })
  const done = (name: string) => async () => {
    reached.push(name)
    return { content: [{ type: 'text' as const, text: `${name} done` }] }
  }
  for (const name of ['list_tickets', 'close_ticket', 'merge_tickets', 'purge_tickets']) {
    server.registerTool(name, { description: `Does ${name}.` }, done(name))
  }
  server.registerPrompt('greet', { description: 'A greeting.' }, async () => {
    reached.push('greet')
    return { messages: [{ role: 'user', content: { type: 'text', text: 'Say hello.' } }] }
  })
  server.registerResource(
    'ticket',
    new ResourceTemplate('desk://tickets/{id}', { list: undefined }),
    {},
    async (uri) => {
      reached.push(uri.href)
      return { contents: [{ uri: uri.href, text: 'A ticket' }] }
    },
  )
  return server
}
