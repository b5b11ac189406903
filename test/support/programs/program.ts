// The program as an operator runs it: a child process with a data folder and ports of its own, stopped by its pid.

import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { plainEnvironment } from '../settings/plain-environment.js'
import { steadyPort } from './steady-port.js'

export interface Program {
  child: ChildProcess
  baseUrl: string
  operatorUrl: string
  folder: string
  cwd: string
  /** What its environment adds to ours, for the command line in the same folder. */
  env: NodeJS.ProcessEnv
  /** Everything printed so far. */
  output(): string
  /** The commands of the banner: its lines that are not indented. */
  commands(): string[]
  /** PEM of the development certificate authority. */
  ca(): string
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

export interface ProgramOptions {
  /** The data folder's parent; the program runs there. */
  cwd: string
  env?: NodeJS.ProcessEnv
  config?: string
  ports?: { public: number; operator: number }
  /** Instead of running src/main here. */
  command?: readonly string[]
}

/**
 * How to run src/main from here: the bundle of a run (src/process/build/bundle.ts) when there is one; else from source in a `.ts`
 * run, compiled otherwise.
 */
export function programWords(): string[] {
  const bundled = process.env['PORTCULLIS_TEST_PROGRAM']
  if (bundled !== undefined) return [process.execPath, bundled]
  const fromSource = import.meta.url.endsWith('.ts')
  const main = fileURLToPath(new URL(fromSource ? '../../../src/main.ts' : '../../../src/main.js', import.meta.url))
  return fromSource ? [process.execPath, '--import', import.meta.resolve('tsx'), main] : [process.execPath, main]
}

/** A port that is still free when a program that takes its time to start comes to it. */
export const freePort = steadyPort

/** A start of a second takes half a minute on a machine with a load of twenty. */
const startMs = 180_000
/** Whatever still holds the output of a program this long after its end was left on purpose. */
const groupMs = 30_000

/** Starts `portcullis serve` and waits until it is ready. Throws with its output when it ends before, or hangs. */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const ports = options.ports ?? { public: await freePort(), operator: await freePort() }
  const baseUrl = `https://localhost:${ports.public}`
  const operatorUrl = `http://127.0.0.1:${ports.operator}`
  const env = { ...environment(baseUrl, ports), ...options.env }
  const serve = [...programWords(), 'serve', ...(options.config === undefined ? [] : ['--config', options.config])]
  const [program = '', ...words] = options.command ?? serve
  const child = spawn(program, words, {
    cwd: options.cwd,
    env: { ...plainEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Whatever it starts in turn belongs to its group and ends with it.
    detached: true,
  })
  const printed: string[] = []
  child.stdout?.on('data', (chunk: Buffer) => printed.push(chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => printed.push(chunk.toString()))
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const folder = join(options.cwd, 'data')
  await ready(child, operatorUrl, () => printed.join(''))
  let isStopped = false
  child.once('exit', (code, signal) => {
    // A test that finds nobody there any more does not know why.
    if (!isStopped) console.log(`# a program ended by itself, ${signal ?? code}:\n${lastLines(printed.join(''))}`)
  })
  return {
    child,
    baseUrl,
    operatorUrl,
    folder,
    cwd: options.cwd,
    env,
    output: () => printed.join(''),
    commands: () =>
      printed
        .join('')
        .split('\n')
        .filter((line) => /^(?:TOKEN=|curl )/.test(line)),
    ca: () => readFileSync(join(folder, 'tls', 'ca.pem'), 'utf8'),
    stop(signal = 'SIGTERM') {
      isStopped = true
      return stop(child, signal, closed)
    },
  }
}

function lastLines(output: string): string {
  return output.trimEnd().split('\n').slice(-10).join('\n').replace(/^/gm, '#   ').slice(-4_000)
}

/** What tells the program where to be. */
export function environment(baseUrl: string, ports: { public: number; operator: number }): NodeJS.ProcessEnv {
  return {
    PORTCULLIS_BASE_URL: baseUrl,
    PORTCULLIS_LISTEN: `127.0.0.1:${ports.public}`,
    PORTCULLIS_OPERATOR: `127.0.0.1:${ports.operator}`,
    PORTCULLIS_DATA: './data',
  }
}

async function ready(child: ChildProcess, operatorUrl: string, output: () => string): Promise<void> {
  const deadline = performance.now() + startMs
  while (performance.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the program ended early:\n${output()}`)
    const answer = await fetch(`${operatorUrl}/readyz`, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined)
    if (answer?.status === 200) return
    await setTimeout(50)
  }
  if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  throw new Error(`the program is not ready after ${startMs / 1000} s:\n${output()}`)
}

/** Ends it and what it started: npx ends before the program does that it runs. */
async function stop(child: ChildProcess, signal: NodeJS.Signals, closed: Promise<void>): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    if (child.pid !== undefined) process.kill(-child.pid, signal)
    await ended
  }
  const deadline = new AbortController()
  await Promise.race([closed, setTimeout(groupMs, undefined, { signal: deadline.signal })])
  deadline.abort()
  return child.exitCode
}
