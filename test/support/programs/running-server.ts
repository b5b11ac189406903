// A server of somebody else's as a child of the test.

import { type ChildProcess, spawn } from 'node:child_process'
import { plainEnvironment } from '../settings/plain-environment.js'
import { until } from '../traffic/until.js'
import { accepts } from './accepts.js'

export interface RunningServer {
  command: readonly string[]
  /** Where it listens once it has started. */
  port: number
  end: 'SIGTERM' | 'SIGKILL'
  env?: NodeJS.ProcessEnv
}

/** Starts it and waits until it listens; it ends with the test. Throws with what it said when it ends before. */
export async function runServer(
  t: { teardown(work: () => unknown): void },
  { command, port, end, env = {} }: RunningServer,
): Promise<void> {
  const [program = '', ...words] = command
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...plainEnvironment(), ...env } })
  const said: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => said.push(String(chunk)))
  child.on('error', (error) => said.push(String(error)))
  const endAtOnce = (): void => void child.kill(end)
  process.once('exit', endAtOnce)
  t.teardown(async () => {
    process.off('exit', endAtOnce)
    await ended(child, end)
  })
  await until(`${program} listens`, async () => {
    if (child.exitCode !== null || child.pid === undefined) throw new Error(`${program} ended: ${said.join('')}`)
    return accepts(port)
  })
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  await gone
}
