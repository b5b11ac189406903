// A Redis of the test's own: a real redis-server on a free port, with its data in a temporary folder, ended with the
// test.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../programs/program.js'

/** What `t` of tap offers and is needed here. */
export interface Teardown {
  teardown(work: () => unknown): void
}

export interface TestRedis {
  /** `redis://`, with the password when there is one. */
  readonly url: string
  readonly port: number
  readonly password: string | undefined
  /** Of the server now running. */
  readonly pid: number
  /** Ends the server, `SIGKILL` unless set otherwise; resolves when it is gone. A paused one ends by SIGKILL only. */
  kill(signal?: NodeJS.Signals): Promise<void>
  /** Starts it again on the same port once it has ended: with what it had written when `persistent`, else empty. */
  start(): Promise<void>
  /** SIGSTOP: connections stay open and nothing is answered. */
  pause(): void
  resume(): void
  /** One command by redis-cli; its answer as text, a list with an item a line. Throws what Redis refuses. */
  command(...words: readonly string[]): Promise<string>
}

export interface TestRedisOptions {
  /** A free one unless given. */
  port?: number
  password?: string
  /** Writes every command to disk, so that a restart finds everything. */
  persistent?: boolean
  /** More words for the command line, such as `['--maxmemory', '2mb']`. */
  options?: readonly string[]
  /** Another server than `redis-server`, which takes the same words. */
  program?: string
  /** The whole command line in place of all the other options but `port`, for a Sentinel. */
  words?: readonly string[]
}

const startMs = 15_000
/** Where the system can, the server ends with a test that is killed and so cannot end it. */
const launcher = existsSync('/usr/bin/setpriv') ? ['/usr/bin/setpriv', '--pdeathsig', 'KILL'] : []
const run = promisify(execFile)

/** Starts a server and waits until it answers. */
export async function startRedis(t: Teardown, options: TestRedisOptions = {}): Promise<TestRedis> {
  const port = options.port ?? (await freePort())
  const { password } = options
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-redis-'))
  const words = options.words ?? serverWords({ ...options, port, folder })
  let child: ChildProcess | undefined

  const command = async (...given: readonly string[]): Promise<string> => {
    const auth = password === undefined ? {} : { REDISCLI_AUTH: password }
    const env = { PATH: process.env['PATH'], ...auth }
    const { stdout } = await run('redis-cli', ['-e', '-p', String(port), ...given], { env, timeout: startMs })
    return stdout.trimEnd()
  }
  const start = async (): Promise<void> => {
    if (child !== undefined) throw new Error('this Redis is running')
    const [program = '', ...before] = [...launcher, options.program ?? 'redis-server']
    child = spawn(program, [...before, ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
    const output: string[] = []
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => output.push(`${chunk}`))
    await answering(child, command, output)
  }
  const kill = async (signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
    const ending = child
    child = undefined
    if (ending !== undefined) await end(ending, signal)
  }
  const endNow = (): void => void child?.kill('SIGKILL')
  process.once('exit', endNow)
  t.teardown(async () => {
    await kill()
    process.off('exit', endNow)
    rmSync(folder, { recursive: true, force: true })
  })
  await start()
  return {
    url: password === undefined ? `redis://127.0.0.1:${port}` : `redis://:${password}@127.0.0.1:${port}`,
    port,
    password,
    get pid() {
      if (child?.pid === undefined) throw new Error('this Redis is not running')
      return child.pid
    },
    kill,
    start,
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    command,
  }
}

function serverWords(options: TestRedisOptions & { port: number; folder: string }): string[] {
  const { port, folder, password, persistent = false } = options
  const appendOnly = persistent ? ['--appendonly', 'yes', '--appendfsync', 'always'] : ['--appendonly', 'no']
  const auth = password === undefined ? [] : ['--requirepass', password, '--masterauth', password]
  const words = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '']
  return [...words, ...appendOnly, ...auth, ...(options.options ?? [])]
}

async function answering(
  child: ChildProcess,
  command: (...words: readonly string[]) => Promise<string>,
  output: readonly string[],
): Promise<void> {
  let failure: unknown
  child.once('error', (error) => {
    failure = error
  })
  for (const until = performance.now() + startMs; performance.now() < until; ) {
    if (failure !== undefined || child.exitCode !== null) break
    try {
      await command('ping')
      return
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  child.kill('SIGKILL')
  throw new Error(`redis-server did not start: ${failure ?? output.join('').slice(-2_000)}`)
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  await gone
}
