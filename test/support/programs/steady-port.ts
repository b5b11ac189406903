// Ports for servers that come and go during a test.

import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * Below what the system gives to outgoing connections (32768 and up): nobody takes the port while its server is away.
 */
const range = { from: 12_000, to: 32_000 }

/** Each process goes through the range from a place of its own, so that it never gives the same port twice. */
let next = randomInt(range.from, range.to)

/** A port that nobody listens on now, and that no outgoing connection and no server on "a free port" will get. */
export async function steadyPort(): Promise<number> {
  for (;;) {
    const port = next
    next = port + 1 < range.to ? port + 1 : range.from
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
