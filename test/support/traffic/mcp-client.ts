// What clients of MCP servers send, as bytes: a listener of a session, a message of either era, and one whose answer is
// read as it comes.

import { type GateApp, type Test, viaProxy } from '../rooms/http-gate.js'
import { type RawConnection, rawConnection } from './http-raw.js'

export const modernVersion = '2026-07-28'
export const legacyVersion = '2025-11-25'

interface Sender {
  path?: string
  token: string
  fields?: readonly string[]
}

/** The stream of a session (2025-11-25, transports). */
export function listenBytes({ path = '/desk/mcp', token, fields = [] }: Sender): string {
  const lines = [`Authorization: Bearer ${token}`, `MCP-Protocol-Version: ${legacyVersion}`, ...fields]
  return `GET ${path} HTTP/1.1\r\n${viaProxy}${lines.join('\r\n')}\r\n\r\n`
}

/** A request of the modern era. */
export function messageBytes(
  { path = '/desk/mcp', token, fields = [] }: Sender,
  method: string,
  params: Record<string, unknown> = {},
): string {
  const meta = { _meta: { 'io.modelcontextprotocol/protocolVersion': modernVersion } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, ...meta } })
  const name = method === 'resources/read' ? params['uri'] : params['name']
  const lines = [
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `MCP-Protocol-Version: ${modernVersion}`,
    `Mcp-Method: ${method}`,
    ...(typeof name === 'string' ? [`Mcp-Name: ${name}`] : []),
    ...fields,
  ]
  return `POST ${path} HTTP/1.1\r\n${viaProxy}${lines.join('\r\n')}\r\n\r\n${body}`
}

/** Sends, and resolves when an answer has begun with 200; the connection ends with the test. */
export async function openStream(t: Test, gate: GateApp, bytes: string): Promise<RawConnection> {
  const connection = await rawConnection(gate)
  t.teardown(() => connection.socket.destroy())
  const first = new Promise<Buffer>((resolve) => connection.socket.once('data', resolve))
  connection.send(bytes)
  const head = String(await first)
  if (!head.startsWith('HTTP/1.1 200 ')) throw new Error(head)
  return connection
}
