// The servers of a benchmark: started, pinned where the machine lets us, measured by /proc, stopped by their pid.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { accepts } from '../support/programs/accepts.js'

export interface Server {
  child: ChildProcess
  port: number
  /** CPU seconds used so far, user and system. */
  cpuSeconds(): number
  /** Resident memory in MB. */
  residentMb(): number
  stop(): Promise<void>
}

const canPin = spawnSync('taskset', ['-c', '0', 'true']).status === 0
const ticksPerSecond = Number(spawnSync('getconf', ['CLK_TCK']).stdout?.toString() ?? '100')

/** Starts a program on a core and waits until its port takes connections, at most 60 s; a program that fails to is stopped. */
export async function startServer(
  words: readonly string[],
  port: number,
  options: { cpu?: number; env?: NodeJS.ProcessEnv } = {},
): Promise<Server> {
  const pinned = canPin && options.cpu !== undefined ? ['taskset', '-c', String(options.cpu), ...words] : [...words]
  const [program = '', ...rest] = pinned
  const child = spawn(program, rest, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...options.env },
  })
  await reachable(port, child).catch(async (error) => {
    await stop(child)
    throw error
  })
  const pid = child.pid as number
  return {
    child,
    port,
    cpuSeconds: () => cpuSeconds(pid),
    residentMb: () => residentMb(pid),
    stop: () => stop(child),
  }
}

/** Of a process that runs here. */
export function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
}

function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

async function reachable(port: number, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + 60_000
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`${child.spawnargs.join(' ')} ended with ${child.exitCode}`)
    if (await accepts(port)) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`nothing listens on ${port}: ${child.spawnargs.join(' ')}`)
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once('exit', () => resolve())
    child.kill('SIGTERM')
  })
}

/** Whether a program is on the PATH. */
export function hasProgram(name: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${name}`], { stdio: 'ignore' }).status === 0
}
