// The service behind the gate: its answers are what callers ask for by path, good and bad.

import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from './test.js'

/**
 * Starts it on a free port; it ends with the test. `/…/ok` answers, `hang` never does, `lose` drops the connection,
 * `events` streams.
 */
export async function startService(t: Test): Promise<number> {
  const streams = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    const what = new URL(request.url ?? '/', 'http://localhost').pathname.split('/').at(-1)
    response.on('error', () => undefined)
    if (what === 'hang') return
    if (what === 'lose') return void request.socket.destroy()
    if (what === 'fail') return void response.writeHead(503).end()
    if (what === 'events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: 0\n\n')
      streams.add(response)
      response.once('close', () => streams.delete(response))
      return
    }
    request.resume().once('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}')
    })
  })
  server.on('clientError', (_error, socket) => socket.destroy())
  const tick = setInterval(() => {
    for (const stream of streams) stream.write('data: 1\n\n')
  }, 1_000)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    clearInterval(tick)
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}
