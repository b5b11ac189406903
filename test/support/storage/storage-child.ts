// Real processes for the tests of the storage: a script beside this file, run as it is (TypeScript) or compiled, whose
// lines the test reads and which the test kills. A child waits for "go" on its standard input before it does anything,
// so that the start of a process does not blur the moment.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { TestScope } from './temporary-store.js'

export interface StorageChild {
  /** Every line so far; complete once `ended` has resolved. */
  readonly lines: readonly string[]
  go(): void
  /** Writes one line to its standard input. */
  tell(line: string): void
  /** SIGSTOP, SIGCONT. */
  signal(signal: NodeJS.Signals): void
  /** Resolves when `count` lines start with `prefix`. Throws when the process ends before, or after two minutes. */
  waitFor(prefix: string, count?: number): Promise<void>
  /** `kill -9`; resolves when the process is gone and its last line has been read. */
  kill(): Promise<void>
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>
}

/**
 * Starts `node [loader] <this folder>/<script> …args`, killed with the test at the latest. `wrap` may put a command
 * before node, such as a shell that sets a limit.
 */
export function startStorageChild(
  t: TestScope,
  script: string,
  args: readonly string[],
  wrap: (command: readonly string[]) => readonly string[] = (command) => command,
): StorageChild {
  const child = spawnNode(script, args, wrap)
  const lines: string[] = []
  const watchers = new Set<() => void>()
  const notify = (): void => {
    for (const watcher of watchers) watcher()
  }
  let hasEnded = false
  const reader = createInterface({ input: child.stdout ?? process.stdin })
  reader.on('line', (line) => {
    lines.push(line)
    notify()
  })
  const ended = Promise.all([once(child, 'exit'), once(reader, 'close')]).then(([[code, signal]]) => {
    hasEnded = true
    notify()
    return (code ?? signal) as number | string
  })
  const kill = async (): Promise<void> => {
    if (!hasEnded) child.kill('SIGKILL')
    await ended
  }
  t.teardown(kill)

  const waitFor = (prefix: string, count = 1): Promise<void> =>
    new Promise((resolve, reject) => {
      const finish = (error?: Error): void => {
        clearTimeout(timer)
        watchers.delete(look)
        if (error === undefined) resolve()
        else reject(error)
      }
      const look = (): void => {
        if (lines.filter((line) => line.startsWith(prefix)).length >= count) finish()
        else if (hasEnded)
          finish(new Error(`${script} ended before "${prefix}" ×${count}: ${lines.slice(-3).join(' | ')}`))
      }
      const timer = setTimeout(() => finish(new Error(`${script} did not say "${prefix}" ×${count}`)), 120_000)
      watchers.add(look)
      look()
    })

  const tell = (line: string): void => {
    child.stdin?.write(`${line}\n`)
  }
  return { lines, waitFor, kill, ended, tell, go: () => tell('go'), signal: (signal) => void child.kill(signal) }
}

function spawnNode(
  script: string,
  args: readonly string[],
  wrap: (command: readonly string[]) => readonly string[],
): ChildProcess {
  const isSource = import.meta.url.endsWith('.ts')
  const file = fileURLToPath(new URL(`${script}.${isSource ? 'ts' : 'js'}`, import.meta.url))
  const loader = isSource ? ['--import', import.meta.resolve('tsx')] : []
  const [command = process.execPath, ...rest] = wrap([process.execPath, ...loader, file, ...args])
  // Variables of the test runner would make it follow the child.
  return spawn(command, rest, { stdio: ['pipe', 'pipe', 'inherit'], env: { PATH: process.env['PATH'] } })
}
