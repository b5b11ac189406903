// Ports for servers that come and go during a test.

import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below what the system gives to outgoing connections (32768 and up): nobody takes the port while its server is away. */
const range = { from: 12_000, to: 32_000 }

/** A port that nobody listens on now, and that no outgoing connection will get. */
export async function steadyPort(): Promise<number> {
  for (;;) {
    const port = randomInt(range.from, range.to)
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
