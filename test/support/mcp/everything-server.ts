// The reference server of the protocol, which has something of everything, as a process of its own.

import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { steadyPort } from '../programs/steady-port.js'
import { plainEnvironment } from '../settings/plain-environment.js'

/** Starts it on a free port and resolves with it when it listens; it ends with the test. */
export async function startEverythingServer(t: { teardown(work: () => unknown): void }): Promise<number> {
  const port = await steadyPort()
  const main = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json')
  const child = spawn(process.execPath, [join(dirname(main), 'dist/index.js'), 'streamableHttp'], {
    env: { ...plainEnvironment(), PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  t.teardown(() => {
    // At a SIGTERM it waits for its streams.
    child.kill('SIGKILL')
    return ended
  })
  let printed = ''
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      if (printed.includes('listening on port')) resolve()
    })
    child.once('close', () => reject(new Error(`the server ended early:\n${printed}`)))
  })
  return port
}
