// One instance of a cluster: an operating-system process of the program as it ships, with a folder and ports of its
// own, that can be stopped, killed, paused, called and managed, and started again as the same instance.

import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, type RequestOptions, request as send } from 'node:http'
import { join } from 'node:path'
import { programWords } from '../programs/program.js'
import type { FaultProxy } from '../proxies/fault-proxy.js'
import { plainEnvironment } from '../settings/plain-environment.js'
import type { HookCommand } from './instance-hooks.js'

export interface InstanceOptions {
  name: string
  port: number
  operatorPort: number
  folder: string
  configFile: string
  env: NodeJS.ProcessEnv
  /** The way to Redis and to PostgreSQL of this instance alone. */
  redis: FaultProxy | undefined
  store: FaultProxy | undefined
}

export interface PlainAnswer {
  status: number
  headers: IncomingMessage['headers']
  body: string
}

export interface Period {
  fromMs: number
  toMs: number
}

export interface Instance extends Readonly<InstanceOptions> {
  /** Throws when it does not run. */
  readonly pid: number
  readonly running: boolean
  /** Both its outputs of all its starts. */
  readonly logFile: string
  /** Resolves with the milliseconds until it was ready. `logTo` instead of the log file. */
  start(logTo?: string): Promise<number>
  /** Resolves with the exit code, null after a signal, when it is gone. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
  pause(): void
  resume(): void
  /** One call to its management socket, path below /api/v2. Rejects when nobody answers. */
  manage(method: string, path: string, body?: unknown): Promise<PlainAnswer>
  /** One call to its operator listener, such as `/readyz`. */
  operator(path: string): Promise<PlainAnswer>
  /** The sum of a metric's values whose labels contain `labels`, such as `kind="token"`; 0 when there is none. */
  metric(name: string, labels?: string): Promise<number>
  hook(command: HookCommand): void
  /**
   * When its event loop stood still for most of a second or longer, by this process's performance.now(). Not at a
   * start, nor by a pause or block that a test ordered.
   */
  standstills(): Period[]
  /** Resident memory in MiB and open descriptors. */
  usage(): { rssMb: number; descriptors: number }
}

/** Called when this process ends: whatever it started ends too. */
const alive = new Set<() => unknown>()
process.once('exit', () => {
  for (const end of alive) end()
})

const startMs = 60_000
const callMs = 30_000

/** Describes an instance; nothing runs before start(). */
export function createInstance(options: InstanceOptions): Instance {
  const { name, folder, operatorPort } = options
  const logFile = join(folder, 'log')
  const hookFile = join(folder, 'hook')
  let child: ChildProcess | undefined
  /** When it may stand still for a known reason. */
  const expected: Period[] = []
  const runs = () => child !== undefined && child.exitCode === null && child.signalCode === null
  const pid = (): number => {
    if (!runs() || child?.pid === undefined) throw new Error(`instance ${name} does not run`)
    return child.pid
  }
  const kill = (signal: NodeJS.Signals) => void process.kill(pid(), signal)
  const operator = (path: string) => exchange({ host: '127.0.0.1', port: operatorPort, path, timeout: 5_000 })
  alive.add(() => runs() && kill('SIGKILL'))
  return {
    ...options,
    logFile,
    get pid() {
      return pid()
    },
    get running() {
      return runs()
    },
    async start(logTo = logFile) {
      if (runs()) throw new Error(`instance ${name} runs already`)
      const started = performance.now()
      child = spawnInstance(options, logTo, hookFile)
      await untilReady(child, operator, logFile)
      const readyMs = performance.now()
      expected.push({ fromMs: started, toMs: readyMs })
      return readyMs - started
    },
    async stop(signal = 'SIGTERM') {
      const ending = child
      if (ending === undefined || !runs()) return ending?.exitCode ?? null
      const gone = new Promise<number | null>((resolve) => ending.once('exit', (code) => resolve(code)))
      kill(signal)
      return gone
    },
    pause() {
      expected.push({ fromMs: performance.now(), toMs: Number.POSITIVE_INFINITY })
      kill('SIGSTOP')
    },
    resume() {
      const pause = expected.findLast(({ toMs }) => toMs === Number.POSITIVE_INFINITY)
      if (pause !== undefined) pause.toMs = performance.now()
      kill('SIGCONT')
    },
    manage(method, path, body) {
      const payload = body === undefined ? undefined : JSON.stringify(body)
      const headers: Record<string, string> = { host: 'localhost' }
      if (payload !== undefined) headers['content-type'] = 'application/json'
      const socketPath = join(folder, 'data', 'admin.sock')
      return exchange({ socketPath, method, path: `/api/v2${path}`, headers, timeout: callMs }, payload)
    },
    operator,
    async metric(metric, labels = '') {
      const { body } = await operator('/metrics')
      return body
        .split('\n')
        .filter((line) => new RegExp(`^${metric}(\\{|\\s)`).test(line) && line.includes(labels))
        .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
    },
    hook(command) {
      writeFileSync(hookFile, JSON.stringify(command))
      const fromMs = performance.now()
      if (command.do === 'block') expected.push({ fromMs, toMs: fromMs + command.ms })
      kill('SIGWINCH')
    },
    standstills() {
      const overlap = (one: Period, other: Period) => one.fromMs <= other.toMs && one.toMs >= other.fromMs
      return periodsIn(`${hookFile}-standstills`).filter((period) => !expected.some((other) => overlap(period, other)))
    },
    usage() {
      const status = readFileSync(`/proc/${pid()}/status`, 'utf8')
      const rssMb = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
      return { rssMb, descriptors: readdirSync(`/proc/${pid()}/fd`).length }
    },
  }
}

/** Of lines with two times in epoch milliseconds. */
function periodsIn(file: string): Period[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [fromMs = 0, toMs = 0] = line.split(' ').map((ms) => Number(ms) - performance.timeOrigin)
      return { fromMs, toMs }
    })
}

function spawnInstance(options: InstanceOptions, logTo: string, hookFile: string): ChildProcess {
  const [node = '', ...words] = programWords()
  const hooks = import.meta.resolve(import.meta.url.endsWith('.ts') ? './instance-hooks.ts' : './instance-hooks.js')
  // The program's own path comes last: what is loaded before it stands in between.
  const before = [...words.slice(0, -1), '--import', hooks]
  const log = openSync(logTo, 'a')
  try {
    const { configFile, env, folder } = options
    return spawn(node, [...before, words.at(-1) ?? '', 'serve', '--config', configFile], {
      cwd: folder,
      stdio: ['ignore', log, log],
      env: { ...plainEnvironment(), ...env, INSTANCE_HOOKS: hookFile },
    })
  } finally {
    closeSync(log)
  }
}

async function untilReady(
  child: ChildProcess,
  operator: (path: string) => Promise<PlainAnswer>,
  logFile: string,
): Promise<void> {
  const until = performance.now() + startMs
  while (performance.now() < until && child.exitCode === null && child.signalCode === null) {
    const answer = await operator('/readyz').catch(() => undefined)
    if (answer?.status === 200) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const ended = child.exitCode !== null || child.signalCode !== null
  if (!ended) child.kill('SIGKILL')
  const said = readFileSync(logFile, 'utf8').slice(-3_000)
  throw new Error(`the instance ${ended ? `ended with ${child.exitCode}` : 'did not become ready'}:\n${said}`)
}

function exchange(options: RequestOptions, body?: string): Promise<PlainAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = send({ ...options, agent: false }, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: text })
      })
    })
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')))
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
