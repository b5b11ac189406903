// A client with a token for a program that has none: it stands at a port of its own over plain HTTP, and hands on what
// comes to a server over TLS, with the token. All else crosses as it came, both ways, as it comes.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Agent, request as send } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Program } from '../programs/program.js'

/** Starts it on a free port and resolves with it; it ends with the test. */
export async function startBearerRelay(
  t: { teardown(work: () => unknown): void },
  program: Program,
  token: string,
): Promise<number> {
  const agent = new Agent({ ca: program.ca(), keepAlive: true })
  const to = new URL(program.baseUrl)
  let port = 0
  const handOn = (request: IncomingMessage, response: ServerResponse) => {
    const headers = request.rawHeaders.map((text, at) => (at % 2 === 0 ? text : ofServer(text)))
    const sent = send(
      { agent, host: to.hostname, port: to.port, method: request.method, path: request.url },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
        response.flushHeaders()
        answer.pipe(response)
        answer.once('error', () => response.destroy())
      },
    )
    for (const name of sent.getHeaderNames()) sent.removeHeader(name)
    for (let at = 0; at < headers.length; at += 2) sent.appendHeader(headers[at] ?? '', headers[at + 1] ?? '')
    sent.setHeader('Authorization', `Bearer ${token}`)
    sent.once('error', () => response.destroy())
    response.once('close', () => sent.destroy())
    request.pipe(sent)
  }
  /** Who names this place means the server; a foreign host or origin stays one. */
  const ofServer = (value: string): string =>
    value.replace(`http://localhost:${port}`, to.origin).replace(`localhost:${port}`, to.host)
  const server = createServer(handOn)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    agent.destroy()
    server.closeAllConnections()
    server.close()
  })
  port = (server.address() as AddressInfo).port
  return port
}
